/* The chosen blocks as a JSON list, for other programs to read: one object per shape. */
#ifndef EXAMPLES_MANIFEST_H
#define EXAMPLES_MANIFEST_H

#include "result.h"

/* False with errno set. Local. */
bool manifest_write(const char *path, const struct result *results, int count);

#endif
