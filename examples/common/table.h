/* The table of results for people. */
#ifndef EXAMPLES_TABLE_H
#define EXAMPLES_TABLE_H

#include <stdio.h>

#include "job.h"
#include "result.h"

/* Columns of tuning only if the program tunes. */
void table_print(FILE *stream, const struct program *program, const struct result *results,
                 int count);

#endif
