/* tutti ls: a line per record. */
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "find.h"
#include "print.h"
#include "table.h"

struct input {
    struct output_options output;
    struct selection selection;
};

static error_t parse(int key, char *text, struct argp_state *state)
{
    struct input *input = state->input;
    (void)text;
    if (key != ARGP_KEY_INIT)
        return ARGP_ERR_UNKNOWN;
    state->child_inputs[0] = &input->selection;
    state->child_inputs[1] = &input->output;
    return 0;
}

static const struct argp_child children[] = {
    {&selection_argp, 0, NULL, 0}, {&output_argp, 0, NULL, 0}, {0}};

static const struct argp argp = {
    .parser = parse,
    .args_doc = "[FUNCTION|RECORD|FILE]...",
    .doc = "List the records of a store: function, key, ranks, the winner, its time, the gain over "
           "configuration 0, how long ago the search ended, and the record's number."
           "\vFUNCTION may have wildcards. RECORD is the beginning of a record's number. FILE is a "
           "record, of tutti or of Triton-distributed, whose records have no ranks and no "
           "configuration 0. A record that can't be read is named on stderr.\n\n"
           "Exit status: 0; 1 if there is no such record; 2 wrong usage; 3 an error.",
    .children = children};

static void add_row(struct table *table, const struct view *view)
{
    const struct view_trial *winner = &view->trials[view->winner];
    table_add(table, printable(view->function));
    table_add(table, view_key_text(view));
    table_add(table, view->is_triton ? format("-") : format("%d", view->info.ranks));
    table_add(table, view_config_text(winner->config));
    table_add(table, seconds_text(winner->seconds));
    table_add(table, view_gain_text(view));
    table_add(table, view->info.finished ? age_text(view->info.finished) : format("-"));
    table_add(table, *view->id ? format("%.8s", view->id) : format("-"));
}

static void print_table(const struct found *found)
{
    static const char *const names[] = {"FUNCTION", "KEY",  "RANKS", "WINNER",
                                        "TIME",     "GAIN", "AGE",   "RECORD"};
    const size_t columns = sizeof names / sizeof *names;
    struct table *table = table_new(columns);
    for (size_t i = 0; i < columns; i++)
        table_add(table, format("%s", names[i]));
    table_align_right(table, 2);
    for (size_t i = 4; i < 7; i++)
        table_align_right(table, i);
    for (size_t i = 0; i < found->count; i++)
        add_row(table, found->views[i]);
    table_print(table, "", true);
}

static void print_list(const struct found *found)
{
    json_t *records = need(json_array()), *unreadable = need(json_array());
    for (size_t i = 0; i < found->count; i++)
        json_array_append_new(records, view_json(found->views[i]));
    for (size_t i = 0; i < found->nunreadable; i++)
        json_array_append_new(unreadable,
                              json_pack("{s:o, s:s}", "path", text_json(found->unreadable[i].path),
                                        "reason", found->unreadable[i].why));
    print_json(
        json_pack("{s:o, s:o, s:o}", "store",
                  found->store ? text_json(tutti_store_directory(found->store)) : json_null(),
                  "records", records, "unreadable", unreadable));
}

static int list(const struct input *input, const struct found *found)
{
    if (input->output.json)
        print_list(found);
    else if (found->count)
        print_table(found);
    else
        say_nothing_found(found);
    return found->count ? STATUS_OK : STATUS_FOUND;
}

static int run(int argc, char **argv)
{
    struct input input = {0};
    struct found found;
    argp_parse(&argp, argc, argv, 0, NULL, &input);
    int status = STATUS_ERROR;
    if (find_records(input.output.store, &input.selection, true, &found))
        status = list(&input, &found);
    found_release(&found);
    selection_release(&input.selection);
    return status;
}

const struct command ls_command = {
    .name = "ls", .summary = "list records", .argp = &argp, .run = run};
