/* Verification: the poison is wrong everywhere, and the first wrong element is named. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "common/verify.h"

#define RANKS 3

static const size_t sizes[] = {1, 2, 4, 8};

/* C as it must be: any bytes will do here. */
static struct reverse_a2a_shape make(struct tensors *tensors, size_t element_size)
{
    const struct reverse_a2a_shape shape = {.s = 4, .h = 2, .d = 5, .element_size = element_size};
    assert_true(tensors_allocate(tensors, &shape, RANKS));
    assert_int_equal(tensors->bytes, 4 * RANKS * 2 * 5 * element_size);
    tensors_fill(tensors, 1);
    memcpy(tensors->expected, tensors->a, tensors->bytes);
    return shape;
}

static void poison_is_wrong_from_the_first_element_on(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++) {
        struct tensors tensors;
        struct wrong_element wrong;
        const struct reverse_a2a_shape shape = make(&tensors, sizes[i]);
        tensors_poison(&tensors);
        assert_false(verify(&tensors, &shape, RANKS, &wrong));
        assert_int_equal(wrong.s + wrong.head + wrong.d, 0);
        memcpy(tensors.c, tensors.expected, tensors.bytes);
        assert_true(verify(&tensors, &shape, RANKS, &wrong));
        tensors_free(&tensors);
    }
}

static void the_first_wrong_element_is_named(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++) {
        struct tensors tensors;
        struct wrong_element wrong;
        const struct reverse_a2a_shape shape = make(&tensors, sizes[i]);
        memcpy(tensors.c, tensors.expected, tensors.bytes);
        const size_t element = (2 * RANKS * 2 + 3) * 5 + 4; /* s = 2, head = 3, d = 4 */
        unsigned char *last_byte = (unsigned char *)tensors.c + (element + 1) * sizes[i] - 1;
        *last_byte ^= 0x80;
        last_byte[sizes[i]] ^= 1; /* a later one */
        assert_false(verify(&tensors, &shape, RANKS, &wrong));
        assert_int_equal(wrong.s, 2);
        assert_int_equal(wrong.head, 3);
        assert_int_equal(wrong.d, 4);
        assert_true((wrong.got ^ wrong.expected) == UINT64_C(0x80) << (8 * (sizes[i] - 1)));
        tensors_free(&tensors);
    }
}

static void an_empty_problem_is_right(void **state)
{
    (void)state;
    const struct reverse_a2a_shape shape = {.s = 0, .h = 2, .d = 3, .element_size = 2};
    struct tensors tensors;
    struct wrong_element wrong;
    assert_true(tensors_allocate(&tensors, &shape, RANKS));
    tensors_poison(&tensors);
    assert_true(verify(&tensors, &shape, RANKS, &wrong));
    tensors_free(&tensors);
}

static void an_impossible_size_is_refused(void **state)
{
    (void)state;
    const struct reverse_a2a_shape shape = {
        .s = INT64_C(1) << 40, .h = INT64_C(1) << 20, .d = 16, .element_size = 8};
    struct tensors tensors;
    assert_false(tensors_allocate(&tensors, &shape, RANKS));
    assert_null(tensors.a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(poison_is_wrong_from_the_first_element_on),
        cmocka_unit_test(the_first_wrong_element_is_named),
        cmocka_unit_test(an_empty_problem_is_right),
        cmocka_unit_test(an_impossible_size_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
