/* Putting records somewhere: into a store, or into a bundle; the rule for two of one identity. */
#ifndef GATHER_H
#define GATHER_H

#include <argp.h>
#include <stdbool.h>

#include "sources.h"

/* --on-conflict, --skip-corrupt, --dry-run */
struct gather_options {
    int conflict; /* enum tutti_conflict */
    bool skip_corrupt, dry_run;
};

extern const struct argp gather_argp; /* input: struct gather_options */

/* Whether the sources may be gathered; says on stderr why not. Those of Triton-distributed can't.
 */
bool gather_check(const struct sources *sources, const struct gather_options *options);

/* How many of each enum tutti_import. */
struct tally {
    size_t counts[5];
};

/* Puts them into the store in a directory (NULL: as the settings say), all or none; false with the
 * error said. */
bool gather_into_store(const struct sources *sources, const struct gather_options *options,
                       const char *directory, struct tally *tally);

/* The text of a bundle of them, a new string. */
char *gather_bundle(const struct sources *sources, const struct gather_options *options,
                    struct tally *tally, size_t *length);

/* A line, or JSON, about what was done; what: "into DIRECTORY". */
void tally_print(const struct tally *tally, const char *what, const struct gather_options *options,
                 size_t skipped, bool json);

#endif
