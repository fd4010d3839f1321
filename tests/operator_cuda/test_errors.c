/* Wrong arguments: a clear error, nobody left waiting, and the next call works. */
#include <string.h>

#include "device.h"

#define BYTES ((size_t)256 << 10)

static struct device device;

static const struct reverse_a2a_shape shape = {.s = 16, .h = 2, .d = 8, .element_size = 4};

static const struct reverse_a2a_cuda_choice push = {
    .engine = REVERSE_A2A_CUDA_PUSH, .grid = 4, .block = 64, .vector = 16};
static const struct reverse_a2a_cuda_choice pull = {
    .engine = REVERSE_A2A_CUDA_PULL, .grid = 4, .block = 64, .vector = 16};
static const struct reverse_a2a_cuda_choice staged = {.engine = REVERSE_A2A_CUDA_STAGED,
                                                      .grid = 4,
                                                      .block = 64,
                                                      .vector = 16,
                                                      .comm_block_s = 4,
                                                      .comm_block_d = 8,
                                                      .buffer_num = 2};

static const struct reverse_a2a_cuda_choice packets = {
    .engine = REVERSE_A2A_CUDA_PACKETS, .grid = 4, .block = 64, .vector = 16};

static int create(void **state)
{
    (void)state;
    return device_create(&device, BYTES, BYTES) ? 0 : -1;
}

static int destroy(void **state)
{
    (void)state;
    device_destroy(&device);
    return 0;
}

static int finish(void)
{
    if (cudaStreamSynchronize(device.stream) != cudaSuccess)
        return REVERSE_A2A_ERROR_DEVICE;
    return reverse_a2a_cuda_memory_state(device.memory);
}

static bool is_refused(const struct reverse_a2a_shape *asked,
                       const struct reverse_a2a_cuda_choice *choice, int expected, const char *word)
{
    struct reverse_a2a_cuda_plan *plan = NULL;
    const int result = reverse_a2a_cuda_plan_create(device.memory, asked, choice, &plan);
    const char *reason = reverse_a2a_cuda_memory_reason(device.memory);
    const bool right = result == expected && !plan && strstr(reason, word);
    if (!right)
        print_error("%s: %d and not %d: %s\n", device_describe(choice), result, expected, reason);
    reverse_a2a_cuda_plan_destroy(plan);
    return right;
}

static void plans_that_can_not_be_are_refused_with_a_reason(void **state)
{
    (void)state;
    struct reverse_a2a_cuda_choice odd = staged, huge = staged, wide = push, none = push;
    odd.grid = 5;
    huge.grid = REVERSE_A2A_CUDA_MAX_GRID;
    huge.block = 512;
    wide.vector = 32;
    none.engine = REVERSE_A2A_CUDA_ENGINES;
    struct reverse_a2a_shape others = shape, large = shape, wrong = shape, own = shape;
    const int64_t rows[32] = {1};
    others.ranks = world_ranks() + 1;
    large.s = 1 << 20;
    wrong.element_size = 3;
    own.s_of_ranks = rows;
    bool right = is_refused(&shape, &odd, REVERSE_A2A_ERROR_CONFIG, "grid = 5");
    right &= is_refused(&shape, &huge, REVERSE_A2A_ERROR_ENGINE, "the device holds");
    right &= is_refused(&shape, &wide, REVERSE_A2A_ERROR_CONFIG, "vector = 32");
    right &= is_refused(&shape, &none, REVERSE_A2A_ERROR_CONFIG, "engine 8");
    right &= is_refused(&others, &push, REVERSE_A2A_ERROR_RANKS, "the shape was made for");
    right &= is_refused(&wrong, &push, REVERSE_A2A_ERROR_SHAPE, "element size");
    right &= is_refused(&own, &push, REVERSE_A2A_ERROR_ENGINE, "different S");
    right &= is_refused(&large, &packets, REVERSE_A2A_ERROR_ENGINE, "a mailbox holds");
    if (world_ranks() > 1) {
        struct reverse_a2a_cuda_choice deep = staged;
        deep.buffer_num = deep.comm_block_s = 1 << 20;
        right &= is_refused(&large, &deep, REVERSE_A2A_ERROR_MEMORY_SIZE, "needs");
    }
    assert_everywhere(MPI_COMM_WORLD, right);
}

/* One rank's plan is refused: all are, and the others say that it was another rank. */
static void a_plan_that_one_rank_refuses_is_refused_everywhere(void **state)
{
    (void)state;
    const bool last = world_rank() == world_ranks() - 1;
    struct reverse_a2a_cuda_choice mine = push;
    mine.block = last ? 33 : 64;
    assert_everywhere(MPI_COMM_WORLD, is_refused(&shape, &mine, REVERSE_A2A_ERROR_CONFIG,
                                                 last ? "block = 33" : "another rank"));
}

/* The last rank comes with `out`; its result is `expected`, that of the others PEER. */
static bool call_with(const struct reverse_a2a_cuda_choice *choice, const char *in, char *out,
                      int expected)
{
    struct reverse_a2a_cuda_plan *plan;
    const bool last = world_rank() == world_ranks() - 1;
    if (reverse_a2a_cuda_plan_create(device.memory, &shape, choice, &plan) != REVERSE_A2A_OK)
        return false;
    int result = reverse_a2a_cuda_execute(plan, last ? in : device.in, last ? out : device.out,
                                          device.stream);
    const int found = finish();
    bool right = result == (last ? expected : REVERSE_A2A_OK);
    right &= found == (last || world_ranks() == 1 ? REVERSE_A2A_OK : REVERSE_A2A_ERROR_PEER);
    if (!right)
        print_error("%s: %d, then %d\n", device_describe(choice), result, found);
    reverse_a2a_cuda_plan_destroy(plan);
    return right;
}

static void a_wrong_buffer_is_an_error_here_and_peer_elsewhere(void **state)
{
    (void)state;
    const struct reverse_a2a_cuda_choice *choices[] = {&push, &pull, &staged, &packets};
    void *ordinary = NULL;
    bool right = cudaMalloc(&ordinary, BYTES) == cudaSuccess;
    for (int i = 0; i < 4; i++) {
        right &= call_with(choices[i], device.in, NULL, REVERSE_A2A_ERROR_ARGUMENT);
        right &= call_with(choices[i], device.in, device.in + 4, REVERSE_A2A_ERROR_OVERLAP);
        right &= device_run(&device, &shape, choices[i], 0);
    }
    right &= call_with(&push, device.in, ordinary, REVERSE_A2A_ERROR_NOT_SYMMETRIC);
    right &= call_with(&pull, ordinary, device.out, REVERSE_A2A_ERROR_NOT_SYMMETRIC);
    right &= device_run(&device, &shape, &push, 0);
    cudaFree(ordinary);
    assert_everywhere(MPI_COMM_WORLD, right);
}

/* Each rank is content with its own operand: only together they are wrong. */
static void operands_at_different_offsets_are_found(void **state)
{
    (void)state;
    struct reverse_a2a_cuda_plan *plan;
    bool right =
        reverse_a2a_cuda_plan_create(device.memory, &shape, &push, &plan) == REVERSE_A2A_OK;
    assert_everywhere(MPI_COMM_WORLD, right);
    right = reverse_a2a_cuda_execute(plan, device.in, device.out + 16 * world_rank(),
                                     device.stream) == REVERSE_A2A_OK;
    const int found = finish();
    right &= found == (world_ranks() == 1 ? REVERSE_A2A_OK : REVERSE_A2A_ERROR_NOT_SYMMETRIC);
    reverse_a2a_cuda_plan_destroy(plan);
    right &= device_run(&device, &shape, &push, 0);
    assert_everywhere(MPI_COMM_WORLD, right);
}

static void the_reference_can_not_be_captured(void **state)
{
    (void)state;
    const struct reverse_a2a_cuda_choice reference = {.engine = REVERSE_A2A_CUDA_REFERENCE};
    struct reverse_a2a_cuda_plan *plan;
    cudaGraph_t graph;
    bool right =
        reverse_a2a_cuda_plan_create(device.memory, &shape, &reference, &plan) == REVERSE_A2A_OK;
    assert_everywhere(MPI_COMM_WORLD, right);
    right = cudaStreamBeginCapture(device.stream, cudaStreamCaptureModeThreadLocal) == cudaSuccess;
    right &= reverse_a2a_cuda_execute(plan, device.in, device.out, device.stream) ==
             REVERSE_A2A_ERROR_ENGINE;
    right &= cudaStreamEndCapture(device.stream, &graph) == cudaSuccess;
    cudaGraphDestroy(graph);
    reverse_a2a_cuda_plan_destroy(plan);
    assert_everywhere(MPI_COMM_WORLD, right);
}

/* The last: it breaks a memory of its own. Rank 0 does not come. */
static void a_rank_that_does_not_come_breaks_the_memory_and_hangs_nobody(void **state)
{
    (void)state;
    const struct reverse_a2a_cuda_choice *choices[] = {&push, &staged, &packets};
    bool right = true;
    for (int i = 0; i < 3 && world_ranks() > 1; i++) {
        struct device own;
        struct reverse_a2a_cuda_plan *plan;
        right &= device_create(&own, BYTES, BYTES) &&
                 reverse_a2a_cuda_plan_create(own.memory, &shape, choices[i], &plan) == 0;
        assert_everywhere(MPI_COMM_WORLD, right);
        reverse_a2a_cuda_memory_set_stall_limit(own.memory, 0.2);
        if (world_rank() > 0) {
            right &= reverse_a2a_cuda_execute(plan, own.in, own.out, own.stream) == 0;
            right &= reverse_a2a_cuda_execute(plan, own.in, own.out, own.stream) == 0;
            right &= cudaStreamSynchronize(own.stream) == cudaSuccess;
            right &= reverse_a2a_cuda_memory_state(own.memory) == REVERSE_A2A_ERROR_BROKEN;
            right &= reverse_a2a_cuda_execute(plan, own.in, own.out, own.stream) ==
                     REVERSE_A2A_ERROR_BROKEN;
        }
        MPI_Barrier(MPI_COMM_WORLD);
        reverse_a2a_cuda_plan_destroy(plan);
        device_destroy(&own);
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
        cmocka_unit_test(plans_that_can_not_be_are_refused_with_a_reason),
        cmocka_unit_test(a_plan_that_one_rank_refuses_is_refused_everywhere),
        cmocka_unit_test(a_wrong_buffer_is_an_error_here_and_peer_elsewhere),
        cmocka_unit_test(operands_at_different_offsets_are_found),
        cmocka_unit_test(the_reference_can_not_be_captured),
        cmocka_unit_test(a_rank_that_does_not_come_breaks_the_memory_and_hangs_nobody),
    };
    return finish_tests(cmocka_run_group_tests(tests, create, destroy));
}
