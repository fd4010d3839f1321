/* The table of parameters and the fields of configurations by name: for bindings and printing. */
#include <string.h>

#include "tuner.h"

static const struct parameter *parameter_at(const tutti_tuner *tuner, size_t parameter)
{
    const bool there = tuner && parameter < tuner->space.nparameters;
    return there ? &tuner->space.parameters[parameter] : NULL;
}

static const struct parameter *parameter_named(const tutti_tuner *tuner, const char *name)
{
    for (size_t p = 0; tuner && name && p < tuner->space.nparameters; p++)
        if (strcmp(tuner->space.parameters[p].name, name) == 0)
            return &tuner->space.parameters[p];
    return NULL;
}

size_t tutti_parameters(const tutti_tuner *tuner)
{
    return tuner ? tuner->space.nparameters : 0;
}

const char *tutti_parameter_name(const tutti_tuner *tuner, size_t parameter)
{
    const struct parameter *found = parameter_at(tuner, parameter);
    return found ? found->name : NULL;
}

int tutti_parameter_kind(const tutti_tuner *tuner, size_t parameter)
{
    const struct parameter *found = parameter_at(tuner, parameter);
    return found ? found->kind : 0;
}

size_t tutti_parameter_values(const tutti_tuner *tuner, size_t parameter)
{
    const struct parameter *found = parameter_at(tuner, parameter);
    return found ? found->count : 0;
}

size_t tutti_parameter_text(const tutti_tuner *tuner, size_t parameter, size_t value, char *text,
                            size_t size)
{
    struct text whole = {0};
    const struct parameter *found = parameter_at(tuner, parameter);
    if (found && value < found->count)
        value_text(&found->values[value], &whole);
    return text_hand_over(&whole, text, size);
}

/* What config holds in the field of that name; false unless there is one and kind is its own. An
 * integer of any width is asked for as TUTTI_KIND_I64. */
static bool get(const tutti_tuner *tuner, const void *config, const char *name, int32_t kind,
                struct value *value)
{
    const struct parameter *found = parameter_named(tuner, name);
    if (!found || !config)
        return false;
    *value = parameter_load(found, config);
    return (kind_is_integer(found->kind) ? TUTTI_KIND_I64 : found->kind) == kind;
}

int tutti_get_integer(const tutti_tuner *tuner, const void *config, const char *name,
                      int64_t *value)
{
    struct value found;
    if (!value || !get(tuner, config, name, TUTTI_KIND_I64, &found))
        return TUTTI_ERR_ARGUMENT;
    *value = found.as.integer;
    return TUTTI_SUCCESS;
}

int tutti_get_double(const tutti_tuner *tuner, const void *config, const char *name, double *value)
{
    struct value found;
    if (!value || !get(tuner, config, name, TUTTI_KIND_F64, &found))
        return TUTTI_ERR_ARGUMENT;
    *value = found.as.real;
    return TUTTI_SUCCESS;
}

int tutti_get_bool(const tutti_tuner *tuner, const void *config, const char *name, bool *value)
{
    struct value found;
    if (!value || !get(tuner, config, name, TUTTI_KIND_BOOL, &found))
        return TUTTI_ERR_ARGUMENT;
    *value = found.as.flag;
    return TUTTI_SUCCESS;
}

/* The name of the choice that config holds; NULL if it is none. */
static const char *choice_name(const tutti_tuner *tuner, const void *config, const char *name)
{
    const struct parameter *parameter = parameter_named(tuner, name);
    size_t place;
    if (!parameter || !parameter->named || !config)
        return NULL;
    const struct value value = parameter_load(parameter, config);
    return parameter_find(parameter, &value, &place) ? parameter->values[place].name : NULL;
}

int tutti_get_string(const tutti_tuner *tuner, const void *config, const char *name,
                     const char **value)
{
    struct value found;
    if (!value)
        return TUTTI_ERR_ARGUMENT;
    if (get(tuner, config, name, TUTTI_KIND_STRING, &found))
        *value = found.as.string;
    else
        *value = choice_name(tuner, config, name);
    return *value ? TUTTI_SUCCESS : TUTTI_ERR_ARGUMENT;
}
