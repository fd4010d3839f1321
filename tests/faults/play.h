/* Plays a case: its processes one after another, each of several steps, in which all ranks make a
 * call at once, in threads of their own. */
#ifndef PLAY_H
#define PLAY_H

#include <pthread.h>
#include <stdio.h>

#include "checker.h"
#include "launcher.h"
#include "plan.h"

enum { KEY_CASE, KEY_NEXT, KEY_FOREIGN, KEYS };

/* What all ranks do at once. */
struct step {
    const char *name; /* NULL: the end */
    bool faulty;
    int key;
    enum operation operations[RANKS_LIMIT];
    bool absent[RANKS_LIMIT];
    bool mark; /* the end, in the group: see checker_mark_end */
    struct variable environments[RANKS_LIMIT][8];
};

struct trial_copy {
    int status, slowest_rank;
    double seconds;
    char reason[256];
};

/* What one rank got from a step. */
struct result {
    int status, mark;
    int launcher_status;
    size_t bytes; /* of tutti_max_size */
    char message[2048];
    bool reported;
    int source, configuration, best;
    uint64_t search_calls, search_operations, cold_operations;
    size_t ntrials;
    bool recorded; /* the report names a record */
    struct trial_copy trials[SPACE];
};

/* What must be so: the judge's memory. Sets of configurations are bits; NOTHING is one more. */
struct model {
    unsigned stored[KEYS]; /* what a record of the key may hold */
    int remembered[KEYS];  /* what the present process knows, or -1 */
    bool broken;           /* the present process's group */
    bool attached;         /* the present process's group */
    bool writable;         /* the store of KEY_CASE */
};

#define NOTHING  (1U << SPACE)
#define ANYTHING (2 * NOTHING - 1)

struct play {
    struct plan plan;
    char directory[256], store[300], record[512];
    struct member members[RANKS_LIMIT];
    struct trace traces[RANKS_LIMIT];
    struct result results[RANKS_LIMIT];
    tutti_group *groups[RANKS_LIMIT];
    tutti_tuner *tuners[RANKS_LIMIT];
    tutti_tuner *differing; /* the faulty step's tuner of plan.differing_rank, or NULL */
    struct step step;
    pthread_barrier_t barrier;
    struct model model;
    unsigned complaints;
    unsigned struck[POINTS]; /* over all ranks and steps */
    bool verbose;
};

/* Plays the case of a seed. *complaints: what was wrong, said on stderr. */
void play_case(struct play *play, uint64_t seed);

/* What the ranks are doing now; for another thread, when it takes too long. */
void play_print_state(const struct play *play, FILE *stream);

#endif
