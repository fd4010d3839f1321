/* See measure_race.h. */
#include "measure_race.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "agree.h"
#include "clock.h"
#include "guard.h"
#include "log.h"
#include "measure.h"
#include "race.h"
#include "run.h"
#include "samples.h"
#include "strategy.h"

#define CALLS_FEW       200  /* few configurations share so many ... */
#define CALLS_MOST_EACH 30   /* ... but get no more than this each: 15 samples */
#define CALLS_SEARCHED  1000 /* for strategies that don't try all */
#define CHUNK_MOST      1024 /* runs between two reductions */
#define CHUNK_PART      0.1  /* of the budget in seconds that a chunk may take */

/* How far the search has got to know a configuration. */
enum meeting { MEETING_NONE, MEETING_REFUSED, MEETING_READY, MEETING_JUDGED };

/* Everything that one search works with. */
struct search {
    const struct call *call;
    const struct plan *plan;
    struct outcome *outcome;
    struct workspace *work;
    struct text *why;
    struct race race;
    struct strategy strategy;
    struct sampling sampling;
    struct mishap *mishaps; /* by place in a chunk */
    double *seconds;        /* of a round, reduced */
    uint32_t *taken;        /* by configuration: samples; own sums are in work->own */
    double *totals;         /* by configuration: the greatest sum of one rank's own times */
    uint32_t *last;         /* by configuration: the last round that it ran in */
    unsigned char *met;     /* by configuration: enum meeting */
    uint64_t samples;       /* the whole budget: in calls until the sampling is known */
    uint64_t used;          /* in races that are over */
    double begin, elapsed;  /* the slowest rank's, and never less than its samples together */
    double sampled;         /* all reduced samples together */
    uint64_t sampled_runs;  /* samples behind elapsed */
    double usual;           /* what a call of the default takes */
    bool crowded;           /* the present round has too many to keep all their samples */
    bool settle;            /* the present round's samples begin with an untimed call */
    bool out_of_time;
    tutti_progress progress;
};

static uint64_t count_survivors(const struct outcome *outcome)
{
    uint64_t survivors = 0;
    for (uint64_t i = 0; i < outcome->ntrials; i++)
        survivors += outcome->trials[i].status == STATUS_UNTRIED;
    return survivors;
}

/* Launcher calls, of launchers whose samples are one or two calls. */
static uint64_t budget_in_calls(const struct plan *plan, uint64_t survivors)
{
    const uint64_t all = CALLS_PER_MEMBER * survivors;
    const uint64_t few = CALLS_MOST_EACH * survivors;
    if (plan->budget_calls > 0)
        return plan->budget_calls;
    if (plan->policy != TUTTI_POLICY_RACE && all > CALLS_SEARCHED)
        return CALLS_SEARCHED;
    if (all > CALLS_FEW)
        return all;
    return few < CALLS_FEW ? few : CALLS_FEW;
}

static uint64_t standing_configuration(const struct call *call)
{
    return call->tuner->customary >= 0 ? (uint64_t)call->tuner->customary : 0;
}

/* All memory of the search; a rank that has none says so to the others. */
static int take_memory(struct search *search)
{
    const struct plan *plan = search->plan;
    const struct space *space = &search->call->tuner->space;
    const uint64_t survivors = count_survivors(search->outcome);
    search->samples = budget_in_calls(plan, survivors);
    const uint32_t capacity = strategy_capacity(plan->policy, space, survivors, search->samples);
    search->strategy = (struct strategy){.policy = plan->policy,
                                         .space = space,
                                         .trials = search->outcome->trials,
                                         .standing = standing_configuration(search->call),
                                         .capacity = capacity};
    search->strategy.members = malloc(capacity * sizeof(uint64_t));
    search->mishaps = malloc(CHUNK_MOST * sizeof *search->mishaps);
    search->seconds = malloc(capacity * sizeof *search->seconds);
    search->taken = calloc((size_t)search->outcome->ntrials, sizeof *search->taken);
    search->totals = calloc((size_t)search->outcome->ntrials, sizeof *search->totals);
    search->last = calloc((size_t)search->outcome->ntrials, sizeof *search->last);
    search->met = calloc((size_t)search->outcome->ntrials, sizeof *search->met);
    int error = race_init(&search->race, capacity);
    if (!error)
        error = sampling_init(&search->sampling, &plan->how, &search->call->tuner->timer);
    if (!error)
        error = samples_reserve(search->outcome, search->samples);
    if (!search->strategy.members || !search->mishaps || !search->seconds || !search->taken ||
        !search->last || !search->totals || !search->met)
        error = TUTTI_ERR_MEMORY;
    return agree_success(search->call->group, error, "no memory for a race", "the race",
                         search->why);
}

static void give_memory_back(struct search *search)
{
    free(search->strategy.members);
    free(search->mishaps);
    free(search->seconds);
    free(search->taken);
    free(search->last);
    free(search->totals);
    free(search->met);
    race_release(&search->race);
    sampling_release(&search->sampling);
}

/* One sample of one configuration on this rank, as a word. */
static uint64_t sample(struct search *search, uint64_t index, int purpose, int repeats,
                       struct mishap *mishap)
{
    tutti_context context = run_context(search->call, index, purpose);
    const double seconds =
        run_timed(search->call, search->work->config, &context, repeats, mishap) / repeats;
    search->outcome->search_calls += (uint64_t)repeats;
    if (!(isfinite(seconds) && seconds > 0))
        mishap_set(mishap, MISHAP_FAILED, "the timer measured no positive time");
    return mishap->happened ? word_from_mishap(mishap, search->call->group->rank)
                            : word_from_seconds(seconds);
}

/* The outputs of a configuration's first run are judged, on all ranks, whatever it returned: that
 * needs no run of its own. */
static uint64_t judge(struct search *search, uint64_t index, uint64_t word, struct mishap *mishap)
{
    tutti_context context = run_context(search->call, index, TUTTI_PURPOSE_SAMPLE);
    if (search->met[index] == MEETING_JUDGED)
        return word;
    search->met[index] = MEETING_JUDGED;
    run_verify(search->call, search->work->config, &context, mishap);
    return mishap->happened ? word_from_mishap(mishap, search->call->group->rank) : word;
}

/* Prepares the members that are new; a configuration stays prepared until the search ends. Those
 * that refuse leave. */
static int meet_members(struct search *search, uint32_t *n)
{
    const struct call *call = search->call;
    uint64_t *members = search->strategy.members;
    uint32_t kept = 0;
    int status = TUTTI_SUCCESS;
    for (uint32_t i = 0; i < *n && !status; i++) {
        bool ready = true;
        if (search->met[members[i]] == MEETING_NONE) {
            space_fill(&call->tuner->space, members[i], search->work->config);
            status = run_prepare(call, search->outcome, members[i], search->work->config, &ready,
                                 search->why);
            search->met[members[i]] = ready ? MEETING_READY : MEETING_REFUSED;
        }
        if (search->met[members[i]] != MEETING_REFUSED)
            members[kept++] = members[i];
    }
    *n = search->strategy.n = kept;
    return status;
}

/* A suspect runs once by itself before it may race: so short a time in flight that an end from
 * outside is unlikely to find it there again. */
static int put_on_probation(struct search *search, uint64_t index)
{
    tutti_trial *trial = &search->outcome->trials[index];
    trial->status = STATUS_UNTRIED;
    space_fill(&search->call->tuner->space, index, search->work->config);
    tutti_context context = run_context(search->call, index, TUTTI_PURPOSE_WARMUP);
    struct mishap mishap = {0};
    bool ready;
    int status = run_prepare(search->call, search->outcome, index, search->work->config, &ready,
                             search->why);
    if (status || !ready)
        return status;
    double seconds = run_timed(search->call, search->work->config, &context, 1, &mishap);
    search->outcome->search_calls++;
    uint64_t word = mishap.happened ? word_from_mishap(&mishap, search->call->group->rank) : 0;
    status = group_reduce_max(search->call->group, &word, 1, "a second chance", search->why);
    run_release(search->call, index, search->work->config);
    if (!status && word)
        status = record_mishap(search->call, search->outcome, index, word, &mishap, search->why);
    const tutti_trial survived = {
        .status = TUTTI_STATUS_OK, .slowest_rank = -1, .seconds = seconds, .reason = ""};
    if (!status)
        guard_finish(search->call, index, word ? trial : &survived);
    return status;
}

static int put_suspects_on_probation(struct search *search)
{
    int status = TUTTI_SUCCESS;
    for (uint64_t i = 0; i < search->outcome->ntrials && !status; i++)
        if (search->outcome->trials[i].status == STATUS_SUSPECT)
            status = put_on_probation(search, i);
    return status;
}

static void release_members(struct search *search)
{
    for (uint64_t i = 0; i < search->outcome->ntrials; i++) {
        if (!search->met || search->met[i] < MEETING_READY)
            continue;
        space_fill(&search->call->tuner->space, i, search->work->config);
        run_release(search->call, i, search->work->config);
    }
}

/* Calls one configuration until it is steady: connections, pages and code are there when the race
 * begins. Its failure is recorded, and *failed. */
static int warm_up(struct search *search, uint64_t index, bool *failed)
{
    double last = 0, present = 0;
    int calls = 0;
    *failed = false;
    space_fill(&search->call->tuner->space, index, search->work->config);
    while (calls == 0 || !sampling_is_warm(calls, last, present)) {
        search->mishaps[0] = (struct mishap){0};
        uint64_t word = sample(search, index, TUTTI_PURPOSE_WARMUP, 1, &search->mishaps[0]);
        word = judge(search, index, word, &search->mishaps[0]);
        int status = group_reduce_max(search->call->group, &word, 1, "a warm-up", search->why);
        if (status)
            return status;
        *failed = word_is_failure(word);
        if (*failed)
            return record_mishap(search->call, search->outcome, index, word, &search->mishaps[0],
                                 search->why);
        last = present;
        present = word_to_seconds(word);
        calls++;
    }
    search->outcome->warmups += calls;
    search->usual = present;
    return TUTTI_SUCCESS;
}

static uint64_t first_to_run(const struct strategy *strategy)
{
    for (uint32_t i = 0; i < strategy->n; i++)
        if (strategy->members[i] == strategy->standing)
            return strategy->standing;
    return strategy->members[0];
}

/* How many samples some calls make: of the first round without, of the others with an untimed call
 * each. */
static uint64_t samples_of_calls(const struct search *search, uint64_t calls, uint64_t first)
{
    const uint64_t repeats = (uint64_t)search->sampling.repeats;
    const uint64_t each = repeats + sampling_settles(&search->sampling, search->usual, false);
    const uint64_t of_first = first * repeats < calls ? first : calls / repeats;
    const uint64_t samples = of_first + (calls - of_first * repeats) / each;
    return samples > 0 ? samples : 1;
}

/* The first race's members, and a first configuration that runs: the default, if it does. */
static int begin(struct search *search, uint32_t *n)
{
    bool failed = true;
    int status = TUTTI_SUCCESS;
    while (!status && failed) {
        search->strategy.seed = search->plan->seed;
        *n = strategy_first(&search->strategy);
        status = meet_members(search, n);
        if (status || *n == 0)
            return status;
        status = warm_up(search, first_to_run(&search->strategy), &failed);
    }
    if (!status)
        status = sampling_calibrate(&search->sampling, search->call, search->why);
    if (status)
        return status;
    sampling_set_repeats(&search->sampling, search->usual);
    search->outcome->samples = search->sampling.repeats;
    /* Calls so short that a sample takes many of them are cheap. */
    if (search->plan->budget_calls == 0)
        search->samples *= (uint64_t)(search->sampling.repeats + 1) / 2;
    const uint64_t warm = search->outcome->search_calls;
    const uint64_t left = search->samples > warm ? search->samples - warm : 1;
    search->samples = samples_of_calls(search, left, *n);
    return TUTTI_SUCCESS;
}

/* How many runs may pass between two looks at the clock. */
static uint32_t chunk_size(const struct search *search, uint32_t left)
{
    double most = CHUNK_MOST, sample = search->usual * search->sampling.repeats;
    /* Whichever is longer: the default is known best, but others, and pauses, may take more. */
    if (search->sampled_runs > 0)
        sample = fmax(sample, search->elapsed / (double)search->sampled_runs);
    if (search->plan->budget_seconds > 0)
        most = search->sampled_runs == 0
                   ? 1
                   : fmin(most, CHUNK_PART * search->plan->budget_seconds / sample);
    most = fmax(most, 1);
    return most < left ? (uint32_t)most : left;
}

/* A sample that all ranks know: the second half of the words says whose it is. */
static void note_sample(struct search *search, uint64_t index, double seconds, uint64_t whose)
{
    const uint32_t round = (uint32_t)search->outcome->race.rounds + 1;
    search->taken[index]++;
    search->last[index] = round;
    if (search->crowded)
        return;
    samples_note(search->outcome, index,
                 (tutti_sample){.seconds = seconds,
                                .round = round,
                                .slowest_rank = rank_of_word(whose, search->call->group)});
}

/*
 * The sample in a reduced word. By means, the word is the greatest sum over all rounds of one
 * rank's own times, and the sample is what that sum grew by: so that the samples' mean is the
 * greatest of the ranks' means, whichever rank it is at the end.
 */
static double sample_of(struct search *search, uint64_t index, uint64_t word)
{
    const double seconds = word_to_seconds(word), before = search->totals[index];
    if (search->plan->aggregation == TUTTI_AGGREGATION_ROUNDS)
        return seconds;
    search->totals[index] = seconds;
    return seconds - before;
}

/* What all ranks know after a reduction: times, failures, and whether time is left. */
static int take_in(struct search *search, const uint32_t *order, uint32_t n, double *seconds)
{
    const uint64_t *words = search->work->words, *members = search->strategy.members;
    for (uint32_t i = 0; i < n; i++) {
        const uint64_t index = members[order[i]];
        seconds[i] = NAN;
        if (word_is_failure(words[i])) {
            int status = record_mishap(search->call, search->outcome, index, words[i],
                                       &search->mishaps[i], search->why);
            if (status)
                return status;
            continue;
        }
        seconds[i] = sample_of(search, index, words[i]);
        note_sample(search, index, seconds[i], words[n + 1 + i]);
        search->sampled += seconds[i] * search->sampling.repeats;
    }
    search->sampled_runs += n;
    search->elapsed = fmax(word_to_seconds(words[n]), search->sampled);
    search->out_of_time =
        search->plan->budget_seconds > 0 && search->elapsed >= search->plan->budget_seconds;
    return TUTTI_SUCCESS;
}

/* An untimed call before a sample, which then has the mishap if this one has. */
static void settle(struct search *search, uint64_t index, struct mishap *mishap)
{
    tutti_context context = run_context(search->call, index, TUTTI_PURPOSE_WARMUP);
    run_timed(search->call, search->work->config, &context, 1, mishap);
    search->outcome->search_calls++;
}

/* Part of a round: runs, and their reduction. work->own sums this rank's own times up. */
static int run_chunk(struct search *search, const uint32_t *order, uint32_t n, double *seconds)
{
    const bool by_means = search->plan->aggregation == TUTTI_AGGREGATION_MEANS;
    uint64_t *words = search->work->words, *own = search->work->own;
    for (uint32_t i = 0; i < n; i++) {
        const uint64_t index = search->strategy.members[order[i]];
        space_fill(&search->call->tuner->space, index, search->work->config);
        search->mishaps[i] = (struct mishap){0};
        if (search->settle)
            settle(search, index, &search->mishaps[i]);
        int status =
            sampling_prepare(&search->sampling, search->call, &search->mishaps[i], search->why);
        if (status)
            return status;
        words[i] = sample(search, index, TUTTI_PURPOSE_SAMPLE, search->sampling.repeats,
                          &search->mishaps[i]);
        words[i] = judge(search, index, words[i], &search->mishaps[i]);
        if (!word_is_failure(words[i]))
            own[index] = word_from_seconds(word_to_seconds(own[index]) + word_to_seconds(words[i]));
        if (!word_is_failure(words[i]) && by_means)
            words[i] = own[index];
    }
    words[n] = word_from_seconds(clock_now() - search->begin);
    for (uint32_t i = 0; i < n; i++)
        words[n + 1 + i] = word_with_rank(words[i], search->call->group);
    int status =
        group_reduce_max(search->call->group, words, 2 * n + 1, "the end of a round", search->why);
    return status ? status : take_in(search, order, n, seconds);
}

/* The first round is shown configuration by configuration, as under the exhaustive policy. */
static void show_first_round(struct search *search, const uint32_t *order, uint32_t n,
                             const double *seconds)
{
    const struct call *call = search->call;
    tutti_progress *progress = &search->progress;
    if (!call->tuner->progress || call->group->rank != 0)
        return;
    progress->total = search->strategy.n;
    for (uint32_t i = 0; i < n; i++) {
        const uint64_t index = search->strategy.members[order[i]];
        const tutti_trial *trial = &search->outcome->trials[index];
        struct text text = {0};
        space_configuration_text(&call->tuner->space, index, &text);
        progress->configuration = text.bytes ? text.bytes : "";
        progress->done++;
        const bool ran = trial->status == STATUS_UNTRIED || trial->status == TUTTI_STATUS_OK;
        progress->status = ran ? TUTTI_STATUS_OK : trial->status;
        progress->reason = trial->reason;
        progress->seconds = ran ? seconds[i] : 0;
        if (ran && (progress->best_seconds == 0 || seconds[i] < progress->best_seconds))
            progress->best_seconds = seconds[i];
        call->tuner->progress(progress, call->tuner->progress_user);
        text_release(&text);
    }
}

/* A round. One that the budget ends counts only if it is the first: better some than none. */
static int run_round(struct search *search, const uint32_t *order, uint32_t n, bool *whole)
{
    uint32_t done = 0;
    int status = TUTTI_SUCCESS;
    const bool first = search->outcome->race.rounds == 0 && !search->race.second_look;
    search->crowded = n > SAMPLES_CROWD;
    search->settle = sampling_settles(&search->sampling, search->usual,
                                      search->race.rounds == 0 || search->race.second_look);
    while (!status && done < n && !search->out_of_time) {
        const uint32_t chunk = chunk_size(search, n - done);
        status = run_chunk(search, order + done, chunk, search->seconds + done);
        if (!status && first)
            show_first_round(search, order + done, chunk, search->seconds + done);
        done += chunk;
    }
    *whole = done == n;
    for (; done < n; done++)
        search->seconds[done] = NAN;
    return status;
}

/* Shows a round on the root. */
static void show(struct search *search, bool last)
{
    const struct call *call = search->call;
    tutti_progress *progress = &search->progress;
    const struct race_verdict verdict = race_judge(&search->race);
    if (!call->tuner->progress || call->group->rank != 0 || verdict.winner == RACE_NOBODY)
        return;
    const uint64_t used = search->used + search->race.samples;
    struct text text = {0};
    space_configuration_text(&call->tuner->space, search->strategy.members[verdict.winner], &text);
    progress->configuration = text.bytes ? text.bytes : "";
    progress->reason = "";
    progress->status = TUTTI_STATUS_OK;
    progress->rounds = search->outcome->race.rounds;
    progress->alive = search->race.alive;
    progress->candidates = search->race.candidates;
    progress->total = search->samples;
    progress->done = last ? search->samples : used < search->samples ? used : search->samples - 1;
    progress->seconds = progress->best_seconds = race_seconds(&search->race, verdict.winner);
    progress->seconds_left =
        last ? 0
             : search->elapsed / (double)used *
                   (double)(search->samples - (used < search->samples ? used : search->samples));
    call->tuner->progress(progress, call->tuner->progress_user);
    text_release(&text);
}

static uint32_t candidate_of(const struct search *search, uint64_t index)
{
    for (uint32_t i = 0; i < search->strategy.n; i++)
        if (search->strategy.members[i] == index)
            return i;
    return RACE_NOBODY;
}

/* The times of those that ran, as differences in the same rounds tell them. */
static void fill_trials(struct search *search)
{
    for (uint32_t i = 0; i < search->strategy.n; i++) {
        tutti_trial *trial = &search->outcome->trials[search->strategy.members[i]];
        const double seconds = race_seconds(&search->race, i);
        if ((trial->status != STATUS_UNTRIED && trial->status != TUTTI_STATUS_OK) || !(seconds > 0))
            continue;
        trial->status = TUTTI_STATUS_OK;
        trial->seconds = seconds;
        trial->taken = search->taken[search->strategy.members[i]];
        trial->dropped =
            race_is_alive(&search->race, i) ? 0 : search->last[search->strategy.members[i]];
    }
}

static void keep_verdict(struct search *search)
{
    const struct race_verdict verdict = race_judge(&search->race);
    struct race_figures *figures = &search->outcome->race;
    /* A later race that was cut in its first round knows less than the one before. */
    const bool cut = search->race.rounds == 0 && search->outcome->race.rounds > 0;
    if (verdict.winner == RACE_NOBODY || cut)
        return;
    search->outcome->winner = search->strategy.members[verdict.winner];
    figures->runner_up = verdict.runner_up == RACE_NOBODY
                             ? -1
                             : (int64_t)search->strategy.members[verdict.runner_up];
    figures->equal = verdict.equal;
    figures->distance = verdict.distance;
    figures->confidence = verdict.confidence;
    figures->noise = verdict.noise;
    figures->within = verdict.within;
}

static int run_one_race(struct search *search)
{
    const uint64_t centre = search->plan->policy == TUTTI_POLICY_NEIGHBOURHOOD
                                ? search->strategy.centre
                                : search->strategy.standing;
    uint64_t share = search->samples - search->used;
    if (search->plan->policy == TUTTI_POLICY_NEIGHBOURHOOD &&
        share > CALLS_PER_MEMBER * (uint64_t)search->strategy.n)
        share = CALLS_PER_MEMBER * (uint64_t)search->strategy.n;
    const struct race_options options = {.seed = search->plan->seed,
                                         .samples = share,
                                         .standing = candidate_of(search, centre),
                                         .keep_all = search->plan->policy == TUTTI_POLICY_RANDOM};
    const uint32_t *order;
    uint32_t n;
    bool whole = true;
    int status = TUTTI_SUCCESS;
    race_start(&search->race, search->strategy.n, &options);
    while (!status && whole && !search->out_of_time &&
           (n = race_round(&search->race, &order)) > 0) {
        status = run_round(search, order, n, &whole);
        if (status)
            return status;
        search->outcome->race.rounds += whole;
        if (whole || search->race.rounds == 0) {
            race_record(&search->race, search->seconds);
            show(search, false);
        }
    }
    search->used += search->race.samples;
    fill_trials(search);
    keep_verdict(search);
    return status;
}

/* The slowest rank of each configuration: the one with the greatest mean of its own times. */
static int find_slowest(struct search *search)
{
    const int rank = search->call->group->rank, ranks = search->call->group->ranks;
    uint64_t *words = search->work->words;
    const uint64_t n = search->outcome->ntrials, *own = search->work->own;
    memcpy(words, own, (size_t)n * sizeof *words);
    words[n] = word_from_seconds(clock_now() - search->begin);
    int status =
        group_reduce_max(search->call->group, words, n + 1, "the end of the search", search->why);
    if (status)
        return status;
    search->outcome->search_seconds = word_to_seconds(words[n]);
    for (uint64_t i = 0; i < n; i++)
        words[i] = words[i] == own[i] ? (uint64_t)(ranks - rank) : 0;
    status = group_reduce_max(search->call->group, words, n, "the slowest ranks", search->why);
    for (uint64_t i = 0; i < n && !status; i++)
        if (search->outcome->trials[i].status == TUTTI_STATUS_OK)
            search->outcome->trials[i].slowest_rank = ranks - (int)words[i];
    return status;
}

/* The time was up before every configuration had run once: whoever happened to come first is not
 * the best so far. The default is, if it runs; its warm-ups tell its time. */
static void fall_back_to_default(struct search *search)
{
    const uint64_t standing = search->strategy.standing;
    tutti_trial *trial = &search->outcome->trials[standing];
    log_root(search->call->group, search->call->tuner->name, TUTTI_LOG_WARN,
             "the budget of time ended the search before every configuration had run once: the "
             "result is not stored");
    if (trial->status == STATUS_UNTRIED) {
        trial->status = TUTTI_STATUS_OK;
        trial->seconds = search->usual;
    }
    if (trial->status == TUTTI_STATUS_OK)
        search->outcome->winner = standing;
}

static int search_all(struct search *search)
{
    uint32_t n = 0;
    int status = begin(search, &n);
    while (!status && n > 0 && !search->out_of_time && search->used < search->samples) {
        status = run_one_race(search);
        n = strategy_next(&search->strategy, search->outcome->winner);
        if (!status)
            status = meet_members(search, &n);
    }
    if (!status && search->out_of_time && search->outcome->race.rounds == 0)
        fall_back_to_default(search);
    if (!status)
        show(search, true);
    struct race_figures *figures = &search->outcome->race;
    figures->stopped = search->out_of_time;
    if (!status)
        samples_lay_out(search->outcome);
    return status ? status : find_slowest(search);
}

int measure_race(const struct call *call, const struct plan *plan, struct outcome *outcome,
                 struct workspace *work, struct text *why)
{
    struct search search = {.call = call,
                            .plan = plan,
                            .outcome = outcome,
                            .work = work,
                            .why = why,
                            .begin = clock_now()};
    const uint64_t operations = call->group->operations;
    search.progress.function = call->tuner->name;
    search.progress.display = call->group->settings.progress;
    outcome->warmups = 0;
    outcome->samples = 1;
    memset(work->own, 0, (size_t)outcome->ntrials * sizeof *work->own);
    int status = put_suspects_on_probation(&search);
    if (!status)
        status = take_memory(&search);
    if (!status)
        status = search_all(&search);
    release_members(&search);
    give_memory_back(&search);
    outcome->search_operations = call->group->operations - operations;
    outcome->finished = (int64_t)time(NULL);
    return status;
}
