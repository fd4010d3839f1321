/* A case: everything about it is drawn from its seed. */
#ifndef PLAN_H
#define PLAN_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "points.h"
#include "wrap.h"

#define RANKS_LIMIT 8
#define SPACE       6 /* configurations: 3 values of a, 2 of b */

/* What is in the store before. */
enum store_state {
    STORE_EMPTY,
    STORE_RECORDED,  /* a good record of the key */
    STORE_CUT,       /* a record that ends too early */
    STORE_SCRIBBLED, /* a record with one other byte, which may still be a good one */
    STORE_GARBAGE,
    STORE_FOREIGN,    /* the record of another key, under this one's name */
    STORE_BLOCKED,    /* a folder where the record should be */
    STORE_UNWRITABLE, /* the directory can't exist */
    STORE_STATES
};

enum operation {
    OPERATION_CALL,
    OPERATION_CALL_OFF,
    OPERATION_CALL_FORCED,
    OPERATION_TUNE,
    OPERATION_MAX_SIZE,
    OPERATION_FORGET,
    OPERATIONS
};

/* In what one rank's tuner differs from the others'. */
enum difference {
    DIFFERENCE_NONE,
    DIFFERENCE_NAME,
    DIFFERENCE_VERSION,
    DIFFERENCE_SOURCE,
    DIFFERENCE_VALUES,
    DIFFERENCE_ORDER,
    DIFFERENCE_SAMPLES,
    DIFFERENCE_PRUNED,
    DIFFERENCE_BUFFERS,
    DIFFERENCES
};

/* What TUTTI_FORCE may hold: a configuration, or a mistake. */
#define FORCE_ONE     "launcher:a=20"
#define FORCE_MISTAKE "launcher:a=21"
#define FORCED_ONE    2 /* a=20, b=1 */

/* Settings of the faulty step, by name as in the environment. */
struct environment_plan {
    const char *mode, *always_tune, *strict, *samples, *force; /* NULL: not set */
};

struct plan {
    uint64_t seed;
    int ranks;
    bool one_tuner; /* for all ranks; otherwise each has its own */
    bool long_key;  /* longer than what a key holds without allocation */
    bool callbacks; /* setup, prepare, buffers, reset, verify and their like are there */
    int policy;     /* enum tutti_policy */
    int warmups;    /* as in tutti_tuner_desc */
    int samples;
    int when_pruned;
    double seconds[RANKS_LIMIT][SPACE]; /* of a run; multiples of 1/8, so that sums are exact */
    bool pruned[RANKS_LIMIT][SPACE];

    enum store_state store;
    uint32_t store_random;
    struct environment_plan environments[RANKS_LIMIT]; /* in the faulty step */
    enum operation operations[RANKS_LIMIT];
    int forced;      /* the configuration, where one is forced */
    unsigned forget; /* enum tutti_forget, where something is forgotten */
    enum difference difference;
    int differing_rank;

    int nfaults;
    struct fault faults[FAULTS_LIMIT];
};

void plan_make(struct plan *plan, uint64_t seed);
void plan_print(const struct plan *plan, FILE *stream);

/* Whether a fault at this point is planned. */
bool plan_has(const struct plan *plan, enum point point);

#endif
