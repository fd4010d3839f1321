/*
 * The watchdog: a thread that notices a launcher which does not return. The thread that runs the
 * launcher only counts up, with two atomic stores and no clock; the watchdog looks now and then
 * whether the count has moved.
 */
#ifndef WATCHDOG_H
#define WATCHDOG_H

#include <stdint.h>

struct watchdog;

/*
 * Called in the watchdog's thread, once for a run that has taken this long, while that run goes on.
 * It must not destroy the watchdog.
 */
typedef void (*watchdog_fn)(void *user, uint64_t configuration, double seconds);

/*
 * Starts the thread, in which all signals are blocked. seconds is the limit for one run; if it is
 * not above 0, or not finite, *watchdog is NULL and nothing is watched: the other functions accept
 * that. A run is found between seconds and a quarter more after it began; time in which the whole
 * process was stopped does not count. TUTTI_SUCCESS, or TUTTI_ERR_MEMORY (also
 * for want of a thread).
 */
int watchdog_create(double seconds, watchdog_fn expired, void *user, struct watchdog **watchdog);

/* Around each run, or several in one, which may take as many times the limit; from one thread at a
 * time. No lock, no system call. */
void watchdog_arm(struct watchdog *watchdog, uint64_t configuration, int runs);
void watchdog_disarm(struct watchdog *watchdog);

/*
 * Ends the thread and frees the watchdog: at once, or when the callback that is under way returns.
 * In a child of fork, which does not have the thread, it only frees.
 */
void watchdog_destroy(struct watchdog *watchdog);

#endif
