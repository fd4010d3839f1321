/*
 * Searches by a race on the serial group and a simulated clock: the scenarios of measuring (noise,
 * drift, wild samples, costly first calls, hopeless configurations), budgets, strategies, and what
 * the report and the record say. No real time passes in them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "subject.h"

struct knobs {
    int block, depth;
};

#define SPACE 40

static const tutti_param params[] = {
    TUTTI_PARAM(struct knobs, block, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10),
    TUTTI_PARAM(struct knobs, depth, 1, 2, 3, 4),
};

/* What calls cost: the base of each configuration, changed by what a test puts on. */
struct model {
    double now, base[SPACE];
    int calls[SPACE], all_calls;
    double (*effect)(struct model *model, int configuration);
    uint64_t random;
    int special; /* configuration that the effect is about */
    double begin;
};

static double uniform(struct model *model)
{
    model->random = model->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(model->random >> 11) * 0x1p-53;
}

static double normal(struct model *model)
{
    double sum = -6;
    for (int i = 0; i < 12; i++)
        sum += uniform(model);
    return sum;
}

static int run(void *args, const void *config, const tutti_context *context)
{
    struct model *model = context->user;
    const int index = (int)context->configuration;
    (void)args;
    (void)config;
    model->calls[index]++;
    model->all_calls++;
    model->now += model->base[index] * (model->effect ? model->effect(model, index) : 1);
    return model->base[index] > 1e6 ? 7 : 0;
}

static int start(void *self)
{
    struct model *model = self;
    model->begin = model->now;
    return 0;
}

static int stop(void *self, double *seconds)
{
    const struct model *model = self;
    *seconds = model->now - model->begin;
    return 0;
}

static const tutti_timer_ops timer = {
    .size = sizeof timer, .name = "simulated", .start = start, .stop = stop};

static tutti_tuner_desc desc_of(struct model *model)
{
    return (tutti_tuner_desc){.size = sizeof(tutti_tuner_desc),
                              .name = "race",
                              .source_id = "test",
                              .params = params,
                              .nparams = 2,
                              .config_size = sizeof(struct knobs),
                              .policy = TUTTI_POLICY_RACE,
                              .run = run,
                              .user = model,
                              .timer = &timer,
                              .timer_self = model};
}

static tutti_report report = {.size = sizeof report};

/* One search on a fresh tuner; what it reports lives in `report` until the next one. */
static int tune(struct model *model, const tutti_tuner_desc *desc)
{
    static tutti_tuner *tuner;
    tutti_group *group;
    tutti_tuner_destroy(tuner);
    assert_int_equal(tutti_tuner_create(desc, &tuner), TUTTI_SUCCESS);
    assert_int_equal(tutti_group_create_serial(&group), TUTTI_SUCCESS);
    const int status = tutti_call(tuner, model, group, NULL);
    if (!status)
        assert_int_equal(tutti_report_get(tuner, model, group, &report), TUTTI_SUCCESS);
    tutti_group_release(group);
    return status;
}

static void tune_by_race(struct model *model)
{
    const tutti_tuner_desc desc = desc_of(model);
    assert_int_equal(tune(model, &desc), TUTTI_SUCCESS);
}

static int set_up(void **state)
{
    (void)state;
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
    static const char *const names[] = {
        "TUTTI_MODE",           "TUTTI_LOG",  "TUTTI_SEED", "TUTTI_POLICY", "TUTTI_BUDGET_CALLS",
        "TUTTI_BUDGET_SECONDS", "TUTTI_FLUSH"};
    subject_remove_directory(*state);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        unsetenv(names[i]);
    return 0;
}

static struct model flat(double seconds)
{
    struct model model = {.random = 1};
    for (int i = 0; i < SPACE; i++)
        model.base[i] = seconds;
    return model;
}

static void set_seed(int seed)
{
    char text[16];
    snprintf(text, sizeof text, "%d", seed);
    setenv("TUTTI_SEED", text, 1);
}

static int compare_numbers(const void *one, const void *two)
{
    const double a = *(const double *)one, b = *(const double *)two;
    return (a > b) - (a < b);
}

static double three_percent_and_outliers(struct model *model, int configuration)
{
    (void)configuration;
    return exp(0.03 * normal(model)) * (uniform(model) < 0.01 ? 10 : 1);
}

/* C1. 11 configurations count; the others are pruned. */
static bool keep_eleven(const void *config, const void *args, void *user)
{
    const struct knobs *knobs = config;
    (void)args;
    (void)user;
    return (knobs->block - 1) * 4 + knobs->depth - 1 < 11;
}

/* As many timed calls as the exhaustive policy's all calls: 165, and an untimed one before each of
 * the later ones. */
static void near_ties_under_noise_and_outliers_cost_little_regret(void **state)
{
    (void)state;
    double regret[200];
    int flips = 0, last = -1;
    for (int seed = 0; seed < 200; seed++) {
        struct model model = flat(1e-3);
        for (int i = 0; i < 11; i++)
            model.base[i] = 1e-3 * (1 + 0.005 * ((i * 7 + seed) % 11));
        model.random = (uint64_t)seed;
        model.effect = three_percent_and_outliers;
        tutti_tuner_desc desc = desc_of(&model);
        desc.prune = keep_eleven;
        desc.budget_calls = 330;
        set_seed(seed);
        assert_int_equal(tune(&model, &desc), TUTTI_SUCCESS);
        regret[seed] = model.base[report.configuration] / 1e-3 - 1;
        /* Which of the eleven it is by its time: the order changes from seed to seed. */
        const int place = (int)lround(200 * regret[seed]);
        flips += seed > 0 && place != last;
        last = place;
        assert_true(regret[seed] <= report.within + 0.02);
    }
    qsort(regret, 200, sizeof *regret, compare_numbers);
    print_message("C1: 200 tunings, regret p50 %.1f%%, p90 %.1f%%, max %.1f%%; %d flips\n",
                  100 * regret[99], 100 * regret[179], 100 * regret[199], flips);
    assert_true(regret[179] <= 0.015);
}

/* C2. */
static double slows_down(struct model *model, int configuration)
{
    (void)configuration;
    return 1 + 0.3 * fmin(1, model->all_calls / 200.0);
}

static void drift_does_not_decide_wherever_the_best_is(void **state)
{
    (void)state;
    for (int last = 0; last < 2; last++) {
        struct model model = flat(1.05e-3);
        model.base[last ? SPACE - 1 : 0] = 1e-3;
        model.effect = slows_down;
        tune_by_race(&model);
        assert_int_equal(report.configuration, last ? SPACE - 1 : 0);
    }
}

/* C3. The special configuration's third call is ten times too fast, and the best one's a hundred
 * times too slow. */
static double one_wild_call_each(struct model *model, int configuration)
{
    const bool third = model->calls[configuration] == 3;
    if (third && configuration == model->special)
        return 0.1 * exp(0.01 * normal(model));
    if (third && configuration == 0)
        return 100;
    return exp(0.01 * normal(model));
}

static void one_wild_sample_does_not_decide(void **state)
{
    (void)state;
    for (int special = 1; special < SPACE; special++) {
        struct model model = flat(1.1e-3);
        model.base[0] = 1e-3;
        model.special = special;
        model.random = (uint64_t)special;
        model.effect = one_wild_call_each;
        tune_by_race(&model);
        assert_int_equal(report.configuration, 0);
    }
}

/* C4. */
static double costly_first_call(struct model *model, int configuration)
{
    const bool pays = configuration == model->special && model->calls[configuration] == 1;
    return (pays ? 1000 : 1) * exp(0.01 * normal(model));
}

static void a_costly_first_call_is_forgiven(void **state)
{
    (void)state;
    for (int best = 0; best < SPACE; best++) {
        struct model model = flat(1.1e-3);
        model.base[best] = 1e-3;
        model.special = best;
        model.random = (uint64_t)best;
        model.effect = costly_first_call;
        tune_by_race(&model);
        assert_int_equal(report.configuration, best);
    }
}

/* C6. */
static void a_hopeless_configuration_costs_two_calls_at_most(void **state)
{
    (void)state;
    struct model model = flat(1e-3);
    for (int i = 1; i < SPACE; i += 3)
        model.base[i] = 1;
    tune_by_race(&model);
    for (int i = 1; i < SPACE; i += 3)
        assert_true(model.calls[i] <= 2);
    assert_true(model.base[report.configuration] < 1);
}

static void a_slow_launcher_is_not_warmed_up_five_times(void **state)
{
    (void)state;
    struct model model = flat(10);
    tune_by_race(&model);
    assert_int_equal(report.warmups, 2);
    assert_int_equal(report.samples, 1);
}

static void a_failing_default_does_not_stop_the_search(void **state)
{
    (void)state;
    struct model model = flat(1.1e-3);
    model.base[0] = model.base[5] = 2e6; /* fail */
    model.base[9] = 1e-3;
    tune_by_race(&model);
    assert_int_equal(report.configuration, 9);
    assert_int_equal(report.trials[0].status, TUTTI_STATUS_FAILED);
    assert_string_equal(report.trials[0].reason, "rank 0: warm-up returned 7");
    assert_string_equal(report.trials[5].reason, "rank 0: timed run returned 7");
    assert_int_equal(model.calls[5], 1);
}

static void when_all_fail_the_call_fails(void **state)
{
    (void)state;
    struct model model = flat(2e6);
    const tutti_tuner_desc desc = desc_of(&model);
    assert_int_equal(tune(&model, &desc), TUTTI_ERR_FAILED);
}

static void the_budget_in_calls_holds(void **state)
{
    (void)state;
    for (uint64_t calls = 3; calls < 300; calls += 7) {
        struct model model = flat(1e-3);
        model.effect = three_percent_and_outliers;
        tutti_tuner_desc desc = desc_of(&model);
        desc.budget_calls = calls;
        assert_int_equal(tune(&model, &desc), TUTTI_SUCCESS);
        assert_true(report.search_calls <= (calls < 4 ? 4 : calls));
        assert_int_equal(report.search_calls + 1, model.all_calls); /* and the call's own */
    }
}

static int judged[SPACE];

static int wrong_if_special(void *args, const void *config, const tutti_context *context)
{
    const struct model *model = context->user;
    const int index = (int)context->configuration;
    (void)args;
    (void)config;
    judged[index]++;
    return index == model->special ? TUTTI_VERDICT_WRONG : TUTTI_VERDICT_OK;
}

/* Warm-ups, untimed calls and verification included: five calls for each of 40. */
static void without_a_budget_two_hundred_calls_do_and_verify_all(void **state)
{
    (void)state;
    for (int special = 0; special < SPACE; special++) {
        struct model model = flat(1e-3);
        tutti_tuner_desc desc = desc_of(&model);
        model.special = special;
        model.base[special] = 0.9e-3;
        model.effect = three_percent_and_outliers;
        desc.verify = wrong_if_special;
        memset(judged, 0, sizeof judged);
        assert_int_equal(tune(&model, &desc), TUTTI_SUCCESS);
        assert_true(report.search_calls <= 200);
        assert_int_equal(report.trials[special].status, TUTTI_STATUS_WRONG);
        assert_int_not_equal(report.configuration, special);
        for (int i = 0; i < SPACE; i++)
            assert_int_equal(judged[i], 1);
    }
}

/* The time is up in the first round: the default would be the answer, were it not wrong. */
static void a_default_that_is_wrong_does_not_win_for_lack_of_time(void **state)
{
    (void)state;
    struct model model = flat(20);
    tutti_tuner_desc desc = desc_of(&model);
    model.special = 0;
    desc.verify = wrong_if_special;
    desc.budget_seconds = 100;
    assert_int_equal(tune(&model, &desc), TUTTI_SUCCESS);
    assert_true(report.budget_ended_it);
    assert_int_not_equal(report.configuration, 0);
    assert_int_equal(report.trials[0].status, TUTTI_STATUS_WRONG);
}

static void the_budget_in_seconds_ends_with_the_best_so_far(void **state)
{
    (void)state;
    struct model model = flat(20);
    model.base[7] = 10;
    tutti_tuner_desc desc = desc_of(&model);
    desc.budget_seconds = 1500; /* of 40 x 20 a round */
    assert_int_equal(tune(&model, &desc), TUTTI_SUCCESS);
    assert_true(report.budget_ended_it);
    assert_int_equal(report.configuration, 7);
    assert_true(model.now < 1800);

    struct model short_of_time = flat(20);
    desc = desc_of(&short_of_time);
    desc.budget_seconds = 100;
    assert_int_equal(tune(&short_of_time, &desc), TUTTI_SUCCESS);
    assert_true(report.budget_ended_it);
    int not_run = 0;
    for (int i = 0; i < SPACE; i++)
        not_run += report.trials[i].status == TUTTI_STATUS_NOT_RUN;
    assert_true(not_run >= 30 && not_run < SPACE);
}

static void the_customary_configuration_wins_ties(void **state)
{
    (void)state;
    static const struct knobs customary = {6, 2};
    struct model model = flat(1e-3);
    tutti_tuner_desc desc = desc_of(&model);
    desc.customary = &customary;
    assert_int_equal(tune(&model, &desc), TUTTI_SUCCESS);
    assert_int_equal(report.configuration, 21);
    assert_true(report.equal);
}

/* A bowl with its bottom at block 8, depth 3: all strategies get near it, on few calls. */
static void strategies_search_and_say_what_they_left_out(void **state)
{
    (void)state;
    static const int policies[] = {TUTTI_POLICY_RANDOM, TUTTI_POLICY_NEIGHBOURHOOD,
                                   TUTTI_POLICY_HALVING};
    for (size_t p = 0; p < 3; p++) {
        struct model model = flat(0);
        for (int i = 0; i < SPACE; i++)
            model.base[i] = 1e-3 * (1 + 0.05 * abs(i / 4 - 7) + 0.1 * abs(i % 4 - 2));
        tutti_tuner_desc desc = desc_of(&model);
        desc.policy = policies[p];
        desc.budget_calls = policies[p] == TUTTI_POLICY_NEIGHBOURHOOD ? 300 : 100;
        assert_int_equal(tune(&model, &desc), TUTTI_SUCCESS);
        assert_int_equal(report.policy, policies[p]);
        assert_true(report.search_calls <= desc.budget_calls);
        assert_true(model.base[report.configuration] < 1.2e-3);
        int left_out = 0;
        for (int i = 0; i < SPACE; i++)
            left_out += report.trials[i].status == TUTTI_STATUS_NOT_RUN;
        assert_true(left_out > 0);
        if (policies[p] == TUTTI_POLICY_NEIGHBOURHOOD)
            assert_int_equal(report.configuration, 30);
    }
}

static void a_record_keeps_how_the_race_ended(void **state)
{
    (void)state;
    struct model model = flat(1e-3);
    const tutti_tuner_desc desc = desc_of(&model);
    model.effect = three_percent_and_outliers;
    setenv("TUTTI_MODE", "tune", 1);
    tune_by_race(&model);
    const tutti_report first = report;
    assert_int_equal(tune(&model, &desc), TUTTI_SUCCESS);
    assert_int_equal(report.source, TUTTI_SOURCE_RECORD);
    assert_int_equal(report.configuration, first.configuration);
    assert_int_equal(report.policy, TUTTI_POLICY_RACE);
    assert_int_equal(report.rounds, first.rounds);
    assert_true(report.within == first.within && report.noise == first.noise);
    assert_true(report.confidence == first.confidence && report.equal == first.equal);
}

/* What each trial says of its samples, in the report of the search and of the record alike. */
static void expect_samples(const struct model *model)
{
    for (int i = 0; i < SPACE; i++) {
        const tutti_trial *trial = &report.trials[i];
        assert_int_equal(trial->taken, model->calls[i]);
        assert_int_equal(trial->nsamples, trial->taken < 32 ? trial->taken : 32);
        for (size_t k = 0; k < trial->nsamples; k++) {
            assert_int_equal(trial->samples[k].round, k + 1);
            assert_true(trial->samples[k].seconds > 0.8e-3);
            assert_int_equal(trial->samples[k].slowest_rank, 0);
        }
        assert_true(trial->dropped <= trial->taken);
        assert_true(trial->nsamples < 3 || trial->spread > 0);
    }
    assert_int_equal(report.trials[report.configuration].dropped, 0);
}

static void each_configuration_has_its_samples_and_the_round_that_dropped_it(void **state)
{
    (void)state;
    struct model model = flat(1e-3);
    tutti_tuner_desc desc = desc_of(&model);
    int dropped = 0;
    model.effect = three_percent_and_outliers;
    desc.stream = true; /* no untimed calls before samples */
    setenv("TUTTI_MODE", "tune", 1);
    assert_int_equal(tune(&model, &desc), TUTTI_SUCCESS);
    for (int i = 0; i < SPACE; i++) {
        model.calls[i] = (model.calls[i] - (i == 0) * report.warmups) / report.samples;
        dropped += report.trials[i].dropped > 0;
    }
    assert_true(dropped >= SPACE / 2);
    expect_samples(&model);
    struct model again = flat(1e-3);
    desc.user = desc.timer_self = &again;
    assert_int_equal(tune(&again, &desc), TUTTI_SUCCESS);
    assert_int_equal(report.source, TUTTI_SOURCE_RECORD);
    expect_samples(&model);
}

static void records_measured_otherwise_do_not_mix(void **state)
{
    (void)state;
    struct model model = flat(1e-3);
    tutti_tuner_desc desc = desc_of(&model);
    setenv("TUTTI_MODE", "tune", 1);
    tune_by_race(&model);
    desc.stream = true;
    assert_int_equal(tune(&model, &desc), TUTTI_SUCCESS);
    assert_int_equal(report.source, TUTTI_SOURCE_SEARCH);
    assert_int_equal(report.samples, 5);
    desc.stream = false;
    assert_int_equal(tune(&model, &desc), TUTTI_SUCCESS);
    assert_int_equal(report.source, TUTTI_SOURCE_RECORD);
}

static void the_environment_names_the_policy(void **state)
{
    (void)state;
    struct model model = flat(1e-3);
    setenv("TUTTI_POLICY", "exhaustive", 1);
    tune_by_race(&model);
    assert_int_equal(report.policy, TUTTI_POLICY_EXHAUSTIVE);
    assert_int_equal(report.search_calls, 15 * SPACE);
}

static void the_slowest_rank_is_named(void **state)
{
    (void)state;
    struct model model = flat(1e-3);
    tune_by_race(&model);
    assert_int_equal(report.trials[report.configuration].slowest_rank, 0);
    assert_true(fabs(report.seconds - 1e-3) < 1e-9);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(near_ties_under_noise_and_outliers_cost_little_regret),
        TEST(drift_does_not_decide_wherever_the_best_is),
        TEST(one_wild_sample_does_not_decide),
        TEST(a_costly_first_call_is_forgiven),
        TEST(a_hopeless_configuration_costs_two_calls_at_most),
        TEST(a_slow_launcher_is_not_warmed_up_five_times),
        TEST(a_failing_default_does_not_stop_the_search),
        TEST(when_all_fail_the_call_fails),
        TEST(the_budget_in_calls_holds),
        TEST(without_a_budget_two_hundred_calls_do_and_verify_all),
        TEST(a_default_that_is_wrong_does_not_win_for_lack_of_time),
        TEST(the_budget_in_seconds_ends_with_the_best_so_far),
        TEST(the_customary_configuration_wins_ties),
        TEST(strategies_search_and_say_what_they_left_out),
        TEST(a_record_keeps_how_the_race_ended),
        TEST(each_configuration_has_its_samples_and_the_round_that_dropped_it),
        TEST(records_measured_otherwise_do_not_mix),
        TEST(the_environment_names_the_policy),
        TEST(the_slowest_rank_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
