/* The outcome of one problem, as the table, the CSV and the manifest show it. */
#ifndef EXAMPLES_RESULT_H
#define EXAMPLES_RESULT_H

#include <stdbool.h>

#include <reverse_a2a/reverse_a2a.h>

#include "statistics.h"

/* What only the program for GPUs has to say; no engine: another one ran. */
struct result_device {
    const char *engine;
    int grid, block, streams; /* 0: the engine has no such knob */
};

struct result {
    struct reverse_a2a_shape shape;
    int ranks;
    const char *dtype;
    struct reverse_a2a_config blocks; /* that ran; 0 where the engine has none */
    struct result_device device;

    /* Seconds of a launch, of the slowest rank. */
    struct statistics reference, tuned; /* tuned: with the blocks above */
    struct statistics configuration_0, customary;

    /* Of tuning only. */
    const char *source;    /* where the blocks came from, in words */
    bool cached;           /* from a record */
    const char *record;    /* its path, "" if none */
    double tuning_seconds; /* what this process spent before the launcher could run */
    double search_seconds; /* what the search behind the choice cost, today or when it was made */
};

/* Bytes of C on one rank, its own part included, over the median time, in 1e9 bytes a second. */
double result_rate(const struct result *result);

#endif
