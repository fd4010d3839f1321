/*
 * The shapes of the sweep, as large as in practice: every engine gives what the definition says,
 * byte by byte. Every 43rd of the 216 shapes, or every N-th with an argument N (make sweep: all,
 * which takes minutes, in which the ranks mostly fill and compare).
 */
#include "problem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SHAPES 216

static int step = 43;

static struct reverse_a2a_shape shape_of(int number)
{
    static const int64_t last[] = {2048, 4096, 8192}, heads[] = {8, 12, 24, 28, 32, 40, 48, 56};
    const int s = number / 8;
    return (struct reverse_a2a_shape){
        .s = last[s / 9] - 8 + s % 9, .h = heads[number % 8], .d = 128, .element_size = 2};
}

/* Other blocks and another way to copy for each shape. */
static struct reverse_a2a_choice choice_of(int engine, int number)
{
    static const int blocks_s[] = {32, 64, 128, 256, 512}, buffers[] = {2, 3, 4, 8};
    return (struct reverse_a2a_choice){engine,
                                       (number + engine) % REVERSE_A2A_COPIES,
                                       blocks_s[number % 5],
                                       number % 2 ? 64 : 128,
                                       buffers[number % 4],
                                       1};
}

/* What the engines need for a shape: peer_mem, and symmetric memory for one operand. */
static bool make_memory(const struct problem *problem, int number,
                        struct reverse_a2a_memory **memory, struct arena *arena)
{
    size_t bytes = 0, most = 0;
    for (int engine = 0; engine < REVERSE_A2A_ENGINES; engine++) {
        const struct reverse_a2a_choice choice = choice_of(engine, number);
        if (reverse_a2a_memory_bytes_for(&problem->shape, &choice, world_ranks(), &bytes) != 0)
            return false;
        most = bytes > most ? bytes : most;
    }
    const size_t operand =
        problem->in_bytes > problem->out_bytes ? problem->in_bytes : problem->out_bytes;
    return reverse_a2a_memory_create(MPI_COMM_WORLD, most, NULL, memory) == 0 &&
           arena_create(arena, *memory, world_rank(), operand + 64 * (size_t)world_ranks());
}

/* The first check works out what is expected, which holds for all engines. */
static bool is_right(struct problem *problem, bool first, const char *engine)
{
    if (first || memcmp(problem->expected_block, problem->out_block, problem->out_bytes) != 0)
        return problem_check(problem, 1, engine);
    return true;
}

static bool run_engine(struct arena *arena, struct problem *problem, int engine, int number)
{
    const struct reverse_a2a_choice choice = choice_of(engine, number);
    struct reverse_a2a_plan *plan;
    const int made = reverse_a2a_plan_create_with(arena->memory, &problem->shape, &choice, &plan);
    if (made == REVERSE_A2A_ERROR_ENGINE && engine == REVERSE_A2A_CMA)
        return true; /* the system does not let ranks read each other */
    memset(problem->out_block, 0xA5, problem->out_bytes);
    bool right = made == REVERSE_A2A_OK && execute_in_arena(arena, plan, problem) == 0;
    right = is_right(problem, engine == 0, reverse_a2a_engine_string(engine)) && right;
    reverse_a2a_plan_destroy(plan);
    return right;
}

static bool run_shape(int number)
{
    struct reverse_a2a_memory *memory = NULL;
    struct arena arena;
    struct problem problem;
    const struct reverse_a2a_shape shape = shape_of(number);
    problem_create(&problem, &shape, world_ranks(), world_rank(), 0);
    problem_fill(&problem, 1);
    bool right = make_memory(&problem, number, &memory, &arena);
    for (int engine = 0; engine < REVERSE_A2A_ENGINES && right; engine++)
        right = run_engine(&arena, &problem, engine, number);
    reverse_a2a_memory_destroy(memory);
    problem_destroy(&problem);
    return right;
}

static void shapes_of_the_sweep_are_right(void **state)
{
    (void)state;
    for (int number = step / 2; number < SHAPES; number += step)
        assert_everywhere(MPI_COMM_WORLD, run_shape(number));
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    if (argc > 1 && atoi(argv[1]) > 0)
        step = atoi(argv[1]);
    const struct CMUnitTest tests[] = {cmocka_unit_test(shapes_of_the_sweep_are_right)};
    return finish_tests(cmocka_run_group_tests(tests, NULL, NULL));
}
