/* Measuring by a race: race.h decides, this runs what it asks for on all ranks. */
#ifndef MEASURE_RACE_H
#define MEASURE_RACE_H

#include "outcome.h"
#include "plan.h"
#include "text.h"
#include "tuner.h"
#include "workspace.h"

/*
 * Races the untried configurations of the outcome. Warm-ups of the default until it is steady, then
 * rounds: each configuration that is alive once, in an order that all ranks shuffle alike, and one
 * reduction of what the round took, which carries failures and the time used, too. Unless samples
 * are taken as in a stream, a barrier comes before each. A failure costs three operations more.
 *
 * Fills trials, winner, figures and cost. Trials that were never run stay STATUS_UNTRIED. If all
 * fail none is ok. Returns as measure_exhaustive does. Collective.
 */
int measure_race(const struct call *call, const struct plan *plan, struct outcome *outcome,
                 struct workspace *work, struct text *why);

#endif
