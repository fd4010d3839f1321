/* See sampling.h. */
#include "sampling.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <time.h>

#include <hwloc.h>

#include "group.h"
#include "statistics.h"

#define READINGS      32                 /* of the clock, to see its grain */
#define BARRIERS      9                  /* to see their skew; the median counts */
#define SWEEP_UNKNOWN ((size_t)64 << 20) /* bytes; where hwloc does not know the caches */

void measuring_text(const struct measuring *measuring, struct text *text)
{
    if (measuring->stream)
        text_add(text, ", as in a stream");
    if (measuring->flush)
        text_add(text, ", caches flushed");
    if (measuring->gap > 0) {
        text_add(text, ", gap ");
        text_add_number(text, measuring->gap);
        text_add(text, " s");
    }
}

/* The bytes of the largest cache, which is the last one before memory. */
static size_t cache_bytes(void)
{
    hwloc_topology_t topology;
    size_t bytes = 0;
    if (hwloc_topology_init(&topology) != 0)
        return SWEEP_UNKNOWN;
    if (hwloc_topology_load(topology) == 0) {
        for (int depth = hwloc_topology_get_depth(topology) - 1; depth > 0; depth--) {
            const hwloc_obj_t cache = hwloc_get_obj_by_depth(topology, depth, 0);
            if (cache && hwloc_obj_type_is_dcache(cache->type) && cache->attr->cache.size > bytes)
                bytes = (size_t)cache->attr->cache.size;
        }
    }
    hwloc_topology_destroy(topology);
    return bytes > 0 ? bytes : SWEEP_UNKNOWN;
}

int sampling_init(struct sampling *sampling, const struct measuring *how,
                  const tutti_timer_ops *timer)
{
    *sampling = (struct sampling){.how = *how, .repeats = 1};
    if (!how->flush || timer->flush)
        return TUTTI_SUCCESS;
    sampling->sweep_bytes = cache_bytes();
    sampling->sweep = calloc(sampling->sweep_bytes, 1);
    return sampling->sweep ? TUTTI_SUCCESS : TUTTI_ERR_MEMORY;
}

void sampling_release(struct sampling *sampling)
{
    free(sampling->sweep);
    *sampling = (struct sampling){.repeats = 1};
}

/* Reads the tuner's timer twice in a row. A timer that fails will be noticed in the first run. */
static double empty_region(const struct call *call)
{
    const tutti_tuner *tuner = call->tuner;
    double seconds = 0, begin;
    void *self = tuner->host_timer ? &begin : tuner->timer_self;
    if (tuner->timer.start(self) != 0 || tuner->timer.stop(self, &seconds) != 0)
        return 0;
    return seconds;
}

static double clock_grain(const struct call *call)
{
    double grain = INFINITY;
    for (int i = 0; i < READINGS; i++) {
        const double seconds = empty_region(call);
        if (seconds > 0 && seconds < grain)
            grain = seconds;
    }
    return isfinite(grain) ? grain : 0;
}

/* A barrier right after a barrier takes as long as the ranks left the first one apart, and what it
 * costs itself: an upper bound of the skew that needs no common clock. */
static int barrier_skew(const struct call *call, double *skew, struct text *why)
{
    const tutti_tuner *tuner = call->tuner;
    double taken[BARRIERS] = {0}, begin;
    void *self = tuner->host_timer ? &begin : tuner->timer_self;
    int status = group_barrier(call->group, "the calibration", why);
    for (int i = 0; i < BARRIERS && !status; i++) {
        const int started = tuner->timer.start(self);
        status = group_barrier(call->group, "the calibration", why);
        if (tuner->timer.stop(self, &taken[i]) != 0 || started != 0 || !isfinite(taken[i]))
            taken[i] = 0;
    }
    *skew = fmax(median(taken, BARRIERS), 0);
    return status;
}

int sampling_calibrate(struct sampling *sampling, const struct call *call, struct text *why)
{
    double skew = 0;
    const double grain = clock_grain(call);
    int status = call->group->ranks > 1 ? barrier_skew(call, &skew, why) : TUTTI_SUCCESS;
    if (status)
        return status;
    uint64_t words[] = {word_from_seconds(grain), word_from_seconds(skew)};
    status = group_reduce_max(call->group, words, 2, "the end of the calibration", why);
    if (status)
        return status;
    sampling->grain = word_to_seconds(words[0]);
    sampling->skew = word_to_seconds(words[1]);
    return TUTTI_SUCCESS;
}

void sampling_set_repeats(struct sampling *sampling, double seconds)
{
    const double shortest = SAMPLING_LONG_ENOUGH * fmax(sampling->grain, sampling->skew);
    const double calls = seconds > 0 ? ceil(shortest / seconds) : 1;
    const int least = sampling->how.stream ? SAMPLING_STREAM : 1;
    sampling->repeats = calls > SAMPLING_REPEATS_MOST ? SAMPLING_REPEATS_MOST
                        : calls > least               ? (int)calls
                                                      : least;
}

bool sampling_is_warm(int calls, double last_but_one, double last)
{
    const bool slow = last > SAMPLING_SLOW;
    return calls >= SAMPLING_WARMUPS_MOST ||
           (calls >= 2 && (slow || last > (1 - SAMPLING_STEADY) * last_but_one));
}

bool sampling_settles(const struct sampling *sampling, double usual_seconds, bool first_run)
{
    return !first_run && !sampling->how.stream && !sampling->how.flush &&
           usual_seconds < SAMPLING_SLOW;
}

static void rest(double seconds)
{
    struct timespec left = {.tv_sec = (time_t)seconds};
    left.tv_nsec = (long)(1e9 * (seconds - (double)left.tv_sec));
    while (nanosleep(&left, &left) != 0 && errno == EINTR)
        continue;
}

static void flush(const struct sampling *sampling, const struct call *call, struct mishap *mishap)
{
    if (run_flush(call, mishap))
        return;
    /* Reads and writes, so that lines are neither left nor merely streamed past. */
    volatile unsigned char *sweep = sampling->sweep;
    for (size_t i = 0; i < sampling->sweep_bytes; i += 64)
        sweep[i]++;
}

int sampling_prepare(struct sampling *sampling, const struct call *call, struct mishap *mishap,
                     struct text *why)
{
    if (sampling->how.flush)
        flush(sampling, call, mishap);
    if (sampling->how.gap > 0)
        rest(sampling->how.gap);
    if (sampling->how.stream || call->group->ranks == 1)
        return TUTTI_SUCCESS;
    return group_barrier(call->group, "the start of a sample", why);
}
