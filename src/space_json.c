/* A space read back from a record, for those who have the record and not the program. Its
 * parameters go through the same table, and so the same checks, as a program's. */
#include "record_json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "space_rows.h"

/* Adds the reason and fails, so that a check is one statement. */
#define REFUSE(why, ...) (text_add(why, __VA_ARGS__), false)

#define SLOT sizeof(int64_t) /* bytes that any value fits in */
_Static_assert(SLOT >= sizeof(const char *), "a string fits in a slot, too");

/* A choice is known by its names only, so here it is a string. */
static int32_t kind_of(const json_t *json)
{
    const char *name = json_string_value(json_object_get(json, "kind"));
    return strcmp(name, "choice") == 0 ? TUTTI_KIND_STRING : kind_from_name(name);
}

/* A value of a kind; a string is the JSON's. False if it does not fit. */
static bool value_from_json(int32_t kind, const json_t *json, struct value *value)
{
    *value = (struct value){.kind = kind};
    switch (kind) {
    case TUTTI_KIND_F64:
        value->as.real = json_number_value(json);
        return json_is_number(json);
    case TUTTI_KIND_BOOL:
        value->as.flag = json_is_true(json);
        return json_is_boolean(json);
    case TUTTI_KIND_STRING:
        value->as.string = json_string_value(json);
        return json_is_string(json);
    default:
        return json_is_integer(json) && value_from_integer(kind, json_integer_value(json), value);
    }
}

/* The fields that hold such values, one after another; NULL with a reason, or without memory. */
static void *fields_from_json(int32_t kind, const json_t *values, const char *place,
                              struct text *why)
{
    const size_t count = json_array_size(values), size = kind_size(kind);
    char *fields = calloc(count ? count : 1, size);
    why->failed |= !fields;
    for (size_t i = 0; fields && i < count; i++) {
        struct value value;
        if (!value_from_json(kind, json_array_get(values, i), &value)) {
            text_add(why, "%s[%zu] does not fit its kind", place, i);
            free(fields);
            return NULL;
        }
        value_store(&value, fields + i * size);
    }
    return fields;
}

/* ---- the table ---- */

/* The kind of an earlier parameter; 0 if there is none of that name. */
static int32_t kind_before(const json_t *list, size_t number, const char *name)
{
    for (size_t i = 0; i < number; i++) {
        const json_t *other = json_array_get(list, i);
        if (strcmp(json_string_value(json_object_get(other, "name")), name) == 0)
            return kind_of(other);
    }
    return 0;
}

/* The condition of entry `number`, if it has one, which check_identity has passed. */
static bool fill_condition(const json_t *list, size_t number, tutti_param *param,
                           tutti_condition *condition, struct text *why)
{
    char place[64];
    const json_t *when = json_object_get(json_array_get(list, number), "when");
    if (!when)
        return true;
    const json_t *values = json_object_get(when, "values");
    *condition = (tutti_condition){.param = json_string_value(json_object_get(when, "parameter")),
                                   .count = json_array_size(values)};
    snprintf(place, sizeof place, "identity.space[%zu].when.values", number);
    const int32_t kind = kind_before(list, number, condition->param);
    if (!kind)
        return REFUSE(why, "identity.space[%zu].when.parameter is not an earlier one", number);
    condition->values = fields_from_json(kind, values, place, why);
    param->condition = condition;
    return condition->values != NULL;
}

/* One entry of the table, from JSON that check_identity has passed; its arrays are its own. */
static bool fill_param(const json_t *list, size_t number, tutti_param *param,
                       tutti_condition *condition, struct text *why)
{
    char place[64];
    const json_t *json = json_array_get(list, number);
    const json_t *values = json_object_get(json, "values");
    *param = (tutti_param){.name = json_string_value(json_object_get(json, "name")),
                           .kind = kind_of(json),
                           .offset = number * SLOT,
                           .size = kind_size(kind_of(json)),
                           .count = json_array_size(values)};
    snprintf(place, sizeof place, "identity.space[%zu].values", number);
    param->values = fields_from_json(param->kind, values, place, why);
    return param->values && fill_condition(list, number, param, condition, why);
}

static int fill_space(const json_t *list, uint64_t members, tutti_param *params,
                      tutti_condition *conditions, struct space *space, struct text *why)
{
    struct text reason = {0};
    const size_t count = json_array_size(list);
    for (size_t i = 0; i < count; i++)
        if (!fill_param(list, i, &params[i], &conditions[i], why))
            return why->failed ? TUTTI_ERR_MEMORY : TUTTI_ERR_SPACE;
    const struct space_source source = {
        .params = params, .nparams = count, .config_size = count * SLOT, .members = members};
    const int status = space_init(space, &source, &reason);
    if (status)
        text_add(why, "identity.space: %s", reason.bytes ? reason.bytes : tutti_strerror(status));
    text_release(&reason);
    return status;
}

static int make_space(const json_t *list, uint64_t members, struct space *space, struct text *why)
{
    const size_t count = json_array_size(list);
    tutti_param *params = calloc(count ? count : 1, sizeof *params);
    tutti_condition *conditions = calloc(count ? count : 1, sizeof *conditions);
    int status = TUTTI_ERR_MEMORY;
    if (params && conditions)
        status = fill_space(list, members, params, conditions, space, why);
    for (size_t i = 0; params && conditions && i < count; i++) {
        free((void *)(uintptr_t)params[i].values);
        free((void *)(uintptr_t)conditions[i].values);
    }
    free(params);
    free(conditions);
    return status;
}

/* ---- the rows of a subset ---- */

/* The row of a configuration that is told; false if it is none. */
static bool fill_row(const struct space *space, const json_t *config, uint32_t *places)
{
    for (size_t p = 0; p < space->nparameters; p++) {
        const struct parameter *parameter = &space->parameters[p];
        struct value value;
        size_t place = 0;
        if (places_count(space, places, p) &&
            (!value_from_json(parameter->kind, json_object_get(config, parameter->name), &value) ||
             !parameter_find(parameter, &value, &place)))
            return false;
        places[p] = (uint32_t)place;
    }
    return true;
}

/*
 * What a subset has is told by its configurations. Those that were never run are not among them,
 * and nothing else tells what they are. Entries that are none are judged with the rest.
 */
static int fill_rows(const json_t *configurations, const char *hash, struct space *space,
                     struct text *why)
{
    uint64_t filled = 0;
    for (size_t i = 0; i < json_array_size(configurations); i++) {
        const json_t *entry = json_array_get(configurations, i);
        const json_int_t index = json_integer_value(json_object_get(entry, "index"));
        if (index < 0 || (uint64_t)index >= space->size)
            continue;
        uint32_t *places = space->rows + (size_t)index * space->nparameters;
        filled += fill_row(space, json_object_get(entry, "config"), places);
    }
    if (filled == space->size)
        rows_name_subset(space);
    if (filled == space->size && strcmp(space->subset, hash) != 0) {
        text_add(why, "identity.subset.hash is not the one of the configurations");
        return TUTTI_ERR_SPACE;
    }
    snprintf(space->subset, sizeof space->subset, "%s", hash);
    return TUTTI_SUCCESS;
}

int space_from_json(const json_t *identity, const json_t *configurations, struct space *space,
                    struct text *why)
{
    const json_t *subset = json_object_get(identity, "subset");
    const json_int_t members = json_integer_value(json_object_get(subset, "configurations"));
    int status = make_space(json_object_get(identity, "space"), (uint64_t)members, space, why);
    if (status || !subset)
        return status;
    status =
        fill_rows(configurations, json_string_value(json_object_get(subset, "hash")), space, why);
    if (status)
        space_release(space);
    return status;
}
