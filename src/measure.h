/* Measuring: runs configurations on all ranks in lock-step and reduces what they took. */
#ifndef MEASURE_H
#define MEASURE_H

#include "outcome.h"
#include "tuner.h"
#include "workspace.h"

#define STATUS_UNTRIED 0 /* of a trial that pruning kept and nobody has run yet */

/*
 * The exhaustive policy: every untried configuration of the outcome in the order of the space, on
 * all ranks alike; warm-ups, then back-to-back timed runs; each rank's mean; the maximum over the
 * ranks. Two group operations a configuration, three for one that fails. Fills trials, and the cost
 * of the search. Returns TUTTI_SUCCESS or an error of the group, the same on all ranks as far as
 * the group allows. Collective.
 */
int measure_exhaustive(const struct call *call, struct outcome *outcome, struct workspace *work,
                       struct text *why);

/* Runs one configuration once as the call's own, and agrees whether it succeeded on all ranks: the
 * first failing rank in *failed_rank, or -1, and its reason in reason. Collective. */
int measure_final(const struct call *call, uint64_t configuration, const void *config,
                  int *failed_rank, struct text *reason, struct text *why);

#endif
