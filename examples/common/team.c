/* See team.h. */
#include "team.h"

#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <time.h>

bool team_form(struct team *team, int ranks)
{
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_split(MPI_COMM_WORLD, rank < ranks ? 0 : MPI_UNDEFINED, rank, &team->comm);
    team->rank = rank;
    team->ranks = ranks;
    return team->comm != MPI_COMM_NULL;
}

void team_dissolve(struct team *team)
{
    if (team->comm != MPI_COMM_NULL)
        MPI_Comm_free(&team->comm);
}

static void wait_for(MPI_Request *request)
{
    int done = 0;
    while (MPI_Test(request, &done, MPI_STATUS_IGNORE) == MPI_SUCCESS && !done)
        sched_yield();
}

void team_barrier(const struct team *team)
{
    MPI_Request request;
    MPI_Ibarrier(team->comm, &request);
    wait_for(&request);
}

void team_maximum(const struct team *team, double *values, int count)
{
    MPI_Request request;
    MPI_Iallreduce(MPI_IN_PLACE, values, count, MPI_DOUBLE, MPI_MAX, team->comm, &request);
    wait_for(&request);
}

bool team_agree(const struct team *team, bool good, const char *format, ...)
{
    int first_bad = good ? team->ranks : team->rank;
    MPI_Request request;
    MPI_Iallreduce(MPI_IN_PLACE, &first_bad, 1, MPI_INT, MPI_MIN, team->comm, &request);
    wait_for(&request);
    if (first_bad == team->rank) {
        char sentence[1024];
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(sentence, sizeof sentence, format, arguments);
        va_end(arguments);
        fprintf(stderr, "rank %d: %s\n", team->rank, sentence);
    }
    return first_bad == team->ranks;
}

int world_status(int status)
{
    const struct timespec nap = {.tv_nsec = 1000000};
    int done = 0;
    MPI_Request request;
    MPI_Iallreduce(MPI_IN_PLACE, &status, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD, &request);
    while (MPI_Test(&request, &done, MPI_STATUS_IGNORE) == MPI_SUCCESS && !done)
        nanosleep(&nap, NULL);
    return status;
}
