/*
 * The gate: how a call begins and ends on the device.
 *
 *     enter   tells all peers that this rank is in the call, and waits for them
 *     leave   tells all peers that this rank has done with their memory, and waits for them
 *
 * A rank enters when its stream has come to the call, so that all calls before are complete on it:
 * its operands are ready, its peer_mem is quiet. A rank has left when all peers have done with its
 * memory. Between two ranks a phase is never more than one ahead: at `enter` the word of a peer
 * that is there is that of this call, with its fault and its operand.
 *
 * Counters are 64 bits, only grow, and are compared with >=.
 */
#ifndef REVERSE_A2A_CUDA_GATE_CUH
#define REVERSE_A2A_CUDA_GATE_CUH

#include "kernels.h"

#define ROUNDS_PER_CHECK 1024
#define EVERYBODY        0xffffffffu

/* What the threads of a block share about their gate. */
struct gate_state {
    unsigned skipped; /* peers, by bit, whose data is not to be touched */
    bool stalled;     /* gave up: nothing is to be touched */
};

enum verdict { VERDICT_FINE, VERDICT_SKIP, VERDICT_STALLED };

/* One 16-byte word: a reader never sees half of it (PTX ISA, ld and st with .b128). */
__device__ inline void store_pair(uint64_t *place, uint64_t first, uint64_t second)
{
    asm volatile("{ .reg .b128 pair; mov.b128 pair, {%1, %2}; st.relaxed.sys.global.b128 [%0], "
                 "pair; }" ::"l"(place),
                 "l"(first), "l"(second)
                 : "memory");
}

__device__ inline void load_pair(const uint64_t *place, uint64_t *first, uint64_t *second)
{
    asm volatile("{ .reg .b128 pair; ld.acquire.sys.global.b128 pair, [%2]; mov.b128 {%0, %1}, "
                 "pair; }"
                 : "=l"(*first), "=l"(*second)
                 : "l"(place)
                 : "memory");
}

__device__ inline void load_pair_relaxed(const uint64_t *place, uint64_t *first, uint64_t *second)
{
    asm volatile("{ .reg .b128 pair; ld.relaxed.sys.global.b128 pair, [%2]; mov.b128 {%0, %1}, "
                 "pair; }"
                 : "=l"(*first), "=l"(*second)
                 : "l"(place)
                 : "memory");
}

__device__ inline void store_release(uint64_t *place, uint64_t value)
{
    asm volatile("st.release.sys.global.u64 [%0], %1;" ::"l"(place), "l"(value) : "memory");
}

__device__ inline uint64_t load_acquire(const uint64_t *place)
{
    uint64_t value;
    asm volatile("ld.acquire.sys.global.u64 %0, [%1];" : "=l"(value) : "l"(place) : "memory");
    return value;
}

__device__ inline uint64_t nanoseconds_now()
{
    uint64_t now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    return now;
}

/* Counts the idle rounds of one wait, and ends it after the stall limit. */
struct patience {
    unsigned rounds;
    uint64_t since;
};

__device__ inline bool is_over(const a2a_gate &gate, patience *patience)
{
    if (++patience->rounds % ROUNDS_PER_CHECK != 0 || gate.stall_nanoseconds == 0)
        return false;
    const uint64_t now = nanoseconds_now();
    if (patience->since == 0)
        patience->since = now;
    if (now - patience->since <= gate.stall_nanoseconds)
        return false;
    *(volatile uint32_t *)&gate.status->stalled = 1;
    return true;
}

/* What `writer` tells lane `lane` of `reader`. */
__device__ inline a2a_words *words_of(const a2a_gate &gate, int reader, int writer, int lane)
{
    return gate.words[reader] + (size_t)writer * A2A_LANES + lane;
}

/* The caller has put a fence before it if it has something to publish. Threads 0 to ranks - 1. */
__device__ inline void tell_phase(const a2a_gate &gate, uint64_t phase)
{
    const int peer = (int)threadIdx.x;
    if (peer >= gate.ranks || peer == gate.rank)
        return;
    store_pair(words_of(gate, peer, gate.rank, (int)blockIdx.x)->phase,
               2 * phase + (uint64_t)gate.faulty, gate.operand);
}

/* Waits for one peer. `entering`: its word belongs to this call, and is judged. */
__device__ inline verdict await_peer(const a2a_gate &gate, int peer, uint64_t phase, bool entering)
{
    const a2a_words *words = words_of(gate, gate.rank, peer, (int)blockIdx.x);
    patience patience = {};
    uint64_t word, operand;
    for (load_pair(words->phase, &word, &operand); word / 2 < phase;
         load_pair(words->phase, &word, &operand))
        if (is_over(gate, &patience))
            return VERDICT_STALLED;
    if (!entering || (word % 2 == 0 && (gate.faulty || operand == gate.operand)))
        return VERDICT_FINE;
    if (word % 2 == 1)
        *(volatile uint32_t *)&gate.status->peer = 1;
    else
        *(volatile uint32_t *)&gate.status->not_symmetric = 1;
    return VERDICT_SKIP;
}

/* The first warp waits, a thread for each peer; the others wait for it. */
__device__ inline void await_phase(const a2a_gate &gate, uint64_t phase, bool entering, bool broken,
                                   gate_state *state)
{
    if (threadIdx.x < 32) {
        const int peer = (int)threadIdx.x;
        verdict found = broken ? VERDICT_STALLED : VERDICT_FINE;
        if (!broken && peer < gate.ranks && peer != gate.rank)
            found = await_peer(gate, peer, phase, entering);
        const bool stalled = __any_sync(EVERYBODY, found == VERDICT_STALLED);
        const unsigned skipped = __ballot_sync(EVERYBODY, found == VERDICT_SKIP);
        if (peer == 0) {
            state->stalled = stalled;
            if (entering)
                state->skipped = stalled || gate.faulty ? EVERYBODY : skipped;
        }
    }
    __syncthreads();
}

/*
 * The begin of a call: what this lane knows. Where the device can, the kernel was brought there
 * while the one before it in the stream was still running: until that is complete, it waits here;
 * and it lets the next one come. At most one waits, since the next is let in after the wait.
 */
__device__ inline a2a_lane begin_lane(const a2a_gate &gate)
{
#if __CUDA_ARCH__ >= 900
    cudaGridDependencySynchronize();
    cudaTriggerProgrammaticLaunchCompletion();
#endif
    return gate.lanes[blockIdx.x];
}

/* Relaxed: what this rank's stream did before is complete, and nothing has been done since. */
__device__ inline void tell_entered(const a2a_gate &gate, const a2a_lane &lane)
{
    tell_phase(gate, lane.phase + 1);
}

__device__ inline void await_entered(const a2a_gate &gate, const a2a_lane &lane, gate_state *state)
{
    await_phase(gate, lane.phase + 1, true, lane.broken, state);
}

__device__ inline void finish_lane(const a2a_gate &gate, const a2a_lane &lane,
                                   const gate_state *state)
{
    __syncthreads();
    if (threadIdx.x != 0)
        return;
    gate.lanes[blockIdx.x].phase = lane.phase + 2;
    if (state->stalled)
        gate.lanes[blockIdx.x].broken = 1;
}

/*
 * `wrote`: this block has written to peers, and that has to be seen before the word. One that only
 * read has its values already: they have been stored.
 */
__device__ inline void leave(const a2a_gate &gate, const a2a_lane &lane, gate_state *state,
                             bool wrote)
{
    const bool stalled = state->stalled;
    __syncthreads();
    if (!stalled) {
        if (wrote && threadIdx.x < 32)
            __threadfence_system();
        tell_phase(gate, lane.phase + 2);
        await_phase(gate, lane.phase + 2, false, false, state);
    }
    finish_lane(gate, lane, state);
}

/* Launches a kernel that begins with begin_lane. */
template <typename Arguments>
inline cudaError_t launch_early(void (*kernel)(Arguments), const Arguments &arguments,
                                const a2a_gate &gate, int grid, int block, cudaStream_t stream)
{
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3((unsigned)grid);
    config.blockDim = dim3((unsigned)block);
    config.stream = stream;
    config.attrs = &attribute;
    config.numAttrs = gate.programmatic ? 1 : 0;
    return cudaLaunchKernelEx(&config, kernel, arguments);
}

/* The blocks of a kernel that the current device holds at once. */
inline cudaError_t capacity_of(const void *kernel, int block, int *blocks)
{
    int device, processors, on_each;
    cudaError_t error = cudaGetDevice(&device);
    if (error == cudaSuccess)
        error = cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
    if (error == cudaSuccess)
        error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&on_each, kernel, block, 0);
    *blocks = error == cudaSuccess ? processors * on_each : 0;
    return error;
}

#endif
