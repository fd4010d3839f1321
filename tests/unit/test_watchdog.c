/*
 * The watchdog: finds the run that does not return, and no other. Waiting is for what must happen,
 * with a limit that is far away; what must not happen is given many chances.
 */
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <linux/seccomp.h>
#include <unistd.h>

#include <cmocka.h>

#include <tutti/error.h>

#include "clock.h"
#include "watchdog.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1 /* the sanitizer has system calls and threads of its own */
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1
#endif
#endif
#ifndef SANITIZED
#define SANITIZED 0
#endif

#define LIMIT    0.05
#define GENEROUS 60.0 /* seconds for what must happen at last */

struct seen {
    atomic_int times;
    _Atomic uint64_t configuration;
    _Atomic double seconds;
    atomic_bool open_to_signals; /* the thread does not block them all */
    atomic_int left;             /* how often the callback came to its end */
};

static void expired(void *user, uint64_t configuration, double seconds)
{
    struct seen *seen = user;
    sigset_t blocked;
    pthread_sigmask(SIG_BLOCK, NULL, &blocked);
    for (int number = 1; number < SIGRTMIN; number++) {
        const bool excepted = number == SIGKILL || number == SIGSTOP || number >= 32;
        if (!excepted && !sigismember(&blocked, number))
            atomic_store(&seen->open_to_signals, true);
    }
    atomic_store(&seen->configuration, configuration);
    atomic_store(&seen->seconds, seconds);
    atomic_fetch_add(&seen->times, 1);
    nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    atomic_fetch_add(&seen->left, 1);
}

static void pause_seconds(double seconds)
{
    const time_t whole = (time_t)seconds;
    nanosleep(&(struct timespec){whole, (long)((seconds - (double)whole) * 1e9)}, NULL);
}

static void wait_for(struct seen *seen, int times)
{
    const double begin = clock_now();
    while (atomic_load(&seen->times) < times && clock_now() - begin < GENEROUS)
        pause_seconds(0.002);
    assert_int_equal(atomic_load(&seen->times), times);
}

static struct watchdog *create(double seconds, struct seen *seen)
{
    struct watchdog *watchdog;
    assert_int_equal(watchdog_create(seconds, expired, seen, &watchdog), TUTTI_SUCCESS);
    assert_non_null(watchdog);
    return watchdog;
}

static void a_run_that_does_not_return_is_found_and_named(void **state)
{
    (void)state;
    struct seen seen = {0};
    struct watchdog *watchdog = create(LIMIT, &seen);
    watchdog_arm(watchdog, 17, 1);
    watchdog_disarm(watchdog);
    watchdog_arm(watchdog, 23, 1);
    wait_for(&seen, 1);
    assert_int_equal(atomic_load(&seen.configuration), 23);
    assert_true(atomic_load(&seen.seconds) >= LIMIT);
    watchdog_destroy(watchdog);
}

static void one_arming_expires_once(void **state)
{
    (void)state;
    struct seen seen = {0};
    struct watchdog *watchdog = create(0.01, &seen);
    watchdog_arm(watchdog, 1, 1);
    wait_for(&seen, 1);
    pause_seconds(0.2);
    assert_int_equal(atomic_load(&seen.times), 1);
    watchdog_destroy(watchdog);
}

static void it_goes_on_after_an_expiry(void **state)
{
    (void)state;
    struct seen seen = {0};
    struct watchdog *watchdog = create(0.02, &seen);
    for (int i = 1; i <= 5; i++) {
        watchdog_arm(watchdog, (uint64_t)i, 1);
        wait_for(&seen, i);
        assert_int_equal(atomic_load(&seen.configuration), i);
        watchdog_disarm(watchdog);
    }
    watchdog_destroy(watchdog);
}

/* The limit is so far away that no single run can reach it, while all together do many times. */
static void many_short_runs_do_not_add_up(void **state)
{
    (void)state;
    struct seen seen = {0};
    struct watchdog *watchdog = create(2, &seen);
    const double begin = clock_now();
    uint64_t runs = 0;
    for (; clock_now() - begin < 3.5; runs++) {
        watchdog_arm(watchdog, runs, 1);
        watchdog_disarm(watchdog);
    }
    assert_int_equal(atomic_load(&seen.times), 0);
    assert_true(runs > 1000);
    watchdog_destroy(watchdog);
}

static void several_runs_in_one_have_as_many_times_the_limit(void **state)
{
    (void)state;
    struct seen seen = {0};
    struct watchdog *watchdog = create(LIMIT, &seen);
    watchdog_arm(watchdog, 1, 3);
    wait_for(&seen, 1);
    assert_true(atomic_load(&seen.seconds) >= 3 * LIMIT);
    watchdog_destroy(watchdog);
}

static void nothing_expires_between_runs(void **state)
{
    (void)state;
    struct seen seen = {0};
    struct watchdog *watchdog = create(LIMIT, &seen);
    pause_seconds(0.15);
    watchdog_arm(watchdog, 1, 1);
    watchdog_disarm(watchdog);
    const int before = atomic_load(&seen.times); /* 1 if this was held up just then */
    pause_seconds(0.15);
    assert_int_equal(atomic_load(&seen.times), before);
    watchdog_disarm(watchdog);
    pause_seconds(0.15);
    assert_int_equal(atomic_load(&seen.times), before);
    watchdog_destroy(watchdog);
}

static void a_second_arming_is_a_new_run(void **state)
{
    (void)state;
    struct seen seen = {0};
    struct watchdog *watchdog = create(0.02, &seen);
    watchdog_arm(watchdog, 1, 1);
    wait_for(&seen, 1);
    watchdog_arm(watchdog, 2, 1);
    wait_for(&seen, 2);
    assert_int_equal(atomic_load(&seen.configuration), 2);
    watchdog_destroy(watchdog);
}

static void destroying_does_not_wait_for_the_next_look(void **state)
{
    (void)state;
    struct seen seen = {0};
    const double begin = clock_now();
    for (int i = 0; i < 50; i++) { /* each looks once a second only */
        struct watchdog *watchdog = create(3600, &seen);
        if (i % 2)
            watchdog_arm(watchdog, 1, 1);
        if (i % 5 == 0)
            pause_seconds(0.002);
        watchdog_destroy(watchdog);
    }
    assert_true(clock_now() - begin < 25);
    assert_int_equal(atomic_load(&seen.times), 0);
}

static void destroying_waits_for_the_callback(void **state)
{
    (void)state;
    struct seen seen = {0};
    for (int i = 1; i <= 20; i++) {
        struct watchdog *watchdog = create(0.001, &seen);
        watchdog_arm(watchdog, 1, 1);
        wait_for(&seen, i);
        watchdog_destroy(watchdog); /* while the callback sleeps, as a rule */
        assert_int_equal(atomic_load(&seen.left), i);
    }
}

static void no_limit_is_no_watchdog(void **state)
{
    (void)state;
    const double none[] = {0, -1, INFINITY, NAN};
    struct seen seen = {0};
    for (size_t i = 0; i < sizeof none / sizeof none[0]; i++) {
        struct watchdog *watchdog = (struct watchdog *)&seen;
        assert_int_equal(watchdog_create(none[i], expired, &seen, &watchdog), TUTTI_SUCCESS);
        assert_null(watchdog);
        watchdog_arm(watchdog, 1, 1);
        watchdog_disarm(watchdog);
        watchdog_destroy(watchdog);
    }
}

static void signals_stay_with_the_application(void **state)
{
    (void)state;
    struct seen seen = {0};
    sigset_t before, after;
    pthread_sigmask(SIG_BLOCK, NULL, &before);
    struct watchdog *watchdog = create(0.01, &seen);
    pthread_sigmask(SIG_BLOCK, NULL, &after);
    for (int number = 1; number < 32; number++)
        assert_int_equal(sigismember(&before, number), sigismember(&after, number));
    watchdog_arm(watchdog, 1, 1);
    wait_for(&seen, 1);
    watchdog_destroy(watchdog);
    assert_false(atomic_load(&seen.open_to_signals));
}

static void a_child_of_fork_can_destroy_it(void **state)
{
    (void)state;
    struct seen seen = {0};
    struct watchdog *watchdog = create(0.001, &seen);
    for (int i = 0; i < 50; i++) { /* the thread may be anywhere, with its lock or without */
        int status;
        const pid_t child = fork();
        if (child == 0) {
            alarm((unsigned)GENEROUS);
            watchdog_arm(watchdog, 1, 1);
            watchdog_disarm(watchdog);
            watchdog_destroy(watchdog);
            _exit(0);
        }
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
    watchdog_arm(watchdog, 2, 1);
    wait_for(&seen, 1);
    watchdog_destroy(watchdog);
}

static void arming_makes_no_system_call(void **state)
{
    (void)state;
    if (SANITIZED)
        skip();
    struct seen seen = {0};
    struct watchdog *watchdog = create(3600, &seen);
    int status;
    const pid_t child = fork();
    if (child == 0) {
        if (getenv("UNDER_VALGRIND") || prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT))
            syscall(SYS_exit, 77);
        for (uint64_t i = 0; i < 100000; i++) {
            watchdog_arm(watchdog, i, 1);
            watchdog_disarm(watchdog);
        }
        syscall(SYS_exit, 0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    watchdog_destroy(watchdog);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
        skip(); /* no seccomp here */
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

/* For the thread sanitizer: both sides at full speed, with expiries that name what was armed. */
static void a_storm_of_runs_names_only_what_was_armed(void **state)
{
    (void)state;
    struct seen seen = {0};
    struct watchdog *watchdog = create(0.001, &seen);
    const double begin = clock_now();
    for (uint64_t i = 1; clock_now() - begin < 1; i++) {
        watchdog_arm(watchdog, 2 * i, 1);
        if (i % 10000 == 0)
            pause_seconds(0.01);
        watchdog_disarm(watchdog);
    }
    watchdog_destroy(watchdog);
    assert_int_equal(atomic_load(&seen.configuration) % 2, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_run_that_does_not_return_is_found_and_named),
        cmocka_unit_test(one_arming_expires_once),
        cmocka_unit_test(it_goes_on_after_an_expiry),
        cmocka_unit_test(many_short_runs_do_not_add_up),
        cmocka_unit_test(several_runs_in_one_have_as_many_times_the_limit),
        cmocka_unit_test(nothing_expires_between_runs),
        cmocka_unit_test(a_second_arming_is_a_new_run),
        cmocka_unit_test(destroying_does_not_wait_for_the_next_look),
        cmocka_unit_test(destroying_waits_for_the_callback),
        cmocka_unit_test(no_limit_is_no_watchdog),
        cmocka_unit_test(signals_stay_with_the_application),
        cmocka_unit_test(a_child_of_fork_can_destroy_it),
        cmocka_unit_test(arming_makes_no_system_call),
        cmocka_unit_test(a_storm_of_runs_names_only_what_was_armed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
