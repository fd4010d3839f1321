/*
 * Groups that the user forgets: MPI_Finalize finds them, frees their communicators, and what comes
 * later is harmless. What makes and frees communicators is counted on its way to MPI.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>
#include <mpi.h>

#include <tutti/error.h>
#include <tutti/mpi.h>

#include "group.h"

enum { FORGOTTEN = 3 };

static int rank, ranks;
static int communicators; /* that tutti made and has not freed */
static tutti_group *forgotten[FORGOTTEN], *outsider;

int MPI_Comm_dup(MPI_Comm comm, MPI_Comm *copy)
{
    communicators++;
    return PMPI_Comm_dup(comm, copy);
}

int MPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm *part)
{
    communicators++;
    return PMPI_Comm_split_type(comm, type, key, info, part);
}

int MPI_Comm_free(MPI_Comm *comm)
{
    communicators--;
    return PMPI_Comm_free(comm);
}

static void a_released_group_frees_its_communicator(void **state)
{
    tutti_group *group;
    (void)state;
    assert_int_equal(communicators, 0);
    assert_int_equal(tutti_group_create_mpi(MPI_COMM_WORLD, &group), TUTTI_SUCCESS);
    assert_int_equal(communicators, 1);
    tutti_group_retain(group);
    tutti_group_release(group);
    assert_int_equal(communicators, 1);
    tutti_group_release(group);
    assert_int_equal(communicators, 0);
}

static void a_creation_that_fails_leaves_nothing(void **state)
{
    (void)state;
    assert_int_equal(tutti_group_create_mpi(MPI_COMM_WORLD, NULL), TUTTI_ERR_ARGUMENT);
    assert_int_equal(communicators, 0);
}

static void groups_are_forgotten(void **state)
{
    (void)state;
    for (int i = 0; i < FORGOTTEN; i++) {
        assert_int_equal(tutti_group_create_mpi(MPI_COMM_WORLD, &forgotten[i]), TUTTI_SUCCESS);
        assert_int_equal(group_barrier(forgotten[i], "test", NULL), TUTTI_SUCCESS);
    }
    if (rank == 0)
        assert_int_equal(tutti_group_create_mpi(MPI_COMM_SELF, &outsider), TUTTI_SUCCESS);
}

/* After MPI_Finalize */

static void finalize_frees_what_was_forgotten(void **state)
{
    (void)state;
    assert_int_equal(communicators, 0);
}

static void a_forgotten_group_fails_and_then_says_that_it_is_broken(void **state)
{
    uint64_t word = 0;
    (void)state;
    for (int i = 0; i < FORGOTTEN; i++) {
        const int error = group_reduce_max(forgotten[i], &word, 1, "test", NULL);
        assert_int_equal(error, TUTTI_ERR_GROUP);
        assert_int_equal(group_broadcast(forgotten[i], &word, sizeof word, 0, "test", NULL),
                         TUTTI_ERR_BROKEN);
    }
}

static void releasing_it_late_is_harmless(void **state)
{
    (void)state;
    for (int i = 0; i < FORGOTTEN; i++)
        tutti_group_release(forgotten[i]);
    tutti_group_release(outsider); /* never used after MPI_Finalize, and NULL on most ranks */
}

static void no_group_can_be_made_any_more(void **state)
{
    tutti_group *group;
    (void)state;
    assert_int_equal(tutti_group_create_mpi(MPI_COMM_WORLD, &group), TUTTI_ERR_ARGUMENT);
    assert_null(group);
}

static void no_group_can_be_made_yet(void **state)
{
    tutti_group *group;
    (void)state;
    assert_int_equal(tutti_group_create_mpi(MPI_COMM_WORLD, &group), TUTTI_ERR_ARGUMENT);
    assert_null(group);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest before[] = {cmocka_unit_test(no_group_can_be_made_yet)};
    const struct CMUnitTest during[] = {
        cmocka_unit_test(a_released_group_frees_its_communicator),
        cmocka_unit_test(a_creation_that_fails_leaves_nothing),
        cmocka_unit_test(groups_are_forgotten),
    };
    const struct CMUnitTest after[] = {
        cmocka_unit_test(finalize_frees_what_was_forgotten),
        cmocka_unit_test(a_forgotten_group_fails_and_then_says_that_it_is_broken),
        cmocka_unit_test(releasing_it_late_is_harmless),
        cmocka_unit_test(no_group_can_be_made_any_more),
    };
    int failures = cmocka_run_group_tests(before, NULL, NULL);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    failures += cmocka_run_group_tests(during, NULL, NULL);
    MPI_Finalize();
    failures += cmocka_run_group_tests(after, NULL, NULL);
    return failures;
}
