/* tutti best: the winner of one key, for scripts. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "find.h"
#include "print.h"

enum { KEY_PREFIX = 'p', KEY_NEWEST = 'n' };

struct input {
    struct output_options output;
    struct selection selection;
    const char *prefix;
    bool newest;
};

static bool is_name(const char *text)
{
    bool good = isalpha((unsigned char)*text) || *text == '_';
    for (; *text; text++)
        good = good && (isalnum((unsigned char)*text) || *text == '_');
    return good;
}

static error_t parse(int key, char *text, struct argp_state *state)
{
    struct input *input = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &input->selection;
        state->child_inputs[1] = &input->output;
        return 0;
    case KEY_PREFIX:
        if (!is_name(text))
            argp_error(state, "--prefix %s: letters, digits and _ are expected", text);
        input->prefix = text;
        return 0;
    case KEY_NEWEST:
        input->newest = true;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option options[] = {
    {"prefix", KEY_PREFIX, "TEXT", 0,
     "Put this before each NAME, so that none meets a variable "
     "that means something else",
     2},
    {"newest", KEY_NEWEST, NULL, 0,
     "Of several records take the one whose search ended last, such as the one of the launcher's "
     "present source",
     2},
    {0}};

static const struct argp_child children[] = {
    {&selection_argp, 0, NULL, 0}, {&output_argp, 0, NULL, 0}, {0}};

static const struct argp argp = {
    .options = options,
    .parser = parse,
    .args_doc = "FUNCTION|RECORD|FILE",
    .doc = "Print the winner of one record as NAME=value lines for eval in a shell, or as JSON."
           "\vValues are quoted for the shell; what a NAME can't have becomes _. With records that "
           "others made, use --prefix.\n\n"
           "Exit status: 0; 1 if no record is meant, or more than one; 2 wrong usage; 3 an error.",
    .children = children};

/* The lines, and the names that they have so far. */
struct lines {
    const char *prefix;
    char *text;
    json_t *names;
    char *twice; /* a name that two values would have */
};

/* A name that a shell takes. */
static char *shell_name(const char *prefix, const char *name)
{
    const bool digit = !*prefix && isdigit((unsigned char)*name);
    char *whole = format("%s%s%s", prefix, digit ? "_" : "", name);
    for (char *at = whole; *at; at++)
        if (!isalnum((unsigned char)*at))
            *at = '_';
    return whole;
}

static void add_line(const char *name, const json_t *value, void *user)
{
    struct lines *lines = user;
    char *own = shell_name(lines->prefix, name), *plain = view_value_text(value);
    char *word = shell_word(plain);
    char *longer = format("%s%s=%s\n", lines->text, own, word);
    if (json_object_get(lines->names, own) && !lines->twice)
        lines->twice = need(strdup(own));
    json_object_set_new(lines->names, own, json_true());
    free(lines->text);
    free(own);
    free(plain);
    free(word);
    lines->text = longer;
}

static int print_lines(const struct view *view, const char *prefix)
{
    struct lines lines = {.prefix = prefix, .text = format("%s", ""), .names = need(json_object())};
    view_each_value(view->trials[view->winner].config, add_line, &lines);
    if (lines.twice)
        fail("two values would both be called %s; use --json", lines.twice);
    else
        fputs(lines.text, stdout);
    const int status = lines.twice ? STATUS_ERROR : STATUS_OK;
    json_decref(lines.names);
    free(lines.text);
    free(lines.twice);
    return status;
}

static int print_best(const struct input *input, const struct found *found)
{
    const struct view *view = input->newest ? find_newest(found) : find_only(found);
    if (!view)
        return STATUS_FOUND;
    if (!input->output.json)
        return print_lines(view, input->prefix);
    print_json(view_json(view));
    return STATUS_OK;
}

static int run(int argc, char **argv)
{
    struct input input = {.prefix = ""};
    struct found found;
    argp_parse(&argp, argc, argv, 0, NULL, &input);
    int status = STATUS_ERROR;
    if (find_records(input.output.store, &input.selection, true, &found))
        status = print_best(&input, &found);
    found_release(&found);
    selection_release(&input.selection);
    return status;
}

const struct command best_command = {
    .name = "best", .summary = "the winner of one key, for scripts", .argp = &argp, .run = run};
