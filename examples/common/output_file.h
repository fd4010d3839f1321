/* A file that is there whole or not at all: written beside its place, then renamed. */
#ifndef EXAMPLES_OUTPUT_FILE_H
#define EXAMPLES_OUTPUT_FILE_H

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>

struct output_file {
    FILE *stream;
    const char *path;
    char temporary[PATH_MAX + 32]; /* "" if the path is a device or a pipe: written in place */
};

/* All return false with errno set, and leave nothing behind then. */
bool output_open(struct output_file *file, const char *path);
bool output_commit(struct output_file *file);

/* Closes and removes what was written so far. */
void output_discard(struct output_file *file);

/* Whether output_open and output_commit can be expected to work; asked before hours of tuning. */
bool output_possible(const char *path);

#endif
