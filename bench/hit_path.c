/*
 * What a tuned call costs once its key is known: side by side, in rounds, the launcher called
 * directly, through tutti_call (a key of two shapes, a string and an integer), and bound. Prints
 * medians over the rounds, in nanoseconds a call.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <tutti/tutti.h>

#define ROUNDS 4001
#define CALLS  1000 /* short rounds: few of them are interrupted */

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

static double median(double *values)
{
    qsort(values, ROUNDS, sizeof *values, ascending);
    return values[ROUNDS / 2];
}

static void check(int status, const char *what)
{
    if (status == TUTTI_SUCCESS)
        return;
    fprintf(stderr, "%s: %s\n", what, tutti_strerror(status));
    exit(1);
}

int main(void)
{
    static double direct[ROUNDS], called[ROUNDS], bound_times[ROUNDS];
    struct problem problem = {.rows = 4096, .heads = 8, .columns = 128, .dtype = "bf16"};
    tutti_tuner *tuner;
    tutti_group *group;
    tutti_bound bound;
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
    check(tutti_bind(tuner, &problem, group, &bound), "tutti_bind");
    struct config config = *(const struct config *)tutti_best(tuner, &problem, group);
    int (*volatile plain)(void *, const void *, const tutti_context *) = launch;

    for (int round = 0; round < ROUNDS; round++) {
        double begin = now();
        for (int i = 0; i < CALLS; i++)
            plain(&problem, &config, &bound.context);
        double middle = now();
        for (int i = 0; i < CALLS; i++)
            tutti_call(tuner, &problem, group, NULL);
        double late = now();
        for (int i = 0; i < CALLS; i++)
            tutti_bound_launch(&bound, &problem);
        double end = now();
        direct[round] = (middle - begin) / CALLS * 1e9;
        called[round] = (late - middle) / CALLS * 1e9;
        bound_times[round] = (end - late) / CALLS * 1e9;
    }
    double base = median(direct), hit = median(called), bind = median(bound_times);
    printf("direct call         %6.1f ns\n", base);
    printf("tutti_call, a hit   %6.1f ns   adds %5.1f ns\n", hit, hit - base);
    printf("tutti_bound_launch  %6.1f ns   adds %5.1f ns\n", bind, bind - base);
    tutti_tuner_destroy(tuner);
    tutti_group_release(group);
    return 0;
}
