/* See job.h. */
#include "job.h"

#include <mpi.h>
#include <string.h>

#include "environment.h"
#include "options.h"

static void read_on_root(struct job *job, int argc, char **argv, const struct program *program)
{
    int world;
    MPI_Comm_size(MPI_COMM_WORLD, &world);
    if (!options_read(job, argc, argv, program, world))
        return;
    job->run = environment_read(job);
    job->exit_status = job->run ? 0 : EXIT_STATUS_USAGE;
}

bool job_read(struct job *job, int argc, char **argv, const struct program *program)
{
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    memset(job, 0, sizeof *job);
    if (rank == 0)
        read_on_root(job, argc, argv, program);
    MPI_Bcast(job, (int)sizeof *job, MPI_BYTE, 0, MPI_COMM_WORLD);
    return job->run;
}
