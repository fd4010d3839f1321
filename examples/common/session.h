/* A session: one run of a program, from its command line to its exit status. */
#ifndef EXAMPLES_SESSION_H
#define EXAMPLES_SESSION_H

#include "job.h"
#include "problem.h"
#include "result.h"

struct session {
    const struct program *program;
    struct job job;
    struct problem problem; /* the present one; its team is the session's */
    struct result *results; /* one for each shape of the job */
    int finished;           /* shapes */
    bool failed;
};

/*
 * Reads the job and forms the team. False where there is nothing to do: after bad options, after
 * help, on ranks that are not in the team. Either way session_end follows. Collective over the
 * world.
 */
bool session_begin(struct session *session, int argc, char **argv, const struct program *program);

/* The next shape becomes the session's problem, and *result a place for its outcome. False when
 * there is none left, and after a failure. Collective over the team. */
bool session_next(struct session *session, struct result **result);

/* Ends the problem; `good` says whether its result holds. Collective over the team. */
void session_finish(struct session *session, bool good);

/* Prints the table, on the team's root, unless something failed. */
void session_print(const struct session *session);

/* Frees everything, and returns the exit status, the same on all ranks. Collective over the world.
 */
int session_end(struct session *session);

#endif
