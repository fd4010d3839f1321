/*
 * The kernel of PUSH and PULL: all parts at once, between the two halves of a gate.
 *
 * Each thread moves the same vectors of every part, those of the next rank first: no rank is
 * everybody's first target, and all links are busy all the time. The part of this rank itself comes
 * along in the shadow of the links.
 *
 * PUSH loads its first vectors before it waits for the peers, since they are its own; PULL has to
 * wait first.
 */
#include "gate.cuh"
#include "moves.cuh"

__device__ inline bool is_skipped(const a2a_copy &copy, const gate_state &state, int part)
{
    const int peer = (copy.gate.rank + 1 + part) % copy.parts;
    return state.skipped >> peer & 1;
}

template <typename Vector>
__device__ inline void move_parts(const a2a_copy &copy, const gate_state &state,
                                  batch<Vector> *batch)
{
    for (int part = 0; part < copy.parts; part++) {
        if (part > 0)
            load(batch, copy.from[part]);
        if (!is_skipped(copy, state, part))
            store(batch, copy.to[part]);
    }
}

template <typename Vector, typename Index>
__global__ void __launch_bounds__(1024) copy_kernel(const __grid_constant__ a2a_copy copy)
{
    __shared__ gate_state state;
    const extent<Vector, Index> extent(copy.box);
    const Index threads = (Index)gridDim.x * blockDim.x, step = IN_FLIGHT * threads;
    Index first = (Index)blockIdx.x * blockDim.x + threadIdx.x;
    batch<Vector> batch;

    const a2a_lane lane = lane_of(copy.gate);
    tell_entered(copy.gate, lane);
    locate(copy.box, extent, first, threads, &batch);
    if (copy.pull)
        await_entered(copy.gate, lane, &state);
    load(&batch, copy.from[0]);
    if (!copy.pull)
        await_entered(copy.gate, lane, &state);
    while (batch.count > 0 && !state.stalled) {
        move_parts(copy, state, &batch);
        first += step;
        locate(copy.box, extent, first, threads, &batch);
        load(&batch, copy.from[0]);
    }
    leave(copy.gate, lane, &state, !copy.pull);
}

/* The same without a gate, for operands that no peer touches. */
template <typename Vector, typename Index>
__global__ void __launch_bounds__(1024) local_copy_kernel(const __grid_constant__ a2a_copy copy)
{
    const extent<Vector, Index> extent(copy.box);
    const Index threads = (Index)gridDim.x * blockDim.x, step = IN_FLIGHT * threads;
    const gate_state state = {};
    batch<Vector> batch;
    for (Index first = (Index)blockIdx.x * blockDim.x + threadIdx.x; first < extent.all;
         first += step) {
        locate(copy.box, extent, first, threads, &batch);
        load(&batch, copy.from[0]);
        move_parts(copy, state, &batch);
    }
}

/* Do indices fit into 32 bits, also those of the first step behind the end? */
static bool is_small(const a2a_copy *copy, int grid, int block, int vector)
{
    const size_t vectors = copy->box.rows * copy->box.heads * copy->box.width / (size_t)vector;
    return vectors + 2 * (size_t)IN_FLIGHT * (size_t)grid * (size_t)block < (size_t)1 << 32;
}

template <typename Vector, typename Index>
static void launch(const a2a_copy *copy, int grid, int block, cudaStream_t stream)
{
    if (copy->gate.ranks > 0)
        copy_kernel<Vector, Index><<<grid, block, 0, stream>>>(*copy);
    else
        local_copy_kernel<Vector, Index><<<grid, block, 0, stream>>>(*copy);
}

cudaError_t a2a_launch_copy(const a2a_copy *copy, int grid, int block, int vector,
                            cudaStream_t stream)
{
#define LAUNCH(Vector)                                                                             \
    is_small(copy, grid, block, vector) ? launch<Vector, unsigned>(copy, grid, block, stream)      \
                                        : launch<Vector, size_t>(copy, grid, block, stream)
    WITH_VECTOR(vector, LAUNCH)
    return cudaGetLastError();
}
