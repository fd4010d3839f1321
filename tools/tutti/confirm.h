/* Whether something is to be removed: asked on a terminal, told elsewhere. */
#ifndef CONFIRM_H
#define CONFIRM_H

#include <argp.h>
#include <stdbool.h>
#include <stddef.h>

/* --yes, --dry-run */
struct confirm_options {
    bool yes, dry_run;
};

extern const struct argp confirm_argp; /* input: struct confirm_options */

/* Where stdin is no terminal, --yes or --dry-run must be there: a usage error. */
void confirm_check(const struct confirm_options *options, struct argp_state *state);

/* Asks, unless there is no need to. */
bool confirm(const struct confirm_options *options, size_t count);

#endif
