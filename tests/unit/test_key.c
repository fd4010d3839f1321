/* Keys: canonical, exact, of any length, and honest about mistakes. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "key.h"

static bool equal(const struct tutti_key *a, const struct tutti_key *b)
{
    return a->length == b->length && memcmp(a->bytes, b->bytes, a->length) == 0 &&
           key_hash(a) == key_hash(b);
}

static void build(struct tutti_key *key, int64_t rows, const char *dtype, double scale)
{
    const int64_t extents[] = {rows, 8, 128};
    key_init(key);
    tutti_key_shape(key, "A", 3, extents);
    tutti_key_string(key, "dtype", dtype);
    tutti_key_integer(key, "ranks", 2);
    tutti_key_double(key, "scale", scale);
    tutti_key_bool(key, "causal", true);
}

static void equal_fields_make_equal_keys_and_others_do_not(void **state)
{
    (void)state;
    struct tutti_key a, b, c, d, e;
    build(&a, 4096, "bf16", 0.5);
    build(&b, 4096, "bf16", 0.5);
    build(&c, 4097, "bf16", 0.5);
    build(&d, 4096, "fp16", 0.5);
    build(&e, 4096, "bf16", 0.25);
    assert_true(equal(&a, &b));
    assert_false(equal(&a, &c));
    assert_false(equal(&a, &d));
    assert_false(equal(&a, &e));
    struct tutti_key *keys[] = {&a, &b, &c, &d, &e};
    for (size_t i = 0; i < 5; i++)
        key_release(keys[i]);
}

static void zero_has_no_sign(void **state)
{
    (void)state;
    struct tutti_key a, b;
    build(&a, 1, "x", 0.0);
    build(&b, 1, "x", -0.0);
    assert_true(equal(&a, &b));
    key_release(&a);
    key_release(&b);
}

static void fields_can_not_run_into_each_other(void **state)
{
    (void)state;
    struct tutti_key a, b;
    key_init(&a);
    tutti_key_string(&a, "ab", "c");
    key_init(&b);
    tutti_key_string(&b, "a", "bc");
    assert_false(equal(&a, &b));
    const int64_t extents[] = {1, 2};
    key_release(&a);
    key_release(&b);
    key_init(&a);
    tutti_key_shape(&a, "s", 2, extents);
    key_init(&b);
    tutti_key_shape(&b, "s", 1, extents);
    tutti_key_integer(&b, "s", 2);
    assert_false(equal(&a, &b));
    key_release(&a);
    key_release(&b);
}

static void fields_decode_as_they_were_added(void **state)
{
    (void)state;
    struct tutti_key key;
    struct key_field field;
    size_t offset = 0;
    build(&key, INT64_MIN, "\"quoted\" \xc3\xa9/..", 1.0 / 3);
    assert_true(key_next(key.bytes, key.length, &offset, &field));
    assert_int_equal(field.kind, KEY_SHAPE);
    assert_string_equal(field.name, "A");
    assert_int_equal(field.nextents, 3);
    assert_true(key_extent(&field, 0) == INT64_MIN);
    assert_int_equal(key_extent(&field, 2), 128);
    assert_true(key_next(key.bytes, key.length, &offset, &field));
    assert_int_equal(field.kind, KEY_STRING);
    assert_string_equal(field.string, "\"quoted\" \xc3\xa9/..");
    assert_true(key_next(key.bytes, key.length, &offset, &field));
    assert_int_equal(field.integer, 2);
    assert_true(key_next(key.bytes, key.length, &offset, &field));
    assert_true(field.real == 1.0 / 3);
    assert_true(key_next(key.bytes, key.length, &offset, &field));
    assert_int_equal(field.kind, KEY_BOOL);
    assert_int_equal(field.integer, 1);
    assert_false(key_next(key.bytes, key.length, &offset, &field));
    key_release(&key);
}

static void a_key_of_any_length_keeps_everything(void **state)
{
    (void)state;
    enum { FIELDS = 2000 };
    char name[32], *huge = malloc(100001);
    struct tutti_key key;
    struct key_field field;
    struct text why = {0};
    size_t offset = 0;
    memset(huge, 'x', 100000);
    huge[100000] = '\0';
    key_init(&key);
    for (int i = 0; i < FIELDS; i++) {
        snprintf(name, sizeof name, "field%d", i);
        tutti_key_integer(&key, name, i);
    }
    tutti_key_string(&key, "huge", huge);
    assert_true(key_check(&key, &why));
    for (int i = 0; i < FIELDS; i++) {
        assert_true(key_next(key.bytes, key.length, &offset, &field));
        assert_int_equal(field.integer, i);
    }
    assert_true(key_next(key.bytes, key.length, &offset, &field));
    assert_string_equal(field.string, huge);
    key_release(&key);
    free(huge);
}

static void expect_mistake(struct tutti_key *key, const char *part)
{
    struct text why = {0};
    assert_false(key_check(key, &why));
    if (!strstr(why.bytes, part))
        fail_msg("\"%s\" does not contain \"%s\"", why.bytes, part);
    text_release(&why);
    key_release(key);
    key_init(key);
}

static void mistakes_name_the_field(void **state)
{
    (void)state;
    struct tutti_key key;
    key_init(&key);
    tutti_key_double(&key, "scale", (double)NAN);
    tutti_key_double(&key, "later", (double)INFINITY);
    expect_mistake(&key, "\"scale\": the value is not a finite number");
    tutti_key_integer(&key, "", 1);
    expect_mistake(&key, "no name");
    tutti_key_string(&key, "dtype", NULL);
    expect_mistake(&key, "\"dtype\": the string is NULL");
    tutti_key_string(&key, "dtype", "\xc3");
    expect_mistake(&key, "\"dtype\": the string is not UTF-8");
    tutti_key_shape(&key, "A", 2, NULL);
    expect_mistake(&key, "\"A\": the shape is NULL");
    tutti_key_integer(&key, "n", 1);
    tutti_key_integer(&key, "n", 1);
    expect_mistake(&key, "\"n\": the name occurs twice");
    key_release(&key);
}

static void the_text_has_a_line_per_field(void **state)
{
    (void)state;
    struct tutti_key key;
    struct text text = {0};
    build(&key, 4096, "bf16", 0.5);
    key_text(key.bytes, key.length, &text);
    assert_string_equal(text.bytes, "A = [4096, 8, 128]\ndtype = \"bf16\"\nranks = 2\n"
                                    "scale = 0.5 (double)\ncausal = true\n");
    text_release(&text);
    key_release(&key);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_fields_make_equal_keys_and_others_do_not),
        cmocka_unit_test(zero_has_no_sign),
        cmocka_unit_test(fields_can_not_run_into_each_other),
        cmocka_unit_test(fields_decode_as_they_were_added),
        cmocka_unit_test(a_key_of_any_length_keeps_everything),
        cmocka_unit_test(mistakes_name_the_field),
        cmocka_unit_test(the_text_has_a_line_per_field),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
