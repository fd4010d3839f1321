/*
 * What the exhaustive search itself costs: 40 configurations of a launcher that does nothing, so
 * that the time is tutti's. Prints the median over repetitions, and the group operations a
 * configuration by their exact count. The record goes to memory only; its fsync is a property of
 * the disk.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include <tutti/mpi.h>
#include <tutti/tutti.h>

#define REPETITIONS 21

struct config {
    int block_s, block_d, buffers;
};

static const tutti_param params[] = {
    TUTTI_PARAM(struct config, block_s, 32, 64, 128, 256, 512),
    TUTTI_PARAM(struct config, block_d, 64, 128),
    TUTTI_PARAM(struct config, buffers, 2, 3, 4, 8),
};

static int launch(void *args, const void *config, const tutti_context *context)
{
    (void)args;
    (void)config;
    (void)context;
    return 0;
}

static int key(tutti_key *key, const void *args, void *user)
{
    (void)user;
    tutti_key_integer(key, "repetition", *(const int *)args);
    return 0;
}

static void check(int status, const char *what)
{
    if (status == TUTTI_SUCCESS)
        return;
    fprintf(stderr, "%s: %s\n", what, tutti_strerror(status));
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
    double seconds[REPETITIONS];
    tutti_report report = {.size = sizeof report};
    tutti_tuner *tuner;
    tutti_group *group;
    int rank, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    setenv("TUTTI_MODE", "read-only", 1);
    setenv("TUTTI_ALWAYS_TUNE", "1", 1);
    check(tutti_tuner_create(&(tutti_tuner_desc){.size = sizeof(tutti_tuner_desc),
                                                 .name = "empty_search",
                                                 .params = params,
                                                 .nparams = 3,
                                                 .config_size = sizeof(struct config),
                                                 .key = key,
                                                 .run = launch,
                                                 .policy = TUTTI_POLICY_EXHAUSTIVE},
                             &tuner),
          "tutti_tuner_create");
    check(tutti_group_create_mpi(MPI_COMM_WORLD, &group), "tutti_group_create_mpi");
    for (int i = 0; i < REPETITIONS; i++) {
        MPI_Barrier(MPI_COMM_WORLD);
        double begin = MPI_Wtime();
        check(tutti_call(tuner, &i, group, NULL), "tutti_call");
        seconds[i] = MPI_Wtime() - begin;
        check(tutti_report_get(tuner, &i, group, &report), "tutti_report_get");
    }
    qsort(seconds, REPETITIONS, sizeof *seconds, ascending);
    if (rank == 0)
        printf(
            "%d ranks: cold call %.3f ms (bar: 2 ms); %llu launcher calls; %.2f group operations "
            "a configuration (bar: 3)\n",
            ranks, seconds[REPETITIONS / 2] * 1e3, (unsigned long long)report.search_calls,
            (double)report.search_operations / (double)report.ntrials);
    tutti_tuner_destroy(tuner);
    tutti_group_release(group);
    MPI_Finalize();
    return 0;
}
