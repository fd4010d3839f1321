/* See session.h. */
#include "session.h"

#include <stdio.h>
#include <stdlib.h>

#include "table.h"

bool session_begin(struct session *session, int argc, char **argv, const struct program *program)
{
    struct team *team = &session->problem.team;
    session->program = program;
    team->comm = MPI_COMM_NULL;
    if (!job_read(&session->job, argc, argv, program) || !team_form(team, session->job.ranks))
        return false;
    session->problem.dtype = session->job.dtype;
    session->results = calloc((size_t)session->job.nshapes, sizeof *session->results);
    session->failed = !team_agree(team, session->results, "no memory for the results");
    return !session->failed;
}

bool session_next(struct session *session, struct result **result)
{
    const struct job *job = &session->job;
    if (session->failed || session->finished == job->nshapes)
        return false;
    const struct reverse_a2a_shape *shape = &job->shapes[session->finished];
    if (!problem_begin(&session->problem, shape)) {
        session_finish(session, false);
        return false;
    }
    if (session->program->tunes && !job->quiet && session->problem.team.rank == 0)
        fprintf(stderr, "shape %d of %d: %s\n", session->finished + 1, job->nshapes,
                session->problem.name);
    *result = &session->results[session->finished];
    **result = (struct result){
        .shape = *shape, .ranks = job->ranks, .dtype = job->dtype, .source = "", .record = ""};
    return true;
}

void session_finish(struct session *session, bool good)
{
    problem_end(&session->problem);
    session->finished += good;
    session->failed |= !good;
}

void session_print(const struct session *session)
{
    if (!session->failed && session->problem.team.rank == 0)
        table_print(stdout, session->program, session->results, session->finished);
}

int session_end(struct session *session)
{
    struct team *team = &session->problem.team;
    if (team->comm != MPI_COMM_NULL)
        launcher_close(&session->problem.launcher);
    team_dissolve(team);
    free(session->results);
    return world_status(session->failed ? EXIT_FAILURE : session->job.exit_status);
}
