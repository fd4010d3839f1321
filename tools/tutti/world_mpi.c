/* See world.h. */
#include "world.h"

#include <sched.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <mpi.h>

#include <tutti/mpi.h>
#include <tutti/tutti.h>

#include "print.h"

#define BARRIERS 51

const bool world_has_mpi = true;

bool world_start(struct world *world)
{
    char library[MPI_MAX_LIBRARY_VERSION_STRING] = "";
    int length, provided;
    *world = (struct world){.is_mpi = true};
    MPI_Init_thread(NULL, NULL, MPI_THREAD_SINGLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &world->rank);
    MPI_Comm_size(MPI_COMM_WORLD, &world->size);
    MPI_Get_library_version(library, &length);
    library[strcspn(library, "\n,")] = '\0'; /* MPICH goes on for lines */
    snprintf(world->library, sizeof world->library, "%.*s", (int)sizeof world->library - 1,
             library);
    return true;
}

void world_end(void)
{
    MPI_Finalize();
}

void world_gather(const void *mine, void *all, size_t size)
{
    MPI_Gather(mine, (int)size, MPI_BYTE, all, (int)size, MPI_BYTE, 0, MPI_COMM_WORLD);
}

/* ---- a group ---- */

struct config {
    int unused;
};

static const tutti_param params[] = {TUTTI_PARAM(struct config, unused, 1, 2)};

static int launch(void *args, const void *config, const tutti_context *context)
{
    (void)args, (void)config, (void)context;
    return 0;
}

static int tune(tutti_group *group)
{
    tutti_tuner *tuner;
    const tutti_tuner_desc desc = {.size = sizeof desc,
                                   .name = "doctor",
                                   .params = params,
                                   .nparams = 1,
                                   .config_size = sizeof(struct config),
                                   .run = launch};
    int status = tutti_tuner_create(&desc, &tuner);
    if (status)
        return status;
    status = tutti_call(tuner, NULL, group, NULL);
    tutti_tuner_destroy(tuner);
    return status;
}

const char *world_try_group(void)
{
    tutti_group *group;
    /* Settings of the user's may forbid a search, and nothing is to be stored. */
    setenv("TUTTI_MODE", "read-only", 1);
    setenv("TUTTI_ALWAYS_TUNE", "true", 1);
    int status = tutti_group_create_mpi(MPI_COMM_WORLD, &group);
    if (!status) {
        status = tune(group);
        tutti_group_release(group);
    }
    return status ? tutti_strerror(status) : NULL;
}

/* ---- the barrier ---- */

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *values, size_t count)
{
    qsort(values, count, sizeof *values, by_value);
    return values[count / 2];
}

/* As the library waits: it yields, since ranks may outnumber the cores. */
static void barrier(MPI_Comm comm)
{
    MPI_Request request;
    int done = 0;
    MPI_Ibarrier(comm, &request);
    while (!done) {
        MPI_Test(&request, &done, MPI_STATUS_IGNORE);
        if (!done)
            sched_yield();
    }
}

bool world_measure_barrier(double *skew, double *duration)
{
    MPI_Comm host;
    int size;
    double left[BARRIERS], took[BARRIERS], first[BARRIERS], last[BARRIERS];
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host);
    MPI_Comm_size(host, &size);
    for (int i = 0; i < BARRIERS; i++) {
        const double begin = now();
        barrier(host);
        left[i] = now();
        took[i] = left[i] - begin;
    }
    MPI_Allreduce(left, first, BARRIERS, MPI_DOUBLE, MPI_MIN, host);
    MPI_Allreduce(left, last, BARRIERS, MPI_DOUBLE, MPI_MAX, host);
    MPI_Comm_free(&host);
    for (int i = 0; i < BARRIERS; i++)
        last[i] -= first[i];
    *skew = median(last, BARRIERS);
    *duration = median(took, BARRIERS);
    return size > 1;
}
