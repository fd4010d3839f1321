/* The parts behind the public header: layouts, copies, datatypes of many bytes. One process. */
#include "problem.h"

#include <stdlib.h>
#include <string.h>

#include "bytes_type.h"
#include "copy.h"
#include "layout.h"

static int resolve(struct reverse_a2a_shape shape, int ranks)
{
    struct reverse_a2a_layout layout;
    return reverse_a2a_layout_resolve(&shape, ranks, -1, &layout);
}

static void impossible_shapes_are_refused(void **state)
{
    (void)state;
    struct reverse_a2a_shape good = {.s = 4, .h = 3, .d = 5, .element_size = 2}, bad;
    assert_int_equal(resolve(good, 2), REVERSE_A2A_OK);
    assert_int_equal(resolve(good, 0), REVERSE_A2A_ERROR_RANKS);
    bad = good, bad.s = -1;
    assert_int_equal(resolve(bad, 2), REVERSE_A2A_ERROR_SHAPE);
    bad = good, bad.element_size = 16;
    assert_int_equal(resolve(bad, 2), REVERSE_A2A_ERROR_SHAPE);
    bad = good, bad.a_stride_h = -5;
    assert_int_equal(resolve(bad, 2), REVERSE_A2A_ERROR_SHAPE);
    bad = good, bad.c_stride_h = 4; /* heads would overlap */
    assert_int_equal(resolve(bad, 2), REVERSE_A2A_ERROR_SHAPE);
    bad = good, bad.c_stride_s = 29; /* rows would overlap: 2 * 3 * 5 elements each */
    assert_int_equal(resolve(bad, 2), REVERSE_A2A_ERROR_SHAPE);
    bad.c_stride_s = 30;
    assert_int_equal(resolve(bad, 2), REVERSE_A2A_OK);
}

static void strides_of_a_dimension_of_one_have_no_say(void **state)
{
    (void)state;
    struct reverse_a2a_shape shape = {.s = 1, .h = 3, .d = 5, .element_size = 8};
    shape.c_stride_s = 1;
    assert_int_equal(resolve(shape, 2), REVERSE_A2A_OK);
    shape.c_stride_s = INT64_MAX;
    assert_int_equal(resolve(shape, 2), REVERSE_A2A_OK);
}

static void sizes_beyond_the_address_space_are_refused(void **state)
{
    (void)state;
    struct reverse_a2a_shape shape = {.s = INT64_MAX, .h = 1, .d = 1, .element_size = 1};
    assert_int_equal(resolve(shape, 1), REVERSE_A2A_OK);
    assert_int_equal(resolve(shape, 2), REVERSE_A2A_ERROR_TOO_LARGE);
    shape.s = (int64_t)1 << 31, shape.h = (int64_t)1 << 31, shape.d = 2;
    assert_int_equal(resolve(shape, 1), REVERSE_A2A_ERROR_TOO_LARGE);
    shape.d = 1, shape.element_size = 2;
    assert_int_equal(resolve(shape, 1), REVERSE_A2A_ERROR_TOO_LARGE);
    shape.h = 0; /* nothing is never too large */
    assert_int_equal(resolve(shape, 1), REVERSE_A2A_OK);

    struct reverse_a2a_config deep = {1 << 30, 1, 1 << 30};
    struct reverse_a2a_shape long_one = {.s = (int64_t)1 << 60, .h = 1, .d = 8, .element_size = 1};
    size_t bytes;
    assert_int_equal(reverse_a2a_memory_bytes(&long_one, &deep, 4, &bytes),
                     REVERSE_A2A_ERROR_TOO_LARGE);
}

static void memory_is_what_the_slots_in_use_need(void **state)
{
    (void)state;
    struct reverse_a2a_shape shape = {.s = 100, .h = 3, .d = 5, .element_size = 2};
    struct reverse_a2a_config config = {32, 64, 2};
    size_t bytes;
    assert_int_equal(reverse_a2a_memory_bytes(&shape, &config, 4, &bytes), 0);
    assert_int_equal(bytes, 2 * 32 * (4 * 3) * 5 * 2);
    config.buffer_num = 1000; /* there are 4 blocks */
    assert_int_equal(reverse_a2a_memory_bytes(&shape, &config, 4, &bytes), 0);
    assert_int_equal(bytes, 4 * 32 * (4 * 3) * 5 * 2);
    assert_int_equal(reverse_a2a_memory_bytes(&shape, &config, 1, &bytes), 0);
    assert_int_equal(bytes, 0);
}

/* The same copy, byte by byte. */
static void copy_plainly(char *to, const char *from, const struct reverse_a2a_box *box)
{
    for (size_t s = 0; s < box->rows; s++)
        for (size_t h = 0; h < box->heads; h++)
            for (size_t b = 0; b < box->width; b++)
                to[s * box->to_stride_s + h * box->to_stride_h + b] =
                    from[s * box->from_stride_s + h * box->from_stride_h + b];
}

/* All ways of nesting, with and without gaps, on both sides. */
static void set_strides(struct reverse_a2a_box *box, unsigned way)
{
    size_t gap = way & 1, other_gap = (way >> 1) & 1;
    size_t to = box->width + gap, from = box->width + other_gap;
    bool to_heads_inside = way & 4, from_heads_inside = way & 8;
    size_t outer_gap = (way >> 4) & 1;
    box->to_stride_h = to_heads_inside ? to : to * box->rows + outer_gap;
    box->to_stride_s = to_heads_inside ? to * box->heads + outer_gap : to;
    box->from_stride_h = from_heads_inside ? from : from * box->rows + outer_gap;
    box->from_stride_s = from_heads_inside ? from * box->heads + outer_gap : from;
}

static void check_kernel(const struct reverse_a2a_kernel *kernel, unsigned case_number)
{
    enum { SIZE = 1 << 14 };
    static char from[SIZE + 64], to[SIZE + 64], expected[SIZE + 64];
    static const size_t widths[] = {1, 2, 3, 4, 8, 16, 17, 32, 64, 128, 200};
    unsigned i = case_number;
    if (i == 0)
        for (size_t at = 0; at < SIZE; at++)
            from[at] = (char)(rand() & 0x7f);
    struct reverse_a2a_box box = {
        .rows = 1 + i / 11 % 3 * 2, .heads = 1 + i / 33 % 3, .width = widths[i % 11]};
    set_strides(&box, i / 99);
    size_t shift = i % 64; /* the alignment of each side */
    memset(expected, -1, SIZE);
    copy_plainly(expected + shift, from + i % 7, &box);
    for (size_t tile = 1; tile <= 256; tile = tile * 4 + 60) {
        memset(to, -1, SIZE);
        reverse_a2a_copy_tiles(kernel, to + shift, from + i % 7, &box, tile);
        assert_memory_equal(to, expected, SIZE);
    }
}

static void every_kernel_is_exact_for_all_nestings_widths_and_alignments(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 11 * 9 * 32; i++)
        check_kernel(&reverse_a2a_plain_kernel, i);
    for (const struct reverse_a2a_kernel_set *set = reverse_a2a_kernel_sets; set->name; set++)
        for (unsigned i = 0; set->is_supported() && i < 11 * 9 * 32; i++) {
            check_kernel(&set->wide, i);
            check_kernel(&set->prefetching, i);
            check_kernel(&set->streaming, i);
        }
}

static void every_kernel_is_exact_for_every_width_and_alignment(void **state)
{
    (void)state;
    static char from[1100], to[1100], expected[1100];
    for (size_t i = 0; i < sizeof(from); i++)
        from[i] = (char)(i * 7 % 127);
    for (const struct reverse_a2a_kernel_set *set = reverse_a2a_kernel_sets; set->name; set++)
        for (size_t width = 1; set->is_supported() && width < 900; width += 1 + width / 150)
            for (size_t shift = 0; shift < 64; shift += 7) {
                struct reverse_a2a_box box = {1, 1, width, 0, 0, 0, 0};
                memset(expected, -1, sizeof(expected));
                memcpy(expected + shift, from + 3, width);
                memset(to, -1, sizeof(to));
                reverse_a2a_copy_box(&set->streaming, to + shift, from + 3, &box);
                assert_memory_equal(to, expected, sizeof(to));
                memset(to, -1, sizeof(to));
                reverse_a2a_copy_box(&set->wide, to + shift, from + 3, &box);
                assert_memory_equal(to, expected, sizeof(to));
            }
}

/* A set that needs nothing ends the list: there is one for every processor. */
static void the_last_kernels_run_on_every_processor(void **state)
{
    (void)state;
    const struct reverse_a2a_kernel_set *last = reverse_a2a_kernel_sets;
    while (last[1].name)
        last++;
    assert_true(last->is_supported());
    assert_non_null(reverse_a2a_find_kernels()->name);
}

static void engines_and_copies_have_names(void **state)
{
    (void)state;
    for (int i = 0; i < REVERSE_A2A_ENGINES; i++)
        assert_non_null(reverse_a2a_engine_string(i));
    for (int i = 0; i < REVERSE_A2A_COPIES; i++)
        assert_non_null(reverse_a2a_copy_string(i));
    assert_null(reverse_a2a_engine_string(-1));
    assert_null(reverse_a2a_engine_string(REVERSE_A2A_ENGINES));
    assert_null(reverse_a2a_copy_string(REVERSE_A2A_COPIES));
}

static void engines_without_blocks_need_no_peer_mem(void **state)
{
    (void)state;
    struct reverse_a2a_shape shape = {.s = 100, .h = 3, .d = 5, .element_size = 2};
    for (int i = REVERSE_A2A_PULL; i < REVERSE_A2A_ENGINES; i++) {
        struct reverse_a2a_choice choice = {.engine = i};
        size_t bytes = 1;
        assert_int_equal(reverse_a2a_memory_bytes_for(&shape, &choice, 4, &bytes), 0);
        assert_int_equal(bytes, 0);
    }
    struct reverse_a2a_choice unknown = {.engine = REVERSE_A2A_ENGINES};
    size_t bytes;
    assert_int_equal(reverse_a2a_memory_bytes_for(&shape, &unknown, 4, &bytes),
                     REVERSE_A2A_ERROR_CONFIG);
}

static void datatypes_of_many_chunks_carry_every_byte(void **state)
{
    (void)state;
    static const size_t sizes[] = {7, 12, 1000, 1001};
    for (int i = 0; i < 4; i++) {
        unsigned char from[2 * 1001], to[2 * 1001 + 1];
        for (size_t at = 0; at < 2 * sizes[i]; at++)
            from[at] = (unsigned char)(at * 7 + 1);
        memset(to, 0, sizeof(to));
        MPI_Datatype type;
        MPI_Aint lower, extent;
        assert_int_equal(reverse_a2a_bytes_type(sizes[i], 4, &type), MPI_SUCCESS);
        MPI_Type_get_extent(type, &lower, &extent);
        assert_int_equal(lower, 0);
        assert_int_equal(extent, (MPI_Aint)sizes[i]);
        MPI_Alltoall(from, 2, type, to, 2, type, MPI_COMM_SELF);
        assert_memory_equal(from, to, 2 * sizes[i]);
        assert_int_equal(to[2 * sizes[i]], 0);
        MPI_Type_free(&type);
    }
}

static void datatypes_beyond_int_max_have_the_right_size(void **state)
{
    (void)state;
    size_t bytes = ((size_t)5 << 30) + 3;
    MPI_Datatype type;
    MPI_Count size;
    assert_int_equal(reverse_a2a_bytes_type(bytes, REVERSE_A2A_CHUNK, &type), MPI_SUCCESS);
    MPI_Type_size_x(type, &size);
    assert_true(size == (MPI_Count)bytes);
    MPI_Type_free(&type);
}

static void every_result_has_words(void **state)
{
    (void)state;
    for (int result = REVERSE_A2A_ERROR_DEVICE; result <= REVERSE_A2A_OK; result++)
        assert_string_not_equal(reverse_a2a_strerror(result), reverse_a2a_strerror(1));
    assert_non_null(reverse_a2a_strerror(-1000));
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(impossible_shapes_are_refused),
        cmocka_unit_test(strides_of_a_dimension_of_one_have_no_say),
        cmocka_unit_test(sizes_beyond_the_address_space_are_refused),
        cmocka_unit_test(memory_is_what_the_slots_in_use_need),
        cmocka_unit_test(every_kernel_is_exact_for_all_nestings_widths_and_alignments),
        cmocka_unit_test(every_kernel_is_exact_for_every_width_and_alignment),
        cmocka_unit_test(the_last_kernels_run_on_every_processor),
        cmocka_unit_test(engines_and_copies_have_names),
        cmocka_unit_test(engines_without_blocks_need_no_peer_mem),
        cmocka_unit_test(datatypes_of_many_chunks_carry_every_byte),
        cmocka_unit_test(datatypes_beyond_int_max_have_the_right_size),
        cmocka_unit_test(every_result_has_words),
    };
    return finish_tests(cmocka_run_group_tests(tests, NULL, NULL));
}
