/* Allocations that all ranks have, and open at each other (see memory.h). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agree.h"
#include "memory.h"

/* Small allocations may share a page, and so a handle, with others: whole pages do not. */
#define PAGE ((size_t)2 << 20)

static void close_peers(const struct reverse_a2a_cuda_memory *memory,
                        struct a2a_symmetric *symmetric)
{
    for (int i = 0; i < memory->ranks; i++)
        if (i != memory->rank && symmetric->of_rank[i])
            cudaIpcCloseMemHandle(symmetric->of_rank[i]);
}

static int open_peers(struct reverse_a2a_cuda_memory *memory, const cudaIpcMemHandle_t *handles,
                      struct a2a_symmetric *symmetric)
{
    char what[80];
    for (int i = 0; i < memory->ranks; i++) {
        void *opened = NULL;
        if (i == memory->rank)
            continue;
        snprintf(what, sizeof what, "opening the memory of rank %d's device", i);
        int result = a2a_check(
            memory, cudaIpcOpenMemHandle(&opened, handles[i], cudaIpcMemLazyEnablePeerAccess),
            what);
        if (result != REVERSE_A2A_OK)
            return result;
        symmetric->of_rank[i] = opened;
    }
    return REVERSE_A2A_OK;
}

/* Whole pages, zeroed: signal words begin at 0. */
static int take(struct reverse_a2a_cuda_memory *memory, struct a2a_symmetric *symmetric,
                cudaIpcMemHandle_t *handle)
{
    void *own = NULL;
    int result = a2a_check(memory, cudaMalloc(&own, symmetric->bytes), "allocating device memory");
    if (result != REVERSE_A2A_OK)
        return result;
    symmetric->of_rank[memory->rank] = own;
    result = a2a_check(memory, cudaMemset(own, 0, symmetric->bytes), "clearing device memory");
    if (result == REVERSE_A2A_OK)
        result = a2a_check(memory, cudaDeviceSynchronize(), "clearing device memory");
    if (result == REVERSE_A2A_OK && memory->ranks > 1)
        result = a2a_check(memory, cudaIpcGetMemHandle(handle, own), "making an IPC handle");
    return result;
}

static int exchange_handles(struct reverse_a2a_cuda_memory *memory, struct a2a_symmetric *symmetric)
{
    cudaIpcMemHandle_t handles[REVERSE_A2A_CUDA_MAX_RANKS];
    memset(handles, 0, sizeof handles);
    int result = a2a_agree(memory, take(memory, symmetric, &handles[memory->rank]));
    if (result != REVERSE_A2A_OK)
        return result;
    if (MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, handles, sizeof handles[0], MPI_BYTE,
                      memory->comm) != MPI_SUCCESS)
        return REVERSE_A2A_ERROR_MPI;
    return a2a_agree(memory, open_peers(memory, handles, symmetric));
}

static int agree_on_size(struct reverse_a2a_cuda_memory *memory, size_t *bytes)
{
    uint64_t largest;
    if (reverse_a2a_find_largest(memory->comm, *bytes, &largest) != REVERSE_A2A_OK)
        return a2a_fail(memory, REVERSE_A2A_ERROR_MPI, "MPI failed");
    if (largest > INT64_MAX - PAGE)
        return a2a_fail(memory, REVERSE_A2A_ERROR_TOO_LARGE, "%llu bytes",
                        (unsigned long long)largest);
    *bytes = ((size_t)largest + PAGE - 1) / PAGE * PAGE;
    return REVERSE_A2A_OK;
}

int a2a_symmetric_create(struct reverse_a2a_cuda_memory *memory, size_t bytes,
                         struct a2a_symmetric **symmetric)
{
    *symmetric = NULL;
    int result = agree_on_size(memory, &bytes);
    if (result != REVERSE_A2A_OK)
        return result;
    struct a2a_symmetric *made = calloc(1, sizeof *made);
    result = a2a_agree(memory, made ? REVERSE_A2A_OK : REVERSE_A2A_ERROR_OUT_OF_MEMORY);
    if (result == REVERSE_A2A_OK) {
        made->bytes = bytes;
        made->number = ++memory->allocations;
        made->next = memory->list;
        memory->list = made;
        result = exchange_handles(memory, made);
    }
    if (result == REVERSE_A2A_OK)
        *symmetric = made;
    else if (made && made == memory->list)
        a2a_symmetric_destroy(memory, made);
    else
        free(made);
    return result;
}

void a2a_symmetric_destroy(struct reverse_a2a_cuda_memory *memory, struct a2a_symmetric *symmetric)
{
    if (!symmetric)
        return;
    struct a2a_symmetric **link = &memory->list;
    while (*link != symmetric)
        link = &(*link)->next;
    *link = symmetric->next;
    /* Memory may be freed when no peer has it open any more. */
    close_peers(memory, symmetric);
    reverse_a2a_barrier(memory->comm);
    cudaFree(symmetric->of_rank[memory->rank]);
    free(symmetric);
}

struct a2a_symmetric *a2a_symmetric_find(const struct reverse_a2a_cuda_memory *memory,
                                         const char *start, size_t span)
{
    for (struct a2a_symmetric *one = memory->list; one; one = one->next) {
        const char *own = one->of_rank[memory->rank];
        if (start >= own && span <= one->bytes && (size_t)(start - own) <= one->bytes - span)
            return one;
    }
    return NULL;
}
