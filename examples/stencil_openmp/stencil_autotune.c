/*
 * A serial program with OpenMP threads, tuned: no MPI, one rank. How many threads, which tiles and
 * which schedule a stencil wants depends on the grid and the machine.
 *
 *     stencil_openmp --grid 256,256,256 --sweeps 20
 */
#include <argp.h>
#include <math.h>
#include <omp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tutti/tutti.h>

#include "common/statistics.h"
#include "stencil.h"

/* The first values are configuration 0: what one would write down without measuring. */
static const tutti_param params[] = {
    TUTTI_PARAM(struct stencil_config, threads, 1, 2, 4, 8, 16, 32, 64),
    TUTTI_CHOICE(struct stencil_config, schedule, {SCHEDULE_STATIC, "static"},
                 {SCHEDULE_DYNAMIC, "dynamic"}, {SCHEDULE_GUIDED, "guided"}),
    TUTTI_PARAM(struct stencil_config, tile_y, 8, 16, 32, 64),
    TUTTI_PARAM(struct stencil_config, tile_z, 1, 4, 16),
};

/* One problem: a grid, and two arrays between which sweeps go back and forth. */
struct problem {
    struct grid grid;
    double *from, *to;
};

static int make_key(tutti_key *key, const void *args, void *user)
{
    (void)user;
    const struct problem *problem = args;
    tutti_key_shape(key, "grid", 3,
                    (const int64_t[]){problem->grid.nz, problem->grid.ny, problem->grid.nx});
    tutti_key_string(key, "dtype", "fp64");
    tutti_key_integer(key, "processors", omp_get_num_procs()); /* that this process may use */
    return 0;
}

/* More threads than processors only take turns; tiles larger than the grid are all the same. */
static bool keep(const void *config, const void *args, void *user)
{
    (void)user;
    const struct stencil_config *knobs = config;
    const struct grid *grid = &((const struct problem *)args)->grid;
    return knobs->threads <= omp_get_num_procs() &&
           (knobs->tile_y <= grid->ny || knobs->tile_y == 8) &&
           (knobs->tile_z <= grid->nz || knobs->tile_z == 1);
}

static int run(void *args, const void *config, const tutti_context *context)
{
    (void)context;
    const struct problem *problem = args;
    return stencil_sweep(&problem->grid, problem->from, problem->to, config);
}

/* So that verify sees what a run wrote, and not what the one before it left. */
static int reset(void *args, const void *config, const tutti_context *context)
{
    (void)config, (void)context;
    const struct problem *problem = args;
    memset(problem->to, 0xff, grid_points(&problem->grid) * sizeof *problem->to);
    return 0;
}

/* A point of the result, straight from the definition. */
static double expected(const struct problem *problem, int x, int y, int z)
{
    const struct grid *grid = &problem->grid;
    const size_t nx = (size_t)grid->nx, plane = nx * (size_t)grid->ny;
    const size_t i = (size_t)z * plane + (size_t)y * nx + (size_t)x;
    const double *in = problem->from;
    const bool inner =
        x > 0 && y > 0 && z > 0 && x < grid->nx - 1 && y < grid->ny - 1 && z < grid->nz - 1;
    if (!inner)
        return in[i];
    return (in[i] + (in[i - 1] + in[i + 1]) + (in[i - nx] + in[i + nx]) +
            (in[i - plane] + in[i + plane])) /
           7;
}

static int verify(void *args, const void *config, const tutti_context *context)
{
    (void)config;
    const struct problem *problem = args;
    const double *out = problem->to;
    for (int z = 0; z < problem->grid.nz; z++) {
        for (int y = 0; y < problem->grid.ny; y++) {
            for (int x = 0; x < problem->grid.nx; x++, out++) {
                if (fabs(*out - expected(problem, x, y, z)) <= 1e-12)
                    continue;
                snprintf(context->message, context->message_size, "the point %d,%d,%d is %g", z, y,
                         x, *out);
                return TUTTI_VERDICT_WRONG;
            }
        }
    }
    return TUTTI_VERDICT_OK;
}

/* The command line. */
struct options {
    struct grid grid;
    int sweeps;
    bool quiet;
};

static error_t parse(int option, char *text, struct argp_state *state)
{
    struct options *options = state->input;
    struct grid *grid = &options->grid;
    char rest;
    switch (option) {
    case 'g':
        if (sscanf(text, "%d,%d,%d%c", &grid->nz, &grid->ny, &grid->nx, &rest) != 3 ||
            grid->nz < 3 || grid->ny < 3 || grid->nx < 3 || grid->nz > 4096 || grid->ny > 4096 ||
            grid->nx > 4096)
            argp_error(state, "--grid %s: three numbers NZ,NY,NX from 3 to 4096", text);
        return 0;
    case 's':
        if (sscanf(text, "%d%c", &options->sweeps, &rest) != 1 || options->sweeps < 1)
            argp_error(state, "--sweeps %s: a number from 1 on", text);
        return 0;
    case 'q':
        options->quiet = true;
        return 0;
    case ARGP_KEY_ARG:
        argp_error(state, "%s: only options are expected", text);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option option_table[] = {
    {"grid", 'g', "NZ,NY,NX", 0, "Points of the grid, x innermost (128,128,128)", 0},
    {"sweeps", 's', "N", 0, "Sweeps of the comparison at the end (20)", 0},
    {"quiet", 'q', NULL, 0, "No progress display", 0},
    {0}};

static bool allocate(struct problem *problem)
{
    const size_t points = grid_points(&problem->grid);
    problem->from = malloc(points * sizeof *problem->from);
    problem->to = malloc(points * sizeof *problem->to);
    if (!problem->from || !problem->to)
        return false;
    for (size_t i = 0; i < points; i++)
        problem->from[i] = (double)((i * 2654435761u) % 1000) / 1000;
    return true;
}

static int create_tuner(const struct options *options, tutti_tuner **tuner)
{
    char message[256] = "";
    const int status = tutti_tuner_create(
        &(tutti_tuner_desc){.size = sizeof(tutti_tuner_desc),
                            .name = "stencil7",
                            .version = "v1",
                            .source_id = TUTTI_SOURCE_ID,
                            .params = params,
                            .nparams = sizeof params / sizeof params[0],
                            .config_size = sizeof(struct stencil_config),
                            .key = make_key,
                            .prune = keep,
                            .run = run,
                            .reset = reset,
                            .verify = verify,
                            .progress = options->quiet ? NULL : tutti_progress_print,
                            .message = message,
                            .message_size = sizeof message},
        tuner);
    if (status)
        fprintf(stderr, "making the tuner: %s: %s\n", tutti_strerror(status), message);
    return status;
}

/* Sweeps with both, in turns, so that a change of the machine's speed hits both alike. */
static bool compare(struct problem *problem, const struct options *options,
                    const struct stencil_config *first, const struct stencil_config *best)
{
    const struct stencil_config *contenders[] = {first, best};
    const size_t sweeps = (size_t)options->sweeps;
    double *seconds = malloc(2 * sweeps * sizeof *seconds);
    int status = seconds ? 0 : -1;
    for (size_t turn = 0; !status && turn < 2 * sweeps; turn++) {
        const double begin = omp_get_wtime();
        status = stencil_sweep(&problem->grid, problem->from, problem->to, contenders[turn % 2]);
        seconds[(turn % 2) * sweeps + turn / 2] = omp_get_wtime() - begin;
        double *swap = problem->from;
        problem->from = problem->to;
        problem->to = swap;
    }
    if (!status) {
        const double before = statistics_of(seconds, sweeps).median;
        const double after = statistics_of(seconds + sweeps, sweeps).median;
        printf("configuration 0: %.3f ms a sweep; tuned: %.3f ms; speed-up %.2f\n", 1e3 * before,
               1e3 * after, ratio(before, after));
    }
    free(seconds);
    return !status;
}

static int tune(struct problem *problem, const struct options *options, tutti_tuner *tuner,
                tutti_group *group)
{
    char text[256];
    tutti_report report = {.size = sizeof report};
    struct stencil_config first;
    int status = tutti_call(tuner, problem, group, NULL);
    if (!status)
        status = tutti_report_get(tuner, problem, group, &report);
    if (!status)
        status = tutti_configuration(tuner, 0, &first);
    if (status) {
        fprintf(stderr, "%s: %s\n", tutti_strerror(status), tutti_message(tuner, group));
        return EXIT_FAILURE;
    }
    tutti_configuration_text(tuner, report.configuration, text, sizeof text);
    printf("%d,%d,%d: %s (%s)\n", problem->grid.nz, problem->grid.ny, problem->grid.nx, text,
           tutti_source_name(report.source));
    return compare(problem, options, &first, report.config) ? EXIT_SUCCESS : EXIT_FAILURE;
}

int main(int argc, char **argv)
{
    static const struct argp argp = {
        .options = option_table,
        .parser = parse,
        .doc = "Finds threads, tiles and schedule of a 7-point stencil, and compares them with "
               "configuration 0."};
    struct options options = {.grid = {128, 128, 128}, .sweeps = 20};
    struct problem problem = {0};
    tutti_tuner *tuner = NULL;
    tutti_group *group = NULL;
    int status = EXIT_FAILURE;
    argp_parse(&argp, argc, argv, 0, NULL, &options);
    problem.grid = options.grid;
    if (!allocate(&problem) || tutti_group_create_serial(&group))
        fprintf(stderr, "no memory for the grid\n");
    else if (!create_tuner(&options, &tuner))
        status = tune(&problem, &options, tuner, group);
    tutti_tuner_destroy(tuner);
    tutti_group_release(group);
    free(problem.from);
    free(problem.to);
    return status;
}
