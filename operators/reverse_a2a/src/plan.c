/* Plans: checks once, so that a call has only its buffers to check (see plan.h). */
#include "plan.h"

#include <stdlib.h>

#include "choose.h"
#include "team.h"

static int cut_into_blocks(const struct reverse_a2a_choice *choice, struct reverse_a2a_plan *plan)
{
    const struct reverse_a2a_layout *layout = &plan->layout;
    struct reverse_a2a_tiling *tiling = &plan->tiling;
    *tiling = (struct reverse_a2a_tiling){0};
    if (!plan->engine->uses_blocks) {
        *tiling = (struct reverse_a2a_tiling){layout->s, layout->row, layout->s > 0, 1};
        return REVERSE_A2A_OK;
    }
    if (choice->comm_block_s < 1 || choice->comm_block_d < 1 || choice->buffer_num < 1)
        return REVERSE_A2A_ERROR_CONFIG;
    if (layout->s == 0)
        return REVERSE_A2A_OK;
    tiling->block_s = reverse_a2a_min((size_t)choice->comm_block_s, layout->s);
    tiling->tile = reverse_a2a_min((size_t)choice->comm_block_d, layout->d) * layout->element_size;
    tiling->blocks = (layout->s - 1) / tiling->block_s + 1;
    tiling->slots = reverse_a2a_min((size_t)choice->buffer_num, tiling->blocks);
    return REVERSE_A2A_OK;
}

static const struct reverse_a2a_kernel *find_kernel(const struct reverse_a2a_kernel_set *set,
                                                    int copy)
{
    switch (copy) {
    case REVERSE_A2A_COPY_PLAIN:
        return &reverse_a2a_plain_kernel;
    case REVERSE_A2A_COPY_WIDE:
        return &set->wide;
    case REVERSE_A2A_COPY_PREFETCHING:
        return &set->prefetching;
    default:
        return &set->streaming;
    }
}

static void choose_kernels(struct reverse_a2a_plan *plan)
{
    const struct reverse_a2a_kernel_set *set = reverse_a2a_find_kernels();
    int copy = reverse_a2a_resolve_copy(&plan->choice, &plan->layout);
    plan->choice.copy = copy;
    plan->into_out = find_kernel(set, copy);
    /* What is staged is read again at once: it belongs into a cache. */
    bool cached = copy == REVERSE_A2A_COPY_STREAMING;
    plan->into_stage = find_kernel(set, cached ? reverse_a2a_cached_copy() : copy);
}

static bool lacks_threads(const struct reverse_a2a_choice *choice)
{
    return choice->threads > 1 && !reverse_a2a_has_threads();
}

static int resolve(const struct reverse_a2a_shape *shape, const struct reverse_a2a_choice *choice,
                   int ranks, int rank, struct reverse_a2a_plan *plan, size_t *bytes)
{
    *bytes = 0;
    plan->choice = *choice;
    plan->engine = reverse_a2a_find_engine(choice->engine);
    if (!plan->engine || !reverse_a2a_copy_string(choice->copy) || choice->threads < 0 ||
        choice->threads > REVERSE_A2A_THREADS_MAX)
        return REVERSE_A2A_ERROR_CONFIG;
    plan->choice.threads = choice->threads < 1 ? 1 : choice->threads;
    int result = reverse_a2a_layout_resolve(shape, ranks, rank, &plan->layout);
    if (result == REVERSE_A2A_OK)
        result = cut_into_blocks(choice, plan);
    if (result != REVERSE_A2A_OK)
        return result;
    if ((shape->s_of_ranks && plan->engine->needs_equal_rows) || lacks_threads(choice))
        return REVERSE_A2A_ERROR_ENGINE;
    choose_kernels(plan);
    if (plan->engine->peer_bytes && !plan->engine->peer_bytes(&plan->layout, &plan->tiling, bytes))
        return REVERSE_A2A_ERROR_TOO_LARGE;
    return REVERSE_A2A_OK;
}

static struct reverse_a2a_choice with_staged(const struct reverse_a2a_config *config)
{
    return (struct reverse_a2a_choice){.engine = REVERSE_A2A_STAGED,
                                       .copy = REVERSE_A2A_COPY_AUTO,
                                       .comm_block_s = config->comm_block_s,
                                       .comm_block_d = config->comm_block_d,
                                       .buffer_num = config->buffer_num};
}

int reverse_a2a_memory_bytes_for(const struct reverse_a2a_shape *shape,
                                 const struct reverse_a2a_choice *choice, int ranks, size_t *bytes)
{
    if (!shape || !choice || !bytes)
        return REVERSE_A2A_ERROR_ARGUMENT;
    struct reverse_a2a_plan plan;
    return resolve(shape, choice, ranks, -1, &plan, bytes);
}

int reverse_a2a_memory_bytes(const struct reverse_a2a_shape *shape,
                             const struct reverse_a2a_config *config, int ranks, size_t *bytes)
{
    if (!shape || !config || !bytes)
        return REVERSE_A2A_ERROR_ARGUMENT;
    struct reverse_a2a_choice choice = with_staged(config);
    return reverse_a2a_memory_bytes_for(shape, &choice, ranks, bytes);
}

/* Can the engine run in this memory, with what there is of it? */
static int check_memory(const struct reverse_a2a_memory *memory,
                        const struct reverse_a2a_plan *plan, size_t bytes)
{
    if (plan->engine->needs_one_node && !memory->shared)
        return REVERSE_A2A_ERROR_NODES;
    return bytes > memory->bytes ? REVERSE_A2A_ERROR_MEMORY_SIZE : REVERSE_A2A_OK;
}

/* Says in a sentence why the plan was refused. */
static int refuse(struct reverse_a2a_memory *memory, int result,
                  const struct reverse_a2a_shape *shape, const struct reverse_a2a_choice *choice,
                  size_t bytes)
{
    const char *engine = reverse_a2a_engine_string(choice->engine);
    switch (result) {
    case REVERSE_A2A_ERROR_CONFIG:
        return reverse_a2a_memory_fail(
            memory, result,
            "engine %d, copy %d, comm_block_s = %d, comm_block_d = %d, buffer_num = %d, threads = "
            "%d: unknown, a block below 1, or threads not from 0 to %d",
            choice->engine, choice->copy, choice->comm_block_s, choice->comm_block_d,
            choice->buffer_num, choice->threads, REVERSE_A2A_THREADS_MAX);
    case REVERSE_A2A_ERROR_RANKS:
        return reverse_a2a_memory_fail(memory, result,
                                       "the shape was made for %d ranks, the communicator has %d",
                                       shape->ranks, memory->ranks);
    case REVERSE_A2A_ERROR_MEMORY_SIZE:
        return reverse_a2a_memory_fail(
            memory, result, "this configuration needs %zu bytes of symmetric memory, there are %zu",
            bytes, memory->bytes);
    case REVERSE_A2A_ERROR_NODES:
        return reverse_a2a_memory_fail(memory, result, "engine %s: %s", engine,
                                       reverse_a2a_strerror(result));
    case REVERSE_A2A_ERROR_ENGINE:
        if (lacks_threads(choice))
            return reverse_a2a_memory_fail(memory, result,
                                           "threads = %d: the library was built without OpenMP",
                                           choice->threads);
        return reverse_a2a_memory_fail(memory, result,
                                       "engine %s can't have ranks with different S", engine);
    default:
        return reverse_a2a_memory_fail(memory, result, "%s", reverse_a2a_strerror(result));
    }
}

static struct reverse_a2a_plan *copy_plan(const struct reverse_a2a_plan *resolved,
                                          const struct reverse_a2a_shape *shape)
{
    size_t entries = shape->s_of_ranks ? resolved->layout.ranks + 1 : 0;
    struct reverse_a2a_plan *plan = malloc(sizeof(*plan) + entries * sizeof(size_t));
    if (!plan)
        return NULL;
    *plan = *resolved;
    if (shape->s_of_ranks)
        reverse_a2a_layout_set_rows(&plan->layout, shape, plan->first_row);
    return plan;
}

int reverse_a2a_plan_create_with(struct reverse_a2a_memory *memory,
                                 const struct reverse_a2a_shape *shape,
                                 const struct reverse_a2a_choice *choice,
                                 struct reverse_a2a_plan **plan)
{
    if (plan)
        *plan = NULL;
    if (!memory || !shape || !choice || !plan)
        return REVERSE_A2A_ERROR_ARGUMENT;
    struct reverse_a2a_plan resolved = {.memory = memory};
    size_t bytes = 0;
    int result = resolve(shape, choice, memory->ranks, memory->rank, &resolved, &bytes);
    if (result == REVERSE_A2A_OK)
        result = check_memory(memory, &resolved, bytes);
    struct reverse_a2a_plan *p = NULL;
    if (result == REVERSE_A2A_OK && !(p = copy_plan(&resolved, shape)))
        result = REVERSE_A2A_ERROR_OUT_OF_MEMORY;
    if (result != REVERSE_A2A_OK)
        return refuse(memory, result, shape, choice, bytes);
    if (p->engine->prepare && p->layout.s > 0)
        result = p->engine->prepare(p);
    if (result != REVERSE_A2A_OK) {
        free(p);
        return result;
    }
    *plan = p;
    return REVERSE_A2A_OK;
}

int reverse_a2a_plan_create(struct reverse_a2a_memory *memory,
                            const struct reverse_a2a_shape *shape,
                            const struct reverse_a2a_config *config, struct reverse_a2a_plan **plan)
{
    if (plan)
        *plan = NULL;
    if (!config)
        return REVERSE_A2A_ERROR_ARGUMENT;
    struct reverse_a2a_choice choice = with_staged(config);
    return reverse_a2a_plan_create_with(memory, shape, &choice, plan);
}

void reverse_a2a_plan_choice(const struct reverse_a2a_plan *plan, struct reverse_a2a_choice *choice)
{
    *choice = plan->choice;
}

void reverse_a2a_plan_destroy(struct reverse_a2a_plan *plan)
{
    if (plan && plan->engine->release && plan->layout.s > 0)
        plan->engine->release(plan);
    free(plan);
}

void reverse_a2a_end_call(const struct reverse_a2a_plan *plan)
{
    struct reverse_a2a_memory *memory = plan->memory;
    uint64_t next_base = memory->base + plan->tiling.blocks + 1;
    for (int i = 0; memory->shared && i < memory->ranks; i++)
        atomic_store_explicit(&memory->peers[i].outgoing->free, next_base, memory_order_release);
}

static int check_buffers(const struct reverse_a2a_plan *plan, const void *in, const void *out)
{
    int fault = reverse_a2a_layout_check_buffers(&plan->layout, in, out);
    if (fault == REVERSE_A2A_OK && plan->engine->check_buffers)
        fault = plan->engine->check_buffers(plan, in, out);
    return fault;
}

static int exchange(struct reverse_a2a_plan *plan, const void *in, void *out)
{
    if (plan->layout.s == 0) {
        reverse_a2a_end_call(plan);
        return REVERSE_A2A_OK;
    }
    int fault = check_buffers(plan, in, out);
    int result = plan->engine->exchange(plan, in, out, fault != REVERSE_A2A_OK);
    if (fault == REVERSE_A2A_OK || plan->memory->broken)
        return result;
    return reverse_a2a_memory_fail(plan->memory, fault, "rank %d: %s", plan->memory->rank,
                                   reverse_a2a_strerror(fault));
}

int reverse_a2a_execute(struct reverse_a2a_plan *plan, const void *in, void *out)
{
    if (!plan)
        return REVERSE_A2A_ERROR_ARGUMENT;
    if (plan->memory->broken)
        return REVERSE_A2A_ERROR_BROKEN;
    int result = exchange(plan, in, out);
    /* In every call and on every rank the same amount, whatever became of the call. */
    plan->memory->base += plan->tiling.blocks + 1;
    return result;
}
