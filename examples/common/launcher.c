/* See launcher.h. */
#include "launcher.h"

#include <stdlib.h>

/* A rank that could not make its plan does not take part: the others give up after this time. */
#define STALL_LIMIT_SECONDS 60.0

struct cached_plan {
    struct reverse_a2a_config blocks;
    struct reverse_a2a_plan *plan;
    struct cached_plan *next;
};

static void forget_plans(struct launcher *launcher)
{
    while (launcher->plans) {
        struct cached_plan *cached = launcher->plans;
        launcher->plans = cached->next;
        reverse_a2a_plan_destroy(cached->plan);
        free(cached);
    }
}

void launcher_set_shape(struct launcher *launcher, const struct reverse_a2a_shape *shape)
{
    forget_plans(launcher);
    launcher->shape = *shape;
}

int launcher_reserve(struct launcher *launcher, MPI_Comm comm, size_t bytes)
{
    if (launcher->memory && reverse_a2a_memory_size(launcher->memory) >= bytes)
        return REVERSE_A2A_OK;
    launcher_close(launcher);
    const int result = reverse_a2a_memory_create(comm, bytes, NULL, &launcher->memory);
    return result ? result
                  : reverse_a2a_memory_set_stall_limit(launcher->memory, STALL_LIMIT_SECONDS);
}

bool blocks_equal(const struct reverse_a2a_config *one, const struct reverse_a2a_config *two)
{
    return one->comm_block_s == two->comm_block_s && one->comm_block_d == two->comm_block_d &&
           one->buffer_num == two->buffer_num;
}

static struct cached_plan *take_plan(struct launcher *launcher,
                                     const struct reverse_a2a_config *blocks)
{
    struct cached_plan **link = &launcher->plans;
    while (*link && !blocks_equal(&(*link)->blocks, blocks))
        link = &(*link)->next;
    struct cached_plan *found = *link;
    if (found)
        *link = found->next;
    return found;
}

static int make_plan(struct launcher *launcher, const struct reverse_a2a_config *blocks,
                     struct cached_plan **made)
{
    struct cached_plan *cached = malloc(sizeof *cached);
    if (!cached)
        return REVERSE_A2A_ERROR_OUT_OF_MEMORY;
    cached->blocks = *blocks;
    const int result =
        reverse_a2a_plan_create(launcher->memory, &launcher->shape, blocks, &cached->plan);
    if (result) {
        free(cached);
        return result;
    }
    *made = cached;
    return REVERSE_A2A_OK;
}

int launcher_run(struct launcher *launcher, const struct reverse_a2a_config *blocks, const void *a,
                 void *c)
{
    struct cached_plan *cached = take_plan(launcher, blocks);
    if (!cached) {
        const int result = make_plan(launcher, blocks, &cached);
        if (result)
            return result;
    }
    cached->next = launcher->plans;
    launcher->plans = cached;
    return reverse_a2a_execute(cached->plan, a, c);
}

void launcher_close(struct launcher *launcher)
{
    forget_plans(launcher);
    reverse_a2a_memory_destroy(launcher->memory);
    launcher->memory = NULL;
}
