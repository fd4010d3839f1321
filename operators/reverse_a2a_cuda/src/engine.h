/*
 * What an engine of the device is: a way of moving the data. Each is a file of its own. Shapes,
 * strides and the buffers of a call are checked before it, in plan.c; empty problems never reach
 * one.
 */
#ifndef REVERSE_A2A_CUDA_ENGINE_H
#define REVERSE_A2A_CUDA_ENGINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "reverse_a2a/cuda.h"

/* One call. */
struct a2a_call {
    const char *in;
    char *out;
    bool faulty;        /* wrong buffers: take part, and touch neither */
    uint64_t place;     /* of the operand that peers touch: allocation and offset; else 0 */
    char *const *peers; /* that allocation on each rank; else NULL */
    size_t offset;      /* of the operand in it */
    cudaStream_t stream;
};

enum a2a_touch { A2A_TOUCHES_NOTHING, A2A_TOUCHES_IN, A2A_TOUCHES_OUT };

struct a2a_engine {
    const char *name;
    enum a2a_touch touch; /* the operand that peers reach into */

    /* Local. Are the knobs possible at all? */
    bool (*accepts)(const struct reverse_a2a_cuda_choice *choice);

    /* Local. The symmetric memory that a rank needs; false on overflow. NULL: none. */
    bool (*bytes)(const struct reverse_a2a_cuda_plan *plan, size_t *bytes);

    /* Collective, but need not agree: plan.c does. Fills plan->state. On an error it leaves nothing
     * behind, and a reason in the memory. NULL: nothing to do. */
    int (*prepare)(struct reverse_a2a_cuda_plan *plan);
    void (*release)(struct reverse_a2a_cuda_plan *plan); /* NULL: nothing to do */

    /* Enqueues everything on the call's stream. The device is current. */
    int (*enqueue)(struct reverse_a2a_cuda_plan *plan, const struct a2a_call *call);
};

extern const struct a2a_engine a2a_engine_push;
extern const struct a2a_engine a2a_engine_pull;
extern const struct a2a_engine a2a_engine_dma;
extern const struct a2a_engine a2a_engine_staged;
extern const struct a2a_engine a2a_engine_packets;
extern const struct a2a_engine a2a_engine_nccl;
extern const struct a2a_engine a2a_engine_nvshmem;
extern const struct a2a_engine a2a_engine_reference;

/* By enum reverse_a2a_cuda_engine_name; NULL for unknown numbers. */
const struct a2a_engine *a2a_find_engine(int name);

/* Are grid, block and vector in their ranges? */
bool a2a_accepts_kernel(const struct reverse_a2a_cuda_choice *choice);

#endif
