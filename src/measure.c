/* Measuring. See measure.h for the protocol. */
#include "measure.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "clock.h"

/*
 * A time travels as the bits of its double, which order like the numbers because both are positive.
 * Words above infinity mean a failure; the lowest failing rank has the greatest.
 */
static uint64_t word_from_seconds(double seconds)
{
    uint64_t word;
    memcpy(&word, &seconds, sizeof word);
    return word;
}

static double word_to_seconds(uint64_t word)
{
    double seconds;
    memcpy(&seconds, &word, sizeof seconds);
    return seconds;
}

static uint64_t word_from_failure(int rank)
{
    return UINT64_MAX - (uint64_t)rank;
}

static bool word_is_failure(uint64_t word)
{
    return word > word_from_seconds(INFINITY);
}

static int word_failed_rank(uint64_t word)
{
    return (int)(UINT64_MAX - word);
}

/* What went wrong on this rank while one configuration was tried; the first mistake stays. */
struct mishap {
    bool happened;
    char reason[160];
};

static void mishap_set(struct mishap *mishap, const char *format, const char *when, int status)
{
    if (mishap->happened)
        return;
    mishap->happened = true;
    snprintf(mishap->reason, sizeof mishap->reason, format, when, status);
}

/* Several runs between one start and one stop of the timer. A rank whose run failed goes on, since
 * the others are in the launcher's own collectives until the next agreement. */
static double run_timed(const struct call *call, const void *config, tutti_context *context, int n,
                        struct mishap *mishap)
{
    const tutti_tuner *tuner = call->tuner;
    const char *when = context->purpose == TUTTI_PURPOSE_WARMUP ? "warm-up" : "timed run";
    double seconds = 0, begin;
    void *timer_self = tuner->host_timer ? &begin : tuner->timer_self;
    int status = tuner->timer.start(timer_self);
    if (status)
        mishap_set(mishap, "the timer's start before the %s returned %d", when, status);
    for (int i = 0; i < n; i++) {
        status = tuner->run(call->args, config, context);
        if (call->launcher_status)
            *call->launcher_status = status;
        if (status)
            mishap_set(mishap, "%s returned %d", when, status);
    }
    status = tuner->timer.stop(timer_self, &seconds);
    if (status)
        mishap_set(mishap, "the timer's stop after the %s returned %d", when, status);
    return seconds;
}

/* All ranks know that the configuration failed on a rank: it tells the reason to all. */
static int record_failure(const struct call *call, struct outcome *outcome, uint64_t index,
                          int rank, const struct mishap *mishap, struct text *why)
{
    struct text reason = {0};
    if (rank == call->group->rank)
        text_add(&reason, "rank %d: %s", rank, mishap->reason);
    int status = group_broadcast_text(call->group, &reason, rank, "the reason of a failure", why);
    tutti_trial *trial = &outcome->trials[index];
    trial->status = TUTTI_STATUS_FAILED;
    trial->slowest_rank = rank;
    trial->seconds = 0;
    outcome_set_reason(outcome, index, reason.bytes ? reason.bytes : "");
    text_release(&reason);
    return status;
}

static int measure_one(const struct call *call, struct outcome *outcome, uint64_t index,
                       struct workspace *work, struct text *why)
{
    tutti_context context = {.group = call->group,
                             .user = call->tuner->user,
                             .configuration = index,
                             .purpose = TUTTI_PURPOSE_WARMUP};
    struct mishap mishap = {0};
    space_fill(&call->tuner->space, index, work->config);

    if (outcome->warmups > 0)
        run_timed(call, work->config, &context, outcome->warmups, &mishap);
    outcome->search_calls += (uint64_t)outcome->warmups;
    uint64_t word = mishap.happened ? word_from_failure(call->group->rank) : 0;
    int status = group_reduce_max(call->group, &word, 1, "the end of the warm-ups", why);
    if (status)
        return status;
    if (word)
        return record_failure(call, outcome, index, word_failed_rank(word), &mishap, why);

    context.purpose = TUTTI_PURPOSE_SAMPLE;
    double seconds = run_timed(call, work->config, &context, outcome->samples, &mishap);
    outcome->search_calls += (uint64_t)outcome->samples;
    seconds /= outcome->samples;
    if (!(isfinite(seconds) && seconds > 0))
        mishap_set(&mishap, "the timer measured no positive time%s", "", 0);
    work->own[index] =
        mishap.happened ? word_from_failure(call->group->rank) : word_from_seconds(seconds);
    word = work->own[index];
    status = group_reduce_max(call->group, &word, 1, "the end of the timed runs", why);
    if (status)
        return status;
    if (word_is_failure(word))
        return record_failure(call, outcome, index, word_failed_rank(word), &mishap, why);
    outcome->trials[index].status = TUTTI_STATUS_OK;
    outcome->trials[index].seconds = word_to_seconds(word);
    return TUTTI_SUCCESS;
}

static void show(const struct call *call, const struct outcome *outcome, uint64_t index,
                 tutti_progress *progress)
{
    const tutti_trial *trial = &outcome->trials[index];
    progress->done++;
    if (trial->status == TUTTI_STATUS_OK &&
        (progress->best_seconds == 0 || trial->seconds < progress->best_seconds))
        progress->best_seconds = trial->seconds;
    if (!call->tuner->progress || call->group->rank != 0)
        return;
    struct text text = {0};
    space_configuration_text(&call->tuner->space, index, &text);
    progress->configuration = text.bytes ? text.bytes : "";
    progress->reason = trial->reason;
    progress->seconds = trial->seconds;
    progress->status = trial->status;
    call->tuner->progress(progress, call->tuner->progress_user);
    text_release(&text);
}

/* One reduction for the whole sweep finds the slowest rank of each configuration, and the search's
 * wall time: the rank whose own time equals the maximum; the lowest, should there be several. */
static int find_slowest(const struct call *call, struct outcome *outcome, struct workspace *work,
                        double seconds, struct text *why)
{
    int rank = call->group->rank, ranks = call->group->ranks;
    for (uint64_t i = 0; i < outcome->ntrials; i++) {
        const tutti_trial *trial = &outcome->trials[i];
        bool mine =
            trial->status == TUTTI_STATUS_OK && work->own[i] == word_from_seconds(trial->seconds);
        work->words[i] = mine ? (uint64_t)(ranks - rank) : 0;
    }
    work->words[outcome->ntrials] = word_from_seconds(seconds);
    int status = group_reduce_max(call->group, work->words, outcome->ntrials + 1,
                                  "the end of the search", why);
    if (status)
        return status;
    for (uint64_t i = 0; i < outcome->ntrials; i++)
        if (outcome->trials[i].status == TUTTI_STATUS_OK)
            outcome->trials[i].slowest_rank = ranks - (int)work->words[i];
    outcome->search_seconds = word_to_seconds(work->words[outcome->ntrials]);
    return TUTTI_SUCCESS;
}

int measure_exhaustive(const struct call *call, struct outcome *outcome, struct workspace *work,
                       struct text *why)
{
    double begin = clock_now();
    uint64_t operations = call->group->operations;
    tutti_progress progress = {.function = call->tuner->name};
    for (uint64_t i = 0; i < outcome->ntrials; i++)
        progress.total += outcome->trials[i].status == STATUS_UNTRIED;
    int status = TUTTI_SUCCESS;
    for (uint64_t i = 0; i < outcome->ntrials && !status; i++) {
        if (outcome->trials[i].status != STATUS_UNTRIED)
            continue;
        status = measure_one(call, outcome, i, work, why);
        if (!status)
            show(call, outcome, i, &progress);
    }
    if (!status)
        status = find_slowest(call, outcome, work, clock_now() - begin, why);
    outcome->search_operations = call->group->operations - operations;
    outcome->finished = (int64_t)time(NULL);
    return status;
}

int measure_final(const struct call *call, uint64_t configuration, const void *config,
                  int *failed_rank, struct text *reason, struct text *why)
{
    tutti_group *group = call->group;
    tutti_context context = {.group = group,
                             .user = call->tuner->user,
                             .configuration = configuration,
                             .purpose = TUTTI_PURPOSE_FINAL};
    int result = call->tuner->run(call->args, config, &context);
    if (call->launcher_status)
        *call->launcher_status = result;
    uint64_t word = result ? word_from_failure(group->rank) : 0;
    *failed_rank = -1;
    int status = group_reduce_max(group, &word, 1, "the end of the run", why);
    if (status || !word)
        return status;
    *failed_rank = word_failed_rank(word);
    if (*failed_rank == group->rank)
        text_add(reason, "rank %d: the final run returned %d", group->rank, result);
    return group_broadcast_text(group, reason, *failed_rank, "the reason of a failure", why);
}
