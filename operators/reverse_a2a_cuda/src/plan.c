/* Plans: checking, making, executing (see plan.h). */
#include "plan.h"

#include <stdlib.h>

void a2a_flatten(struct a2a_box *box)
{
    const bool one_head = box->heads == 1;
    if (one_head || (box->from_stride_h == box->width && box->to_stride_h == box->width)) {
        box->width *= box->heads;
        box->heads = 1;
    }
    if (box->heads == 1 && box->from_stride_s == box->width && box->to_stride_s == box->width) {
        box->width *= box->rows;
        box->rows = 1;
    }
}

size_t a2a_box_alignment(const struct a2a_box *box)
{
    size_t all = box->width;
    if (box->rows > 1)
        all |= box->from_stride_s | box->to_stride_s;
    if (box->heads > 1)
        all |= box->from_stride_h | box->to_stride_h;
    return all;
}

int a2a_vector_for(int most, size_t addresses)
{
    const size_t all = addresses | 16, aligned = all & (~all + 1);
    return (size_t)most < aligned ? most : (int)aligned;
}

static void lay_out(struct reverse_a2a_cuda_plan *plan)
{
    const struct reverse_a2a_layout *layout = &plan->layout;
    const struct reverse_a2a_array *in = &layout->in, *out = &layout->out;
    plan->box = (struct a2a_box){.rows = layout->s,
                                 .heads = layout->h,
                                 .width = layout->row,
                                 .from_stride_s = in->stride_s,
                                 .from_stride_h = in->stride_h,
                                 .to_stride_s = out->stride_s,
                                 .to_stride_h = out->stride_h};
    a2a_flatten(&plan->box);
    plan->in_step = layout->forward ? layout->h * in->stride_h : layout->s * in->stride_s;
    plan->out_step = layout->forward ? layout->s * out->stride_s : layout->h * out->stride_h;
}

static int resolve(const struct reverse_a2a_shape *shape,
                   const struct reverse_a2a_cuda_choice *choice, int ranks, int rank,
                   struct reverse_a2a_cuda_plan *plan, size_t *bytes)
{
    *bytes = 0;
    plan->shape = *shape;
    plan->choice = *choice;
    plan->engine = a2a_find_engine(choice->engine);
    if (!plan->engine || !plan->engine->accepts(choice))
        return REVERSE_A2A_ERROR_CONFIG;
    if (shape->s_of_ranks)
        return REVERSE_A2A_ERROR_ENGINE;
    const int result = reverse_a2a_layout_resolve(shape, ranks, rank, &plan->layout);
    if (result != REVERSE_A2A_OK || plan->layout.s == 0)
        return result;
    lay_out(plan);
    if (plan->engine->bytes && !plan->engine->bytes(plan, bytes))
        return REVERSE_A2A_ERROR_TOO_LARGE;
    return REVERSE_A2A_OK;
}

int reverse_a2a_cuda_memory_bytes(const struct reverse_a2a_shape *shape,
                                  const struct reverse_a2a_cuda_choice *choice, int ranks,
                                  size_t *bytes)
{
    struct reverse_a2a_cuda_plan plan = {0};
    if (!shape || !choice || !bytes)
        return REVERSE_A2A_ERROR_ARGUMENT;
    return resolve(shape, choice, ranks, -1, &plan, bytes);
}

/* Says in a sentence why the plan was refused. */
static int refuse(struct reverse_a2a_cuda_memory *memory, int result,
                  const struct reverse_a2a_shape *shape,
                  const struct reverse_a2a_cuda_choice *choice, size_t bytes)
{
    switch (result) {
    case REVERSE_A2A_ERROR_CONFIG:
        return a2a_fail(memory, result,
                        "engine %d: grid = %d, block = %d, vector = %d, streams = %d, "
                        "comm_block_s = %d, comm_block_d = %d, buffer_num = %d: unknown, or out of "
                        "range",
                        choice->engine, choice->grid, choice->block, choice->vector,
                        choice->streams, choice->comm_block_s, choice->comm_block_d,
                        choice->buffer_num);
    case REVERSE_A2A_ERROR_RANKS:
        return a2a_fail(memory, result, "the shape was made for %d ranks, the communicator has %d",
                        shape->ranks, memory->ranks);
    case REVERSE_A2A_ERROR_MEMORY_SIZE:
        return a2a_fail(memory, result,
                        "engine %s needs %zu bytes of symmetric memory, there are %zu",
                        reverse_a2a_cuda_engine_string(choice->engine), bytes, memory->bytes);
    case REVERSE_A2A_ERROR_ENGINE:
        return a2a_fail(memory, result, "ranks with different S are for the host's operator only");
    default:
        return a2a_fail(memory, result, "%s", reverse_a2a_strerror(result));
    }
}

/* OK, or refused with a reason; local. */
static int check_plan(struct reverse_a2a_cuda_plan *plan, const struct reverse_a2a_shape *shape,
                      const struct reverse_a2a_cuda_choice *choice)
{
    struct reverse_a2a_cuda_memory *memory = plan->memory;
    size_t bytes = 0;
    int result = resolve(shape, choice, memory->ranks, memory->rank, plan, &bytes);
    if (result == REVERSE_A2A_OK && bytes > memory->bytes)
        result = REVERSE_A2A_ERROR_MEMORY_SIZE;
    return result == REVERSE_A2A_OK ? result : refuse(memory, result, shape, choice, bytes);
}

/* Collective. What an engine prepared stays only if it did on all ranks. */
static int prepare(struct reverse_a2a_cuda_plan *plan)
{
    if (!plan->engine->prepare || plan->layout.s == 0)
        return REVERSE_A2A_OK;
    int previous;
    const int own = a2a_use_device(plan->memory, &previous);
    int result = a2a_agree(plan->memory, own);
    if (result == REVERSE_A2A_OK) {
        const int prepared = plan->engine->prepare(plan);
        result = a2a_agree(plan->memory, prepared);
        if (prepared == REVERSE_A2A_OK && result != REVERSE_A2A_OK && plan->engine->release)
            plan->engine->release(plan);
    }
    a2a_restore_device(previous);
    return result;
}

int reverse_a2a_cuda_plan_create(struct reverse_a2a_cuda_memory *memory,
                                 const struct reverse_a2a_shape *shape,
                                 const struct reverse_a2a_cuda_choice *choice,
                                 struct reverse_a2a_cuda_plan **plan)
{
    if (plan)
        *plan = NULL;
    if (!memory || !shape || !choice || !plan)
        return REVERSE_A2A_ERROR_ARGUMENT;
    struct reverse_a2a_cuda_plan *made = calloc(1, sizeof *made);
    int result = REVERSE_A2A_ERROR_OUT_OF_MEMORY;
    if (made) {
        made->memory = memory;
        result = check_plan(made, shape, choice);
    }
    result = a2a_agree(memory, result);
    if (result == REVERSE_A2A_OK)
        result = prepare(made);
    if (result == REVERSE_A2A_OK)
        *plan = made;
    else
        free(made);
    return result;
}

void reverse_a2a_cuda_plan_destroy(struct reverse_a2a_cuda_plan *plan)
{
    int previous;
    if (plan && plan->engine->release && plan->layout.s > 0) {
        a2a_use_device(plan->memory, &previous);
        plan->engine->release(plan);
        a2a_restore_device(previous);
    }
    free(plan);
}

/* Finds where the operand that peers touch lies in symmetric memory. */
static int locate_operand(const struct reverse_a2a_cuda_plan *plan, struct a2a_call *call)
{
    const struct reverse_a2a_layout *layout = &plan->layout;
    const bool in = plan->engine->touch == A2A_TOUCHES_IN;
    const char *start = in ? call->in : call->out;
    if (plan->engine->touch == A2A_TOUCHES_NOTHING)
        return REVERSE_A2A_OK;
    const struct a2a_symmetric *found =
        a2a_symmetric_find(plan->memory, start, in ? layout->in.span : layout->out.span);
    if (!found)
        return REVERSE_A2A_ERROR_NOT_SYMMETRIC;
    call->peers = found->of_rank;
    call->offset = (size_t)(start - found->of_rank[plan->memory->rank]);
    call->place = found->number << 48 | call->offset;
    return REVERSE_A2A_OK;
}

static int enqueue(struct reverse_a2a_cuda_plan *plan, struct a2a_call *call)
{
    struct reverse_a2a_cuda_memory *memory = plan->memory;
    int fault = reverse_a2a_layout_check_buffers(&plan->layout, call->in, call->out);
    const int place = locate_operand(plan, call);
    fault = fault == REVERSE_A2A_OK ? place : fault;
    call->faulty = fault != REVERSE_A2A_OK;
    const int result = plan->engine->enqueue(plan, call);
    if (fault == REVERSE_A2A_OK)
        return result;
    return a2a_fail(memory, fault, "rank %d: %s", memory->rank, reverse_a2a_strerror(fault));
}

int reverse_a2a_cuda_execute(struct reverse_a2a_cuda_plan *plan, const void *a, void *c,
                             cudaStream_t stream)
{
    if (!plan)
        return REVERSE_A2A_ERROR_ARGUMENT;
    struct reverse_a2a_cuda_memory *memory = plan->memory;
    if (*(volatile uint32_t *)&memory->status->stalled)
        return a2a_fail(memory, REVERSE_A2A_ERROR_BROKEN, "%s",
                        reverse_a2a_strerror(REVERSE_A2A_ERROR_BROKEN));
    if (plan->layout.s == 0)
        return REVERSE_A2A_OK;
    struct a2a_call call = {.in = a, .out = c, .stream = stream};
    int previous;
    int result = a2a_use_device(memory, &previous);
    if (result == REVERSE_A2A_OK)
        result = enqueue(plan, &call);
    a2a_restore_device(previous);
    return result;
}
