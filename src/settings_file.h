/* Files of settings, the site's and the user's: lines "NAME = value". */
#ifndef SETTINGS_FILE_H
#define SETTINGS_FILE_H

#include "settings_table.h"

#define SETTINGS_FILE_LIMIT (1 << 16) /* bytes; a larger file is not one of settings */

/* What one file says, by index in the table. Initialise with {0}. */
struct settings_file {
    char *bytes;                        /* what the values point into */
    const char *values[SETTINGS_COUNT]; /* NULL, or not empty */
    int lines[SETTINGS_COUNT];          /* where, from 1 on */
};

/*
 * Reads a file. One that is not there says nothing; one that can't be read, or holds anything else
 * than text, says nothing either, with one warning. A line that is not understood is a warning with
 * its place, and is passed over.
 */
void settings_file_read(struct settings_file *file, const char *path, struct text *warnings);
void settings_file_release(struct settings_file *file);

#endif
