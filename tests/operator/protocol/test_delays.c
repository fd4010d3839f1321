/* The protocol between ranks whose signals are delayed at random. */
#include "calls.h"
#include "delays.h"

#include "../problem.h"

#define SIGNALLING                                                                                 \
    (1u << REVERSE_A2A_STAGED | 1u << REVERSE_A2A_STAGED_OWN | 1u << REVERSE_A2A_PULL |            \
     1u << REVERSE_A2A_PUSH)

static void make_delayed_calls(unsigned engines, unsigned first_seed)
{
    for (unsigned seed = first_seed; seed < first_seed + 6; seed++) {
        struct calls calls = {.ranks = 2 + (int)(seed % 3), .count = 60, .seed = seed};
        calls.engines = engines;
        calls.faults = seed % 2;
        set_delays(seed);
        assert_true(make_calls(&calls));
        assert_true(count_delays() > 0);
    }
}

static void staged_calls_are_right_however_late_a_signal_is(void **state)
{
    (void)state;
    make_delayed_calls(1u << REVERSE_A2A_STAGED, 100);
}

static void mixed_calls_are_right_however_late_a_signal_is(void **state)
{
    (void)state;
    make_delayed_calls(SIGNALLING, 200);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(staged_calls_are_right_however_late_a_signal_is),
        cmocka_unit_test(mixed_calls_are_right_however_late_a_signal_is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
