/* The rule that prunes: how much of the space it leaves, and in which order it decides. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "common/block_rule.h"

static bool keeps(int64_t s, int64_t d, size_t element_size, int block_s, int block_d, int buffers)
{
    const struct reverse_a2a_shape shape = {.s = s, .h = 8, .d = d, .element_size = element_size};
    const struct reverse_a2a_config blocks = {block_s, block_d, buffers};
    return block_rule_keeps(&shape, &blocks);
}

static int count_kept(int64_t s, int64_t d, size_t element_size)
{
    static const int block_s[] = {32, 64, 128, 256, 512}, block_d[] = {64, 128},
                     buffers[] = {2, 3, 4, 8};
    int kept = 0;
    for (int i = 0; i < 5 * 2 * 4; i++)
        kept += keeps(s, d, element_size, block_s[i / 8], block_d[i / 4 % 2], buffers[i % 4]);
    return kept;
}

static void the_space_shrinks_to_what_the_shape_allows(void **state)
{
    (void)state;
    assert_int_equal(count_kept(2048, 128, 2), 38);
    assert_int_equal(count_kept(64, 128, 2), 2);
    assert_int_equal(count_kept(4096, 128, 2), 40);
    assert_true(keeps(64, 128, 2, 32, 64, 2));
    assert_true(keeps(64, 128, 2, 32, 128, 2));
}

static void nothing_is_left_for_small_s(void **state)
{
    (void)state;
    assert_int_equal(count_kept(1, 128, 2), 0);
    assert_int_equal(count_kept(33, 128, 2), 0);
    assert_int_equal(count_kept(65, 128, 2), 0);
    assert_int_equal(count_kept(0, 128, 2), 0);
}

static void buffers_beyond_the_blocks_go_even_for_the_customary_blocks(void **state)
{
    (void)state;
    assert_true(keeps(256, 128, 2, 128, 128, 2));
    assert_false(keeps(256, 128, 2, 128, 128, 3));
    assert_true(keeps(257, 128, 2, 128, 128, 3));
}

static void the_customary_blocks_stay_where_later_rules_would_drop_them(void **state)
{
    (void)state;
    assert_true(keeps(129, 128, 2, 128, 128, 2)); /* half of the room is empty */
    assert_true(keeps(256, 5, 2, 128, 128, 2));   /* larger than D */
    assert_false(keeps(129, 128, 2, 128, 64, 2));
    assert_false(keeps(256, 5, 2, 128, 64, 2));
}

static void blocks_are_filled_to_three_quarters(void **state)
{
    (void)state;
    assert_true(keeps(96, 64, 2, 64, 64, 2)); /* 96 of 128 */
    assert_false(keeps(95, 64, 2, 64, 64, 2));
    assert_true(keeps(64, 96, 2, 32, 64, 2));
    assert_false(keeps(64, 95, 2, 32, 64, 2));
}

static void a_tile_has_128_kib_at_most(void **state)
{
    (void)state;
    assert_true(keeps(2048, 128, 2, 512, 128, 2)); /* just 128 KiB */
    assert_false(keeps(2048, 128, 4, 512, 128, 2));
    assert_true(keeps(2048, 128, 4, 512, 64, 2));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_space_shrinks_to_what_the_shape_allows),
        cmocka_unit_test(nothing_is_left_for_small_s),
        cmocka_unit_test(buffers_beyond_the_blocks_go_even_for_the_customary_blocks),
        cmocka_unit_test(the_customary_blocks_stay_where_later_rules_would_drop_them),
        cmocka_unit_test(blocks_are_filled_to_three_quarters),
        cmocka_unit_test(a_tile_has_128_kib_at_most),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
