/*
 * Fault injection: plays many cases, each made from its seed, of ranks that are threads and meet
 * failures at random, and says whether any of them hung, crashed, or divided the ranks.
 *
 *     faults [--cases N] [--seed FIRST] [--limit SECONDS] [--verbose]
 *
 * One case again: --seed N --cases 1 --verbose. Exit status 0: all is well.
 */
#include <inttypes.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <jansson.h>

#include "clock.h"
#include "play.h"
#include "wrap.h"

struct options {
    uint64_t seed, cases;
    double limit; /* seconds for a case, before it counts as hung */
    bool verbose;
};

#define MANY 2000 /* cases, of which each point must strike in some */

struct totals {
    unsigned failed;
    unsigned long struck[POINTS];
};

static struct play current;
static atomic_uint_fast64_t seed_of_current, number_of_current;

/* ---- hangs and crashes ---- */

/* Looks once a second whether the case is still the same one. */
static void *watch(void *data)
{
    const struct options *options = data;
    uint64_t number = 0;
    double since = clock_now();
    for (;;) {
        sleep(1);
        uint64_t now = atomic_load(&number_of_current);
        if (now != number)
            since = clock_now();
        number = now;
        if (clock_now() - since < options->limit)
            continue;
        fprintf(stderr, "seed %" PRIu64 ": hung for %g s\n", atomic_load(&seed_of_current),
                options->limit);
        play_print_state(&current, stderr);
        printf("faults: %" PRIu64 " cases, 1 hung\n", number);
        fflush(stdout);
        _exit(3);
    }
    return NULL;
}

static void say_seed(void)
{
    char line[64];
    int length =
        snprintf(line, sizeof line, "seed %" PRIu64 ": crashed\n", atomic_load(&seed_of_current));
    if (write(STDERR_FILENO, line, (size_t)length) < 0)
        _exit(4);
}

static void crashed(int number)
{
    say_seed();
    signal(number, SIG_DFL);
    raise(number);
}

/* Sanitizers have handlers of their own, and call this one instead. */
void __sanitizer_set_death_callback(void (*callback)(void)) __attribute__((weak));

static void watch_for_crashes(void)
{
    static const int numbers[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
    if (__sanitizer_set_death_callback) {
        __sanitizer_set_death_callback(say_seed);
        return;
    }
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        signal(numbers[i], crashed);
}

/* ---- the cases ---- */

static void play_cases(const struct options *options, struct totals *totals)
{
    for (uint64_t i = 0; i < options->cases; i++) {
        atomic_store(&seed_of_current, options->seed + i);
        atomic_store(&number_of_current, i + 1);
        current.verbose = options->verbose;
        play_case(&current, options->seed + i);
        for (int point = 0; point < POINTS; point++)
            totals->struck[point] += current.struck[point];
        if (current.complaints && !options->verbose)
            plan_print(&current.plan, stderr);
        totals->failed += current.complaints > 0;
        if (totals->failed >= 20) {
            fprintf(stderr, "so many cases are wrong: the rest is not played\n");
            return;
        }
    }
}

/* A point that never strikes in many cases would make this test easier than it looks. */
static unsigned count_untouched(const struct options *options, const struct totals *totals)
{
    unsigned untouched = 0;
    for (int point = 0; point < POINTS; point++) {
        if (options->verbose || options->cases >= MANY)
            printf("%8lu times: %s\n", totals->struck[point], points[point].name);
        if (options->cases < MANY || totals->struck[point] > 0)
            continue;
        fprintf(stderr, "it was never tried that %s\n", points[point].name);
        untouched++;
    }
    return untouched;
}

static bool read_options(int argc, char **argv, struct options *options)
{
    for (int i = 1; i < argc; i++) {
        const char *value = i + 1 < argc ? argv[i + 1] : NULL;
        if (strcmp(argv[i], "--verbose") == 0) {
            options->verbose = true;
            continue;
        }
        if (!value)
            return false;
        if (strcmp(argv[i], "--seed") == 0)
            options->seed = strtoull(value, NULL, 0);
        else if (strcmp(argv[i], "--cases") == 0)
            options->cases = strtoull(value, NULL, 0);
        else if (strcmp(argv[i], "--limit") == 0)
            options->limit = strtod(value, NULL);
        else
            return false;
        i++;
    }
    return options->cases > 0;
}

int main(int argc, char **argv)
{
    static struct options options = {.seed = 1, .cases = 5000, .limit = 30};
    static struct totals totals;
    pthread_t watchdog;
    if (!read_options(argc, argv, &options)) {
        fprintf(stderr, "usage: %s [--cases N] [--seed FIRST] [--limit SECONDS] [--verbose]\n",
                argv[0]);
        return 2;
    }
    print_log = options.verbose;
    json_set_alloc_funcs(malloc, free);
    watch_for_crashes();
    if (pthread_create(&watchdog, NULL, watch, &options))
        return 1;
    double begin = clock_now();
    play_cases(&options, &totals);
    unsigned untouched = count_untouched(&options, &totals);
    printf("faults: %" PRIu64 " cases (seeds %" PRIu64 " to %" PRIu64 "), %.1f s: none hung, "
           "none crashed, ",
           atomic_load(&number_of_current), options.seed, atomic_load(&seed_of_current),
           clock_now() - begin);
    if (totals.failed)
        printf("%u with differing or wrong outcomes\n", totals.failed);
    else
        printf("none with differing outcomes\n");
    return totals.failed || untouched ? 1 : 0;
}
