/* The protocol between ranks that are threads: above all for the thread sanitizer. */
#include "calls.h"
#include "ranks.h"

#include "../problem.h"

#define SIGNALLING                                                                                 \
    (1u << REVERSE_A2A_STAGED | 1u << REVERSE_A2A_STAGED_OWN | 1u << REVERSE_A2A_PULL |            \
     1u << REVERSE_A2A_PUSH)

static void calls_of_any_engine_and_geometry_need_no_barrier(void **state)
{
    (void)state;
    for (int ranks = 1; ranks <= 4; ranks++) {
        struct calls calls = {.ranks = ranks, .count = 150, .seed = (unsigned)ranks};
        calls.engines = SIGNALLING;
        assert_true(make_calls(&calls));
    }
}

static void staged_calls_of_any_geometry_need_no_barrier(void **state)
{
    (void)state;
    for (int ranks = 2; ranks <= 4; ranks++) {
        struct calls calls = {.ranks = ranks, .count = 150, .seed = (unsigned)ranks + 10};
        calls.engines = 1u << REVERSE_A2A_STAGED;
        assert_true(make_calls(&calls));
    }
}

static void wrong_buffers_are_heard_of_in_their_call_and_in_no_other(void **state)
{
    (void)state;
    for (int ranks = 2; ranks <= 4; ranks++) {
        struct calls calls = {.ranks = ranks, .count = 150, .seed = (unsigned)ranks + 20};
        calls.engines = SIGNALLING;
        calls.faults = true;
        assert_true(make_calls(&calls));
    }
}

static void ranks_of_several_threads_need_no_barrier(void **state)
{
    (void)state;
    for (int ranks = 1; ranks <= 4; ranks++) {
        struct calls calls = {.ranks = ranks, .count = 100, .seed = (unsigned)ranks + 30};
        calls.engines = SIGNALLING;
        calls.threads = 4;
        calls.faults = true;
        assert_true(make_calls(&calls));
    }
}

static bool stall_and_recover(int rank, void *context)
{
    struct reverse_a2a_shape shape = {.s = 6, .h = 2, .d = 4, .element_size = 8};
    struct reverse_a2a_choice choice = {REVERSE_A2A_STAGED, 0, 1, 4, 2, *(int *)context};
    struct reverse_a2a_memory *memory;
    struct reverse_a2a_plan *plan;
    struct problem problem;
    if (reverse_a2a_memory_create(MPI_COMM_WORLD, 4096, NULL, &memory) != REVERSE_A2A_OK ||
        reverse_a2a_plan_create_with(memory, &shape, &choice, &plan) != REVERSE_A2A_OK)
        return false;
    problem_create(&problem, &shape, reverse_a2a_memory_ranks(memory), rank, 0);
    problem_fill(&problem, 1);
    reverse_a2a_memory_set_stall_limit(memory, 0.01);
    bool right = rank == 0 || reverse_a2a_execute(plan, problem.in, problem.out) != REVERSE_A2A_OK;
    meet_all_ranks();
    reverse_a2a_memory_set_stall_limit(memory, 0);
    right &= reverse_a2a_memory_recover(memory) == REVERSE_A2A_OK;
    for (unsigned salt = 2; salt < 20; salt++) {
        problem_fill(&problem, salt);
        right &= reverse_a2a_execute(plan, problem.in, problem.out) == REVERSE_A2A_OK;
        right &= problem_check(&problem, salt, "after recovery");
    }
    problem_destroy(&problem);
    reverse_a2a_plan_destroy(plan);
    reverse_a2a_memory_destroy(memory);
    return right;
}

static void memory_that_waited_for_an_absent_rank_recovers(void **state)
{
    (void)state;
    for (int ranks = 2; ranks <= 4; ranks++)
        for (int threads = 1; threads <= 3; threads++)
            assert_true(run_ranks(ranks, stall_and_recover, &threads));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calls_of_any_engine_and_geometry_need_no_barrier),
        cmocka_unit_test(staged_calls_of_any_geometry_need_no_barrier),
        cmocka_unit_test(wrong_buffers_are_heard_of_in_their_call_and_in_no_other),
        cmocka_unit_test(ranks_of_several_threads_need_no_barrier),
        cmocka_unit_test(memory_that_waited_for_an_absent_rank_recovers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
