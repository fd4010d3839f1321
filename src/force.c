/*
 * Forced configurations. See force.h. TUTTI_FORCE is read as
 *
 *     function:knob=value,knob=value;function:...
 *
 * where the knobs that are not named keep the customary configuration's value, else configuration
 * 0's. Not every combination of values need be in the space: of the configurations that have what
 * is named, the one that keeps most of the rest is taken, the first of several.
 */
#include "force.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tuner.h"

/* A part of the setting, not terminated. */
struct piece {
    const char *bytes;
    size_t length;
};

/* Takes the part before a separator off the front of rest; false at the end. */
static bool take(struct piece *rest, char separator, struct piece *part)
{
    if (rest->length == 0)
        return false;
    const char *end = memchr(rest->bytes, separator, rest->length);
    part->bytes = rest->bytes;
    part->length = end ? (size_t)(end - rest->bytes) : rest->length;
    const size_t taken = end ? part->length + 1 : part->length;
    rest->bytes += taken;
    rest->length -= taken;
    return true;
}

static struct piece trim(struct piece piece)
{
    while (piece.length > 0 && *piece.bytes == ' ') {
        piece.bytes++;
        piece.length--;
    }
    while (piece.length > 0 && piece.bytes[piece.length - 1] == ' ')
        piece.length--;
    return piece;
}

static bool equals(struct piece piece, const char *string)
{
    return strlen(string) == piece.length && memcmp(piece.bytes, string, piece.length) == 0;
}

/* Whether the text is a number in one of the forms that mean exactly this one. */
static bool is_number(struct piece text, double number)
{
    char form[40];
    for (int digits = 1; digits <= 17; digits++) {
        snprintf(form, sizeof form, "%.*g", digits, number);
        bool exact = strtod(form, NULL) == number;
        char *comma = strchr(form, ','); /* in some locales */
        if (comma)
            *comma = '.';
        if (exact && equals(text, form))
            return true;
    }
    return false;
}

/* As messages write a value, or plainly: words without quotes, numbers without 17 digits. */
static bool is_value(struct piece text, const struct value *value, bool *lacks_memory)
{
    if (value->name ? equals(text, value->name)
                    : value->kind == TUTTI_KIND_STRING && equals(text, value->as.string))
        return true;
    if (!value->name && value->kind == TUTTI_KIND_F64 && is_number(text, value->as.real))
        return true;
    struct text own = {0};
    value_text(value, &own);
    *lacks_memory |= own.failed;
    bool same = !own.failed && equals(text, own.bytes);
    text_release(&own);
    return same;
}

static void list_knobs(const struct space *space, struct text *why)
{
    for (size_t i = 0; i < space->nparameters; i++)
        text_add(why, "%s%s", i ? ", " : "", space->parameters[i].name);
}

static void list_values(const struct parameter *parameter, struct text *why)
{
    for (size_t i = 0; i < parameter->count; i++) {
        text_add(why, "%s", i ? ", " : "");
        value_text(&parameter->values[i], why);
    }
}

/* One "knob=value": notes the value that the knob must have. */
static int read_knob(const tutti_tuner *tuner, struct piece part, const struct value **named,
                     struct text *why)
{
    const struct space *space = &tuner->space;
    struct piece rest = part, knob = {0};
    bool lacks_memory = false;
    size_t i = 0;
    take(&rest, '=', &knob);
    knob = trim(knob);
    rest = trim(rest);
    while (i < space->nparameters && !equals(knob, space->parameters[i].name))
        i++;
    if (i == space->nparameters) {
        text_add(why, "TUTTI_FORCE: %s has no knob \"%.*s\": it has ", tuner->name,
                 (int)knob.length, knob.bytes);
        list_knobs(space, why);
        return TUTTI_ERR_SETTING;
    }
    const struct parameter *parameter = &space->parameters[i];
    named[i] = NULL;
    for (size_t v = 0; v < parameter->count && !named[i]; v++)
        if (is_value(rest, &parameter->values[v], &lacks_memory))
            named[i] = &parameter->values[v];
    if (named[i])
        return TUTTI_SUCCESS;
    text_add(why, "TUTTI_FORCE: \"%.*s\" is no value of %s of %s: allowed are ", (int)rest.length,
             rest.bytes, parameter->name, tuner->name);
    list_values(parameter, why);
    return lacks_memory ? TUTTI_ERR_MEMORY : TUTTI_ERR_SETTING;
}

/* The part of the setting that is about this function, behind "function:". */
static bool is_about(struct piece *part, const char *function)
{
    const size_t length = strlen(function);
    *part = trim(*part);
    if (part->length <= length || memcmp(part->bytes, function, length) != 0 ||
        part->bytes[length] != ':')
        return false;
    part->bytes += length + 1;
    part->length -= length + 1;
    return true;
}

/* All that the setting says of this function; *any: that it does. */
static int read_setting(const tutti_tuner *tuner, const char *setting, const struct value **named,
                        bool *any, struct text *why)
{
    struct piece rest = {setting, strlen(setting)}, part, knob;
    int status = TUTTI_SUCCESS;
    *any = false;
    while (!status && take(&rest, ';', &part)) {
        if (!is_about(&part, tuner->name))
            continue;
        *any = true;
        while (!status && take(&part, ',', &knob))
            status = read_knob(tuner, knob, named, why);
    }
    return status;
}

/* How many of the other knobs a configuration has like the base; -1 without what is named, be it
 * that a knob does not count there. */
static int likeness(const struct space *space, const struct value *const *named, uint64_t base,
                    uint64_t index)
{
    int same = 0;
    for (size_t i = 0; i < space->nparameters; i++) {
        const struct value *own = space_value(space, index, i);
        /* Who names a knob wants it to count. */
        if (named[i] && (!space_counts(space, index, i) || !value_equal(own, named[i])))
            return -1;
        same += !named[i] && value_equal(own, space_value(space, base, i));
    }
    return same;
}

/* Why values that are all allowed may still make no configuration together. */
static void add_subset(const struct space *space, struct text *why)
{
    if (*space->subset)
        text_add(why, ": its constraint or list leaves %llu of those that its knobs allow",
                 (unsigned long long)space->size);
}

static int find_nearest(const tutti_tuner *tuner, const struct value *const *named,
                        uint64_t *configuration, struct text *why)
{
    const uint64_t base = tuner->customary < 0 ? 0 : (uint64_t)tuner->customary;
    int most = -1;
    for (uint64_t i = 0; i < tuner->space.size; i++) {
        const int same = likeness(&tuner->space, named, base, i);
        if (same <= most)
            continue;
        most = same;
        *configuration = i;
    }
    if (most >= 0)
        return TUTTI_SUCCESS;
    text_add(why, "TUTTI_FORCE: no configuration of %s has all the values that are named",
             tuner->name);
    add_subset(&tuner->space, why);
    return TUTTI_ERR_SETTING;
}

static int find_in_setting(const struct call *call, struct forced *forced, struct text *why)
{
    const tutti_tuner *tuner = call->tuner;
    const struct value **named = calloc(tuner->space.nparameters, sizeof *named);
    bool any = false;
    if (!named) {
        text_add(why, "no memory to read TUTTI_FORCE");
        return TUTTI_ERR_MEMORY;
    }
    int status = read_setting(tuner, call->group->settings.force, named, &any, why);
    if (!status && any) {
        status = find_nearest(tuner, named, &forced->configuration, why);
        forced->source = TUTTI_SOURCE_FORCED_ENVIRONMENT;
    }
    free(named);
    return status;
}

/* Says which value is to blame, or that it is the combination. Fields that don't always count may
 * hold anything. */
static void explain(const struct call *call, struct text *why)
{
    const struct space *space = &call->tuner->space;
    text_add(why, "%s: the forced configuration is not in the space", call->tuner->name);
    for (size_t i = 0; i < space->nparameters; i++) {
        const struct parameter *parameter = &space->parameters[i];
        size_t place;
        if (parameter->parent)
            continue;
        const struct value own = parameter_load(parameter, call->force);
        if (parameter_find(parameter, &own, &place))
            continue;
        text_add(why, ": %s is ", parameter->name);
        if (own.kind == TUTTI_KIND_STRING && !own.as.string)
            text_add(why, "NULL");
        else
            value_text(&own, why);
        text_add(why, ", and allowed are ");
        list_values(parameter, why);
        return;
    }
    add_subset(space, why);
}

int force_find(const struct call *call, struct forced *forced, struct text *why)
{
    *forced = (struct forced){0};
    if (call->way == WAY_NOWHERE) {
        explain(call, why);
        return TUTTI_ERR_ARGUMENT;
    }
    if (call->way >= WAY_FORCED) {
        forced->source = TUTTI_SOURCE_FORCED_CODE;
        forced->configuration = call->way - WAY_FORCED;
    }
    if (call->way != WAY_TUNED || !*call->group->settings.force)
        return TUTTI_SUCCESS;
    return find_in_setting(call, forced, why);
}

void force_describe(const struct call *call, struct text *text)
{
    if (call->way == WAY_OFF)
        text_add(text, " with tuning off");
    if (call->way < WAY_FORCED || call->way == WAY_NOWHERE)
        return;
    text_add(text, " with ");
    space_configuration_text(&call->tuner->space, call->way - WAY_FORCED, text);
    text_add(text, " forced");
}
