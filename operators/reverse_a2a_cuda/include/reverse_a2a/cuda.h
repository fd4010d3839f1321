/*
 * The reverse all-to-all on the memory of NVIDIA GPUs: what reverse_a2a.h is for the memory of the
 * host. Shapes, strides and both directions are the same; so are the results (enum
 * reverse_a2a_result) and the meaning of "local" and "collective".
 *
 *     reverse_a2a_cuda_memory_bytes(&shape, &choice, ranks, &bytes); // what an engine needs
 *     reverse_a2a_cuda_memory_create(comm, bytes, &memory);          // once; collective, expensive
 *     reverse_a2a_cuda_alloc(memory, size, &c);                      // operands that peers touch
 *     reverse_a2a_cuda_plan_create(memory, &shape, &choice, &plan);  // collective; keep it
 *     reverse_a2a_cuda_execute(plan, a, c, stream);                  // enqueues, and returns
 *     reverse_a2a_cuda_plan_destroy(plan);                           // before its memory
 *     reverse_a2a_cuda_memory_destroy(memory);                       // collective
 *
 * One process per rank, all on one node; any number of ranks may share a GPU. Each works on the
 * device that is current when the memory is created; all functions here leave the caller's current
 * device as it was.
 */
#ifndef REVERSE_A2A_CUDA_H
#define REVERSE_A2A_CUDA_H

#include <cuda_runtime_api.h>
#include <mpi.h>
#include <stddef.h>
#include <stdint.h>

#include <reverse_a2a/reverse_a2a.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * The ways of moving the data. "Captured": a call may be captured into a CUDA graph and replayed,
 * if all ranks replay the same calls in the same order.
 *
 *                needs                                            captured
 *     PUSH       the operand that is written in symmetric memory  yes: one kernel
 *     PULL       the operand that is read in symmetric memory     yes: one kernel
 *     DMA        the operand that is written in symmetric memory  yes: copies between two kernels
 *     STAGED     nothing                                          yes: one kernel
 *     PACKETS    parts of at most 256 KiB                         yes: one kernel
 *     NCCL       a build with NCCL; one rank on each GPU          yes
 *     NVSHMEM    a build with NVSHMEM                             yes
 *     REFERENCE  the same as MPI_Alltoall: the host's memory      no: it waits for the stream
 *
 * PUSH stores from the multiprocessors into the peers' result, PULL loads from the peers' source,
 * DMA gives two-dimensional copies to the copy engines. STAGED is a pipeline through peer_mem of
 * the receiving rank, and copies twice; so is NVSHMEM, by put-with-signal. PACKETS sends each 8
 * bytes together with the number of the call, so that nobody waits for more than the data. NCCL is
 * grouped ncclSend and ncclRecv, and a kernel that unpacks: what a program does that has no
 * operator.
 */
enum reverse_a2a_cuda_engine_name {
    REVERSE_A2A_CUDA_PUSH = 0,
    REVERSE_A2A_CUDA_PULL = 1,
    REVERSE_A2A_CUDA_DMA = 2,
    REVERSE_A2A_CUDA_STAGED = 3,
    REVERSE_A2A_CUDA_PACKETS = 4,
    REVERSE_A2A_CUDA_NCCL = 5,
    REVERSE_A2A_CUDA_NVSHMEM = 6,
    REVERSE_A2A_CUDA_REFERENCE = 7
};
#define REVERSE_A2A_CUDA_ENGINES 8

/* Local. The name of an engine in lower case, in static storage; NULL for unknown numbers. */
const char *reverse_a2a_cuda_engine_string(int engine);

#define REVERSE_A2A_CUDA_MAX_RANKS   32
#define REVERSE_A2A_CUDA_MAX_GRID    1024
#define REVERSE_A2A_CUDA_MAX_STREAMS 16

/* All knobs in one flat struct, for tuners. What an engine does not use may be 0. */
struct reverse_a2a_cuda_choice {
    int engine; /* enum reverse_a2a_cuda_engine_name */

    /* PUSH, PULL, STAGED, PACKETS, NVSHMEM */
    int grid;   /* blocks of threads, 1 to MAX_GRID. STAGED and NVSHMEM: even, since one half sends
                   and one half receives, and all of them must fit on the device at once */
    int block;  /* threads in a block: a multiple of 32 from 32 to 1024; STAGED: to 512 */
    int vector; /* bytes that a thread moves at once, at most: 1, 2, 4, 8 or 16. Less is used where
                   addresses, strides or extents ask for it. */

    int streams; /* DMA: copies side by side, 1 to MAX_STREAMS */

    int comm_block_s, comm_block_d, buffer_num; /* STAGED, NVSHMEM: as in reverse_a2a_config */
};

/* Symmetric device memory and the signal words of one communicator. */
struct reverse_a2a_cuda_memory;

/*
 * Local. Stores in *bytes how much symmetric memory a rank needs for this shape and choice among
 * `ranks` ranks: peer_mem of STAGED, the workspace of NCCL, else 0. To run several choices on one
 * memory, take the largest. Errors: ARGUMENT, SHAPE, CONFIG, RANKS, TOO_LARGE, ENGINE (s_of_ranks
 * is for the host's operator only).
 */
int reverse_a2a_cuda_memory_bytes(const struct reverse_a2a_shape *shape,
                                  const struct reverse_a2a_cuda_choice *choice, int ranks,
                                  size_t *bytes);

/*
 * Makes a memory. Collective over comm, which is duplicated. Takes `bytes` (the ranks' largest
 * holds) on each rank's current device, and for signal words and the mailboxes of PACKETS some 1.2
 * MB more for each rank; and opens those of all peers. Errors, the same on all ranks: RANKS (more
 * than MAX_RANKS), NODES (ranks on several nodes), TOO_LARGE, OUT_OF_MEMORY, MPI, DEVICE (no
 * device, or a peer's memory can't be opened); *memory is then NULL. ARGUMENT is found locally,
 * before anything collective.
 */
int reverse_a2a_cuda_memory_create(MPI_Comm comm, size_t bytes,
                                   struct reverse_a2a_cuda_memory **memory);

/* Frees a memory. Collective, also for a broken one. All its calls must be complete, its plans
 * destroyed. NULL is allowed and then local. */
void reverse_a2a_cuda_memory_destroy(struct reverse_a2a_cuda_memory *memory);

/*
 * Collective. Allocates `bytes` (the ranks' largest holds; at least 1) of symmetric device memory
 * on every rank for operands that peers touch. The start is aligned to 256 bytes, and an operand
 * may begin anywhere inside, but at the same offset on all ranks. The contents are unspecified.
 * Errors, the same on all ranks: ARGUMENT (found locally), TOO_LARGE, OUT_OF_MEMORY, MPI, DEVICE.
 */
int reverse_a2a_cuda_alloc(struct reverse_a2a_cuda_memory *memory, size_t bytes, void **pointer);

/* Collective. Frees what reverse_a2a_cuda_alloc returned; no call that uses it may be going on.
 * NULL is allowed and then local. Errors: ARGUMENT (not from reverse_a2a_cuda_alloc). */
int reverse_a2a_cuda_free(struct reverse_a2a_cuda_memory *memory, void *pointer);

/*
 * Local. A call in which this rank waits for another one for more than `seconds` gives up (0, the
 * default: never). Choose it well above the time by which ranks may be late, and by far where
 * ranks share a GPU and take turns. Holds for calls that are enqueued, or captured, from now on.
 * Errors: ARGUMENT, also for negative and non-finite numbers.
 */
int reverse_a2a_cuda_memory_set_stall_limit(struct reverse_a2a_cuda_memory *memory, double seconds);

/*
 * Local. What the calls found on the device that have completed since the last look: OK, PEER (a
 * rank came with wrong arguments), NOT_SYMMETRIC (operands at different offsets), or BROKEN (a
 * call gave up waiting), which stays. Synchronize the stream first.
 */
int reverse_a2a_cuda_memory_state(struct reverse_a2a_cuda_memory *memory);

/* Local. Why the last function on this memory that failed did so: a sentence, "" before the first.
 * It belongs to the memory, and changes with the next failure. */
const char *reverse_a2a_cuda_memory_reason(const struct reverse_a2a_cuda_memory *memory);

/* Local. The number of ranks; the bytes of symmetric memory on each; the device. */
int reverse_a2a_cuda_memory_ranks(const struct reverse_a2a_cuda_memory *memory);
size_t reverse_a2a_cuda_memory_size(const struct reverse_a2a_cuda_memory *memory);
int reverse_a2a_cuda_memory_device(const struct reverse_a2a_cuda_memory *memory);

/* A shape and a choice, checked and bound to a memory. */
struct reverse_a2a_cuda_plan;

/*
 * Collective. Makes a plan. Copies shape and choice; uses the memory, which must outlive the plan.
 * Any number of plans may share a memory. Errors, the same on all ranks: SHAPE, CONFIG, RANKS,
 * TOO_LARGE, MEMORY_SIZE, OUT_OF_MEMORY, DEVICE, MPI; ENGINE (not built, several ranks on one GPU,
 * a grid that does not fit on the device at once: reverse_a2a_cuda_memory_reason says which); *plan
 * is then NULL. ARGUMENT is found locally, before anything collective.
 */
int reverse_a2a_cuda_plan_create(struct reverse_a2a_cuda_memory *memory,
                                 const struct reverse_a2a_shape *shape,
                                 const struct reverse_a2a_cuda_choice *choice,
                                 struct reverse_a2a_cuda_plan **plan);

/* Local. Frees a plan. Its calls must be complete, and graphs that hold some not be launched again.
 * NULL is allowed. */
void reverse_a2a_cuda_plan_destroy(struct reverse_a2a_cuda_plan *plan);

/*
 * Collective over the memory's communicator. Enqueues the exchange on the stream and returns: reads
 * A and fills C (forward: `a` is C, which is read, and `c` is A, which is filled). When the stream
 * gets to the end of the call, A may be changed, and C holds the result and is touched by no peer.
 * Ranks may be late; a rank that is early waits on its device, with the blocks of its grid.
 *
 * The caller's contract: all ranks make the same calls on a memory, with plans of equal shape and
 * choice, in the same order; on each rank they follow each other in stream order, also those of
 * different plans. Strides may differ, but not those of what a peer touches. Addresses need no
 * alignment.
 *
 * Errors, local: ARGUMENT (plan is NULL: this rank takes no part; or a or c is NULL though it is
 * not empty), OVERLAP, NOT_SYMMETRIC (the operand is not from reverse_a2a_cuda_alloc); then the
 * rank takes part without touching A or C, the others find PEER in reverse_a2a_cuda_memory_state,
 * and the next call works (with DMA the others write to where C ought to be if it is in symmetric
 * memory, with NCCL and REFERENCE they get bytes of no meaning and are not told). BROKEN after a
 * call gave up. ENGINE (REFERENCE while the stream is captured). DEVICE (a CUDA function failed).
 */
int reverse_a2a_cuda_execute(struct reverse_a2a_cuda_plan *plan, const void *a, void *c,
                             cudaStream_t stream);

#ifdef __cplusplus
}
#endif

#endif
