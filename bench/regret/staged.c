/* See staged.h. */
#include "staged.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "landscape.h"

#define N TABLE_CONFIGURATIONS

struct knobs {
    int comm_block_s, comm_block_d, buffer_num;
};

static const tutti_param params[] = {
    TUTTI_PARAM(struct knobs, comm_block_s, 32, 64, 128, 256, 512),
    TUTTI_PARAM(struct knobs, comm_block_d, 64, 128),
    TUTTI_PARAM(struct knobs, buffer_num, 2, 3, 4, 8),
};

void staged_check(int status, const char *what)
{
    if (status == 0)
        return;
    fprintf(stderr, "regret: %s failed with %d\n", what, status);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

bool staged_shape(const char *text, struct reverse_a2a_shape *shape)
{
    long long s, h, d;
    if (sscanf(text, "%lld,%lld,%lld", &s, &h, &d) != 3)
        return false;
    *shape = (struct reverse_a2a_shape){.s = s, .h = h, .d = d, .element_size = 2};
    return s > 0 && h > 0 && d > 0;
}

static int run(void *args, const void *config, const tutti_context *context)
{
    struct staged *staged = args;
    (void)config;
    return reverse_a2a_execute(staged->plans[context->configuration], staged->a, staged->c);
}

tutti_tuner *staged_tuner(int policy, uint64_t budget_calls)
{
    static const struct knobs customary = {128, 128, 2};
    tutti_tuner *tuner;
    staged_check(tutti_tuner_create(&(tutti_tuner_desc){.size = sizeof(tutti_tuner_desc),
                                                        .name = "regret_live",
                                                        .params = params,
                                                        .nparams = 3,
                                                        .config_size = sizeof(struct knobs),
                                                        .customary = &customary,
                                                        .policy = policy,
                                                        .budget_calls = budget_calls,
                                                        .run = run},
                                    &tuner),
                 "tutti_tuner_create");
    return tuner;
}

static struct reverse_a2a_config config_of(const tutti_tuner *tuner, uint64_t index)
{
    struct knobs knobs;
    staged_check(tutti_configuration(tuner, index, &knobs), "tutti_configuration");
    return (struct reverse_a2a_config){.comm_block_s = knobs.comm_block_s,
                                       .comm_block_d = knobs.comm_block_d,
                                       .buffer_num = knobs.buffer_num};
}

static void make_plans(struct staged *staged)
{
    tutti_tuner *tuner = staged_tuner(TUTTI_POLICY_RACE, 0);
    size_t most = 0, bytes;
    for (uint64_t i = 0; i < N; i++) {
        const struct reverse_a2a_config config = config_of(tuner, i);
        staged_check(reverse_a2a_memory_bytes(&staged->shape, &config, staged->ranks, &bytes),
                     "reverse_a2a_memory_bytes");
        most = bytes > most ? bytes : most;
    }
    staged_check(reverse_a2a_memory_create(MPI_COMM_WORLD, most, NULL, &staged->memory),
                 "reverse_a2a_memory_create");
    for (uint64_t i = 0; i < N; i++) {
        const struct reverse_a2a_config config = config_of(tuner, i);
        staged_check(
            reverse_a2a_plan_create(staged->memory, &staged->shape, &config, &staged->plans[i]),
            "reverse_a2a_plan_create");
    }
    tutti_tuner_destroy(tuner);
}

void staged_begin(struct staged *staged)
{
    const struct reverse_a2a_shape *shape = &staged->shape;
    MPI_Comm_rank(MPI_COMM_WORLD, &staged->rank);
    MPI_Comm_size(MPI_COMM_WORLD, &staged->ranks);
    const size_t bytes = (size_t)staged->ranks * (size_t)(shape->s * shape->h * shape->d) * 2;
    staged->a = malloc(bytes);
    staged->c = malloc(bytes);
    staged_check(!staged->a || !staged->c, "malloc");
    memset(staged->a, staged->rank + 1, bytes);
    memset(staged->c, 0, bytes);
    make_plans(staged);
}

void staged_end(struct staged *staged)
{
    for (int i = 0; i < N; i++)
        reverse_a2a_plan_destroy(staged->plans[i]);
    reverse_a2a_memory_destroy(staged->memory);
    free(staged->a);
    free(staged->c);
}

static void call(struct staged *staged, int configuration, int calls)
{
    for (int i = 0; i < calls; i++)
        staged_check(reverse_a2a_execute(staged->plans[configuration], staged->a, staged->c),
                     "reverse_a2a_execute");
}

static void shuffle(int order[N], uint64_t *random)
{
    for (int i = N; i > 1; i--) {
        const int j = (int)(regret_random(random) * i), swapped = order[i - 1];
        order[i - 1] = order[j];
        order[j] = swapped;
    }
}

void staged_round(struct staged *staged, enum staged_mode mode, uint64_t *random, double seconds[N])
{
    static const int untimed[] = {0, 1, 5}, timed[] = {1, 1, 10};
    int order[N];
    for (int i = 0; i < N; i++)
        order[i] = i;
    if (mode != STAGED_REFERENCE)
        shuffle(order, random);
    for (int k = 0; k < N; k++) {
        call(staged, order[k], untimed[mode]);
        MPI_Barrier(MPI_COMM_WORLD);
        const double begin = MPI_Wtime();
        call(staged, order[k], timed[mode]);
        seconds[order[k]] = (MPI_Wtime() - begin) / timed[mode];
    }
    MPI_Allreduce(MPI_IN_PLACE, seconds, N, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
}

bool staged_time_left(const struct staged *staged, double begin, double limit)
{
    int left = staged->rank == 0 && MPI_Wtime() - begin < limit;
    MPI_Bcast(&left, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return left;
}
