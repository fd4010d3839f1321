/*
 * A program like the examples whose launcher corrupts one byte of C on the last rank: what a user
 * sees of a wrong result. See wrong_result.sh.
 */
#include <mpi.h>

#include "common/session.h"
#include "common/steady.h"

static const struct program program = {.summary = "Is wrong on purpose."};

static int launch_corrupting(struct problem *problem, const struct contender *self)
{
    const int result = launch_reference(problem, self);
    unsigned char *c = problem->tensors.c;
    if (problem->team.rank == problem->team.ranks - 1)
        c[problem->tensors.bytes - 1] ^= 0xff;
    return result;
}

int main(int argc, char **argv)
{
    static struct session session;
    struct result *result;
    MPI_Init(&argc, &argv);
    if (session_begin(&session, argc, argv, &program)) {
        while (session_next(&session, &result)) {
            struct contender contender = {.name = "corrupting", .launch = launch_corrupting};
            const bool good = steady_state(&session.problem, &session.job, &contender, 1);
            session_finish(&session, good);
        }
        session_print(&session);
    }
    const int status = session_end(&session);
    MPI_Finalize();
    return status;
}
