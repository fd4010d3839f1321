/* The outcome of a search: what a record holds, besides who it is for. */
#ifndef OUTCOME_H
#define OUTCOME_H

#include <stdint.h>

#include <tutti/tuner.h>

struct outcome {
    uint64_t ntrials;    /* the size of the space */
    tutti_trial *trials; /* reasons are owned, or "" in static storage: outcome_set_reason */
    uint64_t winner;
    int warmups, samples;
    double search_seconds;
    uint64_t search_calls, search_operations;
    int64_t finished; /* seconds since the epoch, UTC */
};

/* All trials pruned, rank -1, no reason. TUTTI_SUCCESS or TUTTI_ERR_MEMORY. */
int outcome_init(struct outcome *outcome, uint64_t ntrials);
void outcome_release(struct outcome *outcome);
/* Copies the reason; keeps "" if there is no memory for it. */
void outcome_set_reason(struct outcome *outcome, uint64_t index, const char *reason);

#endif
