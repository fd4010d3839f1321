/* Output: errors, text from outside made fit for terminals, shells and JSON, numbers for people.
 * Functions that return a char * return a new string; without memory the program ends. */
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

/* JSON on stdout, as all subcommands write it; takes the value. */
void print_json(json_t *value);

#endif
