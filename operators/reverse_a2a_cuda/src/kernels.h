/*
 * What the host asks of the device: the words that ranks signal with, the arguments of the kernels,
 * and the functions that launch them. Plain C, so that only the kernels themselves need nvcc.
 *
 * A kernel has up to MAX_GRID blocks of threads, its "lanes". Block i of a rank signals to block i
 * of each peer, and to nobody else: no block waits for others of its own kernel, and each word has
 * one writer for the memory's life. Blocks need not be on the device at the same time, except those
 * of the staged engine.
 */
#ifndef REVERSE_A2A_CUDA_KERNELS_H
#define REVERSE_A2A_CUDA_KERNELS_H

#include <cuda_runtime_api.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The limits of reverse_a2a/cuda.h, which nvcc need not read. A peer is a thread of a warp. */
#define A2A_RANKS 32
#define A2A_LANES 1024
/* In a block of the staged kernel at most: with more, its registers do not suffice. */
#define A2A_STAGED_THREADS 512

/* What a lane of one peer tells the same lane of this rank. Only this peer writes it. */
struct a2a_words {
    uint64_t phase[2]; /* how far the peer has come: 2 * phase + faulty; and which operand it has.
                          Written and read as one 16-byte word. */
    uint64_t ready;    /* staged: blocks that the peer has put into this rank's peer_mem */
    uint64_t free;     /* staged: blocks that the peer has taken from its own */
} __attribute__((aligned(128)));

/* What a lane of this rank remembers from call to call. Counters only grow. They live on the
 * device, so that a call that is replayed from a graph finds the present ones. */
struct a2a_lane {
    uint64_t phase;    /* two in each call: all ranks have entered; all are done */
    uint64_t produced; /* staged: blocks sent on each channel of this lane, by all calls so far */
    uint64_t consumed; /* and received */
    uint64_t broken;   /* a call gave up waiting */
} __attribute__((aligned(32)));

/* Flags in the host's memory that kernels raise. */
struct a2a_status {
    uint32_t peer, not_symmetric, stalled;
};

/* How the lanes of the ranks meet. */
struct a2a_gate {
    struct a2a_words *words[A2A_RANKS]; /* of each rank: [source][lane] */
    struct a2a_lane *lanes;             /* of this rank */
    struct a2a_status *status;
    uint64_t stall_nanoseconds; /* 0: wait for ever */
    uint64_t operand;           /* the place that peers touch; has to be equal on all ranks */
    int rank, ranks;
    int faulty;       /* this rank takes part without data */
    int programmatic; /* the device can begin a kernel while the one before it ends */
};

/* A box of rows x heads x width bytes, and its strides in bytes. */
struct a2a_box {
    size_t rows, heads, width;
    size_t from_stride_s, from_stride_h, to_stride_s, to_stride_h;
};

/* PUSH and PULL, and copies without any gate (NCCL). */
struct a2a_copy {
    struct a2a_gate gate; /* ranks = 0: none */
    struct a2a_box box;
    /* PUSH: part i goes to rank + 1 + i. PULL: it comes from rank + i, so that the first one, which
     * is this rank's own, needs nobody. */
    const char *from[A2A_RANKS];
    char *to[A2A_RANKS];
    int parts;
    int pull;
};

/* STAGED. Lanes 0 to grid / 2 - 1 produce, the others consume. */
struct a2a_staged {
    struct a2a_gate gate;
    struct a2a_box box; /* of a whole part, from A to C */
    const char *in;
    char *out;
    size_t in_step, out_step; /* bytes between the parts of two targets, and of two sources */
    char *peer_mem[A2A_RANKS];
    size_t block_s, blocks, slots;
    size_t tile; /* bytes of a row in a tile */
};

/* The number of the calls by packets that a memory has seen, on the device. */
struct a2a_counter {
    uint64_t call;
    uint64_t broken;
    uint32_t blocks; /* of the present kernel, that have read it */
} __attribute__((aligned(32)));

/* From one source, in one half of a mailbox. */
#define A2A_PACKETS_BYTES ((size_t)512 << 10)

/* PACKETS. */
struct a2a_packets {
    struct a2a_gate gate; /* its ranks, fault, status and stall limit only */
    struct a2a_box box;   /* of a whole part, from A to C */
    const char *in;
    char *out;
    size_t in_step, out_step;
    char *mailbox[A2A_RANKS]; /* of each rank */
    struct a2a_counter *counter;
    int aligned; /* addresses and strides here, to what a packet holds */
};

/* Bytes that one thread moves at once: 1, 2, 4, 8 or 16, and everything is aligned to it. */
cudaError_t a2a_launch_copy(const struct a2a_copy *copy, int grid, int block, int vector,
                            cudaStream_t stream);
cudaError_t a2a_launch_staged(const struct a2a_staged *staged, int grid, int block, int vector,
                              cudaStream_t stream);

/* `vector` is what a packet holds, at most 8 bytes, on all ranks. */
cudaError_t a2a_launch_packets(const struct a2a_packets *packets, int grid, int block, int vector,
                               cudaStream_t stream);

/* The blocks of the staged kernel that the current device holds at once. */
cudaError_t a2a_staged_capacity(int block, int vector, int *blocks);

/* The two halves of a gate, one block each, for copies in between. */
cudaError_t a2a_launch_enter(const struct a2a_gate *gate, cudaStream_t stream);
cudaError_t a2a_launch_leave(const struct a2a_gate *gate, cudaStream_t stream);

#ifdef __cplusplus
}
#endif

#endif
