/* What this thread's library code sees of its surroundings: see wrap.c. */
#ifndef WRAP_H
#define WRAP_H

#include <stdbool.h>
#include <stdint.h>

struct variable {
    const char *name, *value;
};

/* This thread's environment, up to an entry without a name; NULL: the process's. */
extern _Thread_local const struct variable *environment;

/* Whether the library's log goes to stderr. */
extern bool print_log;

#endif
