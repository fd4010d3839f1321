/* See settings_value.h. */
#include "settings_value.h"

#include <limits.h>
#include <string.h>
#include <unistd.h>

static const char *const boolean_words[] = {"0",  "1",  "false", "true", "off",
                                            "on", "no", "yes",   NULL}; /* no and yes take turns */

#define SECONDS_LIMIT   1e9
#define SECONDS_ALLOWED "seconds as a decimal number from 0 to 1000000000, such as 2.5"

static bool read_word(const char *const *words, const char *value, int *index)
{
    for (int i = 0; words[i]; i++) {
        if (strcmp(words[i], value) == 0) {
            *index = i;
            return true;
        }
    }
    return false;
}

static bool read_boolean(const char *value, int *flag)
{
    int index;
    if (!read_word(boolean_words, value, &index))
        return false;
    *flag = index % 2;
    return true;
}

static bool read_count(const char *value, int low, int high, int *count)
{
    long long number = 0;
    for (const char *at = value; *at; at++) {
        if (*at < '0' || *at > '9' || number > INT_MAX)
            return false;
        number = number * 10 + (*at - '0');
    }
    if (number < low || number > high)
        return false;
    *count = (int)number;
    return true;
}

/* By hand, since strtod takes what the program's locale says: "0,5", and not "0.5", in some. */
static bool read_seconds(const char *value, double *seconds)
{
    double digits = 0, scale = 1;
    bool any = false, fraction = false;
    for (const char *at = value; *at; at++) {
        if (*at == '.' && !fraction) {
            fraction = true;
            continue;
        }
        if (*at < '0' || *at > '9' || digits > 1e15)
            return false;
        any = true;
        digits = digits * 10 + (*at - '0');
        scale *= fraction ? 10 : 1;
    }
    if (!any || digits / scale > SECONDS_LIMIT)
        return false;
    *seconds = digits / scale;
    return true;
}

bool value_join_path(char path[SETTINGS_PATH_SIZE], const char *folder, const char *name)
{
    const int length =
        snprintf(path, SETTINGS_PATH_SIZE, "%s%s%s", folder, *folder ? "/" : "", name);
    if (length <= 0 || length >= SETTINGS_PATH_SIZE) {
        path[0] = '\0';
        return false;
    }
    return true;
}

static bool read_path(const char *value, bool in_file, char path[SETTINGS_PATH_SIZE])
{
    char here[SETTINGS_PATH_SIZE] = "";
    if (value[0] != '/' && (in_file || !getcwd(here, sizeof here)))
        return false;
    return value_join_path(path, here, value);
}

static bool read_paths(const char *value, bool in_file, char paths[SETTINGS_PATH_SIZE])
{
    for (const char *at = value; in_file && *at; at += strcspn(at, ":"), at += *at == ':')
        if (*at != '/' && *at != ':')
            return false;
    return value_join_path(paths, "", value);
}

/* Whether every part between semicolons begins with a function. Its knobs are read where the
 * function is known. */
static bool names_functions(const char *value)
{
    while (*value) {
        const size_t length = strcspn(value, ";");
        const char *colon = memchr(value, ':', length);
        if (length > 0 && (!colon || colon == value))
            return false;
        value += length + (value[length] != '\0');
    }
    return true;
}

bool value_read(const struct setting *setting, const char *value, bool in_file,
                struct settings *settings)
{
    void *field = (char *)settings + setting->offset;
    switch (setting->kind) {
    case SETTING_WORD:
        return read_word(setting->words, value, field);
    case SETTING_BOOLEAN:
        return read_boolean(value, field);
    case SETTING_COUNT:
        return read_count(value, setting->low, setting->high, field);
    case SETTING_SECONDS:
        return read_seconds(value, field);
    case SETTING_DIRECTORY:
        return read_path(value, in_file, field);
    case SETTING_PATH:
        return read_paths(value, in_file, field);
    case SETTING_FORCE:
        return names_functions(value) && value_join_path(field, "", value);
    case SETTING_FILE:
        return !in_file && read_path(value, false, field);
    }
    return false;
}

static void add_words(const char *const *words, struct text *text)
{
    for (int i = 0; words[i]; i++)
        text_add(text, "%s%s", i == 0 ? "" : words[i + 1] ? ", " : " or ", words[i]);
}

void value_add_allowed(const struct setting *setting, struct text *text)
{
    switch (setting->kind) {
    case SETTING_WORD:
        add_words(setting->words, text);
        break;
    case SETTING_BOOLEAN:
        add_words(boolean_words, text);
        break;
    case SETTING_COUNT:
        text_add(text, "a whole number from %d to %d", setting->low, setting->high);
        break;
    case SETTING_SECONDS:
        text_add(text, SECONDS_ALLOWED);
        break;
    case SETTING_DIRECTORY:
        text_add(text, "a path of fewer than %d bytes, absolute in a file", SETTINGS_PATH_SIZE);
        break;
    case SETTING_PATH:
        text_add(text,
                 "directories with colons between, in fewer than %d bytes, absolute in a file",
                 SETTINGS_PATH_SIZE);
        break;
    case SETTING_FORCE:
        text_add(text,
                 "function:knob=value,knob=value, semicolons between functions, in fewer than %d "
                 "bytes",
                 SETTINGS_PATH_SIZE);
        break;
    case SETTING_FILE:
        text_add(text, "a path of fewer than %d bytes, and not in a file", SETTINGS_PATH_SIZE);
        break;
    }
}
