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
#include "log.h"
#include "measure.h"
#include "persist.h"
#include "tuner.h"
#include "workspace.h"

#define NESTING_LIMIT 32 /* calls within calls: beyond, a launcher calls itself without end */

/* Everything that one cold call works with. */
struct cold {
    struct call *call;
    const char *operation; /* "tutti_call" or "tutti_max_size": ranks must be in the same */
    struct workspace work;
    struct entry *entry; /* prepared before the ranks meet, so that remembering can't fail */
    bool reserved;       /* a place in the table for it */
    struct outcome outcome;
    bool have_outcome;
    int source;
    uint64_t configuration;
    struct text path, why;
    double begin;        /* on the monotonic clock */
    uint64_t operations; /* of the group before this call */
};

/* Takes all memory that the call needs. What fails here is reported in the agreement. */
static int prepare(struct cold *cold, struct text *own)
{
    const struct call *call = cold->call;
    const struct space *space = &call->tuner->space;
    size_t configurations = (size_t)space->size, ranks = (size_t)call->group->ranks;
    cold->work.words = calloc(2 * (configurations + ranks), sizeof(uint64_t));
    cold->work.own = calloc(configurations, sizeof(uint64_t));
    cold->work.config = calloc(1, space->config_size);
    cold->entry = entry_create(call->key, call->hash, call->off, space->config_size);
    cold->reserved = call->attachment && entries_reserve(&call->attachment->entries);
    if (!cold->work.words || !cold->work.own || !cold->work.config || !cold->entry ||
        !cold->reserved) {
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
    text_release(&cold->path);
}

/* The program's word on a number, unless the environment has one; 0 and -1 as in the description.
 */
static int effective(int setting, int program, int standard)
{
    if (setting != SETTINGS_UNSET)
        return setting;
    return program != SETTINGS_UNSET ? program : standard;
}

static int effective_warmups(const struct call *call)
{
    return effective(call->group->settings.warmups, call->tuner->warmups, 5);
}

static int effective_samples(const struct call *call)
{
    return effective(call->group->settings.samples, call->tuner->samples, 10);
}

static enum mode effective_mode(const struct call *call)
{
    return call->off ? MODE_OFF : (enum mode)call->group->settings.mode;
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
    text_add(&function, "%s", tuner->name);
    text_add(&version, "%s", tuner->version);
    text_add(&source, "%s", tuner->source_id);
    space_text(&tuner->space, &space);
    text_add(&space, "customary: %lld\n", (long long)tuner->customary);
    key_text(call->key->bytes, call->key->length, &key);
    text_add(&policy, "warmups: %d\nsamples: %d\ntimer: %s\nwhen pruned: %d\n",
             effective_warmups(call), effective_samples(call), tuner->timer.name,
             tuner->when_pruned);
    text_add(&operation, "%s%s", cold->operation, call->off ? " with tuning off" : "");

    struct agree_item items[] = {
        item("operation", &operation),    item("function", &function), item("version", &version),
        item("source identity", &source), item("space", &space),       item("key", &key),
        item("policy", &policy),
    };
    struct text *texts[] = {&function, &version, &source, &space, &key, &policy, &operation};
    if (own_error == TUTTI_SUCCESS)
        items[5].hash = call->hash; /* of the encoding: exact, whatever the text looks like */
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
    enum mode mode = effective_mode(cold->call);
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

static void warn_uneven_pruning(const struct call *call, const uint64_t *removed)
{
    struct text counts = {0};
    for (int rank = 0; rank < call->group->ranks && rank < 64; rank++)
        text_add(&counts, "%s%llu", rank ? ", " : "", (unsigned long long)removed[rank]);
    log_root(call->group, LOG_WARN,
             "%s: the ranks prune differently: a configuration is tried if "
             "all ranks keep it (removed on rank 0, 1, ...: %s)",
             call->tuner->name, counts.bytes ? counts.bytes : "");
    text_release(&counts);
}

/*
 * Step 5: trials that all ranks keep become untried; the rest stay pruned. Two words for each
 * configuration, "some rank removes it" and "some rank keeps it", and one per rank with its count.
 */
static int prune(struct cold *cold, uint64_t *survivors)
{
    const struct call *call = cold->call;
    const tutti_tuner *tuner = call->tuner;
    uint64_t size = tuner->space.size, *words = cold->work.words, *removed = words + 2 * size;
    memset(words, 0, (size_t)(2 * size + (uint64_t)call->group->ranks) * sizeof *words);
    for (uint64_t i = 0; i < size; i++) {
        space_fill(&tuner->space, i, cold->work.config);
        bool keep = !tuner->prune || tuner->prune(cold->work.config, call->args, tuner->user);
        words[2 * i + keep] = 1;
        removed[call->group->rank] += !keep;
    }
    int status = group_reduce_max(call->group, words, 2 * size + (uint64_t)call->group->ranks,
                                  "the pruning", &cold->why);
    if (status)
        return status;
    bool uneven = false;
    *survivors = 0;
    for (uint64_t i = 0; i < size; i++) {
        uneven |= words[2 * i] && words[2 * i + 1];
        *survivors += !words[2 * i];
    }
    if (uneven)
        warn_uneven_pruning(call, removed);
    return TUTTI_SUCCESS;
}

static int nothing_survives(struct cold *cold)
{
    const struct call *call = cold->call;
    const uint64_t *removed = cold->work.words + 2 * call->tuner->space.size;
    struct text sentence = {0};
    text_add(&sentence, "%s: no configuration of %llu survives pruning (removed on rank",
             call->tuner->name, (unsigned long long)call->tuner->space.size);
    for (int rank = 0; rank < call->group->ranks && rank < 64; rank++)
        text_add(&sentence, "%s %d: %llu", rank ? "," : "", rank,
                 (unsigned long long)removed[rank]);
    text_add(&sentence, ")");
    const char *bytes = sentence.bytes ? sentence.bytes : "";
    int status = TUTTI_SUCCESS;
    if (call->tuner->when_pruned == TUTTI_PRUNED_ERROR) {
        text_add(&cold->why, "%s", bytes);
        status = TUTTI_ERR_PRUNED;
    } else {
        log_root(call->group, LOG_WARN, "%s: configuration 0 runs", bytes);
        cold->source = TUTTI_SOURCE_DEFAULT_PRUNED;
        cold->configuration = 0;
    }
    text_release(&sentence);
    return status;
}

/* Adds each failure with its reason, up to a readable number. */
static int all_failed(struct cold *cold, uint64_t tried)
{
    const struct call *call = cold->call;
    struct text *why = &cold->why;
    text_add(why, "%s: all %llu configurations failed", call->tuner->name,
             (unsigned long long)tried);
    int listed = 0;
    for (uint64_t i = 0; i < cold->outcome.ntrials && listed < 64; i++) {
        if (cold->outcome.trials[i].status != TUTTI_STATUS_FAILED)
            continue;
        text_add(why, "%s", listed++ ? "; " : ": ");
        space_configuration_text(&call->tuner->space, i, why);
        text_add(why, ": %s", cold->outcome.trials[i].reason);
    }
    if (tried > 64)
        text_add(why, "; and %llu more", (unsigned long long)(tried - 64));
    return TUTTI_ERR_FAILED;
}

/* Steps 5 to 7: prune, measure, choose. */
static int search(struct cold *cold)
{
    const struct call *call = cold->call;
    uint64_t survivors = 0, size = call->tuner->space.size;
    struct text own = {0};
    int own_error = outcome_init(&cold->outcome, size);
    if (own_error)
        text_add(&own, "no memory for the trials of %llu configurations", (unsigned long long)size);
    else
        cold->have_outcome = true;
    int status = agree_success(call->group, own_error, own.bytes, "the search", &cold->why);
    text_release(&own);
    if (!status)
        status = prune(cold, &survivors);
    if (status)
        return status;
    if (survivors == 0)
        return nothing_survives(cold);

    for (uint64_t i = 0; i < size; i++)
        if (!cold->work.words[2 * i])
            cold->outcome.trials[i].status = STATUS_UNTRIED;
    cold->outcome.warmups = effective_warmups(call);
    cold->outcome.samples = effective_samples(call);
    status = measure_exhaustive(call, &cold->outcome, &cold->work, &cold->why);
    if (status)
        return status;
    if (!choose(&cold->outcome, &cold->outcome.winner))
        return all_failed(cold, survivors);
    cold->source = TUTTI_SOURCE_SEARCH;
    cold->configuration = cold->outcome.winner;
    return TUTTI_SUCCESS;
}

/* What runs when nothing was found: a search, or configuration 0, as the mode says. */
static int decide_without_record(struct cold *cold)
{
    cold->configuration = 0;
    switch (effective_mode(cold->call)) {
    case MODE_OFF:
        cold->source = TUTTI_SOURCE_DEFAULT_OFF;
        return TUTTI_SUCCESS;
    case MODE_CACHE_ONLY:
        cold->source = TUTTI_SOURCE_DEFAULT_MISS;
        log_root(cold->call->group, LOG_WARN,
                 "%s: no record for this key, and TUTTI_MODE=cache-only: configuration 0 runs",
                 cold->call->tuner->name);
        return TUTTI_SUCCESS;
    default:
        return search(cold);
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
    if (cold->source == TUTTI_SOURCE_RECORD && effective_mode(call) != MODE_CACHE_ONLY) {
        log_root(call->group, LOG_WARN,
                 "%s: the recorded configuration %s failed (%s): tuning again", call->tuner->name,
                 configuration, reason);
        forget_outcome(cold);
        status = search(cold);
    } else if (cold->source == TUTTI_SOURCE_SEARCH) {
        log_root(call->group, LOG_WARN,
                 "%s: the chosen configuration %s failed (%s): trying the next", call->tuner->name,
                 configuration, reason);
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
        struct text reason = {0};
        int failed_rank;
        space_fill(&call->tuner->space, cold->configuration, cold->entry->config);
        int status = measure_final(call, cold->configuration, cold->entry->config, &failed_rank,
                                   &reason, &cold->why);
        bool done = status || failed_rank < 0;
        if (!done)
            status = choose_again(cold, failed_rank, reason.bytes ? reason.bytes : "");
        text_release(&reason);
        if (done || status)
            return status;
    }
}

/* The last step: local, without allocation, so that no rank can fail to remember. */
static void remember(struct cold *cold)
{
    struct entry *entry = cold->entry;
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

static int find_run_remember(struct cold *cold)
{
    struct call *call = cold->call;
    int status = meet(cold);
    if (!status)
        status = look_up(cold);
    if (!status && !cold->have_outcome)
        status = decide_without_record(cold);
    if (status)
        return status;
    cold->entry->cold_seconds = clock_now() - cold->begin;
    cold->entry->cold_operations = call->group->operations - cold->operations;
    status = run_chosen(cold);
    if (!status && cold->source == TUTTI_SOURCE_SEARCH && effective_mode(call) == MODE_TUNE)
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

/* Enters the group and refuses endless recursion, the same on all ranks. */
static int enter(struct call *call, struct text *why)
{
    int status = group_enter(call->group);
    if (status) {
        text_add(why, "%s: another thread is inside a call on this group", call->tuner->name);
        return status;
    }
    if (call->group->depth <= NESTING_LIMIT)
        return TUTTI_SUCCESS;
    group_leave(call->group);
    text_add(why, "%s: more than %d calls within calls: does a launcher call itself?",
             call->tuner->name, NESTING_LIMIT);
    return TUTTI_ERR_ARGUMENT;
}

int cold_call(struct call *call)
{
    struct cold cold = {.call = call, .operation = "tutti_call"};
    int status = enter(call, &cold.why);
    if (!status) {
        status = find_run_remember(&cold);
        release(&cold);
        group_leave(call->group);
    }
    /* A busy group's message belongs to the thread that has it. */
    if (status != TUTTI_ERR_BUSY)
        keep_message(call, &cold.why);
    text_release(&cold.why);
    return status;
}

static uint64_t greatest_size(const struct cold *cold, tutti_size_fn size)
{
    const struct call *call = cold->call;
    const tutti_tuner *tuner = call->tuner;
    const struct entry *known =
        entries_find(&call->attachment->entries, call->key, call->hash, call->off);
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
        status = prune(cold, &survivors);
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
    if (status != TUTTI_ERR_BUSY)
        keep_message(call, &cold.why);
    text_release(&cold.why);
    return status;
}
