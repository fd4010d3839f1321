/* See value.h. */
#include "value.h"

#include <inttypes.h>
#include <limits.h>
#include <string.h>

struct kind {
    const char *name;
    size_t size;
};

static const struct kind kinds[] = {
    [TUTTI_KIND_I32] = {"i32", sizeof(int32_t)},
    [TUTTI_KIND_U32] = {"u32", sizeof(uint32_t)},
    [TUTTI_KIND_I64] = {"i64", sizeof(int64_t)},
    [TUTTI_KIND_F64] = {"f64", sizeof(double)},
    [TUTTI_KIND_BOOL] = {"bool", sizeof(bool)},
    [TUTTI_KIND_STRING] = {"string", sizeof(const char *)},
};

const char *kind_name(int32_t kind)
{
    return kind >= TUTTI_KIND_I32 && kind <= TUTTI_KIND_STRING ? kinds[kind].name : NULL;
}

int32_t kind_from_name(const char *name)
{
    for (int32_t kind = TUTTI_KIND_I32; kind <= TUTTI_KIND_STRING; kind++)
        if (strcmp(kinds[kind].name, name) == 0)
            return kind;
    return 0;
}

size_t kind_size(int32_t kind)
{
    return kinds[kind].size;
}

bool kind_is_integer(int32_t kind)
{
    return kind == TUTTI_KIND_I32 || kind == TUTTI_KIND_U32 || kind == TUTTI_KIND_I64;
}

struct value value_load(int32_t kind, const void *field)
{
    struct value value = {.kind = kind, .as.integer = 0};
    int32_t i32;
    uint32_t u32;
    switch (kind) {
    case TUTTI_KIND_I32:
        memcpy(&i32, field, sizeof i32);
        value.as.integer = i32;
        break;
    case TUTTI_KIND_U32:
        memcpy(&u32, field, sizeof u32);
        value.as.integer = u32;
        break;
    case TUTTI_KIND_I64:
        memcpy(&value.as.integer, field, sizeof value.as.integer);
        break;
    case TUTTI_KIND_F64:
        memcpy(&value.as.real, field, sizeof value.as.real);
        break;
    case TUTTI_KIND_STRING:
        memcpy(&value.as.string, field, sizeof value.as.string);
        break;
    default:
        memcpy(&value.as.flag, field, sizeof value.as.flag);
    }
    return value;
}

void value_store(const struct value *value, void *field)
{
    int32_t i32;
    uint32_t u32;
    switch (value->kind) {
    case TUTTI_KIND_I32:
        i32 = (int32_t)value->as.integer;
        memcpy(field, &i32, sizeof i32);
        break;
    case TUTTI_KIND_U32:
        u32 = (uint32_t)value->as.integer;
        memcpy(field, &u32, sizeof u32);
        break;
    case TUTTI_KIND_I64:
        memcpy(field, &value->as.integer, sizeof value->as.integer);
        break;
    case TUTTI_KIND_F64:
        memcpy(field, &value->as.real, sizeof value->as.real);
        break;
    case TUTTI_KIND_STRING:
        memcpy(field, &value->as.string, sizeof value->as.string);
        break;
    default:
        memcpy(field, &value->as.flag, sizeof value->as.flag);
    }
}

bool value_from_integer(int32_t kind, int64_t integer, struct value *value)
{
    *value = (struct value){.kind = kind, .as.integer = integer};
    if (kind == TUTTI_KIND_I32)
        return integer >= INT32_MIN && integer <= INT32_MAX;
    return kind == TUTTI_KIND_I64 || (integer >= 0 && integer <= UINT32_MAX);
}

int value_compare(const struct value *a, const struct value *b)
{
    uint64_t x = 0, y = 0;
    switch (a->kind) {
    case TUTTI_KIND_STRING:
        return strcmp(a->as.string, b->as.string);
    case TUTTI_KIND_F64:
        memcpy(&x, &a->as.real, sizeof x);
        memcpy(&y, &b->as.real, sizeof y);
        return (x > y) - (x < y);
    case TUTTI_KIND_BOOL:
        return a->as.flag - b->as.flag;
    default:
        return (a->as.integer > b->as.integer) - (a->as.integer < b->as.integer);
    }
}

static bool is_plain(const char *word)
{
    if (!*word)
        return false;
    for (; *word; word++)
        if ((unsigned char)*word <= ' ' || *word == 0x7F || strchr(",=;\"\\", *word))
            return false;
    return true;
}

/* Quoted where it could be taken for several, so that equal texts mean equal values. */
static void word_text(const char *word, struct text *text)
{
    if (is_plain(word)) {
        text_add(text, "%s", word);
        return;
    }
    text_add(text, "\"");
    for (; *word; word++) {
        const unsigned char byte = (unsigned char)*word;
        if (byte < ' ' || byte == 0x7F)
            text_add(text, "\\x%02x", byte);
        else
            text_add(text, byte == '"' || byte == '\\' ? "\\%c" : "%c", byte);
    }
    text_add(text, "\"");
}

void value_text(const struct value *value, struct text *text)
{
    if (value->name)
        word_text(value->name, text);
    else if (value->kind == TUTTI_KIND_STRING)
        word_text(value->as.string, text);
    else if (value->kind == TUTTI_KIND_BOOL)
        text_add(text, "%s", value->as.flag ? "true" : "false");
    else if (value->kind == TUTTI_KIND_F64)
        text_add_number(text, value->as.real);
    else
        text_add(text, "%" PRId64, value->as.integer);
}
