/* Prints what was measured (see bench.h). */
#include <string.h>

#include "bench.h"

#define ANY_ENGINE (-1)

static double seconds_of(const struct bench *bench, enum kind kind)
{
    for (int i = 0; i < bench->count; i++)
        if (bench->ways[i].kind == kind)
            return bench->ways[i].seconds;
    return 0;
}

static double limit_of(const struct bench *bench)
{
    return seconds_of(bench, WAY_LIMIT);
}

/* The fastest, or slowest, way of an engine; NULL if there is none. */
static const struct way *extreme(const struct bench *bench, int engine, bool fastest)
{
    const struct way *found = NULL;
    for (int i = 0; i < bench->count; i++) {
        const struct way *way = &bench->ways[i];
        if (way->kind != WAY_ENGINE || (engine != ANY_ENGINE && way->choice.engine != engine))
            continue;
        if (!found || (way->seconds < found->seconds) == fastest)
            found = way;
    }
    return found;
}

static const struct way *tuned_of(const struct bench *bench)
{
    return &bench->ways[bench->tuned.way];
}

static void print_head(FILE *stream, const struct bench *shapes, int count)
{
    const struct bench *bench = &shapes[0];
    struct cudaDeviceProp properties;
    int driver = 0, runtime = 0;
    memset(&properties, 0, sizeof properties);
    cudaGetDeviceProperties(&properties, bench->rank % bench->devices);
    cudaDriverGetVersion(&driver);
    cudaRuntimeGetVersion(&runtime);
    fprintf(stream,
            "%d ranks on %d GPU%s (%s), CUDA %d.%d, driver for CUDA %d.%d, %d-byte elements; "
            "medians over %d rounds of %d calls of the slowest rank's time, as multiples of the "
            "limit\n\n| way |",
            bench->ranks, bench->devices < bench->ranks ? bench->devices : bench->ranks,
            bench->devices == 1 ? "" : "s", properties.name, runtime / 1000, runtime % 100 / 10,
            driver / 1000, driver % 100 / 10, ELEMENT_SIZE, bench->rounds, bench->calls);
    for (int i = 0; i < count; i++)
        fprintf(stream, " %lld,%lld,%lld (%.4g MB a rank) |", (long long)shapes[i].shape.s,
                (long long)shapes[i].shape.h, (long long)shapes[i].shape.d,
                (double)shapes[i].bytes / 1e6);
    fprintf(stream, "\n|---|");
    for (int i = 0; i < count; i++)
        fprintf(stream, "---|");
    fprintf(stream, "\n| the limit, microseconds |");
    for (int i = 0; i < count; i++)
        fprintf(stream, " %.1f |", limit_of(&shapes[i]) * 1e6);
    fprintf(stream, "\n| the limit, GB/s to the peers |");
    for (int i = 0; i < count; i++) {
        const size_t part = shapes[i].bytes / (size_t)bench->ranks;
        fprintf(stream, " %.0f |",
                (double)(part * (size_t)(bench->ranks - 1)) / limit_of(&shapes[i]) / 1e9);
    }
    fprintf(stream, "\n| the limit without the own part |");
    for (int i = 0; i < count; i++)
        fprintf(stream, " %.2f |", seconds_of(&shapes[i], WAY_PEERS) / limit_of(&shapes[i]));
    fprintf(stream, "\n");
}

static void print_way(FILE *stream, const struct bench *bench, const struct way *way,
                      const char *engine)
{
    char detail[64];
    if (!way) {
        fprintf(stream, " |");
        return;
    }
    way_describe(way, detail, sizeof detail);
    fprintf(stream, " %.2f %s%s%s |", way->seconds / limit_of(bench), engine,
            engine[0] && detail[0] ? " " : "", detail);
}

static void print_tuned(FILE *stream, const struct bench *shapes, int count)
{
    fprintf(stream, "| **what tutti chose** |");
    for (int i = 0; i < count; i++)
        print_way(stream, &shapes[i], tuned_of(&shapes[i]),
                  reverse_a2a_cuda_engine_string(tuned_of(&shapes[i])->choice.engine));
    fprintf(stream, "\n| its time over the best of all rows |");
    for (int i = 0; i < count; i++)
        fprintf(stream, " %.3f |",
                tuned_of(&shapes[i])->seconds / extreme(&shapes[i], ANY_ENGINE, true)->seconds);
    fprintf(stream, "\n| launches of its search, and milliseconds |");
    for (int i = 0; i < count; i++)
        fprintf(stream, " %llu, %.0f |", (unsigned long long)shapes[i].tuned.calls,
                shapes[i].tuned.seconds * 1e3);
    fprintf(stream, "\n| NCCL's time over its time |");
    for (int i = 0; i < count; i++) {
        const struct way *golden = extreme(&shapes[i], REVERSE_A2A_CUDA_NCCL, true);
        if (golden)
            fprintf(stream, " %.2f |", golden->seconds / tuned_of(&shapes[i])->seconds);
        else
            fprintf(stream, " |");
    }
    fprintf(stream, "\n");
}

static void print_engine(FILE *stream, const struct bench *shapes, int count, int engine,
                         bool fastest)
{
    bool there = false;
    for (int i = 0; i < count; i++)
        there |= extreme(&shapes[i], engine, fastest) != NULL;
    if (!there)
        return;
    fprintf(stream, "| %s, %s |", reverse_a2a_cuda_engine_string(engine),
            fastest ? "best" : "worst");
    for (int i = 0; i < count; i++)
        print_way(stream, &shapes[i], extreme(&shapes[i], engine, fastest), "");
    fprintf(stream, "\n");
}

void report_table(FILE *stream, const struct bench *shapes, int count)
{
    print_head(stream, shapes, count);
    print_tuned(stream, shapes, count);
    for (int engine = 0; engine < REVERSE_A2A_CUDA_ENGINES; engine++) {
        print_engine(stream, shapes, count, engine, true);
        if (engine != REVERSE_A2A_CUDA_NCCL)
            print_engine(stream, shapes, count, engine, false);
    }
}

static const char *name_of(const struct way *way)
{
    switch (way->kind) {
    case WAY_LIMIT:
        return "limit";
    case WAY_PEERS:
        return "limit without the own part";
    default:
        return reverse_a2a_cuda_engine_string(way->choice.engine);
    }
}

static void print_lines(FILE *stream, const struct bench *bench)
{
    char detail[64];
    for (int i = 0; i < bench->count; i++) {
        const struct way *way = &bench->ways[i];
        way_describe(way, detail, sizeof detail);
        fprintf(stream, "%d,%d,%lld,%lld,%lld,%zu,%s,\"%s\",%.3f,%.4f,%d\n", bench->ranks,
                bench->devices, (long long)bench->shape.s, (long long)bench->shape.h,
                (long long)bench->shape.d, bench->bytes, name_of(way), detail, way->seconds * 1e6,
                way->seconds / limit_of(bench), i == bench->tuned.way);
    }
}

bool report_csv(const char *path, const struct bench *shapes, int count)
{
    FILE *stream = fopen(path, "w");
    if (!stream)
        return false;
    fprintf(stream, "ranks,gpus,S,H,D,bytes,way,knobs,microseconds,multiple_of_limit,tuned\n");
    for (int i = 0; i < count; i++)
        print_lines(stream, &shapes[i]);
    return fclose(stream) == 0;
}
