/* tutti report: records as a page for a browser, or one plot as a picture. */
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "file.h"
#include "print.h"
#include "report.h"

enum { KEY_OUTPUT = 'o', KEY_SVG = 1000, KEY_PNG, KEY_PLOT, KEY_X = 'x', KEY_Y = 'y' };

static const char *const plots[] = {
    [PLOT_LANDSCAPE] = "landscape", [PLOT_SAMPLES] = "samples", [PLOT_RACE] = "race", NULL};

struct input {
    struct output_options output;
    struct selection selection;
    const char *page, *svg, *png; /* paths */
    int plot;                     /* -1: not named */
    const char *across, *up;
};

static int read_plot(struct argp_state *state, const char *text)
{
    for (int i = 0; plots[i]; i++)
        if (strcmp(plots[i], text) == 0)
            return i;
    argp_error(state, "--plot %s: landscape, samples or race", text);
    return 0;
}

static void check(const struct input *input, struct argp_state *state)
{
    const bool has_picture = input->svg || input->png;
    const int on_stdout = (input->page && strcmp(input->page, "-") == 0) +
                          (input->svg && strcmp(input->svg, "-") == 0) +
                          (input->png && strcmp(input->png, "-") == 0);
    if (on_stdout > 1)
        argp_error(state, "only one file can go to stdout");
    if (!input->page && !has_picture)
        argp_error(state, "--output, --svg or --png is missing");
    if (!has_picture && (input->plot >= 0 || input->across || input->up))
        argp_error(state, "--plot, --x and --y are for --svg and --png");
    if (input->plot > PLOT_LANDSCAPE && (input->across || input->up))
        argp_error(state, "--x and --y are for the landscape");
}

static error_t parse(int key, char *text, struct argp_state *state)
{
    struct input *input = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &input->selection;
        state->child_inputs[1] = &input->output;
        return 0;
    case KEY_OUTPUT:
        input->page = text;
        return 0;
    case KEY_SVG:
        input->svg = text;
        return 0;
    case KEY_PNG:
        input->png = text;
        return 0;
    case KEY_PLOT:
        input->plot = read_plot(state, text);
        return 0;
    case KEY_X:
        input->across = text;
        return 0;
    case KEY_Y:
        input->up = text;
        return 0;
    case ARGP_KEY_END:
        check(input, state);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option options[] = {
    {"output", KEY_OUTPUT, "FILE", 0, "Write the page; - is stdout", 2},
    {"svg", KEY_SVG, "FILE", 0, "Write one plot of one record as SVG; - is stdout", 2},
    {"png", KEY_PNG, "FILE", 0, "Write one plot of one record as PNG; - is stdout", 2},
    {"plot", KEY_PLOT, "PLOT", 0, "Which: landscape (default), samples or race", 2},
    {"x", KEY_X, "KNOB", 0, "The landscape's knob from left to right", 2},
    {"y", KEY_Y, "KNOB", 0,
     "The landscape's knob from top to bottom. Default of both: those that matter most", 2},
    {0}};

static const struct argp_child children[] = {
    {&selection_argp, 0, NULL, 0}, {&output_argp, 0, NULL, 0}, {0}};

static const struct argp argp = {
    .options = options,
    .parser = parse,
    .args_doc = "[FUNCTION|RECORD|FILE]...",
    .doc = "Write a page for a browser about all records of a store, or those that are meant: one "
           "HTML file that needs no network and no server. Or draw one plot of one record."
           "\vWith --json it says in JSON what was written.\n\n"
           "Exit status: 0; 1 if no record is meant, or for a plot more than one, or the record "
           "has nothing to plot; 2 wrong usage; 3 an error, and the file is as it was.",
    .children = children};

/* ---- writing ---- */

/* Takes the bytes. */
static bool write_file(const char *path, char *bytes, size_t length)
{
    char *why = NULL;
    const bool good = file_write(path, bytes, length, &why);
    if (!good)
        fail("%s", why ? why : "can't write the output");
    free(bytes);
    free(why);
    return good;
}

/* Said when all is done, so that --json gives one value. Nothing about stdout, which has the bytes.
 */
static void say_written(const struct input *input, const struct found *found)
{
    const char *const paths[] = {input->page, input->svg, input->png};
    static const char *const names[] = {"page", "svg", "png"};
    json_t *object = need(json_object());
    bool is_on_stdout = false;
    for (size_t i = 0; i < 3; i++) {
        if (!paths[i])
            continue;
        char *shown = printable(paths[i]);
        is_on_stdout = is_on_stdout || strcmp(paths[i], "-") == 0;
        json_object_set_new(object, names[i], json_string(shown));
        free(shown);
    }
    json_object_set_new(object, "records", json_integer((json_int_t)found->count));
    json_object_set_new(object, "unreadable", json_integer((json_int_t)found->nunreadable));
    if (input->output.json && !is_on_stdout)
        print_json(json_incref(object));
    json_decref(object);
}

static bool write_page(const struct input *input, const struct found *found)
{
    size_t length;
    char *bytes = report_page(found, &length);
    return write_file(input->page, bytes, length);
}

/* ---- a plot ---- */

static bool find_axis(const struct chart *chart, const char *option, const char *name, size_t *knob)
{
    size_t named;
    if (!name)
        return true;
    if (chart_find(chart, name, &named)) {
        *knob = named;
        return true;
    }
    char *shown = printable(name), *names = format("%s", "");
    for (size_t i = 0; i < chart->nknobs; i++) {
        char *longer = format("%s%s%s", names, i ? ", " : "", chart->knobs[i].name);
        free(names);
        names = longer;
    }
    fail("%s %s: the record has the knobs %s", option, shown, names);
    free(shown);
    free(names);
    return false;
}

/* A knob that is named takes the place of the default, which then takes the other's. */
static bool find_axes(const struct input *input, struct plot *plot)
{
    const struct chart *chart = plot->chart;
    size_t across = chart->across, up = chart->up;
    if (!find_axis(chart, "--x", input->across, &across) ||
        !find_axis(chart, "--y", input->up, &up))
        return false;
    if (across == up && !input->up)
        up = chart->across;
    else if (across == up && !input->across)
        across = chart->up;
    plot->across = across;
    plot->up = up;
    return true;
}

static bool write_picture(const struct plot *plot, bool is_svg, const char *path)
{
    size_t length;
    char *why = NULL;
    char *bytes = plot_draw(plot, is_svg, &length, &why);
    if (!bytes)
        fail("%s", why);
    free(why);
    return bytes && write_file(path, bytes, length);
}

static int draw(const struct input *input, const struct view *view)
{
    struct chart *chart = chart_new(view);
    struct plot plot = {.chart = chart, .kind = input->plot < 0 ? PLOT_LANDSCAPE : input->plot};
    int status = STATUS_OK;
    if (!find_axes(input, &plot)) {
        status = STATUS_USAGE;
    } else if (plot.kind == PLOT_RACE && !chart_rounds(chart)) {
        fail("the record is not of a race");
        status = STATUS_FOUND;
    }
    if (status == STATUS_OK && input->svg && !write_picture(&plot, true, input->svg))
        status = STATUS_ERROR;
    if (status == STATUS_OK && input->png && !write_picture(&plot, false, input->png))
        status = STATUS_ERROR;
    chart_release(chart);
    return status;
}

/* ---- all of it ---- */

static int report(const struct input *input, const struct found *found)
{
    int status = STATUS_OK;
    if (!found->count) {
        say_nothing_found(found);
        return STATUS_FOUND;
    }
    if (input->svg || input->png) {
        const struct view *view = find_only(found);
        status = view ? draw(input, view) : STATUS_FOUND;
    }
    if (status == STATUS_OK && input->page && !write_page(input, found))
        status = STATUS_ERROR;
    if (status == STATUS_OK)
        say_written(input, found);
    return status;
}

static int run(int argc, char **argv)
{
    struct input input = {.plot = -1};
    struct found found;
    argp_parse(&argp, argc, argv, 0, NULL, &input);
    int status = STATUS_ERROR;
    if (find_records(input.output.store, &input.selection, true, &found))
        status = report(&input, &found);
    found_release(&found);
    selection_release(&input.selection);
    return status;
}

const struct command report_command = {
    .name = "report", .summary = "a page or a plot about records", .argp = &argp, .run = run};
