/* A team of threads within one rank, by OpenMP. Built without OpenMP, every team has one thread. */
#ifndef REVERSE_A2A_TEAM_H
#define REVERSE_A2A_TEAM_H

#include <stdbool.h>

#define REVERSE_A2A_THREADS_MAX 256

/* `thread` is below `threads`, the real size of the team. */
typedef void reverse_a2a_team_body(int thread, int threads, void *context);

bool reverse_a2a_has_threads(void);

/* Runs the body on each thread of a team, which has 1 to `wanted` threads, as OpenMP gives it (in
 * a parallel region of the caller: 1), and returns when all are done. */
void reverse_a2a_run_team(int wanted, reverse_a2a_team_body *body, void *context);

/* How many threads a rank may have without outnumbering the processors that the rank may use, or
 * its share of those of the node; at least 1, and without OpenMP 1. */
int reverse_a2a_spare_threads(int ranks);

#endif
