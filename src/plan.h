/* The plan of a search: what the program says about it, unless the environment says otherwise. */
#ifndef PLAN_H
#define PLAN_H

#include "sampling.h"
#include "tuner.h"

struct plan {
    int policy;            /* enum tutti_policy, never the default */
    int aggregation;       /* enum tutti_aggregation, never the default */
    int warmups, samples;  /* of the exhaustive policy */
    uint64_t budget_calls; /* of the others: launcher calls, warm-ups included; 0: as they need */
    double budget_seconds; /* 0: no limit */
    uint64_t seed;
    struct measuring how; /* plain under the exhaustive policy */
};

/* Local; equal on all ranks once the settings and the descriptions are. */
struct plan plan_of(const struct call *call);

/* All that ranks must agree on, a line each. */
void plan_text(const struct plan *plan, struct text *text);

#endif
