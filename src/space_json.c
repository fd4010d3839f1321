/* A space read back from a record's identity, for those who have the record and not the program.
 * It goes through the same table of parameters, and so the same checks, as a program's. */
#include "record_json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Adds the reason and fails, so that a check is one statement. */
#define REFUSE(why, ...) (text_add(why, __VA_ARGS__), false)

#define SLOT sizeof(int64_t) /* bytes that any value fits in */

static size_t kind_size(int32_t kind)
{
    switch (kind) {
    case TUTTI_KIND_I32:
        return sizeof(int32_t);
    case TUTTI_KIND_U32:
        return sizeof(uint32_t);
    case TUTTI_KIND_BOOL:
        return sizeof(bool);
    default:
        return SLOT;
    }
}

/* Whether an integer fits its kind of field. */
static bool in_range(int32_t kind, int64_t value)
{
    if (kind == TUTTI_KIND_I32)
        return value >= INT32_MIN && value <= INT32_MAX;
    return kind != TUTTI_KIND_U32 || (value >= 0 && value <= UINT32_MAX);
}

/* Stores a value as a field of a configuration struct would hold it; false if it does not fit. */
static bool store_value(int32_t kind, const json_t *json, void *field)
{
    const int64_t integer = json_integer_value(json);
    const double real = json_number_value(json);
    const bool flag = json_is_true(json);
    const int32_t i32 = (int32_t)integer;
    const uint32_t u32 = (uint32_t)integer;
    const void *value = kind == TUTTI_KIND_I32    ? (const void *)&i32
                        : kind == TUTTI_KIND_U32  ? (const void *)&u32
                        : kind == TUTTI_KIND_F64  ? (const void *)&real
                        : kind == TUTTI_KIND_BOOL ? (const void *)&flag
                                                  : (const void *)&integer;
    memcpy(field, value, kind_size(kind));
    return in_range(kind, integer);
}

/* One entry of the table, from JSON that check_identity has passed; values are the entry's own. */
static bool fill_param(const json_t *json, size_t number, tutti_param *param, struct text *why)
{
    const json_t *values = json_object_get(json, "values");
    const int32_t kind = kind_from_name(json_string_value(json_object_get(json, "kind")));
    const size_t count = json_array_size(values), size = kind_size(kind);
    char *fields = calloc(count ? count : 1, size);
    *param = (tutti_param){.name = json_string_value(json_object_get(json, "name")),
                           .kind = kind,
                           .offset = number * SLOT,
                           .size = size,
                           .values = fields,
                           .count = count};
    if (!fields) {
        why->failed = true;
        return false;
    }
    for (size_t i = 0; i < count; i++)
        if (!store_value(kind, json_array_get(values, i), fields + i * size))
            return REFUSE(why, "identity.space[%zu].values[%zu] does not fit its kind", number, i);
    return true;
}

static int fill_space(const json_t *list, size_t count, tutti_param *params, struct space *space,
                      struct text *why)
{
    struct text reason = {0};
    for (size_t i = 0; i < count; i++)
        if (!fill_param(json_array_get(list, i), i, &params[i], why))
            return why->failed ? TUTTI_ERR_MEMORY : TUTTI_ERR_SPACE;
    const int status = space_init(space, params, count, count * SLOT, &reason);
    if (status)
        text_add(why, "identity.space: %s", reason.bytes ? reason.bytes : tutti_strerror(status));
    text_release(&reason);
    return status;
}

int space_from_json(const json_t *list, struct space *space, struct text *why)
{
    const size_t count = json_array_size(list);
    tutti_param *params = calloc(count ? count : 1, sizeof *params);
    int status = params ? fill_space(list, count, params, space, why) : TUTTI_ERR_MEMORY;
    for (size_t i = 0; params && i < count; i++)
        free((void *)(uintptr_t)params[i].values);
    free(params);
    return status;
}
