/*
 * NVSHMEM: the staged pipeline in NVSHMEM's symmetric memory, by put-with-signal (nvshmem.cu).
 *
 * Rows go as they lie in the source: the parts must be contiguous there, which they are in A if A
 * is, and never in C (forward) unless there is one rank; comm_block_d has no say.
 */
#include "engine_nvshmem.h"

#include <stdlib.h>

#include "plan.h"

static bool accepts(const struct reverse_a2a_cuda_choice *choice)
{
    return a2a_accepts_kernel(choice) && choice->block <= A2A_STAGED_THREADS &&
           choice->grid % 2 == 0 && choice->comm_block_s >= 1 && choice->comm_block_d >= 1 &&
           choice->buffer_num >= 1;
}

#ifdef A2A_WITH_NVSHMEM

#include "nvshmem_calls.h"

struct a2a_nvshmem {
    char *peer_mem;
    uint64_t *ready, *free;
};

/* NVSHMEM is one for the whole process, and so this is. */
static struct a2a_nvshmem *present;

void a2a_nvshmem_destroy(struct a2a_nvshmem *nvshmem)
{
    if (!nvshmem)
        return;
    a2a_nvshmem_free(nvshmem->free);
    a2a_nvshmem_free(nvshmem->ready);
    a2a_nvshmem_free(nvshmem->peer_mem);
    a2a_nvshmem_end();
    present = NULL;
    free(nvshmem);
}

static void cut_into_blocks(const struct reverse_a2a_cuda_plan *plan, struct a2a_nvshmem_call *call)
{
    const struct reverse_a2a_layout *layout = &plan->layout;
    const size_t block_s = reverse_a2a_min((size_t)plan->choice.comm_block_s, layout->s);
    call->blocks = (layout->s - 1) / block_s + 1;
    call->slots = reverse_a2a_min((size_t)plan->choice.buffer_num, call->blocks);
    call->block_bytes = block_s * layout->h * layout->row;
    call->part_bytes = layout->s * layout->h * layout->row;
}

static bool bytes(const struct reverse_a2a_cuda_plan *plan, size_t *bytes)
{
    struct a2a_nvshmem_call call;
    cut_into_blocks(plan, &call);
    *bytes = call.block_bytes;
    return reverse_a2a_multiply(bytes, plan->layout.ranks) &&
           reverse_a2a_multiply(bytes, call.slots) && *bytes <= PTRDIFF_MAX;
}

static int start_library(struct reverse_a2a_cuda_memory *memory)
{
    char id[A2A_NVSHMEM_ID_BYTES] = {0};
    int result = REVERSE_A2A_OK;
    if (memory->rank == 0 && a2a_nvshmem_make_id(id) != 0)
        result = a2a_fail(memory, REVERSE_A2A_ERROR_DEVICE, "NVSHMEM makes no unique id");
    result = a2a_agree(memory, result);
    if (result == REVERSE_A2A_OK &&
        MPI_Bcast(id, sizeof id, MPI_BYTE, 0, memory->comm) != MPI_SUCCESS)
        result = a2a_fail(memory, REVERSE_A2A_ERROR_MPI, "MPI_Bcast failed");
    if (result == REVERSE_A2A_OK && a2a_nvshmem_begin(id, memory->rank, memory->ranks) != 0)
        result = a2a_fail(memory, REVERSE_A2A_ERROR_DEVICE, "rank %d: NVSHMEM does not start",
                          memory->rank);
    return a2a_agree(memory, result);
}

static int connect(struct reverse_a2a_cuda_memory *memory)
{
    const size_t words = (size_t)memory->ranks * A2A_LANES * sizeof(uint64_t);
    struct a2a_nvshmem *made = present ? NULL : calloc(1, sizeof *made);
    int result = made ? REVERSE_A2A_OK : REVERSE_A2A_ERROR_ENGINE;
    if (!made)
        a2a_fail(memory, result, "engine nvshmem: another memory of this process uses NVSHMEM");
    result = a2a_agree(memory, result);
    if (result == REVERSE_A2A_OK)
        result = start_library(memory);
    if (result != REVERSE_A2A_OK) {
        free(made);
        return result;
    }
    present = memory->nvshmem = made;
    made->ready = a2a_nvshmem_alloc(words);
    made->free = a2a_nvshmem_alloc(words);
    made->peer_mem = a2a_nvshmem_alloc(memory->bytes > 0 ? memory->bytes : 1);
    if (made->ready && made->free && made->peer_mem)
        return REVERSE_A2A_OK;
    a2a_nvshmem_destroy(made);
    memory->nvshmem = NULL;
    return a2a_fail(memory, REVERSE_A2A_ERROR_OUT_OF_MEMORY,
                    "engine nvshmem: no symmetric memory: set NVSHMEM_SYMMETRIC_SIZE higher");
}

static bool is_packed(const struct reverse_a2a_layout *layout)
{
    const size_t row = layout->h * layout->row;
    return (layout->h == 1 || layout->in.stride_h == layout->row) &&
           (layout->s == 1 || layout->in.stride_s == row);
}

static int prepare(struct reverse_a2a_cuda_plan *plan)
{
    struct reverse_a2a_cuda_memory *memory = plan->memory;
    if (!is_packed(&plan->layout))
        return a2a_fail(memory, REVERSE_A2A_ERROR_ENGINE,
                        "engine nvshmem: the parts are not contiguous in the source");
    for (int vector = 1; vector <= 16; vector *= 2) {
        int capacity;
        const int result =
            a2a_check(memory, a2a_nvshmem_capacity(plan->choice.block, vector, &capacity),
                      "asking how many blocks fit on the device");
        if (result != REVERSE_A2A_OK || plan->choice.grid <= capacity)
            continue;
        return a2a_fail(memory, REVERSE_A2A_ERROR_ENGINE,
                        "engine nvshmem: a grid of %d blocks of %d threads; the device holds %d at "
                        "once, and they wait for each other",
                        plan->choice.grid, plan->choice.block, capacity);
    }
    return memory->nvshmem ? REVERSE_A2A_OK : connect(memory);
}

static int enqueue(struct reverse_a2a_cuda_plan *plan, const struct a2a_call *call)
{
    struct reverse_a2a_cuda_memory *memory = plan->memory;
    const struct reverse_a2a_layout *layout = &plan->layout;
    struct a2a_nvshmem_call arguments = {.in = call->in,
                                         .out = call->out,
                                         .in_step = plan->in_step,
                                         .out_step = plan->out_step,
                                         .peer_mem = memory->nvshmem->peer_mem,
                                         .ready = memory->nvshmem->ready,
                                         .free = memory->nvshmem->free,
                                         .box = {.rows = layout->s,
                                                 .heads = layout->h,
                                                 .width = layout->row,
                                                 .from_stride_s = layout->h * layout->row,
                                                 .from_stride_h = layout->row,
                                                 .to_stride_s = layout->out.stride_s,
                                                 .to_stride_h = layout->out.stride_h}};
    a2a_fill_gate(memory, call->faulty, 0, &arguments.gate);
    cut_into_blocks(plan, &arguments);
    const size_t alignment = a2a_box_alignment(&arguments.box) | arguments.block_bytes |
                             plan->in_step | plan->out_step | (uintptr_t)call->in |
                             (uintptr_t)call->out;
    return a2a_check(memory,
                     a2a_launch_nvshmem(&arguments, plan->choice.grid, plan->choice.block,
                                        a2a_vector_for(plan->choice.vector, alignment),
                                        call->stream),
                     plan->engine->name);
}

#else

void a2a_nvshmem_destroy(struct a2a_nvshmem *nvshmem)
{
    (void)nvshmem;
}

static bool bytes(const struct reverse_a2a_cuda_plan *plan, size_t *bytes)
{
    (void)plan;
    *bytes = 0;
    return true;
}

static int prepare(struct reverse_a2a_cuda_plan *plan)
{
    return a2a_fail(plan->memory, REVERSE_A2A_ERROR_ENGINE,
                    "engine nvshmem: this build has no NVSHMEM");
}

static int enqueue(struct reverse_a2a_cuda_plan *plan, const struct a2a_call *call)
{
    (void)call;
    return prepare(plan);
}

#endif

const struct a2a_engine a2a_engine_nvshmem = {.name = "nvshmem",
                                              .touch = A2A_TOUCHES_NOTHING,
                                              .accepts = accepts,
                                              .bytes = bytes,
                                              .prepare = prepare,
                                              .enqueue = enqueue};
