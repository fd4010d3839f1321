/*
 * Keys: a canonical encoding, built in place on the hot path, and its decoding for people and
 * records. A field is: kind (1 byte), name with its terminator, then the value: 8 bytes for integer
 * and double, 1 for bool, a terminated string, or a count (8 bytes) and that many extents.
 */
#include "key.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL /* the hash is on the hot path: no call through the linker's table */
#include <xxhash.h>

/*
 * Each kind of field is first compared with the guess, in a function that calls nothing, and else
 * written by one that is kept out of it: a hit then neither saves registers nor makes a frame.
 */
#define APART __attribute__((noinline))

uint64_t key_hash(const struct tutti_key *key)
{
    return XXH3_64bits(key->bytes, key->length);
}

static APART void refuse(struct tutti_key *key, const char *name, const char *mistake)
{
    if (key->mistake)
        return;
    key->mistake = mistake;
    snprintf(key->mistaken, sizeof key->mistaken, "%s", name ? name : "");
}

static bool spill(struct tutti_key *key, size_t needed)
{
    size_t capacity = key->capacity * 2 > needed ? key->capacity * 2 : needed;
    unsigned char *bytes =
        key->bytes == key->own ? malloc(capacity) : realloc(key->bytes, capacity);
    if (!bytes)
        return false;
    if (key->bytes == key->own)
        memcpy(bytes, key->own, key->length);
    key->bytes = bytes;
    key->capacity = capacity;
    return true;
}

void key_settle(struct tutti_key *key)
{
    const unsigned char *guess = key->guess;
    if (!guess)
        return;
    size_t length = (size_t)(key->mark->field - guess);
    key->guess = NULL;
    if (length > key->capacity && !spill(key, length)) {
        refuse(key, "", "no memory");
        return;
    }
    memcpy(key->bytes, guess, length);
    key->length = length;
}

/* Opens a field whose value takes `value` bytes; returns where they go, or NULL. */
static unsigned char *open_field(struct tutti_key *key, enum key_kind kind, const char *name,
                                 size_t value)
{
    key_settle(key);
    if (!name || !*name) {
        refuse(key, name, "a field has no name");
        return NULL;
    }
    size_t name_size = strlen(name) + 1;
    size_t needed = key->length + 1 + name_size + value;
    if (needed > key->capacity && !spill(key, needed)) {
        refuse(key, name, "no memory");
        return NULL;
    }
    unsigned char *at = key->bytes + key->length;
    *at++ = (unsigned char)kind;
    memcpy(at, name, name_size);
    key->length = needed;
    return at + name_size;
}

static inline bool equal_text(const char *text, const char *other)
{
    for (; *text == *other; text++, other++)
        if (!*text)
            return true;
    return false;
}

/* Where the guess has the value of the next field, if it has the same kind and name; else NULL. */
static inline const unsigned char *guessed_value(const struct tutti_key *key, enum key_kind kind,
                                                 const char *name)
{
    if (!key->guess || !name)
        return NULL;
    const struct key_mark *mark = key->mark;
    if (*mark->field != kind || !equal_text((const char *)mark->field + 1, name))
        return NULL;
    return mark->value;
}

/* Goes on to the next field if this one is as guessed. */
static inline bool is_guessed(struct tutti_key *key, bool equal)
{
    if (equal)
        key->mark++;
    return equal;
}

/* Whether the guessed value is this one. value may be NULL: it is not. */

static inline bool equal_word(const unsigned char *value, uint64_t word)
{
    return value && memcmp(value, &word, sizeof word) == 0;
}

static inline bool equal_byte(const unsigned char *value, unsigned char byte)
{
    return value && *value == byte;
}

static inline bool equal_string(const unsigned char *value, const char *string)
{
    return value && equal_text((const char *)value, string);
}

static inline bool equal_shape(const unsigned char *value, uint64_t ndims, const int64_t *extents)
{
    if (!equal_word(value, ndims))
        return false;
    for (uint64_t i = 0; i < ndims; i++)
        if (!equal_word(value + (i + 1) * sizeof ndims, (uint64_t)extents[i]))
            return false;
    return true;
}

static APART void write_word(struct tutti_key *key, enum key_kind kind, const char *name,
                             uint64_t word)
{
    unsigned char *at = open_field(key, kind, name, sizeof word);
    if (at)
        memcpy(at, &word, sizeof word);
}

static APART void write_byte(struct tutti_key *key, enum key_kind kind, const char *name,
                             unsigned char byte)
{
    unsigned char *at = open_field(key, kind, name, 1);
    if (at)
        *at = byte;
}

static APART void write_string(struct tutti_key *key, const char *name, const char *string)
{
    size_t size = strlen(string) + 1;
    unsigned char *at = open_field(key, KEY_STRING, name, size);
    if (at)
        memcpy(at, string, size);
}

static APART void write_shape(struct tutti_key *key, const char *name, uint64_t ndims,
                              const int64_t *extents)
{
    unsigned char *at =
        open_field(key, KEY_SHAPE, name, sizeof ndims + (size_t)ndims * sizeof *extents);
    if (!at)
        return;
    memcpy(at, &ndims, sizeof ndims);
    if (ndims > 0)
        memcpy(at + sizeof ndims, extents, (size_t)ndims * sizeof *extents);
}

void tutti_key_integer(tutti_key *key, const char *name, int64_t value)
{
    const uint64_t word = (uint64_t)value;
    if (!is_guessed(key, equal_word(guessed_value(key, KEY_INTEGER, name), word)))
        write_word(key, KEY_INTEGER, name, word);
}

void tutti_key_double(tutti_key *key, const char *name, double value)
{
    uint64_t word;
    if (!isfinite(value)) {
        refuse(key, name, "the value is not a finite number");
        return;
    }
    value += 0.0; /* -0.0 becomes 0.0: they are equal numbers, so they must be equal keys */
    memcpy(&word, &value, sizeof word);
    if (!is_guessed(key, equal_word(guessed_value(key, KEY_DOUBLE, name), word)))
        write_word(key, KEY_DOUBLE, name, word);
}

void tutti_key_bool(tutti_key *key, const char *name, bool value)
{
    if (!is_guessed(key, equal_byte(guessed_value(key, KEY_BOOL, name), value)))
        write_byte(key, KEY_BOOL, name, value);
}

void tutti_key_string(tutti_key *key, const char *name, const char *value)
{
    if (!value)
        refuse(key, name, "the string is NULL");
    else if (!is_guessed(key, equal_string(guessed_value(key, KEY_STRING, name), value)))
        write_string(key, name, value);
}

void tutti_key_shape(tutti_key *key, const char *name, size_t ndims, const int64_t *extents)
{
    if (ndims > 0 && !extents)
        refuse(key, name, "the shape is NULL");
    else if (ndims > SIZE_MAX / sizeof *extents / 2)
        refuse(key, name, "the shape has too many dimensions");
    else if (!is_guessed(key, equal_shape(guessed_value(key, KEY_SHAPE, name), ndims, extents)))
        write_shape(key, name, ndims, extents);
}

const char *key_kind_name(enum key_kind kind)
{
    static const char *const names[] = {"", "integer", "double", "bool", "string", "shape"};
    return names[kind];
}

bool key_next(const unsigned char *bytes, size_t length, size_t *offset, struct key_field *field)
{
    if (*offset >= length)
        return false;
    const unsigned char *at = bytes + *offset;
    uint64_t count = 0;
    memset(field, 0, sizeof *field);
    field->kind = (enum key_kind) * at++;
    field->name = (const char *)at;
    at += strlen(field->name) + 1;
    switch (field->kind) {
    case KEY_INTEGER:
        memcpy(&field->integer, at, sizeof field->integer);
        at += sizeof field->integer;
        break;
    case KEY_DOUBLE:
        memcpy(&field->real, at, sizeof field->real);
        at += sizeof field->real;
        break;
    case KEY_BOOL:
        field->integer = *at++;
        break;
    case KEY_STRING:
        field->string = (const char *)at;
        at += strlen(field->string) + 1;
        break;
    case KEY_SHAPE:
        memcpy(&count, at, sizeof count);
        field->extents = at + sizeof count;
        field->nextents = (size_t)count;
        at += sizeof count + field->nextents * sizeof(int64_t);
        break;
    }
    *offset = (size_t)(at - bytes);
    return true;
}

size_t key_fields(const unsigned char *bytes, size_t length)
{
    struct key_field field;
    size_t fields = 0;
    for (size_t offset = 0; key_next(bytes, length, &offset, &field);)
        fields++;
    return fields;
}

void key_mark_fields(const unsigned char *bytes, size_t length, struct key_mark *marks)
{
    struct key_field field;
    size_t offset = 0;
    for (size_t start = 0; key_next(bytes, length, &offset, &field); start = offset, marks++) {
        marks->field = bytes + start;
        marks->value = (const unsigned char *)field.name + strlen(field.name) + 1;
    }
    *marks = (struct key_mark){bytes + length, NULL};
}

int64_t key_extent(const struct key_field *field, size_t dimension)
{
    int64_t extent;
    memcpy(&extent, field->extents + dimension * sizeof extent, sizeof extent);
    return extent;
}

static bool name_is_new(const struct tutti_key *key, size_t end, const char *name)
{
    struct key_field before;
    for (size_t offset = 0; offset < end && key_next(key->bytes, end, &offset, &before);)
        if (strcmp(before.name, name) == 0)
            return false;
    return true;
}

bool key_check(const struct tutti_key *key, struct text *why)
{
    if (key->mistake) {
        text_add(why, "key field \"%s\": %s", key->mistaken, key->mistake);
        return false;
    }
    struct key_field field;
    for (size_t offset = 0, start = 0; key_next(key->bytes, key->length, &offset, &field);
         start = offset) {
        const char *mistake = NULL;
        if (!text_is_utf8(field.name))
            mistake = "the name is not UTF-8";
        else if (field.string && !text_is_utf8(field.string))
            mistake = "the string is not UTF-8";
        else if (!name_is_new(key, start, field.name))
            mistake = "the name occurs twice";
        if (mistake) {
            text_add(why, "key field \"%s\": %s", field.name, mistake);
            return false;
        }
    }
    return true;
}

static void field_text(const struct key_field *field, struct text *text)
{
    text_add(text, "%s = ", field->name);
    switch (field->kind) {
    case KEY_INTEGER:
        text_add(text, "%" PRId64, field->integer);
        break;
    case KEY_DOUBLE:
        text_add_number(text, field->real);
        text_add(text, " (double)");
        break;
    case KEY_BOOL:
        text_add(text, "%s", field->integer ? "true" : "false");
        break;
    case KEY_STRING:
        text_add(text, "\"%s\"", field->string);
        break;
    case KEY_SHAPE:
        text_add(text, "[");
        for (size_t i = 0; i < field->nextents; i++)
            text_add(text, "%s%" PRId64, i ? ", " : "", key_extent(field, i));
        text_add(text, "]");
        break;
    }
    text_add(text, "\n");
}

void key_text(const unsigned char *bytes, size_t length, struct text *text)
{
    struct key_field field;
    for (size_t offset = 0; key_next(bytes, length, &offset, &field);)
        field_text(&field, text);
}
