/* The memory of one cold call, all taken before the first group operation: a rank that has none
 * says so in the agreement, and no rank can run out half-way with the others waiting. */
#ifndef WORKSPACE_H
#define WORKSPACE_H

#include <stdint.h>

struct workspace {
    uint64_t *words; /* 2 per configuration and 2 per rank */
    uint64_t *own;   /* 1 per configuration: this rank's measured time, as a word */
    void **slots;    /* 1 per configuration: tutti_context.slot */
    void *config;    /* one configuration */
};

#endif
