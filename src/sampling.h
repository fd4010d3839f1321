/*
 * What one sample is: how many back-to-back calls make it long enough to be read off the clock, and
 * what happens before it, so that the launcher is measured as it is deployed.
 */
#ifndef SAMPLING_H
#define SAMPLING_H

#include <stdbool.h>
#include <stddef.h>

#include "run.h"
#include "text.h"
#include "tuner.h"

#define SAMPLING_LONG_ENOUGH  20 /* times the clock's grain, and the skew of a barrier */
#define SAMPLING_REPEATS_MOST 16
#define SAMPLING_STREAM       5 /* calls of a sample that is taken as in a stream, at least */
#define SAMPLING_WARMUPS_MOST 5
#define SAMPLING_STEADY       0.1 /* a call that gains no more than this over the last one is warm */
#define SAMPLING_SLOW         0.25 /* seconds; a launcher that takes longer is warm after two calls */

/* How samples are taken: a program's or a user's wish. */
struct measuring {
    bool stream; /* back to back, the ranks left to themselves; else all start after a barrier */
    bool flush;  /* caches are overwritten before each sample */
    double gap;  /* seconds of rest before each sample */
};

/* "", or what differs from a plain sample: ", as in a stream, caches flushed, gap 0.001 s". */
void measuring_text(const struct measuring *measuring, struct text *text);

struct sampling {
    struct measuring how;
    double grain, skew;   /* seconds, the worst rank's; 0 if too small to be seen */
    int repeats;          /* calls of a sample */
    unsigned char *sweep; /* what a flush writes */
    size_t sweep_bytes;
};

/* Memory for flushes, of the size of the last-level cache, unless the timer flushes. TUTTI_SUCCESS
 * or TUTTI_ERR_MEMORY. Local.
 */
int sampling_init(struct sampling *sampling, const struct measuring *how,
                  const tutti_timer_ops *timer);
void sampling_release(struct sampling *sampling);

/* Measures the clock's grain and how far apart the ranks leave a barrier. Collective. */
int sampling_calibrate(struct sampling *sampling, const struct call *call, struct text *why);

/* Sets repeats for a launcher that takes so many seconds on the slowest rank. Local. */
void sampling_set_repeats(struct sampling *sampling, double seconds);

/* Whether a launcher is warm after `calls` calls, of which the last two took so long. Local. */
bool sampling_is_warm(int calls, double last_but_one, double last);

/*
 * Whether a sample begins with an untimed call of its configuration. A call right after another
 * configuration's pays for what that one left in the caches, which no call of an application does;
 * where calls are slow, and in a stream, that is too little to see. A first run has none, so that a
 * hopeless configuration costs one call. Local.
 */
bool sampling_settles(const struct sampling *sampling, double usual_seconds, bool first_run);

/* All that comes before a sample; a flush that fails is a mishap. Collective unless samples are
 * taken as in a stream. */
int sampling_prepare(struct sampling *sampling, const struct call *call, struct mishap *mishap,
                     struct text *why);

#endif
