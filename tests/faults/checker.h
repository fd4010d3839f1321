/*
 * The checking group: a group of threads that notes, for each rank, the sequence of its operations,
 * and whose transport fails when the plan says so.
 */
#ifndef CHECKER_H
#define CHECKER_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>

#include <tutti/tutti.h>

#define TRACE_LIMIT 512 /* operations that are noted; more are counted */

struct traced {
    char kind; /* 'm'aximum, 'b'roadcast */
    size_t n;
    int root;
};

/* The operations of one rank since the last trace_reset. */
struct trace {
    atomic_uint count;
    struct traced operations[TRACE_LIMIT];
};

void trace_reset(struct trace *trace);
bool trace_equal(const struct trace *a, const struct trace *b);
void trace_print(const struct trace *trace, FILE *stream);

/* Makes groups[rank] and traces[rank] belong together. False: no memory. */
bool checker_create(int ranks, struct trace *traces, tutti_group *groups[]);

/*
 * An operation that tutti never makes, past the noting. If each rank makes it after a call, ranks
 * that are still in a call get an error instead of waiting for ever. Returns the group's error.
 */
int checker_mark_end(tutti_group *group);

#endif
