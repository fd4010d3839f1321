/* Measuring. See measure.h for the protocol. */
#include "measure.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "clock.h"
#include "guard.h"
#include "run.h"

/* A configuration whose first two runs both took this many times as long as the best one's usual
 * run is not worth the other thirteen. */
#define SLOW_FACTOR 10.0

/* One configuration's way through the protocol. */
struct attempt {
    const struct call *call;
    struct outcome *outcome;
    uint64_t index;
    void *config;
    double best; /* the least time so far, reduced; 0 before the first success */
    tutti_context context;
    struct mishap mishap;
    struct text *why;
};

/* Runs that are not timed for the record, though the clock is read. The first one is verified. */
static double warm(struct attempt *attempt, int n, bool first)
{
    double seconds =
        run_timed(attempt->call, attempt->config, &attempt->context, n, &attempt->mishap);
    if (first)
        run_verify(attempt->call, attempt->config, &attempt->context, &attempt->mishap);
    attempt->outcome->search_calls += (uint64_t)n;
    return seconds;
}

/* Agrees on the mishaps so far; *out: there was one, and the trial has it. */
static int agree_on_mishaps(struct attempt *attempt, const char *what, bool *out)
{
    int rank = attempt->call->group->rank;
    uint64_t word = attempt->mishap.happened ? word_from_mishap(&attempt->mishap, rank) : 0;
    int status = group_reduce_max(attempt->call->group, &word, 1, what, attempt->why);
    *out = word != 0;
    if (status || !word)
        return status;
    return record_mishap(attempt->call, attempt->outcome, attempt->index, word, &attempt->mishap,
                         attempt->why);
}

static void record_slow(struct attempt *attempt, double seconds)
{
    char own[32], best[32], reason[120];
    tutti_trial *trial = &attempt->outcome->trials[attempt->index];
    snprintf(reason, sizeof reason, "the faster of two runs took %s, the best so far takes %s",
             text_seconds(seconds, own), text_seconds(attempt->best, best));
    trial->status = TUTTI_STATUS_SLOW;
    trial->slowest_rank = -1;
    outcome_set_reason(attempt->outcome, attempt->index, reason);
}

/* The first two runs: enough to see a failure, wrong outputs, or that it is hopelessly slow. The
 * faster one counts, so that the first call's own costs don't mislead. */
static int look_twice(struct attempt *attempt, bool *out)
{
    double seconds = warm(attempt, 1, true);
    seconds = fmin(seconds, warm(attempt, 1, false));
    /* A timer that measures nonsense is found by the samples: here it just can't tell. */
    uint64_t word = word_from_seconds(isfinite(seconds) && seconds > 0 ? seconds : 0);
    if (attempt->mishap.happened)
        word = word_from_mishap(&attempt->mishap, attempt->call->group->rank);
    int status =
        group_reduce_max(attempt->call->group, &word, 1, "the first warm-ups", attempt->why);
    if (status)
        return status;
    *out = word_is_failure(word);
    if (*out)
        return record_mishap(attempt->call, attempt->outcome, attempt->index, word,
                             &attempt->mishap, attempt->why);
    *out = word_to_seconds(word) > SLOW_FACTOR * attempt->best;
    if (*out)
        record_slow(attempt, word_to_seconds(word));
    return TUTTI_SUCCESS;
}

/* Warm-ups, and that all ranks are through them: the timed runs begin together. */
static int warm_up(struct attempt *attempt, bool *out)
{
    int left = attempt->outcome->warmups;
    *out = false;
    if (left > 2 && attempt->best > 0) {
        int status = look_twice(attempt, out);
        if (status || *out)
            return status;
        left -= 2;
        warm(attempt, left, false);
    } else if (left > 0 || run_is_judged(attempt->call)) {
        warm(attempt, 1, true);
        if (left > 1)
            warm(attempt, left - 1, false);
    }
    return agree_on_mishaps(attempt, "the end of the warm-ups", out);
}

/* All timed runs between one start and one stop: the mean on this rank, as a word. */
static uint64_t mean_word(struct attempt *attempt)
{
    const int n = attempt->outcome->samples;
    attempt->outcome->search_calls += (uint64_t)n;
    const double seconds =
        run_timed(attempt->call, attempt->config, &attempt->context, n, &attempt->mishap) / n;
    return attempt->mishap.happened ? word_from_mishap(&attempt->mishap, attempt->call->group->rank)
                                    : word_from_seconds(seconds);
}

static int record_samples(struct attempt *attempt, uint64_t word, uint64_t whose)
{
    tutti_trial *trial = &attempt->outcome->trials[attempt->index];
    if (word_is_failure(word))
        return record_mishap(attempt->call, attempt->outcome, attempt->index, word,
                             &attempt->mishap, attempt->why);
    trial->status = TUTTI_STATUS_OK;
    trial->seconds = word_to_seconds(word);
    trial->slowest_rank = rank_of_word(whose, attempt->call->group);
    return TUTTI_SUCCESS;
}

static int sample_by_means(struct attempt *attempt)
{
    uint64_t words[2];
    words[0] = mean_word(attempt);
    words[1] = word_with_rank(words[0], attempt->call->group);
    int status =
        group_reduce_max(attempt->call->group, words, 2, "the end of the timed runs", attempt->why);
    return status ? status : record_samples(attempt, words[0], words[1]);
}

/* Up to ROUNDS_AT_ONCE runs, timed one by one, in one reduction: what each took on its slowest
 * rank, and behind them the greatest sum of one rank's own times, with its number. */
#define ROUNDS_AT_ONCE 32

static int take_rounds(struct attempt *attempt, int n, double *own, uint64_t *words)
{
    for (int i = 0; i < n; i++) {
        const double seconds =
            run_timed(attempt->call, attempt->config, &attempt->context, 1, &attempt->mishap);
        *own += seconds;
        words[i] = word_from_seconds(seconds);
    }
    attempt->outcome->search_calls += (uint64_t)n;
    words[n] = word_with_rank(word_from_seconds(*own), attempt->call->group);
    for (int i = 0; i <= n && attempt->mishap.happened; i++)
        words[i] = word_from_mishap(&attempt->mishap, attempt->call->group->rank);
    return group_reduce_max(attempt->call->group, words, (size_t)n + 1, "the end of the timed runs",
                            attempt->why);
}

static int sample_by_rounds(struct attempt *attempt)
{
    uint64_t words[ROUNDS_AT_ONCE + 1];
    const int samples = attempt->outcome->samples;
    double own = 0, sum = 0;
    int status = TUTTI_SUCCESS, n = 0;
    for (int done = 0; done < samples; done += n) {
        n = samples - done < ROUNDS_AT_ONCE ? samples - done : ROUNDS_AT_ONCE;
        status = take_rounds(attempt, n, &own, words);
        if (status || word_is_failure(words[n]))
            break;
        for (int i = 0; i < n; i++)
            sum += word_to_seconds(words[i]);
    }
    if (status)
        return status;
    const bool failed = word_is_failure(words[n]);
    return record_samples(attempt, failed ? words[n] : word_from_seconds(sum / samples), words[n]);
}

static int take_samples(struct attempt *attempt)
{
    attempt->context.purpose = TUTTI_PURPOSE_SAMPLE;
    return attempt->outcome->aggregation == TUTTI_AGGREGATION_ROUNDS ? sample_by_rounds(attempt)
                                                                     : sample_by_means(attempt);
}

static int measure_one(const struct call *call, struct outcome *outcome, uint64_t index,
                       struct workspace *work, double best, struct text *why)
{
    struct attempt attempt = {.call = call,
                              .outcome = outcome,
                              .index = index,
                              .config = work->config,
                              .best = best,
                              .context = run_context(call, index, TUTTI_PURPOSE_WARMUP),
                              .why = why};
    bool ready, out = false;
    space_fill(&call->tuner->space, index, work->config);
    int status = run_prepare(call, outcome, index, work->config, &ready, why);
    if (status || !ready)
        return status;
    status = warm_up(&attempt, &out);
    if (!status && !out)
        status = take_samples(&attempt);
    run_release(call, index, work->config);
    return status;
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

/* The wall time of the search, the slowest rank's. */
static int agree_on_duration(const struct call *call, struct outcome *outcome, double seconds,
                             struct text *why)
{
    uint64_t word = word_from_seconds(seconds);
    int status = group_reduce_max(call->group, &word, 1, "the end of the search", why);
    outcome->search_seconds = word_to_seconds(word);
    return status;
}

static int measure_and_note(const struct call *call, struct outcome *outcome, uint64_t index,
                            struct workspace *work, tutti_progress *progress, struct text *why)
{
    int status = measure_one(call, outcome, index, work, progress->best_seconds, why);
    if (status)
        return status;
    guard_finish(call, index, &outcome->trials[index]);
    show(call, outcome, index, progress);
    return TUTTI_SUCCESS;
}

/* Measures the trials of one status: those that are untried first, then the suspects, so that an
 * end from outside finds the good ones done, and is unlikely to find a suspect a second time. */
static int measure_all(const struct call *call, struct outcome *outcome, int which,
                       struct workspace *work, tutti_progress *progress, struct text *why)
{
    int status = TUTTI_SUCCESS;
    for (uint64_t i = 0; i < outcome->ntrials && !status; i++)
        if (outcome->trials[i].status == which)
            status = measure_and_note(call, outcome, i, work, progress, why);
    return status;
}

int measure_exhaustive(const struct call *call, struct outcome *outcome, struct workspace *work,
                       struct text *why)
{
    double begin = clock_now();
    uint64_t operations = call->group->operations;
    tutti_progress progress = {.function = call->tuner->name,
                               .display = call->group->settings.progress};
    for (uint64_t i = 0; i < outcome->ntrials; i++) {
        const tutti_trial *trial = &outcome->trials[i];
        progress.total += trial->status == STATUS_UNTRIED || trial->status == STATUS_SUSPECT;
        if (trial->status == TUTTI_STATUS_OK &&
            (progress.best_seconds == 0 || trial->seconds < progress.best_seconds))
            progress.best_seconds = trial->seconds;
    }
    int status = measure_all(call, outcome, STATUS_UNTRIED, work, &progress, why);
    if (!status)
        status = measure_all(call, outcome, STATUS_SUSPECT, work, &progress, why);
    if (!status)
        status = agree_on_duration(call, outcome, clock_now() - begin, why);
    outcome->search_operations = call->group->operations - operations;
    outcome->finished = (int64_t)time(NULL);
    return status;
}
