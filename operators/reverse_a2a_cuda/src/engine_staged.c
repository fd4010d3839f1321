/* STAGED: the pipeline through peer_mem, in one kernel (staged.cu). */
#include "plan.h"

static bool accepts(const struct reverse_a2a_cuda_choice *choice)
{
    return a2a_accepts_kernel(choice) && choice->block <= A2A_STAGED_THREADS &&
           choice->grid % 2 == 0 && choice->comm_block_s >= 1 && choice->comm_block_d >= 1 &&
           choice->buffer_num >= 1;
}

/* Rows of a block, at most S; blocks; slots, at most blocks, since more are never in use. */
static void cut_into_blocks(const struct reverse_a2a_cuda_plan *plan, struct a2a_staged *staged)
{
    const struct reverse_a2a_layout *layout = &plan->layout;
    staged->block_s = reverse_a2a_min((size_t)plan->choice.comm_block_s, layout->s);
    staged->blocks = (layout->s - 1) / staged->block_s + 1;
    staged->slots = reverse_a2a_min((size_t)plan->choice.buffer_num, staged->blocks);
    staged->tile =
        reverse_a2a_min((size_t)plan->choice.comm_block_d, layout->d) * layout->element_size;
}

static bool bytes(const struct reverse_a2a_cuda_plan *plan, size_t *bytes)
{
    const struct reverse_a2a_layout *layout = &plan->layout;
    struct a2a_staged staged;
    cut_into_blocks(plan, &staged);
    *bytes = 0;
    if (layout->ranks == 1)
        return true;
    *bytes = layout->row;
    return reverse_a2a_multiply(bytes, layout->ranks) && reverse_a2a_multiply(bytes, layout->h) &&
           reverse_a2a_multiply(bytes, staged.block_s) &&
           reverse_a2a_multiply(bytes, staged.slots) && *bytes <= PTRDIFF_MAX;
}

/* Producers and consumers wait for each other: they must be on the device at once, whatever vector
 * the addresses of a call will allow. */
static int prepare(struct reverse_a2a_cuda_plan *plan)
{
    for (int vector = 1; vector <= 16; vector *= 2) {
        int capacity;
        const int result =
            a2a_check(plan->memory, a2a_staged_capacity(plan->choice.block, vector, &capacity),
                      "asking how many blocks fit on the device");
        if (result != REVERSE_A2A_OK)
            return result;
        if (plan->choice.grid > capacity)
            return a2a_fail(plan->memory, REVERSE_A2A_ERROR_ENGINE,
                            "engine staged: a grid of %d blocks of %d threads; the device holds %d "
                            "at once, and they wait for each other",
                            plan->choice.grid, plan->choice.block, capacity);
    }
    return REVERSE_A2A_OK;
}

/* Whole heads, each of one rank: the box is not the plan's flat one. */
static struct a2a_box box_of(const struct reverse_a2a_layout *layout)
{
    return (struct a2a_box){.rows = layout->s,
                            .heads = layout->h,
                            .width = layout->row,
                            .from_stride_s = layout->in.stride_s,
                            .from_stride_h = layout->in.stride_h,
                            .to_stride_s = layout->out.stride_s,
                            .to_stride_h = layout->out.stride_h};
}

static int enqueue(struct reverse_a2a_cuda_plan *plan, const struct a2a_call *call)
{
    struct reverse_a2a_cuda_memory *memory = plan->memory;
    struct a2a_staged staged = {.box = box_of(&plan->layout),
                                .in = call->in,
                                .out = call->out,
                                .in_step = plan->in_step,
                                .out_step = plan->out_step};
    a2a_fill_gate(memory, call->faulty, 0, &staged.gate);
    cut_into_blocks(plan, &staged);
    for (int i = 0; i < memory->ranks && memory->peer_mem; i++)
        staged.peer_mem[i] = memory->peer_mem->of_rank[i];
    const size_t alignment = a2a_box_alignment(&staged.box) | staged.tile | plan->in_step |
                             plan->out_step | (uintptr_t)call->in | (uintptr_t)call->out;
    return a2a_check(memory,
                     a2a_launch_staged(&staged, plan->choice.grid, plan->choice.block,
                                       a2a_vector_for(plan->choice.vector, alignment),
                                       call->stream),
                     plan->engine->name);
}

const struct a2a_engine a2a_engine_staged = {.name = "staged",
                                             .touch = A2A_TOUCHES_NOTHING,
                                             .accepts = accepts,
                                             .bytes = bytes,
                                             .prepare = prepare,
                                             .enqueue = enqueue};
