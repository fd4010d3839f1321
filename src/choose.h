/* Choosing the winner from reduced numbers alone, so that all ranks choose the same. */
#ifndef CHOOSE_H
#define CHOOSE_H

#include <stdbool.h>

#include "outcome.h"

/* The least time among the ok trials; ties go to the lower index. False if there is none. */
bool choose(const struct outcome *outcome, uint64_t *winner);

#endif
