/*
 * Measures every way of doing the reverse all-to-all on device memory in one run:
 *
 *     mpirun -n 2 reverse_a2a_cuda_bench [--rounds 20] [--calls 5] [--csv FILE] [S,H,D ...]
 *
 * In each round all ways run once, in an order that is shuffled anew: one call that is not timed, a
 * meeting of all ranks on their devices, then `calls` calls back to back between two events of the
 * stream. The time of a round is that of the slowest rank, divided by the calls; the figure is the
 * median over the rounds. Before the rounds tutti chooses one of the ways, with 300 launches. The
 * unit is the limit of the same run: contiguous copies of all
 * parts on the copy engines, to all ranks at once, each on a stream of its own, and without any
 * meeting of the ranks; "peers only" is the same without the own part. Each call is complete, in
 * stream order, before the next one begins, and the host enqueues while the device works: where
 * that takes longer than the work, it is what is measured, of all ways alike, as in an application.
 * Every way's result is verified first.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "memory.h"

#define SHAPES_MAX 16
#define ROUNDS_MAX 201

struct options {
    int rounds, calls;
    const char *csv;
    int64_t shapes[SHAPES_MAX][3];
    int count;
};

static struct bench bench, finished[SHAPES_MAX];
static cudaEvent_t begun, ended;
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
    static const int64_t usual[][3] = {
        {8192, 56, 128}, {4096, 28, 128}, {2041, 12, 128}, {2048, 8, 128}, {64, 8, 128}};
    *options = (struct options){.rounds = 20, .calls = 5};
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], "--rounds") == 0 && i + 1 < argc)
            options->rounds = atoi(argv[++i]);
        else if (strcmp(argv[i], "--calls") == 0 && i + 1 < argc)
            options->calls = atoi(argv[++i]);
        else if (strcmp(argv[i], "--csv") == 0 && i + 1 < argc)
            options->csv = argv[++i];
        else if (options->count == SHAPES_MAX ||
                 !read_shape(argv[i], options->shapes[options->count++]))
            return false;
    if (options->count == 0) {
        memcpy(options->shapes, usual, sizeof usual);
        options->count = 5;
    }
    return options->rounds >= 1 && options->rounds <= ROUNDS_MAX && options->calls >= 1;
}

static bool all_agree(bool fine)
{
    int mine = fine, all = 0;
    MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MIN, bench.comm);
    return all;
}

static bool verify(void)
{
    bool right = true;
    for (int i = 0; i < bench.count && right; i++) {
        const struct way *way = &bench.ways[i];
        int result = way_run(&bench, way);
        if (cudaStreamSynchronize(bench.stream) != cudaSuccess)
            result = REVERSE_A2A_ERROR_DEVICE;
        if (result == REVERSE_A2A_OK)
            result = reverse_a2a_cuda_memory_state(bench.memory);
        const bool way_right = way_is_right(&bench, way) && result == REVERSE_A2A_OK;
        if (!way_right)
            fprintf(stderr, "rank %d: way %d, engine %s, is wrong: %s\n", bench.rank, i,
                    reverse_a2a_cuda_engine_string(way->choice.engine),
                    reverse_a2a_strerror(result));
        right = all_agree(way_right);
    }
    return right;
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

/* All ranks' devices come to this point together, a link's latency apart. */
static void meet(void)
{
    struct a2a_gate gate = {0};
    a2a_fill_gate(bench.memory, false, 0, &gate);
    a2a_launch_enter(&gate, bench.stream);
    a2a_launch_leave(&gate, bench.stream);
}

static double time_way(const struct way *way)
{
    float milliseconds = 0;
    MPI_Barrier(bench.comm);
    way_run(&bench, way);
    meet();
    cudaEventRecord(begun, bench.stream);
    for (int call = 0; call < bench.calls; call++)
        way_run(&bench, way);
    cudaEventRecord(ended, bench.stream);
    if (cudaStreamSynchronize(bench.stream) != cudaSuccess ||
        cudaEventElapsedTime(&milliseconds, begun, ended) != cudaSuccess)
        return 1e9; /* seen in the figures, and the next verification fails */
    return 1e-3 * (double)milliseconds / bench.calls;
}

static void run_round(double *seconds, unsigned *state)
{
    int order[WAYS_MAX];
    shuffle(order, bench.count, state);
    for (int i = 0; i < bench.count; i++)
        seconds[order[i]] = time_way(&bench.ways[order[i]]);
    MPI_Allreduce(MPI_IN_PLACE, seconds, bench.count, MPI_DOUBLE, MPI_MAX, bench.comm);
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median_of(int way)
{
    double column[ROUNDS_MAX];
    for (int i = 0; i < bench.rounds; i++)
        column[i] = times[i][way];
    qsort(column, (size_t)bench.rounds, sizeof column[0], ascending);
    return column[bench.rounds / 2];
}

static void measure(void)
{
    unsigned state = 1;
    run_round(times[0], &state); /* a warm-up, which is then overwritten */
    for (int round = 0; round < bench.rounds; round++)
        run_round(times[round], &state);
    for (int i = 0; i < bench.count; i++)
        bench.ways[i].seconds = median_of(i);
}

static bool run_shape(const int64_t *shape)
{
    bench.shape = (struct reverse_a2a_shape){
        .s = shape[0], .h = shape[1], .d = shape[2], .element_size = ELEMENT_SIZE};
    const bool right = all_agree(ways_create(&bench)) && verify() && tuned_choose(&bench);
    if (right)
        measure();
    ways_destroy(&bench);
    return right;
}

static bool report(const struct options *options, int count)
{
    if (bench.rank != 0)
        return true;
    report_table(stdout, finished, count);
    if (!options->csv || report_csv(options->csv, finished, count))
        return true;
    fprintf(stderr, "%s: %s\n", options->csv, strerror(errno));
    return false;
}

static int run_all(const struct options *options)
{
    bool right = all_agree(tuned_create(&bench));
    bench.rounds = options->rounds;
    bench.calls = options->calls;
    for (int i = 0; i < options->count && right; i++) {
        right = run_shape(options->shapes[i]);
        finished[i] = bench;
    }
    tuned_destroy(&bench);
    return right && report(options, options->count) ? 0 : 1;
}

static bool select_device(void)
{
    if (cudaGetDeviceCount(&bench.devices) != cudaSuccess)
        bench.devices = 0;
    return bench.devices > 0 && cudaSetDevice(bench.rank % bench.devices) == cudaSuccess &&
           cudaEventCreate(&begun) == cudaSuccess && cudaEventCreate(&ended) == cudaSuccess;
}

int main(int argc, char **argv)
{
    struct options options;
    int status = 2;
    MPI_Init(&argc, &argv);
    bench.comm = MPI_COMM_WORLD;
    MPI_Comm_size(bench.comm, &bench.ranks);
    MPI_Comm_rank(bench.comm, &bench.rank);
    if (!read_options(argc, argv, &options))
        fprintf(stderr, "usage: reverse_a2a_cuda_bench [--rounds N] [--calls N] [--csv FILE] "
                        "[S,H,D ...]\n");
    else if (!all_agree(select_device()))
        fprintf(stderr, "rank %d: no CUDA device\n", bench.rank);
    else
        status = run_all(&options);
    MPI_Finalize();
    return status;
}
