/*
 * A subject that is not our own: which of Open MPI's algorithms is the fastest MPI_Allreduce here?
 * Each candidate needs a communicator that was made for it: prepare makes one, release frees it.
 *
 *     mpirun -n 8 allreduce_algorithm --rules allreduce.conf
 *     mpirun -n 8 --mca coll_tuned_use_dynamic_rules 1 \
 *         --mca coll_tuned_dynamic_rules_filename $PWD/allreduce.conf any_program
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tutti/mpi.h>
#include <tutti/tutti.h>

#include "common/statistics.h"
#include "common/team.h"
#include "control.h"
#include "options.h"
#include "rules.h"

/* The names are Open MPI's. Only the segmented ring has segments; for the others the size is 0. */
static const tutti_param params[] = {
    TUTTI_CHOICE(struct allreduce_config, algorithm, {ALLREDUCE_OWN_DECISION, "ignore"},
                 {ALLREDUCE_LINEAR, "basic_linear"}, {ALLREDUCE_NONOVERLAPPING, "nonoverlapping"},
                 {ALLREDUCE_RECURSIVE_DOUBLING, "recursive_doubling"}, {ALLREDUCE_RING, "ring"},
                 {ALLREDUCE_SEGMENTED_RING, "segmented_ring"},
                 {ALLREDUCE_RABENSEIFNER, "rabenseifner"}),
    TUTTI_PARAM_IF(struct allreduce_config, segment_size,
                   TUTTI_WHEN(struct allreduce_config, algorithm, ALLREDUCE_SEGMENTED_RING), 0,
                   4096, 16384, 65536, 262144),
};

/* One size of message on one team. */
struct problem {
    struct team team;
    const struct control *control;
    size_t bytes;
    double *send, *receive;
};

static int elements(const struct problem *problem)
{
    return (int)(problem->bytes / sizeof *problem->send);
}

static int make_key(tutti_key *key, const void *args, void *user)
{
    (void)user;
    const struct problem *problem = args;
    tutti_key_integer(key, "elements", elements(problem));
    tutti_key_string(key, "dtype", "fp64");
    tutti_key_string(key, "operation", "sum");
    return 0;
}

/* A segmented ring has segments, more than one of them. */
static bool keep(const void *config, const void *args, void *user)
{
    (void)user;
    const struct allreduce_config *knobs = config;
    const struct problem *problem = args;
    return knobs->algorithm != ALLREDUCE_SEGMENTED_RING ||
           (knobs->segment_size > 0 && (size_t)knobs->segment_size < problem->bytes);
}

static int prepare(void *args, const void *config, const tutti_context *context)
{
    const struct problem *problem = args;
    MPI_Comm *comm = malloc(sizeof *comm);
    MPI_Comm made;
    const int error = control_communicator(problem->control, config, problem->team.comm, &made);
    if (!error && comm) {
        *comm = made;
        *context->slot = comm;
        return 0;
    }
    if (!error)
        MPI_Comm_free(&made);
    free(comm);
    snprintf(context->message, context->message_size, "no communicator for this algorithm");
    return -1;
}

static void release(void *args, const void *config, const tutti_context *context)
{
    (void)args, (void)config;
    MPI_Comm *comm = *context->slot;
    MPI_Comm_free(comm);
    free(comm);
}

/* The launcher. */
static int run(void *args, const void *config, const tutti_context *context)
{
    (void)config;
    const struct problem *problem = args;
    return MPI_Allreduce(problem->send, problem->receive, elements(problem), MPI_DOUBLE, MPI_SUM,
                         *(MPI_Comm *)*context->slot);
}

static int reset(void *args, const void *config, const tutti_context *context)
{
    (void)config, (void)context;
    const struct problem *problem = args;
    memset(problem->receive, 0xff, problem->bytes);
    return 0;
}

/* Small whole numbers, whose sums are exact in any order. */
static double element(int rank, int i)
{
    return (double)((i + 31 * rank) % 1009);
}

static int verify(void *args, const void *config, const tutti_context *context)
{
    (void)config;
    const struct problem *problem = args;
    for (int i = 0; i < elements(problem); i++) {
        double sum = 0;
        for (int rank = 0; rank < problem->team.ranks; rank++)
            sum += element(rank, i);
        if (problem->receive[i] == sum)
            continue;
        snprintf(context->message, context->message_size, "element %d is %g instead of %g", i,
                 problem->receive[i], sum);
        return TUTTI_VERDICT_WRONG;
    }
    return TUTTI_VERDICT_OK;
}

static int create_tuner(bool quiet, char *message, size_t size, tutti_tuner **tuner)
{
    return tutti_tuner_create(&(tutti_tuner_desc){.size = sizeof(tutti_tuner_desc),
                                                  .name = "MPI_Allreduce",
                                                  .version = "v1",
                                                  .source_id = TUTTI_SOURCE_ID,
                                                  .params = params,
                                                  .nparams = sizeof params / sizeof params[0],
                                                  .config_size = sizeof(struct allreduce_config),
                                                  .key = make_key,
                                                  .prune = keep,
                                                  .prepare = prepare,
                                                  .release = release,
                                                  .run = run,
                                                  .reset = reset,
                                                  .verify = verify,
                                                  .progress = quiet ? NULL : tutti_progress_print,
                                                  .message = message,
                                                  .message_size = size},
                              tuner);
}

static bool allocate(struct problem *problem, size_t bytes)
{
    problem->bytes = bytes;
    problem->send = malloc(bytes);
    problem->receive = malloc(bytes);
    if (!team_agree(&problem->team, problem->send && problem->receive,
                    "no memory for messages of %zu bytes", bytes))
        return false;
    for (int i = 0; i < elements(problem); i++)
        problem->send[i] = element(problem->team.rank, i);
    return true;
}

static void free_messages(struct problem *problem)
{
    free(problem->send);
    free(problem->receive);
    problem->send = problem->receive = NULL;
}

/* One call, with the choice or with Open MPI's own decision. Returns an MPI error. */
static int call(struct problem *problem, const tutti_bound *choice)
{
    if (choice)
        return tutti_bound_launch(choice, problem);
    return MPI_Allreduce(problem->send, problem->receive, elements(problem), MPI_DOUBLE, MPI_SUM,
                         problem->team.comm);
}

/* Pairs of calls, in which each is as often the first as the second. Medians of the slowest rank.
 */
static bool compare(struct problem *problem, const tutti_bound *choice, int iterations, double *own,
                    double *tuned)
{
    const size_t pairs = (size_t)iterations;
    double *seconds = malloc(2 * pairs * sizeof *seconds);
    int error = MPI_SUCCESS;
    if (!team_agree(&problem->team, seconds, "no memory for the times"))
        return false;
    for (size_t turn = 0; turn < 2 * pairs; turn++) {
        const size_t pair = turn / 2, chosen = (turn + pair) % 2;
        team_barrier(&problem->team);
        const double begin = MPI_Wtime();
        const int failure = call(problem, chosen ? choice : NULL);
        seconds[chosen * pairs + pair] = MPI_Wtime() - begin;
        error = failure ? failure : error;
    }
    team_maximum(&problem->team, seconds, 2 * iterations);
    *own = statistics_of(seconds, pairs).median;
    *tuned = statistics_of(seconds + pairs, pairs).median;
    free(seconds);
    return team_agree(&problem->team, !error, "MPI_Allreduce of %zu bytes failed", problem->bytes);
}

/* What the program works with. */
struct session {
    struct options options;
    struct control control;
    struct problem problem;
    tutti_tuner *tuner;
    tutti_group *group;
    struct rule rules[SIZES_LIMIT];
};

static bool fine(const struct session *session, int status)
{
    return team_agree(&session->problem.team, status == TUTTI_SUCCESS, "%zu bytes: %s: %s",
                      session->problem.bytes, tutti_strerror(status),
                      tutti_message(session->tuner, session->group));
}

static bool tune(struct session *session, struct rule *rule)
{
    struct problem *problem = &session->problem;
    tutti_report report = {.size = sizeof report};
    tutti_bound bound = {.size = sizeof bound};
    char text[128];
    double own, tuned;
    int status = tutti_call(session->tuner, problem, session->group, NULL);
    if (!status)
        status = tutti_report_get(session->tuner, problem, session->group, &report);
    if (!status)
        status = tutti_bind(session->tuner, problem, session->group, &bound);
    if (!fine(session, status) ||
        !compare(problem, &bound, session->options.iterations, &own, &tuned))
        return false;
    *rule = (struct rule){problem->bytes, *(const struct allreduce_config *)report.config};
    tutti_configuration_text(session->tuner, report.configuration, text, sizeof text);
    if (problem->team.rank == 0)
        printf("%10zu  %-48s %10.2f %10.2f %8.2fx  %s\n", problem->bytes, text, 1e6 * own,
               1e6 * tuned, ratio(own, tuned), tutti_source_name(report.source));
    return true;
}

static bool tune_all(struct session *session)
{
    const struct options *options = &session->options;
    bool good = true;
    if (session->problem.team.rank == 0)
        printf("%d ranks, doubles, sums; microseconds, medians of the slowest rank\n"
               "%10s  %-48s %10s %10s %9s\n",
               session->problem.team.ranks, "bytes", "choice", "Open MPI", "tuned", "speed-up");
    for (int i = 0; i < options->sizes && good; i++) {
        good = allocate(&session->problem, options->bytes[i]) && tune(session, &session->rules[i]);
        free_messages(&session->problem);
    }
    if (!good || !options->rules)
        return good;
    const struct team *team = &session->problem.team;
    return team_agree(team,
                      team->rank != 0 ||
                          rules_write(options->rules, team->ranks, session->rules, options->sizes),
                      "%s can't be written", options->rules);
}

static bool start(struct session *session)
{
    struct problem *problem = &session->problem;
    char message[256] = "";
    bool good = control_open(&session->control, message, sizeof message);
    if (!team_agree(&problem->team, good, "%s", message))
        return false;
    problem->control = &session->control;
    int status = create_tuner(session->options.quiet, message, sizeof message, &session->tuner);
    if (!team_agree(&problem->team, !status, "making the tuner: %s: %s", tutti_strerror(status),
                    message))
        return false;
    status = tutti_group_create_mpi(problem->team.comm, &session->group);
    return team_agree(&problem->team, !status, "making the group: %s", tutti_strerror(status));
}

int main(int argc, char **argv)
{
    static struct session session;
    int rank, ranks, status = EXIT_FAILURE;
    control_allow();
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (!options_read(&session.options, argc, argv, rank == 0)) {
        status = session.options.exit_status;
    } else {
        team_form(&session.problem.team, ranks);
        if (start(&session) && tune_all(&session))
            status = EXIT_SUCCESS;
        tutti_tuner_destroy(session.tuner);
        tutti_group_release(session.group);
        control_close(&session.control);
        team_dissolve(&session.problem.team);
    }
    MPI_Finalize();
    return status;
}
