/*
 * The points at which a failure can be injected, and whether one strikes now. A new callback of
 * tutti is one more entry of the table in points.c, and one question, strike(), in launcher.c.
 */
#ifndef POINTS_H
#define POINTS_H

#include <limits.h>
#include <stdbool.h>

enum point {
    POINT_KEY_FAILS,
    POINT_KEY_MISTAKE,
    POINT_KEY_DIFFERS,
    POINT_PRUNE_DIFFERS,
    POINT_WARMUP_FAILS,
    POINT_SAMPLE_FAILS,
    POINT_FINAL_FAILS,
    POINT_SETUP,
    POINT_PREPARE,
    POINT_RESET,
    POINT_BUFFERS,
    POINT_INPUT,
    POINT_VERIFY_WRONG,
    POINT_REFERENCE,
    POINT_TIMER_START,
    POINT_TIMER_STOP,
    POINT_TIMER_VALUE,
    POINT_TIMER_BUSY,
    POINT_DEVICE_LOST,
    POINT_ALLOCATION,
    POINT_OPEN,
    POINT_READ,
    POINT_WRITE,
    POINT_FSYNC,
    POINT_RENAME,
    POINT_MKDIR,
    POINT_TRANSPORT,
    POINT_ABSENT,
    POINTS
};

struct point_info {
    const char *name;
    unsigned weight;  /* how often it is drawn, relative to the others */
    unsigned reach;   /* its first failing occurrence is drawn below this */
    unsigned effects; /* in how many ways it can fail */
    bool root_only;   /* only the root ever gets there */
};

extern const struct point_info points[POINTS];

#define ALL_RANKS (-1)
#define FOR_EVER  UINT_MAX

/* One planned failure: occurrences first, first + 1, ..., `times` of them, on a rank or on all. */
struct fault {
    enum point point;
    int rank;
    unsigned first, times;
    int effect; /* below the point's effects */
};

#define FAULTS_LIMIT 3

/* What one rank's thread has of the plan. */
struct injector {
    int rank;
    int nfaults;
    const struct fault *faults;
    bool armed;
    unsigned seen[POINTS], struck[POINTS];
};

/* Of this thread; NULL where nothing is injected. */
extern _Thread_local struct injector *injector;

/* Notes that this thread is at the point. Returns the fault that strikes, or NULL. */
const struct fault *strike(enum point point);

#endif
