/*
 * The reverse all-to-all in all the ways that there are, side by side: what the parts of the
 * benchmark share. reverse_a2a_bench.c measures, reverse_a2a_bench_ways.c knows the ways, and
 * reverse_a2a_bench_report.c prints.
 */
#ifndef REVERSE_A2A_BENCH_H
#define REVERSE_A2A_BENCH_H

#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>

#include <reverse_a2a/reverse_a2a.h>

#define ELEMENT_SIZE 2
#define WAYS_MAX     192

struct bench;

enum way_kind {
    WAY_OPERATOR,
    WAY_LIMIT,    /* only copies as many bytes, and gives no result */
    WAY_HANDSHAKE /* moves next to nothing: what meeting costs */
};

/* One way of doing it. Ways of one group differ in their blocks only: best and worst are shown. */
struct way {
    char group[64];
    char detail[48]; /* the blocks; "" if there are none */
    enum way_kind kind;
    int (*run)(struct bench *bench, const struct way *way); /* collective; 0 or an error */
    struct reverse_a2a_plan *plan;
    const void *in;
    void *out;
};

struct bench {
    MPI_Comm comm;
    int ranks, rank;
    int threads; /* of a rank, for the ways that can have several; 1: there are no such ways */
    bool brief;  /* few blocks of the staged engines */
    struct reverse_a2a_shape shape;
    size_t bytes; /* of A, and of C */
    char *a, *c, *expected;
    char *scratch[2];          /* as large as A */
    void *a_shared, *c_shared; /* the same in symmetric memory */
    double allocation;         /* seconds that a_shared took */
    struct reverse_a2a_memory *memory;
    struct reverse_a2a_reference *reference;
    MPI_Datatype *send_types, *receive_types; /* of MPI_Alltoallw */
    int *counts, *send_displacements, *receive_displacements;
    struct way ways[WAYS_MAX];
    int count;
};

/* What was measured of one shape: medians over the rounds of the slowest rank's time, in seconds.
 */
struct figures {
    struct reverse_a2a_shape shape;
    size_t bytes;
    int ranks, rounds, calls;
    double limit;      /* the best of the ways that only copy */
    double allocation; /* seconds for one operand in symmetric memory */
    int pages;         /* enum reverse_a2a_pages */
    int count;
    double medians[WAYS_MAX];
    struct way ways[WAYS_MAX]; /* names only */
};

/* Collective. Makes the operands and all ways for bench->shape; false if something failed here. */
bool ways_create(struct bench *bench);
void ways_destroy(struct bench *bench);

/* Local. Is what the way has written right? Writes over it. */
bool way_is_right(const struct bench *bench, const struct way *way);

/* Local. A table in Markdown of all shapes, as multiples of the limit. */
void report_table(FILE *stream, const struct figures *figures, int count);

/* Local. A line for each way and shape. */
bool report_csv(const char *path, const struct figures *figures, int count);

#endif
