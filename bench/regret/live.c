/*
 * Regret on the real operator, here and now: tunings by both policies, between rounds of two
 * oracles, one of interleaved calls as a race samples them, one of settled calls as in a loop of
 * one configuration.
 *
 *     mpirun -n 2 regret_live [--shape S,H,D] [--tunings N] [--seconds T]
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tutti/mpi.h>

#include "staged.h"

#define N              TABLE_CONFIGURATIONS
#define TUNINGS_LIMIT  1024
#define ROUNDS_LIMIT   400 /* of an oracle */
#define REFERENCE_EACH 3   /* one of so many tunings is done by the exhaustive policy, too */

static const struct way {
    const char *name;
    int policy;
    uint64_t budget;
} ways[] = {
    {"exhaustive", TUTTI_POLICY_EXHAUSTIVE, 0},
    {"race", TUTTI_POLICY_RACE, 200},
    {"race", TUTTI_POLICY_RACE, 300},
};
enum { WAYS = sizeof ways / sizeof *ways };

struct result {
    int n, configuration[TUNINGS_LIMIT];
    double calls, seconds;
};

struct oracle {
    int n;
    double rounds[ROUNDS_LIMIT][N], truth[N];
};

struct job {
    int tunings;
    double seconds;
};

static void tune(struct staged *staged, tutti_group *group, const struct way *way,
                 struct result *result)
{
    tutti_report report = {.size = sizeof report};
    tutti_tuner *tuner = staged_tuner(way->policy, way->budget);
    staged_check(tutti_call(tuner, staged, group, NULL), "tutti_call");
    staged_check(tutti_report_get(tuner, staged, group, &report), "tutti_report_get");
    result->configuration[result->n++] = (int)report.configuration;
    result->calls += (double)report.search_calls;
    result->seconds += report.search_seconds;
    tutti_tuner_destroy(tuner);
}

static int compare_numbers(const void *one, const void *two)
{
    const double a = *(const double *)one, b = *(const double *)two;
    return (a > b) - (a < b);
}

/* The medians of every step-th round from one on. */
static void find_truth(const struct oracle *oracle, int from, int step, double truth[N])
{
    for (int i = 0; i < N; i++) {
        double values[ROUNDS_LIMIT];
        int n = 0;
        for (int r = from; r < oracle->n; r += step)
            values[n++] = oracle->rounds[r][i];
        qsort(values, (size_t)n, sizeof *values, compare_numbers);
        truth[i] = values[n / 2];
    }
}

static int best_of(const double truth[N])
{
    int best = 0;
    for (int i = 1; i < N; i++)
        best = truth[i] < truth[best] ? i : best;
    return best;
}

static double percent_over(double one, double other)
{
    return 100 * (one / other - 1);
}

static void print_regret(const struct result *result, const double truth[N])
{
    double regret[TUNINGS_LIMIT], over = -100;
    const int n = result->n, best = best_of(truth), customary = table_index("128/128/2");
    for (int t = 0; t < n; t++) {
        const double seconds = truth[result->configuration[t]];
        const double over_customary = percent_over(seconds, truth[customary]);
        regret[t] = percent_over(seconds, truth[best]);
        over = over_customary > over ? over_customary : over;
    }
    qsort(regret, (size_t)n, sizeof *regret, compare_numbers);
    printf(" | %5.2f %5.2f %5.2f %5.2f %+7.2f", regret[(n - 1) / 2], regret[(9 * n + 9) / 10 - 1],
           regret[(99 * n + 99) / 100 - 1], regret[n - 1], over);
}

/* How well half of an oracle's rounds choose, judged by the other half. */
static double resolution(const struct oracle *oracle)
{
    double one[N], other[N];
    find_truth(oracle, 0, 2, one);
    find_truth(oracle, 1, 2, other);
    return percent_over(other[best_of(one)], other[best_of(other)]);
}

static void print_all(const struct staged *staged, const struct result *results,
                      const struct oracle *interleaved, const struct oracle *settled)
{
    const struct reverse_a2a_shape *shape = &staged->shape;
    printf("\nlive: staged reverse all-to-all, S,H,D = %lld,%lld,%lld, %d ranks; two oracles of %d "
           "rounds between the tunings\n"
           "half of the rounds choose, the other half judges: interleaved %.2f, settled %.2f\n",
           (long long)shape->s, (long long)shape->h, (long long)shape->d, staged->ranks,
           interleaved->n, resolution(interleaved), resolution(settled));
    printf("%-11s %4s %5s %8s | %-33s | %-33s\n", "", "", "", "", "interleaved calls, as sampled",
           "settled calls");
    printf("%-11s %4s %5s %8s", "policy", "n", "calls", "seconds");
    for (int i = 0; i < 2; i++)
        printf(" | %5s %5s %5s %5s %7s", "p50", "p90", "p99", "max", "custom.");
    printf("\n");
    for (int w = 0; w < WAYS; w++) {
        const struct result *result = &results[w];
        printf("%-11s %4d %5.0f %8.4f", ways[w].name, result->n, result->calls / result->n,
               result->seconds / result->n);
        print_regret(result, interleaved->truth);
        print_regret(result, settled->truth);
        printf("\n");
    }
}

/* Oracle rounds are spread between the tunings, so that all see the same weather. */
static void compare_policies(struct staged *staged, tutti_group *group, const struct job *job)
{
    static struct result results[WAYS];
    static struct oracle interleaved, settled;
    uint64_t random = 1;
    const double begin = MPI_Wtime();
    const int every = 1 + job->tunings / ROUNDS_LIMIT;
    for (int t = 0; t < job->tunings && (t < 2 || staged_time_left(staged, begin, job->seconds));
         t++) {
        char seed[16];
        snprintf(seed, sizeof seed, "%d", t + 1);
        setenv("TUTTI_SEED", seed, 1);
        for (int w = 0; w < WAYS; w++)
            if (ways[w].policy != TUTTI_POLICY_EXHAUSTIVE || t % REFERENCE_EACH == 0)
                tune(staged, group, &ways[w], &results[w]);
        if (t % every != 0)
            continue;
        staged_round(staged, STAGED_INTERLEAVED, &random, interleaved.rounds[interleaved.n++]);
        staged_round(staged, STAGED_SETTLED, &random, settled.rounds[settled.n++]);
    }
    find_truth(&interleaved, 0, 1, interleaved.truth);
    find_truth(&settled, 0, 1, settled.truth);
    if (staged->rank == 0)
        print_all(staged, results, &interleaved, &settled);
}

static bool read_option(struct job *job, struct staged *staged, const char *name, const char *value)
{
    if (strcmp(name, "--tunings") == 0)
        job->tunings = atoi(value);
    else if (strcmp(name, "--seconds") == 0)
        job->seconds = atof(value);
    else
        return strcmp(name, "--shape") == 0 && staged_shape(value, &staged->shape);
    return job->tunings > 1 && job->tunings <= TUNINGS_LIMIT && job->seconds > 0;
}

int main(int argc, char **argv)
{
    static struct staged staged;
    struct job job = {.tunings = 30, .seconds = 3600};
    tutti_group *group;
    bool good = staged_shape("2048,8,128", &staged.shape);
    setenv("TUTTI_MODE", "read-only", 1);
    setenv("TUTTI_ALWAYS_TUNE", "1", 1);
    MPI_Init(&argc, &argv);
    for (int i = 1; good && i < argc; i += 2)
        good = i + 1 < argc && read_option(&job, &staged, argv[i], argv[i + 1]);
    if (good) {
        staged_begin(&staged);
        staged_check(tutti_group_create_mpi(MPI_COMM_WORLD, &group), "tutti_group_create_mpi");
        compare_policies(&staged, group, &job);
        tutti_group_release(group);
        staged_end(&staged);
    } else {
        fprintf(stderr, "usage: regret_live [--shape S,H,D] [--tunings N] [--seconds T]\n");
    }
    MPI_Finalize();
    return good ? 0 : 2;
}
