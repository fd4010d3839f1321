/* The identity of a record as JSON, the name of its file, and other parts that records have. */
#include "record_json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define XXH_STATIC_LINKING_ONLY /* only for the streaming state on the stack */
#include <xxhash.h>

#include "key.h"

void json_put(json_t **object, const char *name, json_t *value)
{
    if (json_object_set_new(*object, name, value) != 0) {
        json_decref(*object);
        *object = NULL;
    }
}

/* The same for an element. */
static void json_append(json_t **array, json_t *value)
{
    if (json_array_append_new(*array, value) != 0) {
        json_decref(*array);
        *array = NULL;
    }
}

size_t cut_length(const char *bytes, size_t length, size_t limit)
{
    if (length <= limit)
        return length;
    while (limit && ((unsigned char)bytes[limit] & 0xC0) == 0x80)
        limit--;
    return limit;
}

static json_t *latin1_json(const char *string, size_t length)
{
    char *copy = malloc(2 * length + 1);
    if (!copy)
        return NULL;
    size_t used = 0;
    for (size_t i = 0; i < length; i++) {
        const unsigned byte = (unsigned char)string[i];
        if (byte < 0x80) {
            copy[used++] = (char)byte;
        } else {
            copy[used++] = (char)(0xC0 | (byte >> 6));
            copy[used++] = (char)(0x80 | (byte & 0x3F));
        }
    }
    json_t *json = json_stringn(copy, used);
    free(copy);
    return json;
}

json_t *string_json(const char *string, size_t limit)
{
    size_t length = strlen(string);
    if (!text_is_utf8(string))
        return latin1_json(string, length < limit / 2 ? length : limit / 2);
    return json_stringn(string, cut_length(string, length, limit));
}

static json_t *whole_string_json(const char *string)
{
    return string_json(string, SIZE_MAX);
}

json_t *lines_json(const char *lines)
{
    json_t *object = json_object();
    char *copy = strdup(lines);
    char *rest = NULL;

    for (char *line = copy ? strtok_r(copy, "\n", &rest) : NULL; line;
         line = strtok_r(NULL, "\n", &rest)) {
        char *equals = strstr(line, " = ");
        if (equals)
            *equals = '\0';
        json_put(&object, line, whole_string_json(equals ? equals + 3 : ""));
    }
    if (!copy) {
        json_decref(object);
        object = NULL;
    }
    free(copy);
    return object;
}

static json_t *value_json(const struct value *value)
{
    if (value->name)
        return json_string(value->name);
    switch (value->kind) {
    case TUTTI_KIND_F64:
        return json_real(value->as.real);
    case TUTTI_KIND_BOOL:
        return json_boolean(value->as.flag);
    case TUTTI_KIND_STRING:
        return json_string(value->as.string);
    default:
        return json_integer(value->as.integer);
    }
}

json_t *configuration_json(const struct space *space, uint64_t index)
{
    json_t *object = json_object();
    for (size_t p = 0; p < space->nparameters; p++)
        if (space_counts(space, index, p))
            json_put(&object, space->parameters[p].name, value_json(space_value(space, index, p)));
    return object;
}

static json_t *condition_json(const struct parameter *parameter)
{
    const struct parameter *parent = parameter->parent;
    json_t *object = json_object();
    json_t *values = json_array();
    for (size_t i = 0; i < parent->count; i++)
        if (parameter->marked[i])
            json_append(&values, value_json(&parent->values[i]));
    json_put(&object, "parameter", json_string(parent->name));
    json_put(&object, "values", values);
    return object;
}

static json_t *parameter_json(const struct parameter *parameter)
{
    json_t *object = json_object();
    json_t *values = json_array();
    for (size_t i = 0; i < parameter->count; i++)
        json_append(&values, value_json(&parameter->values[i]));
    json_put(&object, "name", json_string(parameter->name));
    json_put(&object, "kind", json_string(parameter_kind_name(parameter)));
    json_put(&object, "values", values);
    if (parameter->parent)
        json_put(&object, "when", condition_json(parameter));
    return object;
}

static json_t *space_json(const struct space *space)
{
    json_t *array = json_array();
    for (size_t p = 0; p < space->nparameters; p++)
        json_append(&array, parameter_json(&space->parameters[p]));
    return array;
}

static json_t *subset_json(const struct space *space)
{
    json_t *object = json_object();
    json_put(&object, "configurations", json_integer((json_int_t)space->size));
    json_put(&object, "hash", json_string(space->subset));
    return object;
}

static json_t *shape_json(const struct key_field *field)
{
    json_t *array = json_array();
    for (size_t d = 0; d < field->nextents; d++)
        json_append(&array, json_integer(key_extent(field, d)));
    return array;
}

static json_t *field_value_json(const struct key_field *field)
{
    switch (field->kind) {
    case KEY_INTEGER:
        return json_integer(field->integer);
    case KEY_DOUBLE:
        return json_real(field->real);
    case KEY_BOOL:
        return json_boolean(field->integer);
    case KEY_STRING:
        return whole_string_json(field->string);
    case KEY_SHAPE:
        break;
    }
    return shape_json(field);
}

static json_t *key_json(const unsigned char *bytes, size_t length)
{
    json_t *array = json_array();
    size_t offset = 0;
    struct key_field field;
    while (key_next(bytes, length, &offset, &field)) {
        json_t *object = json_object();
        json_put(&object, "name", whole_string_json(field.name));
        json_put(&object, "type", json_string(key_kind_name(field.kind)));
        json_put(&object, "value", field_value_json(&field));
        json_append(&array, object);
    }
    return array;
}

static json_t *group_json(const struct identity *identity)
{
    json_t *object = json_object();
    json_put(&object, "kind", whole_string_json(identity->group_kind));
    json_put(&object, "ranks", json_integer(identity->ranks));
    json_put(&object, "placement", whole_string_json(identity->placement));
    return object;
}

json_t *identity_json(const struct identity *identity)
{
    json_t *object = json_object();
    json_put(&object, "function", whole_string_json(identity->function));
    json_put(&object, "version", whole_string_json(identity->version));
    json_put(&object, "source_id", whole_string_json(identity->source_id));
    json_put(&object, "key", key_json(identity->key, identity->key_length));
    json_put(&object, "space", space_json(identity->space));
    if (*identity->space->subset)
        json_put(&object, "subset", subset_json(identity->space));
    json_put(&object, "group", group_json(identity));
    json_put(&object, "timer", whole_string_json(identity->timer));
    json_put(&object, "hardware", lines_json(identity->hardware));
    return object;
}

static int hash_piece(const char *bytes, size_t size, void *state)
{
    return XXH3_128bits_update(state, bytes, size) == XXH_OK ? 0 : -1;
}

bool identity_name(const json_t *identity, char name[33])
{
    XXH3_state_t state;
    XXH3_128bits_reset(&state);
    const bool whole =
        identity && json_dump_callback(identity, hash_piece, &state,
                                       RECORD_JSON_FLAGS | JSON_COMPACT | JSON_SORT_KEYS) == 0;
    const XXH128_hash_t hash = XXH3_128bits_digest(&state);
    snprintf(name, 33, "%016llx%016llx", (unsigned long long)hash.high64,
             (unsigned long long)hash.low64);
    return whole;
}

bool record_name(const struct identity *identity, char name[33])
{
    json_t *json = identity_json(identity);
    const bool whole = identity_name(json, name);
    json_decref(json);
    return whole;
}

static int add_piece(const char *bytes, size_t size, void *text)
{
    text_add(text, "%.*s", (int)size, bytes);
    return ((struct text *)text)->failed ? -1 : 0;
}

void json_text(const json_t *value, size_t flags, struct text *text)
{
    if (json_dump_callback(value, add_piece, text, RECORD_JSON_FLAGS | flags) != 0)
        text->failed = true;
}
