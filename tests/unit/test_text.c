/* Text that grows, times for people, UTF-8. */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "text.h"

static void additions_are_joined_and_terminated(void **state)
{
    (void)state;
    struct text text = {0};
    text_add(&text, "%s", "");
    assert_non_null(text.bytes);
    assert_string_equal(text.bytes, "");
    for (int i = 0; i < 1000; i++)
        text_add(&text, "%d,", i % 10);
    assert_int_equal(text.length, 2000);
    assert_int_equal(strlen(text.bytes), 2000);
    assert_memory_equal(text.bytes + 1990, "5,6,7,8,9,", 10);
    assert_false(text.failed);
    text_release(&text);
    assert_null(text.bytes);
    assert_int_equal(text.length, 0);
}

static void an_addition_of_any_length_fits(void **state)
{
    (void)state;
    static char piece[5000];
    for (size_t length = 0; length < sizeof piece; length += 61) {
        struct text text = {0};
        memset(piece, 'x', length);
        piece[length] = '\0';
        text_add(&text, "<%s>", piece);
        assert_int_equal(text.length, length + 2);
        assert_int_equal(text.bytes[length + 1], '>');
        text_release(&text);
    }
}

static void nothing_is_added_behind_a_gap(void **state)
{
    (void)state;
    struct text text = {0};
    text_add(&text, "first");
    text.failed = true;
    text_add(&text, "third");
    assert_string_equal(text.bytes, "first");
    text_release(&text);
}

static void times_have_three_digits_and_a_unit(void **state)
{
    (void)state;
    static const struct {
        double seconds;
        const char *expected;
    } cases[] = {{12.3e-6, "12.3 us"},  {1e-9, "1.00 ns"},     {999.4e-9, "999 ns"},
                 {999.6e-9, "1.00 us"}, {9.996e-3, "10.0 ms"}, {0.25, "250 ms"},
                 {1, "1.00 s"},         {12345.6, "12346 s"},  {0, "0 s"},
                 {1e-12, "0.00 ns"},    {99.96e-6, "100 us"}};
    char buffer[32];
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_string_equal(text_seconds(cases[i].seconds, buffer), cases[i].expected);
}

static void times_that_are_no_times_do_no_harm(void **state)
{
    (void)state;
    static const double odd[] = {-1,           -DBL_MAX,         DBL_MAX,
                                 DBL_TRUE_MIN, (double)INFINITY, (double)NAN};
    char buffer[32];
    for (size_t i = 0; i < sizeof odd / sizeof odd[0]; i++)
        assert_true(strlen(text_seconds(odd[i], buffer)) < sizeof buffer);
}

static void utf8_is_told_from_other_bytes(void **state)
{
    (void)state;
    static const char *const good[] = {"",
                                       "plain",
                                       "\xC3\xA9",
                                       "\xE2\x82\xAC",
                                       "\xF0\x9F\x8E\xB5",
                                       "\xED\x9F\xBF",
                                       "\xEE\x80\x80",
                                       "\xF4\x8F\xBF\xBF"};
    static const char *const bad[] = {"\x80",             /* a continuation alone */
                                      "\xC0\x80",         /* overlong NUL */
                                      "\xC1\xBF",         /* overlong */
                                      "\xE0\x9F\xBF",     /* overlong */
                                      "\xF0\x8F\xBF\xBF", /* overlong */
                                      "\xED\xA0\x80",     /* surrogate */
                                      "\xF4\x90\x80\x80", /* beyond U+10FFFF */
                                      "\xF5\x80\x80\x80",
                                      "\xFF",
                                      "a\xC3",
                                      "\xE2\x82",
                                      "\xF0\x9F\x8E",
                                      "\xC3\x28",
                                      "\xE2\x28\xAC"};
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++)
        assert_true(text_is_utf8(good[i]));
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_false(text_is_utf8(bad[i]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(additions_are_joined_and_terminated),
        cmocka_unit_test(an_addition_of_any_length_fits),
        cmocka_unit_test(nothing_is_added_behind_a_gap),
        cmocka_unit_test(times_have_three_digits_and_a_unit),
        cmocka_unit_test(times_that_are_no_times_do_no_harm),
        cmocka_unit_test(utf8_is_told_from_other_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
