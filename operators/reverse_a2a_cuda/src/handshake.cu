/* The halves of a gate as kernels of their own: between them the copy engines work (DMA). */
#include "gate.cuh"

__global__ void enter_kernel(const __grid_constant__ a2a_gate gate)
{
    __shared__ gate_state state;
    const a2a_lane lane = begin_lane(gate);
    tell_entered(gate, lane);
    await_entered(gate, lane, &state);
    if (threadIdx.x == 0 && state.stalled)
        gate.lanes[blockIdx.x].broken = 1;
}

/* The copies are complete when it starts; but they were made by other engines than this one. */
__global__ void leave_kernel(const __grid_constant__ a2a_gate gate)
{
    __shared__ gate_state state;
    const a2a_lane lane = begin_lane(gate);
    if (threadIdx.x == 0)
        state.stalled = lane.broken;
    __syncthreads();
    leave(gate, lane, &state, true);
}

cudaError_t a2a_launch_enter(const a2a_gate *gate, cudaStream_t stream)
{
    return launch_early(enter_kernel, *gate, *gate, 1, 32, stream);
}

cudaError_t a2a_launch_leave(const a2a_gate *gate, cudaStream_t stream)
{
    leave_kernel<<<1, 32, 0, stream>>>(*gate);
    return cudaGetLastError();
}
