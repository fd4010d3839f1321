/* See space.h. */
#include "space.h"

#define STAGED_BLOCK 512 /* threads: the most that the staged kernel can have */
#define VECTOR       16  /* bytes: the widest that addresses allow is the fastest on every shape */

#define KERNELS                                                                                    \
    TUTTI_WHEN(struct knobs, engine, REVERSE_A2A_CUDA_PUSH, REVERSE_A2A_CUDA_PULL,                 \
               REVERSE_A2A_CUDA_STAGED)
#define COPIES TUTTI_WHEN(struct knobs, engine, REVERSE_A2A_CUDA_PUSH, REVERSE_A2A_CUDA_PULL)
#define DMA    TUTTI_WHEN(struct knobs, engine, REVERSE_A2A_CUDA_DMA)
#define STAGED TUTTI_WHEN(struct knobs, engine, REVERSE_A2A_CUDA_STAGED)

/* The first value of each is configuration 0. NCCL is what is compared with, and no candidate. */
static const tutti_param params[] = {
    TUTTI_CHOICE(struct knobs, engine, {REVERSE_A2A_CUDA_PUSH, "push"},
                 {REVERSE_A2A_CUDA_PULL, "pull"}, {REVERSE_A2A_CUDA_DMA, "dma"},
                 {REVERSE_A2A_CUDA_STAGED, "staged"}),
    TUTTI_PARAM_IF(struct knobs, grid, KERNELS, 64, 16, 32, 128),
    TUTTI_PARAM_IF(struct knobs, block, COPIES, 512, 256, 1024),
    TUTTI_PARAM_IF(struct knobs, streams, DMA, 2, 1, 4),
    TUTTI_PARAM_IF(struct knobs, comm_block_s, STAGED, 128, 32, 512),
    TUTTI_PARAM_IF(struct knobs, comm_block_d, STAGED, 128, 64),
    TUTTI_PARAM_IF(struct knobs, buffer_num, STAGED, 2, 4),
};

const struct knobs space_customary = {.engine = REVERSE_A2A_CUDA_STAGED,
                                      .grid = 64,
                                      .block = 512,
                                      .streams = 2,
                                      .comm_block_s = 128,
                                      .comm_block_d = 128,
                                      .buffer_num = 2};

const tutti_param *space_params(size_t *count)
{
    *count = sizeof params / sizeof params[0];
    return params;
}

struct reverse_a2a_cuda_choice space_choice(const struct knobs *knobs)
{
    struct reverse_a2a_cuda_choice choice = {.engine = knobs->engine};
    if (knobs->engine == REVERSE_A2A_CUDA_DMA) {
        choice.streams = knobs->streams;
        return choice;
    }
    const bool staged = knobs->engine == REVERSE_A2A_CUDA_STAGED;
    choice.grid = knobs->grid;
    choice.block = staged ? STAGED_BLOCK : knobs->block;
    choice.vector = VECTOR;
    if (staged) {
        choice.comm_block_s = knobs->comm_block_s;
        choice.comm_block_d = knobs->comm_block_d;
        choice.buffer_num = knobs->buffer_num;
    }
    return choice;
}

static int64_t blocks_in(int64_t extent, int64_t block)
{
    return extent / block + (extent % block != 0);
}

/* Of the staged engine only: slots that are used, and lanes that have a tile. */
bool space_keeps(const struct reverse_a2a_shape *shape, const struct knobs *knobs)
{
    if (knobs->engine != REVERSE_A2A_CUDA_STAGED)
        return true;
    const int64_t blocks = blocks_in(shape->s, knobs->comm_block_s);
    const int64_t tiles = shape->h * blocks_in(shape->d, knobs->comm_block_d);
    if (blocks < knobs->buffer_num && knobs->buffer_num > 2)
        return false;
    return knobs->grid / 2 <= tiles || knobs->grid <= 16;
}
