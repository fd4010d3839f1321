/* See space_rows.h. */
#include "space_rows.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define XXH_STATIC_LINKING_ONLY /* only for the streaming state on the stack */
#include <xxhash.h>

#include <tutti/error.h>

#define REFUSE SPACE_REFUSE

static size_t index_of(const struct space *space, const struct parameter *parameter)
{
    return (size_t)(parameter - space->parameters);
}

bool places_count(const struct space *space, const uint32_t *places, size_t parameter)
{
    const struct parameter *at = &space->parameters[parameter];
    for (; at->parent; at = at->parent)
        if (!at->marked[places[index_of(space, at->parent)]])
            return false;
    return true;
}

void places_fill(const struct space *space, const uint32_t *places, void *config)
{
    memset(config, 0, space->config_size);
    for (size_t p = 0; p < space->nparameters; p++) {
        const struct parameter *parameter = &space->parameters[p];
        value_store(&parameter->values[places[p]], (char *)config + parameter->offset);
    }
}

bool places_load(const struct space *space, const void *config, uint32_t *places, size_t *stray)
{
    for (size_t p = 0; p < space->nparameters; p++) {
        const struct value value = parameter_load(&space->parameters[p], config);
        size_t place = 0;
        *stray = p;
        if (places_count(space, places, p) &&
            !parameter_find(&space->parameters[p], &value, &place))
            return false;
        places[p] = (uint32_t)place;
    }
    return true;
}

/* ---- counting ---- */

static uint64_t add(uint64_t a, uint64_t b)
{
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

static uint64_t multiply(uint64_t a, uint64_t b)
{
    return a != 0 && b > UINT64_MAX / a ? UINT64_MAX : a * b;
}

/*
 * How many ways there are to set a parameter that counts, and all that depend on it. Conditions
 * make trees, since each parameter has one parent: for each value, the ways of the children that
 * count with it are independent of each other.
 */
static uint64_t count_ways(const struct space *space, size_t parameter, const uint64_t *ways)
{
    const struct parameter *parent = &space->parameters[parameter];
    uint64_t sum = 0;
    for (size_t v = 0; v < parent->count; v++) {
        uint64_t product = 1;
        for (size_t p = parameter + 1; p < space->nparameters; p++) {
            const struct parameter *child = &space->parameters[p];
            if (child->parent == parent && child->marked[v])
                product = multiply(product, ways[p]);
        }
        sum = add(sum, product);
    }
    return sum;
}

uint64_t rows_count(const struct space *space)
{
    uint64_t ways[SPACE_PARAMETERS], count = 1;
    for (size_t p = space->nparameters; p-- > 0;) {
        ways[p] = count_ways(space, p, ways);
        if (!space->parameters[p].parent)
            count = multiply(count, ways[p]);
    }
    return count;
}

/* ---- order ---- */

static int compare_rows(const uint32_t *a, const uint32_t *b, size_t n)
{
    for (size_t p = 0; p < n; p++)
        if (a[p] != b[p])
            return a[p] < b[p] ? -1 : 1;
    return 0;
}

static const uint32_t *row(const struct space *space, uint64_t index)
{
    return space->rows + index * space->nparameters;
}

bool rows_find(const struct space *space, const uint32_t *places, uint64_t *index)
{
    uint64_t low = 0, high = space->size;
    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;
        *index = space->order ? space->order[middle] : middle;
        const int compared = compare_rows(places, row(space, *index), space->nparameters);
        if (compared == 0)
            return true;
        if (compared < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return false;
}

static int compare_listed(const void *a, const void *b, void *user)
{
    const struct space *space = user;
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    const int compared = compare_rows(row(space, x), row(space, y), space->nparameters);
    return compared ? compared : (x > y) - (x < y);
}

static void sort_list(struct space *space)
{
    for (uint64_t i = 0; i < space->size; i++)
        space->order[i] = (uint32_t)i;
    qsort_r(space->order, (size_t)space->size, sizeof *space->order, compare_listed, space);
}

/* ---- what is left ---- */

/* The hash as the format of records has it: places in 32 bits, little-endian, row by row. */
void rows_name_subset(struct space *space)
{
    XXH3_state_t state;
    XXH3_128bits_reset(&state);
    const size_t words = (size_t)space->size * space->nparameters;
    for (size_t i = 0; i < words; i++) {
        const uint32_t place = space->rows[i];
        const unsigned char bytes[] = {(unsigned char)place, (unsigned char)(place >> 8),
                                       (unsigned char)(place >> 16), (unsigned char)(place >> 24)};
        XXH3_128bits_update(&state, bytes, sizeof bytes);
    }
    const XXH128_hash_t hash = XXH3_128bits_digest(&state);
    snprintf(space->subset, sizeof space->subset, "%016" PRIx64 "%016" PRIx64,
             (uint64_t)hash.high64, (uint64_t)hash.low64);
}

/* Whether the user's constraint keeps a configuration; config is memory for it. */
static bool is_kept(const struct space *space, const struct space_source *source,
                    const uint32_t *places, void *config)
{
    if (!source->constraint)
        return true;
    places_fill(space, places, config);
    return source->constraint(config, source->user);
}

static int check_rest(const struct space *space, uint64_t count, struct text *why)
{
    if (space->size > SPACE_LIMIT)
        return REFUSE(why, TUTTI_ERR_SPACE,
                      "the constraint keeps more than %" PRIu64 " of %" PRIu64
                      " configurations, which is the most that can be searched: give the "
                      "parameters fewer values, or tighten the constraint",
                      SPACE_LIMIT, count);
    if (space->size == 0)
        return REFUSE(why, TUTTI_ERR_SPACE,
                      "the constraint removes all of the %" PRIu64 " configurations", count);
    return TUTTI_SUCCESS;
}

/* ---- enumerating ---- */

/* The next row in ascending order: the last parameter that counts and can goes on, what follows it
 * begins anew. False after the last. */
static bool advance(const struct space *space, uint32_t *places)
{
    for (size_t p = space->nparameters; p-- > 0;) {
        if (places[p] + 1 < space->parameters[p].count && places_count(space, places, p)) {
            places[p]++;
            return true;
        }
        places[p] = 0;
    }
    return false;
}

static bool append(struct space *space, const uint32_t *places, uint64_t *capacity)
{
    const size_t row_size = space->nparameters * sizeof *places;
    if (space->size == *capacity) {
        const uint64_t more = *capacity ? 2 * *capacity : 64;
        uint32_t *rows = realloc(space->rows, (size_t)more * row_size);
        if (!rows)
            return false;
        space->rows = rows;
        *capacity = more;
    }
    memcpy(space->rows + space->size++ * space->nparameters, places, row_size);
    return true;
}

int rows_enumerate(struct space *space, const struct space_source *source, uint64_t count,
                   struct text *why)
{
    uint32_t places[SPACE_PARAMETERS] = {0};
    uint64_t capacity = 0;
    bool more = true;
    void *config = malloc(space->config_size);
    bool memory = config != NULL;
    space->size = 0;
    while (memory && more && space->size <= SPACE_LIMIT) {
        if (is_kept(space, source, places, config))
            memory = append(space, places, &capacity);
        more = advance(space, places);
    }
    free(config);
    if (!memory)
        return REFUSE(why, TUTTI_ERR_MEMORY, "no memory for the configurations of the space");
    const int error = check_rest(space, count, why);
    if (!error && space->size < count)
        rows_name_subset(space);
    return error;
}

int rows_reserve(struct space *space, uint64_t members, struct text *why)
{
    space->rows = calloc((size_t)members * space->nparameters, sizeof *space->rows);
    if (!space->rows)
        return REFUSE(why, TUTTI_ERR_MEMORY, "no memory for %" PRIu64 " configurations", members);
    space->size = members;
    return TUTTI_SUCCESS;
}

/* ---- the list ---- */

static int load_list(struct space *space, const struct space_source *source, struct text *why)
{
    for (size_t i = 0; i < source->nconfigurations; i++) {
        const char *config = (const char *)source->configurations + i * space->config_size;
        size_t stray;
        if (!places_load(space, config, space->rows + i * space->nparameters, &stray))
            return REFUSE(why, TUTTI_ERR_SPACE,
                          "configuration %zu of the list has a value for %s that the parameter "
                          "does not have",
                          i, space->parameters[stray].name);
    }
    space->size = source->nconfigurations;
    return TUTTI_SUCCESS;
}

static int refuse_repeated(const struct space *space, struct text *why)
{
    for (uint64_t i = 1; i < space->size; i++) {
        const uint32_t a = space->order[i - 1], b = space->order[i];
        if (compare_rows(row(space, a), row(space, b), space->nparameters) != 0)
            continue;
        text_add(why, "configurations %u and %u of the list are the same: ", a, b);
        space_configuration_text(space, a, why);
        return TUTTI_ERR_SPACE;
    }
    return TUTTI_SUCCESS;
}

static void drop_unkept(struct space *space, const struct space_source *source, void *config)
{
    uint64_t kept = 0;
    for (uint64_t i = 0; i < space->size; i++)
        if (is_kept(space, source, row(space, i), config))
            memmove(space->rows + kept++ * space->nparameters, row(space, i),
                    space->nparameters * sizeof *space->rows);
    space->size = kept;
}

int rows_list(struct space *space, const struct space_source *source, struct text *why)
{
    const size_t count = source->nconfigurations;
    void *config = malloc(space->config_size);
    space->rows = calloc(count * space->nparameters, sizeof *space->rows);
    space->order = calloc(count, sizeof *space->order);
    int error = TUTTI_SUCCESS;
    if (!config || !space->rows || !space->order)
        error = REFUSE(why, TUTTI_ERR_MEMORY, "no memory for %zu configurations", count);
    if (!error)
        error = load_list(space, source, why);
    if (!error) {
        sort_list(space);
        error = refuse_repeated(space, why);
    }
    if (!error) {
        drop_unkept(space, source, config);
        error = check_rest(space, count, why);
    }
    if (!error) {
        sort_list(space);
        rows_name_subset(space);
    }
    free(config);
    return error;
}
