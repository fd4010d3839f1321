/* The noise report: whether a race could see what it looked for, and what to do if not. */
#ifndef NOISE_H
#define NOISE_H

#include "outcome.h"
#include "text.h"
#include "tuner.h"

/*
 * Logs, on the root, how the race ended; and, if the noise hides the differences, a warning with
 * advice from what every rank sees of its machine: more ranks than cores, ranks that are not bound,
 * a frequency governor that saves power. Collective: one reduction.
 */
int noise_report(const struct call *call, const struct outcome *outcome, struct text *why);

#endif
