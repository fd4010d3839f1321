/*
 * Measuring with several ranks, which are threads, on simulated clocks, one for each rank: which
 * rank counts, how times on all ranks become one, and that all ranks make the same calls. No real
 * time passes in them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include <tutti/tutti.h>

#include "subject.h"

#define RANKS 4
#define SPACE 8

struct knobs {
    int block;
};

static const tutti_param params[] = {TUTTI_PARAM(struct knobs, block, 1, 2, 3, 4, 5, 6, 7, 8)};

/* A rank, its clock, and what it called. */
struct rank {
    tutti_group *group;
    int rank, policy, aggregation;
    double budget_seconds;
    double (*seconds)(const struct rank *rank, int configuration);
    double now, begin;
    int samples[SPACE]; /* timed calls so far */
    unsigned char called[4096];
    size_t calls;
    tutti_report report;
    tutti_trial trials[SPACE];
    size_t samples_of_last; /* of configuration 3 that the last rank was the slowest in */
    int status;
};

static int run(void *args, const void *config, const tutti_context *context)
{
    struct rank *rank = args;
    const int index = (int)context->configuration;
    (void)config;
    if (rank->calls < sizeof rank->called)
        rank->called[rank->calls++] = (unsigned char)index;
    rank->now += rank->seconds(rank, index);
    rank->samples[index] += context->purpose == TUTTI_PURPOSE_SAMPLE;
    return 0;
}

static int start(void *self)
{
    struct rank *rank = self;
    rank->begin = rank->now;
    return 0;
}

static int stop(void *self, double *seconds)
{
    const struct rank *rank = self;
    *seconds = rank->now - rank->begin;
    return 0;
}

static const tutti_timer_ops timer = {
    .size = sizeof timer, .name = "simulated", .start = start, .stop = stop};

static void *tune(void *data)
{
    struct rank *rank = data;
    tutti_tuner *tuner;
    const tutti_tuner_desc desc = {.size = sizeof desc,
                                   .name = "ranks",
                                   .params = params,
                                   .nparams = 1,
                                   .config_size = sizeof(struct knobs),
                                   .policy = rank->policy,
                                   .aggregation = rank->aggregation,
                                   .budget_seconds = rank->budget_seconds,
                                   .run = run,
                                   .timer = &timer,
                                   .timer_self = rank};
    rank->status = tutti_tuner_create(&desc, &tuner);
    if (!rank->status)
        rank->status = tutti_call(tuner, rank, rank->group, NULL);
    rank->report.size = sizeof rank->report;
    if (!rank->status)
        rank->status = tutti_report_get(tuner, rank, rank->group, &rank->report);
    if (!rank->status) {
        memcpy(rank->trials, rank->report.trials, sizeof rank->trials);
        const tutti_trial *third = &rank->trials[3];
        for (size_t i = 0; i < third->nsamples; i++)
            rank->samples_of_last += third->samples[i].slowest_rank == RANKS - 1;
    }
    tutti_tuner_destroy(tuner);
    tutti_group_release(rank->group);
    return NULL;
}

static struct rank ranks[RANKS];

/* One search by all ranks, each as the example is. All choose the same, after the same calls. */
static void tune_together(const struct rank *example)
{
    tutti_group *groups[RANKS];
    pthread_t threads[RANKS];
    assert_int_equal(tutti_group_create_threads(RANKS, groups), TUTTI_SUCCESS);
    for (int i = 0; i < RANKS; i++) {
        ranks[i] = *example;
        ranks[i].group = groups[i];
        ranks[i].rank = i;
        assert_int_equal(pthread_create(&threads[i], NULL, tune, &ranks[i]), 0);
    }
    for (int i = 0; i < RANKS; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < RANKS; i++) {
        assert_int_equal(ranks[i].status, TUTTI_SUCCESS);
        assert_int_equal(ranks[i].report.configuration, ranks[0].report.configuration);
        assert_int_equal(ranks[i].calls, ranks[0].calls);
        assert_memory_equal(ranks[i].called, ranks[0].called, ranks[0].calls);
        assert_int_equal(ranks[i].samples_of_last, ranks[0].samples_of_last);
    }
}

static int set_up(void **state)
{
    static char directory[256];
    subject_make_directory(directory);
    subject_use_store(directory);
    setenv("TUTTI_MODE", "read-only", 1);
    setenv("TUTTI_LOG", "error", 1);
    *state = directory;
    return 0;
}

static int tear_down(void **state)
{
    subject_remove_directory(*state);
    unsetenv("TUTTI_MODE");
    unsetenv("TUTTI_LOG");
    unsetenv("TUTTI_AGGREGATION");
    return 0;
}

/* Configuration 2 takes 3 on one rank and 1 on the others, on another rank in each sample; 5 always
 * takes 2 on all; the others 4. */
static double wandering(const struct rank *rank, int configuration)
{
    if (configuration == 2)
        return rank->samples[2] % RANKS == rank->rank ? 3e-3 : 1e-3;
    return configuration == 5 ? 2e-3 : 4e-3;
}

/* By the mean of each rank, 2 takes 1.5; by its slowest rank in each round it takes 3. */
static void what_is_slow_on_another_rank_each_time_wins_by_means_and_loses_by_rounds(void **state)
{
    (void)state;
    static const int policies[] = {TUTTI_POLICY_EXHAUSTIVE, TUTTI_POLICY_RACE};
    for (int p = 0; p < 2; p++)
        for (int which = TUTTI_AGGREGATION_MEANS; which <= TUTTI_AGGREGATION_ROUNDS; which++) {
            const struct rank example = {
                .policy = policies[p], .aggregation = which, .seconds = wandering};
            tune_together(&example);
            assert_int_equal(ranks[0].report.aggregation, which);
            assert_int_equal(ranks[0].report.configuration,
                             which == TUTTI_AGGREGATION_MEANS ? 2 : 5);
        }
}

static void each_policy_has_its_usual_aggregation_unless_the_environment_names_one(void **state)
{
    (void)state;
    struct rank example = {.policy = TUTTI_POLICY_EXHAUSTIVE, .seconds = wandering};
    tune_together(&example);
    assert_int_equal(ranks[0].report.aggregation, TUTTI_AGGREGATION_MEANS);
    example.policy = TUTTI_POLICY_RACE;
    tune_together(&example);
    assert_int_equal(ranks[0].report.aggregation, TUTTI_AGGREGATION_ROUNDS);
    setenv("TUTTI_AGGREGATION", "means", 1);
    tune_together(&example);
    assert_int_equal(ranks[0].report.configuration, 2);
}

/* C5: configuration 3 is the fastest on all ranks but the last. */
static double fast_on_all_but_one(const struct rank *rank, int configuration)
{
    if (configuration == 3)
        return rank->rank == RANKS - 1 ? 9e-3 : 1e-3;
    return 1e-3 * (configuration == 6 ? 4 : 5);
}

static void a_configuration_is_judged_by_its_slowest_rank(void **state)
{
    (void)state;
    static const int policies[] = {TUTTI_POLICY_EXHAUSTIVE, TUTTI_POLICY_RACE, TUTTI_POLICY_RANDOM,
                                   TUTTI_POLICY_HALVING};
    for (int p = 0; p < 4; p++) {
        const struct rank example = {.policy = policies[p], .seconds = fast_on_all_but_one};
        tune_together(&example);
        assert_int_equal(ranks[0].report.configuration, 6);
        if (ranks[0].trials[3].status != TUTTI_STATUS_OK)
            continue;
        assert_int_equal(ranks[0].trials[3].slowest_rank, RANKS - 1);
        assert_true(fabs(ranks[0].trials[3].seconds - 9e-3) < 1e-6);
        assert_int_equal(ranks[1].samples_of_last, ranks[1].trials[3].nsamples);
    }
}

/* A11: rank r takes r + 1 times as long as rank 0, so that their own clocks would end the search at
 * different calls. */
static double slower_by_rank(const struct rank *rank, int configuration)
{
    return 0.1 * (rank->rank + 1) * (1 + 0.1 * configuration);
}

static void a_budget_of_seconds_ends_at_the_same_call_on_all_ranks(void **state)
{
    (void)state;
    for (double budget = 1; budget < 40; budget += 3) {
        const struct rank example = {
            .policy = TUTTI_POLICY_RACE, .budget_seconds = budget, .seconds = slower_by_rank};
        tune_together(&example);
        assert_true(ranks[0].report.budget_ended_it || budget > 20);
        assert_true(ranks[RANKS - 1].now < 1.5 * budget + 4);
    }
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(what_is_slow_on_another_rank_each_time_wins_by_means_and_loses_by_rounds),
        TEST(each_policy_has_its_usual_aggregation_unless_the_environment_names_one),
        TEST(a_configuration_is_judged_by_its_slowest_rank),
        TEST(a_budget_of_seconds_ends_at_the_same_call_on_all_ranks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
