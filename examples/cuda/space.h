/* The knobs of the reverse all-to-all on GPUs: what there is to choose, and what is worth a try. */
#ifndef EXAMPLES_CUDA_SPACE_H
#define EXAMPLES_CUDA_SPACE_H

#include <stdbool.h>
#include <stddef.h>

#include <reverse_a2a/cuda.h>
#include <tutti/param.h>

/* A configuration. What an engine does not use has its first value. */
struct knobs {
    int engine;                                 /* enum reverse_a2a_cuda_engine_name */
    int grid;                                   /* push, pull, staged */
    int block;                                  /* push, pull */
    int streams;                                /* dma */
    int comm_block_s, comm_block_d, buffer_num; /* staged */
};

/* The table for a tuner. Local. */
const tutti_param *space_params(size_t *count);

/* The staged engine with the customary blocks (128,128,2). */
extern const struct knobs space_customary;

/* What the operator is to be told. Knobs that the engine does not have are 0. Local. */
struct reverse_a2a_cuda_choice space_choice(const struct knobs *knobs);

/* True: worth measuring. Local. */
bool space_keeps(const struct reverse_a2a_shape *shape, int ranks, const struct knobs *knobs);

#endif
