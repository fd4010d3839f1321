/*
 * Teams of POSIX threads in place of OpenMP's, whose own synchronisation the thread sanitizer does
 * not see. The linker puts these in front of the operator's (--wrap).
 */
#include <pthread.h>
#include <stdlib.h>

#include "team.h"

struct member {
    int thread, threads;
    reverse_a2a_team_body *body;
    void *context;
};

static void *be_member(void *argument)
{
    const struct member *member = argument;
    member->body(member->thread, member->threads, member->context);
    return NULL;
}

bool __wrap_reverse_a2a_has_threads(void);
void __wrap_reverse_a2a_run_team(int wanted, reverse_a2a_team_body *body, void *context);

bool __wrap_reverse_a2a_has_threads(void)
{
    return true;
}

void __wrap_reverse_a2a_run_team(int wanted, reverse_a2a_team_body *body, void *context)
{
    pthread_t threads[REVERSE_A2A_THREADS_MAX];
    struct member members[REVERSE_A2A_THREADS_MAX];
    for (int i = 0; i < wanted; i++)
        members[i] = (struct member){i, wanted, body, context};
    for (int i = 1; i < wanted; i++)
        if (pthread_create(&threads[i], NULL, be_member, &members[i]) != 0)
            abort();
    be_member(&members[0]);
    for (int i = 1; i < wanted; i++)
        pthread_join(threads[i], NULL);
}
