/*
 * A payload is never read before it has arrived and never overwritten before it has been read, on a
 * memory that keeps only the order that the signals ask for; and a protocol that asks for less is
 * found out.
 */
#include "calls.h"
#include "weak_memory.h"

#include "../problem.h"

static const unsigned staged = 1u << REVERSE_A2A_STAGED | 1u << REVERSE_A2A_STAGED_OWN;
static const unsigned touching = 1u << REVERSE_A2A_PULL | 1u << REVERSE_A2A_PUSH;

static bool run(enum weak_memory_mode mode, enum weak_memory_mutant mutant, unsigned engines,
                int copy)
{
    bool right = true;
    for (int ranks = 2; ranks <= 3; ranks++) {
        struct calls calls = {.ranks = ranks, .count = 40, .seed = (unsigned)ranks};
        calls.engines = engines;
        calls.copy = copy;
        calls.faults = true;
        set_weak_memory(mode, mutant);
        right &= make_calls(&calls);
        assert_true(count_put_off() > 0);
    }
    return right;
}

static void late_payloads_are_waited_for(void **state)
{
    (void)state;
    assert_true(run(LATE, NO_MUTANT, staged | touching, REVERSE_A2A_COPY_WIDE));
}

static void late_streaming_stores_are_waited_for(void **state)
{
    (void)state;
    assert_true(run(LATE, NO_MUTANT, staged | touching, REVERSE_A2A_COPY_STREAMING_BOTH));
}

static void payloads_are_not_read_early(void **state)
{
    (void)state;
    assert_true(run(EARLY, NO_MUTANT, staged | touching, REVERSE_A2A_COPY_WIDE));
}

static void a_signal_before_its_payload_is_found_out(void **state)
{
    (void)state;
    assert_false(run(LATE, SIGNALS_BEFORE_COPYING, staged, REVERSE_A2A_COPY_WIDE));
}

static void a_signal_without_release_is_found_out(void **state)
{
    (void)state;
    assert_false(run(LATE, STORES_NOT_RELEASED, staged, REVERSE_A2A_COPY_WIDE));
    assert_false(run(LATE, LOADS_NOT_RELEASED, staged, REVERSE_A2A_COPY_WIDE));
}

static void a_wait_without_acquire_is_found_out(void **state)
{
    (void)state;
    assert_false(run(EARLY, SIGNALS_NOT_ACQUIRED, staged, REVERSE_A2A_COPY_WIDE));
}

static void streaming_stores_without_a_fence_are_found_out(void **state)
{
    (void)state;
    assert_false(run(LATE, FENCE_FORGOTTEN, staged, REVERSE_A2A_COPY_STREAMING_BOTH));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(late_payloads_are_waited_for),
        cmocka_unit_test(late_streaming_stores_are_waited_for),
        cmocka_unit_test(payloads_are_not_read_early),
        cmocka_unit_test(a_signal_before_its_payload_is_found_out),
        cmocka_unit_test(a_signal_without_release_is_found_out),
        cmocka_unit_test(a_wait_without_acquire_is_found_out),
        cmocka_unit_test(streaming_stores_without_a_fence_are_found_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
