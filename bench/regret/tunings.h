/* Tunings against a source of times whose truth is known, and the regret of what they choose. */
#ifndef REGRET_TUNINGS_H
#define REGRET_TUNINGS_H

#include <stdint.h>

#include "table.h"

enum policy { POLICY_REFERENCE, POLICY_RACE, POLICY_EQUAL_SHARES, POLICY_ORACLE_HALF };

const char *policy_name(enum policy policy);

struct figures {
    double p50, p90, p99, max;   /* of the regret: 0.01 is 1% slower than the best */
    double worst_over_customary; /* the chosen one's time over the customary one's, less 1 */
    double calls, seconds;       /* of a tuning, mean */
    double within;               /* what the race said the regret is at most, median ... */
    double covered;              /* ... and how often that was true */
};

/*
 * Replays tunings of a table. Each draws its rounds in blocks of `block` consecutive rows, with a
 * seed of its own, at most half of them; the medians of the rows that it did not use judge what it
 * chose. The reference protocol takes one recorded tuning at random. False if the table lacks rows.
 */
bool replay(const struct table *table, enum table_kind kind, enum policy policy, uint64_t samples,
            int tunings, int block, struct figures *figures);

/*
 * Replays whole searches, each within so many launcher calls: warm-ups, a first round of
 * interleaved calls, and later rounds of settled ones, which cost two calls each, or of interleaved
 * ones. Settled calls that the search did not use judge. False if the table lacks either kind.
 */
bool replay_search(const struct table *table, bool settles, uint64_t calls, int tunings, int block,
                   struct figures *figures);

/* Tunes landscapes, one with each seed. */
void tune_landscapes(int which, enum policy policy, uint64_t samples, int tunings,
                     struct figures *figures);

#endif
