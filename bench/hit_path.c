/*
 * What a tuned call costs once its key is known: side by side, in rounds, the launcher called
 * directly, through tutti_call (a key of two shapes, a string and an integer), through tutti_call
 * with two such keys in turn and sixteen in no order, and bound. Prints medians over the rounds, in
 * nanoseconds a call. Then a million hits, whose keys are built anew from fresh memory: the time of
 * the first and of the last 100,000, and the memory before and after.
 */
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

#include <tutti/tutti.h>

#define ROUNDS 4001
#define KEYS   16
#define CALLS  1000 /* short rounds: few of them are interrupted */
#define BLOCKS 10   /* of hits with fresh keys */
#define HITS   100000

#define CALL_BAR 60.0 /* nanoseconds that a call may add */
#define BIND_BAR 5.0

struct config {
    int block, depth;
};

struct problem {
    int64_t rows, heads, columns;
    const char *dtype;
};

static const tutti_param params[] = {
    TUTTI_PARAM(struct config, block, 32, 64, 128, 256),
    TUTTI_PARAM(struct config, depth, 2, 4),
};

static volatile int sink;

static int launch(void *args, const void *config, const tutti_context *context)
{
    const struct config *knobs = config;
    (void)args;
    (void)context;
    sink = knobs->block;
    return 0;
}

static int key(tutti_key *key, const void *args, void *user)
{
    const struct problem *problem = args;
    const int64_t a[] = {problem->rows, problem->heads, problem->columns};
    const int64_t c[] = {problem->rows / 2, problem->heads * 2, problem->columns};
    (void)user;
    tutti_key_shape(key, "A", 3, a);
    tutti_key_shape(key, "C", 3, c);
    tutti_key_string(key, "dtype", problem->dtype);
    tutti_key_integer(key, "ranks", 2);
    return 0;
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *values, size_t n)
{
    qsort(values, n, sizeof *values, ascending);
    return values[n / 2];
}

static void check(int status, const char *what)
{
    if (status == TUTTI_SUCCESS)
        return;
    fprintf(stderr, "%s: %s\n", what, tutti_strerror(status));
    exit(1);
}

/* In nanoseconds a call. */
static double call_round(tutti_tuner *tuner, tutti_group *group, struct problem *order[CALLS])
{
    double begin = now();
    for (int i = 0; i < CALLS; i++)
        tutti_call(tuner, order[i], group, NULL);
    return (now() - begin) / CALLS * 1e9;
}

/* A round's keys: the first one only, two in turn, and all without an order (by the generator of
 * Numerical Recipes). */
static struct problem *same_key[CALLS], *in_turn[CALLS], *at_random[CALLS];

static void make_orders(tutti_tuner *tuner, tutti_group *group, struct problem keys[KEYS])
{
    uint32_t random = 1;
    for (int i = 0; i < KEYS; i++) {
        keys[i] = keys[0];
        keys[i].rows += 64 * i;
        check(tutti_call(tuner, &keys[i], group, NULL), "tutti_call");
    }
    for (int i = 0; i < CALLS; i++) {
        random = random * 1664525 + 1013904223;
        same_key[i] = &keys[0];
        in_turn[i] = &keys[i % 2];
        at_random[i] = &keys[(random >> 16) % KEYS];
    }
}

static void print_call(const char *what, double times[ROUNDS], double base)
{
    const double time = median(times, ROUNDS);
    printf("%-26s %6.1f ns   adds %5.1f ns\n", what, time, time - base);
}

static void compare(tutti_tuner *tuner, tutti_group *group, struct problem *problem)
{
    static double direct[ROUNDS], same[ROUNDS], turns[ROUNDS], random[ROUNDS], bound_times[ROUNDS];
    struct problem keys[KEYS] = {*problem};
    tutti_bound bound = {.size = sizeof bound};
    make_orders(tuner, group, keys);
    check(tutti_bind(tuner, problem, group, &bound), "tutti_bind");
    struct config config = *(const struct config *)tutti_best(tuner, problem, group);
    int (*volatile plain)(void *, const void *, const tutti_context *) = launch;
    for (int round = 0; round < ROUNDS; round++) {
        double begin = now();
        for (int i = 0; i < CALLS; i++)
            plain(problem, &config, &bound.context);
        direct[round] = (now() - begin) / CALLS * 1e9;
        same[round] = call_round(tuner, group, same_key);
        turns[round] = call_round(tuner, group, in_turn);
        random[round] = call_round(tuner, group, at_random);
        begin = now();
        for (int i = 0; i < CALLS; i++)
            tutti_bound_launch(&bound, problem);
        bound_times[round] = (now() - begin) / CALLS * 1e9;
    }
    const double base = median(direct, ROUNDS);
    printf(
        "direct call                %6.1f ns   (bars: a hit adds %.0f ns, a bound launch %.0f)\n",
        base, CALL_BAR, BIND_BAR);
    print_call("tutti_call, a hit", same, base);
    print_call("tutti_call, two in turn", turns, base);
    print_call("tutti_call, 16 at random", random, base);
    print_call("tutti_bound_launch", bound_times, base);
}

/* Kilobytes of this process in memory. */
static long resident(void)
{
    long pages = 0, ignored;
    FILE *file = fopen("/proc/self/statm", "r");
    if (file && fscanf(file, "%ld %ld", &ignored, &pages) != 2)
        pages = 0;
    if (file)
        fclose(file);
    return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

/* Hits whose keys have equal content in fresh memory, in nanoseconds a call with the allocation. */
static double fresh_round(tutti_tuner *tuner, tutti_group *group, const struct problem *problem)
{
    double begin = now();
    for (int i = 0; i < CALLS; i++) {
        struct problem *fresh = malloc(sizeof *fresh);
        char *dtype = strdup(problem->dtype);
        if (!fresh || !dtype)
            exit(1);
        *fresh = *problem;
        fresh->dtype = dtype;
        tutti_call(tuner, fresh, group, NULL);
        free(dtype);
        free(fresh);
    }
    return (now() - begin) / CALLS * 1e9;
}

static double fresh_block(tutti_tuner *tuner, tutti_group *group, const struct problem *problem)
{
    double rounds[HITS / CALLS];
    for (int i = 0; i < HITS / CALLS; i++)
        rounds[i] = fresh_round(tuner, group, problem);
    return median(rounds, HITS / CALLS);
}

static void stay_flat(tutti_tuner *tuner, tutti_group *group, const struct problem *problem)
{
    double times[BLOCKS];
    const size_t heap = mallinfo2().uordblks;
    const long pages = resident();
    for (int i = 0; i < BLOCKS; i++)
        times[i] = fresh_block(tuner, group, problem);
    printf("a million hits, fresh keys: the first 100,000 %.1f ns each, the last %.1f ns; the heap "
           "grew by %zd bytes, the process by %ld KiB (bar: flat)\n",
           times[0], times[BLOCKS - 1], (ssize_t)(mallinfo2().uordblks - heap), resident() - pages);
}

int main(void)
{
    struct problem problem = {.rows = 4096, .heads = 8, .columns = 128, .dtype = "bf16"};
    tutti_tuner *tuner;
    tutti_group *group;
    setenv("TUTTI_MODE", "read-only", 1);
    setenv("TUTTI_ALWAYS_TUNE", "1", 1);
    setenv("TUTTI_LOG", "error", 1); /* an empty launcher is all noise */
    check(tutti_tuner_create(&(tutti_tuner_desc){.size = sizeof(tutti_tuner_desc),
                                                 .name = "hit_path",
                                                 .params = params,
                                                 .nparams = 2,
                                                 .config_size = sizeof(struct config),
                                                 .key = key,
                                                 .run = launch},
                             &tuner),
          "tutti_tuner_create");
    check(tutti_group_create_serial(&group), "tutti_group_create_serial");
    check(tutti_call(tuner, &problem, group, NULL), "tutti_call");
    compare(tuner, group, &problem);
    stay_flat(tuner, group, &problem);
    tutti_tuner_destroy(tuner);
    tutti_group_release(group);
    return 0;
}
