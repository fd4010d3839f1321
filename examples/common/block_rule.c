/* See block_rule.h. */
#include "block_rule.h"

#define TILE_LIMIT ((int64_t)128 << 10) /* bytes: a larger tile leaves the near cache */

static int64_t blocks_in(int64_t extent, int64_t block)
{
    return extent / block + (extent % block != 0);
}

/* At least 75% of the blocks' room is used. Rounded room may exceed 64 bits: hence double. */
static bool fills(int64_t extent, int64_t block)
{
    return (double)extent >= 0.75 * (double)blocks_in(extent, block) * (double)block;
}

/* The first match decides. */
bool block_rule_keeps(const struct reverse_a2a_shape *shape,
                      const struct reverse_a2a_config *blocks)
{
    const int64_t block_s = blocks->comm_block_s, block_d = blocks->comm_block_d;
    if (blocks->buffer_num > blocks_in(shape->s, block_s))
        return false; /* some buffers would never be used */
    if (block_s == 128 && block_d == 128)
        return true; /* the customary blocks */
    if (block_s > shape->s || block_d > shape->d)
        return false;
    if (!fills(shape->s, block_s) || !fills(shape->d, block_d))
        return false;
    return block_s * block_d * (int64_t)shape->element_size <= TILE_LIMIT;
}
