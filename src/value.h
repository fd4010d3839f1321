/* Values of knobs, apart from the width of their fields. */
#ifndef VALUE_H
#define VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tutti/param.h>

#include "text.h"

struct value {
    int32_t kind; /* TUTTI_KIND_... */
    union {
        int64_t integer;    /* I32, U32, I64 */
        double real;        /* F64 */
        bool flag;          /* BOOL */
        const char *string; /* STRING */
    } as;
    const char *name; /* of a named choice; NULL for all else, and for one that was just loaded */
};

/* The kind as it stands in records, "i32" (NULL if unknown), and back (0 if unknown). */
const char *kind_name(int32_t kind);
int32_t kind_from_name(const char *name);
size_t kind_size(int32_t kind); /* bytes of a field */
bool kind_is_integer(int32_t kind);

/* From a field of the kind, and into one. A string stays whose it is. */
struct value value_load(int32_t kind, const void *field);
void value_store(const struct value *value, void *field);

/* A value of an integer kind; false if it is out of its range. */
bool value_from_integer(int32_t kind, int64_t integer, struct value *value);

/* A total order of the values of one kind: doubles by their bits, strings by their bytes. */
int value_compare(const struct value *a, const struct value *b);

static inline bool value_equal(const struct value *a, const struct value *b)
{
    return a->kind == b->kind && value_compare(a, b) == 0;
}

/* Exact text: doubles with 17 digits, choices by name; words that could be taken for more than one
 * are quoted. */
void value_text(const struct value *value, struct text *text);

#endif
