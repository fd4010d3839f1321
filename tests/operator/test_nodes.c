/* A communicator whose ranks are on several nodes is refused on all of them; parts on one node
 * work. */
#include "problem.h"

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

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    int here;
    MPI_Comm_size(node, &here);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_communicator_over_two_nodes_is_refused_everywhere),
        cmocka_unit_test(the_ranks_of_one_node_are_accepted),
    };
    int failed = here < world_ranks() ? cmocka_run_group_tests(tests, NULL, NULL) : 0;
    bool skipped = here == world_ranks();
    MPI_Comm_free(&node);
    int status = finish_tests(failed);
    return skipped ? SKIPPED : status;
}
