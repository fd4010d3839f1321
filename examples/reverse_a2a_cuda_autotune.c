/*
 * reverse_a2a_autotune.c on GPUs: the engine becomes a knob, and each engine has knobs of its own.
 * The steps have the numbers of docs/tutorial.md; what differs is said here.
 *
 *     mpirun -n 2 reverse_a2a_cuda_autotune --shape 2048,8,128
 */
#include <mpi.h>
#include <stdlib.h>

#include <reverse_a2a/cuda.h>
#include <tutti/cuda.h>
#include <tutti/mpi.h>
#include <tutti/tutti.h>

#include "common/export.h"
#include "common/session.h"
#include "cuda/device.h"
#include "cuda/space.h"
#include "cuda/steady.h"

/* A search costs so many launches at most. */
#define LAUNCHES_OF_A_SEARCH 300

static const struct program program = {
    .summary = "Finds the fastest engine and knobs of the reverse all-to-all on GPUs for every "
               "shape, or reads them from the cache; runs it, verifies it, and times it beside "
               "NCCL, configuration 0 and the staged engine with the customary blocks "
               "(128,128,2).",
    .reference = "NCCL",
    .tunes = true};

static const struct reverse_a2a_cuda_choice golden = {.engine = REVERSE_A2A_CUDA_NCCL};

/* [2] Key: as on the host; and on how many GPUs the ranks are. */
static int make_key(tutti_key *key, const void *args, void *user)
{
    (void)user;
    const struct device *device = args;
    const struct problem *problem = device->problem;
    const struct reverse_a2a_shape *shape = &problem->shape;
    const int64_t ranks = problem->team.ranks;
    tutti_key_shape(key, "A", 3, (const int64_t[]){ranks * shape->s, shape->h, shape->d});
    tutti_key_shape(key, "C", 3, (const int64_t[]){shape->s, ranks * shape->h, shape->d});
    tutti_key_string(key, "dtype", problem->dtype);
    tutti_key_integer(key, "ranks", ranks);
    tutti_key_integer(key, "gpus", device->devices < ranks ? device->devices : ranks);
    return 0;
}

/* [3] Prune. */
static bool keep(const void *config, const void *args, void *user)
{
    (void)user;
    const struct device *device = args;
    return space_keeps(&device->problem->shape, device->problem->team.ranks, config);
}

/* [4] Wrapper: enqueues, and does not wait. The timer below does. */
static int run(void *args, const void *config, const tutti_context *context)
{
    (void)context;
    const struct reverse_a2a_cuda_choice choice = space_choice(config);
    return device_launch(args, &choice);
}

/* The tuner, the group of the ranks that it tunes for, and the device's clock. */
struct tuning {
    tutti_tuner *tuner;
    tutti_group *group;
    tutti_cuda_timer *timer;
};

/* [1] Configuration space: in cuda/space.c, with conditions: the knobs of an engine that is not
 * chosen have their first values, and make no configurations of their own. */
static int create_tuner(const struct job *job, struct tuning *tuning, char *message, size_t size)
{
    size_t count;
    const tutti_param *params = space_params(&count);
    return tutti_tuner_create(
        &(tutti_tuner_desc){.size = sizeof(tutti_tuner_desc),
                            .name = "reverse_a2a_cuda",
                            .version = "v1",
                            .source_id = TUTTI_SOURCE_ID,
                            .params = params,
                            .nparams = count,
                            .config_size = sizeof(struct knobs),
                            .customary = &space_customary,
                            .key = make_key,
                            .prune = keep,
                            .run = run,
                            .budget_calls = LAUNCHES_OF_A_SEARCH,
                            .timer = tutti_cuda_timer_ops(),
                            .timer_self = tuning->timer,
                            .progress = job->quiet ? NULL : tutti_progress_print,
                            .message = message,
                            .message_size = size},
        &tuning->tuner);
}

/* False on all ranks if the status is an error on one, which then prints the tuner's sentence. */
static bool fine(const struct problem *problem, const struct tuning *tuning, int status)
{
    return team_agree(&problem->team, status == TUTTI_SUCCESS, "%s: %s: %s", problem->name,
                      tutti_strerror(status), tutti_message(tuning->tuner, tuning->group));
}

/* [5] Memory sized over the space: for one configuration ... */
static size_t bytes_of(const struct device *device, const struct reverse_a2a_cuda_choice *choice)
{
    const struct problem *problem = device->problem;
    size_t bytes = SIZE_MAX;
    reverse_a2a_cuda_memory_bytes(&problem->shape, choice, problem->team.ranks, &bytes);
    return bytes;
}

static size_t memory_bytes(const void *config, const void *args, void *user)
{
    (void)user;
    const struct reverse_a2a_cuda_choice choice = space_choice(config);
    return bytes_of(args, &choice);
}

static size_t larger(size_t one, size_t two)
{
    return one > two ? one : two;
}

/* ... and for all that can run, the customary one and NCCL included. */
static bool begin_device(struct device *device, const struct tuning *tuning)
{
    size_t bytes;
    const int status = tutti_max_size(tuning->tuner, device, tuning->group, memory_bytes, &bytes);
    if (!fine(device->problem, tuning, status))
        return false;
    bytes = larger(bytes, memory_bytes(&space_customary, device, NULL));
    return device_begin(device, larger(bytes, bytes_of(device, &golden)));
}

/* [6] Distributed call. */
static bool tune(struct device *device, const struct tuning *tuning, bool off)
{
    const tutti_call_options options = {
        .size = sizeof options, .autotune_off = off, .stream = device->stream};
    const bool poisoned = device_poison(device);
    const int status = tutti_call(tuning->tuner, device, tuning->group, &options);
    return fine(device->problem, tuning, status) &&
           device_verify(device, "tutti_call", poisoned ? 0 : REVERSE_A2A_ERROR_DEVICE);
}

/* [7] Read back. */
static bool read_back(struct device *device, const struct tuning *tuning,
                      struct reverse_a2a_cuda_choice *choice, struct result *result)
{
    tutti_report report = {.size = sizeof report};
    const int status = tutti_report_get(tuning->tuner, device, tuning->group, &report);
    if (!fine(device->problem, tuning, status))
        return false;
    *choice = space_choice(report.config);
    result->blocks =
        (struct reverse_a2a_config){choice->comm_block_s, choice->comm_block_d, choice->buffer_num};
    result->device = (struct result_device){reverse_a2a_cuda_engine_string(choice->engine),
                                            choice->grid, choice->block, choice->streams};
    result->source = tutti_source_name(report.source);
    result->cached = report.source == TUTTI_SOURCE_RECORD;
    result->record = report.record;
    result->tuning_seconds = report.cold_seconds;
    result->search_seconds = report.search_seconds;
    return true;
}

/* [8] Run: a bound launch. */
static int launch_tuned(struct device *device, const struct device_contender *self)
{
    return tutti_bound_launch(self->context, device);
}

/* NCCL, or, where it can't run, the way through the host's memory. */
static struct reverse_a2a_cuda_choice find_golden(struct device *device)
{
    struct reverse_a2a_cuda_plan *plan;
    const int result =
        reverse_a2a_cuda_plan_create(device->memory, &device->problem->shape, &golden, &plan);
    reverse_a2a_cuda_plan_destroy(plan);
    if (result == REVERSE_A2A_OK)
        return golden;
    if (device->problem->team.rank == 0)
        fprintf(stderr, "%s: compared with copies through the host, not with NCCL: %s\n",
                device->problem->name, reverse_a2a_cuda_memory_reason(device->memory));
    return (struct reverse_a2a_cuda_choice){.engine = REVERSE_A2A_CUDA_REFERENCE};
}

static bool measure(struct device *device, const struct job *job, const struct tuning *tuning,
                    struct result *result)
{
    struct knobs first;
    tutti_bound bound = {.size = sizeof bound};
    int status = tutti_configuration(tuning->tuner, 0, &first);
    if (status == TUTTI_SUCCESS)
        status = tutti_bind(tuning->tuner, device, tuning->group, &bound);
    if (!fine(device->problem, tuning, status))
        return false;

    const struct reverse_a2a_cuda_choice reference = find_golden(device);
    const struct reverse_a2a_cuda_choice zero = space_choice(&first);
    const struct reverse_a2a_cuda_choice customary = space_choice(&space_customary);
    struct device_contender contenders[] = {
        {.name = "the reference", .launch = device_launch_choice, .choice = &reference},
        {.name = "tuned", .launch = launch_tuned, .context = &bound},
        {.name = "configuration 0", .launch = device_launch_choice, .choice = &zero},
        {.name = "staged (128,128,2)", .launch = device_launch_choice, .choice = &customary},
    };
    if (!device_steady_state(device, job, contenders, 4))
        return false;

    result->reference = contenders[0].seconds;
    result->tuned = contenders[1].seconds;
    result->configuration_0 = contenders[2].seconds;
    result->customary = contenders[3].seconds;
    return true;
}

static bool run_shape(struct session *session, struct device *device, const struct tuning *tuning,
                      struct result *result)
{
    struct reverse_a2a_cuda_choice choice;
    const bool good = begin_device(device, tuning) &&
                      tune(device, tuning, session->job.autotune_off) &&
                      read_back(device, tuning, &choice, result) &&
                      measure(device, &session->job, tuning, result);
    device_end(device);
    return good;
}

static bool start_tuning(const struct session *session, const struct device *device,
                         struct tuning *tuning)
{
    const struct team *team = &session->problem.team;
    char message[256] = "";
    int status = tutti_cuda_timer_create(device->stream, &tuning->timer, message, sizeof message);
    if (!team_agree(team, status == TUTTI_SUCCESS, "making the timer: %s: %s",
                    tutti_strerror(status), message))
        return false;
    status = create_tuner(&session->job, tuning, message, sizeof message);
    if (!team_agree(team, status == TUTTI_SUCCESS, "making the tuner: %s: %s",
                    tutti_strerror(status), message))
        return false;
    status = tutti_group_create_mpi(team->comm, &tuning->group);
    return team_agree(team, status == TUTTI_SUCCESS, "making the group: %s",
                      tutti_strerror(status));
}

static void tune_all(struct session *session)
{
    struct tuning tuning = {0};
    struct device device = {0};
    struct result *result;
    export_check(session);
    if (!session->failed)
        session->failed =
            !device_open(&device, &session->problem) || !start_tuning(session, &device, &tuning);
    while (session_next(session, &result))
        session_finish(session, run_shape(session, &device, &tuning, result));
    session_print(session);
    export_results(session);
    tutti_tuner_destroy(tuning.tuner);
    tutti_group_release(tuning.group);
    tutti_cuda_timer_destroy(tuning.timer);
    device_close(&device);
}

int main(int argc, char **argv)
{
    static struct session session;
    MPI_Init(&argc, &argv);
    if (session_begin(&session, argc, argv, &program))
        tune_all(&session);
    const int status = session_end(&session);
    MPI_Finalize();
    return status;
}
