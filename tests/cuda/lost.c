/*
 * A job whose configuration 4 writes where no memory is, on the last rank, and so costs that rank's
 * device. For lost_device_is_skipped.sh; the exit status is 5 if the call says so.
 *
 *     lost POLICY     exhaustive or race
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>
#include <mpi.h>

#include <tutti/mpi.h>

#include "device.h"
#include "kernels.h"

static int harm(struct device_launcher *launcher, uint64_t configuration)
{
    return configuration == launcher->at ? (int)write_nowhere(launcher->stream) : 0;
}

static void print_report(tutti_tuner *tuner, tutti_group *group)
{
    tutti_report report = {.size = sizeof report};
    if (tutti_report_get(tuner, NULL, group, &report))
        return;
    printf("configuration=%d\n", (int)report.configuration);
    for (size_t i = 0; i < report.ntrials; i++)
        printf("trial %d: %s, %s\n", (int)i, tutti_status_name(report.trials[i].status),
               report.trials[i].reason);
}

static int tune(int rank, int ranks, int policy)
{
    struct device_launcher launcher;
    tutti_cuda_timer *timer;
    tutti_tuner *tuner;
    tutti_group *group;
    int devices;
    device_check(cudaGetDeviceCount(&devices));
    device_check(cudaSetDevice(rank % devices));
    device_open(&launcher);
    launcher.inside = harm;
    launcher.at = rank == ranks - 1 ? 4 : UINT64_MAX;
    tutti_tuner_desc desc = device_desc("lost", &launcher, NULL);
    desc.policy = policy;
    if (tutti_cuda_timer_create(launcher.stream, &timer, NULL, 0))
        return 1;
    desc.timer_self = timer;
    if (tutti_tuner_create(&desc, &tuner) || tutti_group_create_mpi(MPI_COMM_WORLD, &group))
        return 1;
    const int status = tutti_call(tuner, NULL, group, NULL);
    if (status)
        printf("rank %d: %s\n", rank, tutti_message(tuner, group));
    /* Where the device is lost, the next call says so at once. */
    if (status == TUTTI_ERR_DEVICE) {
        tutti_call(tuner, NULL, group, NULL);
        printf("rank %d, again: %s\n", rank, tutti_message(tuner, group));
    }
    if (rank == 0)
        print_report(tuner, group);
    tutti_tuner_destroy(tuner);
    tutti_group_release(group);
    tutti_cuda_timer_destroy(timer);
    device_close(&launcher);
    return status == TUTTI_ERR_DEVICE ? 5 : status ? 1 : 0;
}

int main(int argc, char **argv)
{
    int rank, ranks;
    const bool race = argc > 1 && strcmp(argv[1], "race") == 0;
    device_need(1);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const int status = tune(rank, ranks, race ? TUTTI_POLICY_RACE : TUTTI_POLICY_EXHAUSTIVE);
    MPI_Finalize();
    return status;
}
