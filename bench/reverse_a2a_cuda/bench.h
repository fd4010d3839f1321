/*
 * The reverse all-to-all on device memory in all the ways that there are, side by side: what the
 * parts of the benchmark share. main.c measures, ways.c knows the ways, tuned.c lets tutti choose
 * one of them, report.c prints.
 */
#ifndef REVERSE_A2A_CUDA_BENCH_H
#define REVERSE_A2A_CUDA_BENCH_H

#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>

#include <reverse_a2a/cuda.h>
#include <tutti/cuda.h>
#include <tutti/mpi.h>

#define ELEMENT_SIZE 2
#define WAYS_MAX     256

enum kind {
    WAY_LIMIT, /* copies as many bytes, and gives no result */
    WAY_PEERS, /* the same without the own part */
    WAY_ENGINE
};

/* One way of doing it. */
struct way {
    enum kind kind;
    struct reverse_a2a_cuda_choice choice;
    struct reverse_a2a_cuda_plan *plan; /* NULL for the limit */
    double seconds;                     /* the median over the rounds of the slowest rank's time */
};

/* What tutti chose, and what that cost. */
struct tuned {
    int way; /* its index */
    uint64_t calls;
    double seconds;
};

struct bench {
    MPI_Comm comm;
    int ranks, rank, devices;
    struct reverse_a2a_shape shape;
    size_t bytes; /* of A, and of C */
    struct reverse_a2a_cuda_memory *memory;
    cudaStream_t stream;
    char *a, *c;           /* on the device, symmetric */
    char *host, *expected; /* A or what was fetched of C; what C must become */
    int rounds, calls;
    struct way ways[WAYS_MAX];
    int count;
    tutti_tuner *tuner;
    tutti_group *group;
    tutti_cuda_timer *timer;
    struct tuned tuned;
};

/* Collective. The operands and all ways for bench->shape; false, with a sentence on stderr, if
 * something failed here. */
bool ways_create(struct bench *bench);
void ways_destroy(struct bench *bench);

/* Local. The way with this choice; NULL: none. */
const struct way *ways_find(const struct bench *bench,
                            const struct reverse_a2a_cuda_choice *choice);

/* Collective. A tuner over the space of the example, which never looks at records nor leaves any.
 */
bool tuned_create(struct bench *bench);
void tuned_destroy(struct bench *bench);

/* Collective. Lets the tuner choose for bench->shape; fills bench->tuned. */
bool tuned_choose(struct bench *bench);

/* Collective. Enqueues one call; 0, or an error. */
int way_run(struct bench *bench, const struct way *way);

/* Local, after the stream was synchronized. Is what the way has written right? Poisons C. */
bool way_is_right(struct bench *bench, const struct way *way);

/* Local. The knobs that the engine has, in short. */
void way_describe(const struct way *way, char *text, size_t size);

/* Local. A table in Markdown: a column for each shape, multiples of its limit. */
void report_table(FILE *stream, const struct bench *shapes, int count);

/* Local. A line for each way and shape; false with errno set. */
bool report_csv(const char *path, const struct bench *shapes, int count);

#endif
