/*
 * Records a table of rounds of the staged reverse all-to-all, for replays (data/README.md):
 *
 *     mpirun -n 2 regret_record --table FILE [--machine TEXT] [--shape S,H,D] [--rounds N]
 *                               [--seconds T]
 *
 * N rounds of interleaved calls; after every second one a round of settled calls, after every tenth
 * one of the exhaustive policy's protocol, so that all three see the same weather. Ends early after
 * T seconds.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "staged.h"

#define N TABLE_CONFIGURATIONS

struct job {
    int rounds;
    double seconds;
    const char *table, *machine;
};

static void write_head(FILE *file, const struct staged *staged, const char *machine)
{
    const struct reverse_a2a_shape *shape = &staged->shape;
    fprintf(
        file,
        "# staged reverse all-to-all, S,H,D = %lld,%lld,%lld, 2-byte elements, %d ranks, %s\nkind",
        (long long)shape->s, (long long)shape->h, (long long)shape->d, staged->ranks, machine);
    for (int i = 0; i < N; i++) {
        char name[32];
        table_name(i, name, sizeof name);
        fprintf(file, ",%s", name);
    }
    fputc('\n', file);
}

static void take_row(FILE *file, struct staged *staged, enum table_kind kind, uint64_t *random)
{
    double seconds[N];
    staged_round(staged,
                 kind == TABLE_INTERLEAVED ? STAGED_INTERLEAVED
                 : kind == TABLE_SINGLE    ? STAGED_SETTLED
                                           : STAGED_REFERENCE,
                 random, seconds);
    if (!file)
        return;
    fputs(table_kind_name(kind), file);
    for (int i = 0; i < N; i++)
        fprintf(file, ",%.0f", 1e9 * seconds[i]);
    fputc('\n', file);
}

static void record(FILE *file, struct staged *staged, const struct job *job)
{
    uint64_t random = 1;
    double warm_up[N];
    const double begin = MPI_Wtime();
    staged_round(staged, STAGED_REFERENCE, &random, warm_up);
    for (int round = 0; round < job->rounds && staged_time_left(staged, begin, job->seconds);
         round++) {
        take_row(file, staged, TABLE_INTERLEAVED, &random);
        if (round % 2 == 1)
            take_row(file, staged, TABLE_SINGLE, &random);
        if (round % 10 == 9)
            take_row(file, staged, TABLE_REFERENCE, &random);
    }
}

static bool read_option(struct job *job, struct staged *staged, const char *name, const char *value)
{
    if (strcmp(name, "--rounds") == 0)
        job->rounds = atoi(value);
    else if (strcmp(name, "--seconds") == 0)
        job->seconds = atof(value);
    else if (strcmp(name, "--table") == 0)
        job->table = value;
    else if (strcmp(name, "--machine") == 0)
        job->machine = value;
    else
        return strcmp(name, "--shape") == 0 && staged_shape(value, &staged->shape);
    return job->rounds > 0 && job->seconds > 0;
}

int main(int argc, char **argv)
{
    static struct staged staged;
    struct job job = {.rounds = 200, .seconds = 3600, .machine = "unknown machine"};
    FILE *file = NULL;
    bool good = staged_shape("2048,8,128", &staged.shape);
    MPI_Init(&argc, &argv);
    for (int i = 1; good && i < argc; i += 2)
        good = i + 1 < argc && read_option(&job, &staged, argv[i], argv[i + 1]);
    if (good && job.table) {
        staged_begin(&staged);
        if (staged.rank == 0 && !(file = fopen(job.table, "w")))
            staged_check(1, job.table);
        if (file)
            write_head(file, &staged, job.machine);
        record(file, &staged, &job);
        staged_end(&staged);
    }
    if (file && fclose(file) != 0)
        staged_check(1, job.table);
    MPI_Finalize();
    if (good && job.table)
        return 0;
    fprintf(stderr, "usage: regret_record --table FILE [--machine TEXT] [--shape S,H,D] "
                    "[--rounds N] [--seconds T]\n");
    return 2;
}
