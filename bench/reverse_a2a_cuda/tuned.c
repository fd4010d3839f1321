/* Lets tutti choose (see bench.h). */
#include <stdlib.h>

#include "bench.h"
#include "cuda/space.h"

/* The aim: a search costs so many launches at most. */
#define LAUNCHES_OF_A_SEARCH 300

static int make_key(tutti_key *key, const void *args, void *user)
{
    (void)user;
    const struct bench *bench = args;
    const struct reverse_a2a_shape *shape = &bench->shape;
    tutti_key_shape(key, "C", 3, (const int64_t[]){shape->s, bench->ranks * shape->h, shape->d});
    tutti_key_integer(key, "gpus", bench->devices < bench->ranks ? bench->devices : bench->ranks);
    return 0;
}

static bool keep(const void *config, const void *args, void *user)
{
    (void)user;
    const struct bench *bench = args;
    return space_keeps(&bench->shape, bench->ranks, config);
}

static int run(void *args, const void *config, const tutti_context *context)
{
    (void)context;
    const struct reverse_a2a_cuda_choice choice = space_choice(config);
    const struct way *way = ways_find(args, &choice);
    return way ? way_run(args, way) : REVERSE_A2A_ERROR_ENGINE;
}

static int create(struct bench *bench)
{
    size_t count;
    const tutti_param *params = space_params(&count);
    int status = tutti_cuda_timer_create(NULL, &bench->timer, NULL, 0);
    if (status == TUTTI_SUCCESS)
        status = tutti_tuner_create(&(tutti_tuner_desc){.size = sizeof(tutti_tuner_desc),
                                                        .name = "reverse_a2a_cuda_bench",
                                                        .params = params,
                                                        .nparams = count,
                                                        .config_size = sizeof(struct knobs),
                                                        .customary = &space_customary,
                                                        .key = make_key,
                                                        .prune = keep,
                                                        .run = run,
                                                        .budget_calls = LAUNCHES_OF_A_SEARCH,
                                                        .timer = tutti_cuda_timer_ops(),
                                                        .timer_self = bench->timer},
                                    &bench->tuner);
    if (status == TUTTI_SUCCESS)
        status = tutti_group_create_mpi(bench->comm, &bench->group);
    return status;
}

bool tuned_create(struct bench *bench)
{
    setenv("TUTTI_MODE", "read-only", 1);
    setenv("TUTTI_ALWAYS_TUNE", "1", 1);
    const int status = create(bench);
    if (status != TUTTI_SUCCESS)
        fprintf(stderr, "rank %d: the tuner: %s\n", bench->rank, tutti_strerror(status));
    return status == TUTTI_SUCCESS;
}

void tuned_destroy(struct bench *bench)
{
    tutti_tuner_destroy(bench->tuner);
    if (bench->group)
        tutti_group_release(bench->group);
    tutti_cuda_timer_destroy(bench->timer);
}

bool tuned_choose(struct bench *bench)
{
    const tutti_call_options options = {.size = sizeof options, .stream = bench->stream};
    tutti_report report = {.size = sizeof report};
    int status = tutti_call(bench->tuner, bench, bench->group, &options);
    if (status == TUTTI_SUCCESS && cudaStreamSynchronize(bench->stream) != cudaSuccess)
        status = TUTTI_ERR_DEVICE;
    if (status == TUTTI_SUCCESS)
        status = tutti_report_get(bench->tuner, bench, bench->group, &report);
    if (status != TUTTI_SUCCESS) {
        fprintf(stderr, "rank %d: tutti_call: %s: %s\n", bench->rank, tutti_strerror(status),
                tutti_message(bench->tuner, bench->group));
        return false;
    }
    const struct reverse_a2a_cuda_choice choice = space_choice(report.config);
    const struct way *way = ways_find(bench, &choice);
    bench->tuned = (struct tuned){way ? (int)(way - bench->ways) : -1, report.search_calls,
                                  report.search_seconds};
    return way;
}
