/* The statistics that the table and the CSV show. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "common/statistics.h"

static void samples_need_no_order(void **state)
{
    (void)state;
    double samples[] = {4, 1, 3, 2};
    const struct statistics all = statistics_of(samples, 4);
    assert_true(all.min == 1 && all.median == 2.5 && all.mean == 2.5 && all.max == 4);
    assert_true(all.p95 == 4);
}

static void the_95th_percentile_is_a_sample(void **state)
{
    (void)state;
    double samples[100];
    for (int i = 0; i < 100; i++)
        samples[i] = 100 - i;
    assert_true(statistics_of(samples, 100).p95 == 95);
    assert_true(statistics_of(samples, 20).p95 == 19);
    assert_true(statistics_of(samples, 1).p95 == 1);
}

static void no_samples_are_all_zero(void **state)
{
    (void)state;
    const struct statistics all = statistics_of(NULL, 0);
    assert_true(all.min == 0 && all.max == 0 && ratio(1, all.median) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(samples_need_no_order),
        cmocka_unit_test(the_95th_percentile_is_a_sample),
        cmocka_unit_test(no_samples_are_all_zero),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
