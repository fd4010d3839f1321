/* See triton.h. */
#include "triton.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "print.h"

/* ---- Python's JSON ---- */

static bool is_word(char byte)
{
    return isalnum((unsigned char)byte) || byte == '_' || byte == '.' || byte == '+' || byte == '-';
}

/* The length of the number that JSON does not have and that stands at bytes; 0. What follows it and
 * does not belong there is the parser's to find. */
static size_t odd_number(const char *bytes, size_t length)
{
    static const char *const numbers[] = {"Infinity", "-Infinity", "NaN"};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        const size_t own = strlen(numbers[i]);
        if (own <= length && memcmp(bytes, numbers[i], own) == 0)
            return own;
    }
    return 0;
}

/* The length of a string with its quotes, or of what there is of it. */
static size_t string_length(const char *bytes, size_t length)
{
    size_t i = 1;
    while (i < length && bytes[i] != '"')
        i += bytes[i] == '\\' ? 2 : 1;
    return i < length ? i + 1 : length;
}

static size_t word_length(const char *bytes, size_t length)
{
    size_t i = 0;
    while (i < length && is_word(bytes[i]))
        i++;
    return i ? i : 1;
}

/*
 * Python's JSON as JSON: Infinity, -Infinity and NaN where a value stands become strings; what is
 * inside strings, or only begins or ends like one of them, stays. A new string.
 */
static char *plain_json(const char *bytes, size_t length, size_t *plain_length)
{
    char *plain = need(malloc(2 * length + 1)), *to = plain;
    for (size_t i = 0; i < length;) {
        const size_t odd = odd_number(bytes + i, length - i);
        const size_t piece = odd               ? odd
                             : bytes[i] == '"' ? string_length(bytes + i, length - i)
                                               : word_length(bytes + i, length - i);
        if (odd)
            *to++ = '"';
        memcpy(to, bytes + i, piece);
        to += piece;
        if (odd)
            *to++ = '"';
        i += piece;
    }
    *to = '\0';
    *plain_length = (size_t)(to - plain);
    return plain;
}

/* ---- parts ---- */

/* Milliseconds as seconds; infinite for the numbers that stand for a failure; negative if it is
 * none at all. */
static double read_time(const json_t *value)
{
    const char *odd = json_string_value(value);
    if (odd)
        return odd_number(odd, strlen(odd)) == strlen(odd) && *odd ? INFINITY : -1;
    return json_is_number(value) ? json_number_value(value) / 1e3 : -1;
}

static bool read_trial(const json_t *entry, size_t number, struct view_trial *trial, char **why)
{
    const double seconds = read_time(json_array_get(entry, 0));
    json_t *config = json_array_get(entry, 1);
    if (json_array_size(entry) != 2 || !json_is_object(config)) {
        *why = format("config[%zu] is not [milliseconds, configuration]", number);
        return false;
    }
    if (seconds < 0) {
        *why = format("config[%zu][0] is no time in milliseconds", number);
        return false;
    }
    const bool measured = isfinite(seconds) && seconds > 0;
    *trial = (struct view_trial){.index = number,
                                 .status = measured ? TUTTI_STATUS_OK : TUTTI_STATUS_FAILED,
                                 .seconds = measured ? seconds : 0,
                                 .rank = -1,
                                 .reason = measured ? "" : "no time was measured",
                                 .config = config};
    return true;
}

/* The tuner takes the least time, and of equal ones the first. */
static bool choose(struct view *view)
{
    bool found = false;
    for (size_t i = 0; i < view->ntrials; i++) {
        if (view->trials[i].status != TUTTI_STATUS_OK ||
            (found && view->trials[i].seconds >= view->trials[view->winner].seconds))
            continue;
        view->winner = i;
        found = true;
    }
    return found;
}

static bool read_trials(struct view *view, char **why)
{
    const json_t *list = json_object_get(view->root, "config");
    view->ntrials = json_array_size(list);
    view->trials = need(calloc(view->ntrials + 1, sizeof *view->trials));
    for (size_t i = 0; i < view->ntrials; i++)
        if (!read_trial(json_array_get(list, i), i, &view->trials[i], why))
            return false;
    if (choose(view))
        return true;
    *why = format("config has no configuration with a time");
    return false;
}

/* {"__torch_dtype__": "torch.bfloat16"} is "torch.bfloat16", also deeper inside. A new value. */
static json_t *unwrapped(json_t *value)
{
    const char *name;
    json_t *member;
    if (json_is_array(value)) {
        json_t *array = need(json_array());
        for (size_t i = 0; i < json_array_size(value); i++)
            json_array_append_new(array, unwrapped(json_array_get(value, i)));
        return array;
    }
    if (json_object_size(value) == 1)
        json_object_foreach(value, name, member)
        {
            if (strncmp(name, "__", 2) == 0)
                return unwrapped(member);
        }
    return json_incref(value);
}

static void add_named(struct view_list *list, char *name, json_t *value)
{
    json_t *plain = unwrapped(value);
    list->entries[list->count++] = (tutti_named_text){.name = name, .text = view_value_text(plain)};
    json_decref(plain);
}

/* A tuple has no names: its fields are called by their numbers. */
static void fill_list(json_t *value, struct view_list *list)
{
    const char *name;
    json_t *member;
    list->entries =
        need(calloc(json_array_size(value) + json_object_size(value) + 2, sizeof *list->entries));
    if (json_is_array(value))
        for (size_t i = 0; i < json_array_size(value); i++)
            add_named(list, format("%zu", i), json_array_get(value, i));
    else if (json_is_object(value))
        json_object_foreach(value, name, member)
        {
            add_named(list, need(strdup(name)), member);
        }
    else if (value && !json_is_null(value))
        add_named(list, format("0"), value);
}

/* 0 if it is no time. */
static int64_t read_timestamp(const char *text)
{
    struct tm parts = {.tm_isdst = -1};
    int year, month, end = 0;
    if (!text || sscanf(text, "%4d-%2d-%2d_%2d_%2d_%2d%n", &year, &month, &parts.tm_mday,
                        &parts.tm_hour, &parts.tm_min, &parts.tm_sec, &end) != 6)
        return 0;
    parts.tm_year = year - 1900;
    parts.tm_mon = month - 1;
    const time_t time = mktime(&parts);
    return time > 0 ? time : 0;
}

/* The file is named after a hash, in hexadecimal digits. */
static void set_id(struct view *view)
{
    const char *slash = strrchr(view->path, '/');
    const char *name = slash ? slash + 1 : view->path;
    const size_t length = strspn(name, "0123456789abcdef");
    if (length < sizeof view->id && name[length] == '.')
        memcpy(view->id, name, length);
}

/* ---- the record ---- */

static bool fill(struct view *view, char **why)
{
    const char *function = json_string_value(json_object_get(view->root, "func"));
    view->function = need(strdup(function));
    view->info.function = view->function;
    view->info.finished =
        read_timestamp(json_string_value(json_object_get(view->root, "timestamp")));
    fill_list(json_object_get(view->root, "key"), &view->key);
    fill_list(json_object_get(view->root, "deps"), &view->environment);
    view->hardware.entries = need(calloc(1, sizeof *view->hardware.entries));
    set_id(view);
    return read_trials(view, why);
}

static bool is_of_triton(const json_t *root)
{
    return json_is_array(json_object_get(root, "config")) &&
           json_is_string(json_object_get(root, "func"));
}

struct view *triton_read(const char *path, const char *bytes, size_t length, char **why)
{
    size_t plain_length;
    char *plain = plain_json(bytes, length, &plain_length);
    json_t *root = json_loadb(plain, plain_length, 0, NULL);
    free(plain);
    if (!is_of_triton(root)) {
        json_decref(root);
        return NULL;
    }
    struct view *view = need(calloc(1, sizeof *view));
    view->path = need(strdup(path));
    view->is_triton = true;
    view->root = root;
    if (fill(view, why))
        return view;
    view_release(view);
    return NULL;
}
