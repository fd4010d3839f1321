/* The group of threads: its operations, its stalls, and tuning on it. Threads only note what they
 * got; the checks are made by the thread of the test. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <pthread.h>

#include <tutti/tutti.h>

#include "group.h"
#include "subject.h"

#define RANKS 5

/* What one rank has, and what it got. */
struct rank {
    tutti_group *group;
    int rank;
    void *shared; /* what the test gives to all */
    int error, mistakes;
    struct text why;
    void (*work)(struct rank *rank);
};

static void *start_rank(void *data)
{
    struct rank *rank = data;
    rank->work(rank);
    return NULL;
}

/* Makes a group and runs work on all ranks from `first` on. */
static void run_ranks(struct rank ranks[RANKS], void (*work)(struct rank *), void *shared,
                      int first)
{
    tutti_group *groups[RANKS];
    pthread_t threads[RANKS];
    assert_int_equal(tutti_group_create_threads(RANKS, groups), TUTTI_SUCCESS);
    for (int i = 0; i < RANKS; i++)
        ranks[i] = (struct rank){.group = groups[i], .rank = i, .shared = shared, .work = work};
    for (int i = first; i < RANKS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, start_rank, &ranks[i]), 0);
    for (int i = first; i < RANKS; i++)
        pthread_join(threads[i], NULL);
}

static void release_ranks(struct rank ranks[RANKS])
{
    for (int i = 0; i < RANKS; i++) {
        tutti_group_release(ranks[i].group);
        text_release(&ranks[i].why);
    }
}

static void run_without_mistake(void (*work)(struct rank *), void *shared)
{
    struct rank ranks[RANKS];
    run_ranks(ranks, work, shared, 0);
    for (int i = 0; i < RANKS; i++) {
        assert_int_equal(ranks[i].error, TUTTI_SUCCESS);
        assert_int_equal(ranks[i].mistakes, 0);
    }
    release_ranks(ranks);
}

static void arguments_are_checked(void **state)
{
    (void)state;
    tutti_group *groups[2];
    assert_int_equal(tutti_group_create_threads(1, NULL), TUTTI_ERR_ARGUMENT);
    assert_int_equal(tutti_group_create_threads(0, groups), TUTTI_ERR_ARGUMENT);
    assert_int_equal(tutti_group_create_threads(65537, groups), TUTTI_ERR_ARGUMENT);
    assert_int_equal(tutti_group_create_threads(2, groups), TUTTI_SUCCESS);
    assert_int_equal(tutti_group_rank(groups[1]), 1);
    assert_int_equal(tutti_group_ranks(groups[1]), 2);
    assert_string_equal(groups[0]->ops.kind, "threads");
    tutti_group_release(groups[0]);
    tutti_group_release(groups[1]);
}

static void one_rank_needs_nobody(void **state)
{
    (void)state;
    tutti_group *group;
    uint64_t word = 7;
    assert_int_equal(tutti_group_create_threads(1, &group), TUTTI_SUCCESS);
    assert_int_equal(group_reduce_max(group, &word, 1, "a step", NULL), TUTTI_SUCCESS);
    assert_int_equal(group_broadcast(group, &word, sizeof word, 0, "a step", NULL), TUTTI_SUCCESS);
    assert_int_equal(group_barrier(group, "a step", NULL), TUTTI_SUCCESS);
    assert_int_equal(word, 7);
    tutti_group_release(group);
}

/* A number that rank and position make, the greatest on a rank that depends on the position. */
static uint64_t number(int rank, uint64_t i, uint64_t salt)
{
    uint64_t top = (i + salt) % RANKS == (uint64_t)rank ? UINT64_C(1) << 63 : 0;
    return top | (i * 2654435761U + salt);
}

#define LONGEST 1500 /* words: three pieces */

static void reduce(struct rank *rank, size_t n, uint64_t salt)
{
    static _Thread_local uint64_t words[LONGEST];
    for (size_t i = 0; i < n; i++)
        words[i] = number(rank->rank, i, salt);
    rank->error |= group_reduce_max(rank->group, words, n, "a reduction", &rank->why);
    for (size_t i = 0; i < n; i++)
        rank->mistakes += words[i] != number((int)((i + salt) % RANKS), i, salt);
}

static void broadcast(struct rank *rank, size_t n, uint64_t salt)
{
    static _Thread_local unsigned char bytes[8 * LONGEST];
    const int root = (int)(salt % RANKS);
    for (size_t i = 0; i < n; i++)
        bytes[i] = rank->rank == root ? (unsigned char)(i + salt) : 0xee;
    rank->error |= group_broadcast(rank->group, bytes, n, root, "a broadcast", &rank->why);
    for (size_t i = 0; i < n; i++)
        rank->mistakes += bytes[i] != (unsigned char)(i + salt);
}

static void operate_in_turn(struct rank *rank)
{
    static const size_t lengths[] = {0, 1, 2, 511, 512, 513, 1024, LONGEST};
    for (uint64_t step = 0; step < 1000; step++) {
        size_t n = lengths[step % 8];
        reduce(rank, n, step);
        if (step % 3 == 0)
            broadcast(rank, n ? 8 * n - 3 : 1, step);
    }
}

static void operations_of_any_length_are_right_one_after_another(void **state)
{
    (void)state;
    run_without_mistake(operate_in_turn, NULL);
}

static void wait_for_all(struct rank *rank)
{
    rank->group->settings.stall_timeout = 0.05;
    rank->error = group_barrier(rank->group, "the meeting", &rank->why);
}

static void a_missing_rank_is_named_by_all_and_by_itself_when_it_comes(void **state)
{
    (void)state;
    struct rank ranks[RANKS];
    struct text why = {0};
    run_ranks(ranks, wait_for_all, NULL, 1);
    for (int i = 1; i < RANKS; i++) {
        assert_int_equal(ranks[i].error, TUTTI_ERR_STALL);
        assert_non_null(strstr(ranks[i].why.bytes, "rank 0 did not come to the meeting"));
        assert_int_equal(group_barrier(ranks[i].group, "more", NULL), TUTTI_ERR_BROKEN);
    }
    assert_int_equal(group_barrier(ranks[0].group, "the meeting", &why), TUTTI_ERR_STALL);
    assert_string_equal(why.bytes, "the others gave up waiting for rank 0 before it came to the "
                                   "meeting");
    text_release(&why);
    release_ranks(ranks);
}

/* Every rank frees its handle as soon as it has given up, and the missing rank comes after that. */
static void give_up_and_leave(struct rank *rank)
{
    uint64_t *words = calloc(100, sizeof *words);
    rank->group->settings.stall_timeout = 0.01;
    rank->error = group_reduce_max(rank->group, words, 100, "the meeting", NULL);
    free(words);
    tutti_group_release(rank->group);
    rank->group = NULL;
}

static void a_rank_may_come_after_the_others_have_left_for_good(void **state)
{
    (void)state;
    struct rank ranks[RANKS];
    uint64_t words[100] = {0};
    run_ranks(ranks, give_up_and_leave, NULL, 1);
    assert_int_equal(group_reduce_max(ranks[0].group, words, 100, "late", NULL), TUTTI_ERR_STALL);
    release_ranks(ranks);
}

static void make_another_operation(struct rank *rank)
{
    uint64_t words[4] = {0};
    if (rank->rank == 3)
        rank->error = group_broadcast(rank->group, words, sizeof words, 0, "a step", NULL);
    else
        rank->error = group_reduce_max(rank->group, words, 4, "another step", NULL);
}

static void different_operations_are_an_error_and_not_a_hang(void **state)
{
    (void)state;
    struct rank ranks[RANKS];
    run_ranks(ranks, make_another_operation, NULL, 0);
    for (int i = 0; i < RANKS; i++)
        assert_int_equal(ranks[i].error, TUTTI_ERR_GROUP);
    release_ranks(ranks);
}

/* Whether an operation was given up in its last moment or not, all ranks say the same. */
static void hurry(struct rank *rank)
{
    rank->group->settings.stall_timeout = 2e-6;
    while (!rank->error && rank->mistakes < 2000) {
        rank->error = group_barrier(rank->group, "a race", NULL);
        rank->mistakes += !rank->error;
    }
}

static void an_operation_ends_in_the_same_way_on_all_ranks(void **state)
{
    (void)state;
    for (int round = 0; round < 50; round++) {
        struct rank ranks[RANKS];
        run_ranks(ranks, hurry, NULL, 0);
        for (int i = 1; i < RANKS; i++) {
            assert_int_equal(ranks[i].error, ranks[0].error);
            assert_int_equal(ranks[i].mistakes, ranks[0].mistakes);
        }
        release_ranks(ranks);
    }
}

/* Tuning: ranks with clocks of their own, on a tuner for each or on one for all. */

static _Thread_local double now, begin;
static _Thread_local int own_rank;

static int simulated_run(void *args, const void *config, const tutti_context *context)
{
    (void)args, (void)context;
    uint64_t index = subject_index(config);
    now += index == 3 ? 0.75 : 1.0 + (double)index + own_rank / 128.0;
    return 0;
}

static int start(void *self)
{
    (void)self;
    begin = now;
    return 0;
}

static int stop(void *self, double *seconds)
{
    (void)self;
    *seconds = now - begin;
    return 0;
}

static const tutti_timer_ops timer = {
    .size = sizeof timer, .name = "simulated", .start = start, .stop = stop};

static tutti_tuner *make_tuner(void)
{
    tutti_tuner *tuner;
    tutti_tuner_desc desc = subject_desc("subject", NULL);
    desc.key = NULL;
    desc.prune = NULL;
    desc.run = simulated_run;
    desc.timer = &timer;
    return tutti_tuner_create(&desc, &tuner) ? NULL : tuner;
}

static void tune(struct rank *rank)
{
    tutti_tuner *tuner = rank->shared ? rank->shared : make_tuner();
    tutti_report report = {.size = sizeof report};
    own_rank = rank->rank;
    for (int time = 0; time < 2; time++)
        rank->error |= tutti_call(tuner, NULL, rank->group, NULL);
    rank->error |= tutti_report_get(tuner, NULL, rank->group, &report);
    rank->mistakes += report.source != TUTTI_SOURCE_SEARCH || report.configuration != 3;
    rank->mistakes += report.ntrials != SUBJECT_SPACE ||
                      report.trials[5].seconds != 6 + (RANKS - 1) / 128.0 ||
                      report.trials[5].slowest_rank != RANKS - 1;
    if (!rank->shared)
        tutti_tuner_destroy(tuner);
}

static void threads_tune_together_with_a_tuner_each(void **state)
{
    (void)state;
    run_without_mistake(tune, NULL);
}

static void threads_tune_together_with_one_tuner(void **state)
{
    (void)state;
    tutti_tuner *tuner = make_tuner();
    assert_non_null(tuner);
    run_without_mistake(tune, tuner);
    tutti_tuner_destroy(tuner);
}

/* Three rounds of all calls: every rank must be in the same one all the time. */
static void use_all_calls(struct rank *rank)
{
    tutti_tuner *tuner = rank->shared;
    const struct subject_config forced = {.block = 64, .depth = 2};
    const tutti_call_options options = {.size = sizeof options, .force = &forced};
    tutti_report report = {.size = sizeof report};
    own_rank = rank->rank;
    for (int time = 0; time < 3; time++) {
        rank->error |= tutti_call(tuner, NULL, rank->group, &options);
        rank->error |= tutti_report_get(tuner, NULL, rank->group, &report);
        rank->mistakes += report.configuration != 5;
        rank->error |= tutti_tune(tuner, NULL, rank->group, NULL);
        rank->error |= tutti_report_get(tuner, NULL, rank->group, &report);
        rank->mistakes += report.configuration != 3;
        rank->error |= tutti_forget(tuner, NULL, rank->group, TUTTI_FORGET_ALL);
        rank->mistakes += tutti_best(tuner, NULL, rank->group) != NULL;
    }
}

static void threads_force_tune_and_forget_with_one_tuner(void **state)
{
    (void)state;
    tutti_tuner *tuner = make_tuner();
    assert_non_null(tuner);
    run_without_mistake(use_all_calls, tuner);
    tutti_tuner_destroy(tuner);
}

/* One rank's device is lost under configuration 2, in the timed run. */
static _Thread_local bool lost;

static int run_that_loses_the_device(void *args, const void *config, const tutti_context *context)
{
    lost |=
        own_rank == 1 && context->configuration == 2 && context->purpose == TUTTI_PURPOSE_SAMPLE;
    return simulated_run(args, config, context);
}

static int stop_unless_lost(void *self, double *seconds)
{
    stop(self, seconds);
    return lost ? TUTTI_TIMER_LOST : TUTTI_TIMER_OK;
}

static const tutti_timer_ops fragile_timer = {
    .size = sizeof fragile_timer, .name = "fragile", .start = start, .stop = stop_unless_lost};

static void lose_device(struct rank *rank)
{
    tutti_tuner_desc desc = subject_desc("subject", NULL);
    desc.key = NULL;
    desc.prune = NULL;
    desc.run = run_that_loses_the_device;
    desc.timer = &fragile_timer;
    tutti_tuner *tuner;
    own_rank = rank->rank;
    rank->error = tutti_tuner_create(&desc, &tuner);
    if (rank->error)
        return;
    rank->error = tutti_call(tuner, NULL, rank->group, NULL);
    text_add(&rank->why, "%s", tutti_message(tuner, rank->group));
    tutti_tuner_destroy(tuner);
}

static void a_device_lost_on_one_thread_ends_the_search_on_all(void **state)
{
    (void)state;
    struct rank ranks[RANKS];
    run_ranks(ranks, lose_device, NULL, 0);
    for (int i = 0; i < RANKS; i++) {
        assert_int_equal(ranks[i].error, TUTTI_ERR_DEVICE);
        assert_string_equal(
            ranks[i].why.bytes,
            "subject: block=32, depth=1 ends the search: rank 1: the device is lost");
    }
    release_ranks(ranks);
}

static int use_empty_store(void **state)
{
    char *directory = malloc(256);
    subject_make_directory(directory);
    subject_use_store(directory);
    *state = directory;
    return 0;
}

static int remove_store(void **state)
{
    subject_remove_directory(*state);
    free(*state);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arguments_are_checked),
        cmocka_unit_test(one_rank_needs_nobody),
        cmocka_unit_test(operations_of_any_length_are_right_one_after_another),
        cmocka_unit_test(a_missing_rank_is_named_by_all_and_by_itself_when_it_comes),
        cmocka_unit_test(a_rank_may_come_after_the_others_have_left_for_good),
        cmocka_unit_test(different_operations_are_an_error_and_not_a_hang),
        cmocka_unit_test(an_operation_ends_in_the_same_way_on_all_ranks),
        cmocka_unit_test_setup_teardown(threads_tune_together_with_a_tuner_each, use_empty_store,
                                        remove_store),
        cmocka_unit_test_setup_teardown(threads_force_tune_and_forget_with_one_tuner,
                                        use_empty_store, remove_store),
        cmocka_unit_test_setup_teardown(threads_tune_together_with_one_tuner, use_empty_store,
                                        remove_store),
        cmocka_unit_test_setup_teardown(a_device_lost_on_one_thread_ends_the_search_on_all,
                                        use_empty_store, remove_store),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
