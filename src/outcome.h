/* The outcome of a search: what a record holds, besides who it is for. */
#ifndef OUTCOME_H
#define OUTCOME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tutti/tuner.h>

/* How a race went and ended: tutti_report says what each is. All 0 under the exhaustive policy. */
struct race_figures {
    uint64_t rounds;
    bool equal, stopped; /* stopped: by a budget in seconds */
    int64_t runner_up;
    double distance, confidence, within, noise;
};

struct outcome {
    uint64_t ntrials;    /* the size of the space */
    tutti_trial *trials; /* reasons are owned, or "" in static storage: outcome_set_reason */
    uint64_t winner;
    int policy;      /* enum tutti_policy */
    int aggregation; /* enum tutti_aggregation, never the default */
    int warmups, samples;
    struct race_figures race;
    double search_seconds;
    uint64_t search_calls, search_operations;
    int64_t finished; /* seconds since the epoch, UTC */

    /* samples.h: what the trials point to; and before the search ends, in order of time. */
    tutti_sample *samples_kept;
    struct noted_sample *noted;
    size_t nkept, room;
};

/* Whether a race chose, rather than the exhaustive policy. */
bool outcome_is_of_race(const struct outcome *outcome);

/* The enum tutti_aggregation that a policy has unless another is asked for. */
int outcome_usual_aggregation(int policy);

/* All trials pruned, rank -1, no reason. TUTTI_SUCCESS or TUTTI_ERR_MEMORY. */
int outcome_init(struct outcome *outcome, uint64_t ntrials);
void outcome_release(struct outcome *outcome);
/* Copies the reason; keeps "" if there is no memory for it. */
void outcome_set_reason(struct outcome *outcome, uint64_t index, const char *reason);

#endif
