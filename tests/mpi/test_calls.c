/* What calls can be asked for, over MPI: forced configurations, tuning ahead of time, forgetting.
 * What differs or fails on one rank is the same on all. The clock is simulated. */
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <mpi.h>

#include <tutti/mpi.h>

#include "subject.h"

#define BEST 3 /* block=32, depth=2 */

static int rank, ranks;
static int last; /* the rank on which things go wrong */

struct fixture {
    struct subject subject; /* first: it is the callbacks' user pointer */
    char directory[256];
    int held; /* configurations that are prepared */
    tutti_tuner *tuner;
    tutti_group *group;
    struct subject_args args;
};

static int prepare(void *args, const void *config, const tutti_context *context)
{
    struct fixture *fixture = context->user;
    (void)args;
    (void)config;
    fixture->held++;
    return 0;
}

/* At the tuner's end there is no group; before, all ranks release together. */
static void release(void *args, const void *config, const tutti_context *context)
{
    struct fixture *fixture = context->user;
    (void)args;
    (void)config;
    fixture->held--;
}

static void open_tuner(struct fixture *fixture)
{
    tutti_tuner_desc desc = subject_desc("subject", &fixture->subject);
    desc.prepare = prepare;
    desc.release = release;
    assert_int_equal(tutti_tuner_create(&desc, &fixture->tuner), TUTTI_SUCCESS);
    assert_int_equal(tutti_group_create_mpi(MPI_COMM_WORLD, &fixture->group), TUTTI_SUCCESS);
}

static void close_tuner(struct fixture *fixture)
{
    tutti_tuner_destroy(fixture->tuner);
    tutti_group_release(fixture->group);
    assert_int_equal(fixture->held, 0);
}

static void reopen(struct fixture *fixture)
{
    close_tuner(fixture);
    fixture->subject.runs = 0;
    open_tuner(fixture);
}

static int setup(void **state)
{
    struct fixture *fixture = calloc(1, sizeof *fixture);
    if (rank == 0)
        subject_make_directory(fixture->directory);
    MPI_Bcast(fixture->directory, sizeof fixture->directory, MPI_CHAR, 0, MPI_COMM_WORLD);
    subject_use_store(fixture->directory);
    fixture->args = (struct subject_args){.rows = 4096, .dtype = "bf16"};
    for (int i = 0; i < SUBJECT_SPACE; i++)
        fixture->subject.seconds[i] = 1 + i;
    fixture->subject.seconds[BEST] = 0.75;
    open_tuner(fixture);
    *state = fixture;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *fixture = *state;
    close_tuner(fixture);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        subject_remove_directory(fixture->directory);
    free(fixture);
    return 0;
}

/* Status and sentence of what a rank got are everybody's. */
static int same(struct fixture *fixture, int status)
{
    const char *sentence = status ? tutti_message(fixture->tuner, fixture->group) : "";
    int64_t hash = 1469598103934665603 ^ status; /* FNV-1a */
    for (; *sentence; sentence++)
        hash = (int64_t)(((uint64_t)hash ^ (unsigned char)*sentence) * 1099511628211u);
    int64_t extremes[2] = {hash, -hash};
    MPI_Request request;
    int done = 0;
    MPI_Iallreduce(MPI_IN_PLACE, extremes, 2, MPI_INT64_T, MPI_MAX, MPI_COMM_WORLD, &request);
    while (!done) {
        MPI_Test(&request, &done, MPI_STATUS_IGNORE);
        sched_yield();
    }
    assert_true(extremes[0] == -extremes[1]);
    return status;
}

static int call_here(struct fixture *fixture, const struct subject_config *forced)
{
    const tutti_call_options options = {.size = sizeof options, .force = forced};
    return tutti_call(fixture->tuner, &fixture->args, fixture->group, &options);
}

static int call(struct fixture *fixture, const struct subject_config *forced)
{
    return same(fixture, call_here(fixture, forced));
}

static int tune(struct fixture *fixture)
{
    return same(fixture, tutti_tune(fixture->tuner, &fixture->args, fixture->group, NULL));
}

static int forget(struct fixture *fixture, unsigned flags)
{
    return same(fixture, tutti_forget(fixture->tuner, &fixture->args, fixture->group, flags));
}

static tutti_report report(struct fixture *fixture)
{
    tutti_report result = {.size = sizeof result};
    assert_int_equal(tutti_report_get(fixture->tuner, &fixture->args, fixture->group, &result),
                     TUTTI_SUCCESS);
    return result;
}

static void assert_said(struct fixture *fixture, const char *part)
{
    const char *message = tutti_message(fixture->tuner, fixture->group);
    if (!strstr(message, part))
        fail_msg("\"%s\" does not contain \"%s\"", message, part);
}

static int records(struct fixture *fixture)
{
    MPI_Barrier(MPI_COMM_WORLD);
    int files = subject_count_files(fixture->directory, NULL);
    MPI_Barrier(MPI_COMM_WORLD);
    return files;
}

static const struct subject_config one = {.block = 64, .depth = 1}, other = {.block = 64, 2};

static void a_forced_call_again_is_a_hit_without_communication(void **state)
{
    struct fixture *fixture = *state;
    assert_int_equal(call(fixture, &one), TUTTI_SUCCESS);
    assert_int_equal(report(fixture).source, TUTTI_SOURCE_FORCED_CODE);
    /* One rank after another: a hit that waited for others would never end. */
    for (int turn = 0; turn < ranks; turn++) {
        if (turn == rank)
            assert_int_equal(call_here(fixture, &one), TUTTI_SUCCESS);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    assert_int_equal(fixture->subject.runs, 2);
    assert_int_equal(records(fixture), 0);
}

static void ranks_that_force_different_ones_get_an_error_that_names_both(void **state)
{
    struct fixture *fixture = *state;
    if (ranks == 1)
        skip();
    assert_int_equal(call(fixture, rank == last ? &other : &one), TUTTI_ERR_DISAGREE);
    assert_said(fixture, "the ranks disagree in the operation: rank 0 has \"tutti_call with "
                         "block=64, depth=1 forced\"");
    assert_said(fixture, "has \"tutti_call with block=64, depth=2 forced\"");
    assert_int_equal(fixture->subject.runs, 0);
}

static void one_rank_alone_can_not_force_and_poisons_nothing(void **state)
{
    struct fixture *fixture = *state;
    if (ranks == 1)
        skip();
    assert_int_equal(call(fixture, rank == last ? &one : NULL), TUTTI_ERR_DISAGREE);
    assert_int_equal(call(fixture, NULL), TUTTI_SUCCESS);
    assert_int_equal(report(fixture).source, TUTTI_SOURCE_SEARCH);
    assert_int_equal(fixture->subject.last_index, BEST);
}

static void what_one_rank_forces_from_outside_the_space_is_an_error_on_all(void **state)
{
    struct fixture *fixture = *state;
    const struct subject_config outside = {.block = 48, .depth = 1};
    assert_int_equal(call(fixture, rank == last ? &outside : &one), TUTTI_ERR_ARGUMENT);
    assert_said(fixture, "the forced configuration is not in the space");
}

static void with_check_ranks_that_force_different_known_ones_are_found(void **state)
{
    struct fixture *fixture = *state;
    if (ranks == 1)
        skip();
    setenv("TUTTI_CHECK", "1", 1);
    reopen(fixture);
    assert_int_equal(call(fixture, &one), TUTTI_SUCCESS);
    assert_int_equal(call(fixture, &other), TUTTI_SUCCESS);
    int status = call(fixture, rank == last ? &other : &one);
    unsetenv("TUTTI_CHECK");
    assert_int_equal(status, TUTTI_ERR_DISAGREE);
}

static void a_forced_configuration_that_fails_on_one_rank_is_an_error_on_all(void **state)
{
    struct fixture *fixture = *state;
    fixture->subject.fail_status[4] = rank == last ? 5 : 0;
    assert_int_equal(call(fixture, &one), TUTTI_ERR_RUN);
    assert_said(fixture, "the final run returned 5");
    assert_null(tutti_best(fixture->tuner, &fixture->args, fixture->group));
}

static void what_the_root_has_in_its_environment_is_forced_on_all(void **state)
{
    struct fixture *fixture = *state;
    setenv("TUTTI_FORCE", rank == 0 ? "subject:block=64" : "subject:block=16", 1);
    setenv("TUTTI_LOG", "error", 1);
    reopen(fixture);
    assert_int_equal(call(fixture, NULL), TUTTI_SUCCESS);
    assert_int_equal(fixture->subject.last_index, 4);
    assert_int_equal(report(fixture).source, TUTTI_SOURCE_FORCED_ENVIRONMENT);
    assert_int_equal(fixture->subject.runs, 1);
    assert_int_equal(records(fixture), 0);
}

static void a_mistake_in_the_roots_environment_is_an_error_on_all(void **state)
{
    struct fixture *fixture = *state;
    setenv("TUTTI_LOG", "error", 1);
    if (rank == 0)
        setenv("TUTTI_FORCE", "subject:block=65", 1);
    reopen(fixture);
    assert_int_equal(call(fixture, NULL), TUTTI_ERR_SETTING);
    assert_said(fixture, "\"65\" is no value of block of subject: allowed are 16, 32, 64");
}

static void tuning_ahead_makes_a_hit_of_the_call(void **state)
{
    struct fixture *fixture = *state;
    assert_int_equal(tune(fixture), TUTTI_SUCCESS);
    assert_int_equal(fixture->subject.runs_by_purpose[TUTTI_PURPOSE_FINAL], 0);
    assert_int_equal(records(fixture), 1);
    assert_int_equal(fixture->held, 1);
    for (int turn = 0; turn < ranks; turn++) {
        if (turn == rank)
            assert_int_equal(call_here(fixture, NULL), TUTTI_SUCCESS);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    assert_int_equal(fixture->subject.last_index, BEST);
    assert_int_equal(fixture->subject.runs_by_purpose[TUTTI_PURPOSE_FINAL], 1);
}

static void ranks_that_tune_while_others_call_get_an_error(void **state)
{
    struct fixture *fixture = *state;
    if (ranks == 1)
        skip();
    int status = rank == last ? tutti_tune(fixture->tuner, &fixture->args, fixture->group, NULL)
                              : tutti_call(fixture->tuner, &fixture->args, fixture->group, NULL);
    assert_int_equal(same(fixture, status), TUTTI_ERR_DISAGREE);
    assert_said(fixture, "rank 0 has \"tutti_call\"");
}

static void a_configuration_that_fails_on_one_rank_is_not_tuned_ahead(void **state)
{
    struct fixture *fixture = *state;
    fixture->subject.fail_status[BEST] = rank == last ? 5 : 0;
    assert_int_equal(tune(fixture), TUTTI_SUCCESS);
    assert_int_equal(report(fixture).configuration, 0);
    assert_int_equal(report(fixture).trials[BEST].status, TUTTI_STATUS_FAILED);
}

static void all_ranks_and_the_record_know_the_launchers_own_status(void **state)
{
    struct fixture *fixture = *state;
    fixture->subject.fail_status[BEST] = rank == last ? -5 : 0;
    assert_int_equal(call(fixture, NULL), TUTTI_SUCCESS);
    assert_int_equal(report(fixture).trials[BEST].launcher_status, -5);
    assert_int_equal(report(fixture).trials[0].launcher_status, 0);
    reopen(fixture);
    assert_int_equal(call(fixture, NULL), TUTTI_SUCCESS);
    assert_int_equal(report(fixture).source, TUTTI_SOURCE_RECORD);
    assert_int_equal(report(fixture).trials[BEST].launcher_status, -5);
}

static void what_all_forget_is_looked_up_again_by_all(void **state)
{
    struct fixture *fixture = *state;
    assert_int_equal(call(fixture, NULL), TUTTI_SUCCESS);
    assert_int_equal(forget(fixture, 0), TUTTI_SUCCESS);
    assert_int_equal(fixture->held, 0);
    assert_int_equal(call(fixture, NULL), TUTTI_SUCCESS);
    assert_int_equal(report(fixture).source, TUTTI_SOURCE_RECORD);
    assert_int_equal(forget(fixture, TUTTI_FORGET_ALL | TUTTI_FORGET_RECORD), TUTTI_SUCCESS);
    assert_int_equal(records(fixture), 0);
    assert_int_equal(call(fixture, NULL), TUTTI_SUCCESS);
    assert_int_equal(report(fixture).source, TUTTI_SOURCE_SEARCH);
}

static void ranks_that_forget_different_things_forget_nothing(void **state)
{
    struct fixture *fixture = *state;
    if (ranks == 1)
        skip();
    assert_int_equal(call(fixture, NULL), TUTTI_SUCCESS);
    assert_int_equal(forget(fixture, rank == last ? TUTTI_FORGET_ALL : 0), TUTTI_ERR_DISAGREE);
    fixture->args.rows = rank == last ? 8 : 4096;
    assert_int_equal(forget(fixture, TUTTI_FORGET_RECORD), TUTTI_ERR_DISAGREE);
    fixture->args.rows = 4096;
    assert_non_null(tutti_best(fixture->tuner, &fixture->args, fixture->group));
    assert_int_equal(records(fixture), 1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        TEST(a_forced_call_again_is_a_hit_without_communication),
        TEST(ranks_that_force_different_ones_get_an_error_that_names_both),
        TEST(one_rank_alone_can_not_force_and_poisons_nothing),
        TEST(what_one_rank_forces_from_outside_the_space_is_an_error_on_all),
        TEST(with_check_ranks_that_force_different_known_ones_are_found),
        TEST(a_forced_configuration_that_fails_on_one_rank_is_an_error_on_all),
        TEST(what_the_root_has_in_its_environment_is_forced_on_all),
        TEST(a_mistake_in_the_roots_environment_is_an_error_on_all),
        TEST(tuning_ahead_makes_a_hit_of_the_call),
        TEST(ranks_that_tune_while_others_call_get_an_error),
        TEST(a_configuration_that_fails_on_one_rank_is_not_tuned_ahead),
        TEST(all_ranks_and_the_record_know_the_launchers_own_status),
        TEST(what_all_forget_is_looked_up_again_by_all),
        TEST(ranks_that_forget_different_things_forget_nothing),
    };
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    last = ranks - 1;
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    /* A failed assertion leaves the other ranks in an operation: end them, don't wait for them. */
    if (failed)
        MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Finalize();
    return failed;
}
