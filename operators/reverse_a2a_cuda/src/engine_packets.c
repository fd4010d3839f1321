/*
 * PACKETS: for small problems, by mailboxes in which every 8 bytes come with the number of their
 * call (packets.cu).
 */
#include "plan.h"

/* The bytes of data in a packet: what a row is a multiple of. Equal on all ranks, whatever their
 * addresses and strides. */
static int vector_of(const struct reverse_a2a_cuda_plan *plan)
{
    return a2a_vector_for(plan->choice.vector < 8 ? plan->choice.vector : 8, plan->layout.row);
}

static int prepare(struct reverse_a2a_cuda_plan *plan)
{
    const struct reverse_a2a_layout *layout = &plan->layout;
    const size_t packets = layout->s * layout->h * layout->row / (size_t)vector_of(plan);
    const size_t room = A2A_PACKETS_BYTES / 16;
    if (packets <= room)
        return REVERSE_A2A_OK;
    return a2a_fail(plan->memory, REVERSE_A2A_ERROR_ENGINE,
                    "engine packets: a part is %zu packets of %d bytes, and a mailbox holds %zu",
                    packets, vector_of(plan), room);
}

static int enqueue(struct reverse_a2a_cuda_plan *plan, const struct a2a_call *call)
{
    struct reverse_a2a_cuda_memory *memory = plan->memory;
    const size_t vector = (size_t)vector_of(plan);
    const size_t alignment = a2a_box_alignment(&plan->box) | plan->in_step | plan->out_step |
                             (uintptr_t)call->in | (uintptr_t)call->out;
    struct a2a_packets packets = {.box = plan->box,
                                  .in = call->in,
                                  .out = call->out,
                                  .in_step = plan->in_step,
                                  .out_step = plan->out_step,
                                  .counter = memory->counter,
                                  .aligned = alignment % vector == 0};
    a2a_fill_gate(memory, call->faulty, 0, &packets.gate);
    for (int i = 0; i < memory->ranks; i++)
        packets.mailbox[i] = memory->mailbox->of_rank[i];
    return a2a_check(memory,
                     a2a_launch_packets(&packets, plan->choice.grid, plan->choice.block,
                                        (int)vector, call->stream),
                     plan->engine->name);
}

const struct a2a_engine a2a_engine_packets = {.name = "packets",
                                              .touch = A2A_TOUCHES_NOTHING,
                                              .accepts = a2a_accepts_kernel,
                                              .prepare = prepare,
                                              .enqueue = enqueue};
