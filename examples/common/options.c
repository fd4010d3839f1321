/* See options.h. */
#include "options.h"

#include <argp.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "environment.h"

enum { KEY_SHAPE = 's', KEY_HELP = '?', KEY_USAGE = 256, KEY_SWEEP, KEY_DTYPE, KEY_RANKS, KEY_OFF };

/* What the parser works on. */
struct command_line {
    struct job *job;
    const struct program *program;
    int world;
    bool helped;
};

static const struct argp_option options[] = {
    {"shape", KEY_SHAPE, "S,H,D", 0,
     "A shape to run; may be repeated. Without one: 2048,8,128; 64,8,128; 4096,12,128; "
     "2041,12,128; 512,8,64",
     1},
    {"sweep", KEY_SWEEP, NULL, 0,
     "216 shapes: S in 2040..2048, 4088..4096, 8184..8192; H in 8, 12, 24, 28, 32, 40, 48, 56; "
     "D = 128",
     1},
    {"dtype", KEY_DTYPE, "TYPE", 0, "bf16 (the default), fp32, fp64 or int8", 1},
    {"ranks", KEY_RANKS, "N", 0, "Only the first N ranks take part; the others wait", 1},
    {"help", KEY_HELP, NULL, 0, "Print this help", -1},
    {"usage", KEY_USAGE, NULL, 0, "Print a short usage message", -1},
    {0}};

static const struct argp_option tuning_options[] = {
    {"no-autotune", KEY_OFF, NULL, 0, "Neither tune nor look up: configuration 0 runs", 2},
    {"quiet", 'q', NULL, 0, "No progress display", 2},
    {0}};

static const struct {
    const char *name;
    size_t bytes;
} dtypes[] = {{"bf16", 2}, {"fp32", 4}, {"fp64", 8}, {"int8", 1}};

static void add_shape(struct job *job, int64_t s, int64_t h, int64_t d, struct argp_state *state)
{
    if (job->nshapes == JOB_SHAPES) {
        argp_error(state, "more than %d shapes", JOB_SHAPES);
        return;
    }
    job->shapes[job->nshapes++] = (struct reverse_a2a_shape){.s = s, .h = h, .d = d};
}

static bool read_extent(const char **at, char end, int64_t *extent)
{
    char *behind;
    if (**at < '0' || **at > '9')
        return false;
    errno = 0;
    *extent = strtoll(*at, &behind, 10);
    if (errno || *behind != end)
        return false;
    *at = behind + 1;
    return true;
}

static error_t read_shape(struct job *job, const char *text, struct argp_state *state)
{
    int64_t s, h, d;
    const char *at = text;
    if (!read_extent(&at, ',', &s) || !read_extent(&at, ',', &h) || !read_extent(&at, '\0', &d)) {
        argp_error(state, "--shape %s: three numbers S,H,D, 0 or more, such as 2048,8,128", text);
        return EINVAL;
    }
    const int before = job->nshapes;
    add_shape(job, s, h, d, state);
    return job->nshapes > before ? 0 : EINVAL;
}

static error_t add_sweep(struct job *job, struct argp_state *state)
{
    static const int64_t last[] = {2048, 4096, 8192}, heads[] = {8, 12, 24, 28, 32, 40, 48, 56};
    enum { RANGES = 3, WIDTH = 9, HEADS = 8 };
    if (job->nshapes + RANGES * WIDTH * HEADS > JOB_SHAPES) {
        argp_error(state, "more than %d shapes", JOB_SHAPES);
        return EINVAL;
    }
    for (int i = 0; i < RANGES * WIDTH; i++)
        for (int h = 0; h < HEADS; h++)
            add_shape(job, last[i / WIDTH] - WIDTH + 1 + i % WIDTH, heads[h], 128, state);
    return 0;
}

static error_t read_dtype(struct job *job, const char *text, struct argp_state *state)
{
    for (size_t i = 0; i < sizeof dtypes / sizeof dtypes[0]; i++) {
        if (strcmp(dtypes[i].name, text) == 0) {
            strcpy(job->dtype, text);
            return 0;
        }
    }
    argp_error(state, "--dtype %s: it is bf16, fp32, fp64 or int8", text);
    return EINVAL;
}

static error_t read_ranks(struct job *job, const char *text, int world, struct argp_state *state)
{
    int64_t ranks;
    const char *at = text;
    if (!read_extent(&at, '\0', &ranks) || ranks < 1 || ranks > world) {
        argp_error(state, "--ranks %s: a number from 1 to %d, the ranks of this run", text, world);
        return EINVAL;
    }
    job->ranks = (int)ranks;
    return 0;
}

static error_t give_help(struct command_line *line, unsigned kind, struct argp_state *state)
{
    line->helped = true;
    argp_state_help(state, state->out_stream, kind);
    return ECANCELED;
}

static error_t parse(int key, char *text, struct argp_state *state)
{
    struct command_line *line = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        if (line->program->tunes)
            state->child_inputs[0] = line;
        return 0;
    case KEY_SHAPE:
        return read_shape(line->job, text, state);
    case KEY_SWEEP:
        return add_sweep(line->job, state);
    case KEY_DTYPE:
        return read_dtype(line->job, text, state);
    case KEY_RANKS:
        return read_ranks(line->job, text, line->world, state);
    case KEY_HELP:
        return give_help(line, ARGP_HELP_STD_HELP, state);
    case KEY_USAGE:
        return give_help(line, ARGP_HELP_USAGE, state);
    case ARGP_KEY_ARG:
        argp_error(state, "%s: only options are expected", text);
        return EINVAL;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static error_t parse_tuning(int key, char *text, struct argp_state *state)
{
    struct command_line *line = state->input;
    (void)text;
    switch (key) {
    case KEY_OFF:
        line->job->autotune_off = true;
        return 0;
    case 'q':
        line->job->quiet = true;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* Adds the environment to the help. argp frees what differs from the text that it gave. */
static char *extend_help(int key, const char *text, void *input)
{
    const struct command_line *line = input;
    if (key == ARGP_KEY_HELP_POST_DOC)
        return strdup(environment_help(line->program->tunes));
    return (char *)(uintptr_t)text;
}

/* A handful of real ones: prefill and decode lengths, head counts, a length that no block divides.
 */
static void add_default_shapes(struct job *job)
{
    static const int64_t shapes[][3] = {
        {2048, 8, 128}, {64, 8, 128}, {4096, 12, 128}, {2041, 12, 128}, {512, 8, 64}};
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++)
        add_shape(job, shapes[i][0], shapes[i][1], shapes[i][2], NULL);
}

static void complete(struct job *job, int world)
{
    if (job->nshapes == 0)
        add_default_shapes(job);
    if (job->ranks == 0)
        job->ranks = world;
    size_t bytes = 0;
    for (size_t i = 0; i < sizeof dtypes / sizeof dtypes[0]; i++)
        if (strcmp(dtypes[i].name, job->dtype) == 0)
            bytes = dtypes[i].bytes;
    for (int i = 0; i < job->nshapes; i++)
        job->shapes[i].element_size = bytes;
}

bool options_read(struct job *job, int argc, char **argv, const struct program *program, int world)
{
    static const struct argp tuning = {.options = tuning_options, .parser = parse_tuning};
    static const struct argp_child children[] = {{&tuning, 0, NULL, 0}, {0}};
    const struct argp argp = {.options = options,
                              .parser = parse,
                              .doc = program->summary,
                              .children = program->tunes ? children : NULL,
                              .help_filter = extend_help};
    struct command_line line = {.job = job, .program = program, .world = world};
    strcpy(job->dtype, dtypes[0].name);
    /* The process must not end here: the other ranks wait for the root. Help is ours for that. */
    const error_t error = argp_parse(&argp, argc, argv, ARGP_NO_EXIT | ARGP_NO_HELP, NULL, &line);
    job->exit_status = error && !line.helped ? EXIT_STATUS_USAGE : 0;
    if (error)
        return false;
    complete(job, world);
    return true;
}
