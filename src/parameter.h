/* One knob of a space: its field, its values, and when it counts. */
#ifndef PARAMETER_H
#define PARAMETER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "text.h"
#include "value.h"

#define SPACE_LIMIT ((uint64_t)1 << 20) /* configurations; every one has a trial in memory */

/* Adds the reason and returns the error, so that a check is one statement. */
#define SPACE_REFUSE(why, error, ...) (text_add(why, __VA_ARGS__), (error))

struct parameter {
    char *name;
    int32_t kind;
    size_t offset, size; /* of the field */
    struct value *values;
    size_t count;
    uint32_t *sorted; /* the places of the values, in the order of the values */
    bool named;       /* its values are choices */
    uint64_t stride;  /* in a whole product: the distance of neighbouring values */

    /* It counts where its parent does, and has a value whose place is marked. */
    const struct parameter *parent; /* earlier in the table; NULL: always counts */
    bool *marked;                   /* one for each value of the parent */
};

/* Configurations as the user lists them, for knobs whose table has no values. */
struct listing {
    const void *configurations; /* NULL: none */
    size_t count, size;         /* how many, and of each in bytes */
};

/*
 * Copies one entry of a checked table. Without values of its own, those of the listing, in the
 * order of their first appearance. Errors: TUTTI_ERR_SPACE, TUTTI_ERR_MEMORY, with the reason added
 * to why; parameter_release is due in any case.
 */
int parameter_init(struct parameter *parameter, const tutti_param *param,
                   const struct listing *listing, struct text *why);
void parameter_release(struct parameter *parameter);

/* Sets when it counts: parents are the `earlier` parameters before it. Errors: as above. */
int parameter_set_condition(struct parameter *parameter, const tutti_condition *condition,
                            const struct parameter *parents, size_t earlier, struct text *why);

/* The place of a value among those of the parameter; false if it is not there. */
bool parameter_find(const struct parameter *parameter, const struct value *value, size_t *place);

/* What a configuration holds in the parameter's field. */
struct value parameter_load(const struct parameter *parameter, const void *config);

/* The kind as it stands in records: "i32", or "choice". */
const char *parameter_kind_name(const struct parameter *parameter);

/* "comm_block_s (i32): 32 64 128", and "; when mode is ring" behind it. */
void parameter_text(const struct parameter *parameter, struct text *text);

#endif
