/*
 * A library that has a tuner of its own, tuned: how long should FFTW plan, should the spectrum stay
 * transposed, should it be in place? FFTW measures on each rank what that rank does; here the
 * slowest rank of the whole transform decides.
 *
 *     mpirun -n 4 fftw_mpi --size 1024,1024
 */
#include <argp.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tutti/mpi.h>
#include <tutti/tutti.h>

#include "common/statistics.h"
#include "common/team.h"
#include "transform.h"

/* Configuration 0 is what FFTW's manual begins with. */
static const tutti_param params[] = {
    TUTTI_CHOICE(struct transform_config, rigor, {FFTW_ESTIMATE, "estimate"},
                 {FFTW_MEASURE, "measure"}),
    TUTTI_PARAM(struct transform_config, transposed, false, true),
    TUTTI_PARAM(struct transform_config, in_place, false, true),
};

struct problem {
    struct team team;
    struct field field;
};

static int make_key(tutti_key *key, const void *args, void *user)
{
    (void)user;
    const struct field *field = &((const struct problem *)args)->field;
    tutti_key_shape(key, "field", 2, (const int64_t[]){field->n0, field->n1});
    tutti_key_string(key, "dtype", "complex128");
    return 0;
}

static int prepare(void *args, const void *config, const tutti_context *context)
{
    struct problem *problem = args;
    *context->slot = transform_create(&problem->field, config);
    if (*context->slot)
        return 0;
    snprintf(context->message, context->message_size, "FFTW made no plan");
    return -1;
}

static void release(void *args, const void *config, const tutti_context *context)
{
    (void)args, (void)config;
    transform_destroy(*context->slot);
}

static int run(void *args, const void *config, const tutti_context *context)
{
    (void)args, (void)config;
    transform_round_trip(*context->slot);
    return 0;
}

/* One wave, of which the spectrum is one peak: k0 and k1 periods along the dimensions. */
enum { K0 = 3, K1 = 5 };

static void wave(const struct field *field, ptrdiff_t row, ptrdiff_t column, fftw_complex value)
{
    const double turn =
        (double)(K0 * row) / (double)field->n0 + (double)(K1 * column) / (double)field->n1;
    value[0] = cos(2 * M_PI * turn);
    value[1] = sin(2 * M_PI * turn);
}

/* Planning and each round trip change the field. */
static int reset(void *args, const void *config, const tutti_context *context)
{
    (void)config, (void)context;
    const struct field *field = &((struct problem *)args)->field;
    for (ptrdiff_t row = 0; row < field->rows; row++)
        for (ptrdiff_t column = 0; column < field->n1; column++)
            wave(field, field->first_row + row, column, field->values[row * field->n1 + column]);
    return 0;
}

static bool near(fftw_complex value, double real, double imaginary, double tolerance)
{
    return fabs(value[0] - real) <= tolerance && fabs(value[1] - imaginary) <= tolerance;
}

static bool is_multiple_of_wave(const struct field *field)
{
    const double scale = (double)field->n0 * (double)field->n1;
    for (ptrdiff_t row = 0; row < field->rows; row++) {
        for (ptrdiff_t column = 0; column < field->n1; column++) {
            fftw_complex expected;
            wave(field, field->first_row + row, column, expected);
            if (!near(field->values[row * field->n1 + column], scale * expected[0],
                      scale * expected[1], 1e-9 * scale))
                return false;
        }
    }
    return true;
}

static bool is_one_peak(const struct transform *transform)
{
    const struct field *field = transform->field;
    const bool transposed = transform->config.transposed;
    fftw_complex *spectrum = transform_spectrum(transform);
    const double scale = (double)field->n0 * (double)field->n1;
    const ptrdiff_t first = transposed ? field->first_column : field->first_row;
    const ptrdiff_t outer = transposed ? field->columns : field->rows;
    const ptrdiff_t inner = transposed ? field->n0 : field->n1;
    const ptrdiff_t peak_outer = transposed ? K1 % field->n1 : K0 % field->n0;
    const ptrdiff_t peak_inner = transposed ? K0 % field->n0 : K1 % field->n1;
    for (ptrdiff_t i = 0; i < outer; i++) {
        for (ptrdiff_t j = 0; j < inner; j++) {
            const bool peak = first + i == peak_outer && j == peak_inner;
            if (!near(spectrum[i * inner + j], peak ? scale : 0, 0, 1e-9 * scale))
                return false;
        }
    }
    return true;
}

/* The round trip that was run, and the spectrum half-way, which needs another forward transform. */
static int verify(void *args, const void *config, const tutti_context *context)
{
    struct problem *problem = args;
    const bool same = is_multiple_of_wave(&problem->field);
    reset(args, config, context);
    transform_forward(*context->slot);
    const bool peak = is_one_peak(*context->slot);
    if (!(same && peak))
        snprintf(context->message, context->message_size, "the %s is wrong",
                 same ? "spectrum" : "field after the round trip");
    return same && peak ? TUTTI_VERDICT_OK : TUTTI_VERDICT_WRONG;
}

struct options {
    long n0, n1;
    int iterations;
    bool quiet, helped;
};

static const struct argp_option option_table[] = {
    {"size", 's', "N0,N1", 0, "Extents of the field (512,512)", 0},
    {"iterations", 'i', "N", 0, "Interleaved round trips of the comparison at the end (20)", 0},
    {"quiet", 'q', NULL, 0, "No progress display", 0},
    {"help", '?', NULL, 0, "Print this help", 0},
    {0}};

static error_t parse(int option, char *text, struct argp_state *state)
{
    struct options *options = state->input;
    char rest;
    switch (option) {
    case 's':
        if (sscanf(text, "%ld,%ld%c", &options->n0, &options->n1, &rest) == 2 && options->n0 > 0 &&
            options->n1 > 0 && options->n0 <= 32768 && options->n1 <= 32768)
            return 0;
        argp_error(state, "--size %s: two numbers from 1 to 32768", text);
        return EINVAL;
    case 'i':
        if (sscanf(text, "%d%c", &options->iterations, &rest) == 1 && options->iterations > 0 &&
            options->iterations <= 1000000)
            return 0;
        argp_error(state, "--iterations %s: a number from 1 to 1000000", text);
        return EINVAL;
    case 'q':
        options->quiet = true;
        return 0;
    case '?':
        options->helped = true;
        argp_state_help(state, state->out_stream, ARGP_HELP_STD_HELP);
        return ECANCELED;
    case ARGP_KEY_ARG:
        argp_error(state, "%s: only options are expected", text);
        return EINVAL;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* The two transforms in turns; each is as often the first of a pair as the second. */
static bool compare(struct problem *problem, const struct transform *const contenders[2],
                    int iterations, double medians[2])
{
    const size_t pairs = (size_t)iterations;
    double *seconds = malloc(2 * pairs * sizeof *seconds);
    if (!team_agree(&problem->team, seconds, "no memory for the times"))
        return false;
    for (size_t turn = 0; turn < 2 * pairs; turn++) {
        const size_t pair = turn / 2, which = (turn + pair) % 2;
        reset(problem, NULL, NULL);
        team_barrier(&problem->team);
        const double begin = MPI_Wtime();
        transform_round_trip(contenders[which]);
        seconds[which * pairs + pair] = MPI_Wtime() - begin;
    }
    team_maximum(&problem->team, seconds, 2 * iterations);
    for (int i = 0; i < 2; i++)
        medians[i] = statistics_of(seconds + (size_t)i * pairs, pairs).median;
    free(seconds);
    return true;
}

struct tuning {
    tutti_tuner *tuner;
    tutti_group *group;
};

static bool fine(const struct problem *problem, const struct tuning *tuning, int status)
{
    return team_agree(&problem->team, status == TUTTI_SUCCESS, "%s: %s", tutti_strerror(status),
                      tutti_message(tuning->tuner, tuning->group));
}

static bool start(const struct options *options, const struct problem *problem,
                  struct tuning *tuning)
{
    char message[256] = "";
    int status = tutti_tuner_create(
        &(tutti_tuner_desc){.size = sizeof(tutti_tuner_desc),
                            .name = "fftw_round_trip",
                            .version = fftw_version,
                            .source_id = TUTTI_SOURCE_ID,
                            .params = params,
                            .nparams = sizeof params / sizeof params[0],
                            .config_size = sizeof(struct transform_config),
                            .key = make_key,
                            .prepare = prepare,
                            .release = release,
                            .run = run,
                            .reset = reset,
                            .verify = verify,
                            .progress = options->quiet ? NULL : tutti_progress_print,
                            .message = message,
                            .message_size = sizeof message},
        &tuning->tuner);
    if (!team_agree(&problem->team, !status, "making the tuner: %s: %s", tutti_strerror(status),
                    message))
        return false;
    status = tutti_group_create_mpi(problem->team.comm, &tuning->group);
    return team_agree(&problem->team, !status, "making the group: %s", tutti_strerror(status));
}

/* How much faster than configuration 0: both are planned anew. */
static bool show_gain(struct problem *problem, const struct options *options,
                      const struct transform_config *first, const struct transform_config *best)
{
    double medians[2];
    struct transform *contenders[2] = {transform_create(&problem->field, first),
                                       transform_create(&problem->field, best)};
    bool good =
        team_agree(&problem->team, contenders[0] && contenders[1], "FFTW made no plan") &&
        compare(problem, (const struct transform *const *)contenders, options->iterations, medians);
    if (good && problem->team.rank == 0)
        printf("configuration 0: %.3f ms a round trip; tuned: %.3f ms; speed-up %.2f\n",
               1e3 * medians[0], 1e3 * medians[1], ratio(medians[0], medians[1]));
    transform_destroy(contenders[0]);
    transform_destroy(contenders[1]);
    return good;
}

static bool tune(struct problem *problem, const struct options *options,
                 const struct tuning *tuning)
{
    char text[128];
    tutti_report report = {.size = sizeof report};
    struct transform_config first;
    int status = tutti_call(tuning->tuner, problem, tuning->group, NULL);
    if (!status)
        status = tutti_report_get(tuning->tuner, problem, tuning->group, &report);
    if (!status)
        status = tutti_configuration(tuning->tuner, 0, &first);
    if (!fine(problem, tuning, status))
        return false;
    tutti_configuration_text(tuning->tuner, report.configuration, text, sizeof text);
    if (problem->team.rank == 0)
        printf("%td,%td on %d ranks: %s (%s)\n", problem->field.n0, problem->field.n1,
               problem->team.ranks, text, tutti_source_name(report.source));
    return show_gain(problem, options, &first, report.config);
}

static bool work(const struct options *options, int ranks)
{
    struct problem problem = {0};
    struct tuning tuning = {0};
    team_form(&problem.team, ranks);
    const bool allocated =
        field_allocate(&problem.field, problem.team.comm, options->n0, options->n1);
    const bool good = team_agree(&problem.team, allocated, "no memory for the field") &&
                      start(options, &problem, &tuning) && tune(&problem, options, &tuning);
    tutti_tuner_destroy(tuning.tuner);
    tutti_group_release(tuning.group);
    field_free(&problem.field);
    team_dissolve(&problem.team);
    return good;
}

int main(int argc, char **argv)
{
    static const struct argp argp = {
        .options = option_table,
        .parser = parse,
        .doc =
            "Finds how FFTW should plan and lay out a two-dimensional transform, there and back, "
            "over the ranks of this run."};
    struct options options = {.n0 = 512, .n1 = 512, .iterations = 20};
    int rank, ranks, status = 64; /* EX_USAGE of <sysexits.h> */
    MPI_Init(&argc, &argv);
    fftw_mpi_init();
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const unsigned flags = ARGP_NO_EXIT | ARGP_NO_HELP | (rank ? ARGP_SILENT : 0);
    const error_t error = argp_parse(&argp, argc, argv, flags, NULL, &options);
    if (!error)
        status = work(&options, ranks) ? EXIT_SUCCESS : EXIT_FAILURE;
    else if (options.helped)
        status = EXIT_SUCCESS;
    fftw_mpi_cleanup();
    MPI_Finalize();
    return status;
}
