/* Choosing the winner from reduced numbers alone, so that all ranks choose the same. */
#ifndef CHOOSE_H
#define CHOOSE_H

#include <stdbool.h>

#include "outcome.h"

/*
 * Under the exhaustive policy the least time among the ok trials; ties go to the lower index. A
 * race has named its winner already, which stands as long as it is ok. False if no trial is ok.
 */
bool choose(const struct outcome *outcome, uint64_t *winner);

#endif
