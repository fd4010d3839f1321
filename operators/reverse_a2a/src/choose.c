/* Chooses engines, copies and blocks without measuring (see choose.h and docs/performance.md). */
#include "choose.h"

#include "memory.h"

/*
 * From this many bytes a rank on, streaming stores win: what is written leaves the caches anyway.
 * Where data is copied twice, the second copy finds it in a cache, and that for longer.
 */
#define STREAMING_BYTES       ((size_t)1 << 20)
#define STREAMING_BYTES_TWICE ((size_t)4 << 20)

/* Up to here one copy by the operating system is faster than two through a cache. */
#define CMA_BYTES ((size_t)16 << 20)

int reverse_a2a_cached_copy(void)
{
    return reverse_a2a_gains_by_prefetching() ? REVERSE_A2A_COPY_PREFETCHING
                                              : REVERSE_A2A_COPY_WIDE;
}

int reverse_a2a_resolve_copy(const struct reverse_a2a_choice *choice,
                             const struct reverse_a2a_layout *layout)
{
    size_t bytes = reverse_a2a_layout_bytes(layout);
    bool once = choice->engine == REVERSE_A2A_PULL || choice->engine == REVERSE_A2A_PUSH;
    if (choice->copy != REVERSE_A2A_COPY_AUTO)
        return choice->copy;
    if (bytes >= (once ? STREAMING_BYTES : STREAMING_BYTES_TWICE))
        return REVERSE_A2A_COPY_STREAMING;
    return choice->engine == REVERSE_A2A_CMA ? REVERSE_A2A_COPY_PLAIN : reverse_a2a_cached_copy();
}

/* Blocks that stay in a cache on their way: about 64 KiB from one rank to another. */
static void choose_blocks(const struct reverse_a2a_layout *layout,
                          struct reverse_a2a_choice *choice)
{
    size_t bytes_a_row = layout->h * layout->row + 1;
    size_t rows = ((size_t)64 << 10) / bytes_a_row;
    choice->comm_block_s = rows < 1 ? 1 : (int)rows;
    choice->comm_block_d = layout->d < 1 ? 1 : layout->d > 4096 ? 4096 : (int)layout->d;
    choice->buffer_num = 4;
}

int reverse_a2a_estimate(const struct reverse_a2a_memory *memory,
                         const struct reverse_a2a_shape *shape, int symmetric,
                         struct reverse_a2a_choice *choice)
{
    if (!memory || !shape || !choice)
        return REVERSE_A2A_ERROR_ARGUMENT;
    struct reverse_a2a_layout layout;
    int result = reverse_a2a_layout_resolve(shape, memory->ranks, -1, &layout);
    if (result != REVERSE_A2A_OK)
        return result;
    *choice = (struct reverse_a2a_choice){.copy = REVERSE_A2A_COPY_AUTO};
    choose_blocks(&layout, choice);
    if (!memory->shared)
        choice->engine = REVERSE_A2A_P2P;
    else if (symmetric & REVERSE_A2A_SOURCE_SYMMETRIC)
        choice->engine = REVERSE_A2A_PULL;
    else if (symmetric & REVERSE_A2A_TARGET_SYMMETRIC)
        choice->engine = REVERSE_A2A_PUSH;
    else if (memory->reads_peers && reverse_a2a_layout_bytes(&layout) < CMA_BYTES)
        choice->engine = REVERSE_A2A_CMA;
    else
        choice->engine = REVERSE_A2A_STAGED_OWN;
    return REVERSE_A2A_OK;
}
