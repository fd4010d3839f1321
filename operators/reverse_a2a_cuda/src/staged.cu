/*
 * The kernel of STAGED: the pipeline of operators/reverse_a2a/src/engine_staged.c on the device.
 *
 * The first half of the blocks of threads produces, the second half consumes: lane l is producer l
 * here and consumer l at each peer. S is cut into blocks, a block into tiles of block_s rows x
 * `tile` bytes of one head; lane l has tiles l, l + lanes, ... of each block and channel, and
 * counters of its own for them. So a tile is waited for by the one consumer that copies it.
 *
 *     block k may be written once     free  >= produced + k + 1 - slots
 *     block k is there once           ready >= consumed + k + 1
 *
 * `produced` and `consumed` are the lane's counts before the call, equal on all ranks. A call
 * begins with a gate. A rank that has entered has done with all calls before, in all its lanes:
 * therefore its peer_mem is quiet, however the next call cuts it (rule 3 of docs/protocol.md).
 *
 * A producer waits for its peer's consumer, which runs at the same time: all blocks of threads have
 * to be on the device at once. The launch is a cooperative one, which guarantees that.
 */
#include "gate.cuh"
#include "moves.cuh"

/* Where a block of rows lies, and the bytes between its rows and heads. */
struct place {
    char *start;
    size_t stride_s, stride_h;
};

struct shared {
    gate_state gate;
    bool gave_up;
};

__device__ inline size_t rows_of_block(const a2a_staged &staged, size_t block)
{
    const size_t left = staged.box.rows - block * staged.block_s;
    return left < staged.block_s ? left : staged.block_s;
}

__device__ inline size_t row_bytes(const a2a_staged &staged)
{
    return staged.box.heads * staged.box.width;
}

__device__ inline place place_in(const a2a_staged &staged, size_t block, int target)
{
    const a2a_box &box = staged.box;
    return {(char *)staged.in + target * staged.in_step +
                block * staged.block_s * box.from_stride_s,
            box.from_stride_s, box.from_stride_h};
}

__device__ inline place place_out(const a2a_staged &staged, size_t block, int source)
{
    const a2a_box &box = staged.box;
    return {staged.out + source * staged.out_step + block * staged.block_s * box.to_stride_s,
            box.to_stride_s, box.to_stride_h};
}

/* peer_mem[slots][block_s][P * H][D] of the target. */
__device__ inline place place_stage(const a2a_staged &staged, size_t block, int source, int target)
{
    const size_t stride = staged.gate.ranks * row_bytes(staged);
    return {staged.peer_mem[target] + block % staged.slots * staged.block_s * stride +
                source * row_bytes(staged),
            stride, staged.box.width};
}

__device__ inline size_t tiles_in_head(const a2a_staged &staged)
{
    return (staged.box.width + staged.tile - 1) / staged.tile;
}

template <typename Vector>
__device__ inline void move_tile(const a2a_staged &staged, size_t rows, size_t tile, place from,
                                 place to)
{
    const size_t in_head = tiles_in_head(staged), head = tile / in_head;
    const size_t start = tile % in_head * staged.tile, left = staged.box.width - start;
    const a2a_box box = {rows,        1, left < staged.tile ? left : staged.tile, from.stride_s, 0,
                         to.stride_s, 0};
    const extent<Vector, unsigned> extent(box);
    batch<Vector> batch;
    for (unsigned first = threadIdx.x; first < extent.all; first += IN_FLIGHT * blockDim.x) {
        locate(box, extent, first, (unsigned)blockDim.x, &batch);
        load(&batch, from.start + head * from.stride_h + start);
        store(&batch, to.start + head * to.stride_h + start);
    }
}

/* This lane's tiles of a block. */
template <typename Vector>
__device__ inline void move_block(const a2a_staged &staged, size_t block, int lane, place from,
                                  place to)
{
    const size_t tiles = staged.box.heads * tiles_in_head(staged), lanes = gridDim.x / 2;
    const size_t rows = rows_of_block(staged, block);
    for (size_t tile = lane; tile < tiles; tile += lanes)
        move_tile<Vector>(staged, rows, tile, from, to);
}

/* The whole block of threads waits until a counter has come to `wanted`; false: gave up. */
__device__ inline bool await_count(const a2a_staged &staged, const uint64_t *counter,
                                   uint64_t wanted, shared *shared)
{
    if (threadIdx.x == 0) {
        patience patience = {};
        while (!shared->gave_up && load_acquire(counter) < wanted)
            shared->gave_up = is_over(staged.gate, &patience);
    }
    __syncthreads();
    return !shared->gave_up;
}

/* After all threads have done with the block. */
__device__ inline void publish(uint64_t *counter, uint64_t value)
{
    __syncthreads();
    if (threadIdx.x == 0)
        store_release(counter, value);
}

template <typename Vector>
__device__ inline bool send_block(const a2a_staged &staged, size_t block, int lane, int target,
                                  uint64_t base, shared *shared)
{
    const a2a_gate &gate = staged.gate;
    const uint64_t after = base + block + 1;
    if (block >= staged.slots &&
        !await_count(staged, &words_of(gate, gate.rank, target, lane)->free, after - staged.slots,
                     shared))
        return false;
    if (!(shared->gate.skipped >> target & 1))
        move_block<Vector>(staged, block, lane, place_in(staged, block, target),
                           place_stage(staged, block, gate.rank, target));
    publish(&words_of(gate, target, gate.rank, lane)->ready, after);
    return true;
}

template <typename Vector>
__device__ inline bool receive_block(const a2a_staged &staged, size_t block, int lane, int source,
                                     uint64_t base, shared *shared)
{
    const a2a_gate &gate = staged.gate;
    const uint64_t after = base + block + 1;
    if (!await_count(staged, &words_of(gate, gate.rank, source, lane)->ready, after, shared))
        return false;
    if (!(shared->gate.skipped >> source & 1))
        move_block<Vector>(staged, block, lane, place_stage(staged, block, source, gate.rank),
                           place_out(staged, block, source));
    publish(&words_of(gate, source, gate.rank, lane)->free, after);
    return true;
}

/* In each block the targets from rank + 1 on; this rank's own part goes past peer_mem. */
template <typename Vector>
__device__ inline void produce(const a2a_staged &staged, int lane, shared *shared)
{
    const int rank = staged.gate.rank, ranks = staged.gate.ranks;
    const uint64_t base = staged.gate.lanes[lane].produced;
    for (size_t block = 0; block < staged.blocks; block++) {
        for (int i = 1; i < ranks; i++)
            if (!send_block<Vector>(staged, block, lane, (rank + i) % ranks, base, shared))
                return;
        if (!(shared->gate.skipped >> rank & 1))
            move_block<Vector>(staged, block, lane, place_in(staged, block, rank),
                               place_out(staged, block, rank));
    }
    __syncthreads();
    if (threadIdx.x == 0)
        staged.gate.lanes[lane].produced = base + staged.blocks;
}

/* In the order in which the producers of all ranks come here. */
template <typename Vector>
__device__ inline void consume(const a2a_staged &staged, int lane, shared *shared)
{
    const int rank = staged.gate.rank, ranks = staged.gate.ranks;
    const uint64_t base = staged.gate.lanes[lane].consumed;
    for (size_t block = 0; block < staged.blocks; block++)
        for (int i = 1; i < ranks; i++)
            if (!receive_block<Vector>(staged, block, lane, (rank + ranks - i) % ranks, base,
                                       shared))
                return;
    __syncthreads();
    if (threadIdx.x == 0)
        staged.gate.lanes[lane].consumed = base + staged.blocks;
}

template <typename Vector>
__global__ void __launch_bounds__(A2A_STAGED_THREADS)
    staged_kernel(const __grid_constant__ a2a_staged staged)
{
    __shared__ shared shared;
    const int lanes = (int)gridDim.x / 2;
    const bool consumes = (int)blockIdx.x >= lanes;
    if (threadIdx.x == 0)
        shared.gave_up = false;
    const a2a_lane own = begin_lane(staged.gate);
    tell_entered(staged.gate, own);
    await_entered(staged.gate, own, &shared.gate);
    if (!shared.gate.stalled && consumes)
        consume<Vector>(staged, (int)blockIdx.x - lanes, &shared);
    else if (!shared.gate.stalled)
        produce<Vector>(staged, (int)blockIdx.x, &shared);
    if (threadIdx.x == 0)
        shared.gate.stalled |= shared.gave_up;
    finish_lane(staged.gate, own, &shared.gate);
}

static const void *kernel_of(int vector)
{
    const void *kernel;
#define KERNEL(Vector) kernel = (const void *)staged_kernel<Vector>
    WITH_VECTOR(vector, KERNEL)
    return kernel;
}

cudaError_t a2a_launch_staged(const a2a_staged *staged, int grid, int block, int vector,
                              cudaStream_t stream)
{
    void *arguments[] = {(void *)staged};
    return cudaLaunchCooperativeKernel(kernel_of(vector), dim3((unsigned)grid),
                                       dim3((unsigned)block), arguments, 0, stream);
}

cudaError_t a2a_staged_capacity(int block, int vector, int *blocks)
{
    return capacity_of(kernel_of(vector), block, blocks);
}
