/* Subcommands: what each is to the table, to --help and to the completion. */
#ifndef COMMAND_H
#define COMMAND_H

#include <argp.h>

/* Exit statuses, the same for all subcommands. */
enum {
    STATUS_OK = 0,
    STATUS_FOUND = 1, /* a difference, a finding; or nothing was found, or not one thing only */
    STATUS_USAGE = 2,
    STATUS_ERROR = 3 /* it could not be done */
};

struct command {
    const char *name;
    const char *summary; /* a line */
    const struct argp *argp;
    int (*run)(int argc, char **argv); /* argv[0] is "tutti NAME" */
};

/* NULL at the end: main.c. */
extern const struct command *const commands[];

extern const struct command best_command, completion_command, diff_command, doctor_command,
    export_command, gc_command, import_command, ls_command, merge_command, report_command,
    rm_command, run_command, settings_command, show_command, verify_command;

#endif
