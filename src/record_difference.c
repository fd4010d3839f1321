/* What two pieces of JSON differ in, as a sentence: how identities and environments compare. */
#include "record_json.h"

#include <string.h>

#define SHOWN_LIMIT ((size_t)160) /* bytes of a value that a message shows */
#define NAME_LIMIT  ((size_t)64)  /* bytes of a name */

static bool json_same(const json_t *a, const json_t *b);

static bool json_same_members(const json_t *a, const json_t *b)
{
    if (json_object_size(a) != json_object_size(b))
        return false;
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)(uintptr_t)a, name, value)
    {
        if (!json_same(value, json_object_get(b, name)))
            return false;
    }
    return true;
}

static bool json_same_elements(const json_t *a, const json_t *b)
{
    if (json_array_size(a) != json_array_size(b))
        return false;
    for (size_t i = 0; i < json_array_size(a); i++)
        if (!json_same(json_array_get(a, i), json_array_get(b, i)))
            return false;
    return true;
}

static bool json_same(const json_t *a, const json_t *b)
{
    if (!a || !b || json_typeof(a) != json_typeof(b))
        return a == b;
    switch (json_typeof(a)) {
    case JSON_OBJECT:
        return json_same_members(a, b);
    case JSON_ARRAY:
        return json_same_elements(a, b);
    case JSON_REAL: {
        const double x = json_real_value(a), y = json_real_value(b);
        return memcmp(&x, &y, sizeof x) == 0;
    }
    default:
        return json_equal(a, b);
    }
}

/* A value for people. */
static void add_shown(const json_t *value, struct text *why)
{
    if (!value) {
        text_add(why, "absent");
        return;
    }
    struct text shown = {0};
    json_text(value, 0, &shown);
    size_t length = cut_length(shown.bytes, shown.length, SHOWN_LIMIT);
    text_add(why, "%.*s%s", (int)length, shown.bytes ? shown.bytes : "",
             length < shown.length ? "..." : "");
    text_release(&shown);
}

static bool difference_here(const json_t *was, const json_t *is, const char *place,
                            struct text *why)
{
    text_add(why, "%s was ", place);
    add_shown(was, why);
    text_add(why, ", is ");
    add_shown(is, why);
    return true;
}

/* The path of a part, with long or odd names made fit to be shown. */
static void extend_place(const char *place, const char *name, struct text *longer)
{
    text_add(longer, "%s%s", place, *place ? "." : "");
    size_t length = cut_length(name, strlen(name), NAME_LIMIT);
    for (size_t i = 0; i < length; i++)
        text_add(longer, "%c", (unsigned char)name[i] < 0x20 ? '?' : name[i]);
}

static bool part_difference(const json_t *was, const json_t *is, const char *place,
                            const char *name, struct text *why)
{
    if (json_same(was, is))
        return false;
    struct text longer = {0};
    extend_place(place, name, &longer);
    const bool differs = json_difference(was, is, longer.failed ? place : longer.bytes, why);
    text_release(&longer);
    return differs;
}

static bool members_differ(const json_t *was, const json_t *is, const char *place, struct text *why)
{
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)(uintptr_t)is, name, value)
    {
        if (part_difference(json_object_get(was, name), value, place, name, why))
            return true;
    }
    json_object_foreach((json_t *)(uintptr_t)was, name, value)
    {
        if (!json_object_get(is, name))
            return part_difference(value, NULL, place, name, why);
    }
    return false;
}

/* Elements are called by the name of what is there today; lists of plain values are shown whole. */
static bool elements_differ(const json_t *was, const json_t *is, const char *place,
                            struct text *why)
{
    const size_t count = json_array_size(is);
    if (json_array_size(was) != count)
        return difference_here(was, is, place, why);
    for (size_t i = 0; i < count; i++) {
        const json_t *element = json_array_get(is, i);
        const char *name = json_string_value(json_object_get(element, "name"));
        if (!name && !json_same(json_array_get(was, i), element))
            return difference_here(was, is, place, why);
        if (name && part_difference(json_array_get(was, i), element, place, name, why))
            return true;
    }
    return false;
}

/* Paths are put together only on the way to a difference: most records have none. */
bool json_difference(const json_t *was, const json_t *is, const char *place, struct text *why)
{
    if (json_same(was, is))
        return false;
    if (json_is_object(was) && json_is_object(is))
        return members_differ(was, is, place, why);
    if (json_is_array(was) && json_is_array(is))
        return elements_differ(was, is, place, why);
    return difference_here(was, is, place, why);
}
