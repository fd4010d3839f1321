/* The function that is tuned, on a simulated clock, and its callbacks: they fail as planned, and
 * note what happened. */
#ifndef LAUNCHER_H
#define LAUNCHER_H

#include <tutti/tutti.h>

#include "plan.h"

/* One rank of a case. Used by its own thread, and between two steps by the judge. */
struct member {
    const struct plan *plan;
    int rank;
    struct injector injector;
    bool lacks_words; /* memory ran out in this process: a reason or a message may be lost */

    double now, begin;       /* of the simulated clock */
    int input, total;        /* declared buffers: read, and added to, by each run */
    int output;              /* written by each run */
    int current;             /* the configuration that ran last */
    int prepared;            /* configurations that are held; 0 when all is gone */
    bool will_fail;          /* the timer's start has failed: so has what runs next */
    bool cost_device[SPACE]; /* in this case so far: what it costs the step is lost until its end */

    /* Observed in one step. */
    bool removed[SPACE]; /* by prune */
    int total_before;
    bool failed_search[SPACE]; /* a run in the search, which is always a failure */
    bool failed_timer[SPACE];  /* the timer, which only matters where its figure is used */
    bool failed_final[SPACE];
    bool lost; /* the device */
    unsigned runs;
    uint64_t run_hash; /* of configurations and purposes, in order */
    int last_purpose, last_status;
    unsigned mistakes; /* in what the callbacks were given */
};

struct arguments {
    int64_t rows; /* the key */
};

/* Of this thread. */
extern _Thread_local struct member *member;

void launcher_begin_step(struct member *own);

/* The description of the tuner; of one that differs, for one rank, in something. */
tutti_tuner_desc launcher_desc(const struct plan *plan, enum difference difference);

/* A configuration, to be forced. */
struct launcher_config {
    int a, b;
};
struct launcher_config launcher_config(int index);

/* For tutti_max_size. */
size_t launcher_size(const void *config, const void *args, void *user);

#endif
