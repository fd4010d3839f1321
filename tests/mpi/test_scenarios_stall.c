/*
 * A rank that does not come to tutti_call. The argument says how:
 *   absent   it never calls
 *   stopped  it is stopped by a signal
 *   known    it calls with a key that it knows while the others search another one: it only runs
 *   between  it does not come back from a candidate
 *   size     it does not come to tutti_max_size
 * The others must give up within the limit, name it, tell on_stall once, and say BROKEN from then
 * on.
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

#include <tutti/mpi.h>

#include "subject.h"

#define LIMIT 1.0
#define LATE  2

static int rank, ranks;
static const char *how;

struct fixture {
    struct subject subject; /* first: the callbacks of subject.h see it */
    char directory[256];
    tutti_tuner *tuner;
    tutti_group *group;
    struct subject_args args;
    int processes[64];
    int stalls;
    char told[1024]; /* what on_stall was told last */
    bool holds;      /* the late rank does not come back from a run */
};

static void on_stall(const char *message, void *user)
{
    struct fixture *fixture = user;
    fixture->stalls++;
    snprintf(fixture->told, sizeof fixture->told, "%s", message);
}

/* Rank LATE is held until the others have seen that it is missing. */
static void hold(void)
{
    if (strcmp(how, "stopped") == 0)
        raise(SIGSTOP);
    MPI_Barrier(MPI_COMM_WORLD);
}

static void let_go(const struct fixture *fixture)
{
    if (strcmp(how, "stopped") == 0 && rank == 0)
        kill((pid_t)fixture->processes[LATE], SIGCONT);
    MPI_Barrier(MPI_COMM_WORLD);
}

static int run_and_hold(struct subject *subject, void *args, const tutti_context *context)
{
    struct fixture *fixture = (struct fixture *)(void *)subject;
    (void)args;
    if (fixture->holds && rank == LATE && context->configuration == 1) {
        fixture->holds = false;
        hold();
    }
    return 0;
}

static size_t size_of(const void *config, const void *args, void *user)
{
    (void)config;
    (void)args;
    (void)user;
    return 8;
}

static int call(struct fixture *fixture)
{
    size_t bytes;
    if (strcmp(how, "size") == 0)
        return tutti_max_size(fixture->tuner, &fixture->args, fixture->group, size_of, &bytes);
    return tutti_call(fixture->tuner, &fixture->args, fixture->group, NULL);
}

static int setup(void **state)
{
    struct fixture *fixture = calloc(1, sizeof *fixture);
    const int process = (int)getpid();
    MPI_Allgather(&process, 1, MPI_INT, fixture->processes, 1, MPI_INT, MPI_COMM_WORLD);
    if (rank == 0)
        subject_make_directory(fixture->directory);
    MPI_Bcast(fixture->directory, sizeof fixture->directory, MPI_CHAR, 0, MPI_COMM_WORLD);
    subject_use_store(fixture->directory);
    setenv("TUTTI_STALL_TIMEOUT", "1", 1);
    fixture->args = (struct subject_args){.rows = 1, .dtype = "bf16"};
    fixture->subject.inside = run_and_hold;
    tutti_tuner_desc desc = subject_desc("subject", &fixture->subject);
    desc.on_stall = on_stall;
    assert_int_equal(tutti_tuner_create(&desc, &fixture->tuner), TUTTI_SUCCESS);
    assert_int_equal(tutti_group_create_mpi(MPI_COMM_WORLD, &fixture->group), TUTTI_SUCCESS);
    assert_int_equal(tutti_call(fixture->tuner, &fixture->args, fixture->group, NULL),
                     TUTTI_SUCCESS);
    *state = fixture;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *fixture = *state;
    tutti_tuner_destroy(fixture->tuner);
    tutti_group_release(fixture->group);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        subject_remove_directory(fixture->directory);
    free(fixture);
    return 0;
}

static void assert_contains(const char *text, const char *part)
{
    if (!strstr(text, part))
        fail_msg("rank %d: \"%s\" does not contain \"%s\"", rank, text, part);
}

static void expect_broken_at_once(struct fixture *fixture)
{
    for (fixture->args.rows = 1; fixture->args.rows <= 3; fixture->args.rows++) {
        const double begin = MPI_Wtime();
        assert_int_equal(call(fixture), TUTTI_ERR_BROKEN); /* known keys, too */
        assert_true(MPI_Wtime() - begin < 0.2);
    }
    assert_int_equal(fixture->stalls, 1);
}

static void expect_that_the_late_one_is_named(struct fixture *fixture)
{
    char part[64];
    const double begin = MPI_Wtime();
    assert_int_equal(call(fixture), TUTTI_ERR_STALL);
    assert_true(MPI_Wtime() - begin < LIMIT + 3);
    snprintf(part, sizeof part, "rank %d did not come to ", LATE);
    assert_contains(tutti_message(fixture->tuner, fixture->group), part);
    assert_contains(tutti_message(fixture->tuner, fixture->group),
                    strcmp(how, "size") == 0 ? ", in tutti_max_size of " : ", in tutti_call of ");
    assert_int_equal(fixture->stalls, 1);
    assert_contains(fixture->told, part);
}

static void come_late(struct fixture *fixture)
{
    fixture->holds = strcmp(how, "between") == 0;
    if (strcmp(how, "known") == 0) {
        fixture->args.rows = 1;
        assert_int_equal(call(fixture), TUTTI_SUCCESS); /* a hit waits for nobody */
        fixture->args.rows = 2;
    }
    if (!fixture->holds)
        hold();
    assert_int_equal(call(fixture), TUTTI_ERR_STALL); /* the others have given up long ago */
}

static void the_others_name_the_rank_that_does_not_come_and_go_on(void **state)
{
    struct fixture *fixture = *state;
    fixture->args.rows = 2;
    if (rank == LATE) {
        come_late(fixture);
    } else {
        expect_that_the_late_one_is_named(fixture);
        let_go(fixture);
    }
    expect_broken_at_once(fixture);
}

/* A stall is nobody's fault for sure: nothing is stored, and the next start tunes. */
static void a_new_group_tunes_after_a_stall(void **state)
{
    struct fixture *fixture = *state;
    tutti_group *old = fixture->group;
    MPI_Barrier(MPI_COMM_WORLD);
    assert_int_equal(tutti_group_create_mpi(MPI_COMM_WORLD, &fixture->group), TUTTI_SUCCESS);
    fixture->args.rows = 2;
    assert_int_equal(tutti_call(fixture->tuner, &fixture->args, fixture->group, NULL),
                     TUTTI_SUCCESS);
    tutti_report report = {.size = sizeof report};
    assert_int_equal(tutti_report_get(fixture->tuner, &fixture->args, fixture->group, &report),
                     TUTTI_SUCCESS);
    assert_int_equal(report.source, TUTTI_SOURCE_SEARCH);
    for (int i = 0; i < SUBJECT_SPACE; i++)
        assert_int_equal(report.trials[i].status, TUTTI_STATUS_OK);
    assert_int_equal(fixture->subject.last_index, report.configuration);
    tutti_group_release(old);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    how = argc > 1 ? argv[1] : "absent";
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_others_name_the_rank_that_does_not_come_and_go_on),
        cmocka_unit_test(a_new_group_tunes_after_a_stall),
    };
    int failed = cmocka_run_group_tests(tests, setup, teardown);
    if (failed)
        MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Finalize();
    return failed;
}
