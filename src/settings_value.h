/* Values of settings: from text, and what is allowed. */
#ifndef SETTINGS_VALUE_H
#define SETTINGS_VALUE_H

#include "settings_table.h"

/*
 * Reads a value into its field of settings; false, and nothing is changed, if it is not allowed.
 * in_file: the value stands in a file, which nobody's working directory belongs to.
 */
bool value_read(const struct setting *setting, const char *value, bool in_file,
                struct settings *settings);

/* What is allowed, as the end of a sentence. */
void value_add_allowed(const struct setting *setting, struct text *text);

/* folder "/" name; name alone if folder is "". False, and an empty path, if it does not fit. */
bool value_join_path(char path[SETTINGS_PATH_SIZE], const char *folder, const char *name);

#endif
