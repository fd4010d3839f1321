/* Calls that follow each other without a barrier, enqueued far ahead: ranks delayed at random,
 * other engines and geometries from call to call, counters past 2^32, graphs. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "device.h"
#include "memory.h"

#define PEER_BYTES ((size_t)1 << 20)
#define BYTES      ((size_t)64 << 10)

/* What takes part, with knobs that differ in all respects. */
static const struct reverse_a2a_cuda_choice choices[] = {
    {.engine = REVERSE_A2A_CUDA_PUSH, .grid = 4, .block = 64, .vector = 16},
    {.engine = REVERSE_A2A_CUDA_STAGED,
     .grid = 8,
     .block = 64,
     .vector = 16,
     .comm_block_s = 4,
     .comm_block_d = 8,
     .buffer_num = 2},
    {.engine = REVERSE_A2A_CUDA_PULL, .grid = 7, .block = 32, .vector = 8},
    {.engine = REVERSE_A2A_CUDA_DMA, .streams = 2},
    {.engine = REVERSE_A2A_CUDA_STAGED,
     .grid = 2,
     .block = 32,
     .vector = 2,
     .comm_block_s = 3,
     .comm_block_d = 5,
     .buffer_num = 1},
    {.engine = REVERSE_A2A_CUDA_STAGED,
     .grid = 16,
     .block = 32,
     .vector = 16,
     .comm_block_s = 1,
     .comm_block_d = 16,
     .buffer_num = 8},
    {.engine = REVERSE_A2A_CUDA_PUSH, .grid = 1, .block = 1024, .vector = 2},
    {.engine = REVERSE_A2A_CUDA_PACKETS, .grid = 5, .block = 64, .vector = 8},
    {.engine = REVERSE_A2A_CUDA_PACKETS, .grid = 2, .block = 32, .vector = 2},
};
#define CHOICES ((int)(sizeof choices / sizeof choices[0]))

static const struct reverse_a2a_shape shapes[] = {
    {.s = 13, .h = 2, .d = 16, .element_size = 8},
    {.s = 6, .h = 3, .d = 5, .element_size = 8},
};

struct sequence {
    struct device device;
    struct problem problem[2]; /* of each shape */
    struct reverse_a2a_cuda_plan *plans[2][CHOICES];
    char *in, *out; /* pinned: the contents of all calls, one behind the other */
    size_t step;    /* bytes of one call in both */
    unsigned delay;
};

/* Which shape and choice a call has. */
struct turn {
    int shape, choice;
};

static unsigned draw(unsigned *state)
{
    *state = *state * 1664525u + 1013904223u; /* Numerical Recipes' linear congruence */
    return *state >> 16;
}

static bool begin(struct sequence *sequence, int calls)
{
    *sequence = (struct sequence){.step = BYTES / 2, .delay = 77u * (unsigned)world_rank() + 5};
    void *in = NULL, *out = NULL;
    const size_t bytes = (size_t)calls * BYTES / 2;
    bool right = device_create(&sequence->device, PEER_BYTES, BYTES) &&
                 cudaHostAlloc(&in, bytes, cudaHostAllocDefault) == cudaSuccess &&
                 cudaHostAlloc(&out, bytes, cudaHostAllocDefault) == cudaSuccess;
    sequence->in = in;
    sequence->out = out;
    for (int shape = 0; shape < 2 && right; shape++) {
        problem_create(&sequence->problem[shape], &shapes[shape], world_ranks(), world_rank(), 0);
        right = sequence->problem[shape].in_bytes <= sequence->step &&
                sequence->problem[shape].out_bytes <= sequence->step;
        for (int i = 0; i < CHOICES && right; i++)
            right = reverse_a2a_cuda_plan_create(sequence->device.memory, &shapes[shape],
                                                 &choices[i], &sequence->plans[shape][i]) == 0;
    }
    return right;
}

static void end(struct sequence *sequence)
{
    for (int shape = 0; shape < 2; shape++) {
        problem_destroy(&sequence->problem[shape]);
        for (int i = 0; i < CHOICES; i++)
            reverse_a2a_cuda_plan_destroy(sequence->plans[shape][i]);
    }
    cudaFreeHost(sequence->in);
    cudaFreeHost(sequence->out);
    device_destroy(&sequence->device);
}

static void be_late(struct sequence *sequence)
{
    if (draw(&sequence->delay) % 16 != 0)
        return;
    struct timespec time = {0, (long)(draw(&sequence->delay) % 300) * 1000};
    nanosleep(&time, NULL);
}

/* A is overwritten as soon as the stream may do so: by the operand of the next call. */
static bool enqueue(struct sequence *sequence, int number, struct turn turn)
{
    struct device *device = &sequence->device;
    struct problem *problem = &sequence->problem[turn.shape];
    char *in = sequence->in + (size_t)number * sequence->step;
    char *out = sequence->out + (size_t)number * sequence->step;
    problem_fill(problem, (unsigned)number);
    memcpy(in, problem->in_block, problem->in_bytes);
    be_late(sequence);
    return cudaMemcpyAsync(device->in, in, problem->in_bytes, cudaMemcpyHostToDevice,
                           device->stream) == cudaSuccess &&
           cudaMemsetAsync(device->out, 0xA5, problem->out_bytes, device->stream) == cudaSuccess &&
           reverse_a2a_cuda_execute(sequence->plans[turn.shape][turn.choice],
                                    device->in + (problem->in - problem->in_block),
                                    device->out + (problem->out - problem->out_block),
                                    device->stream) == REVERSE_A2A_OK &&
           cudaMemcpyAsync(out, device->out, problem->out_bytes, cudaMemcpyDeviceToHost,
                           device->stream) == cudaSuccess;
}

static bool check(struct sequence *sequence, int number, struct turn turn)
{
    struct problem *problem = &sequence->problem[turn.shape];
    memcpy(problem->out_block, sequence->out + (size_t)number * sequence->step, problem->out_bytes);
    return problem_check(problem, (unsigned)number, device_describe(&choices[turn.choice]));
}

/* Enqueues all calls, waits once, and looks at all results. */
static bool run(struct sequence *sequence, int calls, struct turn (*turn_of)(int))
{
    bool right = true;
    for (int i = 0; i < calls && right; i++)
        right = enqueue(sequence, i, turn_of(i));
    right &= cudaStreamSynchronize(sequence->device.stream) == cudaSuccess;
    right &= reverse_a2a_cuda_memory_state(sequence->device.memory) == REVERSE_A2A_OK;
    for (int i = 0; i < calls && right; i++)
        right = check(sequence, i, turn_of(i));
    return right;
}

static void run_sequence(int calls, struct turn (*turn_of)(int))
{
    struct sequence sequence;
    assert_everywhere(MPI_COMM_WORLD, begin(&sequence, calls));
    assert_everywhere(MPI_COMM_WORLD, run(&sequence, calls, turn_of));
    end(&sequence);
}

/* A thousand, unless ranks take turns on a GPU. */
static int many_calls(void)
{
    const int sharers = device_sharers();
    return sharers == 1 ? 1000 : sharers == 2 ? 300 : 60;
}

static struct turn always_push(int number)
{
    (void)number;
    return (struct turn){0, 0};
}

static struct turn always_staged(int number)
{
    (void)number;
    return (struct turn){0, 1};
}

static struct turn always_packets(int number)
{
    return number % 3 ? (struct turn){0, 7} : (struct turn){1, 8};
}

static struct turn other_geometry_each_time(int number)
{
    return number % 2 ? (struct turn){0, 1} : (struct turn){1, 4};
}

static struct turn any(int number)
{
    unsigned state = (unsigned)number * 2654435761u + 1;
    const int shape = (int)(draw(&state) % 2);
    return (struct turn){shape, (int)(draw(&state) % (unsigned)CHOICES)};
}

static void a_thousand_pushes_need_no_barrier(void **state)
{
    (void)state;
    run_sequence(many_calls(), always_push);
}

static void a_thousand_staged_calls_need_no_barrier(void **state)
{
    (void)state;
    run_sequence(many_calls(), always_staged);
}

static void a_thousand_calls_by_packets_need_no_barrier(void **state)
{
    (void)state;
    run_sequence(many_calls(), always_packets);
}

static void two_plans_of_other_geometry_alternate(void **state)
{
    (void)state;
    run_sequence(many_calls(), other_geometry_each_time);
}

static void engines_follow_each_other_in_any_order(void **state)
{
    (void)state;
    run_sequence(many_calls(), any);
}

/* Equal on all ranks, as they always are. */
static bool set_counters(struct device *device, uint64_t count)
{
    struct a2a_lane *lanes = calloc(A2A_LANES, sizeof *lanes);
    for (int i = 0; lanes && i < A2A_LANES; i++)
        lanes[i] = (struct a2a_lane){.phase = count, .produced = count, .consumed = count};
    const struct a2a_counter counter = {.call = count};
    const bool right = lanes &&
                       cudaMemcpy(device->memory->counter, &counter, sizeof counter,
                                  cudaMemcpyHostToDevice) == cudaSuccess &&
                       cudaMemcpy(device->memory->lanes, lanes, A2A_LANES * sizeof *lanes,
                                  cudaMemcpyHostToDevice) == cudaSuccess;
    free(lanes);
    return right;
}

static void counters_pass_two_to_the_31_and_32(void **state)
{
    (void)state;
    for (int bits = 31; bits <= 32; bits++) {
        struct sequence sequence;
        bool right = begin(&sequence, many_calls() / 5);
        right = right && set_counters(&sequence.device, (UINT64_C(1) << bits) - 10);
        assert_everywhere(MPI_COMM_WORLD, right);
        assert_everywhere(MPI_COMM_WORLD, run(&sequence, many_calls() / 5, any));
        end(&sequence);
    }
}

static cudaGraphExec_t capture(struct sequence *sequence, int choice)
{
    struct device *device = &sequence->device;
    const struct problem *problem = &sequence->problem[0];
    cudaGraph_t graph;
    cudaGraphExec_t executable = NULL;
    if (cudaStreamBeginCapture(device->stream, cudaStreamCaptureModeThreadLocal) != cudaSuccess)
        return NULL;
    const int result = reverse_a2a_cuda_execute(
        sequence->plans[0][choice], device->in + (problem->in - problem->in_block),
        device->out + (problem->out - problem->out_block), device->stream);
    if (cudaStreamEndCapture(device->stream, &graph) != cudaSuccess || result != REVERSE_A2A_OK)
        return NULL;
    if (cudaGraphInstantiate(&executable, graph, 0) != cudaSuccess)
        executable = NULL;
    cudaGraphDestroy(graph);
    return executable;
}

static bool replay(struct sequence *sequence, cudaGraphExec_t graph, unsigned salt)
{
    struct device *device = &sequence->device;
    struct problem *problem = &sequence->problem[0];
    problem_fill(problem, salt);
    bool right = cudaMemcpyAsync(device->in, problem->in_block, problem->in_bytes,
                                 cudaMemcpyHostToDevice, device->stream) == cudaSuccess;
    right &= cudaMemcpyAsync(device->out, problem->out_block, problem->out_bytes,
                             cudaMemcpyHostToDevice, device->stream) == cudaSuccess;
    right &= cudaGraphLaunch(graph, device->stream) == cudaSuccess;
    right &= cudaMemcpyAsync(problem->out_block, device->out, problem->out_bytes,
                             cudaMemcpyDeviceToHost, device->stream) == cudaSuccess;
    right &= cudaStreamSynchronize(device->stream) == cudaSuccess;
    return problem_check(problem, salt, "replayed from a graph") && right;
}

/* The counters live on the device: a graph that was captured once is right each time. */
static void calls_are_captured_and_replayed(void **state)
{
    (void)state;
    struct sequence sequence;
    assert_everywhere(MPI_COMM_WORLD, begin(&sequence, 1));
    bool right = true;
    for (int choice = 0; choice < CHOICES; choice++) {
        cudaGraphExec_t graph = capture(&sequence, choice);
        assert_everywhere(MPI_COMM_WORLD, graph != NULL);
        for (unsigned salt = 1; salt <= 10; salt++)
            right &= replay(&sequence, graph, salt);
        cudaGraphExecDestroy(graph);
    }
    assert_everywhere(MPI_COMM_WORLD, right);
    end(&sequence);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    if (!device_select()) {
        MPI_Finalize();
        return 77;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_thousand_pushes_need_no_barrier),
        cmocka_unit_test(a_thousand_staged_calls_need_no_barrier),
        cmocka_unit_test(a_thousand_calls_by_packets_need_no_barrier),
        cmocka_unit_test(two_plans_of_other_geometry_alternate),
        cmocka_unit_test(engines_follow_each_other_in_any_order),
        cmocka_unit_test(counters_pass_two_to_the_31_and_32),
        cmocka_unit_test(calls_are_captured_and_replayed),
    };
    return finish_tests(cmocka_run_group_tests(tests, NULL, NULL));
}
