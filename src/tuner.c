/* Tuners: creation, the hot path of a call, and reading back what was decided. */
#include "tuner.h"

#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "run.h"

const char *tutti_status_name(int status)
{
    switch (status) {
    case TUTTI_STATUS_OK:
        return "ok";
    case TUTTI_STATUS_PRUNED:
        return "pruned";
    case TUTTI_STATUS_FAILED:
        return "failed";
    case TUTTI_STATUS_WRONG:
        return "wrong";
    case TUTTI_STATUS_SLOW:
        return "slow";
    case TUTTI_STATUS_TIMEOUT:
        return "timeout";
    case TUTTI_STATUS_CRASHED:
        return "crashed";
    case TUTTI_STATUS_NOT_RUN:
        return "not run";
    default:
        return "unknown";
    }
}

const char *tutti_policy_name(int policy)
{
    static const char *const names[] = {"default", "exhaustive",    "race",
                                        "random",  "neighbourhood", "halving"};
    const bool known = policy >= TUTTI_POLICY_DEFAULT && policy <= TUTTI_POLICY_HALVING;
    return known ? names[policy] : "unknown";
}

const char *tutti_source_name(int source)
{
    switch (source) {
    case TUTTI_SOURCE_SEARCH:
        return "search";
    case TUTTI_SOURCE_RECORD:
        return "record";
    case TUTTI_SOURCE_DEFAULT_OFF:
        return "default (tuning is off)";
    case TUTTI_SOURCE_DEFAULT_PRUNED:
        return "default (all pruned)";
    case TUTTI_SOURCE_DEFAULT_MISS:
        return "default (no record)";
    case TUTTI_SOURCE_DEFAULT_BUSY:
        return "default (no record, and no search now)";
    default:
        return "unknown";
    }
}

static const char *description_mistake(const tutti_tuner_desc *desc)
{
    if (!desc->name || !*desc->name || !text_is_utf8(desc->name))
        return "name is missing or not UTF-8";
    if ((desc->version && !text_is_utf8(desc->version)) ||
        (desc->source_id && !text_is_utf8(desc->source_id)))
        return "version or source_id is not UTF-8";
    if (!desc->run)
        return "run is NULL";
    if (desc->warmups < TUTTI_NO_WARMUP)
        return "warmups is less than TUTTI_NO_WARMUP";
    if (desc->samples < 0)
        return "samples is negative";
    if (desc->policy < TUTTI_POLICY_DEFAULT || desc->policy > TUTTI_POLICY_HALVING)
        return "policy is not an enum tutti_policy";
    if (!(desc->budget_seconds >= 0 && desc->budget_seconds <= 1e9) ||
        !(desc->gap_seconds >= 0 && desc->gap_seconds <= 1e9))
        return "budget_seconds or gap_seconds is negative, or more than 1e9";
    if (desc->when_pruned != TUTTI_PRUNED_USE_DEFAULT && desc->when_pruned != TUTTI_PRUNED_ERROR)
        return "when_pruned is not an enum tutti_when_pruned";
    if (desc->timer && (desc->timer->size != sizeof *desc->timer || !desc->timer->name ||
                        !desc->timer->start || !desc->timer->stop))
        return "timer is incomplete";
    return NULL;
}

static char *copy(const char *string)
{
    return strdup(string ? string : "");
}

static int program_warmups(int warmups)
{
    if (warmups == TUTTI_NO_WARMUP)
        return 0;
    return warmups == 0 ? SETTINGS_UNSET : warmups;
}

static int fill(tutti_tuner *tuner, const tutti_tuner_desc *desc, struct text *why)
{
    tuner->key = desc->key;
    tuner->prune = desc->prune;
    tuner->run = desc->run;
    tuner->setup = desc->setup;
    tuner->teardown = desc->teardown;
    tuner->prepare = desc->prepare;
    tuner->release = desc->release;
    tuner->reset = desc->reset;
    tuner->verify = desc->verify;
    tuner->on_stall = desc->on_stall;
    tuner->user = desc->user;
    tuner->policy = desc->policy;
    tuner->budget_calls = desc->budget_calls;
    tuner->budget_seconds = desc->budget_seconds;
    tuner->stream = desc->stream;
    tuner->flush = desc->flush;
    tuner->gap_seconds = desc->gap_seconds;
    tuner->warmups = program_warmups(desc->warmups);
    tuner->samples = desc->samples == 0 ? SETTINGS_UNSET : desc->samples;
    tuner->when_pruned = desc->when_pruned;
    tuner->progress = desc->progress;
    tuner->progress_user = desc->progress_user;
    tuner->customary = -1;
    tuner->timer = desc->timer ? *desc->timer : clock_timer;
    tuner->timer_self = desc->timer_self;
    tuner->host_timer = !desc->timer;
    atomic_init(&tuner->attachments, NULL);

    int error = space_init(&tuner->space, desc->params, desc->nparams, desc->config_size, why);
    if (error)
        return error;
    tuner->name = copy(desc->name);
    tuner->version = copy(desc->version);
    tuner->source_id = copy(desc->source_id);
    if (!tuner->name || !tuner->version || !tuner->source_id) {
        text_add(why, "no memory");
        return TUTTI_ERR_MEMORY;
    }
    if (!desc->customary)
        return TUTTI_SUCCESS;
    uint64_t customary;
    if (!space_find(&tuner->space, desc->customary, &customary)) {
        text_add(why, "the customary configuration is not in the space");
        return TUTTI_ERR_SPACE;
    }
    tuner->customary = (int64_t)customary;
    return TUTTI_SUCCESS;
}

static int create(const tutti_tuner_desc *desc, tutti_tuner **tuner, struct text *why)
{
    const char *mistake = description_mistake(desc);
    if (mistake) {
        text_add(why, "%s", mistake);
        return TUTTI_ERR_ARGUMENT;
    }
    tutti_tuner *made = calloc(1, sizeof *made);
    if (!made) {
        text_add(why, "no memory");
        return TUTTI_ERR_MEMORY;
    }
    int error = fill(made, desc, why);
    if (error) {
        tutti_tuner_destroy(made);
        return error;
    }
    *tuner = made;
    return TUTTI_SUCCESS;
}

int tutti_tuner_create(const tutti_tuner_desc *desc, tutti_tuner **tuner)
{
    if (!tuner)
        return TUTTI_ERR_ARGUMENT;
    *tuner = NULL;
    if (!desc || desc->size != sizeof *desc)
        return TUTTI_ERR_ARGUMENT;
    struct text why = {0};
    int error = create(desc, tuner, &why);
    if (desc->message && desc->message_size > 0) {
        desc->message[0] = '\0';
        if (error && why.bytes)
            strncat(desc->message, why.bytes, desc->message_size - 1);
    }
    text_release(&why);
    return error;
}

/* The chosen configurations are prepared until now. Their groups may be gone. */
static void release_prepared(const tutti_tuner *tuner, const struct entries *entries)
{
    for (size_t i = 0; i < entries->capacity; i++) {
        struct entry *entry = entries->slots[i].entry;
        if (!entry || !entry->prepared || !tuner->release)
            continue;
        const tutti_context context = hit_context(tuner, NULL, entry);
        tuner->release(NULL, entry->config, &context);
    }
}

void tutti_tuner_destroy(tutti_tuner *tuner)
{
    if (!tuner)
        return;
    struct attachment *attachment = atomic_load(&tuner->attachments);
    while (attachment) {
        struct attachment *next = attachment->next;
        release_prepared(tuner, &attachment->entries);
        entries_release(&attachment->entries);
        text_release(&attachment->message);
        free(attachment);
        attachment = next;
    }
    space_release(&tuner->space);
    free(tuner->name);
    free(tuner->version);
    free(tuner->source_id);
    free(tuner);
}

struct attachment *tuner_attachment(const tutti_tuner *tuner, const tutti_group *group)
{
    struct attachment *attachment = atomic_load_explicit(&tuner->attachments, memory_order_acquire);
    while (attachment && attachment->group != group->id)
        attachment = attachment->next;
    return attachment;
}

struct attachment *tuner_attach(tutti_tuner *tuner, const tutti_group *group)
{
    struct attachment *attachment = tuner_attachment(tuner, group);
    if (attachment)
        return attachment;
    attachment = calloc(1, sizeof *attachment);
    if (!attachment)
        return NULL;
    attachment->group = group->id;
    attachment->next = atomic_load_explicit(&tuner->attachments, memory_order_relaxed);
    while (!atomic_compare_exchange_weak_explicit(&tuner->attachments, &attachment->next,
                                                  attachment, memory_order_release,
                                                  memory_order_relaxed))
        continue;
    return attachment;
}

/* Builds the key; the caller releases it. Returns the callback's status. */
static int build_key(const tutti_tuner *tuner, const void *args, struct tutti_key *key)
{
    key_init(key);
    return tuner->key ? tuner->key(key, args, tuner->user) : 0;
}

/* The entry of a key that could be built, or NULL. This is the whole of a hit. */
static struct entry *look(const struct attachment *attachment, const struct tutti_key *key,
                          uint64_t hash, bool off)
{
    return attachment ? entries_find(&attachment->entries, key, hash, off) : NULL;
}

int tutti_call(tutti_tuner *tuner, void *args, tutti_group *group,
               const tutti_call_options *options)
{
    if (!tuner || !group || (options && options->size != sizeof *options))
        return TUTTI_ERR_ARGUMENT;
    bool off = options && options->autotune_off;
    int *launcher_status = options ? options->launcher_status : NULL;
    struct tutti_key key;
    int key_status = build_key(tuner, args, &key);
    uint64_t hash = key_hash(&key);
    struct attachment *attachment = tuner_attachment(tuner, group);
    struct entry *entry = NULL;
    if (key_status == 0 && !key.mistake && !group->broken)
        entry = look(attachment, &key, hash, off);

    int status;
    if (entry && !group->settings.check) {
        tutti_context context = hit_context(tuner, group, entry);
        status = tuner->run(args, entry->config, &context);
        if (launcher_status)
            *launcher_status = status;
        if (status) {
            text_release(&attachment->message);
            run_describe_failure(tuner, group, entry->configuration, status, &attachment->message);
            status = TUTTI_ERR_RUN;
        }
    } else {
        struct call call = {.tuner = tuner,
                            .group = group,
                            .args = args,
                            .key = &key,
                            .key_status = key_status,
                            .hash = hash,
                            .off = off,
                            .launcher_status = launcher_status};
        status = cold_call(&call);
    }
    key_release(&key);
    return status;
}

int tutti_max_size(tutti_tuner *tuner, const void *args, tutti_group *group, tutti_size_fn size,
                   size_t *bytes)
{
    if (!tuner || !group || !size || !bytes)
        return TUTTI_ERR_ARGUMENT;
    struct tutti_key key;
    /* The callbacks that a size needs, key and prune, take args as const; run is not called. */
    struct call call = {
        .tuner = tuner, .group = group, .args = (void *)(uintptr_t)args, .key = &key};
    call.key_status = build_key(tuner, args, &key);
    call.hash = key_hash(&key);
    int status = cold_max_size(&call, size, bytes);
    key_release(&key);
    return status;
}

const char *tutti_message(tutti_tuner *tuner, tutti_group *group)
{
    const struct attachment *attachment = tuner && group ? tuner_attachment(tuner, group) : NULL;
    return attachment && attachment->message.bytes ? attachment->message.bytes : "";
}

/* The entry for args on this group: what the group's mode decided, or a call with tuning off. */
static int known(const tutti_tuner *tuner, const void *args, const tutti_group *group,
                 struct entry **entry)
{
    *entry = NULL;
    if (!tuner || !group)
        return TUTTI_ERR_ARGUMENT;
    struct tutti_key key;
    int status = build_key(tuner, args, &key) || key.mistake ? TUTTI_ERR_KEY : TUTTI_SUCCESS;
    if (!status) {
        const struct attachment *attachment = tuner_attachment(tuner, group);
        uint64_t hash = key_hash(&key);
        *entry = look(attachment, &key, hash, false);
        if (!*entry)
            *entry = look(attachment, &key, hash, true);
        status = *entry ? TUTTI_SUCCESS : TUTTI_ERR_MISS;
    }
    key_release(&key);
    return status;
}

const void *tutti_best(tutti_tuner *tuner, const void *args, tutti_group *group)
{
    struct entry *entry;
    return known(tuner, args, group, &entry) == TUTTI_SUCCESS ? entry->config : NULL;
}

int tutti_bind(tutti_tuner *tuner, const void *args, tutti_group *group, tutti_bound *bound)
{
    struct entry *entry;
    if (!bound)
        return TUTTI_ERR_ARGUMENT;
    int status = known(tuner, args, group, &entry);
    if (status)
        return status;
    *bound = (tutti_bound){
        .run = tuner->run, .config = entry->config, .context = hit_context(tuner, group, entry)};
    return TUTTI_SUCCESS;
}

int tutti_report_get(tutti_tuner *tuner, const void *args, tutti_group *group, tutti_report *report)
{
    struct entry *entry;
    if (!report)
        return TUTTI_ERR_ARGUMENT;
    int status = known(tuner, args, group, &entry);
    if (status)
        return status;
    const struct outcome *outcome = &entry->outcome;
    *report = (tutti_report){
        .source = entry->source,
        .configuration = entry->configuration,
        .config = entry->config,
        .ntrials = (size_t)outcome->ntrials,
        .trials = outcome->trials,
        .customary = tuner->customary,
        .policy = outcome->policy,
        .warmups = outcome->warmups,
        .samples = outcome->samples,
        .search_seconds = outcome->search_seconds,
        .search_calls = outcome->search_calls,
        .search_operations = outcome->search_operations,
        .rounds = outcome->race.rounds,
        .equal = outcome->race.equal,
        .budget_ended_it = outcome->race.stopped,
        .runner_up = outcome->race.runner_up,
        .distance = outcome->race.distance,
        .confidence = outcome->race.confidence,
        .within = outcome->race.within,
        .noise = outcome->race.noise,
        .cold_seconds = entry->cold_seconds,
        .cold_operations = entry->cold_operations,
        .record = entry->record ? entry->record : "",
    };
    if (entry->configuration < outcome->ntrials)
        report->seconds = outcome->trials[entry->configuration].seconds;
    return TUTTI_SUCCESS;
}

uint64_t tutti_space_size(const tutti_tuner *tuner)
{
    return tuner ? tuner->space.size : 0;
}

int tutti_configuration(const tutti_tuner *tuner, uint64_t index, void *config)
{
    if (!tuner || !config || index >= tuner->space.size)
        return TUTTI_ERR_ARGUMENT;
    space_fill(&tuner->space, index, config);
    return TUTTI_SUCCESS;
}

size_t tutti_configuration_text(const tutti_tuner *tuner, uint64_t index, char *text, size_t size)
{
    struct text whole = {0};
    if (tuner && index < tuner->space.size)
        space_configuration_text(&tuner->space, index, &whole);
    if (text && size > 0) {
        text[0] = '\0';
        if (whole.bytes)
            strncat(text, whole.bytes, size - 1);
    }
    size_t length = whole.length;
    text_release(&whole);
    return length;
}
