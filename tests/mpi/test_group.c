/* Groups over MPI: what operations give, on any number of ranks, beside other traffic. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <mpi.h>

#include <tutti/error.h>
#include <tutti/mpi.h>

#include "group.h"

static int rank, ranks;

static tutti_group *make_group(MPI_Comm comm)
{
    tutti_group *group = NULL;
    assert_int_equal(tutti_group_create_mpi(comm, &group), TUTTI_SUCCESS);
    return group;
}

/* A value that each rank knows of each other. */
static uint64_t value_of(int owner, size_t index)
{
    return ((uint64_t)owner * 2654435761u + index * 40503u) % 1000003u;
}

static void assert_maximum(tutti_group *group, size_t n)
{
    uint64_t *words = calloc(n + 1, sizeof *words);
    assert_non_null(words);
    for (size_t i = 0; i < n; i++)
        words[i] = value_of(tutti_group_rank(group), i);
    words[n] = 4711; /* a guard */
    assert_int_equal(group_reduce_max(group, words, n, "test", NULL), TUTTI_SUCCESS);
    for (size_t i = 0; i < n; i++) {
        uint64_t expected = 0;
        for (int owner = 0; owner < tutti_group_ranks(group); owner++) {
            const uint64_t value = value_of(owner, i);
            expected = value > expected ? value : expected;
        }
        assert_true(words[i] == expected);
    }
    assert_true(words[n] == 4711);
    free(words);
}

static void the_group_is_described(void **state)
{
    tutti_group *group = make_group(MPI_COMM_WORLD);
    char alone[32];
    (void)state;
    assert_int_equal(tutti_group_rank(group), rank);
    assert_int_equal(tutti_group_ranks(group), ranks);
    assert_string_equal(group->ops.kind, "mpi");
    snprintf(alone, sizeof alone, "%d", ranks); /* tests run on one node */
    assert_string_equal(group->placement, alone);
    assert_true(strncmp(group->transport, "Open MPI v", 10) == 0 ||
                strncmp(group->transport, "MPICH ", 6) == 0);
    assert_null(strpbrk(group->transport, ",\n\t:"));
    tutti_group_release(group);
}

static void vectors_of_any_length_become_the_maximum(void **state)
{
    static const size_t lengths[] = {0, 1, 2, 511, 8191, 8192, 8193, 100000};
    tutti_group *group = make_group(MPI_COMM_WORLD);
    (void)state;
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++)
        assert_maximum(group, lengths[i]);
    tutti_group_release(group);
}

static void the_greatest_word_is_the_maximum(void **state)
{
    tutti_group *group = make_group(MPI_COMM_WORLD);
    uint64_t words[2] = {rank == ranks - 1 ? UINT64_MAX : 5, (uint64_t)INT64_MAX + (unsigned)rank};
    (void)state;
    assert_int_equal(group_reduce_max(group, words, 2, "test", NULL), TUTTI_SUCCESS);
    assert_true(words[0] == UINT64_MAX);
    assert_true(words[1] == (uint64_t)INT64_MAX + (unsigned)ranks - 1);
    tutti_group_release(group);
}

static void every_rank_can_broadcast(void **state)
{
    static const size_t lengths[] = {1, 7, 65535, 65536, 65537, 1000000};
    tutti_group *group = make_group(MPI_COMM_WORLD);
    unsigned char *bytes = malloc(1000000);
    assert_non_null(bytes);
    (void)state;
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        const int root = (int)i % ranks;
        memset(bytes, rank == root ? 1 + root : 255, lengths[i]);
        const int error = group_broadcast(group, bytes, lengths[i], root, "test", NULL);
        assert_int_equal(error, TUTTI_SUCCESS);
        for (size_t at = 0; at < lengths[i]; at++)
            assert_int_equal(bytes[at], 1 + root);
    }
    free(bytes);
    tutti_group_release(group);
}

static void texts_are_broadcast(void **state)
{
    tutti_group *group = make_group(MPI_COMM_WORLD);
    (void)state;
    for (int length = 0; length < 200000; length = 3 * length + 1) {
        struct text text = {0};
        text_add(&text, rank == ranks - 1 ? "%*s" : "an old text", length, "");
        const int error = group_broadcast_text(group, &text, ranks - 1, "test", NULL);
        assert_int_equal(error, TUTTI_SUCCESS);
        assert_int_equal(text.length, length);
        assert_int_equal(strspn(text.bytes, " "), length);
        assert_int_equal(text.bytes[length], '\0');
        text_release(&text);
    }
    tutti_group_release(group);
}

/* A rank that has only half of the text must not leave the others alone. */
static void half_a_text_is_the_same_error_everywhere(void **state)
{
    tutti_group *group = make_group(MPI_COMM_WORLD);
    struct text text = {0}, why = {0};
    (void)state;
    text_add(&text, "half");
    text.failed = rank == 0;
    assert_int_equal(group_broadcast_text(group, &text, 0, "test", &why), TUTTI_ERR_MEMORY);
    assert_non_null(why.bytes);
    assert_int_equal(group_barrier(group, "test", NULL), TUTTI_SUCCESS);
    text_release(&text);
    text_release(&why);
    tutti_group_release(group);
}

static void a_barrier_holds_until_all_have_come(void **state)
{
    tutti_group *group = make_group(MPI_COMM_WORLD);
    int counter = 0, *shared;
    MPI_Win window;
    (void)state;
    MPI_Win_allocate_shared(rank == 0 ? (MPI_Aint)sizeof counter : 0, sizeof counter, MPI_INFO_NULL,
                            MPI_COMM_WORLD, &shared, &window);
    MPI_Aint size;
    int unit;
    MPI_Win_shared_query(window, 0, &size, &unit, &shared);
    *shared = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    for (int round = 1; round <= 20; round++) {
        __atomic_add_fetch(shared, 1, __ATOMIC_SEQ_CST);
        assert_int_equal(group_barrier(group, "test", NULL), TUTTI_SUCCESS);
        assert_true(__atomic_load_n(shared, __ATOMIC_SEQ_CST) >= round * ranks);
    }
    MPI_Win_free(&window);
    tutti_group_release(group);
}

static void operations_are_counted_alike(void **state)
{
    tutti_group *group = make_group(MPI_COMM_WORLD);
    uint64_t words[2] = {0};
    struct text text = {0};
    (void)state;
    group_barrier(group, "test", NULL);
    group_reduce_max(group, words, 2, "test", NULL);
    text_add(&text, "%s", rank == 0 ? "some text" : "");
    group_broadcast_text(group, &text, 0, "test", NULL);
    words[0] = group->operations;
    words[1] = ~group->operations;
    assert_int_equal(group->operations, 5);
    assert_int_equal(group_reduce_max(group, words, 2, "test", NULL), TUTTI_SUCCESS);
    assert_true(words[0] == ~words[1]);
    text_release(&text);
    tutti_group_release(group);
}

/* A7: only the group's ranks take part; the others may do anything meanwhile. */
static void groups_of_some_ranks_do_not_disturb_each_other(void **state)
{
    MPI_Comm half;
    (void)state;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half);
    tutti_group *group = make_group(half);
    const int rounds = rank % 2 ? 50 : 20; /* one half makes more operations than the other */
    for (int round = 0; round < rounds; round++)
        assert_maximum(group, (size_t)round);
    int members;
    MPI_Comm_size(half, &members);
    assert_int_equal(tutti_group_ranks(group), members);
    tutti_group_release(group);
    MPI_Comm_free(&half);
}

static void the_ranks_outside_of_a_group_may_be_idle(void **state)
{
    MPI_Comm pair;
    (void)state;
    MPI_Comm_split(MPI_COMM_WORLD, rank < 2 ? 0 : MPI_UNDEFINED, rank, &pair);
    if (pair != MPI_COMM_NULL) {
        tutti_group *group = make_group(pair);
        for (int round = 0; round < 20; round++)
            assert_maximum(group, 10);
        tutti_group_release(group);
        MPI_Comm_free(&pair);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

/* P3: messages of the user's, with any source and any tag, on the very same communicator. */
static void the_users_own_traffic_is_left_alone(void **state)
{
    tutti_group *group = make_group(MPI_COMM_WORLD);
    const int next = (rank + 1) % ranks, previous = (rank + ranks - 1) % ranks;
    (void)state;
    for (int tag = 0; tag < 10; tag++) {
        int sent = 100 * rank + tag, received = -1, total = -1;
        MPI_Request requests[3];
        MPI_Irecv(&received, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, requests);
        MPI_Iallreduce(&tag, &total, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &requests[1]);
        assert_maximum(group, 100);
        MPI_Isend(&sent, 1, MPI_INT, next, tag, MPI_COMM_WORLD, &requests[2]);
        assert_maximum(group, 10);
        for (int i = 0; i < 3; i++)
            MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
        assert_int_equal(received, 100 * previous + tag);
        assert_int_equal(total, tag * ranks);
    }
    tutti_group_release(group);
}

static void the_users_error_handler_is_left_alone(void **state)
{
    MPI_Errhandler before, after;
    (void)state;
    MPI_Comm_get_errhandler(MPI_COMM_WORLD, &before);
    tutti_group *group = make_group(MPI_COMM_WORLD);
    MPI_Comm_get_errhandler(MPI_COMM_WORLD, &after);
    assert_true(before == after);
    assert_true(after == MPI_ERRORS_ARE_FATAL);
    tutti_group_release(group);
    MPI_Errhandler_free(&before);
    MPI_Errhandler_free(&after);
}

/* An error of MPI's comes back as an error, and does not end the job. */
static void errors_of_the_transport_are_returned(void **state)
{
    tutti_group *group = make_group(MPI_COMM_WORLD);
    uint64_t word = 0;
    struct text why = {0};
    (void)state;
    const int error = group_broadcast(group, &word, sizeof word, ranks + 7, "test", &why);
    assert_int_equal(error, TUTTI_ERR_GROUP);
    assert_string_equal(why.bytes, "the transport failed in test");
    assert_int_equal(group_barrier(group, "next", NULL), TUTTI_ERR_BROKEN);
    text_release(&why);
    tutti_group_release(group);
}

static void wrong_communicators_are_refused(void **state)
{
    tutti_group *group = (tutti_group *)1;
    (void)state;
    assert_int_equal(tutti_group_create_mpi(MPI_COMM_NULL, &group), TUTTI_ERR_ARGUMENT);
    assert_null(group);
    if (ranks > 1) {
        MPI_Comm half, both;
        MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
        MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, rank % 2 ? 0 : 1, 99, &both);
        assert_int_equal(tutti_group_create_mpi(both, &group), TUTTI_ERR_ARGUMENT);
        MPI_Comm_free(&both);
        MPI_Comm_free(&half);
    }
}

static void a_mistake_on_one_rank_is_the_error_of_all(void **state)
{
    tutti_group *group = NULL;
    (void)state;
    const int error = tutti_group_create_mpi(MPI_COMM_WORLD, rank == ranks - 1 ? NULL : &group);
    assert_int_equal(error, TUTTI_ERR_ARGUMENT);
    assert_null(group);
}

static void many_groups_can_be_made_one_after_another(void **state)
{
    (void)state;
    for (int i = 0; i < 20; i++) {
        tutti_group *group = make_group(MPI_COMM_WORLD);
        assert_maximum(group, 1);
        tutti_group_release(group);
    }
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_group_is_described),
        cmocka_unit_test(vectors_of_any_length_become_the_maximum),
        cmocka_unit_test(the_greatest_word_is_the_maximum),
        cmocka_unit_test(every_rank_can_broadcast),
        cmocka_unit_test(texts_are_broadcast),
        cmocka_unit_test(half_a_text_is_the_same_error_everywhere),
        cmocka_unit_test(a_barrier_holds_until_all_have_come),
        cmocka_unit_test(operations_are_counted_alike),
        cmocka_unit_test(groups_of_some_ranks_do_not_disturb_each_other),
        cmocka_unit_test(the_ranks_outside_of_a_group_may_be_idle),
        cmocka_unit_test(the_users_own_traffic_is_left_alone),
        cmocka_unit_test(the_users_error_handler_is_left_alone),
        cmocka_unit_test(errors_of_the_transport_are_returned),
        cmocka_unit_test(wrong_communicators_are_refused),
        cmocka_unit_test(a_mistake_on_one_rank_is_the_error_of_all),
        cmocka_unit_test(many_groups_can_be_made_one_after_another),
    };
    const int failures = cmocka_run_group_tests(tests, NULL, NULL);
    MPI_Finalize();
    return failures;
}
