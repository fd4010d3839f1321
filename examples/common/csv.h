/* The results as CSV: a header, a row per shape. */
#ifndef EXAMPLES_CSV_H
#define EXAMPLES_CSV_H

#include "result.h"

/* False with errno set. Local. */
bool csv_write(const char *path, const struct result *results, int count);

#endif
