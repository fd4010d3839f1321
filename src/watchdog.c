/*
 * The watchdog. See watchdog.h.
 *
 * The count is odd while a run goes on. The watchdog keeps the count that it saw last and for how
 * long it has seen it: a count that has stood still for the limit is one run that has taken at
 * least that long. Short runs between two looks change the count, and what they took isn't asked.
 */
#include "watchdog.h"

#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include <tutti/error.h>

#include "clock.h"

#define LOOKS_PER_LIMIT 8
#define SHORTEST_PERIOD 0.001
#define LONGEST_PERIOD  1.0

/* A gap between two looks that is longer than this many periods means that the process was stopped,
 * or starved: that is not the run's fault. */
#define LONGEST_GAP 2

struct watchdog {
    _Atomic uint64_t count;         /* of armings and disarmings */
    _Atomic uint64_t configuration; /* of the last arming */
    _Atomic int runs;               /* likewise */

    double seconds, period;
    watchdog_fn expired;
    void *user;
    pthread_t thread;
    pid_t process; /* whose thread it is */

    pthread_mutex_t mutex;
    pthread_cond_t wake;
    bool stop; /* under the mutex */
};

/* What the thread knows between looks. */
struct sight {
    uint64_t count;
    double at, still; /* the last look, and for how long the count has been the same */
    bool reported;
};

/* Sleeps for a period, or until it is to stop: then false. */
static bool sleep_on(struct watchdog *watchdog)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    const double nanoseconds = (double)until.tv_nsec + watchdog->period * 1e9;
    const long seconds = (long)(nanoseconds / 1e9);
    until.tv_sec += seconds;
    until.tv_nsec = (long)(nanoseconds - (double)seconds * 1e9);
    if (until.tv_nsec > 999999999) /* rounding */
        until.tv_nsec = 999999999;
    pthread_mutex_lock(&watchdog->mutex);
    int status = 0;
    while (!watchdog->stop && !status)
        status = pthread_cond_timedwait(&watchdog->wake, &watchdog->mutex, &until);
    const bool stop = watchdog->stop;
    pthread_mutex_unlock(&watchdog->mutex);
    return !stop;
}

static void look(struct watchdog *watchdog, struct sight *sight)
{
    const double now = clock_now(), gap = now - sight->at;
    const double most = LONGEST_GAP * watchdog->period;
    const uint64_t count = atomic_load_explicit(&watchdog->count, memory_order_acquire);
    sight->at = now;
    if (count != sight->count) {
        *sight = (struct sight){.count = count, .at = now};
        return;
    }
    sight->still += gap < most ? gap : most;
    const double limit =
        watchdog->seconds * atomic_load_explicit(&watchdog->runs, memory_order_acquire);
    if (count % 2 == 0 || sight->reported || sight->still < limit)
        return;
    const uint64_t configuration =
        atomic_load_explicit(&watchdog->configuration, memory_order_acquire);
    if (atomic_load_explicit(&watchdog->count, memory_order_relaxed) != count)
        return; /* it has just returned, and the configuration may be that of another run */
    sight->reported = true;
    watchdog->expired(watchdog->user, configuration, sight->still);
}

static void *watch(void *argument)
{
    struct watchdog *watchdog = argument;
    struct sight sight = {.at = clock_now()};
    while (sleep_on(watchdog))
        look(watchdog, &sight);
    return NULL;
}

/* Signals are the application's: its handlers must not run in a thread that it doesn't know. */
static int start_thread(struct watchdog *watchdog)
{
    sigset_t all, before;
    sigfillset(&all);
    int status = pthread_sigmask(SIG_SETMASK, &all, &before);
    if (status)
        return status;
    status = pthread_create(&watchdog->thread, NULL, watch, watchdog);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return status;
}

static int init_wake(pthread_cond_t *wake)
{
    pthread_condattr_t monotonic;
    int status = pthread_condattr_init(&monotonic);
    if (status)
        return status;
    status = pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    if (!status)
        status = pthread_cond_init(wake, &monotonic);
    pthread_condattr_destroy(&monotonic);
    return status;
}

static int start(struct watchdog *watchdog)
{
    if (pthread_mutex_init(&watchdog->mutex, NULL))
        return TUTTI_ERR_MEMORY;
    if (init_wake(&watchdog->wake)) {
        pthread_mutex_destroy(&watchdog->mutex);
        return TUTTI_ERR_MEMORY;
    }
    if (!start_thread(watchdog))
        return TUTTI_SUCCESS;
    pthread_cond_destroy(&watchdog->wake);
    pthread_mutex_destroy(&watchdog->mutex);
    return TUTTI_ERR_MEMORY;
}

int watchdog_create(double seconds, watchdog_fn expired, void *user, struct watchdog **watchdog)
{
    *watchdog = NULL;
    if (!isfinite(seconds) || seconds <= 0)
        return TUTTI_SUCCESS;
    struct watchdog *made = calloc(1, sizeof *made);
    if (!made)
        return TUTTI_ERR_MEMORY;
    made->seconds = seconds;
    made->period = fmin(fmax(seconds / LOOKS_PER_LIMIT, SHORTEST_PERIOD), LONGEST_PERIOD);
    made->expired = expired;
    made->user = user;
    made->process = getpid();
    const int status = start(made);
    if (status)
        free(made);
    else
        *watchdog = made;
    return status;
}

/* Only one thread counts, so that a load and a store do. Releases keep the order in which the
 * watchdog sees the two. */
static void count_up(struct watchdog *watchdog, uint64_t odd)
{
    const uint64_t count = atomic_load_explicit(&watchdog->count, memory_order_relaxed);
    const uint64_t step = 1 + (count % 2 == odd); /* armed twice in a row is a new run */
    atomic_store_explicit(&watchdog->count, count + step, memory_order_release);
}

void watchdog_arm(struct watchdog *watchdog, uint64_t configuration, int runs)
{
    if (!watchdog)
        return;
    atomic_store_explicit(&watchdog->configuration, configuration, memory_order_release);
    atomic_store_explicit(&watchdog->runs, runs, memory_order_release);
    count_up(watchdog, 1);
}

void watchdog_disarm(struct watchdog *watchdog)
{
    if (watchdog)
        count_up(watchdog, 0);
}

void watchdog_destroy(struct watchdog *watchdog)
{
    if (!watchdog)
        return;
    if (watchdog->process == getpid()) {
        pthread_mutex_lock(&watchdog->mutex);
        watchdog->stop = true;
        pthread_cond_signal(&watchdog->wake);
        pthread_mutex_unlock(&watchdog->mutex);
        pthread_join(watchdog->thread, NULL);
        pthread_cond_destroy(&watchdog->wake);
        pthread_mutex_destroy(&watchdog->mutex);
    }
    free(watchdog);
}
