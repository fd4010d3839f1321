/* The command line. */
#ifndef ALLREDUCE_OPTIONS_H
#define ALLREDUCE_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#define SIZES_LIMIT 64

struct options {
    size_t bytes[SIZES_LIMIT]; /* of the messages, ascending, without repetitions */
    int sizes;
    int iterations;
    const char *rules; /* path of the rules file; NULL: none is written */
    bool quiet;
    int exit_status; /* where options_read returned false */
};

/* False if the program should end now: after a mistake, which has then been printed if `speaks`,
 * and after help. Local. */
bool options_read(struct options *options, int argc, char **argv, bool speaks);

#endif
