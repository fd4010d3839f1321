/*
 * Plans without knowledge of the tuner: estimated, measured, or from the cache only. All give what
 * the definition says, and only measuring touches the buffers.
 */
#include "problem.h"

#include <stdlib.h>
#include <string.h>

#include <reverse_a2a/tuned.h>

static const struct reverse_a2a_shape shape = {.s = 40, .h = 2, .d = 16, .element_size = 2};
static struct reverse_a2a_memory *memory;
static struct reverse_a2a_tuner *tuner;
static struct problem problem;
static void *in_shared, *out_shared;

static int set_up(void **state)
{
    (void)state;
    size_t bytes;
    problem_create(&problem, &shape, world_ranks(), world_rank(), 0);
    if (reverse_a2a_tuner_bytes(&shape, world_ranks(), &bytes) ||
        reverse_a2a_memory_create(MPI_COMM_WORLD, bytes, NULL, &memory) ||
        reverse_a2a_tuner_create(memory, &tuner) ||
        reverse_a2a_alloc(memory, problem.in_bytes, &in_shared) ||
        reverse_a2a_alloc(memory, problem.out_bytes, &out_shared))
        return -1;
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    problem_destroy(&problem);
    reverse_a2a_tuner_destroy(tuner);
    reverse_a2a_memory_destroy(memory);
    return 0;
}

static bool works(struct reverse_a2a_plan *plan, unsigned salt)
{
    problem_fill(&problem, salt);
    return reverse_a2a_execute(plan, problem.in, problem.out) == 0 &&
           problem_check(&problem, salt, "tuned");
}

static bool is_untouched(void)
{
    for (size_t i = 0; i < problem.out_bytes; i++)
        if ((unsigned char)problem.out_block[i] != 0xA5)
            return false;
    return true;
}

static int make(int effort, struct reverse_a2a_plan **plan)
{
    problem_fill(&problem, 1);
    return reverse_a2a_tuner_plan(tuner, &shape, problem.in, problem.out, effort, plan);
}

static void nothing_is_found_before_anything_was_measured(void **state)
{
    (void)state;
    struct reverse_a2a_plan *plan;
    int result = make(REVERSE_A2A_CACHED, &plan);
    bool right = result == REVERSE_A2A_ERROR_NOT_CACHED && !plan && is_untouched();
    assert_everywhere(MPI_COMM_WORLD, right);
}

static void an_estimate_runs_and_touches_no_buffer(void **state)
{
    (void)state;
    struct reverse_a2a_plan *plan;
    bool right = make(REVERSE_A2A_ESTIMATE, &plan) == 0 && is_untouched();
    assert_everywhere(MPI_COMM_WORLD, right);
    assert_everywhere(MPI_COMM_WORLD, works(plan, 2));
    reverse_a2a_plan_destroy(plan);
}

static void a_measured_plan_is_found_again_without_touching_a_buffer(void **state)
{
    (void)state;
    struct reverse_a2a_plan *measured, *found;
    struct reverse_a2a_choice one, other;
    int result = make(REVERSE_A2A_MEASURE, &measured);
    assert_everywhere(MPI_COMM_WORLD, result == 0);
    result = make(REVERSE_A2A_CACHED, &found);
    assert_everywhere(MPI_COMM_WORLD, result == 0 && is_untouched());
    reverse_a2a_plan_choice(measured, &one);
    reverse_a2a_plan_choice(found, &other);
    assert_everywhere(MPI_COMM_WORLD, memcmp(&one, &other, sizeof(one)) == 0);
    bool right = works(measured, 3) && works(found, 4) && works(measured, 5); /* both at once */
    assert_everywhere(MPI_COMM_WORLD, right);
    reverse_a2a_plan_destroy(measured);
    reverse_a2a_plan_destroy(found);
}

static void operands_in_symmetric_memory_are_another_problem(void **state)
{
    (void)state;
    struct reverse_a2a_plan *plan;
    size_t in_bytes = problem.in_bytes - 512, out_bytes = problem.out_bytes - 512; /* guards */
    int result =
        reverse_a2a_tuner_plan(tuner, &shape, in_shared, out_shared, REVERSE_A2A_CACHED, &plan);
    assert_everywhere(MPI_COMM_WORLD, result == REVERSE_A2A_ERROR_NOT_CACHED);
    result =
        reverse_a2a_tuner_plan(tuner, &shape, in_shared, out_shared, REVERSE_A2A_MEASURE, &plan);
    assert_everywhere(MPI_COMM_WORLD, result == 0);
    problem_fill(&problem, 6);
    memcpy(in_shared, problem.in, in_bytes);
    bool right = reverse_a2a_execute(plan, in_shared, out_shared) == 0;
    memcpy(problem.out, out_shared, out_bytes);
    assert_everywhere(MPI_COMM_WORLD, right && problem_check(&problem, 6, "tuned, symmetric"));
    reverse_a2a_plan_destroy(plan);
}

static void impossible_shapes_are_refused(void **state)
{
    (void)state;
    struct reverse_a2a_plan *plan;
    struct reverse_a2a_shape bad = shape;
    bad.element_size = 3;
    int result =
        reverse_a2a_tuner_plan(tuner, &bad, problem.in, problem.out, REVERSE_A2A_MEASURE, &plan);
    assert_everywhere(MPI_COMM_WORLD, result == REVERSE_A2A_ERROR_SHAPE && !plan);
    result = reverse_a2a_tuner_plan(tuner, &shape, problem.in, problem.out, 7, &plan);
    assert_everywhere(MPI_COMM_WORLD, result == REVERSE_A2A_ERROR_ARGUMENT && !plan);
}

int main(int argc, char **argv)
{
    setenv("TUTTI_MODE", "read-only", 1); /* nothing on disk */
    setenv("TUTTI_CACHE_DIR", "/nonexistent", 1);
    MPI_Init(&argc, &argv);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_found_before_anything_was_measured),
        cmocka_unit_test(an_estimate_runs_and_touches_no_buffer),
        cmocka_unit_test(a_measured_plan_is_found_again_without_touching_a_buffer),
        cmocka_unit_test(operands_in_symmetric_memory_are_another_problem),
        cmocka_unit_test(impossible_shapes_are_refused),
    };
    return finish_tests(cmocka_run_group_tests(tests, set_up, tear_down));
}
