/*
 * A job that tunes, for the scripts beside this file: which candidate does what, and on which rank,
 * is given as NAME=VALUE arguments.
 *
 *   rows=N         the key
 *   best=C         the fastest configuration
 *   at=C           the configuration in which something happens ...
 *   rank=R         ... on this rank: the value of
 *   does=WHAT      abort, segv, kill (of the process), hang (for ever, the others go on), hang-all
 *   run=U          each run takes U microseconds
 *   wait=FILE      rank 0 waits in configuration `at` until the file is there
 *
 * The root writes "begin C" to the file named by TRACE before a candidate's first run, and at the
 * end "source=..., configuration=..., and each trial's status" to stdout. on_stall ends the job.
 */
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <mpi.h>

#include <tutti/mpi.h>
#include <tutti/tutti.h>

struct config {
    int block, depth;
};

#define SPACE 40

static const tutti_param params[] = {
    TUTTI_PARAM(struct config, block, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10),
    TUTTI_PARAM(struct config, depth, 1, 2, 3, 4),
};

struct job {
    int rank;
    int rows, best, at, culprit, run;
    const char *does, *wait;
    double now; /* a simulated clock, so that the winner is certain */
    int last;   /* the configuration that ran last */
};

static int key(tutti_key *key, const void *args, void *user)
{
    (void)args;
    tutti_key_integer(key, "rows", ((struct job *)user)->rows);
    return 0;
}

static void trace(const struct job *job, int configuration)
{
    const char *path = getenv("TRACE");
    if (job->rank != 0 || configuration == job->last || !path)
        return;
    FILE *file = fopen(path, "a");
    if (!file)
        return;
    fprintf(file, "begin %d\n", configuration);
    fclose(file);
}

static void sleep_for_ever(void)
{
    for (;;)
        pause();
}

static void do_harm(const struct job *job)
{
    if (strcmp(job->does, "hang-all") == 0)
        sleep_for_ever();
    if (job->rank != job->culprit)
        return;
    if (strcmp(job->does, "abort") == 0 || strcmp(job->does, "segv") == 0)
        usleep(300000); /* so that what the root has said before gets out of the dying job */
    if (strcmp(job->does, "abort") == 0)
        abort();
    if (strcmp(job->does, "segv") == 0)
        raise(SIGSEGV);
    if (strcmp(job->does, "kill") == 0)
        raise(SIGKILL);
    if (strcmp(job->does, "hang") == 0)
        sleep_for_ever();
}

static int run(void *args, const void *config, const tutti_context *context)
{
    struct job *job = context->user;
    int configuration = (int)context->configuration;
    (void)args;
    (void)config;
    if (context->purpose != TUTTI_PURPOSE_FINAL)
        trace(job, configuration);
    job->last = configuration;
    if (configuration == job->at)
        do_harm(job);
    while (configuration == job->at && job->rank == 0 && *job->wait && access(job->wait, F_OK) != 0)
        usleep(1000);
    if (job->run > 0)
        usleep((useconds_t)job->run);
    job->now += configuration == job->best ? 0.5 : 1 + configuration / 64.0;
    return 0;
}

static int start(void *self)
{
    (void)self;
    return 0;
}

static double begin;

static int stop(void *self, double *seconds)
{
    struct job *job = self;
    *seconds = job->now - begin;
    begin = job->now;
    return 0;
}

static const tutti_timer_ops simulated = {
    .size = sizeof simulated, .name = "simulated", .start = start, .stop = stop};

static void end_the_job(const char *message, void *user)
{
    (void)user;
    fprintf(stderr, "on_stall: %s\n", message);
    usleep(300000); /* so that each rank that is stuck can say so, and note it */
    MPI_Abort(MPI_COMM_WORLD, 3);
}

static void read_arguments(struct job *job, int argc, char **argv)
{
    struct {
        const char *name;
        int *number;
        const char **text;
    } options[] = {
        {"rows=", &job->rows, NULL},    {"best=", &job->best, NULL}, {"at=", &job->at, NULL},
        {"rank=", &job->culprit, NULL}, {"run=", &job->run, NULL},   {"does=", NULL, &job->does},
        {"wait=", NULL, &job->wait},
    };
    for (int i = 1; i < argc; i++)
        for (size_t o = 0; o < sizeof options / sizeof *options; o++) {
            size_t length = strlen(options[o].name);
            if (strncmp(argv[i], options[o].name, length) != 0)
                continue;
            if (options[o].number)
                *options[o].number = atoi(argv[i] + length);
            else
                *options[o].text = argv[i] + length;
        }
}

static void print_report(tutti_tuner *tuner, tutti_group *group)
{
    tutti_report report = {.size = sizeof report};
    if (tutti_report_get(tuner, NULL, group, &report))
        return;
    printf("source=%s configuration=%d\n", tutti_source_name(report.source),
           (int)report.configuration);
    for (size_t i = 0; i < report.ntrials; i++)
        printf("trial %d: %s, rank %d, %s\n", (int)i, tutti_status_name(report.trials[i].status),
               report.trials[i].slowest_rank, report.trials[i].reason);
}

static int tune(struct job *job)
{
    tutti_tuner *tuner;
    tutti_group *group;
    const tutti_tuner_desc desc = {
        .size = sizeof desc,
        .name = "scenario",
        .params = params,
        .nparams = 2,
        .config_size = sizeof(struct config),
        .key = key,
        .run = run,
        .on_stall = end_the_job,
        .user = job,
        .warmups = 1,
        .samples = 1,
        .timer = &simulated,
        .timer_self = job,
    };
    if (tutti_tuner_create(&desc, &tuner) || tutti_group_create_mpi(MPI_COMM_WORLD, &group))
        return 2;
    int status = tutti_call(tuner, NULL, group, NULL);
    if (status)
        fprintf(stderr, "rank %d: error %d: %s: %s\n", job->rank, status, tutti_strerror(status),
                tutti_message(tuner, group));
    if (job->rank == 0)
        print_report(tuner, group);
    tutti_tuner_destroy(tuner);
    tutti_group_release(group);
    return status ? 1 : 0;
}

int main(int argc, char **argv)
{
    struct job job = {
        .rows = 1, .best = 5, .at = -1, .culprit = 1, .does = "nothing", .wait = "", .last = -1};
    int provided;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &job.rank);
    read_arguments(&job, argc, argv);
    int status = tune(&job);
    MPI_Finalize();
    return status;
}
