/*
 * Tunes on all ranks of MPI_COMM_WORLD, 2 of them, and checks the choice. The launcher is timed by
 * a clock of its own, so that the choice is known: rank 0 alone would take 64, rank 1 alone 8, and
 * the slowest rank is fastest with 32.
 */
#include <stdio.h>
#include <string.h>

#include <tutti/mpi.h>
#include <tutti/tutti.h>

struct knobs {
    int block;
};

struct stopwatch {
    double seconds;
    int runs;
};

struct work {
    int rank;
    int64_t length;
    struct stopwatch *stopwatch;
};

static const tutti_param params[] = {TUTTI_PARAM(struct knobs, block, 8, 16, 32, 64)};

static int start(void *self)
{
    struct stopwatch *stopwatch = self;
    stopwatch->seconds = 0;
    return 0;
}

static int stop(void *self, double *seconds)
{
    *seconds = ((struct stopwatch *)self)->seconds;
    return 0;
}

static const tutti_timer_ops timer = {
    .size = sizeof timer, .name = "stopwatch", .start = start, .stop = stop};

static int key(tutti_key *key, const void *args, void *user)
{
    (void)user;
    tutti_key_integer(key, "length", ((const struct work *)args)->length);
    return 0;
}

static int run(void *args, const void *config, const tutti_context *context)
{
    (void)context;
    const struct work *work = args;
    int block = ((const struct knobs *)config)->block;
    work->stopwatch->seconds += work->rank == 0 ? 70e-6 / block : block * 100e-9;
    work->stopwatch->runs++;
    return 0;
}

/* Tunes once, with a tuner that knows nothing yet. Returns whether the choice is 32 and came from
 * where it should. */
static int choose(tutti_group *group, struct work *work, int source)
{
    const tutti_tuner_desc desc = {.size = sizeof desc,
                                   .name = "consumer",
                                   .source_id = TUTTI_SOURCE_ID,
                                   .params = params,
                                   .nparams = 1,
                                   .config_size = sizeof(struct knobs),
                                   .key = key,
                                   .run = run,
                                   .timer = &timer,
                                   .timer_self = work->stopwatch};
    tutti_tuner *tuner;
    tutti_report report = {.size = sizeof report};
    int error = tutti_tuner_create(&desc, &tuner);
    if (!error)
        error = tutti_call(tuner, work, group, NULL);
    if (!error)
        error = tutti_report_get(tuner, work, group, &report);
    if (error) {
        fprintf(stderr, "rank %d: %s: %s\n", work->rank, tutti_strerror(error),
                tutti_message(tuner, group));
        return 0;
    }
    int block = ((const struct knobs *)report.config)->block;
    int right = block == 32 && report.source == source;
    printf("rank %d: block %d from the %s after %d runs%s\n", work->rank, block,
           tutti_source_name(report.source), work->stopwatch->runs, right ? "" : ": WRONG");
    tutti_tuner_destroy(tuner);
    return right;
}

int main(int argc, char **argv)
{
    struct stopwatch stopwatch = {0};
    struct work work = {.length = 1000, .stopwatch = &stopwatch};
    tutti_group *group;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &work.rank);
    int error = tutti_group_create_mpi(MPI_COMM_WORLD, &group);
    if (error) {
        fprintf(stderr, "no group: %s\n", tutti_strerror(error));
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    int right = tutti_group_ranks(group) == 2 && strcmp(tutti_version(), TUTTI_VERSION) == 0 &&
                strlen(TUTTI_SOURCE_ID) > 0;
    right &= choose(group, &work, TUTTI_SOURCE_SEARCH);
    right &= choose(group, &work, TUTTI_SOURCE_RECORD);
    tutti_group_release(group);
    MPI_Finalize();
    return right ? 0 : 1;
}
