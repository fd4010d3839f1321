/* Open MPI's file of dynamic rules, which brings the choices to programs that know nothing of
 * tutti: mpirun --mca coll_tuned_use_dynamic_rules 1 --mca coll_tuned_dynamic_rules_filename FILE
 * ... */
#ifndef RULES_H
#define RULES_H

#include <stdbool.h>
#include <stddef.h>

#include "control.h"

struct rule {
    size_t bytes; /* of the message, from which on it holds */
    struct allreduce_config config;
};

/*
 * Writes the file whole or not at all. rules: by ascending bytes. Open MPI applies them to
 * communicators of `ranks` ranks, and to larger ones, for which the file has no rules of their own.
 * False with errno set on failure.
 */
bool rules_write(const char *path, int ranks, const struct rule *rules, int count);

#endif
