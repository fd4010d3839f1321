/*
 * Any shape, block, stride, alignment and element size gives what the definition says, and writes
 * nothing else: the staged engine and the reference.
 */
#include "problem.h"

static struct reverse_a2a_memory *memory;

/* One memory for all tests: each begins with the signals and the leftovers of those before it. */
static int create_memory(void **state)
{
    (void)state;
    size_t bytes = (size_t)16 << 20;
    int result = reverse_a2a_memory_create(MPI_COMM_WORLD, bytes, NULL, &memory);
    return result == REVERSE_A2A_OK ? 0 : -1;
}

static int destroy_memory(void **state)
{
    (void)state;
    reverse_a2a_memory_destroy(memory);
    return 0;
}

static bool run(const struct reverse_a2a_shape *shape, int block_s, int block_d, int buffers)
{
    struct reverse_a2a_config config = {block_s, block_d, buffers};
    return run_case(memory, world_rank(), shape, &config, 0);
}

static void extents_of_zero_one_and_odd_sizes_are_right(void **state)
{
    (void)state;
    static const int64_t few[] = {0, 1, 3}, widths[] = {0, 1, 3, 80};
    bool right = true;
    for (int s = 0; s < 3; s++)
        for (int h = 0; h < 3; h++)
            for (int d = 0; d < 4; d++) {
                struct reverse_a2a_shape shape = {
                    .s = few[s], .h = few[h], .d = widths[d], .element_size = 2};
                right &= run(&shape, 2, 32, 2);
            }
    assert_everywhere(MPI_COMM_WORLD, right);
}

static void every_element_size_is_right(void **state)
{
    (void)state;
    bool right = true;
    for (size_t size = 1; size <= 8; size *= 2)
        for (int64_t d = 1; d <= 64; d *= 4) {
            struct reverse_a2a_shape shape = {.s = 9, .h = 2, .d = d, .element_size = size};
            right &= run(&shape, 4, 16, 2);
        }
    assert_everywhere(MPI_COMM_WORLD, right);
}

static void blocks_of_any_size_and_number_are_right(void **state)
{
    (void)state;
    static const int blocks_s[] = {1, 2, 3, 7, 8, 1000}, blocks_d[] = {1, 3, 10, 64};
    static const int buffers[] = {1, 2, 3, 50};
    struct reverse_a2a_shape shape = {.s = 7, .h = 2, .d = 10, .element_size = 4};
    bool right = true;
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 4; j++)
            for (int k = 0; k < 4; k++)
                right &= run(&shape, blocks_s[i], blocks_d[j], buffers[k]);
    assert_everywhere(MPI_COMM_WORLD, right);
}

/* Gaps between heads and rows, of A and of C; S inside H in C, in A, and in both. */
static void list_strided_shapes(struct reverse_a2a_shape shapes[7], int ranks)
{
    int64_t s = 10, h = 3, d = 6;
    for (int i = 0; i < 7; i++)
        shapes[i] = (struct reverse_a2a_shape){.s = s, .h = h, .d = d, .element_size = 2};
    shapes[0].a_stride_h = d + 2;
    shapes[1].a_stride_s = h * d + 5;
    shapes[2].c_stride_h = d + 3;
    shapes[3].c_stride_s = ranks * h * d + 1;
    shapes[4].c_stride_s = d, shapes[4].c_stride_h = s * d;
    shapes[5].a_stride_s = d + 1, shapes[5].a_stride_h = ranks * s * (d + 1) + 2;
    shapes[6].a_stride_s = d, shapes[6].a_stride_h = ranks * s * d;
    shapes[6].c_stride_s = d + 4, shapes[6].c_stride_h = s * (d + 4) + 9;
}

static void strides_are_kept_and_gaps_stay_untouched(void **state)
{
    (void)state;
    struct reverse_a2a_shape shapes[7];
    list_strided_shapes(shapes, world_ranks());
    bool right = true;
    for (int i = 0; i < 7; i++) {
        right &= run(&shapes[i], 4, 64, 2);
        right &= run(&shapes[i], 3, 4, 3);
    }
    assert_everywhere(MPI_COMM_WORLD, right);
}

static void unaligned_arrays_are_right(void **state)
{
    (void)state;
    bool right = true;
    struct reverse_a2a_config config = {2, 4, 2};
    for (size_t size = 2; size <= 8; size *= 2)
        for (size_t misalignment = 1; misalignment < 8; misalignment += 2) {
            struct reverse_a2a_shape shape = {.s = 5, .h = 2, .d = 7, .element_size = size};
            right &= run_case(memory, world_rank(), &shape, &config, misalignment);
        }
    assert_everywhere(MPI_COMM_WORLD, right);
}

/* A few of the shapes that such operators meet in practice; the more ranks, the fewer. */
static void shapes_from_practice_are_right(void **state)
{
    (void)state;
    static const int64_t rows[] = {2041, 2048, 2047, 4093}, heads[] = {12, 8, 28, 8};
    int count = world_ranks() == 1 ? 4 : world_ranks() == 2 ? 3 : world_ranks() <= 4 ? 2 : 1;
    bool right = true;
    for (int i = 0; i < count; i++) {
        struct reverse_a2a_shape shape = {.s = rows[i], .h = heads[i], .d = 128, .element_size = 2};
        right &= run(&shape, 128, 64 << i, 2);
    }
    assert_everywhere(MPI_COMM_WORLD, right);
}

static bool reference_is_right(const struct reverse_a2a_shape *shape)
{
    struct reverse_a2a_reference *reference;
    if (reverse_a2a_reference_create(MPI_COMM_WORLD, shape, &reference) != REVERSE_A2A_OK)
        return false;
    struct problem problem;
    problem_create(&problem, shape, world_ranks(), world_rank(), 0);
    bool right = true;
    for (unsigned salt = 1; salt <= 2; salt++) {
        problem_fill(&problem, salt);
        right &=
            reverse_a2a_reference_execute(reference, problem.in, problem.out) == REVERSE_A2A_OK;
        right &= problem_check(&problem, salt, "reference");
    }
    problem_destroy(&problem);
    reverse_a2a_reference_destroy(reference);
    return right;
}

static void reference_is_right_for_all_layouts_and_sizes(void **state)
{
    (void)state;
    struct reverse_a2a_shape shapes[7];
    list_strided_shapes(shapes, world_ranks());
    bool right = true;
    for (int i = 0; i < 7; i += 2)
        right &= reference_is_right(&shapes[i]);
    for (size_t size = 1; size <= 8; size *= 2) {
        struct reverse_a2a_shape shape = {.s = 50, .h = 3, .d = 33, .element_size = size};
        right &= reference_is_right(&shape);
    }
    struct reverse_a2a_shape empty = {.s = 0, .h = 3, .d = 33, .element_size = 2};
    right &= reference_is_right(&empty);
    assert_everywhere(MPI_COMM_WORLD, right);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(extents_of_zero_one_and_odd_sizes_are_right),
        cmocka_unit_test(every_element_size_is_right),
        cmocka_unit_test(blocks_of_any_size_and_number_are_right),
        cmocka_unit_test(strides_are_kept_and_gaps_stay_untouched),
        cmocka_unit_test(unaligned_arrays_are_right),
        cmocka_unit_test(shapes_from_practice_are_right),
        cmocka_unit_test(reference_is_right_for_all_layouts_and_sizes),
    };
    return finish_tests(cmocka_run_group_tests(tests, create_memory, destroy_memory));
}
