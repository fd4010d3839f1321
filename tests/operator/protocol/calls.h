/*
 * Calls of all kinds one after another on one memory, without a barrier between them: every engine
 * that signals through shared memory, other geometry in each call, calls without blocks, and calls
 * to which a rank comes with wrong buffers. Every result is compared with the definition.
 */
#ifndef CALLS_H
#define CALLS_H

#include <stdbool.h>

struct calls {
    int ranks;
    int count;
    unsigned seed;    /* of what is drawn: the same calls on all ranks */
    unsigned engines; /* bit e: enum reverse_a2a_engine_name e */
    int copy;         /* enum reverse_a2a_copy */
    int threads;      /* of a rank, at most; 0 is 1 */
    bool faults;      /* some calls have a rank with wrong buffers */
};

/* Makes the memory, the calls, and frees it; false if a result was wrong. */
bool make_calls(const struct calls *calls);

/* The next of a sequence of random numbers (Numerical Recipes' linear congruence): 16 bits. */
unsigned draw(unsigned *state);

#endif
