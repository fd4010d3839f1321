/* The space: checks the source, and turns indices into configurations and back. */
#include "space.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <tutti/error.h>

#include "space_rows.h"

#define REFUSE SPACE_REFUSE

/* ---- the table ---- */

static int check_field(const tutti_param *param, size_t config_size, struct text *why)
{
    if (!kind_name(param->kind))
        return REFUSE(why, TUTTI_ERR_SPACE, "parameter %s: unknown kind %d", param->name,
                      (int)param->kind);
    if (param->size != kind_size(param->kind))
        return REFUSE(why, TUTTI_ERR_SPACE,
                      "parameter %s: a field of kind %s has %zu bytes, not %zu", param->name,
                      kind_name(param->kind), kind_size(param->kind), param->size);
    if (param->offset > config_size || param->size > config_size - param->offset)
        return REFUSE(
            why, TUTTI_ERR_SPACE,
            "parameter %s: the field at offset %zu is outside the configuration of %zu bytes",
            param->name, param->offset, config_size);
    return TUTTI_SUCCESS;
}

static int check_values(const tutti_param *param, bool listed, struct text *why)
{
    const bool none = !param->values && !param->choices;
    if (param->values && param->choices)
        return REFUSE(why, TUTTI_ERR_SPACE, "parameter %s has both values and choices",
                      param->name);
    if (none ? !listed || param->count > 0 : param->count == 0)
        return REFUSE(why, TUTTI_ERR_SPACE, "parameter %s has no values", param->name);
    if (param->count > SPACE_LIMIT)
        return REFUSE(why, TUTTI_ERR_SPACE, "parameter %s has %zu values; at most %" PRIu64,
                      param->name, param->count, SPACE_LIMIT);
    return TUTTI_SUCCESS;
}

static int check_against_earlier(const tutti_param *params, size_t i, struct text *why)
{
    for (size_t before = 0; before < i; before++) {
        const tutti_param *a = &params[before], *b = &params[i];
        if (strcmp(a->name, b->name) == 0)
            return REFUSE(why, TUTTI_ERR_SPACE, "parameters %zu and %zu are both named %s", before,
                          i, b->name);
        if (a->offset < b->offset + b->size && b->offset < a->offset + a->size)
            return REFUSE(why, TUTTI_ERR_SPACE, "parameters %s and %s share bytes", a->name,
                          b->name);
    }
    return TUTTI_SUCCESS;
}

static int check_param(const struct space_source *source, size_t i, struct text *why)
{
    const tutti_param *param = &source->params[i];
    if (!param->name || !*param->name || !text_is_utf8(param->name))
        return REFUSE(why, TUTTI_ERR_SPACE, "parameter %zu has no name, or one that is not UTF-8",
                      i);
    int error = check_field(param, source->config_size, why);
    if (!error)
        error = check_against_earlier(source->params, i, why);
    return error ? error : check_values(param, source->configurations != NULL, why);
}

static int check_source(const struct space_source *source, struct text *why)
{
    if (!source->params || source->nparams == 0)
        return REFUSE(why, TUTTI_ERR_SPACE, "the table of parameters is empty");
    if (source->nparams > SPACE_PARAMETERS)
        return REFUSE(why, TUTTI_ERR_SPACE, "%zu parameters are too many; at most %d",
                      source->nparams, SPACE_PARAMETERS);
    if (source->config_size == 0)
        return REFUSE(why, TUTTI_ERR_ARGUMENT, "config_size is 0");
    if ((source->configurations == NULL) != (source->nconfigurations == 0))
        return REFUSE(why, TUTTI_ERR_SPACE,
                      "configurations and nconfigurations do not belong together: one is missing");
    if (source->nconfigurations > SPACE_LIMIT)
        return REFUSE(why, TUTTI_ERR_SPACE,
                      "the list has %zu configurations, more than the %" PRIu64
                      " that can be searched",
                      source->nconfigurations, SPACE_LIMIT);
    return TUTTI_SUCCESS;
}

static int add_parameters(struct space *space, const struct space_source *source, struct text *why)
{
    const struct listing listing = {source->configurations, source->nconfigurations,
                                    source->config_size};
    int error = TUTTI_SUCCESS;
    for (size_t i = 0; i < source->nparams && !error; i++) {
        const tutti_param *param = &source->params[i];
        struct parameter *parameter = &space->parameters[i];
        error = check_param(source, i, why);
        if (error)
            break;
        space->nparameters = i + 1;
        error = parameter_init(parameter, param, &listing, why);
        if (!error && param->condition)
            error = parameter_set_condition(parameter, param->condition, space->parameters, i, why);
    }
    return error;
}

/* ---- the size ---- */

static int check_count(uint64_t count, bool constrained, struct text *why)
{
    if (count == UINT64_MAX)
        return REFUSE(
            why, TUTTI_ERR_SPACE,
            "the space has 2^64 configurations or more: give the parameters fewer values, "
            "or list the configurations");
    if (count > SPACE_COUNTED)
        return REFUSE(why, TUTTI_ERR_SPACE,
                      "the space has %" PRIu64 " configurations, more than 2^31: give the "
                      "parameters fewer values, or list the configurations",
                      count);
    if (count > SPACE_LIMIT && !constrained)
        return REFUSE(why, TUTTI_ERR_SPACE,
                      "the space has %" PRIu64 " configurations, more than the %" PRIu64
                      " that can be searched: give the parameters fewer values, add a constraint, "
                      "or list the configurations",
                      count, SPACE_LIMIT);
    return TUTTI_SUCCESS;
}

static void set_strides(struct space *space)
{
    uint64_t stride = 1;
    for (size_t p = space->nparameters; p-- > 0;) {
        space->parameters[p].stride = stride;
        stride *= space->parameters[p].count;
    }
}

static bool has_conditions(const struct space *space)
{
    for (size_t p = 0; p < space->nparameters; p++)
        if (space->parameters[p].parent)
            return true;
    return false;
}

static int add_configurations(struct space *space, const struct space_source *source,
                              struct text *why)
{
    if (source->members)
        return rows_reserve(space, source->members, why);
    if (source->configurations)
        return rows_list(space, source, why);
    const uint64_t count = rows_count(space);
    const int error = check_count(count, source->constraint != NULL, why);
    if (error)
        return error;
    if (source->constraint || has_conditions(space))
        return rows_enumerate(space, source, count, why);
    space->size = count;
    set_strides(space);
    return TUTTI_SUCCESS;
}

int space_init(struct space *space, const struct space_source *source, struct text *why)
{
    *space = (struct space){.config_size = source->config_size};
    int error = check_source(source, why);
    if (error)
        return error;
    space->parameters = calloc(source->nparams, sizeof *space->parameters);
    if (!space->parameters)
        return REFUSE(why, TUTTI_ERR_MEMORY, "no memory for %zu parameters", source->nparams);
    error = add_parameters(space, source, why);
    if (!error)
        error = add_configurations(space, source, why);
    if (error)
        space_release(space);
    return error;
}

void space_release(struct space *space)
{
    for (size_t i = 0; i < space->nparameters; i++)
        parameter_release(&space->parameters[i]);
    free(space->parameters);
    free(space->rows);
    free(space->order);
    *space = (struct space){0};
}

/* ---- configurations ---- */

static uint32_t place_of(const struct space *space, uint64_t index, size_t parameter)
{
    const struct parameter *wanted = &space->parameters[parameter];
    if (space->rows)
        return space->rows[index * space->nparameters + parameter];
    return (uint32_t)(index / wanted->stride % wanted->count);
}

const struct value *space_value(const struct space *space, uint64_t index, size_t parameter)
{
    return &space->parameters[parameter].values[place_of(space, index, parameter)];
}

bool space_counts(const struct space *space, uint64_t index, size_t parameter)
{
    return !space->rows || places_count(space, space->rows + index * space->nparameters, parameter);
}

void space_fill(const struct space *space, uint64_t index, void *config)
{
    uint32_t places[SPACE_PARAMETERS];
    for (size_t p = 0; p < space->nparameters; p++)
        places[p] = place_of(space, index, p);
    places_fill(space, places, config);
}

static bool find_places(const struct space *space, const uint32_t *places, uint64_t *index)
{
    if (space->rows)
        return rows_find(space, places, index);
    *index = 0;
    for (size_t p = 0; p < space->nparameters; p++)
        *index += places[p] * space->parameters[p].stride;
    return true;
}

bool space_find(const struct space *space, const void *config, uint64_t *index)
{
    uint32_t places[SPACE_PARAMETERS];
    size_t stray;
    return places_load(space, config, places, &stray) && find_places(space, places, index);
}

bool space_neighbour(const struct space *space, uint64_t index, size_t parameter, int step,
                     uint64_t *neighbour)
{
    uint32_t places[SPACE_PARAMETERS];
    const size_t place = place_of(space, index, parameter);
    if (step < 0 ? place == 0 : place + 1 == space->parameters[parameter].count)
        return false;
    if (!space_counts(space, index, parameter))
        return false;
    for (size_t p = 0; p < space->nparameters; p++) {
        places[p] = place_of(space, index, p);
        if (p == parameter)
            places[p] += (uint32_t)step;
        else if (!places_count(space, places, p))
            places[p] = 0;
    }
    return find_places(space, places, neighbour);
}

void space_configuration_text(const struct space *space, uint64_t index, struct text *text)
{
    const char *separator = "";
    for (size_t p = 0; p < space->nparameters; p++) {
        if (!space_counts(space, index, p))
            continue;
        text_add(text, "%s%s=", separator, space->parameters[p].name);
        value_text(space_value(space, index, p), text);
        separator = ", ";
    }
}

void space_text(const struct space *space, struct text *text)
{
    for (size_t p = 0; p < space->nparameters; p++)
        parameter_text(&space->parameters[p], text);
    if (*space->subset)
        text_add(text, "%" PRIu64 " of these: %s\n", space->size, space->subset);
}
