/* A plan: a checked problem, bound to a memory and to the engine that runs it. */
#ifndef REVERSE_A2A_CUDA_PLAN_H
#define REVERSE_A2A_CUDA_PLAN_H

#include "engine.h"
#include "layout.h"
#include "memory.h"

struct reverse_a2a_cuda_plan {
    struct reverse_a2a_cuda_memory *memory;
    const struct a2a_engine *engine;
    struct reverse_a2a_cuda_choice choice;
    struct reverse_a2a_shape shape;
    struct reverse_a2a_layout layout;
    struct a2a_box box; /* of each part; heads that lie side by side are one wide head */
    size_t in_step,
        out_step; /* bytes from the part of one target to that of the next; of sources */
    void *state;  /* the engine's own */
};

/* The bytes that a thread may move at once, at most `most`, where all of `addresses` (numbers that
 * have to be multiples of it, joined by |) are aligned. */
int a2a_vector_for(int most, size_t addresses);

/* Makes a box as flat as its strides allow: wide rows are copied best. */
void a2a_flatten(struct a2a_box *box);

/* Everything that the alignment of a box depends on, joined by |. */
size_t a2a_box_alignment(const struct a2a_box *box);

/*
 * Copies parts on this device alone: part i from from + i * from_step to to + i * to_step. Enough
 * threads to keep the memory busy.
 */
cudaError_t a2a_copy_locally(const struct a2a_box *box, int parts, const char *from,
                             size_t from_step, char *to, size_t to_step, cudaStream_t stream);

#endif
