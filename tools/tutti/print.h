/* Output: errors, text from outside made fit for a terminal, tables, numbers for people. Functions
 * that return a char * return a new string; without memory the program ends. */
#ifndef PRINT_H
#define PRINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <jansson.h>

#include <tutti/export.h>

extern const char *print_name; /* "tutti SUBCOMMAND": what errors begin with */

/* An error or a warning: a line on stderr. */
void fail(const char *format, ...) TUTTI_PRINTF(1, 2);

char *format(const char *format, ...) TUTTI_PRINTF(1, 2);
void *need(void *memory); /* ends the program if it is NULL */

/* Untrusted text as a terminal may get it: control characters, and what is not UTF-8, become \xNN.
 */
char *printable(const char *text);

/* Text as JSON, which must be UTF-8: where it is not, as printable shows it. */
json_t *text_json(const char *text);

/* As a shell takes it literally: plain words as they are, the rest between single quotes. */
char *shell_word(const char *text);

/* "3.21 us"; "-" for what is not a duration. */
char *seconds_text(double seconds);
/* "5 min" since a time. SOURCE_DATE_EPOCH, if set, is the present, for output that must not change.
 */
char *age_text(int64_t since);
char *time_text(int64_t seconds); /* 2026-01-31T23:59:59Z */
char *number_text(double number); /* the shortest that reads back the same */

/* Whether a stream gets colours: a terminal, and NO_COLOR is not set. */
bool is_coloured(FILE *stream);

/* A table whose columns are as wide as what is in them. */
struct table;
struct table *table_new(size_t columns);
void table_align_right(struct table *table, size_t column);
/* The next cell, row by row; takes the text. */
void table_add(struct table *table, char *text);
/* Prints it with a prefix before each row, the first row bold if coloured; and frees it. */
void table_print(struct table *table, const char *prefix, bool heading);
void table_release(struct table *table);

/* JSON on stdout, as all subcommands write it; takes the value. */
void print_json(json_t *value);

#endif
