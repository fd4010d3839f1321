/*
 * NCCL: grouped ncclSend and ncclRecv of contiguous parts, and copies on the device where the parts
 * do not lie like that: what a program does that has no operator, and the figure to beat.
 *
 * Reverse: the part for rank r is rows r*S .. r*S + S - 1 of A, contiguous if A is; the parts
 * arrive in the workspace and are copied to their heads. Forward: the other way round.
 */
#include "engine_nccl.h"

#include <stdlib.h>

#include "plan.h"

static bool accepts(const struct reverse_a2a_cuda_choice *choice)
{
    (void)choice;
    return true;
}

#ifdef A2A_WITH_NCCL

#include <nccl.h>

struct a2a_nccl {
    ncclComm_t comm;
};

void a2a_nccl_destroy(struct a2a_nccl *nccl)
{
    if (nccl)
        ncclCommDestroy(nccl->comm);
    free(nccl);
}

static int check(struct reverse_a2a_cuda_memory *memory, ncclResult_t result, const char *what)
{
    if (result == ncclSuccess)
        return REVERSE_A2A_OK;
    return a2a_fail(memory, REVERSE_A2A_ERROR_DEVICE, "rank %d: NCCL: %s: %s", memory->rank, what,
                    ncclGetErrorString(result));
}

static size_t part_bytes(const struct reverse_a2a_cuda_plan *plan)
{
    return plan->layout.s * plan->layout.h * plan->layout.row;
}

/* The parts one behind the other, as they are sent and as they arrive. */
static bool bytes(const struct reverse_a2a_cuda_plan *plan, size_t *bytes)
{
    *bytes = part_bytes(plan);
    return reverse_a2a_multiply(bytes, 2 * plan->layout.ranks) && *bytes <= PTRDIFF_MAX;
}

static int connect(struct reverse_a2a_cuda_memory *memory)
{
    ncclUniqueId id;
    struct a2a_nccl *nccl = calloc(1, sizeof *nccl);
    int result = nccl ? REVERSE_A2A_OK : REVERSE_A2A_ERROR_OUT_OF_MEMORY;
    if (result == REVERSE_A2A_OK && memory->rank == 0)
        result = check(memory, ncclGetUniqueId(&id), "ncclGetUniqueId");
    result = a2a_agree(memory, result);
    if (result == REVERSE_A2A_OK &&
        MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, memory->comm) != MPI_SUCCESS)
        result = a2a_fail(memory, REVERSE_A2A_ERROR_MPI, "MPI_Bcast failed");
    if (result == REVERSE_A2A_OK)
        result = check(memory, ncclCommInitRank(&nccl->comm, memory->ranks, id, memory->rank),
                       "ncclCommInitRank");
    if (result == REVERSE_A2A_OK)
        memory->nccl = nccl;
    else
        free(nccl);
    return result;
}

static int prepare(struct reverse_a2a_cuda_plan *plan)
{
    struct reverse_a2a_cuda_memory *memory = plan->memory;
    if (memory->shares_device)
        return a2a_fail(memory, REVERSE_A2A_ERROR_ENGINE,
                        "engine nccl: several ranks are on one GPU, which NCCL does not do");
    return memory->nccl ? REVERSE_A2A_OK : connect(memory);
}

/* Is a part contiguous in an array with these strides? */
static bool is_packed(const struct reverse_a2a_cuda_plan *plan, size_t stride_s, size_t stride_h)
{
    const struct reverse_a2a_layout *layout = &plan->layout;
    return (layout->h == 1 || stride_h == layout->row) &&
           (layout->s == 1 || stride_s == layout->h * layout->row);
}

static int check_copy(const struct reverse_a2a_cuda_plan *plan, cudaError_t error)
{
    return a2a_check(plan->memory, error, "nccl: copying");
}

static int exchange(struct reverse_a2a_cuda_plan *plan, const char *send, size_t send_step,
                    char *receive, size_t receive_step, cudaStream_t stream)
{
    struct reverse_a2a_cuda_memory *memory = plan->memory;
    const size_t size = part_bytes(plan);
    ncclResult_t result = ncclGroupStart();
    for (size_t i = 0; i < plan->layout.ranks && result == ncclSuccess; i++) {
        result = ncclSend(send + i * send_step, size, ncclInt8, (int)i, memory->nccl->comm, stream);
        if (result == ncclSuccess)
            result = ncclRecv(receive + i * receive_step, size, ncclInt8, (int)i,
                              memory->nccl->comm, stream);
    }
    const ncclResult_t ended = ncclGroupEnd();
    return check(memory, result == ncclSuccess ? ended : result, "sending and receiving");
}

static int enqueue(struct reverse_a2a_cuda_plan *plan, const struct a2a_call *call)
{
    const size_t size = part_bytes(plan), row = plan->layout.row;
    char *packed = plan->memory->peer_mem->of_rank[plan->memory->rank];
    char *arrived = packed + size * plan->layout.ranks;
    struct a2a_box pack = {.rows = plan->layout.s,
                           .heads = plan->layout.h,
                           .width = row,
                           .from_stride_s = plan->layout.in.stride_s,
                           .from_stride_h = plan->layout.in.stride_h,
                           .to_stride_s = plan->layout.h * row,
                           .to_stride_h = row};
    struct a2a_box unpack = pack;
    unpack.from_stride_s = pack.to_stride_s;
    unpack.from_stride_h = row;
    unpack.to_stride_s = plan->layout.out.stride_s;
    unpack.to_stride_h = plan->layout.out.stride_h;
    const bool packs = call->faulty || !is_packed(plan, pack.from_stride_s, pack.from_stride_h);
    const bool unpacks = call->faulty || !is_packed(plan, unpack.to_stride_s, unpack.to_stride_h);
    int result = REVERSE_A2A_OK;
    if (packs && !call->faulty)
        result = check_copy(plan, a2a_copy_locally(&pack, plan->memory->ranks, call->in,
                                                   plan->in_step, packed, size, call->stream));
    const int moved =
        exchange(plan, packs ? packed : call->in, packs ? size : plan->in_step,
                 unpacks ? arrived : call->out, unpacks ? size : plan->out_step, call->stream);
    result = result == REVERSE_A2A_OK ? moved : result;
    if (result != REVERSE_A2A_OK || !unpacks || call->faulty)
        return result;
    return check_copy(plan, a2a_copy_locally(&unpack, plan->memory->ranks, arrived, size, call->out,
                                             plan->out_step, call->stream));
}

#else

void a2a_nccl_destroy(struct a2a_nccl *nccl)
{
    (void)nccl;
}

static bool bytes(const struct reverse_a2a_cuda_plan *plan, size_t *bytes)
{
    (void)plan;
    *bytes = 0;
    return true;
}

static int prepare(struct reverse_a2a_cuda_plan *plan)
{
    return a2a_fail(plan->memory, REVERSE_A2A_ERROR_ENGINE, "engine nccl: this build has no NCCL");
}

static int enqueue(struct reverse_a2a_cuda_plan *plan, const struct a2a_call *call)
{
    (void)call;
    return prepare(plan);
}

#endif

const struct a2a_engine a2a_engine_nccl = {.name = "nccl",
                                           .touch = A2A_TOUCHES_NOTHING,
                                           .accepts = accepts,
                                           .bytes = bytes,
                                           .prepare = prepare,
                                           .enqueue = enqueue};
