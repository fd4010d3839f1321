/*
 * Tunes a toy, a nap, on 3 processes that are joined by the group of own_group.c, and checks that
 * all of them were given the same configuration.
 */
#include <stdio.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "own_group.h"

enum { RANKS = 3 };

struct nap_config {
    unsigned milliseconds;
};

static const tutti_param params[] = {TUTTI_PARAM(struct nap_config, milliseconds, 3, 1, 2)};

static int nap(void *args, const void *config, const tutti_context *context)
{
    (void)args, (void)context;
    return usleep(1000 * ((const struct nap_config *)config)->milliseconds);
}

/* What each rank does. Returns its choice in milliseconds, or 0. */
static int tune(tutti_group *group)
{
    const tutti_tuner_desc desc = {.size = sizeof desc,
                                   .name = "nap",
                                   .params = params,
                                   .nparams = 1,
                                   .config_size = sizeof(struct nap_config),
                                   .run = nap};
    tutti_tuner *tuner;
    unsigned choice = 0;
    if (tutti_tuner_create(&desc, &tuner))
        return 0;
    if (tutti_call(tuner, NULL, group, NULL) == TUTTI_SUCCESS)
        choice = ((const struct nap_config *)tutti_best(tuner, NULL, group))->milliseconds;
    else
        fprintf(stderr, "%s\n", tutti_message(tuner, group));
    tutti_tuner_destroy(tuner);
    return (int)choice;
}

/* Keeps the two sockets of one rank and closes the others, so that the end of a rank is noticed. */
static tutti_group *join(int rank, int pairs[RANKS][2])
{
    int before = (rank + RANKS - 1) % RANKS;
    tutti_group *group;
    for (int i = 0; i < RANKS; i++) {
        if (i != rank)
            close(pairs[i][0]);
        if (i != before)
            close(pairs[i][1]);
    }
    return own_group_create(rank, RANKS, pairs[before][1], pairs[rank][0], &group) ? NULL : group;
}

int main(void)
{
    int pairs[RANKS][2], rank = 0, status, others = 0;
    for (int i = 0; i < RANKS; i++)
        if (socketpair(AF_UNIX, SOCK_STREAM, 0, pairs[i]))
            return 1;
    for (int i = 1; i < RANKS && rank == 0; i++)
        if (fork() == 0)
            rank = i;
    tutti_group *group = join(rank, pairs);
    int choice = group ? tune(group) : 0;
    tutti_group_release(group);
    if (rank != 0)
        return choice;
    while (wait(&status) > 0)
        others += WIFEXITED(status) && WEXITSTATUS(status) == choice;
    printf("%d ms on rank 0 and on %d others\n", choice, others);
    return choice > 0 && others == RANKS - 1 ? 0 : 1;
}
