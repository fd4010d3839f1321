/*
 * PUSH and PULL: one kernel that stores into the peers' result, or loads from the peers' source
 * (copy.cu). And the same kernel without peers, which other engines use.
 */
#include "plan.h"

/* Where peer's part begins on this rank, or on the peer. */
static void set_part(const struct reverse_a2a_cuda_plan *plan, const struct a2a_call *call,
                     struct a2a_copy *copy, int part, int peer)
{
    const size_t rank = (size_t)plan->memory->rank, other = (size_t)peer;
    if (copy->pull) {
        copy->from[part] = call->peers[peer] + call->offset + rank * plan->in_step;
        copy->to[part] = call->out + other * plan->out_step;
    } else {
        copy->from[part] = call->in + other * plan->in_step;
        copy->to[part] = call->peers[peer] + call->offset + rank * plan->out_step;
    }
}

static int enqueue(struct reverse_a2a_cuda_plan *plan, const struct a2a_call *call, bool pull)
{
    struct reverse_a2a_cuda_memory *memory = plan->memory;
    struct a2a_copy copy = {.box = plan->box, .parts = memory->ranks, .pull = pull};
    a2a_fill_gate(memory, call->faulty, call->place, &copy.gate);
    size_t alignment = a2a_box_alignment(&plan->box);
    if (call->faulty)
        copy.box.rows = 0;
    for (int i = 0; i < memory->ranks && !call->faulty; i++) {
        set_part(plan, call, &copy, i, (memory->rank + (pull ? 0 : 1) + i) % memory->ranks);
        alignment |= (uintptr_t)copy.from[i] | (uintptr_t)copy.to[i];
    }
    return a2a_check(memory,
                     a2a_launch_copy(&copy, plan->choice.grid, plan->choice.block,
                                     a2a_vector_for(plan->choice.vector, alignment), call->stream),
                     plan->engine->name);
}

static int push(struct reverse_a2a_cuda_plan *plan, const struct a2a_call *call)
{
    return enqueue(plan, call, false);
}

static int pull(struct reverse_a2a_cuda_plan *plan, const struct a2a_call *call)
{
    return enqueue(plan, call, true);
}

#define LOCAL_GRID  264
#define LOCAL_BLOCK 512

cudaError_t a2a_copy_locally(const struct a2a_box *box, int parts, const char *from,
                             size_t from_step, char *to, size_t to_step, cudaStream_t stream)
{
    struct a2a_copy copy = {.box = *box, .parts = parts};
    a2a_flatten(&copy.box);
    size_t alignment = a2a_box_alignment(&copy.box);
    for (int i = 0; i < parts; i++) {
        copy.from[i] = from + (size_t)i * from_step;
        copy.to[i] = to + (size_t)i * to_step;
        alignment |= (uintptr_t)copy.from[i] | (uintptr_t)copy.to[i];
    }
    return a2a_launch_copy(&copy, LOCAL_GRID, LOCAL_BLOCK, a2a_vector_for(16, alignment), stream);
}

const struct a2a_engine a2a_engine_push = {
    .name = "push", .touch = A2A_TOUCHES_OUT, .accepts = a2a_accepts_kernel, .enqueue = push};

const struct a2a_engine a2a_engine_pull = {
    .name = "pull", .touch = A2A_TOUCHES_IN, .accepts = a2a_accepts_kernel, .enqueue = pull};
