/*
 * The cold path: a call whose key is not in memory. All ranks meet, agree, look up, search if need
 * be, run, and only then remember. meet.c has the meeting, search.c the search. Every step that
 * can fail on one rank reports through a group operation, so that all ranks make the same sequence
 * of operations and return the same.
 */
#include "agree.h"
#include "choose.h"
#include "clock.h"
#include "cold.h"
#include "log.h"
#include "persist.h"
#include "run.h"

int cold_look_up(struct cold *cold)
{
    const struct settings *settings = &cold->call->group->settings;
    enum mode mode = cold_mode(cold->call);
    bool search_anyway = settings->always_tune && (mode == MODE_TUNE || mode == MODE_READ_ONLY);
    if (mode == MODE_OFF || search_anyway)
        return TUTTI_SUCCESS;
    int status =
        persist_find(cold->call, &cold->outcome, &cold->path, &cold->have_outcome, &cold->why);
    if (cold->have_outcome) {
        cold->source = TUTTI_SOURCE_RECORD;
        cold->configuration = cold->outcome.winner;
    }
    return status;
}

/* Nothing is known and nothing may be searched, which why explains: configuration 0, or an error.
 */
static int run_default_or_fail(struct cold *cold, int source, const char *why)
{
    const struct call *call = cold->call;
    if (call->group->settings.on_miss == ON_MISS_ERROR) {
        text_add(&cold->why, "%s: no record for this key, and %s", call->tuner->name, why);
        return TUTTI_ERR_MISS;
    }
    cold->source = source;
    cold->configuration = 0;
    log_root(call->group, call->tuner->name, TUTTI_LOG_WARN,
             "no record for this key, and %s: configuration 0 runs", why);
    return TUTTI_SUCCESS;
}

/* What this rank's timer says to a search: an error for the agreement, with its own words. */
static int begin_timing(const struct call *call, struct text *own)
{
    const tutti_tuner *tuner = call->tuner;
    int status = tuner->timer.begin(tuner->timer_self, call->stream);
    const char *error = status ? run_timer_text(tuner, TUTTI_TIMER_ERROR) : "";
    if (status == TUTTI_TIMER_BUSY)
        text_add(own, "%s", *error ? error : "the timer is busy");
    else if (status == TUTTI_TIMER_LOST)
        text_add(own, "the device is lost%s%s", *error ? ": " : "", error);
    else if (status)
        text_add(own, "the timer's begin returned %d%s%s", status, *error ? ": " : "", error);
    return status == TUTTI_TIMER_BUSY   ? TUTTI_ERR_MISS
           : status == TUTTI_TIMER_LOST ? TUTTI_ERR_DEVICE
           : status                     ? TUTTI_ERR_RUN
                                        : TUTTI_SUCCESS;
}

/* The entry that a call which could not search has left: the table of calls with tuning off. */
static struct entry *known_default(const struct call *call)
{
    return entries_find(&call->attachment->entries, call->key, call->hash, WAY_OFF);
}

/* Some rank's timer is busy, as reason says. The ranks agree on what they know of such calls: a
 * rank that knows the default makes no operation in its run. */
static int do_without_search(struct cold *cold, const char *reason)
{
    const struct call *call = cold->call;
    const bool known = known_default(call) != NULL;
    const struct agree_item item = {"calls that were not timed", known, known ? "one" : "none"};
    int status = agree(call->group, &item, 1, TUTTI_SUCCESS, NULL, cold->work.words,
                       "a call that can't be timed", &cold->why);
    if (status)
        return status;
    struct text why = {0};
    text_add(&why, "none can be made now (%s)", reason);
    status = run_default_or_fail(cold, TUTTI_SOURCE_DEFAULT_BUSY,
                                 why.bytes ? why.bytes : "none can be made now");
    text_release(&why);
    return status;
}

/* What all ranks' timers say to a search: *busy, as reason says, or an error. */
static int agree_on_timing(struct cold *cold, bool *busy, struct text *reason)
{
    const struct call *call = cold->call;
    struct text own = {0};
    *busy = false;
    if (!call->tuner->timer.begin)
        return TUTTI_SUCCESS;
    int error = begin_timing(call, &own);
    int status = agree_success(call->group, error, own.bytes, "the begin of a search", reason);
    text_release(&own);
    *busy = status == TUTTI_ERR_MISS;
    if (status && !*busy)
        text_add(&cold->why, "%s: %s", call->tuner->name, reason->bytes ? reason->bytes : "");
    return *busy ? TUTTI_SUCCESS : status;
}

/* A search, unless some rank's timer has another word on it. */
static int search_if_possible(struct cold *cold)
{
    struct text reason = {0};
    bool busy;
    int status = agree_on_timing(cold, &busy, &reason);
    if (!status && busy)
        status = do_without_search(cold, reason.bytes ? reason.bytes : "");
    else if (!status)
        status = cold_search(cold);
    text_release(&reason);
    return status;
}

/* What runs when nothing was found: a search, or configuration 0, as the mode says. */
static int decide_without_record(struct cold *cold)
{
    cold->configuration = 0;
    switch (cold_mode(cold->call)) {
    case MODE_OFF:
        cold->source = TUTTI_SOURCE_DEFAULT_OFF;
        return TUTTI_SUCCESS;
    case MODE_CACHE_ONLY:
        return run_default_or_fail(cold, TUTTI_SOURCE_DEFAULT_MISS, "TUTTI_MODE=cache-only");
    default:
        return search_if_possible(cold);
    }
}

static void run_forced(struct cold *cold)
{
    struct text name = {0};
    cold->source = cold->forced.source;
    cold->configuration = cold->forced.configuration;
    space_configuration_text(&cold->call->tuner->space, cold->configuration, &name);
    log_root(cold->call->group, cold->call->tuner->name, TUTTI_LOG_INFO, "%s is %s",
             name.bytes ? name.bytes : "a configuration", tutti_source_name(cold->source));
    text_release(&name);
}

/* Steps 4 to 7: what is forced, else what is recorded, else what a search finds. */
static int decide(struct cold *cold)
{
    if (cold->forced.source) {
        run_forced(cold);
        return TUTTI_SUCCESS;
    }
    int status = cold_look_up(cold);
    if (!status && !cold->have_outcome)
        status = decide_without_record(cold);
    return status;
}

static void forget_outcome(struct cold *cold)
{
    if (cold->have_outcome)
        outcome_release(&cold->outcome);
    cold->have_outcome = false;
    text_release(&cold->path);
}

/* The chosen configuration failed in the call's own run, on some rank, as all know. What now? */
static int choose_again(struct cold *cold, const struct final *final)
{
    const char *reason = final->reason;
    const struct call *call = cold->call;
    struct text name = {0};
    space_configuration_text(&call->tuner->space, cold->configuration, &name);
    const char *configuration = name.bytes ? name.bytes : "";
    int status = TUTTI_ERR_RUN;
    if (cold->source == TUTTI_SOURCE_RECORD && cold_mode(call) != MODE_CACHE_ONLY) {
        log_root(call->group, call->tuner->name, TUTTI_LOG_WARN,
                 "the recorded configuration %s failed (%s): tuning again", configuration, reason);
        forget_outcome(cold);
        status = search_if_possible(cold);
    } else if (cold->source == TUTTI_SOURCE_SEARCH) {
        log_root(call->group, call->tuner->name, TUTTI_LOG_WARN,
                 "the chosen configuration %s failed (%s): trying the next", configuration, reason);
        tutti_trial *trial = &cold->outcome.trials[cold->configuration];
        trial->status = TUTTI_STATUS_FAILED;
        trial->seconds = 0;
        trial->slowest_rank = final->failed_rank;
        trial->launcher_status = final->launcher_status;
        outcome_set_reason(&cold->outcome, cold->configuration, reason);
        status = choose(&cold->outcome, &cold->outcome.winner) ? TUTTI_SUCCESS : TUTTI_ERR_FAILED;
        cold->configuration = cold->outcome.winner;
        if (status)
            text_add(&cold->why, "%s: no configuration is left: %s failed last: %s",
                     call->tuner->name, configuration, reason);
    } else {
        text_add(&cold->why, "%s: configuration %s failed: %s", call->tuner->name, configuration,
                 reason);
    }
    text_release(&name);
    return status;
}

/* Should a recorded configuration fail, a search begins with what the caller has given: buffers are
 * saved now. While a timer is busy, nothing may touch them, and no search would come. */
static int save_for_a_search(struct cold *cold)
{
    const struct call *call = cold->call;
    struct text reason = {0};
    bool busy;
    if (cold->source != TUTTI_SOURCE_RECORD || cold_mode(call) == MODE_CACHE_ONLY ||
        call->tunes_only || !call->tuner->buffers)
        return TUTTI_SUCCESS;
    int status = agree_on_timing(cold, &busy, &reason);
    text_release(&reason);
    return status || busy ? status : cold_declare_buffers(cold);
}

/* Step 9, before step 8: a winner that fails in its own run must not reach the store. */
static int run_chosen(struct cold *cold)
{
    struct call *call = cold->call;
    int status = save_for_a_search(cold);
    while (!status) {
        struct final final = {0};
        bool searched = cold->source == TUTTI_SOURCE_SEARCH;
        space_fill(&call->tuner->space, cold->configuration, cold->entry->config);
        cold->entry->slot = NULL;
        status = run_final(call, cold->entry, cold->configuration, searched, &final, &cold->why);
        if (status || final.failed_rank < 0)
            break;
        status = choose_again(cold, &final);
    }
    return status;
}

/* The last step: local, without allocation, so that no rank can fail to remember. */
static void remember(struct cold *cold)
{
    struct entry *entry = cold->entry;
    /* A call that could not search decides nothing for those that can. */
    if (cold->source == TUTTI_SOURCE_DEFAULT_BUSY)
        entry->way = WAY_OFF;
    entry->configuration = cold->configuration;
    entry->source = cold->source;
    if (cold->source == TUTTI_SOURCE_SEARCH || cold->source == TUTTI_SOURCE_RECORD ||
        cold->source == TUTTI_SOURCE_DEFAULT_PRUNED) {
        entry->outcome = cold->outcome;
        cold->have_outcome = false;
    }
    if (cold->path.length > 0) {
        entry->record = cold->path.bytes;
        cold->path = (struct text){0};
    }
    entries_insert(&cold->call->attachment->entries, entry);
    cold->entry = NULL;
    cold->reserved = false;
}

/* A hit that TUTTI_CHECK has agreed on: the run, and whether it succeeded, stay local. */
static int run_known(struct cold *cold, struct entry *entry)
{
    const struct call *call = cold->call;
    tutti_context context = hit_context(call->tuner, call->group, entry, call->stream);
    if (call->tunes_only)
        return TUTTI_SUCCESS;
    int result = call->tuner->run(call->args, entry->config, &context);
    if (call->launcher_status)
        *call->launcher_status = result;
    if (result == 0)
        return TUTTI_SUCCESS;
    run_describe_failure(call->tuner, call->group, entry->configuration, result, &cold->why);
    return TUTTI_ERR_RUN;
}

static int find_run_remember(struct cold *cold)
{
    struct call *call = cold->call;
    int status = cold_meet(cold);
    struct entry *known = status ? NULL : cold_known(call);
    if (known)
        return run_known(cold, known);
    if (!status)
        status = decide(cold);
    if (status)
        return status;
    known = cold->source == TUTTI_SOURCE_DEFAULT_BUSY ? known_default(cold->call) : NULL;
    if (known)
        return run_known(cold, known);
    cold->entry->cold_seconds = clock_now() - cold->begin;
    cold->entry->cold_operations = call->group->operations - cold->operations;
    status = run_chosen(cold);
    const bool worth_keeping = !cold->outcome.race.stopped || cold->outcome.race.rounds > 0;
    if (!status && cold->source == TUTTI_SOURCE_SEARCH && cold_mode(call) == MODE_TUNE &&
        worth_keeping)
        status = persist_save(call, &cold->outcome, &cold->path, &cold->why);
    if (!status)
        remember(cold);
    return status;
}

/* Without a run that is the caller's own, what candidates did to the buffers must not stay. */
static void end_with_buffers(struct cold *cold, int status)
{
    struct call *call = cold->call;
    if (call->buffers && (status || call->tunes_only))
        buffers_restore(call->buffers);
    call->buffers = NULL;
}

int cold_call(struct call *call)
{
    struct cold cold = {.call = call,
                        .operation = call->tunes_only ? "tutti_tune" : "tutti_call",
                        .guard = {.in_flight = UINT64_MAX}};
    int status = cold_enter(call, &cold.why);
    if (!status) {
        call->guard = &cold.guard;
        status = find_run_remember(&cold);
        if (status == TUTTI_ERR_STALL)
            guard_explain(call, &cold.why);
        guard_end(&cold, status);
        end_with_buffers(&cold, status);
        call->guard = NULL;
        cold_release(&cold);
        group_leave(call->group);
    }
    return cold_end(&cold, status);
}
