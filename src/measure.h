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
 * ranks. A configuration that is hopelessly slow is dropped after its first two warm-ups. At most
 * three group operations a configuration, one more to prepare it and one more if it fails. Fills
 * trials, and the cost of the search. Returns TUTTI_SUCCESS or an error of the group, the same on
 * all ranks as far as the group allows. Collective.
 */
int measure_exhaustive(const struct call *call, struct outcome *outcome, struct workspace *work,
                       struct text *why);

#endif
