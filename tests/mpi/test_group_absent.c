/*
 * Ranks that do not come. The arguments are how, and which: "absent 2", "absent 0 3", "stopped 2".
 * The others must give up within the limit and name them. Then the late ranks come after all and
 * must learn at once that it is over. A group broken by all this does not keep the job from ending.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <mpi.h>

#include <tutti/error.h>
#include <tutti/mpi.h>

#include "group.h"

#define LIMIT         1.0
#define RANKS_AT_MOST 64

static int rank, ranks;
static bool late[RANKS_AT_MOST]; /* by rank */
static bool stopped;
static char missing[256]; /* how messages name the late ranks */
static int processes[RANKS_AT_MOST];

static void name_missing(void)
{
    int count = 0;
    char list[200] = "";
    for (int other = 0; other < ranks; other++) {
        if (late[other]) {
            const size_t length = strlen(list);
            snprintf(list + length, sizeof list - length, "%s%d", count ? ", " : "", other);
            count++;
        }
    }
    snprintf(missing, sizeof missing, "%s %s did not come to the test within",
             count == 1 ? "rank" : "ranks", list);
}

static int first_waiter(void)
{
    int waiter = 0;
    while (late[waiter])
        waiter++;
    return waiter;
}

/* The late ranks are held until the others have seen that they are missing. */

static void hold_until_released(void)
{
    if (stopped)
        raise(SIGSTOP);
    MPI_Barrier(MPI_COMM_WORLD);
}

static void release_late_ranks(void)
{
    for (int other = 0; stopped && rank == first_waiter() && other < ranks; other++)
        if (late[other])
            kill((pid_t)processes[other], SIGCONT);
    MPI_Barrier(MPI_COMM_WORLD);
}

static void expect_names_within_the_limit(tutti_group *group)
{
    struct text why = {0}, later = {0};
    uint64_t word = 0;
    double start = MPI_Wtime();
    assert_int_equal(group_reduce_max(group, &word, 1, "the test", &why), TUTTI_ERR_STALL);
    assert_true(MPI_Wtime() - start < LIMIT + 3);
    if (!strstr(why.bytes, missing))
        fail_msg("rank %d: \"%s\" is not in \"%s\"", rank, missing, why.bytes);
    start = MPI_Wtime();
    assert_int_equal(group_barrier(group, "a later step", &later), TUTTI_ERR_BROKEN);
    assert_true(MPI_Wtime() - start < 0.1);
    assert_non_null(strstr(later.bytes, missing));
    text_release(&why);
    text_release(&later);
}

static void expect_that_it_is_over(tutti_group *group)
{
    struct text why = {0};
    uint64_t word = 0;
    group->settings.stall_timeout = 0; /* for ever: the others must say that it is over */
    const int error = group_reduce_max(group, &word, 1, "the test", &why);
    assert_int_equal(error, TUTTI_ERR_STALL);
    assert_non_null(strstr(why.bytes, "the test was given up after"));
    text_release(&why);
}

static void missing_ranks_are_named_within_the_limit(void **state)
{
    tutti_group *group;
    const int process = (int)getpid();
    (void)state;
    MPI_Allgather(&process, 1, MPI_INT, processes, 1, MPI_INT, MPI_COMM_WORLD);
    assert_int_equal(tutti_group_create_mpi(MPI_COMM_WORLD, &group), TUTTI_SUCCESS);
    assert_int_equal(group_attach(group, NULL), TUTTI_SUCCESS);
    assert_true(group->settings.stall_timeout == LIMIT);
    if (late[rank]) {
        hold_until_released();
        expect_that_it_is_over(group);
    } else {
        expect_names_within_the_limit(group);
        release_late_ranks();
    }
    tutti_group_release(group);
}

int main(int argc, char **argv)
{
    setenv("TUTTI_STALL_TIMEOUT", "1", 1);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    stopped = argc > 1 && strcmp(argv[1], "stopped") == 0;
    for (int i = 2; i < argc; i++)
        late[atoi(argv[i]) % ranks] = true;
    name_missing();
    const struct CMUnitTest tests[] = {cmocka_unit_test(missing_ranks_are_named_within_the_limit)};
    const int failures = cmocka_run_group_tests(tests, NULL, NULL);
    MPI_Finalize();
    return failures;
}
