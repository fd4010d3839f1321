/* The space: checks and copies the table of parameters, and turns indices into configurations. */
#include "space.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <tutti/error.h>

struct kind {
    const char *name;
    size_t size;
};

static const struct kind kinds[] = {
    [TUTTI_KIND_I32] = {"i32", sizeof(int32_t)}, [TUTTI_KIND_U32] = {"u32", sizeof(uint32_t)},
    [TUTTI_KIND_I64] = {"i64", sizeof(int64_t)}, [TUTTI_KIND_F64] = {"f64", sizeof(double)},
    [TUTTI_KIND_BOOL] = {"bool", sizeof(bool)},
};

const char *kind_name(int32_t kind)
{
    return kind >= TUTTI_KIND_I32 && kind <= TUTTI_KIND_BOOL ? kinds[kind].name : NULL;
}

int32_t kind_from_name(const char *name)
{
    for (int32_t kind = TUTTI_KIND_I32; kind <= TUTTI_KIND_BOOL; kind++)
        if (strcmp(kinds[kind].name, name) == 0)
            return kind;
    return 0;
}

static struct value value_load(int32_t kind, const void *field)
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
    default:
        memcpy(&value.as.flag, field, sizeof value.as.flag);
    }
    return value;
}

static void value_store(const struct value *value, void *field)
{
    int32_t i32 = (int32_t)value->as.integer;
    uint32_t u32 = (uint32_t)value->as.integer;
    switch (value->kind) {
    case TUTTI_KIND_I32:
        memcpy(field, &i32, sizeof i32);
        break;
    case TUTTI_KIND_U32:
        memcpy(field, &u32, sizeof u32);
        break;
    case TUTTI_KIND_I64:
        memcpy(field, &value->as.integer, sizeof value->as.integer);
        break;
    case TUTTI_KIND_F64:
        memcpy(field, &value->as.real, sizeof value->as.real);
        break;
    default:
        memcpy(field, &value->as.flag, sizeof value->as.flag);
    }
}

bool value_equal(const struct value *a, const struct value *b)
{
    if (a->kind != b->kind)
        return false;
    if (a->kind == TUTTI_KIND_BOOL)
        return a->as.flag == b->as.flag;
    if (a->kind == TUTTI_KIND_F64)
        return memcmp(&a->as.real, &b->as.real, sizeof a->as.real) == 0;
    return a->as.integer == b->as.integer;
}

void value_text(const struct value *value, struct text *text)
{
    if (value->kind == TUTTI_KIND_BOOL)
        text_add(text, "%s", value->as.flag ? "true" : "false");
    else if (value->kind == TUTTI_KIND_F64)
        text_add_number(text, value->as.real);
    else
        text_add(text, "%" PRId64, value->as.integer);
}

/* Adds the reason and returns the error, so that a check is one statement. */
#define REFUSE(why, error, ...) (text_add(why, __VA_ARGS__), (error))

static int copy_values(struct parameter *parameter, const tutti_param *param, struct text *why)
{
    parameter->values = calloc(param->count, sizeof *parameter->values);
    if (!parameter->values)
        return REFUSE(why, TUTTI_ERR_MEMORY, "no memory for the values of %s", param->name);
    for (size_t i = 0; i < param->count; i++) {
        const char *field = (const char *)param->values + i * param->size;
        struct value value = value_load(param->kind, field);
        if (value.kind == TUTTI_KIND_F64 && !isfinite(value.as.real))
            return REFUSE(why, TUTTI_ERR_SPACE, "parameter %s: value %zu is not a finite number",
                          param->name, i);
        for (size_t before = 0; before < i; before++)
            if (value_equal(&value, &parameter->values[before]))
                return REFUSE(why, TUTTI_ERR_SPACE, "parameter %s: values %zu and %zu are the same",
                              param->name, before, i);
        parameter->values[i] = value;
        parameter->count = i + 1;
    }
    return TUTTI_SUCCESS;
}

static int check_param(const tutti_param *params, size_t i, size_t config_size, struct text *why)
{
    const tutti_param *param = &params[i];
    if (!param->name || !*param->name || !text_is_utf8(param->name))
        return REFUSE(why, TUTTI_ERR_SPACE, "parameter %zu has no name, or one that is not UTF-8",
                      i);
    for (size_t before = 0; before < i; before++)
        if (strcmp(params[before].name, param->name) == 0)
            return REFUSE(why, TUTTI_ERR_SPACE, "parameters %zu and %zu are both named %s", before,
                          i, param->name);
    if (!kind_name(param->kind))
        return REFUSE(why, TUTTI_ERR_SPACE, "parameter %s: unknown kind %d", param->name,
                      (int)param->kind);
    if (param->size != kinds[param->kind].size)
        return REFUSE(why, TUTTI_ERR_SPACE,
                      "parameter %s: a field of kind %s has %zu bytes, not %zu", param->name,
                      kind_name(param->kind), kinds[param->kind].size, param->size);
    if (param->offset > config_size || param->size > config_size - param->offset)
        return REFUSE(
            why, TUTTI_ERR_SPACE,
            "parameter %s: the field at offset %zu is outside the configuration of %zu bytes",
            param->name, param->offset, config_size);
    if (!param->values || param->count == 0)
        return REFUSE(why, TUTTI_ERR_SPACE, "parameter %s has no values", param->name);
    if (param->count > SPACE_LIMIT)
        return REFUSE(why, TUTTI_ERR_SPACE, "parameter %s has %zu values; at most %" PRIu64,
                      param->name, param->count, SPACE_LIMIT);
    return TUTTI_SUCCESS;
}

static int check_overlap(const tutti_param *params, size_t i, struct text *why)
{
    for (size_t before = 0; before < i; before++) {
        const tutti_param *a = &params[before], *b = &params[i];
        if (a->offset < b->offset + b->size && b->offset < a->offset + a->size)
            return REFUSE(why, TUTTI_ERR_SPACE, "parameters %s and %s share bytes", a->name,
                          b->name);
    }
    return TUTTI_SUCCESS;
}

static int add_parameter(struct space *space, const tutti_param *params, size_t i, struct text *why)
{
    const tutti_param *param = &params[i];
    int error = check_param(params, i, space->config_size, why);
    if (!error)
        error = check_overlap(params, i, why);
    if (error)
        return error;
    if (space->size > SPACE_LIMIT / param->count)
        return REFUSE(why, TUTTI_ERR_SPACE,
                      "the space has more than %" PRIu64
                      " configurations, counted up to parameter %s",
                      SPACE_LIMIT, param->name);
    space->size *= param->count;

    struct parameter *parameter = &space->parameters[i];
    space->nparameters = i + 1;
    parameter->name = strdup(param->name);
    parameter->kind = param->kind;
    parameter->offset = param->offset;
    parameter->size = param->size;
    if (!parameter->name)
        return REFUSE(why, TUTTI_ERR_MEMORY, "no memory for parameter %s", param->name);
    return copy_values(parameter, param, why);
}

int space_init(struct space *space, const tutti_param *params, size_t nparams, size_t config_size,
               struct text *why)
{
    memset(space, 0, sizeof *space);
    if (!params || nparams == 0)
        return REFUSE(why, TUTTI_ERR_SPACE, "the table of parameters is empty");
    if (config_size == 0)
        return REFUSE(why, TUTTI_ERR_ARGUMENT, "config_size is 0");
    space->config_size = config_size;
    space->size = 1;
    space->parameters = calloc(nparams, sizeof *space->parameters);
    if (!space->parameters)
        return REFUSE(why, TUTTI_ERR_MEMORY, "no memory for %zu parameters", nparams);
    int error = TUTTI_SUCCESS;
    for (size_t i = 0; i < nparams && !error; i++)
        error = add_parameter(space, params, i, why);
    if (error)
        space_release(space);
    return error;
}

void space_release(struct space *space)
{
    for (size_t i = 0; i < space->nparameters; i++) {
        free(space->parameters[i].name);
        free(space->parameters[i].values);
    }
    free(space->parameters);
    memset(space, 0, sizeof *space);
}

const struct value *space_value(const struct space *space, uint64_t index, size_t parameter)
{
    for (size_t i = space->nparameters - 1; i > parameter; i--)
        index /= space->parameters[i].count;
    const struct parameter *wanted = &space->parameters[parameter];
    return &wanted->values[index % wanted->count];
}

void space_fill(const struct space *space, uint64_t index, void *config)
{
    memset(config, 0, space->config_size);
    for (size_t i = 0; i < space->nparameters; i++)
        value_store(space_value(space, index, i), (char *)config + space->parameters[i].offset);
}

static bool parameter_find(const struct parameter *parameter, const void *config, size_t *position)
{
    struct value value = value_load(parameter->kind, (const char *)config + parameter->offset);
    for (size_t i = 0; i < parameter->count; i++) {
        if (value_equal(&value, &parameter->values[i])) {
            *position = i;
            return true;
        }
    }
    return false;
}

bool space_find(const struct space *space, const void *config, uint64_t *index)
{
    *index = 0;
    for (size_t i = 0; i < space->nparameters; i++) {
        size_t position;
        if (!parameter_find(&space->parameters[i], config, &position))
            return false;
        *index = *index * space->parameters[i].count + position;
    }
    return true;
}

void space_configuration_text(const struct space *space, uint64_t index, struct text *text)
{
    for (size_t i = 0; i < space->nparameters; i++) {
        text_add(text, "%s%s=", i ? ", " : "", space->parameters[i].name);
        value_text(space_value(space, index, i), text);
    }
}

void space_text(const struct space *space, struct text *text)
{
    for (size_t i = 0; i < space->nparameters; i++) {
        const struct parameter *parameter = &space->parameters[i];
        text_add(text, "%s (%s):", parameter->name, kind_name(parameter->kind));
        for (size_t v = 0; v < parameter->count; v++) {
            text_add(text, " ");
            value_text(&parameter->values[v], text);
        }
        text_add(text, "\n");
    }
}
