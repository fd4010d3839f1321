/* The inside of settings: one row of the table for each. */
#ifndef SETTINGS_TABLE_H
#define SETTINGS_TABLE_H

#include <stdbool.h>
#include <stddef.h>

#include "settings.h"

enum setting_kind {
    SETTING_WORD,      /* int: the index in words */
    SETTING_BOOLEAN,   /* int: 0 or 1 */
    SETTING_COUNT,     /* int: low to high */
    SETTING_SECONDS,   /* double, not negative */
    SETTING_DIRECTORY, /* char[SETTINGS_PATH_SIZE] */
    SETTING_PATH,      /* char[SETTINGS_PATH_SIZE]: directories with colons between */
    SETTING_FORCE,     /* char[SETTINGS_PATH_SIZE]: functions with their knobs */
    SETTING_FILE       /* char[SETTINGS_PATH_SIZE]; from the environment only */
};

struct setting {
    const char *name;
    const char *alias; /* another program's variable for the same thing, or NULL */
    bool program;      /* what nobody else says, tutti_tuner_desc may say */
    enum setting_kind kind;
    size_t offset;            /* of the value in struct settings */
    const char *const *words; /* SETTING_WORD: by value, NULL at the end */
    int low, high;            /* SETTING_COUNT */
    const char *standard;     /* the default as it would stand in the environment, or NULL */
    const char *otherwise;    /* for the docs, what happens without a value if standard is NULL */
    const char *help;
};

extern const struct setting settings_table[SETTINGS_COUNT];

/* What names the site's file: it can't stand in a file. */
#define SETTINGS_SITE_VARIABLE "TUTTI_SITE_FILE"

#endif
