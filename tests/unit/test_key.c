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

/* Keys that differ from each other in one thing each: a field more or less, a kind, a name, one
 * byte of a value, its length. */
#define GUESSED_KEYS 22

static void build_guessed(struct tutti_key *key, int which)
{
    static char huge[2000];
    const int64_t extents[] = {1, 2, which == 1 ? 4 : 3};
    memset(huge, 'x', sizeof huge - 1);
    huge[sizeof huge - 2] = which == 2 ? 'y' : 'x';
    if (which == 3)
        return;
    if (which == 4)
        tutti_key_string(key, "A", "bf16");
    else
        tutti_key_shape(key, which == 5 ? "B" : "A", which == 6 ? 2 : which == 7 ? 0 : 3, extents);
    if (which == 8)
        return;
    tutti_key_string(key, "dtype",
                     which == 9    ? "bf17"
                     : which == 10 ? "bf1"
                     : which == 11 ? "bf166"
                     : which == 12 ? ""
                                   : "bf16");
    if (which == 13)
        tutti_key_double(key, "ranks", 0);
    else
        tutti_key_integer(key, which == 14 ? "rank" : "ranks", which == 15 ? INT64_C(1) << 56 : 0);
    tutti_key_bool(key, "causal", which == 16);
    tutti_key_double(key, "scale", which == 17 ? 1 : which == 18 ? -0.0 : 0.0);
    if (which == 19 || which == 2)
        tutti_key_string(key, "huge", huge);
    if (which == 20)
        tutti_key_integer(key, "last", 0);
    if (which == 21)
        tutti_key_string(key, "a name that is longer than any other one here", "z");
}

/* Builds one key while another is guessed, and compares with how it is built without a guess. */
static void expect_guess(int guessed, int built)
{
    struct tutti_key guess, plain, key;
    key_init(&guess);
    build_guessed(&guess, guessed);
    unsigned char *encoding = calloc(guess.length + 1, 1); /* exactly: valgrind sees the end */
    memcpy(encoding, guess.bytes, guess.length);
    struct key_mark *marks = calloc(key_fields(encoding, guess.length) + 1, sizeof *marks);
    key_mark_fields(encoding, guess.length, marks);
    key_init(&plain);
    build_guessed(&plain, built);
    key_init(&key);
    key_guess(&key, marks);
    build_guessed(&key, built);
    if (key_is_guess(&key, guess.length) != equal(&guess, &plain))
        fail_msg("key %d is wrongly judged while %d is guessed", built, guessed);
    key_settle(&key);
    assert_false(key_is_guess(&key, guess.length));
    if (!equal(&key, &plain))
        fail_msg("key %d is built otherwise while %d is guessed", built, guessed);
    key_release(&guess);
    key_release(&plain);
    key_release(&key);
    free(marks);
    free(encoding);
}

static void a_guess_is_right_exactly_if_the_keys_are_equal_and_never_changes_one(void **state)
{
    (void)state;
    for (int guessed = 0; guessed < GUESSED_KEYS; guessed++)
        for (int built = 0; built < GUESSED_KEYS; built++)
            expect_guess(guessed, built);
}

static void mistakes_are_kept_while_a_key_is_guessed(void **state)
{
    static const unsigned char end[1];
    static const struct key_mark nothing[] = {{end, NULL}};
    (void)state;
    struct tutti_key key;
    key_init(&key);
    key_guess(&key, nothing);
    assert_true(key_is_guess(&key, 0));
    tutti_key_double(&key, "scale", NAN);
    assert_false(key_is_guess(&key, 0));
    key_settle(&key);
    expect_mistake(&key, "\"scale\": the value is not a finite number");
    key_release(&key);

    key_init(&key);
    key_guess(&key, nothing);
    tutti_key_integer(&key, NULL, 1);
    assert_false(key_is_guess(&key, 0));
    key_settle(&key);
    expect_mistake(&key, "a field has no name");
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
        cmocka_unit_test(a_guess_is_right_exactly_if_the_keys_are_equal_and_never_changes_one),
        cmocka_unit_test(mistakes_are_kept_while_a_key_is_guessed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
