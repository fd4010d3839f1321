/*
 * The steady state: what a launch costs once everything is decided. Contenders are measured side by
 * side, in turns, so that drift of the machine hits all alike.
 */
#ifndef EXAMPLES_STEADY_H
#define EXAMPLES_STEADY_H

#include "job.h"
#include "problem.h"
#include "statistics.h"

struct contender {
    const char *name;
    int (*launch)(struct problem *problem, const struct contender *self); /* 0: it worked */
    const struct reverse_a2a_config *blocks; /* NULL: it has none; equal ones are measured once */
    const void *context;                     /* the launch function's own */
    struct statistics seconds;               /* the result: of the slowest rank's time per launch */
};

/* The launch functions that need no tuner: the reference, and the launcher with given blocks. */
int launch_reference(struct problem *problem, const struct contender *self);
int launch_blocks(struct problem *problem, const struct contender *self);

/*
 * Runs each contender once on a poisoned C and verifies it; then the job's warm-ups and iterations,
 * each timed on every rank after a barrier. False on all ranks after a failure, which has then been
 * printed. Collective.
 */
bool steady_state(struct problem *problem, const struct job *job, struct contender *contenders,
                  int count);

#endif
