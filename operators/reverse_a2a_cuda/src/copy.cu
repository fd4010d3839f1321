/*
 * The kernel of PUSH and PULL: all parts at once, between the two halves of a gate.
 *
 * Each thread moves the same vectors of every part, so that all links are busy all the time; the
 * targets from rank + 1 on, so that no rank is everybody's first. The part of this rank itself
 * comes along in the shadow of the links.
 *
 * While the peers are awaited, PUSH loads the first vectors, which are its own, and PULL copies
 * them in this rank's own part.
 */
#include "gate.cuh"
#include "moves.cuh"

__device__ inline bool is_skipped(const a2a_copy &copy, const gate_state &state, int part)
{
    const int peer = (copy.gate.rank + (copy.pull ? 0 : 1) + part) % copy.parts;
    return state.skipped >> peer & 1;
}

/* The same vectors of the parts from `first` on. */
template <typename Vector>
__device__ inline void move_parts(const a2a_copy &copy, const gate_state &state, int first,
                                  batch<Vector> *batch)
{
    for (int part = first; part < copy.parts; part++) {
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

    locate(copy.box, extent, first, threads, &batch);
    const a2a_lane lane = begin_lane(copy.gate);
    tell_entered(copy.gate, lane);
    load(&batch, copy.from[0]);
    if (copy.pull)
        store(&batch, copy.to[0]);
    await_entered(copy.gate, lane, &state);
    if (!copy.pull && !is_skipped(copy, state, 0))
        store(&batch, copy.to[0]);
    for (int part = 1; batch.count > 0 && !state.stalled; part = 0) {
        move_parts(copy, state, part, &batch);
        first += step;
        locate(copy.box, extent, first, threads, &batch);
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
        move_parts(copy, state, 0, &batch);
    }
}

/* Do indices fit into 32 bits, also those of the first step behind the end? */
static bool is_small(const a2a_copy *copy, int grid, int block, int vector)
{
    const size_t vectors = copy->box.rows * copy->box.heads * copy->box.width / (size_t)vector;
    return vectors + 2 * (size_t)IN_FLIGHT * (size_t)grid * (size_t)block < (size_t)1 << 32;
}

template <typename Vector, typename Index>
static cudaError_t launch(const a2a_copy *copy, int grid, int block, cudaStream_t stream)
{
    if (copy->gate.ranks > 0)
        return launch_early(copy_kernel<Vector, Index>, *copy, copy->gate, grid, block, stream);
    local_copy_kernel<Vector, Index><<<grid, block, 0, stream>>>(*copy);
    return cudaGetLastError();
}

cudaError_t a2a_launch_copy(const a2a_copy *copy, int grid, int block, int vector,
                            cudaStream_t stream)
{
    cudaError_t error;
#define LAUNCH(Vector)                                                                             \
    error = is_small(copy, grid, block, vector)                                                    \
                ? launch<Vector, unsigned>(copy, grid, block, stream)                              \
                : launch<Vector, size_t>(copy, grid, block, stream)
    WITH_VECTOR(vector, LAUNCH)
    return error;
}
