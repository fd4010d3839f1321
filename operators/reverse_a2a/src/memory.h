/*
 * Symmetric memory: one segment of shared memory per rank, of which each holds signal words and
 * peer_mem, into which the other ranks write.
 *
 * A "channel" leads from one rank (the producer) to another (the consumer). Its signal words:
 *
 *     ready   in the consumer's segment, written by the producer
 *     fault   next to ready, written by the producer before the first ready of a call
 *     operand next to ready, the same: which memory of the producer the consumer may touch
 *     free    in the producer's segment, written by the consumer
 *
 * So every word has one writer for the memory's life, and everyone polls his own segment.
 */
#ifndef REVERSE_A2A_MEMORY_H
#define REVERSE_A2A_MEMORY_H

#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/types.h>

#include "reverse_a2a/reverse_a2a.h"
#include "shared.h"

#if ATOMIC_LLONG_LOCK_FREE != 2
#error "signal words in shared memory need 64-bit atomics without locks"
#endif

/* Two lines of 64 bytes: processors prefetch the neighbour of a line. */
#define REVERSE_A2A_LINE 128

/* What one peer tells this rank. */
struct reverse_a2a_words {
    _Alignas(REVERSE_A2A_LINE) _Atomic uint64_t ready; /* as producer: base + blocks published */
    _Atomic uint64_t fault;                            /* as producer: base + 1 of a faulty call */
    _Atomic uint64_t operand;                          /* as producer: see engine_*.c */
    _Alignas(REVERSE_A2A_LINE) _Atomic uint64_t free;  /* as consumer: base + blocks taken out */
};

struct reverse_a2a_segment {
    _Alignas(REVERSE_A2A_LINE) _Atomic uint64_t gave_up; /* 1: the owner stalled; owner writes */
    int64_t process;                 /* of the owner; this and the next for read_peer.c */
    uint64_t secret, secret_address; /* the value of memory->secret, and where the owner has it */
    struct reverse_a2a_words from[]; /* by peer */
};

/* This rank's view of a peer, and how far the present call has come on both channels. */
struct reverse_a2a_peer {
    struct reverse_a2a_segment *segment;
    char *peer_mem;                     /* the peer's */
    struct reverse_a2a_words *outgoing; /* in the peer's segment: this rank writes them */
    struct reverse_a2a_words *incoming; /* in this rank's segment: this rank reads them */
    size_t produced, consumed;          /* blocks in the present call */
    uint64_t seen_free, seen_ready;     /* the last values read: saves fetching shared lines */
    bool faulty;                        /* the peer came to the present call with wrong buffers */
    bool left;                          /* the peer has ended the present call */
    pid_t process;
};

struct reverse_a2a_operands;

struct reverse_a2a_memory {
    MPI_Comm comm;
    struct reverse_a2a_shared *segments; /* signals and peer_mem */
    int ranks, rank;
    size_t bytes; /* of peer_mem, on each rank */
    uint64_t base;
    double stall_limit;  /* seconds; 0: none */
    _Atomic bool broken; /* written by any thread of the rank */
    bool lost_messages;  /* a call of P2P stalled: they may still arrive */
    bool shared;         /* all ranks are on one node; otherwise there are no segments */
    bool reads_peers;    /* process_vm_readv works between all ranks */
    uint64_t secret;     /* what a peer that can read this process finds here */
    unsigned spins;      /* idle rounds before a waiting rank lets others run */
    struct reverse_a2a_operands *operands; /* what reverse_a2a_alloc made */
    char reason[200];
    struct reverse_a2a_peer peers[];
};

/* Keeps a sentence for reverse_a2a_memory_reason, and returns result. */
int reverse_a2a_memory_fail(struct reverse_a2a_memory *memory, int result, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Nothing sent or received yet, with any peer. */
void reverse_a2a_begin_call(struct reverse_a2a_memory *memory);

/* Gives the memory up and lets the other ranks know. */
void reverse_a2a_memory_give_up(struct reverse_a2a_memory *memory);

#endif
