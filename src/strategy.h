/*
 * Strategies: which configurations of a space race against each other, where it is too large to
 * try them all. The same on all ranks, since nothing but the seed, the space and reduced results
 * goes into them.
 */
#ifndef STRATEGY_H
#define STRATEGY_H

#include <stdbool.h>
#include <stdint.h>

#include <tutti/tuner.h>

#include "space.h"

/* What a member of a race costs of the budget, where nobody says otherwise. */
#define CALLS_PER_MEMBER 5

struct strategy {
    int policy; /* enum tutti_policy */
    const struct space *space;
    const tutti_trial *trials; /* those that are pruned never take part */
    uint64_t standing;         /* the default; may be pruned */
    uint64_t seed;
    uint64_t *members; /* of the present race, ascending */
    uint32_t capacity, n;
    uint64_t centre; /* of a neighbourhood */
};

/* How many may take part in one race, for memory that is taken beforehand. */
uint32_t strategy_capacity(int policy, const struct space *space, uint64_t survivors,
                           uint64_t samples);

/* The first race: all, a sample, or the neighbourhood of the default. Returns how many members. */
uint32_t strategy_first(struct strategy *strategy);

/* The next race, after one that a configuration won; 0 when there is none. */
uint32_t strategy_next(struct strategy *strategy, uint64_t winner);

#endif
