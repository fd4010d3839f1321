/* The table of results for people. */
#ifndef EXAMPLES_TABLE_H
#define EXAMPLES_TABLE_H

#include <stdio.h>

#include "result.h"

/* Columns of tuning only if tuned. */
void table_print(FILE *stream, const struct result *results, int count, bool tuned);

#endif
