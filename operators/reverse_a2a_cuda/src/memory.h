/*
 * Symmetric device memory: allocations that every rank makes alike and opens at all peers (CUDA
 * IPC). One holds the signal words, one the mailboxes, one peer_mem, the others operands.
 */
#ifndef REVERSE_A2A_CUDA_MEMORY_H
#define REVERSE_A2A_CUDA_MEMORY_H

#include <stdbool.h>

#include "kernels.h"
#include "reverse_a2a/cuda.h"

/* One allocation of every rank, as seen from here. */
struct a2a_symmetric {
    size_t bytes;
    char *of_rank[REVERSE_A2A_CUDA_MAX_RANKS]; /* the own one included */
    uint64_t number;                           /* the same on all ranks; never used twice */
    struct a2a_symmetric *next;
};

struct a2a_nccl;
struct a2a_nvshmem;

struct reverse_a2a_cuda_memory {
    MPI_Comm comm;
    int rank, ranks, device;
    size_t bytes;       /* of peer_mem */
    bool programmatic;  /* see struct a2a_gate */
    bool shares_device; /* some ranks are on one GPU */
    struct a2a_symmetric *words, *mailbox, *peer_mem;
    struct a2a_symmetric *list; /* all of them, the last one first */
    uint64_t allocations;       /* so far */
    struct a2a_lane *lanes;
    struct a2a_counter *counter;                             /* behind the lanes */
    struct a2a_status *status, *status_on_device;            /* one place, two addresses */
    double stall_limit;                                      /* seconds; 0: none */
    cudaEvent_t begun, joined[REVERSE_A2A_CUDA_MAX_STREAMS]; /* DMA */
    cudaStream_t streams[REVERSE_A2A_CUDA_MAX_STREAMS];
    struct a2a_nccl *nccl; /* made with the first plan that needs it; so is the next */
    struct a2a_nvshmem *nvshmem;
    char reason[256];
};

/* Keeps a sentence for reverse_a2a_cuda_memory_reason, and returns result. */
int a2a_fail(struct reverse_a2a_cuda_memory *memory, int result, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* OK, or DEVICE (OUT_OF_MEMORY) with a reason that says what could not be done. */
int a2a_check(struct reverse_a2a_cuda_memory *memory, cudaError_t error, const char *what);

/* Makes the memory's device current; what was is to be given to a2a_restore_device. */
int a2a_use_device(struct reverse_a2a_cuda_memory *memory, int *previous);
void a2a_restore_device(int previous);

/*
 * Collective. The lowest result of all ranks. Where only other ranks failed, the reason says so.
 */
int a2a_agree(struct reverse_a2a_cuda_memory *memory, int result);

/* Collective. In symmetric.c; the device is current. On an error nothing stays behind. */
int a2a_symmetric_create(struct reverse_a2a_cuda_memory *memory, size_t bytes,
                         struct a2a_symmetric **symmetric);
/* Collective. No rank may be using it. NULL is allowed and then local. */
void a2a_symmetric_destroy(struct reverse_a2a_cuda_memory *memory, struct a2a_symmetric *symmetric);

/* Local. The allocation that holds `span` bytes from `start` on; NULL: none. */
struct a2a_symmetric *a2a_symmetric_find(const struct reverse_a2a_cuda_memory *memory,
                                         const char *start, size_t span);

/* Fills what all gates have in common. */
void a2a_fill_gate(const struct reverse_a2a_cuda_memory *memory, bool faulty, uint64_t operand,
                   struct a2a_gate *gate);

#endif
