/* What needs no GPU: sizes, knobs that can't be, names; and the space of the example. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <reverse_a2a/cuda.h>
#include <tutti/tutti.h>

#include "cuda/space.h"

static const struct reverse_a2a_shape shape = {.s = 100, .h = 3, .d = 8, .element_size = 4};

static const struct reverse_a2a_cuda_choice push = {
    .engine = REVERSE_A2A_CUDA_PUSH, .grid = 64, .block = 256, .vector = 16};
static const struct reverse_a2a_cuda_choice dma = {.engine = REVERSE_A2A_CUDA_DMA, .streams = 2};
static const struct reverse_a2a_cuda_choice staged = {.engine = REVERSE_A2A_CUDA_STAGED,
                                                      .grid = 64,
                                                      .block = 256,
                                                      .vector = 16,
                                                      .comm_block_s = 32,
                                                      .comm_block_d = 128,
                                                      .buffer_num = 2};

static void memory_is_what_the_slots_in_use_need(void **state)
{
    (void)state;
    struct reverse_a2a_cuda_choice choice = staged;
    const size_t row = 4 * 3 * 8 * 4; /* of all ranks */
    size_t bytes = 1;
    assert_int_equal(reverse_a2a_cuda_memory_bytes(&shape, &choice, 4, &bytes), REVERSE_A2A_OK);
    assert_int_equal(bytes, 2 * 32 * row);
    choice.buffer_num = 100; /* there are four blocks */
    assert_int_equal(reverse_a2a_cuda_memory_bytes(&shape, &choice, 4, &bytes), REVERSE_A2A_OK);
    assert_int_equal(bytes, 4 * 32 * row);
    choice.comm_block_s = 1000; /* there are 100 rows */
    assert_int_equal(reverse_a2a_cuda_memory_bytes(&shape, &choice, 4, &bytes), REVERSE_A2A_OK);
    assert_int_equal(bytes, 100 * row);
    assert_int_equal(reverse_a2a_cuda_memory_bytes(&shape, &choice, 1, &bytes), REVERSE_A2A_OK);
    assert_int_equal(bytes, 0);
    assert_int_equal(reverse_a2a_cuda_memory_bytes(&shape, &push, 4, &bytes), REVERSE_A2A_OK);
    assert_int_equal(bytes, 0);
}

static int result_of(const struct reverse_a2a_cuda_choice *choice)
{
    size_t bytes;
    return reverse_a2a_cuda_memory_bytes(&shape, choice, 4, &bytes);
}

static void knobs_out_of_range_are_refused(void **state)
{
    (void)state;
    static const int vectors[] = {0, 3, 32, -1}, blocks[] = {0, 16, 33, 1056}, grids[] = {0, 1025};
    struct reverse_a2a_cuda_choice choice;
    for (size_t i = 0; i < 4; i++) {
        choice = push, choice.vector = vectors[i];
        assert_int_equal(result_of(&choice), REVERSE_A2A_ERROR_CONFIG);
        choice = push, choice.block = blocks[i];
        assert_int_equal(result_of(&choice), REVERSE_A2A_ERROR_CONFIG);
        choice = push, choice.grid = grids[i % 2];
        assert_int_equal(result_of(&choice), REVERSE_A2A_ERROR_CONFIG);
    }
    choice = staged, choice.grid = 63;
    assert_int_equal(result_of(&choice), REVERSE_A2A_ERROR_CONFIG);
    choice = staged, choice.block = 544;
    assert_int_equal(result_of(&choice), REVERSE_A2A_ERROR_CONFIG);
    choice = staged, choice.comm_block_s = 0;
    assert_int_equal(result_of(&choice), REVERSE_A2A_ERROR_CONFIG);
    choice = staged, choice.buffer_num = -2;
    assert_int_equal(result_of(&choice), REVERSE_A2A_ERROR_CONFIG);
    choice = dma, choice.streams = 17;
    assert_int_equal(result_of(&choice), REVERSE_A2A_ERROR_CONFIG);
    choice = push, choice.engine = -1;
    assert_int_equal(result_of(&choice), REVERSE_A2A_ERROR_CONFIG);
    choice = push, choice.engine = REVERSE_A2A_CUDA_ENGINES;
    assert_int_equal(result_of(&choice), REVERSE_A2A_ERROR_CONFIG);
}

static void shapes_that_can_not_be_are_refused(void **state)
{
    (void)state;
    size_t bytes;
    const int64_t rows[] = {1, 2};
    struct reverse_a2a_shape other = shape;
    other.element_size = 3;
    assert_int_equal(reverse_a2a_cuda_memory_bytes(&other, &push, 2, &bytes),
                     REVERSE_A2A_ERROR_SHAPE);
    other = shape, other.ranks = 3;
    assert_int_equal(reverse_a2a_cuda_memory_bytes(&other, &push, 2, &bytes),
                     REVERSE_A2A_ERROR_RANKS);
    other = shape, other.s_of_ranks = rows;
    assert_int_equal(reverse_a2a_cuda_memory_bytes(&other, &push, 2, &bytes),
                     REVERSE_A2A_ERROR_ENGINE);
    other = shape, other.s = INT64_MAX / 2;
    assert_int_equal(reverse_a2a_cuda_memory_bytes(&other, &push, 2, &bytes),
                     REVERSE_A2A_ERROR_TOO_LARGE);
    assert_int_equal(reverse_a2a_cuda_memory_bytes(NULL, &push, 2, &bytes),
                     REVERSE_A2A_ERROR_ARGUMENT);
    assert_int_equal(reverse_a2a_cuda_memory_create(MPI_COMM_NULL, 0, NULL),
                     REVERSE_A2A_ERROR_ARGUMENT);
}

static void every_engine_has_a_name_of_its_own(void **state)
{
    (void)state;
    for (int i = 0; i < REVERSE_A2A_CUDA_ENGINES; i++)
        for (int j = 0; j < i; j++)
            assert_string_not_equal(reverse_a2a_cuda_engine_string(i),
                                    reverse_a2a_cuda_engine_string(j));
    assert_null(reverse_a2a_cuda_engine_string(-1));
    assert_null(reverse_a2a_cuda_engine_string(REVERSE_A2A_CUDA_ENGINES));
}

static int run(void *args, const void *config, const tutti_context *context)
{
    (void)args, (void)config, (void)context;
    return 0;
}

static tutti_tuner *create_tuner(void)
{
    tutti_tuner *tuner;
    size_t count;
    const tutti_param *params = space_params(&count);
    assert_int_equal(tutti_tuner_create(&(tutti_tuner_desc){.size = sizeof(tutti_tuner_desc),
                                                            .name = "test",
                                                            .params = params,
                                                            .nparams = count,
                                                            .config_size = sizeof(struct knobs),
                                                            .customary = &space_customary,
                                                            .run = run},
                                        &tuner),
                     TUTTI_SUCCESS);
    return tuner;
}

/* That of the example: the customary configuration is in it, or the tuner would not be made. */
static void every_configuration_of_the_space_is_possible(void **state)
{
    (void)state;
    tutti_tuner *tuner = create_tuner();
    for (uint64_t i = 0; i < tutti_space_size(tuner); i++) {
        struct knobs knobs;
        assert_int_equal(tutti_configuration(tuner, i, &knobs), TUTTI_SUCCESS);
        const struct reverse_a2a_cuda_choice choice = space_choice(&knobs);
        assert_int_equal(result_of(&choice), REVERSE_A2A_OK);
    }
    tutti_tuner_destroy(tuner);
}

static int count_kept(const struct reverse_a2a_shape *problem, bool packets_only)
{
    tutti_tuner *tuner = create_tuner();
    int kept = 0;
    for (uint64_t i = 0; i < tutti_space_size(tuner); i++) {
        struct knobs knobs;
        tutti_configuration(tuner, i, &knobs);
        if (!packets_only || knobs.engine == REVERSE_A2A_CUDA_PACKETS)
            kept += space_keeps(problem, 2, &knobs);
    }
    tutti_tuner_destroy(tuner);
    return kept;
}

/* So many that 300 launches can compare them; and packets only where their mailbox suffices. */
static void pruning_leaves_what_a_search_can_compare(void **state)
{
    (void)state;
    static const int64_t shapes[][3] = {
        {8192, 56, 128}, {2041, 12, 128}, {2048, 8, 128}, {64, 8, 128}, {1, 1, 1}};
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        const struct reverse_a2a_shape problem = {
            .s = shapes[i][0], .h = shapes[i][1], .d = shapes[i][2], .element_size = 2};
        const int kept = count_kept(&problem, false);
        assert_in_range(kept, 2, i < 3 ? 60 : 10);
        assert_int_equal(count_kept(&problem, true) > 0,
                         problem.s * problem.h * problem.d * 2 <= 256 << 10);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_is_what_the_slots_in_use_need),
        cmocka_unit_test(knobs_out_of_range_are_refused),
        cmocka_unit_test(shapes_that_can_not_be_are_refused),
        cmocka_unit_test(every_engine_has_a_name_of_its_own),
        cmocka_unit_test(every_configuration_of_the_space_is_possible),
        cmocka_unit_test(pruning_leaves_what_a_search_can_compare),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
