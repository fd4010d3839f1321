/*
 * Reverse all-to-all over MPI: the way back of sequence or expert parallelism.
 *
 * P ranks take part. Rank p holds A_p of shape [P*S, H, D], and rank r gets C_r of shape
 * [S, P*H, D]:
 *
 *     C_r[s, p*H + h, d] = A_p[r*S + s, h, d]        s < S, p < P, h < H, d < D
 *
 * The forward all-to-all goes the other way, from C to A, and is the same function with another
 * direction in its shape. The ranks may have different S.
 *
 * How to use it:
 *
 *     reverse_a2a_memory_bytes(&shape, &config, ranks, &bytes);  // what a configuration needs
 *     reverse_a2a_memory_create(comm, bytes, NULL, &memory);     // once; collective, expensive
 *     reverse_a2a_plan_create(memory, &shape, &config, &plan);   // local, cheap; keep it
 *     reverse_a2a_execute(plan, a, c);                           // collective
 *     reverse_a2a_plan_destroy(plan);                            // before its memory
 *     reverse_a2a_memory_destroy(memory);                        // collective
 *
 * Every function that can fail returns REVERSE_A2A_OK (0) or a negative enum reverse_a2a_result. No
 * function prints or ends the process. A function is "local" if it neither communicates nor waits,
 * and "collective" if all ranks of the memory's communicator must call it, in the same order.
 *
 * Several engines move the data (enum reverse_a2a_engine_name); reverse_a2a_plan_create uses the
 * staged one, reverse_a2a_plan_create_with any. reverse_a2a_estimate chooses without measuring, and
 * reverse_a2a/tuned.h by measuring.
 *
 * There is no global state. One memory and its plans belong to one thread at a time, and are used
 * by one call at a time; different memories are independent.
 */
#ifndef REVERSE_A2A_REVERSE_A2A_H
#define REVERSE_A2A_REVERSE_A2A_H

#include <mpi.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum reverse_a2a_result {
    REVERSE_A2A_OK = 0,
    REVERSE_A2A_ERROR_ARGUMENT = -1,    /* a handle, or a buffer that is not empty, is NULL */
    REVERSE_A2A_ERROR_SHAPE = -2,       /* an extent, stride or element size is not possible */
    REVERSE_A2A_ERROR_CONFIG = -3,      /* unknown engine or copy; block or buffers below 1;
                                           threads not from 0 to 256 */
    REVERSE_A2A_ERROR_RANKS = -4,       /* the shape was made for another number of ranks */
    REVERSE_A2A_ERROR_TOO_LARGE = -5,   /* a size does not fit into the address space */
    REVERSE_A2A_ERROR_MEMORY_SIZE = -6, /* the symmetric memory is smaller than this plan needs */
    REVERSE_A2A_ERROR_OVERLAP = -7,     /* A and C share bytes */
    REVERSE_A2A_ERROR_PEER = -8,        /* another rank came with arguments that are wrong */
    REVERSE_A2A_ERROR_STALL = -9,       /* nothing moved within the stall limit */
    REVERSE_A2A_ERROR_BROKEN = -10,     /* an earlier call stalled, here or on another rank */
    REVERSE_A2A_ERROR_NODES = -11,      /* the ranks do not share one node's memory */
    REVERSE_A2A_ERROR_OUT_OF_MEMORY = -12, /* an allocation failed on some rank */
    REVERSE_A2A_ERROR_MPI = -13,           /* an MPI function failed on some rank */
    REVERSE_A2A_ERROR_ENGINE = -14,        /* the engine can't do this shape, or not here */
    REVERSE_A2A_ERROR_NOT_SYMMETRIC = -15, /* the engine needs an operand of reverse_a2a_alloc */
    REVERSE_A2A_ERROR_SYSTEM = -16,        /* the operating system refused to copy */
    REVERSE_A2A_ERROR_TUNER = -17,         /* tutti reports an error (reverse_a2a/tuned.h) */
    REVERSE_A2A_ERROR_NOT_CACHED = -18,    /* nothing is recorded for this problem */
    REVERSE_A2A_ERROR_DEVICE = -19         /* a CUDA function failed (reverse_a2a/cuda.h) */
};

/* Local. A sentence for a result, in static storage; never NULL, for unknown numbers either. */
const char *reverse_a2a_strerror(int result);

/*
 * The problem. A contiguous array has all four strides 0.
 *
 * Any strides of A that are not negative will do. The elements of C must be distinct: in C one of
 * the two strides steps over the whole extent of the other dimension ([S][P*H][D] or [P*H][S][D],
 * both with gaps or without). D always has unit stride. Addresses need no alignment. In the forward
 * direction A is the one that is written, and what is said here about C holds for A.
 *
 * With s_of_ranks every rank p has S = s_of_ranks[p] of its own, and s is not looked at. A then has
 * as many rows as all ranks together, those of rank r behind those of the ranks before it.
 */
enum reverse_a2a_direction {
    REVERSE_A2A_REVERSE = 0, /* A [P*S, H, D] -> C [S, P*H, D] */
    REVERSE_A2A_FORWARD = 1  /* C [S, P*H, D] -> A [P*S, H, D] */
};

struct reverse_a2a_shape {
    int64_t s, h, d;           /* extents in elements, 0 or more; A has P*S rows, C has P*H heads */
    size_t element_size;       /* bytes: 1, 2, 4 or 8 */
    int64_t a_stride_s;        /* in elements, between rows of S; 0: H * a_stride_h */
    int64_t a_stride_h;        /* in elements, between heads; 0: D */
    int64_t c_stride_s;        /* 0: P*H * c_stride_h */
    int64_t c_stride_h;        /* 0: D */
    int ranks;                 /* P that A and C were made for; 0: that of the communicator */
    int direction;             /* enum reverse_a2a_direction */
    const int64_t *s_of_ranks; /* NULL, or one S for each rank, the same array on all; copied */
};

/* The knobs of the staged engine. Blocks larger than the extent and more buffers than blocks are
 * allowed. */
struct reverse_a2a_config {
    int comm_block_s; /* rows of S in one block: the unit that is signalled; at least 1 */
    int comm_block_d; /* elements of D that are copied in one sweep over a block; at least 1 */
    int buffer_num;   /* slots: blocks on their way from one rank to another; at least 1 */
};

/*
 * The ways of moving the data.
 *
 *                 needs                                              moves each element
 *     STAGED      nothing                                            twice, through peer_mem of
 *                                                                    the receiving rank
 *     STAGED_OWN  nothing                                            twice, through peer_mem of
 *                                                                    the sending rank
 *     PULL        the operand that is read in symmetric memory       once
 *     PUSH        the operand that is written in symmetric memory    once
 *     CMA         leave to read the other processes (Linux)          once, or twice through a cache
 *     P2P         nothing; also between nodes                        as MPI does
 *     REFERENCE   the same S on all ranks; also between nodes        as MPI_Alltoall does, and once
 */
enum reverse_a2a_engine_name {
    REVERSE_A2A_STAGED = 0,
    REVERSE_A2A_STAGED_OWN = 1,
    REVERSE_A2A_PULL = 2,
    REVERSE_A2A_PUSH = 3,
    REVERSE_A2A_CMA = 4,
    REVERSE_A2A_P2P = 5,
    REVERSE_A2A_REFERENCE = 6
};
#define REVERSE_A2A_ENGINES 7

/* Local. The name of an engine in lower case, in static storage; NULL for unknown numbers. */
const char *reverse_a2a_engine_string(int engine);

/*
 * How a processor copies. Streaming stores go past the caches: they save fetching the lines that
 * are overwritten, and lose where what is written would have stayed in a cache.
 */
enum reverse_a2a_copy {
    REVERSE_A2A_COPY_AUTO = 0,           /* by the size of the problem */
    REVERSE_A2A_COPY_PLAIN = 1,          /* memcpy */
    REVERSE_A2A_COPY_WIDE = 2,           /* the widest vectors of this processor */
    REVERSE_A2A_COPY_STREAMING = 3,      /* streaming stores into the result, not into peer_mem */
    REVERSE_A2A_COPY_STREAMING_BOTH = 4, /* streaming stores into peer_mem as well */
    REVERSE_A2A_COPY_PREFETCHING = 5     /* as WIDE, with the result's lines fetched ahead */
};
#define REVERSE_A2A_COPIES 6

/* Local. The name of a way to copy, in static storage; NULL for unknown numbers. */
const char *reverse_a2a_copy_string(int copy);

/* All knobs in one flat struct, for tuners. The blocks matter to the staged engines only, and may
 * be 0 for others; copy and threads do not matter to P2P and REFERENCE. */
struct reverse_a2a_choice {
    int engine;                                 /* enum reverse_a2a_engine_name */
    int copy;                                   /* enum reverse_a2a_copy */
    int comm_block_s, comm_block_d, buffer_num; /* as in struct reverse_a2a_config */
    int threads; /* of OpenMP in each rank, at most 256; 0 is 1. With two or more, the staged
                    engines have threads that fill peer_mem and threads that empty it; the others
                    share the rows of each copy. OpenMP may give fewer. */
};

/* Symmetric memory and the signal words of one communicator. */
struct reverse_a2a_memory;

/*
 * Local. Stores in *bytes how much symmetric memory a rank needs for this shape and configuration
 * among `ranks` ranks. To run several configurations on one memory, take the largest.
 * Errors: ARGUMENT, SHAPE, CONFIG, RANKS, TOO_LARGE.
 */
int reverse_a2a_memory_bytes(const struct reverse_a2a_shape *shape,
                             const struct reverse_a2a_config *config, int ranks, size_t *bytes);

/* As reverse_a2a_memory_bytes, for any choice; 0 for engines without peer_mem. Errors: also ENGINE.
 */
int reverse_a2a_memory_bytes_for(const struct reverse_a2a_shape *shape,
                                 const struct reverse_a2a_choice *choice, int ranks, size_t *bytes);

/* All zero is the default. */
struct reverse_a2a_memory_options {
    uint64_t first_base; /* start of the signal counters, below 2^63; the ranks' largest holds */
    unsigned char fill;  /* every byte of the memory has this value before the signals are set up */
    int across_nodes;    /* not 0: ranks on several nodes are allowed. Where they are, there is no
                            shared memory, and only the engines P2P and REFERENCE make plans. */
    /* first_base and fill are for tests and debugging. */
};

/*
 * Makes a memory. Collective over comm, which is duplicated. Allocates `bytes` on every rank (if
 * they differ: the largest holds everywhere), touches all pages, and returns after a barrier.
 * `options` may be NULL. All ranks must be on one node, unless the options say otherwise.
 * Expensive: some microseconds a page.
 *
 * Errors, the same on all ranks: NODES, TOO_LARGE, OUT_OF_MEMORY, MPI; *memory is then NULL.
 * ARGUMENT (comm or memory is null) is found locally, before anything collective.
 */
int reverse_a2a_memory_create(MPI_Comm comm, size_t bytes,
                              const struct reverse_a2a_memory_options *options,
                              struct reverse_a2a_memory **memory);

/*
 * Collective. Allocates `bytes` (the ranks' largest holds; at least 1) of symmetric memory on every
 * rank for an operand of PULL or PUSH, touches all pages, and returns after a barrier. The start is
 * aligned to 128 bytes, and an operand may begin anywhere inside. Expensive: allocate once, keep.
 * Errors, the same on all ranks: ARGUMENT (a null argument, found locally), NODES, TOO_LARGE,
 * OUT_OF_MEMORY, MPI; *pointer is then NULL.
 */
int reverse_a2a_alloc(struct reverse_a2a_memory *memory, size_t bytes, void **pointer);

/*
 * What shared memory lies on. Below 4 MiB a rank it is a window of MPI. Above, each rank makes a
 * file in memory for the others, if all can open each other's and there is room; these are on huge
 * pages where the system has them (Linux 6.1), which makes memory cheaper to allocate, not faster
 * to use.
 */
enum reverse_a2a_pages {
    REVERSE_A2A_PAGES_WINDOW = 0, /* MPI_Win_allocate_shared */
    REVERSE_A2A_PAGES_FILE = 1,   /* files, ordinary pages */
    REVERSE_A2A_PAGES_HUGE = 2    /* files, huge pages */
};

/* Local. Of what reverse_a2a_alloc returned; of peer_mem for every other pointer. The same on all
 * ranks. */
int reverse_a2a_pages(const struct reverse_a2a_memory *memory, const void *pointer);

/* Collective. Frees what reverse_a2a_alloc returned; NULL is allowed and then local. What is not
 * freed goes with its memory. Errors: ARGUMENT (not from reverse_a2a_alloc, found locally). */
int reverse_a2a_free(struct reverse_a2a_memory *memory, void *pointer);

/*
 * Frees a memory. Collective, also for a broken one. Its plans must have been destroyed. NULL is
 * allowed and then local. If a rank is gone for good, leave the memory alone: this would wait for
 * that rank.
 */
void reverse_a2a_memory_destroy(struct reverse_a2a_memory *memory);

/*
 * Collective. Makes a broken memory usable again, if all ranks are still there: none of them may be
 * inside reverse_a2a_execute. On a sound memory it does no harm. Waits for the ranks without limit.
 * Errors: ARGUMENT, MPI; BROKEN if a call with P2P stalled: its messages can't be taken back.
 */
int reverse_a2a_memory_recover(struct reverse_a2a_memory *memory);

/*
 * Local. Ends a call in which nothing moved on this rank for `seconds` (0, the default: wait for
 * ever). Choose it well above the time by which ranks may be late. Errors: ARGUMENT, also for
 * negative and non-finite numbers.
 */
int reverse_a2a_memory_set_stall_limit(struct reverse_a2a_memory *memory, double seconds);

/* Local. OK, or BROKEN once a call on this memory has stalled. */
int reverse_a2a_memory_state(const struct reverse_a2a_memory *memory);

/* Local. Why the last function on this memory that failed did so: a sentence, "" before the first.
 * It belongs to the memory, and changes with the next failure. */
const char *reverse_a2a_memory_reason(const struct reverse_a2a_memory *memory);

/* Local. The number of ranks; the bytes of symmetric memory on each; the present signal base. */
int reverse_a2a_memory_ranks(const struct reverse_a2a_memory *memory);
size_t reverse_a2a_memory_size(const struct reverse_a2a_memory *memory);
uint64_t reverse_a2a_memory_base(const struct reverse_a2a_memory *memory);

/* A shape and a configuration, checked and bound to a memory. */
struct reverse_a2a_plan;

/*
 * Makes a plan for the staged engine. Local and cheap (one small allocation). Copies shape and
 * config; uses the memory, which must outlive the plan. Any number of plans may share a memory.
 * Errors: ARGUMENT, SHAPE, CONFIG, RANKS, TOO_LARGE, MEMORY_SIZE, OUT_OF_MEMORY; *plan is then
 * NULL, and reverse_a2a_memory_reason says more.
 */
int reverse_a2a_plan_create(struct reverse_a2a_memory *memory,
                            const struct reverse_a2a_shape *shape,
                            const struct reverse_a2a_config *config,
                            struct reverse_a2a_plan **plan);

/*
 * Local. Makes a plan for any engine. An engine that can't do the shape, or can't run in this
 * memory, is refused with ENGINE (or NODES), on all ranks alike, and reverse_a2a_memory_reason
 * names it; so are threads where the library was built without OpenMP.
 */
int reverse_a2a_plan_create_with(struct reverse_a2a_memory *memory,
                                 const struct reverse_a2a_shape *shape,
                                 const struct reverse_a2a_choice *choice,
                                 struct reverse_a2a_plan **plan);

/* Which operands of a plan will be in memory of reverse_a2a_alloc on all ranks. */
enum reverse_a2a_symmetric {
    REVERSE_A2A_NONE_SYMMETRIC = 0,
    REVERSE_A2A_SOURCE_SYMMETRIC = 1,
    REVERSE_A2A_TARGET_SYMMETRIC = 2,
    REVERSE_A2A_BOTH_SYMMETRIC = 3
};

/*
 * Local. A sensible choice without measuring, from a table (docs/performance.md); the same on all
 * ranks. The plan may need more peer_mem than the memory has: ask reverse_a2a_memory_bytes_for.
 * Errors: ARGUMENT, SHAPE, RANKS, TOO_LARGE.
 */
int reverse_a2a_estimate(const struct reverse_a2a_memory *memory,
                         const struct reverse_a2a_shape *shape, int symmetric,
                         struct reverse_a2a_choice *choice);

/* Local. What the plan was made with: COPY_AUTO resolved, blocks cut to the shape. */
void reverse_a2a_plan_choice(const struct reverse_a2a_plan *plan,
                             struct reverse_a2a_choice *choice);

/* Local. Frees a plan. NULL is allowed. */
void reverse_a2a_plan_destroy(struct reverse_a2a_plan *plan);

/*
 * Collective over the memory's communicator. Reads A and fills C (forward: reads C and fills A,
 * that is, `a` is what is read and `c` what is filled); they stay the caller's, and are free for
 * use on return. Ranks may enter at different times; there is no barrier in it, so that a rank may
 * be back while others still work. Allocates nothing. In place is refused with OVERLAP: the
 * elements of one rank go to all.
 *
 * The caller's contract: at each call all ranks bring plans of equal shape and configuration, on
 * memories of one reverse_a2a_memory_create. Strides may differ, but not those of what a peer
 * touches: the source with PULL and CMA, the target with PUSH. What happens otherwise is a stall or
 * wrong data.
 *
 * Errors: ARGUMENT (plan is NULL: only this one does not take part in the call, so that the others
 * wait for this rank; or a or c is NULL though it is not empty); OVERLAP (the spans of A and C,
 * from the first to the last byte, gaps included, meet). With a wrong buffer the rank takes part
 * without touching A or C, all other ranks return PEER, and the next call works. STALL: see
 * reverse_a2a_memory_set_stall_limit; the memory is then BROKEN, and the other ranks find out while
 * they wait, or by their own limit. BROKEN. NOT_SYMMETRIC, to the others PEER. SYSTEM (CMA; the
 * others may have succeeded), MPI (P2P, REFERENCE). After any error the contents of C are
 * unspecified. The stall limit does not hold inside MPI_Alltoall of REFERENCE; after a stall with
 * P2P both buffers must stay until MPI_Finalize.
 */
int reverse_a2a_execute(struct reverse_a2a_plan *plan, const void *a, void *c);

/*
 * The reference: MPI_Alltoall and a local rearrangement. It needs no common node, and is what
 * results and times are compared with.
 */
struct reverse_a2a_reference;

/*
 * Makes a reference. Collective over comm, which is duplicated. Allocates and touches the workspace
 * (the size of A; twice that if A is not contiguous). Shape as in reverse_a2a_plan_create, and
 * equal on all ranks but for the strides. Errors, the same on all ranks: SHAPE, RANKS, TOO_LARGE,
 * OUT_OF_MEMORY, MPI (where ranks fail differently, one of their errors); *reference is then NULL.
 * ARGUMENT (a null argument) is found locally, before anything collective.
 */
int reverse_a2a_reference_create(MPI_Comm comm, const struct reverse_a2a_shape *shape,
                                 struct reverse_a2a_reference **reference);

/* Collective. Frees a reference. NULL is allowed and then local. */
void reverse_a2a_reference_destroy(struct reverse_a2a_reference *reference);

/*
 * Collective. As reverse_a2a_execute, and allocates nothing. A rank with a wrong buffer (ARGUMENT,
 * OVERLAP) takes part without touching its buffers, and sends bytes of no meaning; the others are
 * not told. Errors: ARGUMENT (as in reverse_a2a_execute), OVERLAP, MPI; OUT_OF_MEMORY only where a
 * buffer was wrong as well: the rank could then not take part.
 */
int reverse_a2a_reference_execute(struct reverse_a2a_reference *reference, const void *a, void *c);

#ifdef __cplusplus
}
#endif

#endif
