/* See steady.h. */
#include "steady.h"

#include <stdlib.h>

#define LAUNCHES 5 /* back to back, in each sample */

int device_launch_choice(struct device *device, const struct device_contender *self)
{
    return device_launch(device, self->choice);
}

static bool verify_all(struct device *device, struct device_contender *contenders, int count)
{
    for (int i = 0; i < count; i++) {
        const bool poisoned = device_poison(device);
        const int result = contenders[i].launch(device, &contenders[i]);
        if (!device_verify(device, contenders[i].name,
                           poisoned ? result : REVERSE_A2A_ERROR_DEVICE))
            return false;
    }
    return true;
}

/* Seconds of one launch; the last failure in *failure. */
static double time_launches(struct device *device, const struct device_contender *contender,
                            int *failure)
{
    float milliseconds = 0;
    int result = contender->launch(device, contender);
    cudaError_t error = cudaEventRecord(device->begun, device->stream);
    for (int i = 0; i < LAUNCHES; i++) {
        const int launched = contender->launch(device, contender);
        result = launched ? launched : result;
    }
    if (error == cudaSuccess)
        error = cudaEventRecord(device->ended, device->stream);
    if (error == cudaSuccess)
        error = cudaStreamSynchronize(device->stream);
    if (error == cudaSuccess)
        error = cudaEventElapsedTime(&milliseconds, device->begun, device->ended);
    if (error != cudaSuccess)
        result = REVERSE_A2A_ERROR_DEVICE;
    *failure = result ? result : *failure;
    return 1e-3 * (double)milliseconds / LAUNCHES;
}

/* One sample of each; the one that begins changes. */
static int run_round(struct device *device, struct device_contender *contenders, int count,
                     int round, double *times)
{
    int failure = 0;
    for (int turn = 0; turn < count; turn++) {
        const int i = (turn + round) % count;
        team_barrier(&device->problem->team);
        times[i] = time_launches(device, &contenders[i], &failure);
    }
    return failure;
}

/* samples: room for all contenders; `one`: for one of them. */
static bool measure(struct device *device, const struct job *job,
                    struct device_contender *contenders, int count, double *samples, double *one)
{
    const int iterations = job->iterations;
    int failure = 0;
    for (int round = -job->warmups; round < iterations; round++) {
        double *times = samples + (size_t)count * (size_t)(round < 0 ? 0 : round);
        const int result = run_round(device, contenders, count, round + job->warmups, times);
        failure = result ? result : failure;
    }
    team_maximum(&device->problem->team, samples, count * iterations);
    for (int i = 0; i < count; i++) {
        for (int round = 0; round < iterations; round++)
            one[round] = samples[(size_t)count * (size_t)round + (size_t)i];
        contenders[i].seconds = statistics_of(one, (size_t)iterations);
    }
    return team_agree(&device->problem->team, !failure, "%s: the steady state: %s",
                      device->problem->name, reverse_a2a_strerror(failure));
}

bool device_steady_state(struct device *device, const struct job *job,
                         struct device_contender *contenders, int count)
{
    const struct problem *problem = device->problem;
    if (!verify_all(device, contenders, count))
        return false;
    const size_t iterations = (size_t)job->iterations;
    double *samples = calloc(((size_t)count + 1) * iterations, sizeof *samples);
    bool good = team_agree(&problem->team, samples, "%s: no memory for the times", problem->name);
    if (good)
        good =
            measure(device, job, contenders, count, samples, samples + (size_t)count * iterations);
    free(samples);
    return good;
}
