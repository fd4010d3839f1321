/*
 * The kernel of NVSHMEM, and the little of the library that is needed around it.
 *
 * The pipeline of staged.cu, with put-with-signal: a block of rows is contiguous in the source, and
 * in peer_mem[slots][source][block_s][H][D]; lane l of the producers puts the l-th of `lanes` equal
 * ranges of bytes, and lane l of the consumers copies it to C. The counters are those of staged.cu,
 * and so is the gate, in the words of this library's own memory.
 */
#include "nvshmem_calls.h"

#include <nvshmem.h>
#include <nvshmemx.h>
#include <string.h>

#include "gate.cuh"
#include "moves.cuh"

static_assert(sizeof(nvshmemx_uniqueid_t) <= A2A_NVSHMEM_ID_BYTES, "an id does not fit");

struct shared {
    gate_state gate;
    bool gave_up;
};

/* Bytes of a block that are one lane's. */
struct range {
    size_t begin, size;
};

__device__ inline range range_of(const a2a_nvshmem_call &call, size_t block, int lane)
{
    const size_t lanes = gridDim.x / 2, left = call.part_bytes - block * call.block_bytes;
    const size_t size = left < call.block_bytes ? left : call.block_bytes;
    const size_t each = ((size + lanes - 1) / lanes + 15) / 16 * 16;
    const size_t begin = lane * each < size ? lane * each : size;
    return {begin, size - begin < each ? size - begin : each};
}

/* From a packed block to where it belongs in C. */
template <typename Vector>
__device__ inline void unpack(const a2a_nvshmem_call &call, size_t block, range range,
                              const char *packed, char *out)
{
    const a2a_box &box = call.box;
    const size_t row = box.heads * box.width, start = block * call.block_bytes + range.begin;
    for (size_t at = threadIdx.x * sizeof(Vector); at < range.size;
         at += blockDim.x * sizeof(Vector)) {
        const size_t s = (start + at) / row, rest = (start + at) % row, h = rest / box.width;
        *(Vector *)(out + s * box.to_stride_s + h * box.to_stride_h + rest % box.width) =
            __ldcs((const Vector *)(packed + range.begin + at));
    }
}

__device__ inline bool await_signal(const a2a_nvshmem_call &call, uint64_t *word, uint64_t wanted,
                                    shared *shared)
{
    if (threadIdx.x == 0) {
        patience patience = {};
        while (!shared->gave_up && nvshmem_signal_fetch(word) < wanted)
            shared->gave_up = is_over(call.gate, &patience);
        __threadfence_system();
    }
    __syncthreads();
    return !shared->gave_up;
}

__device__ inline size_t word_of(int peer, int lane)
{
    return (size_t)peer * A2A_LANES + lane;
}

__device__ inline char *stage_of(const a2a_nvshmem_call &call, size_t block, int source)
{
    return call.peer_mem + (block % call.slots * call.gate.ranks + source) * call.block_bytes;
}

__device__ inline bool send_block(const a2a_nvshmem_call &call, size_t block, int lane, int target,
                                  uint64_t base, shared *shared)
{
    const int rank = call.gate.rank;
    const uint64_t after = base + block + 1;
    const range range = range_of(call, block, lane);
    if (block >= call.slots &&
        !await_signal(call, call.free + word_of(target, lane), after - call.slots, shared))
        return false;
    const bool skipped = shared->gate.skipped >> target & 1;
    if (range.size > 0 && !skipped)
        nvshmemx_putmem_signal_nbi_block(
            stage_of(call, block, rank) + range.begin,
            call.in + target * call.in_step + block * call.block_bytes + range.begin, range.size,
            call.ready + word_of(rank, lane), after, NVSHMEM_SIGNAL_SET, target);
    else if (threadIdx.x == 0)
        nvshmemx_signal_op(call.ready + word_of(rank, lane), after, NVSHMEM_SIGNAL_SET, target);
    return true;
}

template <typename Vector>
__device__ inline bool receive_block(const a2a_nvshmem_call &call, size_t block, int lane,
                                     int source, uint64_t base, shared *shared)
{
    const uint64_t after = base + block + 1;
    if (!await_signal(call, call.ready + word_of(source, lane), after, shared))
        return false;
    if (!(shared->gate.skipped >> source & 1))
        unpack<Vector>(call, block, range_of(call, block, lane), stage_of(call, block, source),
                       call.out + source * call.out_step);
    __syncthreads();
    if (threadIdx.x == 0)
        nvshmemx_signal_op(call.free + word_of(call.gate.rank, lane), after, NVSHMEM_SIGNAL_SET,
                           source);
    return true;
}

/* In each block the targets from rank + 1 on; this rank's own part goes past peer_mem. */
template <typename Vector>
__device__ inline void produce(const a2a_nvshmem_call &call, int lane, shared *shared)
{
    const int rank = call.gate.rank, ranks = call.gate.ranks;
    const uint64_t base = call.gate.lanes[lane].produced;
    for (size_t block = 0; block < call.blocks; block++) {
        for (int i = 1; i < ranks; i++)
            if (!send_block(call, block, lane, (rank + i) % ranks, base, shared))
                return;
        if (!(shared->gate.skipped >> rank & 1))
            unpack<Vector>(call, block, range_of(call, block, lane),
                           call.in + rank * call.in_step + block * call.block_bytes,
                           call.out + rank * call.out_step);
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        nvshmem_quiet(); /* A is the caller's again */
        call.gate.lanes[lane].produced = base + call.blocks;
    }
}

template <typename Vector>
__device__ inline void consume(const a2a_nvshmem_call &call, int lane, shared *shared)
{
    const int rank = call.gate.rank, ranks = call.gate.ranks;
    const uint64_t base = call.gate.lanes[lane].consumed;
    for (size_t block = 0; block < call.blocks; block++)
        for (int i = 1; i < ranks; i++)
            if (!receive_block<Vector>(call, block, lane, (rank + ranks - i) % ranks, base, shared))
                return;
    __syncthreads();
    if (threadIdx.x == 0)
        call.gate.lanes[lane].consumed = base + call.blocks;
}

template <typename Vector>
__global__ void __launch_bounds__(A2A_STAGED_THREADS)
    nvshmem_kernel(const __grid_constant__ a2a_nvshmem_call call)
{
    __shared__ shared shared;
    const int lanes = (int)gridDim.x / 2;
    const bool consumes = (int)blockIdx.x >= lanes;
    if (threadIdx.x == 0)
        shared.gave_up = false;
    const a2a_lane own = begin_lane(call.gate);
    tell_entered(call.gate, own);
    await_entered(call.gate, own, &shared.gate);
    if (!shared.gate.stalled && consumes)
        consume<Vector>(call, (int)blockIdx.x - lanes, &shared);
    else if (!shared.gate.stalled)
        produce<Vector>(call, (int)blockIdx.x, &shared);
    if (threadIdx.x == 0)
        shared.gate.stalled |= shared.gave_up;
    finish_lane(call.gate, own, &shared.gate);
}

static const void *kernel_of(int vector)
{
    const void *kernel;
#define KERNEL(Vector) kernel = (const void *)nvshmem_kernel<Vector>
    WITH_VECTOR(vector, KERNEL)
    return kernel;
}

cudaError_t a2a_launch_nvshmem(const a2a_nvshmem_call *call, int grid, int block, int vector,
                               cudaStream_t stream)
{
    void *arguments[] = {(void *)call};
    return cudaLaunchCooperativeKernel(kernel_of(vector), dim3((unsigned)grid),
                                       dim3((unsigned)block), arguments, 0, stream);
}

cudaError_t a2a_nvshmem_capacity(int block, int vector, int *blocks)
{
    return capacity_of(kernel_of(vector), block, blocks);
}

int a2a_nvshmem_make_id(void *id)
{
    nvshmemx_uniqueid_t made = NVSHMEMX_UNIQUEID_INITIALIZER;
    const int error = nvshmemx_get_uniqueid(&made);
    memcpy(id, &made, sizeof made);
    return error;
}

int a2a_nvshmem_begin(const void *id, int rank, int ranks)
{
    nvshmemx_init_attr_t attributes = NVSHMEMX_INIT_ATTR_INITIALIZER;
    nvshmemx_uniqueid_t copy = NVSHMEMX_UNIQUEID_INITIALIZER;
    memcpy(&copy, id, sizeof copy);
    int error = nvshmemx_set_attr_uniqueid_args(rank, ranks, &copy, &attributes);
    if (!error)
        error = nvshmemx_init_attr(NVSHMEMX_INIT_WITH_UNIQUEID, &attributes);
    return error;
}

void a2a_nvshmem_end(void)
{
    nvshmem_finalize();
}

void *a2a_nvshmem_alloc(size_t bytes)
{
    return nvshmem_calloc(1, bytes);
}

void a2a_nvshmem_free(void *pointer)
{
    nvshmem_free(pointer);
}
