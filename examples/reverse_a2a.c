/*
 * The reverse all-to-all with fixed blocks, as an application runs it before it meets a tuner:
 * every shape is verified and timed beside MPI_Alltoall. reverse_a2a_autotune.c is the same program
 * with tutti; docs/tutorial.md walks through the difference.
 *
 *     mpirun -n 2 reverse_a2a --shape 2048,8,128
 */
#include <mpi.h>
#include <stdlib.h>

#include <reverse_a2a/reverse_a2a.h>

#include "common/session.h"
#include "common/steady.h"

static const struct program program = {
    .summary = "Runs the reverse all-to-all with fixed blocks on every shape, verifies it and "
               "times it beside MPI_Alltoall.",
    .reference = "MPI_Alltoall"};

static const struct reverse_a2a_config blocks = {
    .comm_block_s = 128, .comm_block_d = 128, .buffer_num = 2};

static bool reserve_memory(struct problem *problem)
{
    size_t bytes = SIZE_MAX;
    reverse_a2a_memory_bytes(&problem->shape, &blocks, problem->team.ranks, &bytes);
    return problem_reserve(problem, bytes);
}

static bool run_shape(struct session *session, struct result *result)
{
    struct problem *problem = &session->problem;
    if (!reserve_memory(problem))
        return false;

    struct contender contenders[] = {
        {.name = "MPI_Alltoall", .launch = launch_reference},
        {.name = "blocks (128,128,2)", .launch = launch_blocks, .blocks = &blocks},
    };
    if (!steady_state(problem, &session->job, contenders, 2))
        return false;

    result->blocks = blocks;
    result->reference = contenders[0].seconds;
    result->tuned = contenders[1].seconds;
    return true;
}

int main(int argc, char **argv)
{
    static struct session session;
    struct result *result;
    MPI_Init(&argc, &argv);
    if (session_begin(&session, argc, argv, &program)) {
        while (session_next(&session, &result))
            session_finish(&session, run_shape(&session, result));
        session_print(&session);
    }
    const int status = session_end(&session);
    MPI_Finalize();
    return status;
}
