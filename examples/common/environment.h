/* The environment variables of the programs (tutti's own are tutti's matter). */
#ifndef EXAMPLES_ENVIRONMENT_H
#define EXAMPLES_ENVIRONMENT_H

#include "job.h"

/* What they are, for --help. `files`: the program writes files. */
const char *environment_help(bool files);

/*
 * Fills what the environment decides: REV_PROFILE_WARMUP (5), REV_PROFILE_ITERS (50),
 * REVERSE_A2A_MANIFEST and REVERSE_A2A_CSV. An empty value counts as unset. False after a mistake,
 * which is then printed by the variable's name. Local.
 */
bool environment_read(struct job *job);

#endif
