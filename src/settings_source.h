/* Who says what about a setting: the environment, else the user's file, else the site's. */
#ifndef SETTINGS_SOURCE_H
#define SETTINGS_SOURCE_H

#include "settings_file.h"

/* The two files. Those that were not opened, {0}, say nothing. */
struct sources {
    char user_path[SETTINGS_PATH_SIZE]; /* "": there is no place for it */
    char site_path[SETTINGS_PATH_SIZE];
    struct settings_file user, site;
};

void sources_open(struct sources *sources, struct text *warnings);
void sources_release(struct sources *sources);

/* What holds for one setting. */
struct saying {
    const char *value; /* NULL: nobody says anything */
    const char *name;  /* the setting's, or its alias in the environment */
    const char *whose; /* "user's file" or "site's file"; NULL: the environment */
    const char *path;  /* of the file */
    int line;
};

struct saying sources_say(const struct sources *sources, int index);

/*
 * Fills settings with what holds; see settings_read. Warnings about the environment are added,
 * too.
 */
int sources_settle(const struct sources *sources, struct settings *settings, struct text *why,
                   struct text *warnings);

/* "TUTTI_X="y" is not allowed: it must be ...", with the place in front if it stands in a file. */
void sources_add_refusal(const struct saying *saying, int index, struct text *why);

#endif
