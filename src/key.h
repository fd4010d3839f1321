/* The inside of keys: a canonical sequence of bytes, built in place on the hot path. */
#ifndef KEY_H
#define KEY_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <tutti/key.h>

#include "text.h"

#define KEY_INLINE 512 /* bytes before a key spills to the heap */

/* Where a field of an encoding begins, and its value. With these at hand, comparing a field need
 * not wait until the one before it has been walked through. */
struct key_mark {
    const unsigned char *field, *value;
};

struct tutti_key {
    unsigned char *bytes; /* own, or spilled */
    size_t length, capacity;
    const unsigned char *guess;  /* if not NULL: the key so far is this, up to mark, not bytes */
    const struct key_mark *mark; /* of the guess's next field */
    const char *mistake;         /* the first one, static text; NULL if none */
    char mistaken[64];           /* the field that it is in */
    unsigned char own[KEY_INLINE];
};

/* Leaves own uninitialised. */
static inline void key_init(struct tutti_key *key)
{
    key->bytes = key->own;
    key->length = 0;
    key->capacity = sizeof key->own;
    key->guess = NULL;
    key->mark = NULL;
    key->mistake = NULL;
    key->mistaken[0] = '\0';
}

static inline void key_release(struct tutti_key *key)
{
    if (key->bytes != key->own)
        free(key->bytes);
}

uint64_t key_hash(const struct tutti_key *key); /* not of a guess */

/* The number of fields of an encoding that was made by this file. */
size_t key_fields(const unsigned char *bytes, size_t length);

/* Marks the fields, and the end: one more mark than there are fields. A zero must follow the
 * encoding, so that there is no kind of field at its end. */
void key_mark_fields(const unsigned char *bytes, size_t length, struct key_mark *marks);

/*
 * For a key without fields as yet: compares what is added with a guess, the marks of an encoding,
 * as long as it is equal, and writes nothing. That takes half the time of writing, hashing and
 * comparing.
 */
static inline void key_guess(struct tutti_key *key, const struct key_mark *marks)
{
    key->guess = marks->field;
    key->mark = marks;
}

/* Whether the key is the whole guess, which has length bytes. */
static inline bool key_is_guess(const struct tutti_key *key, size_t length)
{
    return key->guess && key->mark->field == key->guess + length && !key->mistake;
}

/* From now on bytes holds the key, whatever was guessed. */
void key_settle(struct tutti_key *key);

/* Kinds of field in the encoding and in records: "integer", "double", "bool", "string", "shape". */
enum key_kind { KEY_INTEGER = 1, KEY_DOUBLE, KEY_BOOL, KEY_STRING, KEY_SHAPE };

/* One decoded field. name and string are terminated and point into the encoding; an extent is read
 * with key_extent, since the encoding is not aligned. */
struct key_field {
    enum key_kind kind;
    const char *name;
    int64_t integer; /* KEY_INTEGER, KEY_BOOL (0 or 1) */
    double real;     /* KEY_DOUBLE */
    const char *string;
    const unsigned char *extents;
    size_t nextents;
};

/* Reads the field at *offset and moves on; false at the end. For encodings made by this file only.
 */
bool key_next(const unsigned char *bytes, size_t length, size_t *offset, struct key_field *field);
int64_t key_extent(const struct key_field *field, size_t dimension);

/* Cold-path checks: names are unique and all text is UTF-8. Returns false with the reason in why.
 */
bool key_check(const struct tutti_key *key, struct text *why);

/* One line per field, "A = [4096, 8, 128]". */
void key_text(const unsigned char *bytes, size_t length, struct text *text);

const char *key_kind_name(enum key_kind kind);

#endif
