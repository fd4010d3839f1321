/* See options.h. */
#include "options.h"

#include <argp.h>
#include <errno.h>
#include <stdlib.h>

enum { USAGE_STATUS = 64, ELEMENT = sizeof(double), LARGEST = 1 << 30 };

static const struct argp_option option_table[] = {
    {"bytes", 'b', "N", 0,
     "Size of a message, a multiple of 8; may be repeated. Without one: powers of 4 from 8 bytes "
     "to "
     "2 MiB",
     0},
    {"iterations", 'i', "N", 0, "Interleaved calls of the comparison at the end (50)", 0},
    {"rules", 'r', "FILE", 0, "Write the choices as a file of dynamic rules for Open MPI", 0},
    {"quiet", 'q', NULL, 0, "No progress display", 0},
    {"help", '?', NULL, 0, "Print this help", 0},
    {0}};

struct command_line {
    struct options *options;
    bool helped;
};

static bool read_number(const char *text, long low, long high, long *number)
{
    char *behind;
    errno = 0;
    *number = strtol(text, &behind, 10);
    return !errno && behind != text && !*behind && *number >= low && *number <= high;
}

static error_t add_size(struct options *options, const char *text, struct argp_state *state)
{
    long bytes;
    int at = options->sizes;
    if (!read_number(text, ELEMENT, LARGEST, &bytes) || bytes % ELEMENT) {
        argp_error(state, "--bytes %s: a multiple of %d from %d to %d", text, ELEMENT, ELEMENT,
                   LARGEST);
        return EINVAL;
    }
    for (int i = 0; i < options->sizes; i++)
        if (options->bytes[i] == (size_t)bytes)
            return 0;
    if (options->sizes == SIZES_LIMIT) {
        argp_error(state, "more than %d sizes", SIZES_LIMIT);
        return EINVAL;
    }
    for (; at > 0 && options->bytes[at - 1] > (size_t)bytes; at--)
        options->bytes[at] = options->bytes[at - 1];
    options->bytes[at] = (size_t)bytes;
    options->sizes++;
    return 0;
}

static error_t parse(int option, char *text, struct argp_state *state)
{
    struct command_line *line = state->input;
    long number;
    switch (option) {
    case 'b':
        return add_size(line->options, text, state);
    case 'i':
        if (!read_number(text, 1, 1000000, &number)) {
            argp_error(state, "--iterations %s: a number from 1 to 1000000", text);
            return EINVAL;
        }
        line->options->iterations = (int)number;
        return 0;
    case 'r':
        line->options->rules = text;
        return 0;
    case 'q':
        line->options->quiet = true;
        return 0;
    case '?':
        line->helped = true;
        argp_state_help(state, state->out_stream, ARGP_HELP_STD_HELP);
        return ECANCELED;
    case ARGP_KEY_ARG:
        argp_error(state, "%s: only options are expected", text);
        return EINVAL;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp argp = {
    .options = option_table,
    .parser = parse,
    .doc =
        "Finds the fastest of Open MPI's algorithms for MPI_Allreduce, for each size of message, "
        "on the ranks of this run, and compares it with Open MPI's own decision. Adds up doubles."};

bool options_read(struct options *options, int argc, char **argv, bool speaks)
{
    struct command_line line = {.options = options};
    const unsigned silence = speaks ? 0 : ARGP_SILENT;
    options->iterations = 50;
    /* The process must not end here: the other ranks wait for it in MPI_Finalize. */
    const error_t error =
        argp_parse(&argp, argc, argv, ARGP_NO_EXIT | ARGP_NO_HELP | silence, NULL, &line);
    options->exit_status = error && !line.helped ? USAGE_STATUS : 0;
    if (!error && options->sizes == 0)
        for (size_t bytes = ELEMENT; bytes <= 2u << 20; bytes *= 4)
            options->bytes[options->sizes++] = bytes;
    return !error;
}
