/* A communicator whose ranks are on several nodes is refused on all of them; parts on one node
 * work. */
#include "problem.h"

#include <string.h>

#define SKIPPED 77

static MPI_Comm node;

static void a_communicator_over_two_nodes_is_refused_everywhere(void **state)
{
    (void)state;
    struct reverse_a2a_memory *memory;
    int result = reverse_a2a_memory_create(MPI_COMM_WORLD, 1000, NULL, &memory);
    assert_everywhere(MPI_COMM_WORLD, result == REVERSE_A2A_ERROR_NODES && memory == NULL);
}

static void the_ranks_of_one_node_are_accepted(void **state)
{
    (void)state;
    struct reverse_a2a_memory *memory;
    int result = reverse_a2a_memory_create(node, 1000, NULL, &memory);
    assert_everywhere(MPI_COMM_WORLD, result == REVERSE_A2A_OK);
    reverse_a2a_memory_destroy(memory);
}

/* What does not need shared memory runs, and the rest says why not. */
static void messages_cross_nodes_and_other_engines_are_refused(void **state)
{
    (void)state;
    struct reverse_a2a_memory_options options = {.across_nodes = 1};
    struct reverse_a2a_memory *memory;
    int result = reverse_a2a_memory_create(MPI_COMM_WORLD, 1000, &options, &memory);
    assert_everywhere(MPI_COMM_WORLD, result == REVERSE_A2A_OK);
    struct reverse_a2a_shape shape = {.s = 5, .h = 2, .d = 7, .element_size = 4};
    struct arena none = {.memory = memory, .rank = world_rank()};
    bool right = true;
    for (int engine = 0; engine < REVERSE_A2A_ENGINES; engine++) {
        struct reverse_a2a_choice choice = {engine, 0, 2, 8, 2, 1};
        struct reverse_a2a_plan *plan;
        if (engine == REVERSE_A2A_P2P || engine == REVERSE_A2A_REFERENCE) {
            right &= run_choice(&none, &shape, &choice, 0);
            continue;
        }
        result = reverse_a2a_plan_create_with(memory, &shape, &choice, &plan);
        right &= result == REVERSE_A2A_ERROR_NODES &&
                 strstr(reverse_a2a_memory_reason(memory), reverse_a2a_engine_string(engine));
    }
    assert_everywhere(MPI_COMM_WORLD, right);
    void *operand;
    assert_int_equal(reverse_a2a_alloc(memory, 10, &operand), REVERSE_A2A_ERROR_NODES);
    struct reverse_a2a_choice choice;
    assert_int_equal(reverse_a2a_estimate(memory, &shape, 3, &choice), REVERSE_A2A_OK);
    assert_int_equal(choice.engine, REVERSE_A2A_P2P);
    assert_everywhere(MPI_COMM_WORLD, reverse_a2a_memory_recover(memory) == REVERSE_A2A_OK);
    reverse_a2a_memory_destroy(memory);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    int here;
    MPI_Comm_size(node, &here);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_communicator_over_two_nodes_is_refused_everywhere),
        cmocka_unit_test(the_ranks_of_one_node_are_accepted),
        cmocka_unit_test(messages_cross_nodes_and_other_engines_are_refused),
    };
    int failed = here < world_ranks() ? cmocka_run_group_tests(tests, NULL, NULL) : 0;
    bool skipped = here == world_ranks();
    MPI_Comm_free(&node);
    int status = finish_tests(failed);
    return skipped ? SKIPPED : status;
}
