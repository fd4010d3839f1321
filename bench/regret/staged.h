/* The staged reverse all-to-all with all its 40 configurations set up, to be called and tuned. */
#ifndef REGRET_STAGED_H
#define REGRET_STAGED_H

#include <stdbool.h>
#include <stdint.h>

#include <reverse_a2a/reverse_a2a.h>
#include <tutti/tutti.h>

#include "table.h"

struct staged {
    struct reverse_a2a_shape shape;
    int rank, ranks;
    void *a, *c;
    struct reverse_a2a_memory *memory;
    struct reverse_a2a_plan *plans[TABLE_CONFIGURATIONS];
};

/* Ends the job with a message unless status is 0. */
void staged_check(int status, const char *what);

/* "S,H,D", 2-byte elements. */
bool staged_shape(const char *text, struct reverse_a2a_shape *shape);

/* Collective over MPI_COMM_WORLD, as all below. shape is set before. */
void staged_begin(struct staged *staged);
void staged_end(struct staged *staged);

/* A tuner whose args are a struct staged. Local. */
tutti_tuner *staged_tuner(int policy, uint64_t budget_calls);

/* How a round runs its configurations. */
enum staged_mode {
    STAGED_INTERLEAVED, /* a barrier, one timed call; the order is shuffled: samples of a race */
    STAGED_SETTLED,     /* an untimed call, a barrier, one timed call; shuffled: as in a loop */
    STAGED_REFERENCE    /* 5 untimed calls, a barrier, 10 timed ones: the exhaustive policy */
};

/* The slowest rank's time of each configuration; equal random states on all ranks. */
void staged_round(struct staged *staged, enum staged_mode mode, uint64_t *random,
                  double seconds[TABLE_CONFIGURATIONS]);

/* Whether the root's clock, in seconds since begin, is below the limit. Collective. */
bool staged_time_left(const struct staged *staged, double begin, double limit);

#endif
