/*
 * The steady state on GPUs: common/steady.h, timed by events of the stream. Between two events lie
 * several launches back to back, after one that is not timed: so no rank is early.
 */
#ifndef EXAMPLES_CUDA_STEADY_H
#define EXAMPLES_CUDA_STEADY_H

#include "common/job.h"
#include "common/statistics.h"
#include "device.h"

struct device_contender {
    const char *name;
    int (*launch)(struct device *device, const struct device_contender *self); /* 0: it worked */
    const struct reverse_a2a_cuda_choice *choice;
    const void *context;       /* the launch function's own */
    struct statistics seconds; /* the result: of the slowest rank's time per launch */
};

/* Launches the choice. */
int device_launch_choice(struct device *device, const struct device_contender *self);

/*
 * Runs each contender once on a poisoned C and verifies it; then the job's warm-ups and iterations.
 * False on all ranks after a failure, which has then been printed. Collective.
 */
bool device_steady_state(struct device *device, const struct job *job,
                         struct device_contender *contenders, int count);

#endif
