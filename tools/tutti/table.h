/* Tables for people. */
#ifndef TABLE_H
#define TABLE_H

#include <stdbool.h>
#include <stddef.h>

/* A table whose columns are as wide as what is in them. */
struct table;
struct table *table_new(size_t columns);
void table_align_right(struct table *table, size_t column);
/* The next cell, row by row; takes the text. */
void table_add(struct table *table, char *text);
/* Prints it with a prefix before each row, the first row bold if coloured; and frees it. */
void table_print(struct table *table, const char *prefix, bool heading);
void table_release(struct table *table);

#endif
