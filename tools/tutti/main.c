/* tutti: what a person does with tuned results. The table of subcommands, and finding the one that
 * is meant. */
#include "command.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tutti/tutti.h>

#include "print.h"

/* In the order in which the help lists them. */
const struct command *const commands[] = {
    &ls_command,     &show_command,   &best_command,       &diff_command,
    &report_command, &verify_command, &export_command,     &import_command,
    &merge_command,  &rm_command,     &gc_command,         &settings_command,
    &doctor_command, &run_command,    &completion_command, NULL};

static void print_version(FILE *stream, struct argp_state *state)
{
    (void)state;
    fprintf(stream, "tutti %s\n", tutti_version());
}

static const struct command *find(const char *name)
{
    for (size_t i = 0; commands[i]; i++)
        if (strcmp(commands[i]->name, name) == 0)
            return commands[i];
    return NULL;
}

static int run(const struct command *command, int argc, char **argv)
{
    char *name = format("tutti %s", command->name);
    argv[0] = name; /* as usage and errors call it */
    print_name = name;
    int status = command->run(argc, argv);
    if (fflush(stdout) != 0 || ferror(stdout)) {
        fail("can't write the output");
        status = STATUS_ERROR;
    }
    free(name);
    return status;
}

/* The help's list of subcommands. argp frees what differs from the text that it gave. */
static char *list_commands(int key, const char *text, void *input)
{
    (void)input;
    if (key != ARGP_KEY_HELP_POST_DOC)
        return (char *)(uintptr_t)text;
    char *list = format("Subcommands:\n");
    for (size_t i = 0; commands[i]; i++) {
        char *longer = format("%s  %-12s%s\n", list, commands[i]->name, commands[i]->summary);
        free(list);
        list = longer;
    }
    char *whole = format("%s\n%s", list, text);
    free(list);
    return whole;
}

static error_t parse(int key, char *text, struct argp_state *state)
{
    int *status = state->input;
    const struct command *command;
    switch (key) {
    case ARGP_KEY_ARG:
        command = find(text);
        if (!command)
            argp_error(state, "there is no subcommand %s", text);
        else
            *status = run(command, state->argc - state->next + 1, &state->argv[state->next - 1]);
        state->next = state->argc;
        return 0;
    case ARGP_KEY_NO_ARGS:
        argp_error(state, "a subcommand is missing");
        return EINVAL;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

int main(int argc, char **argv)
{
    static const struct argp argp = {
        .parser = parse,
        .args_doc = "SUBCOMMAND [OPTION...]",
        .doc = "Looks at, compares, ships and cleans up what tutti has tuned."
               "\v'tutti SUBCOMMAND --help' says more about each.\n\n"
               "Exit status: 0 done; 1 a difference or a finding, or nothing found, or more than "
               "one where one is wanted; 2 wrong usage; 3 an error.",
        .help_filter = list_commands};
    static char name[] = "tutti";
    int status = STATUS_OK;
    argp_err_exit_status = STATUS_USAGE;
    argp_program_version_hook = print_version;
    argv[0] = name;
    argp_parse(&argp, argc, argv, ARGP_IN_ORDER, NULL, &status);
    return status;
}
