/* What is done with one configuration on all ranks, shared by the policies: prepare, reset, run,
 * verify, release. */
#ifndef RUN_H
#define RUN_H

#include <stdbool.h>
#include <stdint.h>

#include "guard.h"
#include "mishap.h"
#include "outcome.h"
#include "tuner.h"

/* A context of this call for the callbacks. */
tutti_context run_context(const struct call *call, uint64_t configuration, int purpose);

/* The sentence for a hit whose run failed on this rank. Local. */
void run_describe_failure(const tutti_tuner *tuner, const tutti_group *group,
                          uint64_t configuration, int status, struct text *text);

/*
 * Several runs; returns what the timer measured of all together: back to back between one start and
 * one stop, or with a reset before each, one by one. A rank whose run failed goes on, since the
 * others are in the launcher's own collectives until the next agreement. Local.
 */
double run_timed(const struct call *call, const void *config, tutti_context *context, int n,
                 struct mishap *mishap);

/* Lets the timer flush the caches that it knows, if it can; false: it can't. Local. */
bool run_flush(const struct call *call, struct mishap *mishap);

/* What the timer says about its device, or about its last error: "" if nothing. Local. */
const char *run_timer_text(const tutti_tuner *tuner, int what);

/* Whether a configuration's first run is judged, so that it must have one. Local. */
bool run_is_judged(const struct call *call);

/* Judges the outputs of the last run on this rank; every rank calls it, whatever its run returned.
 */
void run_verify(const struct call *call, const void *config, tutti_context *context,
                struct mishap *mishap);

/* Prepares a configuration and agrees on it; not *ready: some rank refused, as is in the trial now,
 * and what the others acquired is released. Collective if there is a prepare callback. */
int run_prepare(const struct call *call, struct outcome *outcome, uint64_t index,
                const void *config, bool *ready, struct text *why);
void run_release(const struct call *call, uint64_t index, const void *config);

/* How the run went that is the caller's own. */
struct final {
    int failed_rank; /* the first on which it failed, or -1 */
    char reason[REASON_SIZE];
    int launcher_status; /* as in a trial */
};

/*
 * Prepares the chosen configuration, resets after a search, runs it once as the call's own, and
 * agrees how that went; where the caller wants no run, it only prepares. On success it stays
 * prepared, as the entry then says. Collective.
 */
int run_final(const struct call *call, struct entry *entry, uint64_t configuration, bool searched,
              struct final *final, struct text *why);

/*
 * All ranks know by the reduced word that the configuration went wrong: the rank that it names
 * tells the reason to all, and the trial gets its status. Returns TUTTI_ERR_REFERENCE or
 * TUTTI_ERR_DEVICE, with the sentence in why, if it is the reference that failed or the device that
 * is lost; or an error of the group. Collective.
 */
int record_mishap(const struct call *call, struct outcome *outcome, uint64_t index, uint64_t word,
                  const struct mishap *mishap, struct text *why);

#endif
