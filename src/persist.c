/* Persistence. See persist.h. */
#include "persist.h"

#include <stdlib.h>
#include <string.h>

#include "cold.h"
#include "hardware.h"
#include "log.h"
#include "plan.h"
#include "record.h"
#include "run.h"
#include "samples.h"
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

/* Who a record of this call is for, and the name of its file. Root only. */
struct location {
    struct identity identity;
    struct text hardware, environment, timer; /* what the identity points to */
    char name[33];
};

/* Fills the identity from the call. Samples that were taken otherwise than plainly are times of
 * another kind. */
static bool make_identity(const struct call *call, struct location *location)
{
    const tutti_tuner *tuner = call->tuner;
    const tutti_group *group = call->group;
    const struct plan plan = plan_of(call);
    struct text *hardware = &location->hardware, *environment = &location->environment,
                *timer = &location->timer;
    environment_describe(group->transport, environment);
    text_add(environment, "%s", run_timer_text(tuner, TUTTI_TIMER_ENVIRONMENT));
    text_add(timer, "%s", tuner->timer.name);
    measuring_text(&plan.how, timer);
    if (!describe_hardware(call->group))
        return false;
    text_add(hardware, "%s%s", group->hardware, run_timer_text(tuner, TUTTI_TIMER_HARDWARE));
    if (hardware->failed || environment->failed || timer->failed)
        return false;
    location->identity = (struct identity){
        .function = tuner->name,
        .version = tuner->version,
        .source_id = tuner->source_id,
        .space = &tuner->space,
        .key = call->key->bytes,
        .key_length = call->key->length,
        .group_kind = group->ops.kind,
        .placement = group->placement,
        .ranks = group->ranks,
        .timer = timer->bytes,
        .hardware = hardware->bytes,
        .environment = environment->bytes,
    };
    return true;
}

/* What to do with a record that was read. Strict turns a difference in environment into a miss. */
static bool accept(const struct call *call, enum record_verdict verdict, const char *path,
                   int policy, const struct text *why)
{
    const tutti_group *group = call->group;
    const char *reason = why->bytes ? why->bytes : "no memory";
    switch (verdict) {
    case RECORD_APPLIES:
        if (group->settings.policy > TUTTI_POLICY_DEFAULT && group->settings.policy != policy)
            log_root(group, call->tuner->name, TUTTI_LOG_WARN,
                     "using the record %s although it was measured by the policy %s, and "
                     "TUTTI_POLICY names another: TUTTI_ALWAYS_TUNE=1 measures again",
                     path, tutti_policy_name(policy));
        return true;
    case RECORD_APPLIES_ELSEWHERE:
        if (group->settings.strict) {
            log_root(group, call->tuner->name, TUTTI_LOG_INFO,
                     "the record %s was made in another environment (%s) and "
                     "strict is set: tuning again",
                     path, reason);
            return false;
        }
        log_root(group, call->tuner->name, TUTTI_LOG_WARN,
                 "using the record %s although it was made in another "
                 "environment: %s",
                 path, reason);
        return true;
    case RECORD_FOREIGN:
        log_root(group, call->tuner->name, TUTTI_LOG_WARN, "the record %s does not apply here: %s",
                 path, reason);
        return false;
    default:
        log_root(group, call->tuner->name, TUTTI_LOG_WARN,
                 "%s is not a valid record and is ignored: %s", path, reason);
        return false;
    }
}

static bool locate(const struct call *call, struct location *location)
{
    memset(location, 0, sizeof *location);
    return make_identity(call, location) && record_name(&location->identity, location->name);
}

static void location_release(struct location *location)
{
    text_release(&location->hardware);
    text_release(&location->environment);
    text_release(&location->timer);
}

/* Reads and judges the record of one directory. */
static bool read_from(const struct call *call, const struct location *location,
                      const char *directory, struct outcome *outcome, struct text *path)
{
    struct text bytes = {0}, why = {0};
    bool found = false;
    text_release(path);
    store_path(directory, call->tuner->name, location->name, path);
    enum store_result result =
        path->failed || !path->bytes ? STORE_ABSENT : store_read(path->bytes, &bytes, &why);
    /* A store of one's own that can't be used at all is warned of once, by the save. */
    if (result == STORE_FAILED)
        log_root(call->group, call->tuner->name,
                 cold_mode(call) == MODE_TUNE ? TUTTI_LOG_INFO : TUTTI_LOG_WARN, "%s",
                 why.bytes ? why.bytes : "");
    if (result == STORE_OK) {
        enum record_verdict verdict =
            record_decode(bytes.bytes, bytes.length, &location->identity, outcome, &why);
        bool filled = verdict == RECORD_APPLIES || verdict == RECORD_APPLIES_ELSEWHERE;
        found = accept(call, verdict, path->bytes, outcome->policy, &why);
        if (filled && !found)
            outcome_release(outcome);
    }
    text_release(&bytes);
    text_release(&why);
    return found;
}

/* The user's own store first, then the directories that were shipped, in their order. Root only. */
static bool read_record(const struct call *call, struct outcome *outcome, struct text *path)
{
    const struct settings *settings = &call->group->settings;
    struct location location;
    bool found = false;
    if (locate(call, &location)) {
        char *shipped = strdup(settings->cache_path), *rest = NULL;
        if (*settings->cache_dir)
            found = read_from(call, &location, settings->cache_dir, outcome, path);
        for (char *directory = shipped ? strtok_r(shipped, ":", &rest) : NULL; directory && !found;
             directory = strtok_r(NULL, ":", &rest))
            found = read_from(call, &location, directory, outcome, path);
        free(shipped);
    }
    location_release(&location);
    return found;
}

/* A trial as it travels from the root: plain data. */
struct packed_trial {
    double seconds, spread;
    uint64_t taken, dropped, nsamples;
    int status, slowest_rank, launcher_status;
    bool has_reason; /* the next of the reasons, which travel in one text, each with its end */
};

static void pack(const struct outcome *outcome, struct packed_trial *trials, struct text *reasons)
{
    for (uint64_t i = 0; i < outcome->ntrials; i++) {
        const tutti_trial *trial = &outcome->trials[i];
        memset(&trials[i], 0, sizeof trials[i]);
        trials[i].seconds = trial->seconds;
        trials[i].spread = trial->spread;
        trials[i].taken = trial->taken;
        trials[i].dropped = trial->dropped;
        trials[i].nsamples = trial->nsamples;
        trials[i].status = trial->status;
        trials[i].slowest_rank = trial->slowest_rank;
        trials[i].launcher_status = trial->launcher_status;
        trials[i].has_reason = *trial->reason;
        if (*trial->reason)
            text_add(reasons, "%s%c", trial->reason, '\0');
    }
}

static void unpack(const struct packed_trial *trials, struct outcome *outcome)
{
    for (uint64_t i = 0; i < outcome->ntrials; i++) {
        tutti_trial *trial = &outcome->trials[i];
        trial->seconds = trials[i].seconds;
        trial->spread = trials[i].spread;
        trial->taken = trials[i].taken;
        trial->dropped = trials[i].dropped;
        trial->nsamples = (size_t)trials[i].nsamples;
        trial->status = trials[i].status;
        trial->slowest_rank = trials[i].slowest_rank;
        trial->launcher_status = trials[i].launcher_status;
    }
}

static void unpack_reasons(const struct packed_trial *trials, const struct text *reasons,
                           struct outcome *outcome)
{
    const char *reason = reasons->bytes;
    for (uint64_t i = 0; i < outcome->ntrials; i++) {
        outcome_set_reason(outcome, i, trials[i].has_reason ? reason : "");
        reason += trials[i].has_reason ? strlen(reason) + 1 : 0;
    }
}

/* After the trials: all ranks know whether any has a reason. */
static int share_reasons(tutti_group *group, struct outcome *outcome,
                         const struct packed_trial *trials, struct text *reasons, const char *what,
                         struct text *why)
{
    bool any = false;
    for (uint64_t i = 0; i < outcome->ntrials; i++)
        any = any || trials[i].has_reason;
    const int status = any ? group_broadcast_text(group, reasons, 0, what, why) : TUTTI_SUCCESS;
    if (!status && group->rank != 0)
        unpack_reasons(trials, reasons, outcome);
    return status;
}

int persist_share_trials(const struct call *call, struct outcome *outcome, bool have,
                         const char *what, struct text *why)
{
    tutti_group *group = call->group;
    const uint64_t n = call->tuner->space.size;
    struct packed_trial *trials = calloc((size_t)n, sizeof *trials);
    struct text reasons = {0};
    uint64_t missing = !trials || !have;
    if (trials && have && group->rank == 0)
        pack(outcome, trials, &reasons);
    int status = group_reduce_max(group, &missing, 1, what, why);
    if (!status && missing) {
        text_add(why, "no memory for the trials of %llu configurations on some rank",
                 (unsigned long long)n);
        status = TUTTI_ERR_MEMORY;
    }
    if (!status)
        status = group_broadcast(group, trials, (size_t)n * sizeof *trials, 0, what, why);
    if (!status && group->rank != 0)
        unpack(trials, outcome);
    if (!status)
        status = share_reasons(group, outcome, trials, &reasons, what, why);
    if (!status && outcome->nkept > 0) {
        status = group_broadcast(group, outcome->samples_kept,
                                 outcome->nkept * sizeof *outcome->samples_kept, 0, what, why);
        samples_point(outcome);
    }
    text_release(&reasons);
    free(trials);
    return status;
}

/* An outcome as it travels, before its trials. */
struct packed_outcome {
    uint64_t found;
    struct outcome outcome; /* without trials */
};

/* The root has found an outcome: all get it. */
static int share(const struct call *call, const struct packed_outcome *head,
                 struct outcome *outcome, struct text *path, struct text *why)
{
    bool have = true;
    if (call->group->rank != 0) {
        have = outcome_init(outcome, head->outcome.ntrials) == TUTTI_SUCCESS;
        tutti_trial *trials = outcome->trials;
        if (have)
            *outcome = head->outcome;
        outcome->trials = trials;
        have = have && samples_reserve(outcome, head->outcome.nkept) == TUTTI_SUCCESS;
        outcome->nkept = have ? head->outcome.nkept : 0;
    }
    const char *what = "the broadcast of a record";
    int status = persist_share_trials(call, outcome, have, what, why);
    return status ? status : group_broadcast_text(call->group, path, 0, what, why);
}

int persist_find(const struct call *call, struct outcome *outcome, struct text *path, bool *found,
                 struct text *why)
{
    struct packed_outcome head;
    memset(&head, 0, sizeof head);
    if (call->group->rank == 0 && read_record(call, outcome, path)) {
        head.found = 1;
        head.outcome = *outcome;
        head.outcome.trials = NULL;
        head.outcome.samples_kept = NULL;
        head.outcome.noted = NULL;
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

void persist_path(const struct call *call, struct text *path)
{
    struct location location;
    if (!*call->group->settings.cache_dir)
        return;
    if (locate(call, &location))
        store_path(call->group->settings.cache_dir, call->tuner->name, location.name, path);
    location_release(&location);
}

/* Root only. */
static void write_record(const struct call *call, const struct outcome *outcome, struct text *path)
{
    struct location location;
    struct text json = {0}, why = {0};
    const char *cache_dir = call->group->settings.cache_dir;
    bool stored = false;
    if (!*cache_dir)
        return;
    if (locate(call, &location) &&
        record_encode(&location.identity, outcome, &json) == TUTTI_SUCCESS) {
        store_path(cache_dir, call->tuner->name, location.name, path);
        stored =
            !path->failed && store_write(path->bytes, json.bytes, json.length, &why) == STORE_OK;
    }
    if (!stored) {
        log_root(call->group, call->tuner->name, TUTTI_LOG_WARN,
                 "the result is kept in memory only: %s", why.bytes ? why.bytes : "no memory");
        text_release(path);
    }
    location_release(&location);
    text_release(&json);
    text_release(&why);
}

int persist_save(const struct call *call, const struct outcome *outcome, struct text *path,
                 struct text *why)
{
    if (call->group->rank == 0)
        write_record(call, outcome, path);
    struct text own = {0};
    int status = group_broadcast_text(call->group, path, 0, "the end of the save", &own);
    if (status ==
        TUTTI_ERR_MEMORY) { /* a record whose path some rank can't keep: not worth a call */
        text_release(path);
        status = TUTTI_SUCCESS;
    } else if (status) {
        text_add(why, "%s", own.bytes ? own.bytes : "");
    }
    text_release(&own);
    return status;
}
