/* See steady.h. */
#include "steady.h"

#include <stdlib.h>
#include <time.h>

int launch_reference(struct problem *problem, const struct contender *self)
{
    (void)self;
    return reverse_a2a_reference_execute(problem->reference, problem->tensors.a,
                                         problem->tensors.c);
}

int launch_blocks(struct problem *problem, const struct contender *self)
{
    return problem_launch(problem, self->blocks);
}

static bool same_blocks(const struct contender *one, const struct contender *two)
{
    return one->blocks && two->blocks && blocks_equal(one->blocks, two->blocks);
}

/* The first contender with the same blocks. Measuring it again would report noise as a gain. */
static int stand_in(const struct contender *contenders, int index)
{
    int first = 0;
    while (first < index && !same_blocks(&contenders[first], &contenders[index]))
        first++;
    return first;
}

static bool verify_all(struct problem *problem, struct contender *contenders, int count)
{
    for (int i = 0; i < count; i++) {
        tensors_poison(&problem->tensors);
        const int result = contenders[i].launch(problem, &contenders[i]);
        if (!problem_verify(problem, contenders[i].name, result))
            return false;
    }
    return true;
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* One launch of each; the one that begins changes, since the first finds the caches as the last
 * left them. times: one for each contender. Returns the last failure. */
static int run_round(struct problem *problem, struct contender *contenders, int count, int round,
                     double *times)
{
    int failure = 0;
    for (int turn = 0; turn < count; turn++) {
        const int i = (turn + round) % count;
        if (stand_in(contenders, i) != i)
            continue;
        team_barrier(&problem->team);
        const double begin = now();
        const int result = contenders[i].launch(problem, &contenders[i]);
        times[i] = now() - begin;
        failure = result ? result : failure;
    }
    return failure;
}

/* samples: room for all contenders; `one`: for one of them. */
static bool measure(struct problem *problem, const struct job *job, struct contender *contenders,
                    int count, double *samples, double *one)
{
    const int iterations = job->iterations;
    int failure = 0;
    for (int round = -job->warmups; round < iterations; round++) {
        double *times = samples + (size_t)count * (size_t)(round < 0 ? 0 : round);
        const int result = run_round(problem, contenders, count, round + job->warmups, times);
        failure = result ? result : failure;
    }
    team_maximum(&problem->team, samples, count * iterations);
    for (int i = 0; i < count; i++) {
        const int source = stand_in(contenders, i);
        for (int round = 0; round < iterations; round++)
            one[round] = samples[(size_t)count * (size_t)round + (size_t)source];
        contenders[i].seconds = statistics_of(one, (size_t)iterations);
    }
    return team_agree(&problem->team, !failure, "%s: the steady state: %s", problem->name,
                      reverse_a2a_strerror(failure));
}

bool steady_state(struct problem *problem, const struct job *job, struct contender *contenders,
                  int count)
{
    if (!verify_all(problem, contenders, count))
        return false;
    const size_t iterations = (size_t)job->iterations;
    double *samples = calloc(((size_t)count + 1) * iterations, sizeof *samples);
    bool good = team_agree(&problem->team, samples, "%s: no memory for the times", problem->name);
    if (good)
        good =
            measure(problem, job, contenders, count, samples, samples + (size_t)count * iterations);
    free(samples);
    return good;
}
