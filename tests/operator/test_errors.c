/*
 * What is wrong on one rank fails on all, hangs nobody, and leaves the memory in step: the next
 * call works. A rank that does not come ends the wait of the others, and the memory says so from
 * then on.
 */
#include "problem.h"

#include <string.h>
#include <time.h>

static const struct reverse_a2a_shape shape = {.s = 6, .h = 2, .d = 4, .element_size = 8};
static const struct reverse_a2a_config config = {1, 4, 2}; /* 6 blocks through 2 slots */

struct setting {
    struct reverse_a2a_memory *memory;
    struct reverse_a2a_plan *plan;
    struct problem problem;
};

/* Most tests share a memory, because creating one takes long where ranks outnumber cores. */
static struct reverse_a2a_memory *shared;

static int create_memory(struct reverse_a2a_memory **memory)
{
    size_t bytes;
    int result = reverse_a2a_memory_bytes(&shape, &config, world_ranks(), &bytes);
    return result ? result : reverse_a2a_memory_create(MPI_COMM_WORLD, bytes, NULL, memory);
}

static int create_shared(void **state)
{
    (void)state;
    return create_memory(&shared);
}

static int destroy_shared(void **state)
{
    (void)state;
    reverse_a2a_memory_destroy(shared);
    return 0;
}

static void begin_on(struct setting *setting, struct reverse_a2a_memory *memory)
{
    setting->memory = memory;
    int result = reverse_a2a_plan_create(memory, &shape, &config, &setting->plan);
    assert_everywhere(MPI_COMM_WORLD, result == REVERSE_A2A_OK);
    problem_create(&setting->problem, &shape, world_ranks(), world_rank(), 0);
}

static void begin(struct setting *setting)
{
    begin_on(setting, shared);
}

static void end(struct setting *setting)
{
    problem_destroy(&setting->problem);
    reverse_a2a_plan_destroy(setting->plan);
}

static void sleep_for(double seconds)
{
    time_t whole = (time_t)seconds;
    struct timespec time = {whole, (long)((seconds - (double)whole) * 1e9)};
    nanosleep(&time, NULL);
}

static bool good_call_works(struct setting *setting, unsigned salt)
{
    problem_fill(&setting->problem, salt);
    int result = reverse_a2a_execute(setting->plan, setting->problem.in, setting->problem.out);
    return result == REVERSE_A2A_OK && problem_check(&setting->problem, salt, "after an error");
}

/* Is every byte of the rank's arrays as problem_fill left it? */
static bool nothing_was_written(struct problem *problem)
{
    for (size_t i = 0; i < problem->out_bytes; i++)
        if ((unsigned char)problem->out_block[i] != 0xA5)
            return false;
    return true;
}

/* One call in which `culprit` brings bad buffers: how that ends on each rank. */
static bool bad_call_fails_everywhere(struct setting *setting, int culprit, bool null,
                                      unsigned salt)
{
    struct problem *problem = &setting->problem;
    problem_fill(problem, salt);
    if (world_rank() != culprit) {
        int result = reverse_a2a_execute(setting->plan, problem->in, problem->out);
        return result == REVERSE_A2A_ERROR_PEER;
    }
    void *overlapping = problem->in + 1;
    int result = null ? reverse_a2a_execute(setting->plan, NULL, problem->out)
                      : reverse_a2a_execute(setting->plan, problem->in, overlapping);
    int expected = null ? REVERSE_A2A_ERROR_ARGUMENT : REVERSE_A2A_ERROR_OVERLAP;
    return result == expected && nothing_was_written(problem) &&
           strlen(reverse_a2a_memory_reason(setting->memory)) > 0;
}

static void bad_buffers_on_one_rank_fail_everywhere_and_the_next_call_works(void **state)
{
    (void)state;
    struct setting setting;
    begin(&setting);
    uint64_t base = reverse_a2a_memory_base(setting.memory);
    bool right = true;
    for (int culprit = 0; culprit < world_ranks(); culprit++)
        for (int null = 0; null < 2; null++) {
            right &= bad_call_fails_everywhere(&setting, culprit, null, 1);
            right &= good_call_works(&setting, 2);
        }
    assert_everywhere(MPI_COMM_WORLD, right);
    uint64_t calls = 4 * (uint64_t)world_ranks(); /* each of 6 blocks */
    bool in_step = reverse_a2a_memory_base(setting.memory) == base + calls * (6 + 1);
    assert_everywhere(MPI_COMM_WORLD, in_step);
    end(&setting);
}

/* Late readers must still see the fault of their call, not that of the next. */
static void faults_in_consecutive_calls_are_told_apart(void **state)
{
    (void)state;
    struct setting setting;
    begin(&setting);
    bool right = true;
    for (int i = 0; i < 100; i++) {
        if ((i + world_rank()) % 7 == 0)
            sleep_for(0.0003);
        if (i % 3 == 2)
            right &= good_call_works(&setting, (unsigned)i);
        else
            right &= bad_call_fails_everywhere(&setting, i % world_ranks(), i % 2, (unsigned)i);
    }
    assert_everywhere(MPI_COMM_WORLD, right);
    end(&setting);
}

static void bad_buffers_on_all_ranks_are_each_told_their_own_error(void **state)
{
    (void)state;
    struct setting setting;
    begin(&setting);
    int result = reverse_a2a_execute(setting.plan, setting.problem.in, setting.problem.in);
    assert_everywhere(MPI_COMM_WORLD, result == REVERSE_A2A_ERROR_OVERLAP);
    result = reverse_a2a_execute(setting.plan, setting.problem.in, NULL);
    assert_everywhere(MPI_COMM_WORLD, result == REVERSE_A2A_ERROR_ARGUMENT);
    assert_everywhere(MPI_COMM_WORLD, good_call_works(&setting, 1));
    end(&setting);
}

static void neighbouring_arrays_do_not_overlap(void **state)
{
    (void)state;
    struct setting setting;
    begin(&setting);
    static char both[2 * 8 * 6 * 2 * 4 * 64]; /* A and C end to end, for up to 64 ranks */
    size_t size = 8u * 6 * 2 * 4 * (size_t)world_ranks();
    assert_true(2 * size <= sizeof(both));
    int before = reverse_a2a_execute(setting.plan, both, both + size);
    int behind = reverse_a2a_execute(setting.plan, both + size, both);
    int shifted = reverse_a2a_execute(setting.plan, both + size - 1, both);
    assert_everywhere(MPI_COMM_WORLD, before == REVERSE_A2A_OK && behind == REVERSE_A2A_OK);
    assert_everywhere(MPI_COMM_WORLD, shifted == REVERSE_A2A_ERROR_OVERLAP);
    end(&setting);
}

/* The last rank comes once the others have given up, however long that takes them. */
static void stall_once(struct setting *setting)
{
    int late = world_ranks() - 1;
    bool is_late = world_rank() == late;
    reverse_a2a_memory_set_stall_limit(setting->memory, is_late ? 0 : 0.1);
    if (is_late)
        MPI_Barrier(MPI_COMM_WORLD);
    int result = reverse_a2a_execute(setting->plan, setting->problem.in, setting->problem.out);
    if (!is_late)
        MPI_Barrier(MPI_COMM_WORLD);
    bool given_up = result == REVERSE_A2A_ERROR_STALL || result == REVERSE_A2A_ERROR_BROKEN;
    bool right = is_late ? result == REVERSE_A2A_ERROR_BROKEN : given_up;
    right &= reverse_a2a_memory_state(setting->memory) == REVERSE_A2A_ERROR_BROKEN;
    right &= strlen(reverse_a2a_memory_reason(setting->memory)) > 0;
    result = reverse_a2a_execute(setting->plan, setting->problem.in, setting->problem.out);
    right &= result == REVERSE_A2A_ERROR_BROKEN;
    assert_everywhere(MPI_COMM_WORLD, right);
}

static void an_absent_rank_ends_the_wait_and_breaks_the_memory(void **state)
{
    (void)state;
    if (world_ranks() == 1)
        skip();
    struct setting setting;
    struct reverse_a2a_memory *memory;
    assert_everywhere(MPI_COMM_WORLD, create_memory(&memory) == REVERSE_A2A_OK);
    begin_on(&setting, memory);
    assert_everywhere(MPI_COMM_WORLD, good_call_works(&setting, 1));
    stall_once(&setting);
    end(&setting);
    reverse_a2a_memory_destroy(memory); /* broken as it is */
}

static void a_broken_memory_works_again_after_recovery(void **state)
{
    (void)state;
    struct setting setting;
    begin(&setting);
    for (unsigned i = 0; world_ranks() > 1 && i < 2; i++) {
        stall_once(&setting);
        int result = reverse_a2a_memory_recover(setting.memory);
        assert_everywhere(MPI_COMM_WORLD, result == REVERSE_A2A_OK);
        reverse_a2a_memory_set_stall_limit(setting.memory, 0);
        bool right = good_call_works(&setting, 2 * i) && good_call_works(&setting, 2 * i + 1);
        assert_everywhere(MPI_COMM_WORLD, right);
    }
    int result = reverse_a2a_memory_recover(setting.memory); /* sound: no harm */
    assert_everywhere(MPI_COMM_WORLD, result == REVERSE_A2A_OK && good_call_works(&setting, 9));
    end(&setting);
}

static void a_rank_late_within_the_limit_is_waited_for(void **state)
{
    (void)state;
    struct setting setting;
    begin(&setting);
    reverse_a2a_memory_set_stall_limit(setting.memory, 30);
    if (world_rank() == 0)
        sleep_for(0.1);
    assert_everywhere(MPI_COMM_WORLD, good_call_works(&setting, 1));
    reverse_a2a_memory_set_stall_limit(setting.memory, 0);
    end(&setting);
}

static int plan_result(struct setting *setting, const struct reverse_a2a_shape *other_shape,
                       const struct reverse_a2a_config *other_config)
{
    struct reverse_a2a_plan *plan;
    int result = reverse_a2a_plan_create(setting->memory, other_shape, other_config, &plan);
    assert_true((plan != NULL) == (result == REVERSE_A2A_OK));
    reverse_a2a_plan_destroy(plan);
    return result;
}

static void plans_are_refused_with_a_reason(void **state)
{
    (void)state;
    struct setting s;
    begin(&s);
    struct reverse_a2a_config none = {0, 4, 2}, negative = {1, 4, -1}, deep = {1, 4, 6};
    struct reverse_a2a_shape others = shape, wide = shape, huge = shape;
    others.ranks = world_ranks() + 1;
    wide.element_size = 3;
    huge.s = INT64_MAX / 4;
    assert_int_equal(plan_result(&s, &shape, &none), REVERSE_A2A_ERROR_CONFIG);
    assert_non_null(strstr(reverse_a2a_memory_reason(s.memory), "comm_block_s = 0"));
    assert_int_equal(plan_result(&s, &shape, &negative), REVERSE_A2A_ERROR_CONFIG);
    assert_int_equal(plan_result(&s, &others, &config), REVERSE_A2A_ERROR_RANKS);
    assert_int_equal(plan_result(&s, &wide, &config), REVERSE_A2A_ERROR_SHAPE);
    assert_int_equal(plan_result(&s, &huge, &config), REVERSE_A2A_ERROR_TOO_LARGE);
    if (world_ranks() > 1) /* one rank alone needs no symmetric memory */
        assert_int_equal(plan_result(&s, &shape, &deep), REVERSE_A2A_ERROR_MEMORY_SIZE);
    others.ranks = world_ranks();
    assert_int_equal(plan_result(&s, &others, &config), REVERSE_A2A_OK);
    end(&s);
}

static void the_largest_size_that_a_rank_asks_for_holds_everywhere(void **state)
{
    (void)state;
    struct reverse_a2a_memory *memory;
    size_t mine = 1000 * (size_t)(world_rank() + 1), largest = 1000 * (size_t)world_ranks();
    int result = reverse_a2a_memory_create(MPI_COMM_WORLD, mine, NULL, &memory);
    assert_everywhere(MPI_COMM_WORLD, result == 0 && reverse_a2a_memory_size(memory) == largest);
    reverse_a2a_memory_destroy(memory);
}

static void impossible_memories_are_refused_on_all_ranks(void **state)
{
    (void)state;
    struct reverse_a2a_memory *memory;
    size_t mine = world_rank() == 0 ? SIZE_MAX : 100; /* on one rank only */
    int result = reverse_a2a_memory_create(MPI_COMM_WORLD, mine, NULL, &memory);
    assert_everywhere(MPI_COMM_WORLD, result == REVERSE_A2A_ERROR_TOO_LARGE && memory == NULL);
    assert_int_equal(reverse_a2a_memory_create(MPI_COMM_NULL, 1, NULL, &memory),
                     REVERSE_A2A_ERROR_ARGUMENT);
    assert_int_equal(reverse_a2a_memory_create(MPI_COMM_WORLD, 1, NULL, NULL),
                     REVERSE_A2A_ERROR_ARGUMENT);
}

static void reference_errors_agree_and_bad_buffers_hang_nobody(void **state)
{
    (void)state;
    struct reverse_a2a_reference *reference;
    struct reverse_a2a_shape mine = shape;
    if (world_rank() == world_ranks() - 1)
        mine.element_size = 5;
    int result = reverse_a2a_reference_create(MPI_COMM_WORLD, &mine, &reference);
    assert_everywhere(MPI_COMM_WORLD, result == REVERSE_A2A_ERROR_SHAPE && reference == NULL);

    result = reverse_a2a_reference_create(MPI_COMM_WORLD, &shape, &reference);
    assert_everywhere(MPI_COMM_WORLD, result == REVERSE_A2A_OK);
    struct problem problem;
    problem_create(&problem, &shape, world_ranks(), world_rank(), 0);
    problem_fill(&problem, 1);
    bool culprit = world_rank() == 0;
    result = reverse_a2a_reference_execute(reference, culprit ? NULL : problem.in, problem.out);
    assert_everywhere(MPI_COMM_WORLD, result == (culprit ? REVERSE_A2A_ERROR_ARGUMENT : 0));
    problem_fill(&problem, 2);
    result = reverse_a2a_reference_execute(reference, problem.in, problem.out);
    assert_everywhere(MPI_COMM_WORLD, result == 0 && problem_check(&problem, 2, "reference"));
    problem_destroy(&problem);
    reverse_a2a_reference_destroy(reference);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_buffers_on_one_rank_fail_everywhere_and_the_next_call_works),
        cmocka_unit_test(faults_in_consecutive_calls_are_told_apart),
        cmocka_unit_test(bad_buffers_on_all_ranks_are_each_told_their_own_error),
        cmocka_unit_test(neighbouring_arrays_do_not_overlap),
        cmocka_unit_test(an_absent_rank_ends_the_wait_and_breaks_the_memory),
        cmocka_unit_test(a_broken_memory_works_again_after_recovery),
        cmocka_unit_test(a_rank_late_within_the_limit_is_waited_for),
        cmocka_unit_test(plans_are_refused_with_a_reason),
        cmocka_unit_test(the_largest_size_that_a_rank_asks_for_holds_everywhere),
        cmocka_unit_test(impossible_memories_are_refused_on_all_ranks),
        cmocka_unit_test(reference_errors_agree_and_bad_buffers_hang_nobody),
    };
    return finish_tests(cmocka_run_group_tests(tests, create_shared, destroy_shared));
}
