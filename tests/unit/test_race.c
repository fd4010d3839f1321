/* The race as pure logic: what it drops, what it keeps, what it says, and that seeds decide all. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "race.h"

#define MOST 64

/* Times without noise, unless a test writes others over them. */
struct track {
    double seconds[MOST];
    int runs[MOST];
    void (*spoil)(struct track *track, uint32_t id, double *seconds);
    uint64_t random;
};

static double uniform(struct track *track)
{
    track->random = track->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(track->random >> 11) * 0x1p-53;
}

static double normal(struct track *track)
{
    double sum = -6;
    for (int i = 0; i < 12; i++)
        sum += uniform(track);
    return sum;
}

static struct race_verdict run(struct track *track, uint32_t n, const struct race_options *options,
                               uint64_t *used)
{
    struct race race;
    double seconds[MOST];
    const uint32_t *order;
    uint32_t in_round;
    assert_int_equal(race_init(&race, n), 0);
    race_start(&race, n, options);
    while ((in_round = race_round(&race, &order)) > 0) {
        for (uint32_t i = 0; i < in_round; i++) {
            seconds[i] = track->seconds[order[i]];
            if (track->spoil)
                track->spoil(track, order[i], &seconds[i]);
            track->runs[order[i]]++;
        }
        race_record(&race, seconds);
    }
    const struct race_verdict verdict = race_judge(&race);
    if (used)
        *used = race.samples;
    race_release(&race);
    return verdict;
}

static struct race_options options_of(uint64_t samples, uint64_t seed)
{
    return (struct race_options){.samples = samples, .seed = seed, .standing = RACE_NOBODY};
}

static struct track steps(uint32_t n, double step)
{
    struct track track = {.random = 1};
    for (uint32_t i = 0; i < n; i++)
        track.seconds[i] = 1 + step * i;
    return track;
}

static void the_fastest_wins_within_the_budget(void **state)
{
    (void)state;
    for (uint32_t n = 1; n <= MOST; n++)
        for (uint64_t samples = n; samples <= 6 * n; samples += n) {
            struct track track = steps(n, 0.05);
            const struct race_options options = options_of(samples, n);
            uint64_t used;
            const struct race_verdict verdict = run(&track, n, &options, &used);
            assert_int_equal(verdict.winner, 0);
            assert_true(used <= samples);
        }
}

static void a_budget_below_one_round_still_finds_the_best_of_what_ran(void **state)
{
    (void)state;
    struct track track = steps(40, 0.05);
    struct race_options options = options_of(7, 3);
    const struct race_verdict verdict = run(&track, 40, &options, NULL);
    int runs = 0;
    for (int i = 0; i < 40; i++) {
        runs += track.runs[i];
        assert_true(!track.runs[i] || track.seconds[verdict.winner] <= track.seconds[i]);
    }
    assert_int_equal(runs, 7);
    options.standing = 30; /* always runs, and one run of each does not show that it is beaten */
    track = steps(40, 0.05);
    assert_int_equal(run(&track, 40, &options, NULL).winner, 30);
    assert_int_equal(track.runs[30], 1);
}

static void equal_seeds_race_alike_and_others_in_another_order(void **state)
{
    (void)state;
    struct race races[3];
    const uint32_t *orders[3];
    for (int i = 0; i < 3; i++) {
        const struct race_options options = options_of(200, i == 2 ? 8 : 7);
        assert_int_equal(race_init(&races[i], 40), 0);
        race_start(&races[i], 40, &options);
        assert_int_equal(race_round(&races[i], &orders[i]), 40);
    }
    assert_memory_equal(orders[0], orders[1], 40 * sizeof(uint32_t));
    assert_memory_not_equal(orders[0], orders[2], 40 * sizeof(uint32_t));
    for (int i = 0; i < 3; i++)
        race_release(&races[i]);
}

static void fail_even(struct track *track, uint32_t id, double *seconds)
{
    static const double wrong[] = {0, -1, NAN, INFINITY};
    (void)track;
    if (id % 2 == 0)
        *seconds = wrong[id / 2 % 4];
}

static void what_is_no_time_is_a_failure_and_never_runs_again(void **state)
{
    (void)state;
    struct track track = steps(20, 0.05);
    const struct race_options options = options_of(100, 1);
    track.spoil = fail_even;
    assert_int_equal(run(&track, 20, &options, NULL).winner, 1);
    for (int i = 0; i < 20; i += 2)
        assert_int_equal(track.runs[i], 1);
}

static void fail_all(struct track *track, uint32_t id, double *seconds)
{
    (void)track;
    (void)id;
    *seconds = NAN;
}

static void when_all_fail_nobody_wins(void **state)
{
    (void)state;
    struct track track = steps(20, 0.05);
    const struct race_options options = options_of(100, 1);
    track.spoil = fail_all;
    assert_true(run(&track, 20, &options, NULL).winner == RACE_NOBODY);
}

static void ties_go_to_the_default_then_to_the_lower_index(void **state)
{
    (void)state;
    struct track track = steps(10, 0);
    struct race_options options = options_of(60, 1);
    struct race_verdict verdict = run(&track, 10, &options, NULL);
    assert_int_equal(verdict.winner, 0);
    assert_true(verdict.equal);
    options.standing = 6;
    verdict = run(&track, 10, &options, NULL);
    assert_int_equal(verdict.winner, 6);
    assert_true(verdict.equal);
}

static void three_percent(struct track *track, uint32_t id, double *seconds)
{
    (void)id;
    *seconds *= exp(0.03 * normal(track));
}

/* The default stands against what the noise could have made, and falls to a true difference. */
static void the_default_falls_only_to_more_than_the_noise(void **state)
{
    (void)state;
    int kept = 0, fell = 0;
    for (uint64_t seed = 0; seed < 100; seed++) {
        struct race_options options = options_of(100, seed);
        options.standing = 5;
        struct track near = steps(20, 0.0), far = steps(20, 0.0);
        near.random = far.random = seed;
        near.spoil = far.spoil = three_percent;
        far.seconds[3] = 0.85;
        kept += run(&near, 20, &options, NULL).winner == 5;
        fell += run(&far, 20, &options, NULL).winner == 3;
    }
    assert_true(kept >= 60); /* one of 20 equals may look faster, and then is no loss */
    assert_true(fell >= 99);
}

/* The rule that "within" is: at 95%, the best is at most so much faster. */
static void within_holds_as_often_as_it_says(void **state)
{
    (void)state;
    int held = 0;
    for (uint64_t seed = 0; seed < 300; seed++) {
        struct track track = steps(40, 0.003);
        const struct race_options options = options_of(200, seed);
        track.random = seed;
        track.spoil = three_percent;
        const struct race_verdict verdict = run(&track, 40, &options, NULL);
        held += log(track.seconds[verdict.winner]) <= verdict.within;
    }
    assert_true(held >= 285);
}

static void the_noise_is_found(void **state)
{
    (void)state;
    struct track track = steps(40, 0.001);
    const struct race_options options = options_of(200, 1);
    track.spoil = three_percent;
    const double noise = run(&track, 40, &options, NULL).noise;
    assert_true(noise > 0.02 && noise < 0.04);
}

static void equal_shares_drop_nobody(void **state)
{
    (void)state;
    struct track track = steps(20, 0.5);
    struct race_options options = options_of(100, 1);
    options.keep_all = true;
    assert_int_equal(run(&track, 20, &options, NULL).winner, 0);
    for (int i = 0; i < 20; i++)
        assert_int_equal(track.runs[i], 5);
}

static void a_clear_race_ends_before_its_budget(void **state)
{
    (void)state;
    struct track track = steps(2, 0.5);
    const struct race_options options = options_of(1000, 1);
    uint64_t used;
    const struct race_verdict verdict = run(&track, 2, &options, &used);
    assert_int_equal(verdict.winner, 0);
    assert_true(verdict.confidence > 0.99);
    assert_true(used <= 2 * RACE_RULE_ROUNDS);
}

/* A first run costs up to a hundred times as much as those after it, another part for each. */
static void costly_at_first(struct track *track, uint32_t id, double *seconds)
{
    if (track->runs[id] == 0)
        *seconds *= exp(1 + 3.6 * uniform(track));
    *seconds *= exp(0.02 * normal(track));
}

static void first_runs_that_are_all_slow_do_not_decide(void **state)
{
    (void)state;
    int right = 0;
    for (uint64_t seed = 1; seed <= 50; seed++) {
        struct track track = steps(40, 0.05);
        const struct race_options options = options_of(240, seed);
        track.random = seed;
        track.spoil = costly_at_first;
        right += run(&track, 40, &options, NULL).winner == 0;
    }
    assert_true(right >= 48);
}

/* Of two that differ by 0.3%, thousands of rounds are merged into few rows, and still tell. */
static void a_large_budget_takes_no_more_memory_than_a_small_one(void **state)
{
    (void)state;
    struct race race;
    struct track track = steps(3, 0.003);
    const uint32_t *order;
    const struct race_options options = options_of(UINT64_C(1000000000), 1);
    double seconds[3];
    uint32_t n;
    assert_int_equal(race_init(&race, 3), 0);
    race_start(&race, 3, &options);
    while ((n = race_round(&race, &order)) > 0 && race.rounds < 20000) {
        for (uint32_t i = 0; i < n; i++) {
            seconds[i] = track.seconds[order[i]];
            three_percent(&track, order[i], &seconds[i]);
        }
        race_record(&race, seconds);
        assert_true(race.rows <= RACE_ROWS_MOST);
    }
    const struct race_verdict verdict = race_judge(&race);
    assert_int_equal(verdict.winner, 0);
    assert_true(race.rounds > RACE_ROWS_MOST && race.merged > 1);
    assert_true(verdict.noise > 0.025 && verdict.noise < 0.035);
    race_release(&race);
}

static void a_million_candidates_race_in_bounded_memory(void **state)
{
    (void)state;
    struct race race;
    const uint32_t many = 1u << 20;
    const struct race_options options = options_of(5 * (uint64_t)many, 1);
    const uint32_t *order;
    double *seconds = malloc(many * sizeof *seconds);
    uint32_t n;
    assert_int_equal(race_init(&race, many), 0);
    assert_true(race.room * sizeof(double) <= (size_t)64 << 20);
    race_start(&race, many, &options);
    while ((n = race_round(&race, &order)) > 0) {
        for (uint32_t i = 0; i < n; i++)
            seconds[i] = 1 + (order[i] == 777777 ? 0 : 0.1 + 1e-6 * order[i]);
        race_record(&race, seconds);
    }
    assert_int_equal(race_judge(&race).winner, 777777);
    race_release(&race);
    free(seconds);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(first_runs_that_are_all_slow_do_not_decide),
        cmocka_unit_test(a_large_budget_takes_no_more_memory_than_a_small_one),
        cmocka_unit_test(a_million_candidates_race_in_bounded_memory),
        cmocka_unit_test(the_fastest_wins_within_the_budget),
        cmocka_unit_test(a_budget_below_one_round_still_finds_the_best_of_what_ran),
        cmocka_unit_test(equal_seeds_race_alike_and_others_in_another_order),
        cmocka_unit_test(what_is_no_time_is_a_failure_and_never_runs_again),
        cmocka_unit_test(when_all_fail_nobody_wins),
        cmocka_unit_test(ties_go_to_the_default_then_to_the_lower_index),
        cmocka_unit_test(the_default_falls_only_to_more_than_the_noise),
        cmocka_unit_test(within_holds_as_often_as_it_says),
        cmocka_unit_test(the_noise_is_found),
        cmocka_unit_test(equal_shares_drop_nobody),
        cmocka_unit_test(a_clear_race_ends_before_its_budget),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
