/* See guard.h. */
#include "guard.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cold.h"
#include "journal.h"
#include "log.h"
#include "measure.h"
#include "persist.h"
#include "plan.h"
#include "watchdog.h"

/*
 * Notes at once that a configuration does not return: the process may end any moment. The root has
 * the journal. Another rank leaves one of its own beside the record, which the next start takes
 * over like any that was left; if this rank can't write there, the root's note of what is in flight
 * stays.
 */
static void note_expiry(const struct call *call, uint64_t configuration, const char *message)
{
    const struct guard *guard = call->guard;
    struct journal *journal = guard->journal;
    struct journal_past past = {0};
    struct text why = {0};
    const int rank = call->group->rank;
    if (rank != 0 && guard->path.length > 0)
        journal_open(guard->path.bytes, call->tuner->space.size, guard->how.bytes, &journal, &past,
                     &why);
    journal_condemn(journal, configuration, TUTTI_STATUS_TIMEOUT, rank, message);
    if (rank != 0)
        journal_close(journal, false);
    journal_past_release(&past);
    text_release(&why);
}

/* In the watchdog's thread; call is valid as long as the watchdog. */
static void report_expiry(void *user, uint64_t configuration, double seconds)
{
    const struct call *call = user;
    struct text name = {0}, text = {0};
    char buffer[32];
    space_configuration_text(&call->tuner->space, configuration, &name);
    text_seconds(seconds, buffer);
    text_add(&text, "rank %d: %s has not returned for %s", call->group->rank,
             name.bytes ? name.bytes : "a configuration", buffer);
    const char *message = text.bytes ? text.bytes : "a configuration has not returned";
    log_rank(call->group, call->tuner->name, TUTTI_LOG_ERROR, "%s has not returned for %s",
             name.bytes ? name.bytes : "a configuration", buffer); /* the log names the rank */
    note_expiry(call, configuration, message);
    if (call->tuner->on_stall)
        call->tuner->on_stall(message, call->tuner->user);
    text_release(&name);
    text_release(&text);
}

/* Condemned by earlier searches, one way or the other. */
static bool is_condemned(const struct journal_past *past, uint64_t i)
{
    return past->in_flight[i] >= 2 || past->trials[i].status == TUTTI_STATUS_TIMEOUT ||
           past->trials[i].status == TUTTI_STATUS_CRASHED;
}

static void condemn(struct outcome *outcome, const struct journal_past *past, uint64_t i)
{
    tutti_trial *trial = &outcome->trials[i];
    const tutti_trial *before = &past->trials[i];
    const bool timeout = before->status == TUTTI_STATUS_TIMEOUT;
    const bool told = timeout || before->status == TUTTI_STATUS_CRASHED;
    trial->status = timeout ? TUTTI_STATUS_TIMEOUT : TUTTI_STATUS_CRASHED;
    outcome_set_reason(outcome, i,
                       told ? before->reason
                            : "two searches ended without an answer while it was running");
}

/* Times of a race can't be resumed: they are differences within rounds that are gone. */
static bool resumes(int status, int policy)
{
    return status != 0 && (status != TUTTI_STATUS_OK || policy == TUTTI_POLICY_EXHAUSTIVE);
}

/* Says of each configuration that earlier searches did not survive what becomes of it now. */
static void warn_of_condemned(const struct call *call, const struct outcome *outcome, uint64_t i)
{
    struct text name = {0};
    const tutti_trial *trial = &outcome->trials[i];
    space_configuration_text(&call->tuner->space, i, &name);
    const char *configuration = name.bytes ? name.bytes : "";
    if (trial->status == STATUS_SUSPECT)
        log_root(call->group, call->tuner->name, TUTTI_LOG_WARN,
                 "an earlier search ended without an answer while %s was running: it is tried "
                 "once more, last",
                 configuration);
    else
        log_root(call->group, call->tuner->name, TUTTI_LOG_WARN, "%s is not run again: %s",
                 configuration, trial->reason);
    text_release(&name);
}

/* Lays the past over the trials that pruning kept. Root only. Returns how many it decided. */
static uint64_t lay_over(struct outcome *outcome, const struct journal_past *past,
                         const struct call *call)
{
    uint64_t decided = 0;
    for (uint64_t i = 0; i < outcome->ntrials && past->configurations == outcome->ntrials; i++) {
        tutti_trial *trial = &outcome->trials[i];
        const tutti_trial *before = &past->trials[i];
        bool retry = call->group->settings.retry_crashed != 0;
        if (trial->status != STATUS_UNTRIED)
            continue;
        if (is_condemned(past, i)) {
            if (retry)
                trial->status = STATUS_SUSPECT;
            else
                condemn(outcome, past, i);
        } else if (past->in_flight[i] > 0) {
            trial->status = STATUS_SUSPECT;
        } else if (resumes(before->status, outcome->policy)) {
            trial->status = before->status;
            trial->seconds = before->seconds;
            trial->slowest_rank = before->slowest_rank;
            outcome_set_reason(outcome, i, before->reason);
        }
        if (is_condemned(past, i) || past->in_flight[i] > 0)
            warn_of_condemned(call, outcome, i);
        decided += trial->status != STATUS_UNTRIED;
    }
    return decided;
}

/* The plan in one line. */
static void plan_line(const struct plan *plan, struct text *line)
{
    plan_text(plan, line);
    for (char *at = line->bytes; at && *at; at++)
        if (*at == '\n')
            *at = at[1] ? ',' : '\0';
}

/* Opens the journal, or only looks into those that others left if this mode may not write, and lays
 * what it says over the trials. Root only. */
static uint64_t open_journal(struct cold *cold)
{
    struct call *call = cold->call;
    struct guard *guard = call->guard;
    struct journal_past past = {0};
    struct text *path = &guard->path, *how = &guard->how, why = {0};
    uint64_t decided = 0;
    persist_path(call, path);
    if (path->bytes && how->bytes) {
        if (cold_mode(call) == MODE_TUNE)
            journal_open(path->bytes, cold->outcome.ntrials, how->bytes, &guard->journal, &past,
                         &why);
        else
            journal_peek(path->bytes, cold->outcome.ntrials, how->bytes, &past, &why);
        decided = past.configurations ? lay_over(&cold->outcome, &past, call) : 0;
    }
    /* A store that can't be written is warned of once, by the save. */
    if (why.length > 0)
        log_root(call->group, call->tuner->name,
                 call->guard->journal ? TUTTI_LOG_WARN : TUTTI_LOG_INFO, "%s", why.bytes);
    if (decided > 0)
        log_root(call->group, call->tuner->name, TUTTI_LOG_INFO,
                 "resuming an interrupted search: %llu configurations are decided or suspect",
                 (unsigned long long)decided);
    journal_past_release(&past);
    text_release(&why);
    return decided;
}

/* The watchdog, and what its thread may need. Collective if there is one. */
static int watch(struct cold *cold)
{
    struct call *call = cold->call;
    const double limit = call->group->settings.run_timeout;
    if (limit <= 0)
        return TUTTI_SUCCESS;
    if (cold_mode(call) != MODE_TUNE) /* nothing may be written */
        text_release(&call->guard->path);
    int status = group_broadcast_text(call->group, &call->guard->path, 0, "the path of the journal",
                                      &cold->why);
    if (!status && watchdog_create(limit, report_expiry, call, &call->guard->watchdog))
        log_rank(call->group, call->tuner->name, TUTTI_LOG_WARN,
                 "there is no watchdog: no thread could be started");
    return status;
}

int guard_begin(struct cold *cold, const struct plan *plan)
{
    struct call *call = cold->call;
    uint64_t decided = 0;
    plan_line(plan, &call->guard->how);
    if (call->group->rank == 0)
        decided = open_journal(cold);
    int status = group_broadcast(call->group, &decided, sizeof decided, 0,
                                 "the look for an interrupted search", &cold->why);
    if (!status && decided > 0)
        status = persist_share_trials(call, &cold->outcome, true, "resuming a search", &cold->why);
    return status ? status : watch(cold);
}

void guard_end(struct cold *cold, int status)
{
    struct guard *guard = &cold->guard;
    watchdog_destroy(guard->watchdog);
    /* The others are stuck or gone, perhaps in what is in flight; perhaps it is not to blame. */
    bool lost = status == TUTTI_ERR_STALL || status == TUTTI_ERR_GROUP ||
                status == TUTTI_ERR_BROKEN ||
                (status == TUTTI_ERR_DEVICE && guard->in_flight < cold->outcome.ntrials);
    /* Where runs have a limit, ranks that do not come back from one have passed it. */
    if (status == TUTTI_ERR_STALL && cold->call->group->settings.run_timeout > 0 &&
        guard->in_flight < cold->outcome.ntrials)
        journal_condemn(guard->journal, guard->in_flight, TUTTI_STATUS_TIMEOUT, -1,
                        cold->why.bytes ? cold->why.bytes : "ranks did not come back from it");
    if (guard->journal && lost)
        journal_abandon(guard->journal);
    /* When all failed, there is nothing to resume either: the next call tries them anew. */
    else if (guard->journal)
        journal_close(guard->journal, status == TUTTI_SUCCESS || status == TUTTI_ERR_FAILED);
    text_release(&guard->path);
    text_release(&guard->how);
    *guard = (struct guard){.in_flight = UINT64_MAX};
}

/* For those who watch a job die: the last such line names what it died in. */
static void say_start(const struct call *call, uint64_t configuration)
{
    struct text name = {0};
    space_configuration_text(&call->tuner->space, configuration, &name);
    log_root(call->group, call->tuner->name, TUTTI_LOG_DEBUG, "running %s",
             name.bytes ? name.bytes : "");
    text_release(&name);
}

void guard_start(const struct call *call, uint64_t configuration)
{
    if (!call->guard)
        return;
    if (call->group->settings.log_level >= TUTTI_LOG_DEBUG)
        say_start(call, configuration);
    if (call->guard->in_flight != configuration)
        call->guard->mishap[0] = '\0';
    call->guard->in_flight = configuration;
    journal_start(call->guard->journal, configuration);
}

void guard_arm(const struct call *call, uint64_t configuration, int runs)
{
    if (call->guard)
        watchdog_arm(call->guard->watchdog, configuration, runs);
}

void guard_disarm(const struct call *call)
{
    if (call->guard)
        watchdog_disarm(call->guard->watchdog);
}

void guard_finish(const struct call *call, uint64_t configuration, const tutti_trial *trial)
{
    if (!call->guard)
        return;
    journal_finish(call->guard->journal, configuration, trial);
    call->guard->in_flight = UINT64_MAX;
}

void guard_note(const struct call *call, const char *reason)
{
    if (call->guard)
        snprintf(call->guard->mishap, sizeof call->guard->mishap, "%s", reason);
}

void guard_explain(const struct call *call, struct text *why)
{
    const struct guard *guard = call->guard;
    if (!guard || guard->in_flight >= call->tuner->space.size)
        return;
    text_add(why, "; rank %d was at ", call->group->rank);
    space_configuration_text(&call->tuner->space, guard->in_flight, why);
    if (*guard->mishap)
        text_add(why, ", where its %s", guard->mishap);
}
