/*
 * A team: the ranks that work on the problems, and how they agree. Whatever waits here gives the
 * processor away in between, so that more ranks than cores do not slow each other down.
 */
#ifndef EXAMPLES_TEAM_H
#define EXAMPLES_TEAM_H

#include <mpi.h>
#include <stdbool.h>

struct team {
    MPI_Comm comm; /* MPI_COMM_NULL on ranks that are not in it */
    int rank, ranks;
};

/* The first `ranks` ranks of the world become a team; true on these. Collective over the world. */
bool team_form(struct team *team, int ranks);

/* Collective over the team; nothing on other ranks. */
void team_dissolve(struct team *team);

/* Collective. */
void team_barrier(const struct team *team);

/* Each value becomes the maximum over the team. Collective. */
void team_maximum(const struct team *team, double *values, int count);

/*
 * True on all ranks if it was good on all. Otherwise the first rank where it was not prints the
 * sentence on stderr, after its number. Collective.
 */
bool team_agree(const struct team *team, bool good, const char *format, ...)
    __attribute__((__format__(__printf__, 3, 4)));

/* The largest exit status of the world's ranks. Ranks outside a team wait here for its end, asleep.
 * Collective over the world. */
int world_status(int status);

#endif
