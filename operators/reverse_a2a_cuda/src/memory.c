/* What the ranks share on their devices (see memory.h). */
#include "memory.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agree.h"
#include "engine_nccl.h"
#include "engine_nvshmem.h"

_Static_assert(A2A_RANKS == REVERSE_A2A_CUDA_MAX_RANKS && A2A_LANES == REVERSE_A2A_CUDA_MAX_GRID,
               "kernels.h repeats the limits of the public header");

int a2a_fail(struct reverse_a2a_cuda_memory *memory, int result, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(memory->reason, sizeof memory->reason, format, arguments);
    va_end(arguments);
    return result;
}

int a2a_check(struct reverse_a2a_cuda_memory *memory, cudaError_t error, const char *what)
{
    if (error == cudaSuccess)
        return REVERSE_A2A_OK;
    cudaGetLastError(); /* an error that does no further harm must not be found by others */
    return a2a_fail(memory,
                    error == cudaErrorMemoryAllocation ? REVERSE_A2A_ERROR_OUT_OF_MEMORY
                                                       : REVERSE_A2A_ERROR_DEVICE,
                    "rank %d: %s: %s", memory->rank, what, cudaGetErrorString(error));
}

int a2a_use_device(struct reverse_a2a_cuda_memory *memory, int *previous)
{
    *previous = memory->device;
    int result = a2a_check(memory, cudaGetDevice(previous), "finding the current device");
    if (result == REVERSE_A2A_OK && *previous != memory->device)
        result = a2a_check(memory, cudaSetDevice(memory->device), "selecting the device");
    return result;
}

void a2a_restore_device(int previous)
{
    int now;
    if (cudaGetDevice(&now) == cudaSuccess && now != previous)
        cudaSetDevice(previous);
}

int a2a_agree(struct reverse_a2a_cuda_memory *memory, int result)
{
    const int agreed = reverse_a2a_agree(memory->comm, result);
    if (agreed != result && result == REVERSE_A2A_OK)
        a2a_fail(memory, agreed, "another rank: %s", reverse_a2a_strerror(agreed));
    return agreed;
}

/* Processes of one node, which see each other's devices. */
static int check_node(struct reverse_a2a_cuda_memory *memory)
{
    MPI_Comm node;
    int ranks = 0;
    if (memory->ranks > REVERSE_A2A_CUDA_MAX_RANKS)
        return a2a_fail(memory, REVERSE_A2A_ERROR_RANKS, "%d ranks, and at most %d are possible",
                        memory->ranks, REVERSE_A2A_CUDA_MAX_RANKS);
    if (MPI_Comm_split_type(memory->comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node) !=
        MPI_SUCCESS)
        return a2a_fail(memory, REVERSE_A2A_ERROR_MPI, "MPI_Comm_split_type failed");
    MPI_Comm_size(node, &ranks);
    MPI_Comm_free(&node);
    if (ranks != memory->ranks)
        return a2a_fail(memory, REVERSE_A2A_ERROR_NODES, "%s",
                        reverse_a2a_strerror(REVERSE_A2A_ERROR_NODES));
    return REVERSE_A2A_OK;
}

/* Device numbers may be renamed in each process: the identifier is the GPU's own. */
static int compare_devices(struct reverse_a2a_cuda_memory *memory)
{
    struct cudaDeviceProp properties;
    cudaUUID_t identifiers[REVERSE_A2A_CUDA_MAX_RANKS];
    memset(&properties, 0, sizeof properties);
    int result = a2a_check(memory, cudaGetDevice(&memory->device), "finding the current device");
    if (result == REVERSE_A2A_OK)
        result = a2a_check(memory, cudaGetDeviceProperties(&properties, memory->device),
                           "asking the device what it is");
    result = a2a_agree(memory, result);
    if (result != REVERSE_A2A_OK)
        return result;
    identifiers[memory->rank] = properties.uuid;
    memory->programmatic = properties.major >= 9;
    if (MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, identifiers, sizeof identifiers[0],
                      MPI_BYTE, memory->comm) != MPI_SUCCESS)
        return a2a_fail(memory, REVERSE_A2A_ERROR_MPI, "MPI_Allgather failed");
    for (int i = 1; i < memory->ranks; i++)
        for (int j = 0; j < i; j++)
            memory->shares_device |= !memcmp(&identifiers[i], &identifiers[j], sizeof(cudaUUID_t));
    return REVERSE_A2A_OK;
}

static int take_lanes_and_status(struct reverse_a2a_cuda_memory *memory)
{
    void *lanes = NULL, *status = NULL, *on_device = NULL;
    const size_t before = A2A_LANES * sizeof(struct a2a_lane);
    const size_t bytes = before + sizeof(struct a2a_counter);
    int result = a2a_check(memory, cudaMalloc(&lanes, bytes), "allocating the lanes");
    memory->lanes = lanes;
    memory->counter = (struct a2a_counter *)(void *)((char *)lanes + before);
    if (result == REVERSE_A2A_OK)
        result = a2a_check(memory, cudaMemset(lanes, 0, bytes), "clearing the lanes");
    if (result == REVERSE_A2A_OK)
        result = a2a_check(memory,
                           cudaHostAlloc(&status, sizeof(struct a2a_status), cudaHostAllocMapped),
                           "allocating the status");
    memory->status = status;
    if (result == REVERSE_A2A_OK)
        result = a2a_check(memory, cudaHostGetDevicePointer(&on_device, status, 0),
                           "mapping the status");
    memory->status_on_device = on_device;
    if (status)
        memset(status, 0, sizeof(struct a2a_status));
    return result;
}

static int make_streams(struct reverse_a2a_cuda_memory *memory)
{
    int result = a2a_check(memory, cudaEventCreateWithFlags(&memory->begun, cudaEventDisableTiming),
                           "making an event");
    for (int i = 0; i < REVERSE_A2A_CUDA_MAX_STREAMS && result == REVERSE_A2A_OK; i++) {
        result =
            a2a_check(memory, cudaEventCreateWithFlags(&memory->joined[i], cudaEventDisableTiming),
                      "making an event");
        if (result == REVERSE_A2A_OK)
            result = a2a_check(
                memory, cudaStreamCreateWithFlags(&memory->streams[i], cudaStreamNonBlocking),
                "making a stream");
    }
    return result;
}

static int fill_memory(struct reverse_a2a_cuda_memory *memory, size_t bytes)
{
    int result = a2a_agree(memory, check_node(memory));
    if (result == REVERSE_A2A_OK)
        result = compare_devices(memory);
    if (result == REVERSE_A2A_OK)
        result = take_lanes_and_status(memory);
    if (result == REVERSE_A2A_OK)
        result = make_streams(memory);
    result = a2a_agree(memory, result);
    if (result == REVERSE_A2A_OK)
        result = a2a_symmetric_create(
            memory, (size_t)memory->ranks * A2A_LANES * sizeof(struct a2a_words), &memory->words);
    if (result == REVERSE_A2A_OK)
        result = a2a_symmetric_create(memory, 2 * (size_t)memory->ranks * A2A_PACKETS_BYTES,
                                      &memory->mailbox);
    if (result == REVERSE_A2A_OK && bytes > 0)
        result = a2a_symmetric_create(memory, bytes, &memory->peer_mem);
    memory->bytes = memory->peer_mem ? memory->peer_mem->bytes : 0;
    return result;
}

int reverse_a2a_cuda_memory_create(MPI_Comm comm, size_t bytes,
                                   struct reverse_a2a_cuda_memory **memory)
{
    if (memory)
        *memory = NULL;
    if (comm == MPI_COMM_NULL || !memory)
        return REVERSE_A2A_ERROR_ARGUMENT;
    struct reverse_a2a_cuda_memory *made = calloc(1, sizeof *made);
    int result = reverse_a2a_agree(comm, made ? REVERSE_A2A_OK : REVERSE_A2A_ERROR_OUT_OF_MEMORY);
    uint64_t largest = 0;
    if (result == REVERSE_A2A_OK)
        result = reverse_a2a_find_largest(comm, bytes, &largest);
    if (result == REVERSE_A2A_OK && MPI_Comm_dup(comm, &made->comm) != MPI_SUCCESS)
        result = REVERSE_A2A_ERROR_MPI;
    if (result != REVERSE_A2A_OK) {
        free(made);
        return result;
    }
    MPI_Comm_set_errhandler(made->comm, MPI_ERRORS_RETURN);
    MPI_Comm_rank(made->comm, &made->rank);
    MPI_Comm_size(made->comm, &made->ranks);
    result = fill_memory(made, (size_t)largest);
    if (result == REVERSE_A2A_OK)
        *memory = made;
    else
        reverse_a2a_cuda_memory_destroy(made);
    return result;
}

void reverse_a2a_cuda_memory_destroy(struct reverse_a2a_cuda_memory *memory)
{
    int previous;
    if (!memory)
        return;
    a2a_use_device(memory, &previous);
    a2a_nccl_destroy(memory->nccl);
    a2a_nvshmem_destroy(memory->nvshmem);
    while (memory->list)
        a2a_symmetric_destroy(memory, memory->list);
    for (int i = 0; i < REVERSE_A2A_CUDA_MAX_STREAMS; i++) {
        if (memory->streams[i])
            cudaStreamDestroy(memory->streams[i]);
        if (memory->joined[i])
            cudaEventDestroy(memory->joined[i]);
    }
    if (memory->begun)
        cudaEventDestroy(memory->begun);
    cudaFree(memory->lanes);
    cudaFreeHost(memory->status);
    a2a_restore_device(previous);
    MPI_Comm_free(&memory->comm);
    free(memory);
}

int reverse_a2a_cuda_alloc(struct reverse_a2a_cuda_memory *memory, size_t bytes, void **pointer)
{
    struct a2a_symmetric *symmetric = NULL;
    int previous;
    if (pointer)
        *pointer = NULL;
    if (!memory || !pointer)
        return REVERSE_A2A_ERROR_ARGUMENT;
    int result = a2a_agree(memory, a2a_use_device(memory, &previous));
    if (result == REVERSE_A2A_OK)
        result = a2a_symmetric_create(memory, bytes > 0 ? bytes : 1, &symmetric);
    a2a_restore_device(previous);
    if (symmetric)
        *pointer = symmetric->of_rank[memory->rank];
    return result;
}

int reverse_a2a_cuda_free(struct reverse_a2a_cuda_memory *memory, void *pointer)
{
    int previous;
    if (!pointer)
        return REVERSE_A2A_OK;
    if (!memory)
        return REVERSE_A2A_ERROR_ARGUMENT;
    struct a2a_symmetric *symmetric = a2a_symmetric_find(memory, pointer, 1);
    if (!symmetric || symmetric->of_rank[memory->rank] != pointer || symmetric == memory->words ||
        symmetric == memory->mailbox || symmetric == memory->peer_mem)
        return a2a_fail(memory, REVERSE_A2A_ERROR_ARGUMENT, "not from reverse_a2a_cuda_alloc");
    a2a_use_device(memory, &previous);
    a2a_symmetric_destroy(memory, symmetric);
    a2a_restore_device(previous);
    return REVERSE_A2A_OK;
}

int reverse_a2a_cuda_memory_set_stall_limit(struct reverse_a2a_cuda_memory *memory, double seconds)
{
    if (!memory || !isfinite(seconds) || seconds < 0)
        return REVERSE_A2A_ERROR_ARGUMENT;
    memory->stall_limit = seconds;
    return REVERSE_A2A_OK;
}

/* A flag is raised by a kernel and taken down here, after that kernel: never at the same time. */
static bool take_down(volatile uint32_t *flag)
{
    const bool raised = *flag != 0;
    *flag = 0;
    return raised;
}

int reverse_a2a_cuda_memory_state(struct reverse_a2a_cuda_memory *memory)
{
    if (!memory)
        return REVERSE_A2A_ERROR_ARGUMENT;
    struct a2a_status *status = memory->status;
    if (*(volatile uint32_t *)&status->stalled)
        return a2a_fail(memory, REVERSE_A2A_ERROR_BROKEN,
                        "rank %d waited for another rank longer than its stall limit",
                        memory->rank);
    const bool peer = take_down(&status->peer), other_place = take_down(&status->not_symmetric);
    if (peer)
        return a2a_fail(memory, REVERSE_A2A_ERROR_PEER, "%s",
                        reverse_a2a_strerror(REVERSE_A2A_ERROR_PEER));
    if (other_place)
        return a2a_fail(memory, REVERSE_A2A_ERROR_NOT_SYMMETRIC,
                        "rank %d's operand is not at the same place as another rank's",
                        memory->rank);
    return REVERSE_A2A_OK;
}

const char *reverse_a2a_cuda_memory_reason(const struct reverse_a2a_cuda_memory *memory)
{
    return memory->reason;
}

int reverse_a2a_cuda_memory_ranks(const struct reverse_a2a_cuda_memory *memory)
{
    return memory->ranks;
}

size_t reverse_a2a_cuda_memory_size(const struct reverse_a2a_cuda_memory *memory)
{
    return memory->bytes;
}

int reverse_a2a_cuda_memory_device(const struct reverse_a2a_cuda_memory *memory)
{
    return memory->device;
}

void a2a_fill_gate(const struct reverse_a2a_cuda_memory *memory, bool faulty, uint64_t operand,
                   struct a2a_gate *gate)
{
    for (int i = 0; i < memory->ranks; i++)
        gate->words[i] = (struct a2a_words *)(void *)memory->words->of_rank[i];
    gate->lanes = memory->lanes;
    gate->status = memory->status_on_device;
    gate->stall_nanoseconds = (uint64_t)(memory->stall_limit * 1e9);
    gate->operand = operand;
    gate->rank = memory->rank;
    gate->ranks = memory->ranks;
    gate->faulty = faulty;
    gate->programmatic = memory->programmatic;
}
