/*
 * Waiting for other ranks: spins for a moment, then lets others run, and from time to time looks at
 * the clock and at whether a rank has given the memory up.
 */
#ifndef REVERSE_A2A_WAIT_H
#define REVERSE_A2A_WAIT_H

#include "memory.h"

/* Begins at {0}, and again whenever something moved. */
struct reverse_a2a_wait {
    unsigned rounds;
    double since; /* seconds; valid from the first look at the clock on */
};

/*
 * One idle round. Returns OK, or, with the memory given up: BROKEN with a reason; or STALL, for
 * which the caller knows the reason.
 */
int reverse_a2a_wait_round(struct reverse_a2a_memory *memory, struct reverse_a2a_wait *wait);

/* The same for one of several threads: leaves no reason. The others get BROKEN. */
int reverse_a2a_idle_round(struct reverse_a2a_memory *memory, struct reverse_a2a_wait *wait);

/* BROKEN, with the reason: which rank gave the memory up. */
int reverse_a2a_name_quitter(struct reverse_a2a_memory *memory);

#endif
