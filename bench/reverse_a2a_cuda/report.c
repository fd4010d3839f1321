/* Prints what was measured (see bench.h). */
#include <string.h>

#include "bench.h"

void report_begin(FILE *stream, const struct bench *bench)
{
    struct cudaDeviceProp properties;
    int driver = 0, runtime = 0;
    memset(&properties, 0, sizeof properties);
    cudaGetDeviceProperties(&properties, reverse_a2a_cuda_memory_device(bench->memory));
    cudaDriverGetVersion(&driver);
    cudaRuntimeGetVersion(&runtime);
    fprintf(stream,
            "%d ranks on %d GPU%s (%s), CUDA %d.%d, driver for CUDA %d.%d, %d-byte elements; "
            "medians over %d rounds of %d calls of the slowest rank's time; multiples of the "
            "limit\n\n",
            bench->ranks, bench->devices < bench->ranks ? bench->devices : bench->ranks,
            bench->devices == 1 ? "" : "s", properties.name, runtime / 1000, runtime % 100 / 10,
            driver / 1000, driver % 100 / 10, ELEMENT_SIZE, bench->rounds, bench->calls);
    fprintf(stream, "| S,H,D | MB a rank | the limit | peers only | tuned | over the best of all | "
                    "NCCL over it | "
                    "nccl | dma | best push | best pull | best staged | worst push | worst pull | "
                    "worst staged | search |\n"
                    "|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n");
}

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

#define ANY_ENGINE (-1)

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

static void print_way(FILE *stream, const struct bench *bench, const struct way *way)
{
    char detail[64];
    if (!way) {
        fprintf(stream, " |");
        return;
    }
    way_describe(way, detail, sizeof detail);
    fprintf(stream, " %.2f%s%s%s |", way->seconds / limit_of(bench), detail[0] ? " (" : "", detail,
            detail[0] ? ")" : "");
}

static void print_tuned(FILE *stream, const struct bench *bench)
{
    char detail[64];
    const struct way *way = bench->tuned.way;
    const struct way *best = extreme(bench, ANY_ENGINE, true);
    const struct way *golden = extreme(bench, REVERSE_A2A_CUDA_NCCL, true);
    way_describe(way, detail, sizeof detail);
    fprintf(stream, " %.2f (%s %s) | %.3f |", way->seconds / limit_of(bench),
            reverse_a2a_cuda_engine_string(way->choice.engine), detail,
            way->seconds / best->seconds);
    if (golden)
        fprintf(stream, " %.2f |", golden->seconds / way->seconds);
    else
        fprintf(stream, " |");
}

void report_shape(FILE *stream, const struct bench *bench)
{
    const double limit = limit_of(bench);
    const size_t remote = bench->bytes / (size_t)bench->ranks * (size_t)(bench->ranks - 1);
    fprintf(stream, "| %lld,%lld,%lld | %.4g | %.1f us (%.0f GB/s) | %.2f |",
            (long long)bench->shape.s, (long long)bench->shape.h, (long long)bench->shape.d,
            (double)bench->bytes / 1e6, limit * 1e6, (double)remote / limit / 1e9,
            seconds_of(bench, WAY_PEERS) / limit);
    print_tuned(stream, bench);
    print_way(stream, bench, extreme(bench, REVERSE_A2A_CUDA_NCCL, true));
    print_way(stream, bench, extreme(bench, REVERSE_A2A_CUDA_DMA, true));
    print_way(stream, bench, extreme(bench, REVERSE_A2A_CUDA_PUSH, true));
    print_way(stream, bench, extreme(bench, REVERSE_A2A_CUDA_PULL, true));
    print_way(stream, bench, extreme(bench, REVERSE_A2A_CUDA_PACKETS, true));
    print_way(stream, bench, extreme(bench, REVERSE_A2A_CUDA_STAGED, true));
    print_way(stream, bench, extreme(bench, REVERSE_A2A_CUDA_NVSHMEM, true));
    print_way(stream, bench, extreme(bench, REVERSE_A2A_CUDA_PUSH, false));
    print_way(stream, bench, extreme(bench, REVERSE_A2A_CUDA_PULL, false));
    print_way(stream, bench, extreme(bench, REVERSE_A2A_CUDA_STAGED, false));
    fprintf(stream, " %llu calls, %.0f ms |\n", (unsigned long long)bench->tuned.calls,
            bench->tuned.seconds * 1e3);
    fflush(stream);
}

void report_csv(FILE *stream, const struct bench *bench, bool header)
{
    char detail[64];
    if (header)
        fprintf(stream, "ranks,gpus,S,H,D,bytes,way,knobs,microseconds,multiple_of_limit,tuned\n");
    for (int i = 0; i < bench->count; i++) {
        const struct way *way = &bench->ways[i];
        way_describe(way, detail, sizeof detail);
        fprintf(
            stream, "%d,%d,%lld,%lld,%lld,%zu,%s,\"%s\",%.3f,%.4f,%d\n", bench->ranks,
            bench->devices, (long long)bench->shape.s, (long long)bench->shape.h,
            (long long)bench->shape.d, bench->bytes,
            way->kind == WAY_LIMIT ? "limit" : reverse_a2a_cuda_engine_string(way->choice.engine),
            detail, way->seconds * 1e6, way->seconds / limit_of(bench), way == bench->tuned.way);
    }
    fflush(stream);
}
