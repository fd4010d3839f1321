/*
 * Ranks that are threads of one process, for tools that see one process only (thread sanitizer) and
 * for tests that steer in which order ranks go on.
 *
 * The operator under test is the library as it is. The few functions of MPI that it calls to set up
 * its memory are defined here in their place, which the profiling interface of MPI allows; MPI
 * itself is never initialised. Every handle of a communicator means all ranks.
 */
#ifndef RANKS_H
#define RANKS_H

#include <stdbool.h>
#include <stddef.h>

#define MOST_RANKS 8

/* What one rank does; false if something was wrong. */
typedef bool rank_body(int rank, void *context);

/* Runs the body on every rank, each a thread of its own; false if one of them was wrong. */
bool run_ranks(int ranks, rank_body *body, void *context);

/* Of the calling thread. */
int own_rank(void);

/* Collective. */
void meet_all_ranks(void);

/* Calls `visit` with each piece of memory that is shared by the ranks at present. */
void visit_shared_memory(void (*visit)(char *start, size_t bytes, void *context), void *context);

#endif
