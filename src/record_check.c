/* Checks of untrusted JSON, with sentences that name the place; and the shape of an identity. */
#include "record_json.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "key.h"

/* Adds the reason and fails, so that a check is one statement. */
#define REFUSE(why, ...) (text_add(why, __VA_ARGS__), false)

#define PLACE_SIZE 64 /* "identity.space[4294967295].values[4294967295]" */

static bool has_type(const json_t *value, json_type type)
{
    if (type == JSON_REAL)
        return json_is_number(value);
    if (type == JSON_TRUE)
        return json_is_boolean(value);
    return json_typeof(value) == type;
}

static const char *type_text(json_type type)
{
    switch (type) {
    case JSON_OBJECT:
        return "an object";
    case JSON_ARRAY:
        return "an array";
    case JSON_STRING:
        return "a string";
    case JSON_INTEGER:
        return "an integer";
    case JSON_REAL:
        return "a number";
    default:
        return "true or false";
    }
}

json_t *check_member(const json_t *object, const char *place, const char *name, json_type type,
                     struct text *why)
{
    json_t *value = json_object_get(object, name);
    if (!value) {
        text_add(why, "%s%s is missing", place, name);
        return NULL;
    }
    if (!has_type(value, type)) {
        text_add(why, "%s%s is not %s", place, name, type_text(type));
        return NULL;
    }
    return value;
}

bool check_integer(const json_t *object, const char *place, const char *name, int64_t least,
                   int64_t greatest, int64_t *integer, struct text *why)
{
    const json_t *value = check_member(object, place, name, JSON_INTEGER, why);
    if (!value)
        return false;
    *integer = json_integer_value(value);
    if (*integer < least || *integer > greatest)
        return REFUSE(why, "%s%s is %lld, outside %lld to %lld", place, name, (long long)*integer,
                      (long long)least, (long long)greatest);
    return true;
}

bool check_seconds(const json_t *object, const char *place, const char *name, bool positive,
                   double *seconds, struct text *why)
{
    const json_t *value = check_member(object, place, name, JSON_REAL, why);
    if (!value)
        return false;
    *seconds = json_number_value(value);
    if (!isfinite(*seconds) || *seconds < 0 || (positive && *seconds == 0))
        return REFUSE(why, "%s%s is %g, which is no duration", place, name, *seconds);
    return true;
}

bool check_strings(const json_t *object, const char *place, struct text *why)
{
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)(uintptr_t)object, name, value)
    {
        if (!json_is_string(value))
            return REFUSE(why, "%s has a member that is not a string", place);
    }
    return true;
}

/* The JSON type of the values of a kind of key field or parameter, JSON_NULL if it is unknown. */
static json_type field_type(const char *type)
{
    static const json_type types[] = {[KEY_INTEGER] = JSON_INTEGER,
                                      [KEY_DOUBLE] = JSON_REAL,
                                      [KEY_BOOL] = JSON_TRUE,
                                      [KEY_STRING] = JSON_STRING,
                                      [KEY_SHAPE] = JSON_ARRAY};
    for (int kind = KEY_INTEGER; kind <= KEY_SHAPE; kind++)
        if (strcmp(type, key_kind_name((enum key_kind)kind)) == 0)
            return types[kind];
    return JSON_NULL;
}

static json_type parameter_type(const char *kind)
{
    if (strcmp(kind, "choice") == 0)
        return JSON_STRING;
    switch (kind_from_name(kind)) {
    case 0:
        return JSON_NULL;
    case TUTTI_KIND_F64:
        return JSON_REAL;
    case TUTTI_KIND_BOOL:
        return JSON_TRUE;
    case TUTTI_KIND_STRING:
        return JSON_STRING;
    default:
        return JSON_INTEGER;
    }
}

static bool check_elements(const json_t *array, json_type type, const char *place, const char *name,
                           struct text *why)
{
    for (size_t i = 0; i < json_array_size(array); i++)
        if (!has_type(json_array_get(array, i), type))
            return REFUSE(why, "%s%s[%zu] is not %s", place, name, i, type_text(type));
    return true;
}

static bool check_field(const json_t *field, const char *place, struct text *why)
{
    const json_t *type = check_member(field, place, "type", JSON_STRING, why);
    if (!type || !check_member(field, place, "name", JSON_STRING, why))
        return false;
    const json_type expected = field_type(json_string_value(type));
    if (expected == JSON_NULL)
        return REFUSE(why, "%stype is unknown", place);
    const json_t *value = check_member(field, place, "value", expected, why);
    return value &&
           (expected != JSON_ARRAY || check_elements(value, JSON_INTEGER, place, "value", why));
}

/* Which values the other parameter has is for the comparison to find. */
static bool check_condition(const json_t *parameter, const char *place, struct text *why)
{
    if (!json_object_get(parameter, "when"))
        return true;
    char inner[PLACE_SIZE + sizeof "when."];
    snprintf(inner, sizeof inner, "%swhen.", place);
    const json_t *when = check_member(parameter, place, "when", JSON_OBJECT, why);
    return when && check_member(when, inner, "parameter", JSON_STRING, why) &&
           check_member(when, inner, "values", JSON_ARRAY, why);
}

static bool check_parameter(const json_t *parameter, const char *place, struct text *why)
{
    const json_t *kind = check_member(parameter, place, "kind", JSON_STRING, why);
    if (!kind || !check_member(parameter, place, "name", JSON_STRING, why))
        return false;
    const json_type expected = parameter_type(json_string_value(kind));
    if (expected == JSON_NULL)
        return REFUSE(why, "%skind is unknown", place);
    const json_t *values = check_member(parameter, place, "values", JSON_ARRAY, why);
    return values && check_elements(values, expected, place, "values", why) &&
           check_condition(parameter, place, why);
}

/* identity.key and identity.space: arrays of objects that one function checks each. */
static bool check_objects(const json_t *identity, const char *name,
                          bool (*check)(const json_t *, const char *, struct text *),
                          struct text *why)
{
    const json_t *array = check_member(identity, "identity.", name, JSON_ARRAY, why);
    if (!array || !check_elements(array, JSON_OBJECT, "identity.", name, why))
        return false;
    for (size_t i = 0; i < json_array_size(array); i++) {
        char place[PLACE_SIZE];
        snprintf(place, sizeof place, "identity.%s[%zu].", name, i);
        if (!check(json_array_get(array, i), place, why))
            return false;
    }
    return true;
}

static bool check_group(const json_t *identity, struct text *why)
{
    int64_t ranks;
    const json_t *group = check_member(identity, "identity.", "group", JSON_OBJECT, why);
    return group && check_member(group, "identity.group.", "kind", JSON_STRING, why) &&
           check_integer(group, "identity.group.", "ranks", 1, INT_MAX, &ranks, why) &&
           check_member(group, "identity.group.", "placement", JSON_STRING, why);
}

static bool check_subset(const json_t *identity, struct text *why)
{
    int64_t size;
    if (!json_object_get(identity, "subset"))
        return true;
    const json_t *subset = check_member(identity, "identity.", "subset", JSON_OBJECT, why);
    return subset &&
           check_integer(subset, "identity.subset.", "configurations", 1, SPACE_LIMIT, &size,
                         why) &&
           check_member(subset, "identity.subset.", "hash", JSON_STRING, why);
}

bool check_identity(const json_t *identity, struct text *why)
{
    static const char *const strings[] = {"function", "version", "source_id", "timer"};
    for (size_t i = 0; i < sizeof strings / sizeof strings[0]; i++)
        if (!check_member(identity, "identity.", strings[i], JSON_STRING, why))
            return false;
    if (!check_objects(identity, "key", check_field, why) ||
        !check_objects(identity, "space", check_parameter, why) || !check_subset(identity, why) ||
        !check_group(identity, why))
        return false;
    const json_t *hardware = check_member(identity, "identity.", "hardware", JSON_OBJECT, why);
    return hardware && check_strings(hardware, "identity.hardware", why);
}
