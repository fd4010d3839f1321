/* The command line. */
#ifndef EXAMPLES_OPTIONS_H
#define EXAMPLES_OPTIONS_H

#include "job.h"

#define EXIT_STATUS_USAGE 64 /* EX_USAGE of <sysexits.h>, as argp itself has it */

/*
 * Fills the job's shapes, dtype, ranks and flags. `world` is the number of ranks that there are.
 * False if the program should end now, with job->exit_status: after a mistake, which has then been
 * printed, and after help. Local.
 */
bool options_read(struct job *job, int argc, char **argv, const struct program *program, int world);

#endif
