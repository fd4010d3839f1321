/* Text that grows: for descriptions, messages and encodings on the cold path. */
#ifndef TEXT_H
#define TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include <tutti/export.h>

/* Always terminated once anything was added. Initialise with {0}. */
struct text {
    char *bytes;
    size_t length, capacity;
    bool failed; /* memory ran out: what is there is incomplete */
};

void text_add(struct text *text, const char *format, ...) TUTTI_PRINTF(2, 3);
void text_release(struct text *text);

/* Copies a text into a buffer of the caller's (may be NULL), terminated and cut to size bytes, and
 * releases it. Returns its whole length. */
size_t text_hand_over(struct text *text, char *buffer, size_t size);

/* A number with 17 digits, so exact, whatever the program's locale is: for what is compared. */
void text_add_number(struct text *text, double number);

/* Seconds for people: "12.3 us". Returns buffer. */
const char *text_seconds(double seconds, char buffer[32]);

/* Whether a string is valid UTF-8, as JSON needs it. */
bool text_is_utf8(const char *string);

#endif
