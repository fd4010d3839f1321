/* See parameter.h. */
#include "parameter.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <tutti/error.h>

#define REFUSE SPACE_REFUSE

typedef int (*compare_fn)(const struct value *, const struct value *);

static int compare_names(const struct value *a, const struct value *b)
{
    return strcmp(a->name, b->name);
}

struct order {
    const struct value *values;
    compare_fn compare;
};

/* Equal values stay in the order of their places. */
static int compare_places(const void *a, const void *b, void *user)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    const struct order *order = user;
    const int compared = order->compare(&order->values[x], &order->values[y]);
    return compared ? compared : (x > y) - (x < y);
}

static void sort_places(struct parameter *parameter, compare_fn compare)
{
    struct order order = {parameter->values, compare};
    for (size_t i = 0; i < parameter->count; i++)
        parameter->sorted[i] = (uint32_t)i;
    qsort_r(parameter->sorted, parameter->count, sizeof *parameter->sorted, compare_places, &order);
}

/* Two places whose values are the same, after sorting. */
static bool find_pair(const struct parameter *parameter, compare_fn compare, uint32_t pair[2])
{
    for (size_t i = 1; i < parameter->count; i++) {
        pair[0] = parameter->sorted[i - 1];
        pair[1] = parameter->sorted[i];
        if (compare(&parameter->values[pair[0]], &parameter->values[pair[1]]) == 0)
            return true;
    }
    return false;
}

static int refuse_pair(const struct parameter *parameter, const uint32_t pair[2], struct text *why)
{
    text_add(why, "parameter %s: the value ", parameter->name);
    value_text(&parameter->values[pair[0]], why);
    text_add(why, " stands twice: values[%u] and values[%u] are the same", pair[0], pair[1]);
    return TUTTI_ERR_SPACE;
}

static const char *value_mistake(const struct value *value)
{
    if (value->kind == TUTTI_KIND_F64 && !isfinite(value->as.real))
        return "is not a finite number";
    if (value->kind == TUTTI_KIND_STRING && !value->as.string)
        return "is NULL";
    if (value->kind == TUTTI_KIND_STRING && !text_is_utf8(value->as.string))
        return "is not UTF-8";
    return NULL;
}

static int load_values(struct parameter *parameter, const char *fields, size_t distance,
                       const char *what, struct text *why)
{
    for (size_t i = 0; i < parameter->count; i++) {
        parameter->values[i] = value_load(parameter->kind, fields + i * distance);
        const char *mistake = value_mistake(&parameter->values[i]);
        if (mistake)
            return REFUSE(why, TUTTI_ERR_SPACE, "parameter %s: %s %zu %s", parameter->name, what, i,
                          mistake);
    }
    return TUTTI_SUCCESS;
}

static int load_choices(struct parameter *parameter, const tutti_choice *choices, struct text *why)
{
    uint32_t pair[2];
    parameter->named = true;
    if (!kind_is_integer(parameter->kind))
        return REFUSE(why, TUTTI_ERR_SPACE, "parameter %s: only integers can be named choices",
                      parameter->name);
    for (size_t i = 0; i < parameter->count; i++) {
        struct value *value = &parameter->values[i];
        if (!value_from_integer(parameter->kind, choices[i].value, value))
            return REFUSE(why, TUTTI_ERR_SPACE, "parameter %s: value %zu is out of range of its %s",
                          parameter->name, i, kind_name(parameter->kind));
        value->name = choices[i].name;
        if (!value->name || !*value->name || !text_is_utf8(value->name))
            return REFUSE(why, TUTTI_ERR_SPACE,
                          "parameter %s: value %zu has no name, or one that is not UTF-8",
                          parameter->name, i);
    }
    sort_places(parameter, compare_names);
    if (find_pair(parameter, compare_names, pair))
        return REFUSE(why, TUTTI_ERR_SPACE, "parameter %s: values %u and %u are both named %s",
                      parameter->name, pair[0], pair[1], parameter->values[pair[0]].name);
    return TUTTI_SUCCESS;
}

/* Keeps the first of equal values, in the order of their places. */
static void drop_repeated(struct parameter *parameter)
{
    size_t kept = 0;
    const size_t count = parameter->count;
    for (size_t i = 0, first = 0; i < count; i++) {
        const uint32_t place = parameter->sorted[i];
        if (i > 0 && value_compare(&parameter->values[parameter->sorted[first]],
                                   &parameter->values[place]) == 0)
            parameter->values[place].kind = 0; /* to go */
        else
            first = i;
    }
    for (size_t i = 0; i < count; i++)
        if (parameter->values[i].kind)
            parameter->values[kept++] = parameter->values[i];
    parameter->count = kept;
    sort_places(parameter, value_compare);
}

/* Until now names and strings are the user's. Those that can't be copied become NULL. */
static int own_strings(struct parameter *parameter, struct text *why)
{
    bool whole = true;
    for (size_t i = 0; i < parameter->count; i++) {
        struct value *value = &parameter->values[i];
        const char **string = value->kind == TUTTI_KIND_STRING ? &value->as.string : &value->name;
        if (*string)
            whole &= (*string = strdup(*string)) != NULL;
    }
    return whole ? TUTTI_SUCCESS
                 : REFUSE(why, TUTTI_ERR_MEMORY, "no memory for the values of %s", parameter->name);
}

static int load(struct parameter *parameter, const tutti_param *param,
                const struct listing *listing, struct text *why)
{
    uint32_t pair[2];
    const bool listed = !param->values && !param->choices;
    int error;
    if (param->choices)
        error = load_choices(parameter, param->choices, why);
    else if (listed)
        error = load_values(parameter, (const char *)listing->configurations + param->offset,
                            listing->size, "in the list, the value of configuration", why);
    else
        error = load_values(parameter, param->values, param->size, "value", why);
    if (error)
        return error;
    sort_places(parameter, value_compare);
    if (listed)
        drop_repeated(parameter);
    else if (find_pair(parameter, value_compare, pair))
        return refuse_pair(parameter, pair, why);
    return TUTTI_SUCCESS;
}

int parameter_init(struct parameter *parameter, const tutti_param *param,
                   const struct listing *listing, struct text *why)
{
    const bool listed = !param->values && !param->choices;
    *parameter = (struct parameter){.kind = param->kind,
                                    .offset = param->offset,
                                    .size = param->size,
                                    .count = listed ? listing->count : param->count};
    parameter->name = strdup(param->name);
    parameter->values = calloc(parameter->count, sizeof *parameter->values);
    parameter->sorted = calloc(parameter->count, sizeof *parameter->sorted);
    int error = TUTTI_SUCCESS;
    if (!parameter->name || !parameter->values || !parameter->sorted)
        error = REFUSE(why, TUTTI_ERR_MEMORY, "no memory for the values of %s", param->name);
    if (!error)
        error = load(parameter, param, listing, why);
    if (error)
        parameter->count = 0; /* nothing there is owned yet */
    return error ? error : own_strings(parameter, why);
}

void parameter_release(struct parameter *parameter)
{
    for (size_t i = 0; i < parameter->count; i++) {
        const struct value *value = &parameter->values[i];
        free((char *)(uintptr_t)value->name);
        if (value->kind == TUTTI_KIND_STRING)
            free((char *)(uintptr_t)value->as.string);
    }
    free(parameter->name);
    free(parameter->values);
    free(parameter->sorted);
    free(parameter->marked);
    *parameter = (struct parameter){0};
}

static int mark_values(struct parameter *parameter, const tutti_condition *condition,
                       struct text *why)
{
    const struct parameter *parent = parameter->parent;
    for (size_t i = 0; i < condition->count; i++) {
        const char *field = (const char *)condition->values + i * parent->size;
        const struct value value = value_load(parent->kind, field);
        size_t place;
        if (value_mistake(&value))
            return REFUSE(why, TUTTI_ERR_SPACE, "parameter %s: value %zu of its condition %s",
                          parameter->name, i, value_mistake(&value));
        if (!parameter_find(parent, &value, &place)) {
            text_add(why, "parameter %s counts only when %s is ", parameter->name, parent->name);
            value_text(&value, why);
            return REFUSE(why, TUTTI_ERR_SPACE, ", which is not one of its values");
        }
        parameter->marked[place] = true;
    }
    return TUTTI_SUCCESS;
}

int parameter_set_condition(struct parameter *parameter, const tutti_condition *condition,
                            const struct parameter *parents, size_t earlier, struct text *why)
{
    if (!condition->param || !condition->values || condition->count == 0)
        return REFUSE(why, TUTTI_ERR_SPACE,
                      "parameter %s: its condition names no parameter, or no "
                      "values",
                      parameter->name);
    for (size_t i = 0; i < earlier && !parameter->parent; i++)
        if (strcmp(parents[i].name, condition->param) == 0)
            parameter->parent = &parents[i];
    if (!parameter->parent)
        return REFUSE(why, TUTTI_ERR_SPACE,
                      "parameter %s depends on %s, which is not an earlier parameter",
                      parameter->name, condition->param);
    parameter->marked = calloc(parameter->parent->count, sizeof *parameter->marked);
    if (!parameter->marked)
        return REFUSE(why, TUTTI_ERR_MEMORY, "no memory for the condition of %s", parameter->name);
    return mark_values(parameter, condition, why);
}

bool parameter_find(const struct parameter *parameter, const struct value *value, size_t *place)
{
    size_t low = 0, high = parameter->count;
    if (value_mistake(value))
        return false;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        *place = parameter->sorted[middle];
        const int compared = value_compare(value, &parameter->values[*place]);
        if (compared == 0)
            return true;
        if (compared < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return false;
}

struct value parameter_load(const struct parameter *parameter, const void *config)
{
    return value_load(parameter->kind, (const char *)config + parameter->offset);
}

const char *parameter_kind_name(const struct parameter *parameter)
{
    return parameter->named ? "choice" : kind_name(parameter->kind);
}

void parameter_text(const struct parameter *parameter, struct text *text)
{
    text_add(text, "%s (%s):", parameter->name, parameter_kind_name(parameter));
    for (size_t v = 0; v < parameter->count; v++) {
        text_add(text, " ");
        value_text(&parameter->values[v], text);
    }
    const struct parameter *parent = parameter->parent;
    text_add(text, "%s%s%s", parent ? "; when " : "", parent ? parent->name : "",
             parent ? " is" : "");
    for (size_t v = 0; parent && v < parent->count; v++) {
        if (!parameter->marked[v])
            continue;
        text_add(text, " ");
        value_text(&parent->values[v], text);
    }
    text_add(text, "\n");
}
