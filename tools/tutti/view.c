/* See view.h. */
#include "view.h"

#include <stdlib.h>
#include <string.h>

#include "file.h"
#include "print.h"
#include "triton.h"

/* ---- making ---- */

static void copy_list(const tutti_record *record, int part, struct view_list *list)
{
    const tutti_named_text *entries;
    list->count = tutti_record_list(record, part, &entries);
    list->entries = need(calloc(list->count + 1, sizeof *list->entries));
    for (size_t i = 0; i < list->count; i++)
        list->entries[i] = (tutti_named_text){.name = need(strdup(entries[i].name)),
                                              .text = need(strdup(entries[i].text))};
}

static void release_list(struct view_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        free((void *)(uintptr_t)list->entries[i].name);
        free((void *)(uintptr_t)list->entries[i].text);
    }
    free(list->entries);
}

/* The record's list of configurations has those that were run, in order; the library has checked
 * it. */
static void fill_trials(struct view *view)
{
    const json_t *list = json_object_get(view->root, "configurations");
    view->ntrials = json_array_size(list);
    view->trials = need(calloc(view->ntrials + 1, sizeof *view->trials));
    for (size_t i = 0; i < view->ntrials; i++) {
        const json_t *entry = json_array_get(list, i);
        const uint64_t index = (uint64_t)json_integer_value(json_object_get(entry, "index"));
        const tutti_trial *trial = &view->info.trials[index];
        view->trials[i] = (struct view_trial){.index = index,
                                              .status = trial->status,
                                              .seconds = trial->seconds,
                                              .rank = trial->slowest_rank,
                                              .reason = trial->reason,
                                              .config = json_object_get(entry, "config")};
        if (index == view->info.winner)
            view->winner = i;
    }
}

struct view *view_of_record(tutti_record *record)
{
    struct view *view = need(calloc(1, sizeof *view));
    size_t length;
    const char *bytes = tutti_record_json(record, &length);
    view->record = record;
    view->info = *tutti_record_get(record);
    view->path = need(strdup(view->info.path));
    view->function = need(strdup(view->info.function));
    strcpy(view->id, view->info.name);
    view->root = need(json_loadb(bytes, length, 0, NULL));
    copy_list(record, TUTTI_RECORD_KEY, &view->key);
    copy_list(record, TUTTI_RECORD_HARDWARE, &view->hardware);
    copy_list(record, TUTTI_RECORD_ENVIRONMENT, &view->environment);
    fill_trials(view);
    return view;
}

struct view *view_of_bytes(const char *path, const char *bytes, size_t length, char **why)
{
    char message[1024];
    tutti_record *record;
    const int status = tutti_record_parse(bytes, length, &record, message, sizeof message);
    *why = NULL;
    if (status == TUTTI_ERR_MEMORY)
        need(NULL);
    struct view *view =
        status == TUTTI_SUCCESS ? view_of_record(record) : triton_read(path, bytes, length, why);
    if (!view && !*why)
        *why = printable(message);
    if (view && !*view->path) {
        free(view->path);
        view->path = need(strdup(path));
    }
    return view;
}

struct view *view_read(const char *path, char **why)
{
    char message[1024];
    tutti_record *record;
    const int status = tutti_record_read(path, &record, message, sizeof message);
    *why = NULL;
    if (status == TUTTI_SUCCESS)
        return view_of_record(record);
    size_t length;
    char *bytes = status == TUTTI_ERR_RECORD ? file_read(path, &length, why) : NULL;
    struct view *view = bytes ? view_of_bytes(path, bytes, length, why) : NULL;
    free(bytes);
    if (!view && !*why)
        *why = printable(message);
    return view;
}

void view_release(struct view *view)
{
    if (!view)
        return;
    release_list(&view->key);
    release_list(&view->hardware);
    release_list(&view->environment);
    free(view->trials);
    free(view->function);
    free(view->path);
    json_decref(view->root);
    tutti_record_destroy(view->record);
    free(view);
}

/* ---- figures ---- */

double view_default_seconds(const struct view *view)
{
    const bool known = !view->is_triton && view->ntrials > 0 && view->trials[0].index == 0;
    return known && view->trials[0].status == TUTTI_STATUS_OK ? view->trials[0].seconds : 0;
}

char *view_gain_text(const struct view *view)
{
    const double before = view_default_seconds(view), after = view->trials[view->winner].seconds;
    return before > 0 && after > 0 ? format("%.2fx", before / after) : format("-");
}

/* ---- texts ---- */

const char *view_list_find(const struct view_list *list, const char *name)
{
    for (size_t i = 0; i < list->count; i++)
        if (strcmp(list->entries[i].name, name) == 0)
            return list->entries[i].text;
    return NULL;
}

/* Takes both. */
static char *joined(char *before, char *piece)
{
    char *longer = format("%s%s%s", before, *before ? ", " : "", piece);
    free(before);
    free(piece);
    return longer;
}

char *view_key_text(const struct view *view)
{
    char *text = format("%s", "");
    for (size_t i = 0; i < view->key.count; i++) {
        char *piece = format("%s=%s", view->key.entries[i].name, view->key.entries[i].text);
        text = joined(text, piece);
    }
    char *shown = printable(text);
    free(text);
    return shown;
}

char *view_value_text(const json_t *value)
{
    if (json_is_string(value))
        return need(strdup(json_string_value(value)));
    if (json_is_real(value))
        return number_text(json_real_value(value));
    return need(json_dumps(value, JSON_ENCODE_ANY | JSON_REAL_PRECISION(17)));
}

static void each_value(const char *prefix, const json_t *config,
                       void (*each)(const char *name, const json_t *value, void *user), void *user)
{
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)(uintptr_t)config, name, value)
    {
        /* A level that only says of which type the next one is. */
        const bool marker = strncmp(name, "__", 2) == 0;
        char *whole = marker    ? need(strdup(prefix))
                      : *prefix ? format("%s.%s", prefix, name)
                                : need(strdup(name));
        if (json_is_object(value) && json_object_size(value))
            each_value(whole, value, each, user);
        else
            each(whole, value, user);
        free(whole);
    }
}

void view_each_value(const json_t *config,
                     void (*each)(const char *name, const json_t *value, void *user), void *user)
{
    each_value("", config, each, user);
}

static void add_value(const char *name, const json_t *value, void *user)
{
    char **text = user;
    char *shown = view_value_text(value);
    *text = joined(*text, format("%s=%s", name, shown));
    free(shown);
}

char *view_config_text(const json_t *config)
{
    char *text = format("%s", "");
    view_each_value(config, add_value, &text);
    char *shown = printable(text);
    free(text);
    return shown;
}

/* ---- JSON ---- */

json_t *view_key_json(const struct view *view)
{
    if (view->is_triton)
        return json_incref(json_object_get(view->root, "key"));
    json_t *object = need(json_object());
    const json_t *fields = json_object_get(json_object_get(view->root, "identity"), "key");
    for (size_t i = 0; i < json_array_size(fields); i++) {
        const json_t *field = json_array_get(fields, i);
        json_object_set(object, json_string_value(json_object_get(field, "name")),
                        json_object_get(field, "value"));
    }
    return object;
}

static json_t *winner_json(const struct view *view)
{
    const struct view_trial *winner = &view->trials[view->winner];
    return json_pack("{s:I, s:f, s:O}", "index", (json_int_t)winner->index, "seconds",
                     winner->seconds, "config", winner->config);
}

json_t *view_json(const struct view *view)
{
    const double before = view_default_seconds(view);
    const double after = view->trials[view->winner].seconds;
    char *finished = time_text(view->info.finished);
    json_t *object =
        need(json_pack("{s:s, s:s, s:o, s:s, s:o, s:o, s:o, s:s}", "record", view->id, "format",
                       view->is_triton ? "triton_dist" : "tutti", "path", text_json(view->path),
                       "function", view->function, "key", view_key_json(view), "ranks",
                       view->is_triton ? json_null() : json_integer(view->info.ranks), "winner",
                       winner_json(view), "finished", finished));
    free(finished);
    if (!view->is_triton) {
        json_object_set_new(object, "version", json_string(view->info.version));
        json_object_set_new(object, "group", json_string(view->info.group));
        json_object_set_new(object, "placement", json_string(view->info.placement));
        json_object_set_new(object, "policy", json_string(tutti_policy_name(view->info.policy)));
    }
    json_object_set_new(object, "default_seconds", before > 0 ? json_real(before) : json_null());
    json_object_set_new(object, "gain",
                        before > 0 && after > 0 ? json_real(before / after) : json_null());
    return object;
}
