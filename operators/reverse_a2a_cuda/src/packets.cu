/*
 * The kernel of PACKETS: each piece of data travels with the number of its call.
 *
 * A packet is 16 bytes that are written and read at once: up to 8 bytes of data, and the number.
 * The sender stores it into the mailbox of the peer, who looks there until the number is that of
 * the present call. So one trip over the link is all that a call needs: no rank asks whether a peer
 * is there, none tells that it is done, and nothing is fenced. It costs twice the bytes. (NCCL's
 * protocol LL is built on the same idea, with packets of 8 bytes.)
 *
 * The mailbox has two halves, which calls use in turn: mailbox[call mod 2][source][packet]. Call n
 * may overwrite what call n - 2 left: this rank has received packets of call n - 1 from every peer,
 * and a peer sends those when its kernel of call n - 2, and so its looking, is complete.
 *
 * The number of the call is one for the memory, since plans cut the mailbox into packets of their
 * own. It is advanced when all blocks of a kernel have read it, by the last of them.
 */
#include "gate.cuh"
#include "moves.cuh"

#define FAULTY ((uint64_t)1 << 63) /* of a number: the sender's arguments were wrong */

/* What a call knows at its begin. */
struct present {
    uint64_t call;
    bool broken;
};

__device__ inline present begin_call(const a2a_packets &packets)
{
#if __CUDA_ARCH__ >= 900
    cudaGridDependencySynchronize();
    cudaTriggerProgrammaticLaunchCompletion();
#endif
    a2a_counter *counter = packets.counter;
    const present present = {counter->call + 1, counter->broken != 0};
    __syncthreads();
    if (threadIdx.x == 0 && atomicAdd(&counter->blocks, 1u) == gridDim.x - 1) {
        counter->blocks = 0;
        counter->call = present.call;
    }
    return present;
}

/* Where the packets from `source` lie in a rank's mailbox. */
__device__ inline uint64_t *packets_of(const a2a_packets &packets, int rank, int source,
                                       uint64_t call)
{
    const size_t slot = call % 2 * packets.gate.ranks + source;
    return (uint64_t *)(packets.mailbox[rank] + slot * A2A_PACKETS_BYTES);
}

/* Ranks with other addresses cut the parts into the same packets: what is not aligned here comes
 * byte by byte. */
template <typename Vector>
__device__ inline void gather(const a2a_packets &packets, batch<Vector> *batch, const char *from)
{
    if (packets.aligned) {
        load(batch, from);
        return;
    }
#pragma unroll
    for (int i = 0; i < IN_FLIGHT; i++)
        for (size_t byte = 0; byte < sizeof(Vector) && i < batch->count; byte++)
            ((char *)&batch->values[i])[byte] = from[batch->from[i] + byte];
}

template <typename Vector>
__device__ inline void put(const a2a_packets &packets, char *to, Vector value)
{
    if (packets.aligned)
        *(Vector *)to = value;
    for (size_t byte = 0; byte < sizeof(Vector) && !packets.aligned; byte++)
        to[byte] = ((const char *)&value)[byte];
}

template <typename Vector> __device__ inline uint64_t pack(Vector value)
{
    uint64_t word = 0;
    memcpy(&word, &value, sizeof value);
    return word;
}

template <typename Vector> __device__ inline Vector unpack(uint64_t word)
{
    Vector value;
    memcpy(&value, &word, sizeof value);
    return value;
}

template <typename Vector>
__device__ inline void send(const a2a_packets &packets, int target, unsigned first, unsigned step,
                            uint64_t call, const batch<Vector> &batch)
{
    uint64_t *place = packets_of(packets, target, packets.gate.rank, call);
    const uint64_t number = call | (packets.gate.faulty ? FAULTY : 0);
#pragma unroll
    for (int i = 0; i < IN_FLIGHT; i++)
        if (i < batch.count)
            store_pair(place + 2 * (first + i * step),
                       packets.gate.faulty ? 0 : pack(batch.values[i]), number);
}

/* Looks until a packet of this call is there. */
template <typename Vector>
__device__ inline verdict receive(const a2a_packets &packets, const uint64_t *place, uint64_t call,
                                  Vector *value)
{
    patience patience = {};
    uint64_t word, number;
    for (load_pair_relaxed(place, &word, &number); (number & ~FAULTY) != call;
         load_pair_relaxed(place, &word, &number))
        if (is_over(packets.gate, &patience))
            return VERDICT_STALLED;
    *value = unpack<Vector>(word);
    return number & FAULTY ? VERDICT_SKIP : VERDICT_FINE;
}

/* False: gave up. */
template <typename Vector>
__device__ inline bool receive_batch(const a2a_packets &packets, int source, unsigned first,
                                     unsigned step, uint64_t call, batch<Vector> *batch)
{
    const uint64_t *place = packets_of(packets, packets.gate.rank, source, call);
    char *to = packets.out + source * packets.out_step;
#pragma unroll
    for (int i = 0; i < IN_FLIGHT; i++) {
        if (i >= batch->count)
            continue;
        const verdict found =
            receive(packets, place + 2 * (first + i * step), call, &batch->values[i]);
        if (found == VERDICT_STALLED)
            return false;
        if (found == VERDICT_SKIP)
            *(volatile uint32_t *)&packets.gate.status->peer = 1;
        else if (!packets.gate.faulty)
            put(packets, to + batch->to[i], batch->values[i]);
    }
    return true;
}

/* To the peers from rank + 1 on; this rank's own part at the end. */
template <typename Vector>
__device__ inline void send_all(const a2a_packets &packets, unsigned first, unsigned step,
                                uint64_t call, batch<Vector> *batch)
{
    const int rank = packets.gate.rank, ranks = packets.gate.ranks;
    for (int i = 1; i < ranks; i++) {
        const int target = (rank + i) % ranks;
        if (!packets.gate.faulty)
            gather(packets, batch, packets.in + target * packets.in_step);
        send(packets, target, first, step, call, *batch);
    }
    if (packets.gate.faulty)
        return;
    gather(packets, batch, packets.in + rank * packets.in_step);
#pragma unroll
    for (int i = 0; i < IN_FLIGHT; i++)
        if (i < batch->count)
            put(packets, packets.out + rank * packets.out_step + batch->to[i], batch->values[i]);
}

template <typename Vector>
__global__ void __launch_bounds__(1024) packets_kernel(const __grid_constant__ a2a_packets packets)
{
    const int rank = packets.gate.rank, ranks = packets.gate.ranks;
    const extent<Vector, unsigned> extent(packets.box);
    const unsigned threads = gridDim.x * blockDim.x, step = IN_FLIGHT * threads;
    const unsigned begin = blockIdx.x * blockDim.x + threadIdx.x;
    batch<Vector> batch;
    locate(packets.box, extent, begin, threads, &batch);
    const present present = begin_call(packets);
    for (unsigned first = begin; first < extent.all; first += step) {
        locate(packets.box, extent, first, threads, &batch);
        send_all(packets, first, threads, present.call, &batch);
    }
    bool waits = !present.broken;
    for (unsigned first = begin; first < extent.all && waits; first += step) {
        locate(packets.box, extent, first, threads, &batch);
        for (int i = 1; i < ranks && waits; i++)
            waits = receive_batch(packets, (rank + ranks - i) % ranks, first, threads, present.call,
                                  &batch);
    }
    if (!waits)
        packets.counter->broken = 1;
}

template <typename Vector>
static cudaError_t launch(const a2a_packets *packets, int grid, int block, cudaStream_t stream)
{
    return launch_early(packets_kernel<Vector>, *packets, packets->gate, grid, block, stream);
}

cudaError_t a2a_launch_packets(const a2a_packets *packets, int grid, int block, int vector,
                               cudaStream_t stream)
{
    switch (vector) {
    case 8:
        return launch<uint2>(packets, grid, block, stream);
    case 4:
        return launch<unsigned>(packets, grid, block, stream);
    case 2:
        return launch<unsigned short>(packets, grid, block, stream);
    default:
        return launch<unsigned char>(packets, grid, block, stream);
    }
}
