/* Communicators other than the world, and several memories at once, do not know of each other. */
#include "problem.h"

static const struct reverse_a2a_shape shape = {.s = 5, .h = 2, .d = 4, .element_size = 8};
static const struct reverse_a2a_config config = {2, 4, 2};

static bool create(MPI_Comm comm, struct reverse_a2a_memory **memory)
{
    int ranks;
    size_t bytes;
    MPI_Comm_size(comm, &ranks);
    return reverse_a2a_memory_bytes(&shape, &config, ranks, &bytes) == 0 &&
           reverse_a2a_memory_create(comm, bytes, NULL, memory) == 0;
}

static void halves_of_the_world_in_reverse_order_work_at_the_same_time(void **state)
{
    (void)state;
    MPI_Comm half;
    int rank, odd = world_rank() % 2;
    MPI_Comm_split(MPI_COMM_WORLD, odd, -world_rank(), &half);
    MPI_Comm_rank(half, &rank);
    struct reverse_a2a_memory *memory;
    bool right = create(half, &memory);
    assert_everywhere(MPI_COMM_WORLD, right);
    for (int i = 0; i < (odd ? 30 : 50); i++)
        right &= run_case(memory, rank, &shape, &config, 0);
    assert_everywhere(MPI_COMM_WORLD, right);
    reverse_a2a_memory_destroy(memory);
    MPI_Comm_free(&half);
}

static void ranks_outside_the_group_need_not_take_part(void **state)
{
    (void)state;
    MPI_Comm group;
    int rank, outside = world_rank() == 0 && world_ranks() > 1;
    MPI_Comm_split(MPI_COMM_WORLD, outside ? MPI_UNDEFINED : 0, 0, &group);
    bool right = true;
    if (!outside) {
        struct reverse_a2a_memory *memory;
        MPI_Comm_rank(group, &rank);
        right = create(group, &memory) && run_case(memory, rank, &shape, &config, 0);
        reverse_a2a_memory_destroy(memory);
        MPI_Comm_free(&group);
    }
    assert_everywhere(MPI_COMM_WORLD, right);
}

static void every_rank_alone_works(void **state)
{
    (void)state;
    struct reverse_a2a_memory *memory;
    bool right = create(MPI_COMM_SELF, &memory) && run_case(memory, 0, &shape, &config, 0);
    assert_everywhere(MPI_COMM_WORLD, right);
    reverse_a2a_memory_destroy(memory);
}

static void two_memories_of_one_communicator_take_turns(void **state)
{
    (void)state;
    struct reverse_a2a_memory *memories[2];
    bool right = create(MPI_COMM_WORLD, &memories[0]) && create(MPI_COMM_WORLD, &memories[1]);
    assert_everywhere(MPI_COMM_WORLD, right);
    for (int i = 0; i < 50; i++)
        right &= run_case(memories[i % 3 == 0], world_rank(), &shape, &config, 0);
    assert_everywhere(MPI_COMM_WORLD, right);
    reverse_a2a_memory_destroy(memories[0]);
    reverse_a2a_memory_destroy(memories[1]);
}

static void the_communicator_may_be_freed_after_creation(void **state)
{
    (void)state;
    MPI_Comm passing;
    MPI_Comm_dup(MPI_COMM_WORLD, &passing);
    struct reverse_a2a_memory *memory;
    bool right = create(passing, &memory);
    MPI_Comm_free(&passing);
    right = right && run_case(memory, world_rank(), &shape, &config, 0);
    assert_everywhere(MPI_COMM_WORLD, right);
    reverse_a2a_memory_destroy(memory);
}

/* A shape that was made for the world does not fit a part of it. */
static void a_shape_for_another_number_of_ranks_is_refused(void **state)
{
    (void)state;
    struct reverse_a2a_memory *memory;
    assert_everywhere(MPI_COMM_WORLD, create(MPI_COMM_SELF, &memory));
    struct reverse_a2a_shape for_world = shape;
    for_world.ranks = world_ranks();
    struct reverse_a2a_plan *plan;
    int result = reverse_a2a_plan_create(memory, &for_world, &config, &plan);
    int expected = world_ranks() == 1 ? REVERSE_A2A_OK : REVERSE_A2A_ERROR_RANKS;
    assert_int_equal(result, expected);
    reverse_a2a_plan_destroy(plan);
    reverse_a2a_memory_destroy(memory);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(halves_of_the_world_in_reverse_order_work_at_the_same_time),
        cmocka_unit_test(ranks_outside_the_group_need_not_take_part),
        cmocka_unit_test(every_rank_alone_works),
        cmocka_unit_test(two_memories_of_one_communicator_take_turns),
        cmocka_unit_test(the_communicator_may_be_freed_after_creation),
        cmocka_unit_test(a_shape_for_another_number_of_ranks_is_refused),
    };
    return finish_tests(cmocka_run_group_tests(tests, NULL, NULL));
}
