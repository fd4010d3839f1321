/* See clock.h. */
#include "clock.h"

#include <time.h>

double clock_now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static int start(void *self)
{
    *(double *)self = clock_now();
    return 0;
}

static int stop(void *self, double *seconds)
{
    *seconds = clock_now() - *(const double *)self;
    return 0;
}

const tutti_timer_ops clock_timer = {
    .size = sizeof clock_timer,
    .name = "monotonic clock",
    .start = start,
    .stop = stop,
};
