/* Choosing: the least time of what was measured, ties to the lower index, nothing else counts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "choose.h"

static tutti_trial ok(double seconds)
{
    return (tutti_trial){.status = TUTTI_STATUS_OK, .seconds = seconds, .reason = ""};
}

static tutti_trial other(int status)
{
    return (tutti_trial){.status = status, .slowest_rank = -1, .reason = ""};
}

static void the_minimum_wins(void **state)
{
    (void)state;
    tutti_trial trials[] = {ok(3e-6), ok(2e-6), ok(2.0000001e-6)};
    struct outcome outcome = {.ntrials = 3, .trials = trials};
    uint64_t winner;
    assert_true(choose(&outcome, &winner));
    assert_int_equal(winner, 1);
}

static void a_tie_goes_to_the_lower_index(void **state)
{
    (void)state;
    tutti_trial trials[] = {ok(2e-6), ok(1e-6), ok(1e-6), ok(1e-6)};
    struct outcome outcome = {.ntrials = 4, .trials = trials};
    uint64_t winner;
    assert_true(choose(&outcome, &winner));
    assert_int_equal(winner, 1);
}

static void what_was_pruned_or_failed_never_wins(void **state)
{
    (void)state;
    tutti_trial trials[] = {other(TUTTI_STATUS_PRUNED), other(TUTTI_STATUS_FAILED), ok(5.0),
                            other(TUTTI_STATUS_PRUNED)};
    struct outcome outcome = {.ntrials = 4, .trials = trials};
    uint64_t winner;
    assert_true(choose(&outcome, &winner));
    assert_int_equal(winner, 2);
}

static void nothing_measured_is_no_winner(void **state)
{
    (void)state;
    tutti_trial trials[] = {other(TUTTI_STATUS_PRUNED), other(TUTTI_STATUS_FAILED)};
    struct outcome outcome = {.ntrials = 2, .trials = trials};
    uint64_t winner = 7;
    assert_false(choose(&outcome, &winner));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_minimum_wins),
        cmocka_unit_test(a_tie_goes_to_the_lower_index),
        cmocka_unit_test(what_was_pruned_or_failed_never_wins),
        cmocka_unit_test(nothing_measured_is_no_winner),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
