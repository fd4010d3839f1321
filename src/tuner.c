/* Tuners: creation, and the hot path of a call. */
#include "tuner.h"

#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "run.h"

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
    if (desc->aggregation < TUTTI_AGGREGATION_DEFAULT ||
        desc->aggregation > TUTTI_AGGREGATION_ROUNDS)
        return "aggregation is not an enum tutti_aggregation";
    if (!(desc->budget_seconds >= 0 && desc->budget_seconds <= 1e9) ||
        !(desc->gap_seconds >= 0 && desc->gap_seconds <= 1e9))
        return "budget_seconds or gap_seconds is negative, or more than 1e9";
    if (desc->when_pruned != TUTTI_PRUNED_USE_DEFAULT && desc->when_pruned != TUTTI_PRUNED_ERROR)
        return "when_pruned is not an enum tutti_when_pruned";
    if (desc->timer && (desc->timer->size != sizeof *desc->timer || !desc->timer->name ||
                        !desc->timer->start || !desc->timer->stop))
        return "timer is incomplete";
    if (desc->memory &&
        (desc->memory->size != sizeof *desc->memory || !desc->memory->copy || !desc->memory->fill))
        return "memory is incomplete";
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

static void take_callbacks(tutti_tuner *tuner, const tutti_tuner_desc *desc)
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
    tuner->buffers = desc->buffers;
    tuner->has_memory = desc->memory != NULL;
    if (desc->memory)
        tuner->memory = *desc->memory;
    tuner->memory_self = desc->memory_self;
    tuner->on_stall = desc->on_stall;
    tuner->user = desc->user;
    tuner->progress = desc->progress;
    tuner->progress_user = desc->progress_user;
    tuner->timer = desc->timer ? *desc->timer : clock_timer;
    tuner->timer_self = desc->timer_self;
    tuner->host_timer = !desc->timer;
}

static void take_policy(tutti_tuner *tuner, const tutti_tuner_desc *desc)
{
    tuner->policy = desc->policy;
    tuner->aggregation = desc->aggregation;
    tuner->budget_calls = desc->budget_calls;
    tuner->budget_seconds = desc->budget_seconds;
    tuner->stream = desc->stream;
    tuner->flush = desc->flush;
    tuner->gap_seconds = desc->gap_seconds;
    tuner->warmups = program_warmups(desc->warmups);
    tuner->samples = desc->samples == 0 ? SETTINGS_UNSET : desc->samples;
    tuner->when_pruned = desc->when_pruned;
}

static int copy_names(tutti_tuner *tuner, const tutti_tuner_desc *desc, struct text *why)
{
    tuner->name = copy(desc->name);
    tuner->version = copy(desc->version);
    tuner->source_id = copy(desc->source_id);
    if (tuner->name && tuner->version && tuner->source_id)
        return TUTTI_SUCCESS;
    text_add(why, "no memory");
    return TUTTI_ERR_MEMORY;
}

static int make_space(tutti_tuner *tuner, const tutti_tuner_desc *desc, struct text *why)
{
    const struct space_source source = {.params = desc->params,
                                        .nparams = desc->nparams,
                                        .config_size = desc->config_size,
                                        .configurations = desc->configurations,
                                        .nconfigurations = desc->nconfigurations,
                                        .constraint = desc->constraint,
                                        .user = desc->user};
    uint64_t customary;
    tuner->customary = -1;
    int error = space_init(&tuner->space, &source, why);
    if (error || !desc->customary)
        return error;
    if (!space_find(&tuner->space, desc->customary, &customary)) {
        text_add(why, "the customary configuration is not in the space");
        return TUTTI_ERR_SPACE;
    }
    tuner->customary = (int64_t)customary;
    return TUTTI_SUCCESS;
}

static int fill(tutti_tuner *tuner, const tutti_tuner_desc *desc, struct text *why)
{
    atomic_init(&tuner->attachments, NULL);
    take_callbacks(tuner, desc);
    take_policy(tuner, desc);
    int error = copy_names(tuner, desc, why);
    return error ? error : make_space(tuner, desc, why);
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

void tuner_release_entry(const tutti_tuner *tuner, tutti_group *group, struct entry *entry)
{
    if (!entry->prepared || !tuner->release)
        return;
    const tutti_context context = hit_context(tuner, group, entry, NULL);
    tuner->release(NULL, entry->config, &context);
    entry->prepared = false;
}

/* The chosen configurations are prepared until now. Their groups may be gone. */
static void release_prepared(const tutti_tuner *tuner, const struct entries *entries)
{
    for (struct entry *entry = entries->newest; entry; entry = entry->older)
        tuner_release_entry(tuner, NULL, entry);
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

/* How options ask for a configuration. */
static uint64_t way_of(const tutti_tuner *tuner, const tutti_call_options *options)
{
    uint64_t forced;
    if (!options || (!options->force && !options->autotune_off))
        return WAY_TUNED;
    if (!options->force)
        return WAY_OFF;
    return space_find(&tuner->space, options->force, &forced) ? WAY_FORCED + forced : WAY_NOWHERE;
}

/* Builds the key of a call, and finds what is known for it, or NULL: then the ranks must meet. This
 * is the whole of a hit. */
static inline struct entry *find_hit(const tutti_tuner *tuner, const void *args,
                                     const tutti_group *group, uint64_t way, struct tutti_key *key,
                                     int *key_status)
{
    struct attachment *attachment = tuner_attachment(tuner, group);
    struct entry *entry = attachment ? entries_guess(&attachment->entries) : NULL;
    key_init(key);
    if (entry && entry->way == way)
        key_guess(key, entry->marks);
    *key_status = tuner_key(tuner, args, key);
    if (*key_status || key->mistake || group->broken || group->settings.check || !attachment)
        return NULL;
    if (!entry || !key_is_guess(key, entry->key_length)) {
        key_settle(key);
        entry = entries_find(&attachment->entries, key, key_hash(key), way);
    }
    if (entry)
        entries_note(&attachment->entries, entry);
    return entry;
}

/* Runs what is known. Local. */
static int run_hit(tutti_tuner *tuner, void *args, tutti_group *group, struct entry *entry,
                   const tutti_call_options *options)
{
    tutti_context context = hit_context(tuner, group, entry, options ? options->stream : NULL);
    int status = tuner->run(args, entry->config, &context);
    if (options && options->launcher_status)
        *options->launcher_status = status;
    if (status == 0)
        return TUTTI_SUCCESS;
    struct text *message = &tuner_attachment(tuner, group)->message;
    text_release(message);
    run_describe_failure(tuner, group, entry->configuration, status, message);
    return TUTTI_ERR_RUN;
}

static struct call make_call(tutti_tuner *tuner, void *args, tutti_group *group,
                             const tutti_call_options *options, struct tutti_key *key,
                             int key_status)
{
    key_settle(key);
    return (struct call){.tuner = tuner,
                         .group = group,
                         .args = args,
                         .key = key,
                         .key_status = key_status,
                         .hash = key_hash(key),
                         .way = way_of(tuner, options),
                         .force = options ? options->force : NULL,
                         .stream = options ? options->stream : NULL,
                         .launcher_status = options ? options->launcher_status : NULL};
}

/* A call that the ranks must meet for. Apart from the hit, which then needs less of the stack and
 * of the registers. */
__attribute__((noinline)) static int miss(tutti_tuner *tuner, void *args, tutti_group *group,
                                          const tutti_call_options *options, struct tutti_key *key,
                                          int key_status)
{
    struct call call = make_call(tuner, args, group, options, key, key_status);
    return cold_call(&call);
}

int tutti_call(tutti_tuner *tuner, void *args, tutti_group *group,
               const tutti_call_options *options)
{
    if (!tuner || !group || (options && options->size != sizeof *options))
        return TUTTI_ERR_ARGUMENT;
    struct tutti_key key;
    int status;
    struct entry *entry = find_hit(tuner, args, group, way_of(tuner, options), &key, &status);
    status = entry ? run_hit(tuner, args, group, entry, options)
                   : miss(tuner, args, group, options, &key, status);
    key_release(&key);
    return status;
}

int tutti_tune(tutti_tuner *tuner, void *args, tutti_group *group,
               const tutti_call_options *options)
{
    if (!tuner || !group || (options && options->size != sizeof *options))
        return TUTTI_ERR_ARGUMENT;
    struct tutti_key key;
    int status;
    if (!find_hit(tuner, args, group, way_of(tuner, options), &key, &status)) {
        struct call call = make_call(tuner, args, group, options, &key, status);
        call.tunes_only = true;
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
    key_init(&key);
    int status = tuner_key(tuner, args, &key);
    /* The callbacks that a size needs, key and prune, take args as const; run is not called. */
    struct call call = make_call(tuner, (void *)(uintptr_t)args, group, NULL, &key, status);
    status = cold_max_size(&call, size, bytes);
    key_release(&key);
    return status;
}
