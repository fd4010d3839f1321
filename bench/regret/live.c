/*
 * Regret on the real operator, here and now: tunings by both policies, between rounds of an oracle.
 *
 *     mpirun -n 2 regret_live [--shape S,H,D] [--tunings N] [--rounds N]
 *     mpirun -n 2 regret_live --table FILE [--machine TEXT] ...     records a table for replays
 */
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <reverse_a2a/reverse_a2a.h>
#include <tutti/mpi.h>
#include <tutti/tutti.h>

#include "table.h"

#define N            TABLE_CONFIGURATIONS
#define ROUNDS_LIMIT 1024

struct knobs {
    int comm_block_s, comm_block_d, buffer_num;
};

static const tutti_param params[] = {
    TUTTI_PARAM(struct knobs, comm_block_s, 32, 64, 128, 256, 512),
    TUTTI_PARAM(struct knobs, comm_block_d, 64, 128),
    TUTTI_PARAM(struct knobs, buffer_num, 2, 3, 4, 8),
};

struct job {
    struct reverse_a2a_shape shape;
    int tunings, rounds;
    const char *table, *machine;
};

struct bench {
    struct job job;
    int rank, ranks;
    void *a, *c;
    struct reverse_a2a_memory *memory;
    struct reverse_a2a_plan *plans[N];
    tutti_group *group;
    int nrounds;
    double oracle[ROUNDS_LIMIT][N];
};

static void check(int status, const char *what)
{
    if (status == 0)
        return;
    fprintf(stderr, "regret_live: %s failed with %d\n", what, status);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static int run(void *args, const void *config, const tutti_context *context)
{
    struct bench *bench = args;
    (void)config;
    return reverse_a2a_execute(bench->plans[context->configuration], bench->a, bench->c);
}

static tutti_tuner *make_tuner(int policy)
{
    static const struct knobs customary = {128, 128, 2};
    tutti_tuner *tuner;
    check(tutti_tuner_create(&(tutti_tuner_desc){.size = sizeof(tutti_tuner_desc),
                                                 .name = "regret_live",
                                                 .params = params,
                                                 .nparams = 3,
                                                 .config_size = sizeof(struct knobs),
                                                 .customary = &customary,
                                                 .policy = policy,
                                                 .run = run},
                             &tuner),
          "tutti_tuner_create");
    return tuner;
}

static void make_plans(struct bench *bench)
{
    tutti_tuner *tuner = make_tuner(TUTTI_POLICY_RACE);
    size_t most = 0, bytes;
    for (int pass = 0; pass < 2; pass++) {
        for (uint64_t i = 0; i < N; i++) {
            struct knobs knobs;
            check(tutti_configuration(tuner, i, &knobs), "tutti_configuration");
            const struct reverse_a2a_config config = {.comm_block_s = knobs.comm_block_s,
                                                      .comm_block_d = knobs.comm_block_d,
                                                      .buffer_num = knobs.buffer_num};
            if (pass == 0) {
                check(reverse_a2a_memory_bytes(&bench->job.shape, &config, bench->ranks, &bytes),
                      "reverse_a2a_memory_bytes");
                most = bytes > most ? bytes : most;
            } else {
                check(reverse_a2a_plan_create(bench->memory, &bench->job.shape, &config,
                                              &bench->plans[i]),
                      "reverse_a2a_plan_create");
            }
        }
        if (pass == 0)
            check(reverse_a2a_memory_create(MPI_COMM_WORLD, most, NULL, &bench->memory),
                  "reverse_a2a_memory_create");
    }
    tutti_tuner_destroy(tuner);
}

/* The mean of `calls` back-to-back calls after a barrier, on this rank. */
static double sample(struct bench *bench, int configuration, int calls)
{
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = MPI_Wtime();
    for (int i = 0; i < calls; i++)
        check(reverse_a2a_execute(bench->plans[configuration], bench->a, bench->c),
              "reverse_a2a_execute");
    return (MPI_Wtime() - begin) / calls;
}

/* A round over all configurations, forwards and backwards in turn; the slowest rank's times. */
static void take_round(struct bench *bench, int round, int warmups, int calls, double seconds[N])
{
    for (int k = 0; k < N; k++) {
        const int i = round % 2 ? N - 1 - k : k;
        for (int w = 0; w < warmups; w++)
            check(reverse_a2a_execute(bench->plans[i], bench->a, bench->c), "reverse_a2a_execute");
        seconds[i] = sample(bench, i, calls);
    }
    MPI_Allreduce(MPI_IN_PLACE, seconds, N, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
}

static void write_row(FILE *file, const char *kind, const double seconds[N])
{
    if (!file)
        return;
    fputs(kind, file);
    for (int i = 0; i < N; i++)
        fprintf(file, ",%.0f", 1e9 * seconds[i]);
    fputc('\n', file);
}

static void write_head(FILE *file, const struct bench *bench)
{
    static const int blocks_s[] = {32, 64, 128, 256, 512}, blocks_d[] = {64, 128},
                     buffers[] = {2, 3, 4, 8};
    const struct reverse_a2a_shape *shape = &bench->job.shape;
    fprintf(
        file,
        "# staged reverse all-to-all, S,H,D = %lld,%lld,%lld, 2-byte elements, %d ranks, %s\nkind",
        (long long)shape->s, (long long)shape->h, (long long)shape->d, bench->ranks,
        bench->job.machine);
    for (int i = 0; i < N; i++)
        fprintf(file, ",%d/%d/%d", blocks_s[i / 8], blocks_d[i / 4 % 2], buffers[i % 4]);
    fputc('\n', file);
}

static void record_table(struct bench *bench)
{
    double seconds[N];
    FILE *file = NULL;
    if (bench->rank == 0 && !(file = fopen(bench->job.table, "w")))
        check(1, bench->job.table);
    if (file)
        write_head(file, bench);
    for (int round = 0; round < bench->job.rounds; round++) {
        take_round(bench, round, 1, 1, seconds);
        write_row(file, "single", seconds);
    }
    for (int tuning = 0; tuning < bench->job.tunings; tuning++) {
        take_round(bench, 0, 5, 10, seconds);
        write_row(file, "reference", seconds);
    }
    for (int round = 0; round < bench->job.rounds / 2; round++) {
        take_round(bench, round, 0, 10, seconds);
        write_row(file, "mean10", seconds);
    }
    if (file)
        fclose(file);
}

struct result {
    int configuration[ROUNDS_LIMIT];
    double calls, seconds;
};

static void tune(struct bench *bench, int policy, int at, struct result *result)
{
    tutti_report report;
    tutti_tuner *tuner = make_tuner(policy);
    check(tutti_call(tuner, bench, bench->group, NULL), "tutti_call");
    check(tutti_report_get(tuner, bench, bench->group, &report), "tutti_report_get");
    result->configuration[at] = (int)report.configuration;
    result->calls += (double)report.search_calls / bench->job.tunings;
    result->seconds += report.search_seconds / bench->job.tunings;
    tutti_tuner_destroy(tuner);
}

static int compare_numbers(const void *one, const void *two)
{
    const double a = *(const double *)one, b = *(const double *)two;
    return (a > b) - (a < b);
}

static void print_result(const struct bench *bench, const char *name, const struct result *result,
                         const double truth[N])
{
    const int n = bench->job.tunings, customary = table_index("128/128/2");
    double regret[ROUNDS_LIMIT], best = truth[0], worst = -1;
    for (int i = 0; i < N; i++)
        best = truth[i] < best ? truth[i] : best;
    for (int t = 0; t < n; t++) {
        const double seconds = truth[result->configuration[t]];
        regret[t] = 100 * (seconds / best - 1);
        worst = seconds / truth[customary] - 1 > worst ? seconds / truth[customary] - 1 : worst;
    }
    qsort(regret, (size_t)n, sizeof *regret, compare_numbers);
    printf("%-12s %-7s %5.0f %8.4f | %5.2f %5.2f %5.2f %5.2f | %+9.2f |\n", name, "live",
           result->calls, result->seconds, regret[(n - 1) / 2], regret[(9 * n + 9) / 10 - 1],
           regret[(99 * n + 99) / 100 - 1], regret[n - 1], 100 * worst);
}

/* Oracle rounds are spread between the tunings, so that all see the same weather. */
static void compare_policies(struct bench *bench)
{
    static struct result exhaustive, race;
    const struct job *job = &bench->job;
    double truth[N], values[ROUNDS_LIMIT];
    for (int t = 0; t < job->tunings; t++) {
        for (; bench->nrounds < (t + 1) * job->rounds / job->tunings; bench->nrounds++)
            take_round(bench, bench->nrounds, 1, 1, bench->oracle[bench->nrounds]);
        tune(bench, TUTTI_POLICY_EXHAUSTIVE, t, &exhaustive);
        tune(bench, TUTTI_POLICY_RACE, t, &race);
    }
    for (int i = 0; i < N; i++) {
        for (int r = 0; r < bench->nrounds; r++)
            values[r] = bench->oracle[r][i];
        qsort(values, (size_t)bench->nrounds, sizeof *values, compare_numbers);
        truth[i] = values[bench->nrounds / 2];
    }
    if (bench->rank != 0)
        return;
    printf("\nlive: staged reverse all-to-all, S,H,D = %lld,%lld,%lld, %d ranks, %d tunings each, "
           "an oracle of %d rounds between them\n"
           "%-12s %-7s %5s %8s | %5s %5s %5s %5s | %9s |\n",
           (long long)job->shape.s, (long long)job->shape.h, (long long)job->shape.d, bench->ranks,
           job->tunings, bench->nrounds, "policy", "sample", "calls", "seconds", "p50", "p90",
           "p99", "max", "customary");
    print_result(bench, "exhaustive", &exhaustive, truth);
    print_result(bench, "race", &race, truth);
}

static bool read_option(struct job *job, const char *name, const char *value)
{
    long long s, h, d;
    if (strcmp(name, "--tunings") == 0)
        job->tunings = atoi(value);
    else if (strcmp(name, "--rounds") == 0)
        job->rounds = atoi(value);
    else if (strcmp(name, "--table") == 0)
        job->table = value;
    else if (strcmp(name, "--machine") == 0)
        job->machine = value;
    else if (strcmp(name, "--shape") == 0 && sscanf(value, "%lld,%lld,%lld", &s, &h, &d) == 3)
        job->shape = (struct reverse_a2a_shape){.s = s, .h = h, .d = d, .element_size = 2};
    else
        return false;
    return job->tunings > 0 && job->tunings <= ROUNDS_LIMIT && job->rounds > 0 &&
           job->rounds <= ROUNDS_LIMIT;
}

static void begin(struct bench *bench)
{
    const struct reverse_a2a_shape *shape = &bench->job.shape;
    const size_t bytes = (size_t)bench->ranks * (size_t)(shape->s * shape->h * shape->d) * 2;
    bench->a = malloc(bytes);
    bench->c = malloc(bytes);
    check(!bench->a || !bench->c, "malloc");
    memset(bench->a, bench->rank + 1, bytes);
    memset(bench->c, 0, bytes);
    make_plans(bench);
    check(tutti_group_create_mpi(MPI_COMM_WORLD, &bench->group), "tutti_group_create_mpi");
}

static void end(struct bench *bench)
{
    for (int i = 0; i < N; i++)
        reverse_a2a_plan_destroy(bench->plans[i]);
    reverse_a2a_memory_destroy(bench->memory);
    tutti_group_release(bench->group);
    free(bench->a);
    free(bench->c);
}

int main(int argc, char **argv)
{
    static struct bench bench = {
        .job = {.tunings = 10, .rounds = 100, .machine = "unknown machine"}};
    bool good = read_option(&bench.job, "--shape", "2048,8,128");
    setenv("TUTTI_MODE", "read-only", 1);
    setenv("TUTTI_ALWAYS_TUNE", "1", 1);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &bench.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &bench.ranks);
    for (int i = 1; good && i < argc; i += 2)
        good = i + 1 < argc && read_option(&bench.job, argv[i], argv[i + 1]);
    if (good) {
        begin(&bench);
        if (bench.job.table)
            record_table(&bench);
        else
            compare_policies(&bench);
        end(&bench);
    } else if (bench.rank == 0) {
        fprintf(stderr, "regret_live: bad option\n");
    }
    MPI_Finalize();
    return good ? 0 : 2;
}
