/*
 * Measures every way of doing the reverse all-to-all in one run:
 *
 *     mpirun -n 2 reverse_a2a_bench [--seconds 10] [--threads 1] [--brief] [--csv FILE] [S,H,D ...]
 *
 * In each round all ways run once, in an order that is shuffled anew, so that drift hits all alike:
 * a barrier, then some calls back to back. The time of a round is that of the slowest rank, divided
 * by the calls; the figure is the median over the rounds, and its unit is the limit of the same
 * run: all ranks copying the same number of bytes at once, the best of memcpy and streaming stores.
 * Every way's result is verified first. With --threads N, N threads in each rank are tried as well
 * (bind ranks to as many cores); --brief tries few blocks of the staged engines.
 */
#include "reverse_a2a_bench.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define SHAPES_MAX 16
#define ROUNDS_MAX 201
#define ROUNDS_MIN 5

struct options {
    double seconds; /* for each shape */
    const char *csv;
    int threads;
    bool brief;
    int64_t shapes[SHAPES_MAX][3];
    int count;
};

static struct bench bench;
static struct figures figures[SHAPES_MAX];
static double times[ROUNDS_MAX][WAYS_MAX];

static bool read_shape(const char *text, int64_t shape[3])
{
    long long s, h, d;
    char rest;
    if (sscanf(text, "%lld,%lld,%lld%c", &s, &h, &d, &rest) != 3 || s < 1 || h < 1 || d < 1)
        return false;
    shape[0] = s, shape[1] = h, shape[2] = d;
    return true;
}

static bool read_options(int argc, char **argv, struct options *options)
{
    static const int64_t usual[][3] = {{64, 8, 64},    {64, 8, 128},   {512, 8, 128},
                                       {2048, 8, 128}, {8192, 56, 64}, {8192, 56, 128}};
    *options = (struct options){.seconds = 10, .threads = 1};
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], "--seconds") == 0 && i + 1 < argc)
            options->seconds = atof(argv[++i]);
        else if (strcmp(argv[i], "--csv") == 0 && i + 1 < argc)
            options->csv = argv[++i];
        else if (strcmp(argv[i], "--threads") == 0 && i + 1 < argc)
            options->threads = atoi(argv[++i]);
        else if (strcmp(argv[i], "--brief") == 0)
            options->brief = true;
        else if (options->count == SHAPES_MAX ||
                 !read_shape(argv[i], options->shapes[options->count++]))
            return false;
    if (options->count == 0) {
        memcpy(options->shapes, usual, sizeof usual);
        options->count = (int)(sizeof usual / sizeof usual[0]);
    }
    return options->threads >= 1;
}

static bool all_agree(bool fine)
{
    int mine = fine, all = 0;
    MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    return all;
}

static bool verify(void)
{
    bool right = true;
    for (int i = 0; i < bench.count; i++) {
        const struct way *way = &bench.ways[i];
        memset(way->out, 0xA5, bench.bytes);
        const bool way_right = way->run(&bench, way) == 0 && way_is_right(&bench, way);
        if (!way_right)
            fprintf(stderr, "rank %d: %s %s is wrong\n", bench.rank, way->group, way->detail);
        right &= way_right;
    }
    return all_agree(right);
}

static unsigned draw(unsigned *state)
{
    *state = *state * 1664525u + 1013904223u; /* Numerical Recipes' linear congruence */
    return *state >> 16;
}

static void shuffle(int *order, int count, unsigned *state)
{
    for (int i = 0; i < count; i++)
        order[i] = i;
    for (int i = count - 1; i > 0; i--) {
        const int other = (int)(draw(state) % (unsigned)(i + 1)), kept = order[i];
        order[i] = order[other];
        order[other] = kept;
    }
}

static void run_round(double *seconds, int calls, unsigned *state)
{
    int order[WAYS_MAX];
    shuffle(order, bench.count, state);
    for (int i = 0; i < bench.count; i++) {
        const struct way *way = &bench.ways[order[i]];
        MPI_Barrier(bench.comm);
        const double begin = MPI_Wtime();
        for (int call = 0; call < calls; call++)
            way->run(&bench, way);
        seconds[order[i]] = (MPI_Wtime() - begin) / calls;
    }
    MPI_Allreduce(MPI_IN_PLACE, seconds, bench.count, MPI_DOUBLE, MPI_MAX, bench.comm);
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median_of(int way, int rounds)
{
    double column[ROUNDS_MAX];
    for (int i = 0; i < rounds; i++)
        column[i] = times[i][way];
    qsort(column, (size_t)rounds, sizeof column[0], ascending);
    return column[rounds / 2];
}

/* Rounds until the time is over; all ranks know the time of the slowest. */
static int measure(double seconds, int calls)
{
    unsigned state = 1;
    double spent = 0;
    int rounds = 0;
    run_round(times[0], calls, &state); /* a warm-up, which is then overwritten */
    while (rounds < ROUNDS_MAX && (rounds < ROUNDS_MIN || spent < seconds)) {
        run_round(times[rounds], calls, &state);
        for (int i = 0; i < bench.count; i++)
            spent += times[rounds][i] * calls;
        rounds++;
    }
    return rounds;
}

static void keep_figures(struct figures *kept, int rounds, int calls)
{
    *kept = (struct figures){.shape = bench.shape,
                             .bytes = bench.bytes,
                             .ranks = bench.ranks,
                             .rounds = rounds,
                             .calls = calls,
                             .allocation = bench.allocation,
                             .pages = reverse_a2a_pages(bench.memory, bench.a_shared),
                             .count = bench.count};
    memcpy(kept->ways, bench.ways, sizeof bench.ways);
    for (int i = 0; i < bench.count; i++) {
        kept->medians[i] = median_of(i, rounds);
        if (bench.ways[i].kind == WAY_LIMIT && (kept->limit <= 0 || kept->medians[i] < kept->limit))
            kept->limit = kept->medians[i];
    }
}

static bool run_shape(const int64_t *shape, const struct options *options, struct figures *kept)
{
    bench = (struct bench){
        .comm = MPI_COMM_WORLD,
        .threads = options->threads,
        .brief = options->brief,
        .shape = {.s = shape[0], .h = shape[1], .d = shape[2], .element_size = ELEMENT_SIZE}};
    MPI_Comm_size(bench.comm, &bench.ranks);
    MPI_Comm_rank(bench.comm, &bench.rank);
    if (!all_agree(ways_create(&bench))) {
        if (bench.rank == 0)
            fprintf(stderr, "the ways could not be prepared\n");
        return false;
    }
    const bool right = verify();
    const size_t calls = ((size_t)4 << 20) / bench.bytes;
    const int repetitions = calls < 1 ? 1 : calls > 16 ? 16 : (int)calls;
    if (right)
        keep_figures(kept, measure(options->seconds, repetitions), repetitions);
    ways_destroy(&bench);
    return right;
}

static int run_all(const struct options *options)
{
    int rank;
    for (int i = 0; i < options->count; i++)
        if (!run_shape(options->shapes[i], options, &figures[i]))
            return 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank != 0)
        return 0;
    report_table(stdout, figures, options->count);
    if (!options->csv || report_csv(options->csv, figures, options->count))
        return 0;
    fprintf(stderr, "%s: %s\n", options->csv, strerror(errno));
    return 1;
}

int main(int argc, char **argv)
{
    struct options options;
    int status = 2;
    MPI_Init(&argc, &argv);
    if (read_options(argc, argv, &options))
        status = run_all(&options);
    else
        fprintf(stderr,
                "usage: reverse_a2a_bench [--seconds N] [--threads N] [--brief] [--csv FILE] "
                "[S,H,D ...]\n");
    MPI_Finalize();
    return status;
}
