/* Names of settings, and slips of the pen in them. */
#ifndef SETTINGS_NAME_H
#define SETTINGS_NAME_H

#include <stddef.h>

/* The index in the table of a setting of that name; -1 if there is none. */
int name_index(const char *name, size_t length);

/* The name of the setting that was most likely meant; NULL if none is near. */
const char *name_nearest(const char *name, size_t length);

#endif
