/*
 * Many calls in a row on one memory, with no barrier between them and with ranks that are late:
 * plans of any geometry may follow each other, from any counter, on memory with any contents.
 */
#include "problem.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#define PLANS 6

/* The plans cut peer_mem differently: other H, other blocks, other depths, and nothing at all. */
static const struct {
    int64_t s, h, d;
    struct reverse_a2a_config config;
} kinds[PLANS] = {
    {5, 2, 4, {1, 4, 2}}, {7, 3, 3, {2, 8, 1}}, {0, 4, 4, {1, 4, 2}},
    {9, 1, 8, {2, 3, 3}}, {2, 5, 2, {8, 1, 4}}, {4, 2, 4, {1, 4, 4}},
};

struct sequence {
    struct reverse_a2a_memory *memory;
    struct reverse_a2a_plan *plans[PLANS];
    struct problem problems[PLANS];
    unsigned random; /* the same on all ranks: which plan comes next */
    unsigned delay;  /* other on each rank: how late it is */
};

static struct reverse_a2a_shape shape_of(int kind)
{
    return (struct reverse_a2a_shape){
        .s = kinds[kind].s, .h = kinds[kind].h, .d = kinds[kind].d, .element_size = 8};
}

/* The first three tests share a memory: creating one takes long where ranks outnumber cores. */
static struct reverse_a2a_memory *shared;

static size_t bytes_of_largest(void)
{
    size_t bytes = 0;
    for (int i = 0; i < PLANS; i++) {
        struct reverse_a2a_shape shape = shape_of(i);
        size_t needed = 0;
        if (reverse_a2a_memory_bytes(&shape, &kinds[i].config, world_ranks(), &needed) != 0)
            return 0; /* and the plans will be refused */
        bytes = needed > bytes ? needed : bytes;
    }
    return bytes;
}

static int create_shared(void **state)
{
    (void)state;
    return reverse_a2a_memory_create(MPI_COMM_WORLD, bytes_of_largest(), NULL, &shared);
}

static int destroy_shared(void **state)
{
    (void)state;
    reverse_a2a_memory_destroy(shared);
    return 0;
}

static bool begin_sequence(struct sequence *sequence, struct reverse_a2a_memory *memory)
{
    *sequence =
        (struct sequence){.memory = memory, .random = 1, .delay = 77u * (unsigned)world_rank() + 5};
    bool right = true;
    for (int i = 0; right && i < PLANS; i++) {
        struct reverse_a2a_shape shape = shape_of(i);
        problem_create(&sequence->problems[i], &shape, world_ranks(), world_rank(), 0);
        right = reverse_a2a_plan_create(memory, &shape, &kinds[i].config, &sequence->plans[i]) == 0;
    }
    return right;
}

static void end_sequence(struct sequence *sequence)
{
    for (int i = 0; i < PLANS; i++) {
        reverse_a2a_plan_destroy(sequence->plans[i]);
        problem_destroy(&sequence->problems[i]);
    }
}

static unsigned draw(unsigned *state)
{
    *state = *state * 1664525u + 1013904223u; /* Numerical Recipes' linear congruence */
    return *state >> 16;
}

static void be_late(struct sequence *sequence)
{
    if (draw(&sequence->delay) % 16 != 0)
        return;
    struct timespec time = {0, (long)(draw(&sequence->delay) % 300) * 1000};
    nanosleep(&time, NULL);
}

static bool call(struct sequence *sequence, int plan, unsigned salt)
{
    struct problem *problem = &sequence->problems[plan];
    problem_fill(problem, salt);
    be_late(sequence);
    bool right =
        reverse_a2a_execute(sequence->plans[plan], problem->in, problem->out) == REVERSE_A2A_OK;
    memset(problem->in_block, 0xBB, problem->in_bytes); /* A is the caller's again */
    return problem_check(problem, salt, "sequence") && right;
}

static bool call_at_random(struct sequence *sequence, int calls)
{
    bool right = true;
    for (int i = 0; i < calls; i++)
        right &= call(sequence, (int)(draw(&sequence->random) % PLANS), (unsigned)i);
    return right;
}

static void a_thousand_calls_of_one_plan_need_no_barrier(void **state)
{
    (void)state;
    struct sequence sequence;
    assert_everywhere(MPI_COMM_WORLD, begin_sequence(&sequence, shared));
    bool right = true;
    for (unsigned i = 0; i < 1000; i++)
        right &= call(&sequence, 0, i);
    assert_everywhere(MPI_COMM_WORLD, right);
    end_sequence(&sequence);
}

static void two_plans_of_other_geometry_alternate_a_thousand_times(void **state)
{
    (void)state;
    struct sequence sequence;
    assert_everywhere(MPI_COMM_WORLD, begin_sequence(&sequence, shared));
    bool right = true;
    for (unsigned i = 0; i < 1000; i++)
        right &= call(&sequence, i % 2 ? 1 : 3, i);
    assert_everywhere(MPI_COMM_WORLD, right);
    end_sequence(&sequence);
}

static void plans_and_empty_calls_follow_each_other_in_any_order(void **state)
{
    (void)state;
    struct sequence sequence;
    assert_everywhere(MPI_COMM_WORLD, begin_sequence(&sequence, shared));
    bool right = call_at_random(&sequence, 300);
    assert_everywhere(MPI_COMM_WORLD, right);
    end_sequence(&sequence);
}

static void counters_pass_two_to_the_31_and_32_on_memory_full_of_garbage(void **state)
{
    (void)state;
    for (int bits = 31; bits <= 32; bits++) {
        struct reverse_a2a_memory_options options = {.first_base = (UINT64_C(1) << bits) - 40,
                                                     .fill = bits == 31 ? 0xFF : 0x5A};
        struct reverse_a2a_memory *memory;
        struct sequence sequence;
        int result =
            reverse_a2a_memory_create(MPI_COMM_WORLD, bytes_of_largest(), &options, &memory);
        assert_everywhere(MPI_COMM_WORLD, result == REVERSE_A2A_OK);
        assert_everywhere(MPI_COMM_WORLD, begin_sequence(&sequence, memory));
        bool right = reverse_a2a_memory_base(memory) == options.first_base;
        right &= call_at_random(&sequence, 60);
        right &= reverse_a2a_memory_base(memory) > UINT64_C(1) << bits;
        assert_everywhere(MPI_COMM_WORLD, right);
        end_sequence(&sequence);
        reverse_a2a_memory_destroy(memory);
    }
}

/* As a tuner does: plans that live for two calls, of every block size and depth. */
static void candidates_share_one_memory(void **state)
{
    (void)state;
    static const int blocks[] = {32, 1, 64, 3, 128}, depths[] = {2, 1, 8, 3};
    struct reverse_a2a_shape shape = {.s = 70, .h = 2, .d = 16, .element_size = 2};
    struct reverse_a2a_config largest = {128, 16, 1};
    size_t bytes;
    assert_int_equal(reverse_a2a_memory_bytes(&shape, &largest, world_ranks(), &bytes), 0);
    struct reverse_a2a_memory *memory;
    int result = reverse_a2a_memory_create(MPI_COMM_WORLD, 2 * bytes, NULL, &memory);
    assert_everywhere(MPI_COMM_WORLD, result == REVERSE_A2A_OK);
    bool right = true;
    for (int i = 0; i < 20; i++) {
        struct reverse_a2a_config config = {blocks[i % 5], i % 2 ? 16 : 5, depths[i % 4]};
        right &= run_case(memory, world_rank(), &shape, &config, 0);
    }
    assert_everywhere(MPI_COMM_WORLD, right);
    reverse_a2a_memory_destroy(memory);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_thousand_calls_of_one_plan_need_no_barrier),
        cmocka_unit_test(two_plans_of_other_geometry_alternate_a_thousand_times),
        cmocka_unit_test(plans_and_empty_calls_follow_each_other_in_any_order),
        cmocka_unit_test(counters_pass_two_to_the_31_and_32_on_memory_full_of_garbage),
        cmocka_unit_test(candidates_share_one_memory),
    };
    return finish_tests(cmocka_run_group_tests(tests, create_shared, destroy_shared));
}
