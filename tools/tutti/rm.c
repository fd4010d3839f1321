/* tutti rm: takes records out of a store. */
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "find.h"
#include "print.h"
#include "removal.h"

enum { KEY_ALL = 'a' };

struct input {
    struct output_options output;
    struct selection selection;
    struct confirm_options confirm;
    bool all;
};

static void check(const struct input *input, struct argp_state *state)
{
    const struct selection *selection = &input->selection;
    for (size_t i = 0; i < selection->nwords; i++)
        if (strchr(selection->words[i], '/'))
            argp_error(state, "%s: a function or the number of a record is expected, not a file",
                       selection->words[i]);
    const bool any = selection->nwords || selection->nkeys || selection->match || selection->ranks;
    if (any == input->all)
        argp_error(state, any ? "--all goes with nothing that narrows it down"
                              : "say which records, or --all");
    confirm_check(&input->confirm, state);
}

static error_t parse(int key, char *text, struct argp_state *state)
{
    struct input *input = state->input;
    (void)text;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &input->selection;
        state->child_inputs[1] = &input->confirm;
        state->child_inputs[2] = &input->output;
        return 0;
    case KEY_ALL:
        input->all = true;
        return 0;
    case ARGP_KEY_END:
        check(input, state);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option options[] = {
    {"all", KEY_ALL, NULL, 0, "All records of the store", 1}, {0}};

static const struct argp_child children[] = {
    {&selection_argp, 0, NULL, 0}, {&confirm_argp, 0, NULL, 0}, {&output_argp, 0, NULL, 0}, {0}};

static const struct argp argp = {
    .options = options,
    .parser = parse,
    .args_doc = "FUNCTION|RECORD...",
    .doc = "Remove records from a store. The program tunes again what it finds no record of."
           "\vRecords that can't be read are removed by gc --corrupt.\n\n"
           "Exit status: 0; 1 if no record is meant, or the question was answered with no; 2 wrong "
           "usage; 3 an error.",
    .children = children};

static size_t index_of(const tutti_store *store, const char *path)
{
    const tutti_store_entry *entry;
    size_t i = 0;
    while ((entry = tutti_store_entry_get(store, i)) && strcmp(entry->path, path) != 0)
        i++;
    return i;
}

static int remove_found(const struct input *input, const struct found *found)
{
    struct removal removal = {0};
    for (size_t i = 0; i < found->count; i++) {
        const struct view *view = found->views[i];
        char *function = printable(view->function), *key = view_key_text(view);
        removal_add(&removal, index_of(found->store, view->path),
                    format("%.8s  %s  %s", view->id, function, key), "");
        free(function);
        free(key);
    }
    const int status = removal_do(&removal, found->store, &input->confirm, input->output.json);
    removal_release(&removal);
    return status;
}

static int run(int argc, char **argv)
{
    struct input input = {0};
    struct found found;
    argp_parse(&argp, argc, argv, 0, NULL, &input);
    int status = STATUS_ERROR;
    if (find_records(input.output.store, &input.selection, true, &found)) {
        status = STATUS_FOUND;
        if (found.count)
            status = remove_found(&input, &found);
        else
            say_nothing_found(&found);
    }
    found_release(&found);
    selection_release(&input.selection);
    return status;
}

const struct command rm_command = {
    .name = "rm", .summary = "remove records", .argp = &argp, .run = run};
