/* The 216 shapes of the sweep on the device: equal to the definition, bit for bit, every engine.
 * Every 43rd of them, or every N-th with an argument N: all take minutes, in which the host fills
 * and compares. */
#include <stdlib.h>
#include <string.h>

#include "device.h"

static int stride = 43; /* of the 216 */

static const struct reverse_a2a_cuda_choice choices[] = {
    {.engine = REVERSE_A2A_CUDA_PUSH, .grid = 64, .block = 512, .vector = 16},
    {.engine = REVERSE_A2A_CUDA_PULL, .grid = 64, .block = 512, .vector = 16},
    {.engine = REVERSE_A2A_CUDA_DMA, .streams = 2},
    {.engine = REVERSE_A2A_CUDA_STAGED,
     .grid = 64,
     .block = 512,
     .vector = 16,
     .comm_block_s = 128,
     .comm_block_d = 128,
     .buffer_num = 2},
    {.engine = REVERSE_A2A_CUDA_NCCL},
};
#define CHOICES (sizeof choices / sizeof choices[0])

static struct reverse_a2a_shape shape_of(int number)
{
    static const int64_t last[] = {2048, 4096, 8192}, heads[] = {8, 12, 24, 28, 32, 40, 48, 56};
    const int s = number / 8;
    return (struct reverse_a2a_shape){
        .s = last[s / 9] - 8 + s % 9, .h = heads[number % 8], .d = 128, .element_size = 2};
}

static size_t peer_bytes(const struct reverse_a2a_shape *shape)
{
    size_t most = 0;
    for (size_t i = 0; i < CHOICES; i++) {
        size_t bytes = 0;
        if (reverse_a2a_cuda_memory_bytes(shape, &choices[i], world_ranks(), &bytes) == 0 &&
            bytes > most)
            most = bytes;
    }
    return most;
}

/* Filled once, for all engines. */
static bool run_shape(const struct reverse_a2a_shape *shape)
{
    struct device device;
    struct problem problem;
    problem_create(&problem, shape, world_ranks(), world_rank(), 0);
    problem_fill(&problem, 1);
    const size_t bytes =
        problem.in_bytes > problem.out_bytes ? problem.in_bytes : problem.out_bytes;
    bool right = device_create(&device, peer_bytes(shape), bytes);
    for (size_t i = 0; i < CHOICES && right; i++) {
        struct reverse_a2a_cuda_plan *plan;
        if (device_lacks(&device, choices[i].engine))
            continue;
        memset(problem.out_block, 0xA5, problem.out_bytes);
        right = reverse_a2a_cuda_plan_create(device.memory, shape, &choices[i], &plan) == 0;
        right = right && device_execute(&device, plan, &problem) == REVERSE_A2A_OK;
        right &= problem_check(&problem, 1, device_describe(&choices[i]));
        reverse_a2a_cuda_plan_destroy(plan);
    }
    device_destroy(&device);
    problem_destroy(&problem);
    return right;
}

static void shapes_of_the_sweep_are_right(void **state)
{
    (void)state;
    for (int number = 5; number < 216; number += stride) {
        const struct reverse_a2a_shape shape = shape_of(number);
        assert_everywhere(MPI_COMM_WORLD, run_shape(&shape));
    }
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    if (argc > 1 && atoi(argv[1]) > 0)
        stride = atoi(argv[1]);
    if (!device_select()) {
        MPI_Finalize();
        return 77;
    }
    const struct CMUnitTest tests[] = {cmocka_unit_test(shapes_of_the_sweep_are_right)};
    return finish_tests(cmocka_run_group_tests(tests, NULL, NULL));
}
