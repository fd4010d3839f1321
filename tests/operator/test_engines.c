/*
 * Every engine, with every way to copy, gives what the definition says, in both directions, for any
 * shape; engines may follow each other on one memory without a barrier; what is wrong on one rank
 * fails on all and leaves the next call whole; what an engine can't do it refuses by name.
 */
#include "problem.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#define ROWS_MAX 64 /* ranks of a shape with different S */

static struct reverse_a2a_memory *memory;
static struct arena arena;
static bool reads_peers; /* the system lets the ranks read each other */
static bool has_threads; /* the library was built with OpenMP */

static int create_memory(void **state)
{
    (void)state;
    int result = reverse_a2a_memory_create(MPI_COMM_WORLD, (size_t)1 << 20, NULL, &memory);
    size_t bytes = (size_t)(world_ranks() <= 2 ? 10 : 2) << 20;
    if (result != REVERSE_A2A_OK || !arena_create(&arena, memory, world_rank(), bytes))
        return -1;
    struct reverse_a2a_shape shape = {.s = 1, .h = 1, .d = 1, .element_size = 1};
    struct reverse_a2a_choice cma = {.engine = REVERSE_A2A_CMA};
    struct reverse_a2a_plan *plan;
    reads_peers = reverse_a2a_plan_create_with(memory, &shape, &cma, &plan) == REVERSE_A2A_OK;
    reverse_a2a_plan_destroy(plan);
    struct reverse_a2a_choice two = {.engine = REVERSE_A2A_P2P, .threads = 2};
    has_threads = reverse_a2a_plan_create_with(memory, &shape, &two, &plan) == REVERSE_A2A_OK;
    reverse_a2a_plan_destroy(plan);
    return 0;
}

static int destroy_memory(void **state)
{
    (void)state;
    reverse_a2a_memory_destroy(memory);
    return 0;
}

static bool runs_here(int engine)
{
    return engine != REVERSE_A2A_CMA || reads_peers;
}

/* All engines, with one way to copy. */
static bool run_all_with(int threads, const struct reverse_a2a_shape *shape, int copy,
                         size_t misalignment)
{
    bool right = true;
    for (int engine = 0; engine < REVERSE_A2A_ENGINES; engine++) {
        struct reverse_a2a_choice choice = {engine, copy, 3, 40, 2, threads};
        if (runs_here(engine) && !(shape->s_of_ranks && engine == REVERSE_A2A_REFERENCE))
            right &= run_choice(&arena, shape, &choice, misalignment);
    }
    return right;
}

static bool run_all(const struct reverse_a2a_shape *shape, int copy, size_t misalignment)
{
    return run_all_with(1, shape, copy, misalignment);
}

static bool run_both_directions(const struct reverse_a2a_shape *shape, int copy,
                                size_t misalignment)
{
    struct reverse_a2a_shape forward = *shape;
    forward.direction = REVERSE_A2A_FORWARD;
    bool right = run_all(shape, copy, misalignment);
    return run_all(&forward, copy, misalignment) && right;
}

static void extents_of_zero_one_and_odd_sizes_are_right(void **state)
{
    (void)state;
    static const int64_t extents[][3] = {{0, 2, 3}, {2, 0, 3},  {2, 3, 0},   {1, 1, 1}, {1, 3, 3},
                                         {7, 1, 1}, {5, 2, 80}, {4, 1, 300}, {3, 5, 33}};
    bool right = true;
    for (int i = 0; i < 9; i++) {
        struct reverse_a2a_shape shape = {
            .s = extents[i][0], .h = extents[i][1], .d = extents[i][2], .element_size = 2};
        right &= run_both_directions(&shape, i % REVERSE_A2A_COPIES, 0);
    }
    assert_everywhere(MPI_COMM_WORLD, right);
}

static void every_way_to_copy_and_element_size_is_right_at_any_alignment(void **state)
{
    (void)state;
    bool right = true;
    size_t size = 1;
    for (int copy = 0; copy < REVERSE_A2A_COPIES; copy++, size = size == 8 ? 1 : 2 * size) {
        struct reverse_a2a_shape shape = {.s = 6, .h = 3, .d = 100, .element_size = size};
        right &= run_both_directions(&shape, copy, (size_t)copy * 3);
    }
    assert_everywhere(MPI_COMM_WORLD, right);
}

static void strides_are_kept_and_gaps_stay_untouched(void **state)
{
    (void)state;
    int64_t s = 5, h = 3, d = 66, ranks = world_ranks();
    struct reverse_a2a_shape shapes[5], plain = {.s = s, .h = h, .d = d, .element_size = 4};
    for (int i = 0; i < 5; i++)
        shapes[i] = plain;
    shapes[0].a_stride_h = d + 2, shapes[0].c_stride_h = d + 3;
    shapes[1].a_stride_s = h * d + 5, shapes[1].c_stride_s = ranks * h * d + 1;
    shapes[2].c_stride_s = d, shapes[2].c_stride_h = s * d;
    shapes[3].a_stride_s = d + 1, shapes[3].a_stride_h = ranks * s * (d + 1) + 2;
    shapes[4].a_stride_s = d, shapes[4].a_stride_h = ranks * s * d;
    shapes[4].c_stride_s = d + 4, shapes[4].c_stride_h = s * (d + 4) + 9;
    bool right = true;
    for (int i = 0; i < 5; i++)
        right &= run_both_directions(&shapes[i], i, 0);
    assert_everywhere(MPI_COMM_WORLD, right);
}

static void any_number_of_threads_is_right(void **state)
{
    (void)state;
    static const int64_t extents[][3] = {{1, 1, 1}, {9, 1, 70}, {40, 3, 100}};
    if (!has_threads)
        skip();
    bool right = true;
    for (int threads = 2; threads <= 7; threads += threads < 3 ? 1 : 4)
        for (int i = 0; i < 3; i++) {
            struct reverse_a2a_shape shape = {
                .s = extents[i][0], .h = extents[i][1], .d = extents[i][2], .element_size = 2};
            right &= run_all_with(threads, &shape, i + threads % 3, 0);
            shape.direction = REVERSE_A2A_FORWARD;
            right &= run_all_with(threads, &shape, i + threads % 2, 1);
        }
    assert_everywhere(MPI_COMM_WORLD, right);
}

static void wrong_numbers_of_threads_are_refused(void **state)
{
    (void)state;
    struct reverse_a2a_shape shape = {.s = 1, .h = 1, .d = 1, .element_size = 1};
    static const int wrong[] = {-1, 257};
    struct reverse_a2a_plan *plan;
    for (int i = 0; i < 2; i++) {
        struct reverse_a2a_choice choice = {.engine = REVERSE_A2A_PULL, .threads = wrong[i]};
        int result = reverse_a2a_plan_create_with(memory, &shape, &choice, &plan);
        assert_int_equal(result, REVERSE_A2A_ERROR_CONFIG);
        assert_non_null(strstr(reverse_a2a_memory_reason(memory), "threads = "));
    }
    struct reverse_a2a_choice two = {.engine = REVERSE_A2A_PULL, .threads = 2};
    int result = reverse_a2a_plan_create_with(memory, &shape, &two, &plan);
    reverse_a2a_plan_destroy(plan);
    assert_int_equal(result, has_threads ? REVERSE_A2A_OK : REVERSE_A2A_ERROR_ENGINE);
    if (!has_threads)
        assert_non_null(strstr(reverse_a2a_memory_reason(memory), "OpenMP"));
}

/* Large enough to stream, and for cma to fill several calls of the system. */
static void a_shape_from_practice_is_right(void **state)
{
    (void)state;
    struct reverse_a2a_shape shape = {.s = 2047, .h = 8, .d = 128, .element_size = 2};
    if (world_ranks() > 2)
        skip();
    bool right = run_all(&shape, REVERSE_A2A_COPY_AUTO, 0);
    shape.direction = REVERSE_A2A_FORWARD;
    right &= run_all(&shape, REVERSE_A2A_COPY_PLAIN, 0);
    assert_everywhere(MPI_COMM_WORLD, right);
}

/* The same on all ranks: some have nothing, in the first case all but one. */
static void fill_rows(int64_t *rows, unsigned seed)
{
    for (int i = 0; i < ROWS_MAX; i++)
        rows[i] = seed == 0 ? (i == 0 ? 7 : 0) : (int64_t)((unsigned)i * seed * 5 % 11);
}

static void ranks_with_different_s_are_right(void **state)
{
    (void)state;
    int64_t rows[ROWS_MAX];
    bool right = true;
    for (unsigned seed = 0; seed < 4; seed++) {
        struct reverse_a2a_shape shape = {.h = 2, .d = 70, .element_size = 2, .s_of_ranks = rows};
        fill_rows(rows, seed);
        right &= run_both_directions(&shape, (int)seed, seed);
    }
    assert_everywhere(MPI_COMM_WORLD, right);
}

static void an_engine_that_needs_equal_s_refuses_others_by_name(void **state)
{
    (void)state;
    int64_t rows[ROWS_MAX];
    fill_rows(rows, 3);
    struct reverse_a2a_shape shape = {.h = 2, .d = 7, .element_size = 2, .s_of_ranks = rows};
    struct reverse_a2a_choice choice = {.engine = REVERSE_A2A_REFERENCE};
    struct reverse_a2a_plan *plan;
    int result = reverse_a2a_plan_create_with(memory, &shape, &choice, &plan);
    assert_int_equal(result, REVERSE_A2A_ERROR_ENGINE);
    assert_non_null(strstr(reverse_a2a_memory_reason(memory), "reference"));
    rows[world_ranks() - 1] = -1;
    choice.engine = REVERSE_A2A_PULL;
    result = reverse_a2a_plan_create_with(memory, &shape, &choice, &plan);
    assert_int_equal(result, REVERSE_A2A_ERROR_SHAPE);
}

static unsigned draw(unsigned *state)
{
    *state = *state * 1664525u + 1013904223u; /* Numerical Recipes' linear congruence */
    return *state >> 16;
}

static void be_late(unsigned *random)
{
    struct timespec time = {0, (long)(draw(random) % 300) * 1000};
    if (draw(random) % 16 == 0)
        nanosleep(&time, NULL);
}

/* A plan for each engine, each of another geometry, and its problem. */
struct mixture {
    struct reverse_a2a_plan *plans[2 * REVERSE_A2A_ENGINES];
    struct problem problems[2 * REVERSE_A2A_ENGINES];
    int count;
};

static bool begin_mixture(struct mixture *mixture)
{
    bool right = true;
    mixture->count = 0;
    for (int i = 0; i < 2 * REVERSE_A2A_ENGINES; i++) {
        struct reverse_a2a_shape shape = {
            .s = 1 + i * 3 % 7, .h = 1 + i % 3, .d = 4 + i, .element_size = 8, .direction = i % 2};
        struct reverse_a2a_choice choice = {i / 2,     i % REVERSE_A2A_COPIES,     1 + i % 4, 8,
                                            1 + i % 3, has_threads ? 1 + i % 2 : 1};
        int at = mixture->count;
        if (!runs_here(choice.engine))
            continue;
        right &= reverse_a2a_plan_create_with(memory, &shape, &choice, &mixture->plans[at]) == 0;
        problem_create(&mixture->problems[at], &shape, world_ranks(), world_rank(), 0);
        mixture->count++;
    }
    return right;
}

static void end_mixture(struct mixture *mixture)
{
    for (int i = 0; i < mixture->count; i++) {
        reverse_a2a_plan_destroy(mixture->plans[i]);
        problem_destroy(&mixture->problems[i]);
    }
}

/* Also the plans of all engines at once, each used again and again. */
static void engines_follow_each_other_in_any_order_without_a_barrier(void **state)
{
    (void)state;
    static struct mixture mixture;
    assert_everywhere(MPI_COMM_WORLD, begin_mixture(&mixture));
    unsigned order = 1, delay = 77u * (unsigned)world_rank() + 5;
    bool right = true;
    for (unsigned i = 0; i < 400; i++) {
        int plan = (int)(draw(&order) % (unsigned)mixture.count);
        struct problem *problem = &mixture.problems[plan];
        problem_fill(problem, i);
        be_late(&delay);
        right &= execute_in_arena(&arena, mixture.plans[plan], problem) == REVERSE_A2A_OK;
        memset(problem->in_block, 0xBB, problem->in_bytes); /* it is the caller's again */
        right &= problem_check(problem, i, "mixture");
    }
    assert_everywhere(MPI_COMM_WORLD, right);
    end_mixture(&mixture);
}

/* With operands that stay in symmetric memory, where a late reader or writer would be seen. */
static bool repeat_in_place(int engine, struct reverse_a2a_shape *shape)
{
    struct reverse_a2a_choice choice = {engine, REVERSE_A2A_COPY_AUTO, 2, 8, 2, 1};
    struct reverse_a2a_plan *plan;
    struct problem problem;
    void *in, *out;
    unsigned delay = 7u * (unsigned)world_rank() + 1;
    problem_create(&problem, shape, world_ranks(), world_rank(), 0);
    bool right = reverse_a2a_plan_create_with(memory, shape, &choice, &plan) == 0;
    right &= reverse_a2a_alloc(memory, problem.in_bytes, &in) == 0;
    right &= reverse_a2a_alloc(memory, problem.out_bytes, &out) == 0;
    size_t in_bytes = problem.in_bytes - 512, out_bytes = problem.out_bytes - 512; /* guards */
    for (unsigned i = 0; right && i < 200; i++) {
        problem_fill(&problem, i);
        memcpy(in, problem.in, in_bytes);
        be_late(&delay);
        right &= reverse_a2a_execute(plan, in, out) == REVERSE_A2A_OK;
        memset(in, 0xBB, in_bytes);
        memcpy(problem.out, out, out_bytes);
        memset(out, 0xCC, out_bytes);
        right &= problem_check(&problem, i, "in symmetric memory");
    }
    right &= reverse_a2a_free(memory, in) == 0 && reverse_a2a_free(memory, out) == 0;
    reverse_a2a_plan_destroy(plan);
    problem_destroy(&problem);
    return right;
}

static void operands_are_the_callers_again_on_return(void **state)
{
    (void)state;
    struct reverse_a2a_shape shape = {.s = 5, .h = 2, .d = 9, .element_size = 8};
    bool right = repeat_in_place(REVERSE_A2A_PULL, &shape);
    right &= repeat_in_place(REVERSE_A2A_PUSH, &shape);
    right &= !reads_peers || repeat_in_place(REVERSE_A2A_CMA, &shape);
    assert_everywhere(MPI_COMM_WORLD, right);
}

static bool comes_back(const int64_t *rows, int there, int back)
{
    struct reverse_a2a_shape shape = {
        .s = 6, .h = 3, .d = 21, .element_size = 2, .s_of_ranks = rows};
    struct reverse_a2a_shape forward = shape;
    forward.direction = REVERSE_A2A_FORWARD;
    struct reverse_a2a_choice first = {there, 0, 2, 8, 2, 1}, second = {back, 0, 3, 64, 1, 1};
    struct reverse_a2a_plan *plans[2];
    struct problem problem, other;
    problem_create(&problem, &shape, world_ranks(), world_rank(), 0);
    problem_create(&other, &forward, world_ranks(), world_rank(), 0);
    problem_fill(&problem, 1);
    memset(other.out_block, 0xA5, other.out_bytes); /* the poison of problem_check */
    bool right = reverse_a2a_plan_create_with(memory, &shape, &first, &plans[0]) == 0 &&
                 reverse_a2a_plan_create_with(memory, &forward, &second, &plans[1]) == 0;
    right = right && execute_in_arena(&arena, plans[0], &problem) == 0;
    memcpy(other.in_block, problem.out_block, problem.out_bytes);
    right = right && execute_in_arena(&arena, plans[1], &other) == 0 &&
            problem_check(&other, 1, "there and back");
    for (int i = 0; i < 2; i++)
        reverse_a2a_plan_destroy(plans[i]);
    problem_destroy(&problem);
    problem_destroy(&other);
    return right;
}

static void reverse_and_forward_bring_back_what_was_there(void **state)
{
    (void)state;
    int64_t rows[ROWS_MAX];
    fill_rows(rows, 5);
    bool right = true;
    for (int i = 0; i < REVERSE_A2A_REFERENCE; i++) {
        int back = (i + 2) % REVERSE_A2A_REFERENCE;
        if (!runs_here(i) || !runs_here(back))
            continue;
        right &= comes_back(NULL, i, back);
        right &= comes_back(rows, i, back);
    }
    assert_everywhere(MPI_COMM_WORLD, right);
}

/* One call in which `culprit` brings what is wrong: how that ends on each rank. */
static bool fails_everywhere(struct reverse_a2a_plan *plan, struct problem *problem, int culprit,
                             bool null)
{
    problem_fill(problem, 3);
    if (world_rank() != culprit)
        return execute_in_arena(&arena, plan, problem) == REVERSE_A2A_ERROR_PEER;
    void *out = null ? NULL : problem->in;
    int expected = null ? REVERSE_A2A_ERROR_ARGUMENT : REVERSE_A2A_ERROR_OVERLAP;
    struct reverse_a2a_choice choice;
    reverse_a2a_plan_choice(plan, &choice);
    if (choice.engine == REVERSE_A2A_REFERENCE || world_ranks() == 1)
        return reverse_a2a_execute(plan, problem->in, out) == expected;
    return reverse_a2a_execute(plan, problem->in, out) == expected &&
           strlen(reverse_a2a_memory_reason(memory)) > 0;
}

static bool recovers_from_bad_buffers(int engine)
{
    struct reverse_a2a_shape shape = {.s = 6, .h = 2, .d = 4, .element_size = 8};
    struct reverse_a2a_choice choice = {engine, 0, 1, 4, 2, 1};
    struct reverse_a2a_plan *plan;
    struct problem problem;
    bool right = reverse_a2a_plan_create_with(memory, &shape, &choice, &plan) == 0;
    problem_create(&problem, &shape, world_ranks(), world_rank(), 0);
    for (int i = 0; i < 6; i++) {
        right &= fails_everywhere(plan, &problem, i * 3 % world_ranks(), i % 2);
        problem_fill(&problem, 4);
        right &= i % 3 == 0 || (execute_in_arena(&arena, plan, &problem) == 0 &&
                                problem_check(&problem, 4, "after an error"));
    }
    problem_destroy(&problem);
    reverse_a2a_plan_destroy(plan);
    return right;
}

static void bad_buffers_on_one_rank_fail_everywhere_and_the_next_call_works(void **state)
{
    (void)state;
    bool right = true;
    for (int engine = 0; engine < REVERSE_A2A_ENGINES; engine++)
        right &= !runs_here(engine) || recovers_from_bad_buffers(engine);
    assert_everywhere(MPI_COMM_WORLD, right);
}

/* The last rank's operand is on the heap, or reaches beyond what was allocated. */
static bool refuses_ordinary_memory(int engine)
{
    struct reverse_a2a_shape shape = {.s = 6, .h = 2, .d = 4, .element_size = 8};
    struct reverse_a2a_choice choice = {.engine = engine};
    struct reverse_a2a_plan *plan;
    struct problem problem;
    bool culprit = world_rank() == world_ranks() - 1;
    bool right = reverse_a2a_plan_create_with(memory, &shape, &choice, &plan) == 0;
    problem_create(&problem, &shape, world_ranks(), world_rank(), 0);
    char *end = arena.operand + arena.bytes - 100;
    char *in = engine == REVERSE_A2A_PULL ? end : problem.in;
    char *out = engine == REVERSE_A2A_PUSH ? end : problem.out;
    problem_fill(&problem, 1);
    int heap = culprit ? reverse_a2a_execute(plan, problem.in, problem.out)
                       : execute_in_arena(&arena, plan, &problem);
    int beyond =
        culprit ? reverse_a2a_execute(plan, in, out) : execute_in_arena(&arena, plan, &problem);
    int expected = culprit ? REVERSE_A2A_ERROR_NOT_SYMMETRIC : REVERSE_A2A_ERROR_PEER;
    right &= heap == expected && beyond == expected;
    problem_destroy(&problem);
    reverse_a2a_plan_destroy(plan);
    return right;
}

static void pull_and_push_refuse_ordinary_memory(void **state)
{
    (void)state;
    bool right = refuses_ordinary_memory(REVERSE_A2A_PULL);
    right &= refuses_ordinary_memory(REVERSE_A2A_PUSH);
    assert_everywhere(MPI_COMM_WORLD, right);
}

/* Below 4 MiB windows of MPI; above files, which every rank sees as its peers do. */
static void large_symmetric_memory_is_shared_by_all(void **state)
{
    (void)state;
    const size_t bytes = (size_t)5 << 20;
    struct reverse_a2a_shape shape = {.s = 1, .h = 1, .d = 8, .element_size = 8};
    struct reverse_a2a_choice choice = {.engine = REVERSE_A2A_PULL};
    struct reverse_a2a_plan *plan;
    int64_t from[64 * 8], to[64 * 8];
    void *small, *large;
    bool right = reverse_a2a_alloc(memory, 4096, &small) == 0 &&
                 reverse_a2a_alloc(memory, bytes, &large) == 0 &&
                 reverse_a2a_plan_create_with(memory, &shape, &choice, &plan) == 0;
    assert_everywhere(MPI_COMM_WORLD, right);
    right = reverse_a2a_pages(memory, small) == REVERSE_A2A_PAGES_WINDOW;
    int pages = reverse_a2a_pages(memory, large), least;
    MPI_Allreduce(&pages, &least, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    right &= pages == least && pages >= 0 && pages <= REVERSE_A2A_PAGES_HUGE;
    for (int i = 0; i < world_ranks() * 8; i++)
        from[i] = world_rank() * 1000 + i;
    char *end = (char *)large + bytes - sizeof(from); /* on the last page */
    memcpy(end, from, sizeof(from));
    right &= reverse_a2a_execute(plan, end, to) == 0;
    for (int i = 0; i < world_ranks() * 8; i++)
        right &= to[i] == i / 8 * 1000 + world_rank() * 8 + i % 8;
    reverse_a2a_plan_destroy(plan);
    right &= reverse_a2a_free(memory, large) == 0 && reverse_a2a_free(memory, small) == 0;
    assert_everywhere(MPI_COMM_WORLD, right);
}

static void symmetric_memory_is_freed_in_any_order_and_only_once(void **state)
{
    (void)state;
    void *one, *two, *three;
    char other;
    assert_int_equal(reverse_a2a_alloc(memory, 100, &one), 0);
    assert_int_equal(reverse_a2a_alloc(memory, (size_t)world_rank(), &two), 0);
    assert_int_equal(reverse_a2a_free(memory, one), 0);
    assert_int_equal(reverse_a2a_alloc(memory, 5000, &three), 0);
    assert_int_equal(reverse_a2a_free(memory, one), REVERSE_A2A_ERROR_ARGUMENT);
    assert_int_equal(reverse_a2a_free(memory, &other), REVERSE_A2A_ERROR_ARGUMENT);
    assert_int_equal(reverse_a2a_free(memory, three), 0);
    assert_int_equal(reverse_a2a_free(memory, two), 0);
    assert_int_equal(reverse_a2a_free(memory, NULL), 0);
    int result = reverse_a2a_alloc(memory, world_rank() == 0 ? SIZE_MAX : 1, &one);
    assert_int_equal(result, REVERSE_A2A_ERROR_TOO_LARGE);
    assert_null(one);
}

/* The last rank comes after the others have given up; is its memory broken, and can it recover? */
static bool stalls(int engine, bool recovers)
{
    struct reverse_a2a_shape shape = {.s = 6, .h = 2, .d = 4, .element_size = 8};
    struct reverse_a2a_choice choice = {engine, 0, 1, 4, 2, 1};
    struct reverse_a2a_memory *own;
    struct reverse_a2a_plan *plan;
    struct arena operands;
    static struct problem problem;
    bool late = world_rank() == world_ranks() - 1;
    bool right = reverse_a2a_memory_create(MPI_COMM_WORLD, 4096, NULL, &own) == 0 &&
                 arena_create(&operands, own, world_rank(), 65536) &&
                 reverse_a2a_plan_create_with(own, &shape, &choice, &plan) == 0;
    if (!right)
        return false;
    problem_create(&problem, &shape, world_ranks(), world_rank(), 0);
    problem_fill(&problem, 1);
    reverse_a2a_memory_set_stall_limit(own, late ? 0 : 0.1);
    if (late) /* until the others have given up, however long that takes them */
        MPI_Barrier(MPI_COMM_WORLD);
    int result = execute_in_arena(&operands, plan, &problem);
    if (!late)
        MPI_Barrier(MPI_COMM_WORLD);
    right &= result == REVERSE_A2A_ERROR_STALL || result == REVERSE_A2A_ERROR_BROKEN;
    right &= reverse_a2a_memory_state(own) == REVERSE_A2A_ERROR_BROKEN;
    result = reverse_a2a_memory_recover(own);
    right &= result == (recovers ? REVERSE_A2A_OK : REVERSE_A2A_ERROR_BROKEN);
    reverse_a2a_memory_set_stall_limit(own, 0);
    problem_fill(&problem, 2);
    right &= !recovers || (execute_in_arena(&operands, plan, &problem) == REVERSE_A2A_OK &&
                           problem_check(&problem, 2, "after a stall"));
    reverse_a2a_plan_destroy(plan);
    if (recovers) /* else messages may still arrive in it */
        problem_destroy(&problem);
    reverse_a2a_memory_destroy(own);
    return right;
}

static void an_absent_rank_ends_the_wait_and_breaks_the_memory(void **state)
{
    (void)state;
    if (world_ranks() == 1)
        skip();
    bool right = stalls(REVERSE_A2A_PULL, true);
    right &= stalls(REVERSE_A2A_STAGED_OWN, true);
    assert_everywhere(MPI_COMM_WORLD, right);
}

static void estimates_run_wherever_the_operands_are(void **state)
{
    (void)state;
    static const int64_t sizes[] = {0, 1, 33, 500};
    bool right = true;
    for (int symmetric = 0; symmetric < 4; symmetric++)
        for (int i = 0; i < 4; i++) {
            struct reverse_a2a_shape shape = {.s = sizes[i], .h = 2, .d = 16, .element_size = 2};
            struct reverse_a2a_choice choice;
            right &= reverse_a2a_estimate(memory, &shape, symmetric, &choice) == 0;
            right &= run_choice(&arena, &shape, &choice, 0);
        }
    assert_everywhere(MPI_COMM_WORLD, right);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(extents_of_zero_one_and_odd_sizes_are_right),
        cmocka_unit_test(every_way_to_copy_and_element_size_is_right_at_any_alignment),
        cmocka_unit_test(strides_are_kept_and_gaps_stay_untouched),
        cmocka_unit_test(any_number_of_threads_is_right),
        cmocka_unit_test(wrong_numbers_of_threads_are_refused),
        cmocka_unit_test(a_shape_from_practice_is_right),
        cmocka_unit_test(ranks_with_different_s_are_right),
        cmocka_unit_test(an_engine_that_needs_equal_s_refuses_others_by_name),
        cmocka_unit_test(engines_follow_each_other_in_any_order_without_a_barrier),
        cmocka_unit_test(operands_are_the_callers_again_on_return),
        cmocka_unit_test(reverse_and_forward_bring_back_what_was_there),
        cmocka_unit_test(bad_buffers_on_one_rank_fail_everywhere_and_the_next_call_works),
        cmocka_unit_test(pull_and_push_refuse_ordinary_memory),
        cmocka_unit_test(large_symmetric_memory_is_shared_by_all),
        cmocka_unit_test(symmetric_memory_is_freed_in_any_order_and_only_once),
        cmocka_unit_test(an_absent_rank_ends_the_wait_and_breaks_the_memory),
        cmocka_unit_test(estimates_run_wherever_the_operands_are),
    };
    return finish_tests(cmocka_run_group_tests(tests, create_memory, destroy_memory));
}
