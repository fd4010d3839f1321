/* Plans: checks once, so that a call has only its buffers to check (see plan.h). */
#include "plan.h"

#include <stdlib.h>

static int cut_into_blocks(const struct reverse_a2a_layout *layout,
                           const struct reverse_a2a_config *config,
                           struct reverse_a2a_tiling *tiling)
{
    if (config->comm_block_s < 1 || config->comm_block_d < 1 || config->buffer_num < 1)
        return REVERSE_A2A_ERROR_CONFIG;
    *tiling = (struct reverse_a2a_tiling){0};
    if (layout->s == 0)
        return REVERSE_A2A_OK;
    tiling->block_s = reverse_a2a_min((size_t)config->comm_block_s, layout->s);
    tiling->tile = reverse_a2a_min((size_t)config->comm_block_d, layout->d) * layout->element_size;
    tiling->blocks = (layout->s - 1) / tiling->block_s + 1;
    tiling->slots = reverse_a2a_min((size_t)config->buffer_num, tiling->blocks);
    return REVERSE_A2A_OK;
}

static int resolve(const struct reverse_a2a_shape *shape, const struct reverse_a2a_config *config,
                   int ranks, struct reverse_a2a_plan *plan, size_t *bytes)
{
    int result = reverse_a2a_layout_resolve(shape, ranks, &plan->layout);
    if (result == REVERSE_A2A_OK)
        result = cut_into_blocks(&plan->layout, config, &plan->tiling);
    if (result != REVERSE_A2A_OK)
        return result;
    plan->engine = &reverse_a2a_engine_staged;
    if (!plan->engine->peer_bytes(&plan->layout, &plan->tiling, bytes))
        return REVERSE_A2A_ERROR_TOO_LARGE;
    return REVERSE_A2A_OK;
}

int reverse_a2a_memory_bytes(const struct reverse_a2a_shape *shape,
                             const struct reverse_a2a_config *config, int ranks, size_t *bytes)
{
    if (!shape || !config || !bytes)
        return REVERSE_A2A_ERROR_ARGUMENT;
    struct reverse_a2a_plan plan;
    return resolve(shape, config, ranks, &plan, bytes);
}

/* Says in a sentence why the plan was refused. */
static int refuse(struct reverse_a2a_memory *memory, int result,
                  const struct reverse_a2a_shape *shape, const struct reverse_a2a_config *config,
                  size_t bytes)
{
    switch (result) {
    case REVERSE_A2A_ERROR_CONFIG:
        return reverse_a2a_memory_fail(
            memory, result,
            "comm_block_s = %d, comm_block_d = %d, buffer_num = %d: each must be >= 1",
            config->comm_block_s, config->comm_block_d, config->buffer_num);
    case REVERSE_A2A_ERROR_RANKS:
        return reverse_a2a_memory_fail(memory, result,
                                       "the shape was made for %d ranks, the communicator has %d",
                                       shape->ranks, memory->ranks);
    case REVERSE_A2A_ERROR_MEMORY_SIZE:
        return reverse_a2a_memory_fail(
            memory, result, "this configuration needs %zu bytes of symmetric memory, there are %zu",
            bytes, memory->bytes);
    default:
        return reverse_a2a_memory_fail(memory, result, "%s", reverse_a2a_strerror(result));
    }
}

int reverse_a2a_plan_create(struct reverse_a2a_memory *memory,
                            const struct reverse_a2a_shape *shape,
                            const struct reverse_a2a_config *config, struct reverse_a2a_plan **plan)
{
    if (plan)
        *plan = NULL;
    if (!memory || !shape || !config || !plan)
        return REVERSE_A2A_ERROR_ARGUMENT;
    struct reverse_a2a_plan resolved = {.memory = memory};
    size_t bytes = 0;
    int result = resolve(shape, config, memory->ranks, &resolved, &bytes);
    if (result == REVERSE_A2A_OK && bytes > memory->bytes)
        result = REVERSE_A2A_ERROR_MEMORY_SIZE;
    struct reverse_a2a_plan *p = NULL;
    if (result == REVERSE_A2A_OK && !(p = malloc(sizeof(*p))))
        result = REVERSE_A2A_ERROR_OUT_OF_MEMORY;
    if (result != REVERSE_A2A_OK)
        return refuse(memory, result, shape, config, bytes);
    *p = resolved;
    *plan = p;
    return REVERSE_A2A_OK;
}

void reverse_a2a_plan_destroy(struct reverse_a2a_plan *plan)
{
    free(plan);
}

int reverse_a2a_execute(struct reverse_a2a_plan *plan, const void *a, void *c)
{
    if (!plan)
        return REVERSE_A2A_ERROR_ARGUMENT;
    struct reverse_a2a_memory *memory = plan->memory;
    if (memory->broken)
        return REVERSE_A2A_ERROR_BROKEN;
    int fault = reverse_a2a_layout_check_buffers(&plan->layout, a, c);
    int result = plan->engine->exchange(plan, a, c, fault != REVERSE_A2A_OK);
    /* In every call and on every rank the same amount, whatever became of the call. */
    memory->base += plan->tiling.blocks + 1;
    if (fault == REVERSE_A2A_OK || memory->broken)
        return result;
    return reverse_a2a_memory_fail(memory, fault, "rank %d: %s", memory->rank,
                                   reverse_a2a_strerror(fault));
}
