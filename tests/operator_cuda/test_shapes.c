/* Every engine on the device, with every kind of shape: what it writes is what the definition says,
 * and nothing else is written. */
#include <string.h>

#include "device.h"

#define PEER_BYTES ((size_t)8 << 20)
#define BYTES      ((size_t)4 << 20)

static struct device device;

/* For each engine: usual knobs, the least ones, large ones. */
static const struct reverse_a2a_cuda_choice choices[] = {
    {.engine = REVERSE_A2A_CUDA_PUSH, .grid = 16, .block = 256, .vector = 16},
    {.engine = REVERSE_A2A_CUDA_PUSH, .grid = 1, .block = 32, .vector = 1},
    {.engine = REVERSE_A2A_CUDA_PUSH, .grid = 64, .block = 1024, .vector = 8},
    {.engine = REVERSE_A2A_CUDA_PULL, .grid = 16, .block = 256, .vector = 16},
    {.engine = REVERSE_A2A_CUDA_PULL, .grid = 1, .block = 32, .vector = 1},
    {.engine = REVERSE_A2A_CUDA_PULL, .grid = 64, .block = 1024, .vector = 4},
    {.engine = REVERSE_A2A_CUDA_DMA, .streams = 1},
    {.engine = REVERSE_A2A_CUDA_DMA, .streams = 3},
    {.engine = REVERSE_A2A_CUDA_DMA, .streams = 16},
    {.engine = REVERSE_A2A_CUDA_STAGED,
     .grid = 16,
     .block = 128,
     .vector = 16,
     .comm_block_s = 32,
     .comm_block_d = 64,
     .buffer_num = 2},
    {.engine = REVERSE_A2A_CUDA_STAGED,
     .grid = 2,
     .block = 32,
     .vector = 1,
     .comm_block_s = 7,
     .comm_block_d = 3,
     .buffer_num = 1},
    {.engine = REVERSE_A2A_CUDA_STAGED,
     .grid = 64,
     .block = 256,
     .vector = 16,
     .comm_block_s = 128,
     .comm_block_d = 128,
     .buffer_num = 3},
    {.engine = REVERSE_A2A_CUDA_PACKETS, .grid = 32, .block = 256, .vector = 16},
    {.engine = REVERSE_A2A_CUDA_PACKETS, .grid = 1, .block = 32, .vector = 4},
    {.engine = REVERSE_A2A_CUDA_NCCL},
    {.engine = REVERSE_A2A_CUDA_REFERENCE},
};
#define CHOICES (sizeof choices / sizeof choices[0])

static int create(void **state)
{
    (void)state;
    return device_create(&device, PEER_BYTES, BYTES) ? 0 : -1;
}

static int destroy(void **state)
{
    (void)state;
    device_destroy(&device);
    return 0;
}

static bool run_all(const struct reverse_a2a_shape *shape, size_t misalignment)
{
    bool right = true;
    for (size_t i = 0; i < CHOICES; i++)
        if (!device_lacks(&device, choices[i].engine))
            right &= device_run(&device, shape, &choices[i], misalignment);
    return right;
}

static bool run_both_ways(struct reverse_a2a_shape shape, size_t misalignment)
{
    bool right = run_all(&shape, misalignment);
    shape.direction = REVERSE_A2A_FORWARD;
    return run_all(&shape, misalignment) && right;
}

static void shapes_that_divide_by_nothing(void **state)
{
    (void)state;
    static const int64_t shapes[][3] = {{64, 2, 16}, {65, 3, 80}, {1, 1, 1},    {5, 1, 3},
                                        {1, 7, 1},   {40, 2, 3},  {129, 1, 128}};
    bool right = true;
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++)
        right &= run_both_ways((struct reverse_a2a_shape){.s = shapes[i][0],
                                                          .h = shapes[i][1],
                                                          .d = shapes[i][2],
                                                          .element_size = (size_t)1 << i % 4},
                               0);
    assert_everywhere(MPI_COMM_WORLD, right);
}

static void empty_problems_do_nothing(void **state)
{
    (void)state;
    bool right = true;
    for (int empty = 0; empty < 3; empty++)
        right &= run_both_ways((struct reverse_a2a_shape){.s = empty == 0 ? 0 : 3,
                                                          .h = empty == 1 ? 0 : 2,
                                                          .d = empty == 2 ? 0 : 8,
                                                          .element_size = 2},
                               0);
    assert_everywhere(MPI_COMM_WORLD, right);
}

static void addresses_need_no_alignment(void **state)
{
    (void)state;
    const struct reverse_a2a_shape shape = {.s = 33, .h = 2, .d = 40, .element_size = 2};
    bool right = true;
    for (size_t misalignment = 1; misalignment <= 8; misalignment *= 2)
        right &= run_both_ways(shape, misalignment);
    assert_everywhere(MPI_COMM_WORLD, right);
}

static void every_element_size(void **state)
{
    (void)state;
    bool right = true;
    for (size_t size = 1; size <= 8; size *= 2)
        right &= run_both_ways(
            (struct reverse_a2a_shape){.s = 70, .h = 3, .d = 33, .element_size = size}, 0);
    assert_everywhere(MPI_COMM_WORLD, right);
}

/* Gaps between heads and rows of both arrays; then heads outside of rows. */
static void strided_arrays_keep_their_gaps(void **state)
{
    (void)state;
    const int64_t ranks = world_ranks();
    struct reverse_a2a_shape gaps = {.s = 20, .h = 3, .d = 10, .element_size = 4};
    gaps.a_stride_h = 16;
    gaps.a_stride_s = 60;
    gaps.c_stride_h = 12;
    gaps.c_stride_s = ranks * 3 * 12 + 4;
    struct reverse_a2a_shape swapped = {.s = 20, .h = 3, .d = 10, .element_size = 2};
    swapped.a_stride_s = 10;
    swapped.a_stride_h = 20 * ranks * 10 + 6;
    swapped.c_stride_s = 10;
    swapped.c_stride_h = 20 * 10 + 2;
    const bool right = run_both_ways(gaps, 0);
    assert_everywhere(MPI_COMM_WORLD, right && run_both_ways(swapped, 0));
}

/* Larger than S and D, not dividing them, more slots than blocks, one slot, more lanes than tiles.
 */
static void staged_blocks_of_any_size(void **state)
{
    (void)state;
    const struct reverse_a2a_shape shape = {.s = 50, .h = 2, .d = 24, .element_size = 2};
    static const int blocks[][4] = {{512, 128, 8, 2}, {7, 5, 3, 8},   {50, 24, 1, 4},
                                    {1, 1, 2, 16},    {49, 23, 1, 2}, {16, 8, 100, 128}};
    bool right = true;
    for (size_t i = 0; i < sizeof blocks / sizeof blocks[0]; i++) {
        const struct reverse_a2a_cuda_choice choice = {.engine = REVERSE_A2A_CUDA_STAGED,
                                                       .grid = blocks[i][3],
                                                       .block = 64,
                                                       .vector = 16,
                                                       .comm_block_s = blocks[i][0],
                                                       .comm_block_d = blocks[i][1],
                                                       .buffer_num = blocks[i][2]};
        right &= device_run(&device, &shape, &choice, 0);
    }
    assert_everywhere(MPI_COMM_WORLD, right);
}

/* It sends rows as they lie in A. */
static void nvshmem_blocks_of_any_size(void **state)
{
    (void)state;
    static const int blocks[][3] = {{64, 4, 8}, {7, 1, 2}, {512, 2, 16}};
    static const int64_t shapes[][3] = {{50, 2, 24}, {33, 3, 5}, {200, 4, 64}};
    bool right = true;
    if (device_lacks(&device, REVERSE_A2A_CUDA_NVSHMEM))
        skip();
    for (int i = 0; i < 9; i++) {
        const struct reverse_a2a_shape shape = {
            .s = shapes[i % 3][0], .h = shapes[i % 3][1], .d = shapes[i % 3][2], .element_size = 2};
        const struct reverse_a2a_cuda_choice choice = {.engine = REVERSE_A2A_CUDA_NVSHMEM,
                                                       .grid = blocks[i / 3][2],
                                                       .block = 128,
                                                       .vector = 16,
                                                       .comm_block_s = blocks[i / 3][0],
                                                       .comm_block_d = 1,
                                                       .buffer_num = blocks[i / 3][1]};
        right &= device_run(&device, &shape, &choice, 0);
    }
    assert_everywhere(MPI_COMM_WORLD, right);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    if (!device_select()) {
        MPI_Finalize();
        return 77;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shapes_that_divide_by_nothing),
        cmocka_unit_test(empty_problems_do_nothing),
        cmocka_unit_test(addresses_need_no_alignment),
        cmocka_unit_test(every_element_size),
        cmocka_unit_test(strided_arrays_keep_their_gaps),
        cmocka_unit_test(staged_blocks_of_any_size),
        cmocka_unit_test(nvshmem_blocks_of_any_size),
    };
    return finish_tests(cmocka_run_group_tests(tests, create, destroy));
}
