/*
 * A job: what the user asked for, on the command line and in the environment. The root reads both
 * and hands the result to the others, so that no difference between hosts can divide the ranks.
 */
#ifndef EXAMPLES_JOB_H
#define EXAMPLES_JOB_H

#include <limits.h>
#include <stdbool.h>

#include <reverse_a2a/reverse_a2a.h>

#define JOB_SHAPES 512

/* What the two programs differ in, as far as the user sees it. */
struct program {
    const char *summary;   /* for --help */
    const char *reference; /* what it is compared with */
    bool tunes;            /* has --no-autotune and --quiet, and writes files */
};

/* Plain data: it is broadcast as bytes. */
struct job {
    bool run;        /* false: bad options, or only help was wanted */
    int exit_status; /* then */

    struct reverse_a2a_shape shapes[JOB_SHAPES];
    int nshapes;
    char dtype[8];
    int ranks; /* the first so many of the world; 0 until it is known */
    bool autotune_off, quiet;

    int warmups, iterations; /* of the steady state only */
    char manifest[PATH_MAX], csv[PATH_MAX];
};

/* Reads the job; mistakes are printed by the root. True: go on. Collective over the world. */
bool job_read(struct job *job, int argc, char **argv, const struct program *program);

#endif
