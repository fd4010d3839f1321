/* The inside of waits: one per group operation, on the stack of whoever makes it. */
#ifndef WAIT_H
#define WAIT_H

#include <stdbool.h>

#include <tutti/group.h>

struct tutti_wait {
    const struct tutti_group *group; /* whose settings have the limits */
    const char *what;                /* the operation, for the warning */
    unsigned looks;                  /* before the clock is read at all */
    double seen;                     /* the clock at the last look */
    double waited;                   /* seconds since the first look at the clock */
    bool warned;
};

void wait_begin(tutti_wait *wait, const struct tutti_group *group, const char *what);

#endif
