/*
 * The reverse all-to-all with blocks that tutti finds: reverse_a2a.c with the tuner integrated, in
 * the numbered steps of docs/tutorial.md. The launcher is the same, and is not changed.
 *
 *     mpirun -n 2 reverse_a2a_autotune --shape 2048,8,128
 */
#include <mpi.h>
#include <stdlib.h>

#include <reverse_a2a/reverse_a2a.h>
#include <tutti/mpi.h>
#include <tutti/tutti.h>

#include "common/block_rule.h"
#include "common/export.h"
#include "common/session.h"
#include "common/steady.h"

static const struct program program = {
    .summary = "Finds the fastest blocks of the reverse all-to-all for every shape, or reads them "
               "from the cache; runs it, verifies it, and times it beside MPI_Alltoall, "
               "configuration 0 and the customary blocks (128,128,2).",
    .reference = "MPI_Alltoall",
    .tunes = true};

/* [1] Configuration space: the launcher's own struct, and the values of its fields. The first value
 * of each is configuration 0, the first parameter varies slowest: 5 x 2 x 4 = 40. */
static const tutti_param params[] = {
    TUTTI_PARAM(struct reverse_a2a_config, comm_block_s, 32, 64, 128, 256, 512),
    TUTTI_PARAM(struct reverse_a2a_config, comm_block_d, 64, 128),
    TUTTI_PARAM(struct reverse_a2a_config, buffer_num, 2, 3, 4, 8),
};

static const struct reverse_a2a_config customary = {
    .comm_block_s = 128, .comm_block_d = 128, .buffer_num = 2};

/* [2] Key: what makes two calls the same problem. The tuner's version belongs to it by itself, and
 * so does the placement of the ranks on the hardware. */
static int make_key(tutti_key *key, const void *args, void *user)
{
    (void)user;
    const struct problem *problem = args;
    const struct reverse_a2a_shape *shape = &problem->shape;
    const int64_t ranks = problem->team.ranks;
    tutti_key_shape(key, "A", 3, (const int64_t[]){ranks * shape->s, shape->h, shape->d});
    tutti_key_shape(key, "C", 3, (const int64_t[]){shape->s, ranks * shape->h, shape->d});
    tutti_key_string(key, "dtype", problem->dtype);
    tutti_key_integer(key, "ranks", ranks);
    return 0;
}

/* [3] Prune: true keeps a configuration; the others are never run. */
static bool keep(const void *config, const void *args, void *user)
{
    (void)user;
    const struct problem *problem = args;
    return block_rule_keeps(&problem->shape, config);
}

/* [4] Wrapper: calls the launcher as it is. What each run needs to be right belongs here, and is
 * timed, as deployed: the plan for these blocks, which the launcher makes once and then finds. */
static int run(void *args, const void *config, const tutti_context *context)
{
    (void)context;
    return problem_launch(args, config);
}

static int create_tuner(const struct job *job, char *message, size_t size, tutti_tuner **tuner)
{
    return tutti_tuner_create(
        &(tutti_tuner_desc){.size = sizeof(tutti_tuner_desc),
                            .name = "reverse_a2a",
                            .version = "v1",
                            .source_id = TUTTI_SOURCE_ID,
                            .params = params,
                            .nparams = sizeof params / sizeof params[0],
                            .config_size = sizeof(struct reverse_a2a_config),
                            .customary = &customary,
                            .key = make_key,
                            .prune = keep,
                            .run = run,
                            .progress = job->quiet ? NULL : tutti_progress_print,
                            .message = message,
                            .message_size = size},
        tuner);
}

/* The tuner and the group of the ranks that it tunes for. */
struct tuning {
    tutti_tuner *tuner;
    tutti_group *group;
};

/* False on all ranks if the status is an error on one, which then prints the tuner's sentence. */
static bool fine(const struct problem *problem, const struct tuning *tuning, int status)
{
    return team_agree(&problem->team, status == TUTTI_SUCCESS, "%s: %s: %s", problem->name,
                      tutti_strerror(status), tutti_message(tuning->tuner, tuning->group));
}

/* [5] Memory sized over the space: for one configuration ... */
static size_t memory_bytes(const void *config, const void *args, void *user)
{
    (void)user;
    const struct problem *problem = args;
    size_t bytes = SIZE_MAX;
    reverse_a2a_memory_bytes(&problem->shape, config, problem->team.ranks, &bytes);
    return bytes;
}

/* ... and for all that can run. The customary one is measured here even where it was pruned. */
static bool reserve_memory(struct problem *problem, const struct tuning *tuning)
{
    size_t bytes;
    const int status = tutti_max_size(tuning->tuner, problem, tuning->group, memory_bytes, &bytes);
    if (!fine(problem, tuning, status))
        return false;
    const size_t usual = memory_bytes(&customary, problem, NULL);
    return problem_reserve(problem, usual > bytes ? usual : bytes);
}

/* [6] Distributed call: every rank calls, all get the same blocks. The first call with a key tunes
 * or reads the record; later ones only look the key up in memory. */
static bool tune(struct problem *problem, const struct tuning *tuning, bool off)
{
    const tutti_call_options options = {.size = sizeof options, .autotune_off = off};
    tensors_poison(&problem->tensors);
    const int status = tutti_call(tuning->tuner, problem, tuning->group, &options);
    return fine(problem, tuning, status) && problem_verify(problem, "tutti_call", 0);
}

/* [7] Read back: which blocks, where they came from, and what finding them cost. */
static bool read_back(const struct problem *problem, const struct tuning *tuning,
                      struct result *result)
{
    tutti_report report = {.size = sizeof report};
    const int status = tutti_report_get(tuning->tuner, problem, tuning->group, &report);
    if (!fine(problem, tuning, status))
        return false;
    result->blocks = *(const struct reverse_a2a_config *)report.config;
    result->source = tutti_source_name(report.source);
    result->cached = report.source == TUTTI_SOURCE_RECORD;
    result->record = report.record;
    result->tuning_seconds = report.cold_seconds;
    result->search_seconds = report.search_seconds;
    return true;
}

/* [8] Run: a bound launch has everything decided, and costs no look-up. */
static int launch_tuned(struct problem *problem, const struct contender *self)
{
    return tutti_bound_launch(self->context, problem);
}

static bool measure(struct session *session, const struct tuning *tuning, struct result *result)
{
    struct problem *problem = &session->problem;
    struct reverse_a2a_config first;
    tutti_bound bound = {.size = sizeof bound};
    int status = tutti_configuration(tuning->tuner, 0, &first);
    if (status == TUTTI_SUCCESS)
        status = tutti_bind(tuning->tuner, problem, tuning->group, &bound);
    if (!fine(problem, tuning, status))
        return false;

    struct contender contenders[] = {
        {.name = "MPI_Alltoall", .launch = launch_reference},
        {.name = "tuned", .launch = launch_tuned, .blocks = &result->blocks, .context = &bound},
        {.name = "configuration 0", .launch = launch_blocks, .blocks = &first},
        {.name = "blocks (128,128,2)", .launch = launch_blocks, .blocks = &customary},
    };
    if (!steady_state(problem, &session->job, contenders, 4))
        return false;

    result->reference = contenders[0].seconds;
    result->tuned = contenders[1].seconds;
    result->configuration_0 = contenders[2].seconds;
    result->customary = contenders[3].seconds;
    return true;
}

static bool run_shape(struct session *session, const struct tuning *tuning, struct result *result)
{
    struct problem *problem = &session->problem;
    return reserve_memory(problem, tuning) && tune(problem, tuning, session->job.autotune_off) &&
           read_back(problem, tuning, result) && measure(session, tuning, result);
}

static bool start_tuning(const struct session *session, struct tuning *tuning)
{
    char message[256] = "";
    int status = create_tuner(&session->job, message, sizeof message, &tuning->tuner);
    if (!team_agree(&session->problem.team, status == TUTTI_SUCCESS, "making the tuner: %s: %s",
                    tutti_strerror(status), message))
        return false;
    status = tutti_group_create_mpi(session->problem.team.comm, &tuning->group);
    return team_agree(&session->problem.team, status == TUTTI_SUCCESS, "making the group: %s",
                      tutti_strerror(status));
}

static void tune_all(struct session *session)
{
    struct tuning tuning = {0};
    struct result *result;
    export_check(session);
    if (!session->failed)
        session->failed = !start_tuning(session, &tuning);
    while (session_next(session, &result))
        session_finish(session, run_shape(session, &tuning, result));
    session_print(session);
    export_results(session); /* [7] Export: the manifest, for other programs, and the CSV */
    tutti_tuner_destroy(tuning.tuner);
    tutti_group_release(tuning.group);
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
