/* The space: the cartesian product of the parameters' values, in a fixed order. */
#ifndef SPACE_H
#define SPACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tutti/param.h>

#include "text.h"

#define SPACE_LIMIT ((uint64_t)1 << 20) /* configurations; every one has a trial in memory */

/* A value of a knob, apart from the width of its field. */
struct value {
    int32_t kind; /* TUTTI_KIND_... */
    union {
        int64_t integer; /* I32, U32, I64 */
        double real;     /* F64 */
        bool flag;       /* BOOL */
    } as;
};

struct parameter {
    char *name;
    int32_t kind;
    size_t offset, size;
    struct value *values;
    size_t count;
};

struct space {
    struct parameter *parameters;
    size_t nparameters;
    size_t config_size;
    uint64_t size; /* number of configurations, 1 to SPACE_LIMIT */
};

/* Copies the table. Errors: TUTTI_ERR_SPACE, TUTTI_ERR_ARGUMENT or TUTTI_ERR_MEMORY, with the
 * reason added to why. */
int space_init(struct space *space, const tutti_param *params, size_t nparams, size_t config_size,
               struct text *why);
void space_release(struct space *space);

/* The value that a configuration gives to a parameter. index < size. */
const struct value *space_value(const struct space *space, uint64_t index, size_t parameter);

/* Writes a configuration into the user's struct, bytes between fields zeroed. */
void space_fill(const struct space *space, uint64_t index, void *config);

/* Finds the index of a filled struct; false if a field has a value that is not in the table. */
bool space_find(const struct space *space, const void *config, uint64_t *index);

bool value_equal(const struct value *a, const struct value *b); /* doubles by their bits */

/* Exact text: doubles with 17 digits. */
void value_text(const struct value *value, struct text *text);

/* "comm_block_s=32, comm_block_d=64" */
void space_configuration_text(const struct space *space, uint64_t index, struct text *text);

/* One line per parameter, "comm_block_s (i32): 32 64 128": equal texts mean equal spaces. */
void space_text(const struct space *space, struct text *text);

/* The kind as it stands in records, "i32", and back (0 if unknown). */
const char *kind_name(int32_t kind);
int32_t kind_from_name(const char *name);

#endif
