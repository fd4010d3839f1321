/* See tunings.h. */
#include "tunings.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "landscape.h"
#include "race.h"

#define ROWS_LIMIT      1024
#define REFERENCE_CALLS 15 /* of a configuration: 5 warm-ups, 10 timed */
#define REFERENCE_TIMED 10
#define WARMUPS         3 /* of the default, before a race: 2 to 5 */

const char *policy_name(enum policy policy)
{
    static const char *const names[] = {"exhaustive", "race", "equal shares", "half the oracle"};
    return names[policy];
}

/* Where times come from: the next call of a configuration, and a sign that a round is over. */
struct source {
    const struct table_rows *rows; /* NULL: a landscape */
    const int *drawn;
    int next, end; /* among drawn: the present round is next - 1 */
    struct landscape landscape;
};

static bool next_round(struct source *source)
{
    return !source->rows || source->next++ < source->end;
}

static double call(struct source *source, int configuration)
{
    if (!source->rows)
        return landscape_call(&source->landscape, configuration);
    return source->rows->seconds[source->drawn[source->next - 1]][configuration];
}

struct choice {
    int configuration;
    double calls, seconds, within;
};

static struct choice run_race(struct race *race, struct source *source,
                              const struct race_options *options, double calls_per_sample)
{
    struct choice choice = {0};
    double times[TABLE_CONFIGURATIONS];
    const uint32_t *order;
    uint32_t n;
    race_start(race, TABLE_CONFIGURATIONS, options);
    while ((n = race_round(race, &order)) > 0 && next_round(source)) {
        for (uint32_t i = 0; i < n; i++) {
            times[i] = call(source, (int)order[i]);
            choice.seconds += calls_per_sample * times[i];
        }
        race_record(race, times);
    }
    const struct race_verdict verdict = race_judge(race);
    choice.configuration = (int)verdict.winner;
    choice.calls = calls_per_sample * (double)race->samples;
    choice.within = verdict.within;
    return choice;
}

static struct choice least_of(const double *means)
{
    struct choice choice = {.calls = REFERENCE_CALLS * TABLE_CONFIGURATIONS};
    for (int i = 0; i < TABLE_CONFIGURATIONS; i++) {
        choice.seconds += REFERENCE_CALLS * means[i];
        if (means[i] < means[choice.configuration])
            choice.configuration = i;
    }
    return choice;
}

static struct choice run_reference(struct landscape *landscape)
{
    double means[TABLE_CONFIGURATIONS] = {0};
    for (int i = 0; i < TABLE_CONFIGURATIONS; i++)
        for (int k = 0; k < REFERENCE_CALLS; k++) {
            const double seconds = landscape_call(landscape, i);
            means[i] += k < REFERENCE_CALLS - REFERENCE_TIMED ? 0 : seconds / REFERENCE_TIMED;
        }
    return least_of(means);
}

static int compare_numbers(const void *one, const void *two)
{
    const double a = *(const double *)one, b = *(const double *)two;
    return (a > b) - (a < b);
}

static double quantile(double *sorted, int n, double part)
{
    const int at = (int)ceil(part * n) - 1;
    return sorted[at < 0 ? 0 : at];
}

static void medians(const struct table_rows *rows, const int *drawn, int n, double *truth)
{
    double values[ROWS_LIMIT];
    for (int i = 0; i < TABLE_CONFIGURATIONS; i++) {
        for (int r = 0; r < n; r++)
            values[r] = rows->seconds[drawn[r]][i];
        qsort(values, (size_t)n, sizeof *values, compare_numbers);
        truth[i] = 0.5 * (values[(n - 1) / 2] + values[n / 2]);
    }
}

/* Rows in blocks: consecutive within, blocks in random order, and the cuts at a random phase. */
static void draw_rows(int n, int block, uint64_t *random, int *drawn)
{
    const int phase = (int)(regret_random(random) * block);
    const int blocks = (n + phase + block - 1) / block;
    int order[ROWS_LIMIT], at = 0;
    for (int i = 0; i < blocks; i++) {
        const int j = (int)(regret_random(random) * (i + 1));
        order[i] = i;
        order[i] = order[j];
        order[j] = i;
    }
    for (int i = 0; i < blocks; i++)
        for (int k = 0; k < block; k++) {
            const int row = order[i] * block + k - phase;
            if (row >= 0 && row < n)
                drawn[at++] = row;
        }
}

/* The regrets of many tunings, to be summed up. */
struct tally {
    int n, covered;
    double *regret, *within;
    double calls, seconds, worst_over_customary;
};

static void count(struct tally *tally, const struct choice *choice, const double *truth,
                  int customary)
{
    double best = truth[0];
    for (int i = 1; i < TABLE_CONFIGURATIONS; i++)
        best = fmin(best, truth[i]);
    const double regret = truth[choice->configuration] / best - 1;
    tally->regret[tally->n] = regret;
    tally->within[tally->n] = exp(choice->within) - 1;
    tally->covered += regret <= tally->within[tally->n] + 1e-12;
    tally->n++;
    tally->calls += choice->calls;
    tally->seconds += choice->seconds;
    if (customary >= 0)
        tally->worst_over_customary =
            fmax(tally->worst_over_customary, truth[choice->configuration] / truth[customary] - 1);
}

static void sum_up(struct tally *tally, struct figures *figures)
{
    qsort(tally->regret, (size_t)tally->n, sizeof(double), compare_numbers);
    qsort(tally->within, (size_t)tally->n, sizeof(double), compare_numbers);
    *figures = (struct figures){
        .p50 = quantile(tally->regret, tally->n, 0.5),
        .p90 = quantile(tally->regret, tally->n, 0.9),
        .p99 = quantile(tally->regret, tally->n, 0.99),
        .max = tally->regret[tally->n - 1],
        .worst_over_customary = tally->worst_over_customary,
        .calls = tally->calls / tally->n,
        .seconds = tally->seconds / tally->n,
        .within = quantile(tally->within, tally->n, 0.5),
        .covered = (double)tally->covered / tally->n,
    };
}

static struct tally tally_begin(int tunings)
{
    struct tally tally = {.worst_over_customary = -1};
    tally.regret = calloc((size_t)tunings, sizeof(double));
    tally.within = calloc((size_t)tunings, sizeof(double));
    return tally;
}

static void tally_end(struct tally *tally, struct figures *figures)
{
    sum_up(tally, figures);
    free(tally->regret);
    free(tally->within);
}

static struct choice tune_table(struct race *race, const struct table *table, enum table_kind kind,
                                enum policy policy, struct race_options *options, const int *drawn,
                                int *used)
{
    const struct table_rows *rows = &table->rows[kind], *recorded = &table->rows[TABLE_REFERENCE];
    struct source source = {.rows = rows, .drawn = drawn, .end = rows->n / 2};
    double means[TABLE_CONFIGURATIONS];
    *used = 0;
    if (policy == POLICY_REFERENCE) {
        const int row = (int)(regret_random(&options->seed) * recorded->n);
        return least_of(recorded->seconds[row]);
    }
    if (policy == POLICY_ORACLE_HALF) {
        medians(rows, drawn, rows->n / 2, means);
        struct choice choice = least_of(means);
        choice.calls = TABLE_CONFIGURATIONS * (rows->n / 2);
        *used = rows->n / 2;
        return choice;
    }
    const struct choice choice = run_race(race, &source, options, kind == TABLE_MEAN10 ? 10 : 1);
    *used = source.next < source.end ? source.next : source.end;
    return choice;
}

bool replay(const struct table *table, enum table_kind kind, enum policy policy, uint64_t samples,
            int tunings, int block, struct figures *figures)
{
    const struct table_rows *rows = &table->rows[kind];
    int drawn[ROWS_LIMIT];
    double truth[TABLE_CONFIGURATIONS];
    struct race race;
    if (rows->n < 2 || rows->n > ROWS_LIMIT || table->rows[TABLE_REFERENCE].n == 0 ||
        race_init(&race, TABLE_CONFIGURATIONS))
        return false;
    struct tally tally = tally_begin(tunings);
    for (int t = 0; t < tunings; t++) {
        uint64_t random = 1000003 * (uint64_t)(t + 1);
        struct race_options options = {.samples = samples,
                                       .standing = (uint32_t)table->customary,
                                       .keep_all = policy == POLICY_EQUAL_SHARES};
        draw_rows(rows->n, block, &random, drawn);
        options.seed = random;
        int used;
        const struct choice choice = tune_table(&race, table, kind, policy, &options, drawn, &used);
        medians(rows, drawn + used, rows->n - used, truth);
        count(&tally, &choice, truth, table->customary);
    }
    tally_end(&tally, figures);
    race_release(&race);
    return true;
}

/* Two kinds of rows, in orders of their own, and how many of each a search has taken. */
struct deck {
    const struct table_rows *rows;
    int drawn[ROWS_LIMIT], taken;
};

static const double *next_row(struct deck *deck)
{
    return deck->taken < deck->rows->n * 2 / 3 ? deck->rows->seconds[deck->drawn[deck->taken++]]
                                               : NULL;
}

static struct choice run_search(struct race *race, struct deck *interleaved, struct deck *settled,
                                const struct race_options *options)
{
    struct choice choice = {.calls = WARMUPS};
    double times[TABLE_CONFIGURATIONS];
    const uint32_t *order;
    const double *row;
    uint32_t n;
    race_start(race, TABLE_CONFIGURATIONS, options);
    while ((n = race_round(race, &order)) > 0) {
        const bool settles = settled && race->rounds > 0;
        row = next_row(settles ? settled : interleaved);
        if (!row)
            break;
        for (uint32_t i = 0; i < n; i++) {
            times[i] = row[order[i]];
            choice.seconds += (1 + settles) * times[i];
        }
        choice.calls += (1 + settles) * (double)n;
        race_record(race, times);
    }
    const struct race_verdict verdict = race_judge(race);
    choice.configuration = (int)verdict.winner;
    choice.within = verdict.within;
    return choice;
}

bool replay_search(const struct table *table, bool settles, uint64_t calls, int tunings, int block,
                   struct figures *figures)
{
    static struct deck interleaved, settled;
    const uint64_t first = TABLE_CONFIGURATIONS;
    struct race race;
    double truth[TABLE_CONFIGURATIONS];
    interleaved.rows = &table->rows[TABLE_INTERLEAVED];
    settled.rows = &table->rows[TABLE_SINGLE];
    if (interleaved.rows->n < 2 || settled.rows->n < 2 || calls < first + WARMUPS ||
        race_init(&race, TABLE_CONFIGURATIONS))
        return false;
    struct tally tally = tally_begin(tunings);
    for (int t = 0; t < tunings; t++) {
        uint64_t random = 1000003 * (uint64_t)(t + 1);
        draw_rows(interleaved.rows->n, block, &random, interleaved.drawn);
        draw_rows(settled.rows->n, block, &random, settled.drawn);
        interleaved.taken = settled.taken = 0;
        const uint64_t left = calls - WARMUPS - first;
        const struct race_options options = {.samples = first + (settles ? left / 2 : left),
                                             .seed = random,
                                             .standing = (uint32_t)table->customary};
        const struct choice choice =
            run_search(&race, &interleaved, settles ? &settled : NULL, &options);
        medians(settled.rows, settled.drawn + settled.taken, settled.rows->n - settled.taken,
                truth);
        count(&tally, &choice, truth, table->customary);
    }
    tally_end(&tally, figures);
    race_release(&race);
    return true;
}

void tune_landscapes(int which, enum policy policy, uint64_t samples, int tunings,
                     struct figures *figures)
{
    struct race race;
    *figures = (struct figures){0};
    if (race_init(&race, TABLE_CONFIGURATIONS))
        return;
    struct tally tally = tally_begin(tunings);
    for (int t = 0; t < tunings; t++) {
        struct source source = {0};
        const struct race_options options = {.samples = samples,
                                             .seed = (uint64_t)t,
                                             .standing = RACE_NOBODY,
                                             .keep_all = policy == POLICY_EQUAL_SHARES};
        landscape_begin(&source.landscape, which, 7919 * (uint64_t)(t + 1));
        const struct choice choice = policy == POLICY_REFERENCE
                                         ? run_reference(&source.landscape)
                                         : run_race(&race, &source, &options, 1);
        count(&tally, &choice, source.landscape.truth, -1);
    }
    tally_end(&tally, figures);
    race_release(&race);
}
