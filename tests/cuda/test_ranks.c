/* The device timer with real ranks, each on a device of its own where there are enough. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <mpi.h>

#include <tutti/mpi.h>

#include "device.h"
#include "subject.h"

static int rank, ranks;
static int last; /* the rank on which things differ */

struct fixture {
    char directory[256];
    struct device_launcher launcher;
    tutti_cuda_timer *timer;
    tutti_tuner *tuner;
    tutti_group *group;
};

static int setup(void **state)
{
    struct fixture *fixture = calloc(1, sizeof *fixture);
    int devices;
    if (rank == 0)
        subject_make_directory(fixture->directory);
    MPI_Bcast(fixture->directory, sizeof fixture->directory, MPI_CHAR, 0, MPI_COMM_WORLD);
    subject_use_store(fixture->directory);
    device_check(cudaGetDeviceCount(&devices));
    device_check(cudaSetDevice(rank % devices));
    device_open(&fixture->launcher);
    assert_int_equal(tutti_cuda_timer_create(fixture->launcher.stream, &fixture->timer, NULL, 0),
                     TUTTI_SUCCESS);
    const tutti_tuner_desc desc = device_desc("ranks", &fixture->launcher, fixture->timer);
    assert_int_equal(tutti_tuner_create(&desc, &fixture->tuner), TUTTI_SUCCESS);
    assert_int_equal(tutti_group_create_mpi(MPI_COMM_WORLD, &fixture->group), TUTTI_SUCCESS);
    *state = fixture;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *fixture = *state;
    tutti_tuner_destroy(fixture->tuner);
    tutti_group_release(fixture->group);
    tutti_cuda_timer_destroy(fixture->timer);
    device_close(&fixture->launcher);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        subject_remove_directory(fixture->directory);
    free(fixture);
    return 0;
}

static void expect_choice(struct fixture *fixture, int source, uint64_t configuration)
{
    tutti_report report = {.size = sizeof report};
    const int status = tutti_call(fixture->tuner, NULL, fixture->group, NULL);
    if (status)
        fail_msg("%s: %s", tutti_strerror(status), tutti_message(fixture->tuner, fixture->group));
    assert_int_equal(tutti_report_get(fixture->tuner, NULL, fixture->group, &report),
                     TUTTI_SUCCESS);
    assert_string_equal(tutti_source_name(report.source), tutti_source_name(source));
    assert_int_equal(report.configuration, configuration);
}

/* 3 is the fastest everywhere else; on the last rank it is the slowest of all. */
static void the_slowest_ranks_device_decides(void **state)
{
    struct fixture *fixture = *state;
    tutti_report report = {.size = sizeof report};
    fixture->launcher.nanoseconds[5] = 200000;
    if (rank == last && ranks > 1)
        fixture->launcher.nanoseconds[3] = 4000000;
    expect_choice(fixture, TUTTI_SOURCE_SEARCH, ranks > 1 ? 5 : 3);
    assert_int_equal(tutti_report_get(fixture->tuner, NULL, fixture->group, &report),
                     TUTTI_SUCCESS);
    assert_true(ranks == 1 || report.trials[3].seconds > 0.98 * 4e-3);
}

static void a_capture_on_one_rank_keeps_all_from_searching(void **state)
{
    struct fixture *fixture = *state;
    cudaGraph_t graph = NULL;
    for (int i = 0; i < 2; i++) {
        if (rank == last)
            device_check(
                cudaStreamBeginCapture(fixture->launcher.stream, cudaStreamCaptureModeGlobal));
        expect_choice(fixture, TUTTI_SOURCE_DEFAULT_BUSY, 0);
        assert_int_equal(fixture->launcher.runs, i + 1);
        if (rank == last) {
            device_check(cudaStreamEndCapture(fixture->launcher.stream, &graph));
            device_check(cudaGraphDestroy(graph));
        }
    }
    expect_choice(fixture, TUTTI_SOURCE_SEARCH, 3);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        TEST(the_slowest_ranks_device_decides),
        TEST(a_capture_on_one_rank_keeps_all_from_searching),
    };
    device_need(1);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    last = ranks - 1;
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    /* A failed assertion leaves the other ranks in an operation: end them, don't wait for them. */
    if (failed)
        MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Finalize();
    return failed;
}
