/* Persistence. See persist.h. */
#include "persist.h"

#include <stdlib.h>
#include <string.h>

#include "hardware.h"
#include "log.h"
#include "record.h"
#include "store.h"

/* The hardware is described once per group, on the root only: it takes hwloc milliseconds. */
static bool describe_hardware(tutti_group *group)
{
    if (group->hardware)
        return true;
    struct text lines = {0};
    hardware_describe(&lines);
    if (lines.failed) {
        text_release(&lines);
        return false;
    }
    group->hardware = lines.bytes;
    return true;
}

/* Fills identity from the call; environment owns the text that it points to. */
static bool make_identity(const struct call *call, struct identity *identity,
                          struct text *environment)
{
    const tutti_tuner *tuner = call->tuner;
    const tutti_group *group = call->group;
    environment_describe(group->transport, environment);
    if (environment->failed || !describe_hardware(call->group))
        return false;
    *identity = (struct identity){
        .function = tuner->name,
        .version = tuner->version,
        .source_id = tuner->source_id,
        .space = &tuner->space,
        .key = call->key->bytes,
        .key_length = call->key->length,
        .group_kind = group->ops.kind,
        .placement = group->placement,
        .ranks = group->ranks,
        .timer = tuner->timer.name,
        .hardware = group->hardware,
        .environment = environment->bytes,
    };
    return true;
}

/* What to do with a record that was read. Strict turns a difference in environment into a miss. */
static bool accept(const struct call *call, enum record_verdict verdict, const char *path,
                   const struct text *why)
{
    const tutti_group *group = call->group;
    const char *reason = why->bytes ? why->bytes : "no memory";
    switch (verdict) {
    case RECORD_APPLIES:
        return true;
    case RECORD_APPLIES_ELSEWHERE:
        if (group->settings.strict) {
            log_root(group, LOG_INFO,
                     "%s: the record %s was made in another environment (%s) and "
                     "strict is set: tuning again",
                     call->tuner->name, path, reason);
            return false;
        }
        log_root(group, LOG_WARN,
                 "%s: using the record %s although it was made in another "
                 "environment: %s",
                 call->tuner->name, path, reason);
        return true;
    case RECORD_FOREIGN:
        log_root(group, LOG_WARN, "%s: the record %s does not apply here: %s", call->tuner->name,
                 path, reason);
        return false;
    default:
        log_root(group, LOG_WARN, "%s: %s is not a valid record and is ignored: %s",
                 call->tuner->name, path, reason);
        return false;
    }
}

/* Root only. */
static bool read_record(const struct call *call, struct outcome *outcome, struct text *path)
{
    struct identity identity;
    struct text environment = {0}, bytes = {0}, why = {0};
    bool found = false;
    const char *cache_dir = call->group->settings.cache_dir;
    if (!*cache_dir || !make_identity(call, &identity, &environment))
        goto out;
    char name[33];
    record_name(&identity, name);
    store_path(cache_dir, call->tuner->name, name, path);
    if (path->failed)
        goto out;
    enum store_result result = store_read(path->bytes, &bytes, &why);
    if (result == STORE_FAILED)
        log_root(call->group, LOG_WARN, "%s: %s", call->tuner->name, why.bytes ? why.bytes : "");
    if (result == STORE_OK) {
        enum record_verdict verdict =
            record_decode(bytes.bytes, bytes.length, &identity, outcome, &why);
        bool filled = verdict == RECORD_APPLIES || verdict == RECORD_APPLIES_ELSEWHERE;
        found = accept(call, verdict, path->bytes, &why);
        if (filled && !found)
            outcome_release(outcome);
    }
out:
    text_release(&environment);
    text_release(&bytes);
    text_release(&why);
    return found;
}

/* An outcome as it travels from the root: plain data, the reasons cut to a common length. */
struct packed_outcome {
    uint64_t found, ntrials, winner, search_calls, search_operations;
    int64_t finished;
    double search_seconds;
    int warmups, samples;
};

struct packed_trial {
    double seconds;
    int status, slowest_rank;
    char reason[168];
};

static void pack(const struct outcome *outcome, struct packed_trial *trials)
{
    for (uint64_t i = 0; i < outcome->ntrials; i++) {
        const tutti_trial *trial = &outcome->trials[i];
        memset(&trials[i], 0, sizeof trials[i]);
        trials[i].seconds = trial->seconds;
        trials[i].status = trial->status;
        trials[i].slowest_rank = trial->slowest_rank;
        strncpy(trials[i].reason, trial->reason, sizeof trials[i].reason - 1);
    }
}

static void unpack(const struct packed_outcome *head, const struct packed_trial *trials,
                   struct outcome *outcome)
{
    outcome->winner = head->winner;
    outcome->search_calls = head->search_calls;
    outcome->search_operations = head->search_operations;
    outcome->finished = head->finished;
    outcome->search_seconds = head->search_seconds;
    outcome->warmups = head->warmups;
    outcome->samples = head->samples;
    for (uint64_t i = 0; i < outcome->ntrials; i++) {
        outcome->trials[i].seconds = trials[i].seconds;
        outcome->trials[i].status = trials[i].status;
        outcome->trials[i].slowest_rank = trials[i].slowest_rank;
        outcome_set_reason(outcome, i, trials[i].reason);
    }
}

/* The root has found an outcome: all get it. */
static int share(const struct call *call, const struct packed_outcome *head,
                 struct outcome *outcome, struct text *path, struct text *why)
{
    tutti_group *group = call->group;
    const char *what = "the broadcast of a record";
    struct packed_trial *trials = calloc((size_t)head->ntrials, sizeof *trials);
    bool ready = trials != NULL;
    if (group->rank != 0 && outcome_init(outcome, head->ntrials))
        ready = false;
    if (ready && group->rank == 0)
        pack(outcome, trials);
    uint64_t missing = !ready;
    int status = group_reduce_max(group, &missing, 1, what, why);
    if (!status && missing) {
        text_add(why, "no memory for a record of %llu configurations on some rank",
                 (unsigned long long)head->ntrials);
        status = TUTTI_ERR_MEMORY;
    }
    if (!status)
        status =
            group_broadcast(group, trials, (size_t)head->ntrials * sizeof *trials, 0, what, why);
    if (!status && group->rank != 0)
        unpack(head, trials, outcome);
    if (!status)
        status = group_broadcast_text(group, path, 0, what, why);
    free(trials);
    return status;
}

int persist_find(const struct call *call, struct outcome *outcome, struct text *path, bool *found,
                 struct text *why)
{
    struct packed_outcome head;
    memset(&head, 0, sizeof head);
    if (call->group->rank == 0 && read_record(call, outcome, path)) {
        head.found = 1;
        head.ntrials = outcome->ntrials;
        head.winner = outcome->winner;
        head.search_calls = outcome->search_calls;
        head.search_operations = outcome->search_operations;
        head.finished = outcome->finished;
        head.search_seconds = outcome->search_seconds;
        head.warmups = outcome->warmups;
        head.samples = outcome->samples;
    }
    int status = group_broadcast(call->group, &head, sizeof head, 0, "the look-up", why);
    if (!status && head.found)
        status = share(call, &head, outcome, path, why);
    *found = !status && head.found;
    if (!*found) {
        outcome_release(outcome);
        text_release(path);
    }
    return status;
}

/* Root only. */
static void write_record(const struct call *call, const struct outcome *outcome, struct text *path)
{
    struct identity identity;
    struct text environment = {0}, json = {0}, why = {0};
    const char *cache_dir = call->group->settings.cache_dir;
    char name[33];
    if (*cache_dir && make_identity(call, &identity, &environment) &&
        record_encode(&identity, outcome, &json) == TUTTI_SUCCESS) {
        record_name(&identity, name);
        store_path(cache_dir, call->tuner->name, name, path);
        if (!path->failed && store_write(path->bytes, json.bytes, json.length, &why) != STORE_OK) {
            log_root(call->group, LOG_WARN, "%s: the result is kept in memory only: %s",
                     call->tuner->name, why.bytes ? why.bytes : "no memory");
            text_release(path);
        }
    }
    text_release(&environment);
    text_release(&json);
    text_release(&why);
}

int persist_save(const struct call *call, const struct outcome *outcome, struct text *path,
                 struct text *why)
{
    if (call->group->rank == 0)
        write_record(call, outcome, path);
    return group_broadcast_text(call->group, path, 0, "the end of the save", why);
}
