/* See space.h. */
#include "space.h"

#define STAGED_BLOCK 512 /* threads: the most that the staged kernel can have */
#define VECTOR       16  /* bytes: the widest that addresses allow is the fastest on every shape */

#define KERNELS                                                                                    \
    TUTTI_WHEN(struct knobs, engine, REVERSE_A2A_CUDA_PUSH, REVERSE_A2A_CUDA_PULL,                 \
               REVERSE_A2A_CUDA_PACKETS, REVERSE_A2A_CUDA_STAGED)
#define COPIES                                                                                     \
    TUTTI_WHEN(struct knobs, engine, REVERSE_A2A_CUDA_PUSH, REVERSE_A2A_CUDA_PULL,                 \
               REVERSE_A2A_CUDA_PACKETS)
#define DMA    TUTTI_WHEN(struct knobs, engine, REVERSE_A2A_CUDA_DMA)
#define STAGED TUTTI_WHEN(struct knobs, engine, REVERSE_A2A_CUDA_STAGED)

/* The first value of each is configuration 0. NCCL is what is compared with, and no candidate. */
static const tutti_param params[] = {
    TUTTI_CHOICE(struct knobs, engine, {REVERSE_A2A_CUDA_PUSH, "push"},
                 {REVERSE_A2A_CUDA_PULL, "pull"}, {REVERSE_A2A_CUDA_PACKETS, "packets"},
                 {REVERSE_A2A_CUDA_DMA, "dma"}, {REVERSE_A2A_CUDA_STAGED, "staged"}),
    TUTTI_PARAM_IF(struct knobs, grid, KERNELS, 128, 64, 32),
    TUTTI_PARAM_IF(struct knobs, block, COPIES, 512, 256, 1024),
    TUTTI_PARAM_IF(struct knobs, streams, DMA, 2, 1, 4),
    TUTTI_PARAM_IF(struct knobs, comm_block_s, STAGED, 128, 512),
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

/* Bytes of A on a rank up to which a call is a matter of latency. */
#define SMALL ((double)(2 << 20))

/* Bytes that packets may bring from one rank to another. */
#define PACKETS_LIMIT ((double)(256 << 10))

/* Slots that are used, and lanes that have a tile. */
static bool keeps_staged(const struct reverse_a2a_shape *shape, const struct knobs *knobs)
{
    const int64_t blocks = blocks_in(shape->s, knobs->comm_block_s);
    const int64_t tiles = shape->h * blocks_in(shape->d, knobs->comm_block_d);
    return knobs->buffer_num <= blocks && (knobs->grid / 2 <= tiles || knobs->grid == 64);
}

/*
 * From bench/reverse_a2a_cuda (docs/performance.md): small problems are for one kernel of some
 * threads, since all else costs more than the copy; large ones need many threads.
 */
bool space_keeps(const struct reverse_a2a_shape *shape, int ranks, const struct knobs *knobs)
{
    const double part =
        (double)shape->s * (double)shape->h * (double)shape->d * (double)shape->element_size;
    const bool copies =
        knobs->engine == REVERSE_A2A_CUDA_PUSH || knobs->engine == REVERSE_A2A_CUDA_PULL;
    if (knobs->engine == REVERSE_A2A_CUDA_PACKETS)
        return part <= PACKETS_LIMIT && knobs->grid <= 64 && knobs->block <= 512;
    if (part * ranks <= SMALL)
        return copies && knobs->grid == 64 && knobs->block <= 512;
    if (knobs->engine == REVERSE_A2A_CUDA_DMA)
        return true;
    return knobs->grid >= 64 && (copies || keeps_staged(shape, knobs));
}
