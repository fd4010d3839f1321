/* The space: what is accepted, the order of configurations, and exact round trips. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <tutti/error.h>
#include <tutti/param.h>

#include "space.h"

struct config {
    int block;
    unsigned mask;
    bool wide;
    int64_t big;
    double fraction;
    struct {
        long deep;
    } nested;
};

static const tutti_param params[] = {
    TUTTI_PARAM(struct config, block, 32, 64, 128),
    TUTTI_PARAM(struct config, mask, 1u, 4000000000u),
    TUTTI_PARAM(struct config, wide, false, true),
    TUTTI_PARAM(struct config, big, INT64_MIN, INT64_C(9007199254740993)),
    TUTTI_PARAM(struct config, fraction, 0.1, 1.0 / 3, 5e-324),
    TUTTI_PARAM(struct config, nested.deep, 7),
};
#define NPARAMS (sizeof params / sizeof *params)

static int init(struct space *space, const tutti_param *table, size_t n, size_t size, char *reason)
{
    struct text why = {0};
    int error = space_init(space, table, n, size, &why);
    strcpy(reason, "");
    if (why.bytes)
        strncat(reason, why.bytes, 255);
    text_release(&why);
    return error;
}

static void expect_refused(const tutti_param *table, size_t n, int error, const char *part)
{
    struct space space;
    char reason[256];
    assert_int_equal(init(&space, table, n, sizeof(struct config), reason), error);
    if (!strstr(reason, part))
        fail_msg("\"%s\" does not contain \"%s\"", reason, part);
}

static void the_first_parameter_varies_slowest(void **state)
{
    (void)state;
    struct space space;
    char reason[256];
    assert_int_equal(init(&space, params, NPARAMS, sizeof(struct config), reason), TUTTI_SUCCESS);
    assert_int_equal(space.size, 3 * 2 * 2 * 2 * 3 * 1);
    uint64_t index = 0;
    for (size_t a = 0; a < 3; a++)
        for (size_t b = 0; b < 2; b++)
            for (size_t c = 0; c < 2; c++)
                for (size_t d = 0; d < 2; d++)
                    for (size_t e = 0; e < 3; e++, index++) {
                        struct config config;
                        space_fill(&space, index, &config);
                        assert_int_equal(config.block, ((const int *)params[0].values)[a]);
                        assert_int_equal(config.mask, ((const unsigned *)params[1].values)[b]);
                        assert_int_equal(config.wide, ((const bool *)params[2].values)[c]);
                        assert_true(config.big == ((const int64_t *)params[3].values)[d]);
                        assert_memory_equal(&config.fraction, (const double *)params[4].values + e,
                                            sizeof(double));
                        assert_int_equal(config.nested.deep, 7);
                    }
    space_release(&space);
}

static void every_configuration_is_found_by_its_struct(void **state)
{
    (void)state;
    struct space space;
    char reason[256];
    assert_int_equal(init(&space, params, NPARAMS, sizeof(struct config), reason), TUTTI_SUCCESS);
    for (uint64_t i = 0; i < space.size; i++) {
        struct config config;
        uint64_t found;
        space_fill(&space, i, &config);
        assert_true(space_find(&space, &config, &found));
        assert_int_equal(found, i);
    }
    struct config other = {.block = 33};
    uint64_t found;
    assert_false(space_find(&space, &other, &found));
    space_release(&space);
}

static void bytes_between_fields_are_zero(void **state)
{
    (void)state;
    struct space space;
    char reason[256];
    unsigned char filled[sizeof(struct config)], again[sizeof(struct config)];
    assert_int_equal(init(&space, params, NPARAMS, sizeof(struct config), reason), TUTTI_SUCCESS);
    memset(filled, 0xa5, sizeof filled);
    memset(again, 0x5a, sizeof again);
    space_fill(&space, 17, filled);
    space_fill(&space, 17, again);
    assert_memory_equal(filled, again, sizeof filled);
    space_release(&space);
}

static void texts_are_exact(void **state)
{
    (void)state;
    struct space space;
    char reason[256];
    struct text text = {0};
    assert_int_equal(init(&space, params, NPARAMS, sizeof(struct config), reason), TUTTI_SUCCESS);
    space_configuration_text(&space, 0, &text);
    assert_string_equal(text.bytes, "block=32, mask=1, wide=false, big=-9223372036854775808, "
                                    "fraction=0.10000000000000001, nested.deep=7");
    text_release(&text);
    space_text(&space, &text);
    assert_non_null(strstr(text.bytes, "mask (u32): 1 4000000000\n"));
    assert_non_null(strstr(text.bytes, "fraction (f64): 0.10000000000000001 0.33333333333333331 "
                                       "4.9406564584124654e-324\n"));
    text_release(&text);
    space_release(&space);
}

static void an_empty_table_is_refused(void **state)
{
    (void)state;
    expect_refused(NULL, 0, TUTTI_ERR_SPACE, "empty");
    tutti_param empty[] = {params[0]};
    empty[0].count = 0;
    expect_refused(empty, 1, TUTTI_ERR_SPACE, "block has no values");
}

static void a_name_or_a_value_twice_is_refused(void **state)
{
    (void)state;
    tutti_param names[] = {params[0], params[0]};
    expect_refused(names, 2, TUTTI_ERR_SPACE, "parameters 0 and 1 are both named block");
    static const int twice[] = {1, 2, 1};
    tutti_param values[] = {params[0]};
    values[0].values = twice;
    expect_refused(values, 1, TUTTI_ERR_SPACE, "block: values 0 and 2 are the same");
}

static void a_number_that_is_not_finite_is_refused(void **state)
{
    (void)state;
    const double bad[] = {1.0, (double)NAN}, worse[] = {(double)INFINITY};
    tutti_param table[] = {params[4]};
    table[0].values = bad;
    table[0].count = 2;
    expect_refused(table, 1, TUTTI_ERR_SPACE, "fraction: value 1 is not a finite number");
    table[0].values = worse;
    table[0].count = 1;
    expect_refused(table, 1, TUTTI_ERR_SPACE, "fraction: value 0");
}

static void a_field_outside_the_struct_or_of_another_width_is_refused(void **state)
{
    (void)state;
    tutti_param table[] = {params[0]};
    table[0].offset = sizeof(struct config) - 2;
    expect_refused(table, 1, TUTTI_ERR_SPACE, "outside");
    table[0].offset = SIZE_MAX - 1;
    expect_refused(table, 1, TUTTI_ERR_SPACE, "outside");
    table[0] = params[0];
    table[0].size = 8;
    expect_refused(table, 1, TUTTI_ERR_SPACE, "4 bytes, not 8");
    table[0] = params[0];
    table[0].kind = 99;
    expect_refused(table, 1, TUTTI_ERR_SPACE, "unknown kind 99");
    tutti_param shared[] = {params[0], params[1]};
    shared[1].offset = shared[0].offset + 2;
    expect_refused(shared, 2, TUTTI_ERR_SPACE, "share bytes");
}

static void a_missing_or_broken_name_is_refused(void **state)
{
    (void)state;
    tutti_param table[] = {params[0]};
    table[0].name = "";
    expect_refused(table, 1, TUTTI_ERR_SPACE, "no name");
    table[0].name = NULL;
    expect_refused(table, 1, TUTTI_ERR_SPACE, "no name");
    table[0].name = "\xff";
    expect_refused(table, 1, TUTTI_ERR_SPACE, "not UTF-8");
}

static void an_absurd_product_is_refused_without_overflow(void **state)
{
    (void)state;
    enum { VALUES = 1 << 11 };
    static int64_t values[VALUES];
    static tutti_param table[9];
    static const char *const names[] = {"a", "b", "c", "d", "e", "f", "g", "h", "i"};
    for (int i = 0; i < VALUES; i++)
        values[i] = i;
    /* 2^11 to the power of 9 is 2^99: a product of size_t would wrap round to 0. */
    for (size_t i = 0; i < 9; i++)
        table[i] = (tutti_param){.name = names[i],
                                 .kind = TUTTI_KIND_I64,
                                 .offset = 8 * i,
                                 .size = 8,
                                 .values = values,
                                 .count = VALUES};
    struct space space;
    char reason[256];
    assert_int_equal(init(&space, table, 9, 72, reason), TUTTI_ERR_SPACE);
    assert_non_null(strstr(reason, "more than 1048576 configurations"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_parameter_varies_slowest),
        cmocka_unit_test(every_configuration_is_found_by_its_struct),
        cmocka_unit_test(bytes_between_fields_are_zero),
        cmocka_unit_test(texts_are_exact),
        cmocka_unit_test(an_empty_table_is_refused),
        cmocka_unit_test(a_name_or_a_value_twice_is_refused),
        cmocka_unit_test(a_number_that_is_not_finite_is_refused),
        cmocka_unit_test(a_field_outside_the_struct_or_of_another_width_is_refused),
        cmocka_unit_test(a_missing_or_broken_name_is_refused),
        cmocka_unit_test(an_absurd_product_is_refused_without_overflow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
