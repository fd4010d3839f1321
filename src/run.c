/* See run.h. */
#include "run.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "buffers.h"
#include "guard.h"

const char *run_timer_text(const tutti_tuner *tuner, int what)
{
    const char *text =
        tuner->timer.describe ? tuner->timer.describe(tuner->timer_self, what) : NULL;
    return text ? text : "";
}

/* A lost device outweighs all that a launcher may have said before. */
static void lose_device(struct mishap *mishap, enum mishap_kind kind, const char *error)
{
    if (mishap->happened && mishap->kind <= MISHAP_LOST_BEFORE)
        return;
    mishap->happened = false;
    mishap->launcher_status = 0;
    mishap_set(mishap, kind, "the device is lost%s%s", *error ? ": " : "", error);
}

/* what: the timer's function that returned a status other than 0. */
static void blame_timer(const struct call *call, struct mishap *mishap, const char *what,
                        int status, enum mishap_kind if_lost)
{
    const char *error = run_timer_text(call->tuner, TUTTI_TIMER_ERROR);
    if (status == TUTTI_TIMER_LOST)
        lose_device(mishap, if_lost, error);
    else
        mishap_set(mishap, MISHAP_FAILED, "the timer's %s returned %d%s%s", what, status,
                   *error ? ": " : "", error);
}

bool run_flush(const struct call *call, struct mishap *mishap)
{
    const tutti_tuner *tuner = call->tuner;
    if (!tuner->timer.flush)
        return false;
    int status = tuner->timer.flush(tuner->timer_self);
    if (status)
        blame_timer(call, mishap, "flush", status, MISHAP_LOST_BEFORE);
    return true;
}

tutti_context run_context(const struct call *call, uint64_t configuration, int purpose)
{
    return (tutti_context){.group = call->group,
                           .user = call->tuner->user,
                           .configuration = configuration,
                           .purpose = purpose,
                           .stream = call->stream,
                           .slot = call->slots ? &call->slots[configuration] : NULL};
}

void run_describe_failure(const tutti_tuner *tuner, const tutti_group *group,
                          uint64_t configuration, int status, struct text *text)
{
    text_add(text, "%s: ", tuner->name);
    space_configuration_text(&tuner->space, configuration, text);
    text_add(text, ": rank %d: the run returned %d", group->rank, status);
}

/* A callback's own words are kept apart from tutti's by a colon. */
#define MESSAGE_SIZE 120

static void blame(struct mishap *mishap, const char *what, int status, const char *message)
{
    if (!mishap->happened)
        mishap->launcher_status = status;
    mishap_set(mishap, MISHAP_FAILED, "%s returned %d%s%s", what, status, *message ? ": " : "",
               message);
}

/* Gives the callbacks a place for their words while one of them is called. */
static void lend_message(tutti_context *context, char message[MESSAGE_SIZE])
{
    message[0] = '\0';
    context->message = message;
    context->message_size = MESSAGE_SIZE;
}

static void take_message_back(tutti_context *context)
{
    context->message[MESSAGE_SIZE - 1] = '\0';
    context->message = NULL;
    context->message_size = 0;
}

static void run_once(const struct call *call, const void *config, tutti_context *context,
                     struct mishap *mishap)
{
    char message[MESSAGE_SIZE];
    lend_message(context, message);
    guard_arm(call, context->configuration, 1);
    int status = call->tuner->run(call->args, config, context);
    guard_disarm(call);
    take_message_back(context);
    if (call->launcher_status)
        *call->launcher_status = status;
    if (status)
        blame(mishap, context->purpose == TUTTI_PURPOSE_WARMUP ? "warm-up" : "timed run", status,
              message);
}

/* Everything as at first: what is declared, then what the user's reset does. */
static void reset(const struct call *call, const void *config, tutti_context *context,
                  struct mishap *mishap)
{
    char message[MESSAGE_SIZE];
    if (call->buffers)
        buffers_before_run(call->buffers, mishap);
    if (!call->tuner->reset)
        return;
    lend_message(context, message);
    int status = call->tuner->reset(call->args, config, context);
    take_message_back(context);
    if (status)
        blame(mishap, "reset", status, message);
}

/* Runs between one start and one stop of the timer. */
static double run_region(const struct call *call, const void *config, tutti_context *context, int n,
                         struct mishap *mishap)
{
    const tutti_tuner *tuner = call->tuner;
    double seconds = 0, begin;
    guard_start(call, context->configuration);
    void *timer_self = tuner->host_timer ? &begin : tuner->timer_self;
    int status = tuner->timer.start(timer_self);
    if (status)
        blame_timer(call, mishap, "start", status, MISHAP_LOST_BEFORE);
    for (int i = 0; i < n; i++)
        run_once(call, config, context, mishap);
    if (mishap->happened)
        guard_note(call, mishap->reason);
    /* Where runs are only enqueued, this is where one that never ends is waited for. */
    guard_arm(call, context->configuration, n);
    status = tuner->timer.stop(timer_self, &seconds);
    guard_disarm(call);
    if (status)
        blame_timer(call, mishap, "stop", status, MISHAP_LOST);
    if (context->purpose == TUTTI_PURPOSE_SAMPLE && !(isfinite(seconds) && seconds > 0))
        mishap_set(mishap, MISHAP_FAILED, "the timer measured no positive time");
    return seconds;
}

double run_timed(const struct call *call, const void *config, tutti_context *context, int n,
                 struct mishap *mishap)
{
    if (!call->tuner->reset && !call->buffers)
        return run_region(call, config, context, n, mishap);
    double seconds = 0;
    for (int i = 0; i < n; i++) {
        reset(call, config, context, mishap);
        seconds += run_region(call, config, context, 1, mishap);
        if (call->buffers)
            buffers_after_run(call->buffers, mishap);
    }
    return seconds;
}

bool run_is_judged(const struct call *call)
{
    return call->tuner->verify || call->tuner->buffers;
}

void run_verify(const struct call *call, const void *config, tutti_context *context,
                struct mishap *mishap)
{
    char message[MESSAGE_SIZE];
    if (call->buffers)
        buffers_judge(call->buffers, mishap);
    if (!call->tuner->verify)
        return;
    lend_message(context, message);
    int verdict = call->tuner->verify(call->args, config, context);
    take_message_back(context);
    if (verdict == TUTTI_VERDICT_WRONG)
        mishap_set(mishap, MISHAP_WRONG, "wrong outputs%s%s", *message ? ": " : "", message);
    else if (verdict != TUTTI_VERDICT_OK)
        mishap_set(mishap, MISHAP_REFERENCE, "verify returned %d, the reference failed%s%s",
                   verdict, *message ? ": " : "", message);
}

/* Whether a callback that the timer does not measure has cost its device. */
static void look_after_device(const struct call *call, struct mishap *mishap)
{
    const tutti_tuner *tuner = call->tuner;
    if (tuner->timer.begin &&
        tuner->timer.begin(tuner->timer_self, call->stream) == TUTTI_TIMER_LOST)
        blame_timer(call, mishap, "begin", TUTTI_TIMER_LOST, MISHAP_LOST);
}

/* Prepares on this rank and agrees: the word of the weightiest mishap, 0 if there was none. */
static int prepare(const struct call *call, tutti_context *context, const void *config,
                   struct mishap *mishap, uint64_t *word, struct text *why)
{
    char message[MESSAGE_SIZE];
    lend_message(context, message);
    guard_start(call, context->configuration);
    int refusal = call->tuner->prepare(call->args, config, context);
    take_message_back(context);
    if (refusal)
        blame(mishap, "prepare", refusal, message);
    if (context->purpose != TUTTI_PURPOSE_FINAL)
        look_after_device(call, mishap);
    *word = mishap->happened ? word_from_mishap(mishap, call->group->rank) : 0;
    int status = group_reduce_max(call->group, word, 1, "preparing a configuration", why);
    bool useless = status || *word;
    if (useless && !refusal && call->tuner->release)
        call->tuner->release(call->args, config, context);
    return status;
}

int run_prepare(const struct call *call, struct outcome *outcome, uint64_t index,
                const void *config, bool *ready, struct text *why)
{
    struct mishap mishap = {0};
    uint64_t word;
    *ready = true;
    if (!call->tuner->prepare)
        return TUTTI_SUCCESS;
    tutti_context context = run_context(call, index, TUTTI_PURPOSE_WARMUP);
    int status = prepare(call, &context, config, &mishap, &word, why);
    *ready = !status && !word;
    return status || !word ? status : record_mishap(call, outcome, index, word, &mishap, why);
}

void run_release(const struct call *call, uint64_t index, const void *config)
{
    tutti_context context = run_context(call, index, TUTTI_PURPOSE_WARMUP);
    if (call->tuner->prepare && call->tuner->release)
        call->tuner->release(call->args, config, &context);
}

/* What a rank tells the others of its mishap. */
struct told {
    int32_t launcher_status;
    char reason[REASON_SIZE];
};

/* The rank that the word names tells its reason to all: of fixed size, so that it is one operation
 * and no rank can lack the memory for it. */
static int tell_reason(const struct call *call, uint64_t word, const struct mishap *mishap,
                       struct told *told, struct text *why)
{
    int rank = word_failed_rank(word);
    memset(told, 0, sizeof *told);
    if (rank == call->group->rank) {
        told->launcher_status = mishap->launcher_status;
        snprintf(told->reason, sizeof told->reason, "rank %d: %s", rank, mishap->reason);
    }
    return group_broadcast(call->group, told, sizeof *told, rank, "the reason of a failure", why);
}

/* What a mishap makes of the whole search: TUTTI_SUCCESS if it goes on. */
static int end_search(const struct call *call, uint64_t index, enum mishap_kind kind,
                      const char *reason, struct text *why)
{
    if (kind == MISHAP_FAILED || kind == MISHAP_WRONG)
        return TUTTI_SUCCESS;
    text_add(why, "%s: ", call->tuner->name);
    space_configuration_text(&call->tuner->space, index, why);
    text_add(why, "%s%s",
             kind == MISHAP_REFERENCE     ? " can't be judged: "
             : kind == MISHAP_LOST_BEFORE ? " could not begin: "
                                          : " ends the search: ",
             reason);
    return kind == MISHAP_REFERENCE ? TUTTI_ERR_REFERENCE : TUTTI_ERR_DEVICE;
}

int record_mishap(const struct call *call, struct outcome *outcome, uint64_t index, uint64_t word,
                  const struct mishap *mishap, struct text *why)
{
    struct told told;
    const enum mishap_kind kind = word_mishap_kind(word);
    int status = tell_reason(call, word, mishap, &told, why);
    if (!status)
        status = end_search(call, index, kind, told.reason, why);
    tutti_trial *trial = &outcome->trials[index];
    trial->status = mishap_status(kind);
    trial->slowest_rank = word_failed_rank(word);
    trial->seconds = 0;
    trial->launcher_status = told.launcher_status;
    outcome_set_reason(outcome, index, told.reason);
    /* What ends the search is no answer for the configuration, unless it cost the device. */
    if (!status || kind == MISHAP_LOST)
        guard_finish(call, index, trial);
    else if (kind == MISHAP_LOST_BEFORE) /* by whom is not known: this one is suspect */
        guard_start(call, index);
    return status;
}

/* The run whose outputs the caller gets, on this rank. */
static void run_final_here(const struct call *call, struct entry *entry, tutti_context *context,
                           bool searched, struct mishap *mishap)
{
    char message[MESSAGE_SIZE];
    if (searched)
        reset(call, entry->config, context, mishap);
    if (call->buffers)
        call->buffers->touched = true;
    lend_message(context, message);
    guard_start(call, context->configuration);
    guard_arm(call, context->configuration, 1);
    int status = call->tuner->run(call->args, entry->config, context);
    guard_disarm(call);
    take_message_back(context);
    if (call->launcher_status)
        *call->launcher_status = status;
    if (status)
        blame(mishap, "the final run", status, message);
}

static int end_final(const struct call *call, uint64_t word, const struct mishap *mishap,
                     struct final *final, struct text *why)
{
    struct told told;
    int status = tell_reason(call, word, mishap, &told, why);
    final->failed_rank = word_failed_rank(word);
    final->launcher_status = told.launcher_status;
    memcpy(final->reason, told.reason, sizeof final->reason);
    return status;
}

int run_final(const struct call *call, struct entry *entry, uint64_t configuration, bool searched,
              struct final *final, struct text *why)
{
    tutti_context context = run_context(call, configuration, TUTTI_PURPOSE_FINAL);
    struct mishap mishap = {0};
    uint64_t word = 0;
    int status = TUTTI_SUCCESS;
    context.slot = &entry->slot;
    final->failed_rank = -1;
    if (call->tuner->prepare)
        status = prepare(call, &context, entry->config, &mishap, &word, why);
    if (status || word)
        return status ? status : end_final(call, word, &mishap, final, why);
    if (call->tunes_only) {
        entry->prepared = call->tuner->prepare != NULL;
        return TUTTI_SUCCESS;
    }

    run_final_here(call, entry, &context, searched, &mishap);
    word = mishap.happened ? word_from_mishap(&mishap, call->group->rank) : 0;
    status = group_reduce_max(call->group, &word, 1, "the end of the run", why);
    entry->prepared = call->tuner->prepare != NULL && !status && !word;
    if (call->tuner->prepare && !entry->prepared && call->tuner->release)
        call->tuner->release(call->args, entry->config, &context);
    return status || !word ? status : end_final(call, word, &mishap, final, why);
}
