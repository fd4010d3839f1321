/* What guards a search against candidates that crash or hang: the journal on the root, and a
 * watchdog on every rank. */
#ifndef GUARD_H
#define GUARD_H

#include <stdint.h>

#include <tutti/tuner.h>

#include "text.h"

struct call;
struct cold;
struct journal;
struct plan;
struct watchdog;

#define REASON_SIZE 240 /* bytes of a reason, with its terminator */

#define STATUS_SUSPECT                                                                             \
    (-1) /* of a trial that an earlier search did not survive: tried once more                     \
          */

struct guard {
    struct journal *journal;   /* NULL but on the root of a search that may write */
    struct watchdog *watchdog; /* NULL if the user did not ask for one */
    uint64_t in_flight;        /* the configuration that was begun last */
    char mishap[REASON_SIZE];  /* what went wrong in it on this rank, or "" */
    struct text path, how;     /* of the record, and of the plan: what a journal is opened with */
};

/*
 * Opens the journal if this mode may write, and gives the trials that earlier, interrupted searches
 * finished to all ranks: these trials have their status, suspects STATUS_SUSPECT, those that twice
 * did not survive TUTTI_STATUS_CRASHED; pruned ones stay pruned. Starts the watchdog. Only an error
 * of the group fails it, or one that all ranks agree on. Collective.
 */
int guard_begin(struct cold *cold, const struct plan *plan);

/* Ends both. status is how the call ended: with TUTTI_SUCCESS the journal's work is done. Local. */
void guard_end(struct cold *cold, int status);

/* Local, on every rank, without a system call unless TUTTI_LOG is debug: a configuration is about
 * to run; around each run, and around the wait for so many. */
void guard_start(const struct call *call, uint64_t configuration);
void guard_arm(const struct call *call, uint64_t configuration, int runs);
void guard_disarm(const struct call *call);

/* Something went wrong on this rank: should the others not come back, it may be why. Local. */
void guard_note(const struct call *call, const char *reason);

/* After a stall: which configuration this rank was at, and what went wrong in it. Local. */
void guard_explain(const struct call *call, struct text *why);

/* A configuration has its answer: a line in the root's journal. Local. */
void guard_finish(const struct call *call, uint64_t configuration, const tutti_trial *trial);

#endif
