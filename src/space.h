/*
 * The space: all configurations in a fixed order. Either the cartesian product of the parameters'
 * values, the first parameter varying slowest, which needs no memory; or rows, one for each
 * configuration, where conditions and a constraint leave only some of the product, or where the
 * user lists the configurations.
 */
#ifndef SPACE_H
#define SPACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tutti/tuner.h>

#include "parameter.h"
#include "text.h"

/* The most that a constraint is asked about; the most parameters, since rows are made on the stack.
 */
#define SPACE_COUNTED    ((uint64_t)1 << 31)
#define SPACE_PARAMETERS 256

struct space {
    struct parameter *parameters;
    size_t nparameters;
    size_t config_size;
    uint64_t size;   /* number of configurations, 1 to SPACE_LIMIT */
    uint32_t *rows;  /* NULL: the product. For each configuration the places of its values */
    uint32_t *order; /* the rows in ascending order; NULL: they are */
    char subset[33]; /* a hash of the rows, where they are not all that the parameters allow */
};

/* What a space is made of, as in tutti_tuner_desc. */
struct space_source {
    const tutti_param *params;
    size_t nparams, config_size;
    const void *configurations;
    size_t nconfigurations;
    tutti_constraint_fn constraint;
    void *user;

    /* For a subset that is read from a record, else 0: how many configurations it has. Their rows
     * are all 0 until the caller fills them. */
    uint64_t members;
};

/* Copies the source. Errors: TUTTI_ERR_SPACE, TUTTI_ERR_ARGUMENT or TUTTI_ERR_MEMORY, with the
 * reason added to why. */
int space_init(struct space *space, const struct space_source *source, struct text *why);
void space_release(struct space *space);

/* The value that a configuration gives to a parameter, its first if it does not count. */
const struct value *space_value(const struct space *space, uint64_t index, size_t parameter);

/* Whether a parameter counts in a configuration. index < size, as in all below. */
bool space_counts(const struct space *space, uint64_t index, size_t parameter);

/* Writes a configuration into the user's struct, bytes between fields zeroed. */
void space_fill(const struct space *space, uint64_t index, void *config);

/* Finds the index of a filled struct, whatever it holds where a parameter does not count; false if
 * it is not in the space. */
bool space_find(const struct space *space, const void *config, uint64_t *index);

/* The configuration that has the next value (step 1) or the one before (-1) of a parameter; false
 * if there is none. */
bool space_neighbour(const struct space *space, uint64_t index, size_t parameter, int step,
                     uint64_t *neighbour);

/* "comm_block_s=32, comm_block_d=64"; parameters that don't count are left out. */
void space_configuration_text(const struct space *space, uint64_t index, struct text *text);

/* One line per parameter, and one for a subset: equal texts mean equal spaces. */
void space_text(const struct space *space, struct text *text);

#endif
