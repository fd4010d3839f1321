/*
 * What an engine is: a way of moving the blocks. Each is a file of its own. Shapes, strides, the
 * buffers of a call and the counting of `base` are checked and done before and after it, in plan.c.
 */
#ifndef REVERSE_A2A_ENGINE_H
#define REVERSE_A2A_ENGINE_H

#include <stdbool.h>
#include <stddef.h>

struct reverse_a2a_layout;
struct reverse_a2a_plan;
struct reverse_a2a_tiling;

struct reverse_a2a_engine {
    const char *name;

    /* The bytes of peer_mem that a rank needs; false on overflow. */
    bool (*peer_bytes)(const struct reverse_a2a_layout *layout,
                       const struct reverse_a2a_tiling *tiling, size_t *bytes);

    /*
     * Moves everything, from memory->base on. With `faulty` this rank's a and c must not be
     * touched: the engine takes part in the signals all the same and tells the other ranks, which
     * return PEER. base is left alone. Returns OK, PEER, STALL or BROKEN; after the last two the
     * memory has been given up.
     */
    int (*exchange)(struct reverse_a2a_plan *plan, const char *a, char *c, bool faulty);
};

extern const struct reverse_a2a_engine reverse_a2a_engine_staged;

#endif
