/*
 * The cold path: a call whose key is not in memory. All ranks meet, agree, look up, search if need
 * be, run, and only then remember. Every step that can fail on one rank reports through a group
 * operation, so that all ranks make the same sequence of operations and return the same.
 */
#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

#include "agree.h"
#include "choose.h"
#include "clock.h"
#include "cold.h"
#include "log.h"
#include "persist.h"
#include "plan.h"
#include "run.h"

#define NESTING_LIMIT 32 /* calls within calls: beyond, a launcher calls itself without end */

/* Takes all memory that the call needs. What fails here is reported in the agreement. */
static int prepare(struct cold *cold, struct text *own)
{
    const struct call *call = cold->call;
    const struct space *space = &call->tuner->space;
    size_t configurations = (size_t)space->size, ranks = (size_t)call->group->ranks;
    cold->work.words = calloc(2 * (configurations + ranks), sizeof(uint64_t));
    cold->work.own = calloc(configurations, sizeof(uint64_t));
    cold->work.config = calloc(1, space->config_size);
    cold->work.slots = calloc(configurations, sizeof(void *));
    cold->entry = entry_create(call->key, call->hash, call->off, space->config_size);
    cold->reserved = call->attachment && entries_reserve(&call->attachment->entries);
    if (!cold->work.words || !cold->work.own || !cold->work.config || !cold->work.slots ||
        !cold->entry || !cold->reserved) {
        text_add(own, "no memory for a search over %zu configurations", configurations);
        return TUTTI_ERR_MEMORY;
    }
    if (call->key_status) {
        text_add(own, "the key callback returned %d", call->key_status);
        return TUTTI_ERR_KEY;
    }
    return key_check(call->key, own) ? TUTTI_SUCCESS : TUTTI_ERR_KEY;
}

static void release(struct cold *cold)
{
    if (cold->reserved)
        entries_unreserve(&cold->call->attachment->entries);
    entry_destroy(cold->entry);
    if (cold->have_outcome)
        outcome_release(&cold->outcome);
    free(cold->work.words);
    free(cold->work.own);
    free(cold->work.config);
    free(cold->work.slots);
    text_release(&cold->path);
}

enum mode cold_mode(const struct call *call)
{
    return call->off ? MODE_OFF : (enum mode)call->group->settings.mode;
}

struct entry *cold_known(const struct call *call)
{
    return call->attachment
               ? entries_find(&call->attachment->entries, call->key, call->hash, call->off)
               : NULL;
}

static struct agree_item item(const char *what, const struct text *text)
{
    const char *bytes = text->bytes ? text->bytes : "";
    return (struct agree_item){what, XXH3_64bits(bytes, text->length), bytes};
}

/* Step 3 of a call: what every rank brought, compared in one reduction. */
static int agree_on_call(struct cold *cold, int own_error, const char *own_text)
{
    const struct call *call = cold->call;
    const tutti_tuner *tuner = call->tuner;
    struct text function = {0}, version = {0}, source = {0}, space = {0}, key = {0}, policy = {0},
                operation = {0};
    /* Only TUTTI_CHECK brings a known key here: it must be known to all. */
    const bool known = own_error == TUTTI_SUCCESS && cold_known(call) != NULL;
    text_add(&function, "%s", tuner->name);
    text_add(&version, "%s", tuner->version);
    text_add(&source, "%s", tuner->source_id);
    space_text(&tuner->space, &space);
    text_add(&space, "customary: %lld\n", (long long)tuner->customary);
    key_text(call->key->bytes, call->key->length, &key);
    const struct plan plan = plan_of(call);
    plan_text(&plan, &policy);
    text_add(&policy, "timer: %s\nwhen pruned: %d\n", tuner->timer.name, tuner->when_pruned);
    text_add(&operation, "%s%s%s", cold->operation, call->off ? " with tuning off" : "",
             known ? " of a key that is known" : "");

    struct agree_item items[] = {
        item("function", &function),   item("version", &version), item("source identity", &source),
        item("space", &space),         item("key", &key),         item("policy", &policy),
        item("operation", &operation),
    };
    struct text *texts[] = {&function, &version, &source, &space, &key, &policy, &operation};
    if (own_error == TUTTI_SUCCESS)
        items[4].hash = call->hash; /* of the encoding: exact, whatever the text looks like */
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        if (texts[i]->failed && own_error == TUTTI_SUCCESS) {
            own_error = TUTTI_ERR_MEMORY;
            own_text = "no memory to describe the call";
        }
    }
    struct text what = {0};
    text_add(&what, "the call of %s", tuner->name);
    int status = agree(call->group, items, sizeof items / sizeof *items, own_error, own_text,
                       cold->work.words, what.bytes ? what.bytes : "a call", &cold->why);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        text_release(texts[i]);
    text_release(&what);
    return status;
}

/* Rendezvous and agreement: the begin of every cold operation. */
static int meet(struct cold *cold)
{
    struct call *call = cold->call;
    struct text own = {0};
    cold->begin = clock_now();
    cold->operations = call->group->operations;
    int own_error = prepare(cold, &own);
    int status = group_attach(call->group, &cold->why);
    if (!status)
        status = agree_on_call(cold, own_error, own.bytes);
    text_release(&own);
    return status;
}

/* Step 4: does this mode look records up? The mode is the root's, or agreed on. */
static int look_up(struct cold *cold)
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
    int status = tuner->timer.begin(tuner->timer_self, NULL);
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
    return entries_find(&call->attachment->entries, call->key, call->hash, true);
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

/* A search, unless some rank's timer has another word on it. */
static int search_if_possible(struct cold *cold)
{
    const struct call *call = cold->call;
    struct text own = {0}, why = {0};
    if (!call->tuner->timer.begin)
        return cold_search(cold);
    int error = begin_timing(call, &own);
    int status = agree_success(call->group, error, own.bytes, "the begin of a search", &why);
    const char *reason = why.bytes ? why.bytes : "";
    if (status == TUTTI_ERR_MISS)
        status = do_without_search(cold, reason);
    else if (status)
        text_add(&cold->why, "%s: %s", call->tuner->name, reason);
    else
        status = cold_search(cold);
    text_release(&own);
    text_release(&why);
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

static void forget_outcome(struct cold *cold)
{
    if (cold->have_outcome)
        outcome_release(&cold->outcome);
    cold->have_outcome = false;
    text_release(&cold->path);
}

/* The chosen configuration failed in the call's own run, on some rank, as all know. What now? */
static int choose_again(struct cold *cold, int rank, const char *reason)
{
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
        trial->slowest_rank = rank;
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

/* Step 9, before step 8: a winner that fails in its own run must not reach the store. */
static int run_chosen(struct cold *cold)
{
    struct call *call = cold->call;
    for (;;) {
        struct final final = {0};
        bool searched = cold->source == TUTTI_SOURCE_SEARCH;
        space_fill(&call->tuner->space, cold->configuration, cold->entry->config);
        cold->entry->slot = NULL;
        int status =
            run_final(call, cold->entry, cold->configuration, searched, &final, &cold->why);
        bool done = status || final.failed_rank < 0;
        if (!done)
            status = choose_again(cold, final.failed_rank, final.reason);
        if (done || status)
            return status;
    }
}

/* The last step: local, without allocation, so that no rank can fail to remember. */
static void remember(struct cold *cold)
{
    struct entry *entry = cold->entry;
    /* A call that could not search decides nothing for those that can. */
    entry->off |= cold->source == TUTTI_SOURCE_DEFAULT_BUSY;
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
    tutti_context context = hit_context(call->tuner, call->group, entry);
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
    int status = meet(cold);
    struct entry *known = status ? NULL : cold_known(call);
    if (known)
        return run_known(cold, known);
    if (!status)
        status = look_up(cold);
    if (!status && !cold->have_outcome)
        status = decide_without_record(cold);
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

static void keep_message(const struct call *call, const struct text *why)
{
    if (!call->attachment)
        return;
    struct text *message = &call->attachment->message;
    text_release(message);
    if (why->length > 0)
        text_add(message, "%s", why->bytes);
}

/* What every cold operation ends with: the sentence is kept, and a stall is told. */
static int end(struct cold *cold, int status)
{
    const struct call *call = cold->call;
    struct text *why = &cold->why;
    /* The step alone does not tell: attaching a group, say, happens in whichever call comes first.
     */
    if (status == TUTTI_ERR_STALL)
        text_add(why, ", in %s of %s", cold->operation, call->tuner->name);
    if (status == TUTTI_ERR_STALL && call->tuner->on_stall)
        call->tuner->on_stall(why->bytes ? why->bytes : "", call->tuner->user);
    /* A busy group's message belongs to the thread that has it. */
    if (status != TUTTI_ERR_BUSY)
        keep_message(call, why);
    text_release(why);
    return status;
}

/* Enters the group and refuses endless recursion, the same on all ranks. */
static int enter(struct call *call, struct text *why)
{
    int status = group_enter(call->group);
    if (status) {
        text_add(why, "%s: another thread is inside a call on this group", call->tuner->name);
        return status;
    }
    /* Only now: a thread that is refused must not touch what belongs to the other one. */
    call->attachment = tuner_attach(call->tuner, call->group);
    if (call->group->depth <= NESTING_LIMIT)
        return TUTTI_SUCCESS;
    group_leave(call->group);
    text_add(why, "%s: more than %d calls within calls: does a launcher call itself?",
             call->tuner->name, NESTING_LIMIT);
    return TUTTI_ERR_ARGUMENT;
}

int cold_call(struct call *call)
{
    struct cold cold = {
        .call = call, .operation = "tutti_call", .guard = {.in_flight = UINT64_MAX}};
    int status = enter(call, &cold.why);
    if (!status) {
        call->guard = &cold.guard;
        status = find_run_remember(&cold);
        if (status == TUTTI_ERR_STALL)
            guard_explain(call, &cold.why);
        guard_end(&cold, status);
        call->guard = NULL;
        release(&cold);
        group_leave(call->group);
    }
    return end(&cold, status);
}

static uint64_t greatest_size(const struct cold *cold, tutti_size_fn size)
{
    const struct call *call = cold->call;
    const tutti_tuner *tuner = call->tuner;
    const struct entry *known = cold_known(call);
    uint64_t greatest = 0;
    for (uint64_t i = 0; i < tuner->space.size; i++) {
        bool runs = i == 0 || !cold->work.words[2 * i] ||
                    (cold->have_outcome && i == cold->outcome.winner) ||
                    (known && i == known->configuration);
        if (!runs)
            continue;
        space_fill(&tuner->space, i, cold->work.config);
        uint64_t bytes = size(cold->work.config, call->args, tuner->user);
        greatest = bytes > greatest ? bytes : greatest;
    }
    return greatest;
}

static int find_max_size(struct cold *cold, tutti_size_fn size, size_t *bytes)
{
    uint64_t survivors, greatest;
    int status = meet(cold);
    if (!status)
        status = look_up(cold);
    if (!status)
        status = cold_prune(cold, &survivors);
    if (status)
        return status;
    greatest = greatest_size(cold, size);
    status = group_reduce_max(cold->call->group, &greatest, 1, "tutti_max_size", &cold->why);
    *bytes = status ? 0 : (size_t)greatest;
    return status;
}

int cold_max_size(struct call *call, tutti_size_fn size, size_t *bytes)
{
    struct cold cold = {.call = call, .operation = "tutti_max_size"};
    *bytes = 0;
    int status = enter(call, &cold.why);
    if (!status) {
        status = find_max_size(&cold, size, bytes);
        release(&cold);
        group_leave(call->group);
    }
    return end(&cold, status);
}
