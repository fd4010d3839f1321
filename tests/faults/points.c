/* See points.h. */
#include "points.h"

#include <stddef.h>

const struct point_info points[POINTS] = {
    [POINT_KEY_FAILS] = {"the key callback fails", 3, 1, 1, false},
    [POINT_KEY_MISTAKE] = {"the key is invalid", 3, 1, 4, false},
    [POINT_KEY_DIFFERS] = {"the key differs", 3, 1, 1, false},
    [POINT_PRUNE_DIFFERS] = {"prune says the opposite", 6, 6, 1, false},
    [POINT_WARMUP_FAILS] = {"a warm-up fails", 8, 12, 1, false},
    [POINT_SAMPLE_FAILS] = {"a timed run fails", 8, 12, 1, false},
    [POINT_FINAL_FAILS] = {"the final run fails", 8, 4, 1, false},
    [POINT_SETUP] = {"setup fails", 2, 1, 1, false},
    [POINT_PREPARE] = {"prepare refuses", 5, 7, 1, false},
    [POINT_RESET] = {"reset fails", 5, 20, 1, false},
    [POINT_BUFFERS] = {"the buffers can't be declared", 3, 1, 2, false},
    [POINT_INPUT] = {"a run changes its input", 5, 12, 1, false},
    [POINT_VERIFY_WRONG] = {"the outputs are wrong", 6, 6, 1, false},
    [POINT_REFERENCE] = {"the reference fails", 2, 6, 1, false},
    [POINT_TIMER_START] = {"the timer does not start", 4, 12, 1, false},
    [POINT_TIMER_STOP] = {"the timer does not stop", 4, 12, 1, false},
    [POINT_TIMER_VALUE] = {"the timer measures nonsense", 6, 12, 4, false},
    [POINT_TIMER_BUSY] = {"the timer is busy", 3, 1, 1, false},
    [POINT_DEVICE_LOST] = {"a run costs the device", 6, 12, 1, false},
    [POINT_ALLOCATION] = {"an allocation fails", 24, 60, 1, false},
    [POINT_OPEN] = {"open fails", 3, 4, 4, true},
    [POINT_READ] = {"read fails", 3, 3, 1, true},
    [POINT_WRITE] = {"write fails", 3, 1, 2, true},
    [POINT_FSYNC] = {"fsync fails", 2, 2, 1, true},
    [POINT_RENAME] = {"rename fails", 2, 1, 1, true},
    [POINT_MKDIR] = {"mkdir fails", 2, 2, 1, true},
    [POINT_TRANSPORT] = {"the transport fails", 3, 30, 1, false},
    [POINT_ABSENT] = {"the rank does not call", 1, 1, 1, false},
};

_Thread_local struct injector *injector;

const struct fault *strike(enum point point)
{
    struct injector *own = injector;
    if (!own || !own->armed)
        return NULL;
    unsigned occurrence = own->seen[point]++;
    for (int i = 0; i < own->nfaults; i++) {
        const struct fault *fault = &own->faults[i];
        bool here = fault->point == point && (fault->rank == own->rank || fault->rank == ALL_RANKS);
        if (!here || occurrence < fault->first || occurrence - fault->first >= fault->times)
            continue;
        own->struck[point]++;
        return fault;
    }
    return NULL;
}
