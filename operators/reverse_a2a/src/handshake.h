/*
 * The handshake of the engines that touch an operand of a peer: nobody reads or writes it before
 * its owner has entered the call, and the owner does not leave before all others are done.
 *
 * In a call that begins with the counter `base`, on the channel from each rank to each other:
 *
 *     the peer has ended the call before       free >= base
 *     my operand may be touched                ready = base + 1, after operand and fault
 *     I will not touch your operand any more   free  = base + 2, which is the next call's base
 *
 * A rank announces itself only to peers that have ended the call before, because they may still
 * have to read the operand and fault words of that call.
 */
#ifndef REVERSE_A2A_HANDSHAKE_H
#define REVERSE_A2A_HANDSHAKE_H

#include <stdbool.h>
#include <stdint.h>

struct reverse_a2a_plan;

/* The blocks of a call with this handshake: base grows by one more. */
#define REVERSE_A2A_HANDSHAKE_BLOCKS 1

/* One call of an engine that touches peers' operands. */
struct reverse_a2a_touch {
    struct reverse_a2a_plan *plan;
    const char *in;
    char *out;
    bool faulty;
    uint64_t operand; /* what this rank tells the others of its own; its meaning is the engine's */

    /* Copies what there is between this rank and a peer, whose operand is given. */
    int (*copy)(const struct reverse_a2a_touch *touch, int peer, uint64_t operand);
};

/*
 * The whole call: announces, copies what this rank keeps, lets `copy` do each peer in the order in
 * which they come, the first after this rank first, and waits until all are done with this rank.
 * Returns OK, PEER, STALL, BROKEN, or the first error of copy.
 */
int reverse_a2a_touch_peers(const struct reverse_a2a_touch *touch);

/* What this rank keeps, from in to out. */
void reverse_a2a_keep_own(struct reverse_a2a_plan *plan, const char *in, char *out);

/* PEER and its reason if a peer came with wrong buffers, or OK. */
int reverse_a2a_find_faulty_peer(struct reverse_a2a_plan *plan);

#endif
