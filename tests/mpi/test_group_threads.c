/* Two threads of each rank, each with a group of its own, at MPI_THREAD_MULTIPLE. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>
#include <mpi.h>
#include <pthread.h>

#include <tutti/error.h>
#include <tutti/mpi.h>

#include "group.h"

enum { THREADS = 2, ROUNDS = 200, SKIPPED = 77 };

static int rank, ranks;

struct worker {
    pthread_t thread;
    MPI_Comm comm;
    int number;
    int mistakes;
};

static void *work(void *argument)
{
    struct worker *worker = argument;
    tutti_group *group;
    worker->mistakes += tutti_group_create_mpi(worker->comm, &group) != TUTTI_SUCCESS;
    for (uint64_t round = 0; round < ROUNDS && !worker->mistakes; round++) {
        uint64_t words[2] = {round, (uint64_t)(rank + 1000 * worker->number)};
        worker->mistakes += group_reduce_max(group, words, 2, "test", NULL) != TUTTI_SUCCESS;
        worker->mistakes += words[0] != round;
        worker->mistakes += words[1] != (uint64_t)(ranks - 1 + 1000 * worker->number);
    }
    tutti_group_release(group);
    return NULL;
}

static void groups_of_different_threads_work_at_once(void **state)
{
    struct worker workers[THREADS] = {0};
    (void)state;
    for (int i = 0; i < THREADS; i++) {
        workers[i].number = i;
        MPI_Comm_dup(MPI_COMM_WORLD, &workers[i].comm);
    }
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&workers[i].thread, NULL, work, &workers[i]), 0);
    for (int i = 0; i < THREADS; i++) {
        pthread_join(workers[i].thread, NULL);
        assert_int_equal(workers[i].mistakes, 0);
        MPI_Comm_free(&workers[i].comm);
    }
}

int main(int argc, char **argv)
{
    int provided;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int failures = SKIPPED;
    if (provided == MPI_THREAD_MULTIPLE) {
        const struct CMUnitTest tests[] = {
            cmocka_unit_test(groups_of_different_threads_work_at_once)};
        failures = cmocka_run_group_tests(tests, NULL, NULL);
    }
    MPI_Finalize();
    return failures;
}
