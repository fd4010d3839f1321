/*
 * What an engine is: a way of moving the data. Each is a file of its own. Shapes, strides, the
 * buffers of a call and the counting of `base` are checked and done before and after it, in plan.c;
 * empty problems never reach one.
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
    bool uses_blocks;      /* of the choice; all others count as one block */
    bool needs_one_node;   /* signals, or more, in shared memory */
    bool needs_equal_rows; /* no s_of_ranks */

    /* The bytes of peer_mem that a rank needs; false on overflow. NULL: none. */
    bool (*peer_bytes)(const struct reverse_a2a_layout *layout,
                       const struct reverse_a2a_tiling *tiling, size_t *bytes);

    /* Local. Fills plan->state; on an error leaves nothing behind, and a reason in the memory if it
     * is ENGINE. NULL: nothing to do. */
    int (*prepare)(struct reverse_a2a_plan *plan);
    void (*release)(struct reverse_a2a_plan *plan);

    /* OK, or why the buffers of a call are wrong for this engine. NULL: any will do. */
    int (*check_buffers)(const struct reverse_a2a_plan *plan, const char *in, const char *out);

    /*
     * Moves everything, from memory->base on. With `faulty` this rank's buffers must not be
     * touched: the engine takes part all the same and tells the other ranks, which return PEER.
     * Before it returns OK or an error of this call, it has told every peer that this rank has
     * ended it (reverse_a2a_end_call), and no peer touches its buffers or its peer_mem. base is
     * left alone. After STALL and BROKEN the memory has been given up.
     */
    int (*exchange)(struct reverse_a2a_plan *plan, const char *in, char *out, bool faulty);
};

extern const struct reverse_a2a_engine reverse_a2a_engine_staged;
extern const struct reverse_a2a_engine reverse_a2a_engine_staged_own;
extern const struct reverse_a2a_engine reverse_a2a_engine_pull;
extern const struct reverse_a2a_engine reverse_a2a_engine_push;
extern const struct reverse_a2a_engine reverse_a2a_engine_cma;
extern const struct reverse_a2a_engine reverse_a2a_engine_p2p;
extern const struct reverse_a2a_engine reverse_a2a_engine_reference;

/* By enum reverse_a2a_engine_name; NULL for unknown numbers. */
const struct reverse_a2a_engine *reverse_a2a_find_engine(int name);

#endif
