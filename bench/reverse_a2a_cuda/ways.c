/* The ways (see bench.h). */
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "cuda/space.h"
#include "memory.h"

static struct way *add(struct bench *bench, struct reverse_a2a_cuda_choice choice)
{
    struct way *way = &bench->ways[bench->count++];
    *way = (struct way){.kind = WAY_ENGINE, .choice = choice};
    return way;
}

const struct way *ways_find(const struct bench *bench, const struct reverse_a2a_cuda_choice *choice)
{
    for (int i = 0; i < bench->count; i++)
        if (bench->ways[i].kind == WAY_ENGINE &&
            memcmp(&bench->ways[i].choice, choice, sizeof *choice) == 0)
            return &bench->ways[i];
    return NULL;
}

/* All that the tuner may choose from, pruned or not. */
static void add_space(struct bench *bench)
{
    for (uint64_t i = 0; i < tutti_space_size(bench->tuner); i++) {
        struct knobs knobs;
        tutti_configuration(bench->tuner, i, &knobs);
        const struct reverse_a2a_cuda_choice choice = space_choice(&knobs);
        if (bench->count < WAYS_MAX && !ways_find(bench, &choice))
            add(bench, choice);
    }
}

/* NVSHMEM, where it is built: for comparison only. */
static void add_nvshmem(struct bench *bench)
{
    for (int block_s = 64; block_s <= 1024; block_s *= 4)
        add(bench, (struct reverse_a2a_cuda_choice){.engine = REVERSE_A2A_CUDA_NVSHMEM,
                                                    .grid = 128,
                                                    .block = 512,
                                                    .vector = 16,
                                                    .comm_block_s = block_s,
                                                    .comm_block_d = 128,
                                                    .buffer_num = 4});
}

/* What is outside of its space: to see whether it misses anything. */
static void add_kernels(struct bench *bench, int engine)
{
    static const int grids[] = {16, 64, 256}, blocks[] = {128, 256, 512, 1024};
    for (size_t grid = 0; grid < sizeof grids / sizeof grids[0]; grid++)
        for (size_t block = 0; block < sizeof blocks / sizeof blocks[0]; block++)
            for (int vector = 4; vector <= 16; vector *= 4) {
                const struct reverse_a2a_cuda_choice choice = {.engine = engine,
                                                               .grid = grids[grid],
                                                               .block = blocks[block],
                                                               .vector = vector};
                if (!ways_find(bench, &choice))
                    add(bench, choice);
            }
}

static void add_all(struct bench *bench)
{
    add(bench, (struct reverse_a2a_cuda_choice){0})->kind = WAY_LIMIT;
    add(bench, (struct reverse_a2a_cuda_choice){0})->kind = WAY_PEERS;
    add(bench, (struct reverse_a2a_cuda_choice){.engine = REVERSE_A2A_CUDA_NCCL});
    add_kernels(bench, REVERSE_A2A_CUDA_PUSH);
    add_kernels(bench, REVERSE_A2A_CUDA_PULL);
    add_nvshmem(bench);
    add_space(bench);
}

/* The memory that any of the ways needs. */
static size_t peer_bytes(const struct bench *bench)
{
    size_t most = 0;
    for (int i = 0; i < bench->count; i++) {
        size_t bytes = 0;
        if (bench->ways[i].kind == WAY_ENGINE &&
            reverse_a2a_cuda_memory_bytes(&bench->shape, &bench->ways[i].choice, bench->ranks,
                                          &bytes) == REVERSE_A2A_OK &&
            bytes > most)
            most = bytes;
    }
    return most;
}

/* NCCL may be missing, or the ranks share a GPU: then there is no golden reference, and no more. */
static bool make_plans(struct bench *bench)
{
    int kept = 0;
    for (int i = 0; i < bench->count; i++) {
        struct way *way = &bench->ways[i];
        const int result = way->kind != WAY_ENGINE
                               ? REVERSE_A2A_OK
                               : reverse_a2a_cuda_plan_create(bench->memory, &bench->shape,
                                                              &way->choice, &way->plan);
        if (result == REVERSE_A2A_OK)
            bench->ways[kept++] = *way;
        else if (bench->rank == 0 && way->choice.engine == REVERSE_A2A_CUDA_NCCL)
            fprintf(stderr, "left out: %s\n", reverse_a2a_cuda_memory_reason(bench->memory));
        if (result != REVERSE_A2A_OK && result != REVERSE_A2A_ERROR_ENGINE)
            return false;
    }
    bench->count = kept;
    return true;
}

static bool compute_expected(struct bench *bench)
{
    struct reverse_a2a_reference *reference;
    for (size_t i = 0; i < bench->bytes; i++)
        bench->host[i] = (char)((i * 2654435761u + (size_t)bench->rank * 40503u) >> 7);
    if (reverse_a2a_reference_create(bench->comm, &bench->shape, &reference) != REVERSE_A2A_OK)
        return false;
    const int result = reverse_a2a_reference_execute(reference, bench->host, bench->expected);
    reverse_a2a_reference_destroy(reference);
    return result == REVERSE_A2A_OK &&
           cudaMemcpy(bench->a, bench->host, bench->bytes, cudaMemcpyHostToDevice) == cudaSuccess;
}

bool ways_create(struct bench *bench)
{
    void *a = NULL, *c = NULL;
    bench->count = 0;
    bench->bytes = (size_t)(bench->ranks * bench->shape.s * bench->shape.h * bench->shape.d) *
                   bench->shape.element_size;
    add_all(bench);
    int result = reverse_a2a_cuda_memory_create(bench->comm, peer_bytes(bench), &bench->memory);
    if (result == REVERSE_A2A_OK)
        result = reverse_a2a_cuda_alloc(bench->memory, bench->bytes, &a);
    if (result == REVERSE_A2A_OK)
        result = reverse_a2a_cuda_alloc(bench->memory, bench->bytes, &c);
    if (result == REVERSE_A2A_OK)
        result = reverse_a2a_cuda_memory_set_stall_limit(bench->memory, 20);
    if (result != REVERSE_A2A_OK) {
        fprintf(stderr, "rank %d: %s\n", bench->rank, reverse_a2a_strerror(result));
        return false;
    }
    bench->a = a;
    bench->c = c;
    bench->host = malloc(bench->bytes);
    bench->expected = malloc(bench->bytes);
    return bench->host && bench->expected &&
           cudaStreamCreateWithFlags(&bench->stream, cudaStreamNonBlocking) == cudaSuccess &&
           compute_expected(bench) && make_plans(bench);
}

void ways_destroy(struct bench *bench)
{
    for (int i = 0; i < bench->count; i++)
        reverse_a2a_cuda_plan_destroy(bench->ways[i].plan);
    reverse_a2a_cuda_memory_destroy(bench->memory);
    if (bench->stream)
        cudaStreamDestroy(bench->stream);
    free(bench->host);
    free(bench->expected);
    bench->memory = NULL;
    bench->stream = NULL;
    bench->host = bench->expected = NULL;
}

/* One contiguous copy to every rank, or to every peer, all at once, each on a stream of its own. */
static int run_copies(struct bench *bench, bool own_too)
{
    struct reverse_a2a_cuda_memory *memory = bench->memory;
    const struct a2a_symmetric *c = a2a_symmetric_find(memory, bench->c, bench->bytes);
    const size_t part = bench->bytes / (size_t)bench->ranks;
    cudaError_t error = cudaEventRecord(memory->begun, bench->stream);
    for (int i = own_too ? 0 : 1; i < bench->ranks && error == cudaSuccess; i++) {
        const int target = (bench->rank + i) % bench->ranks;
        const int line = i % REVERSE_A2A_CUDA_MAX_STREAMS;
        cudaStreamWaitEvent(memory->streams[line], memory->begun, 0);
        error = cudaMemcpyAsync(c->of_rank[target] + (size_t)bench->rank * part,
                                bench->a + (size_t)target * part, part, cudaMemcpyDefault,
                                memory->streams[line]);
        cudaEventRecord(memory->joined[line], memory->streams[line]);
        cudaStreamWaitEvent(bench->stream, memory->joined[line], 0);
    }
    return error == cudaSuccess ? REVERSE_A2A_OK : REVERSE_A2A_ERROR_DEVICE;
}

int way_run(struct bench *bench, const struct way *way)
{
    if (way->kind != WAY_ENGINE)
        return run_copies(bench, way->kind == WAY_LIMIT);
    return reverse_a2a_cuda_execute(way->plan, bench->a, bench->c, bench->stream);
}

bool way_is_right(struct bench *bench, const struct way *way)
{
    if (cudaMemcpy(bench->host, bench->c, bench->bytes, cudaMemcpyDeviceToHost) != cudaSuccess ||
        cudaMemset(bench->c, 0xA5, bench->bytes) != cudaSuccess ||
        cudaDeviceSynchronize() != cudaSuccess)
        return false;
    return way->kind != WAY_ENGINE || memcmp(bench->host, bench->expected, bench->bytes) == 0;
}

void way_describe(const struct way *way, char *text, size_t size)
{
    const struct reverse_a2a_cuda_choice *choice = &way->choice;
    text[0] = 0;
    if (way->kind != WAY_ENGINE)
        return;
    if (choice->engine == REVERSE_A2A_CUDA_DMA)
        snprintf(text, size, "%d stream%s", choice->streams, choice->streams == 1 ? "" : "s");
    else if (choice->engine == REVERSE_A2A_CUDA_STAGED ||
             choice->engine == REVERSE_A2A_CUDA_NVSHMEM)
        snprintf(text, size, "%d x %d; %d x %d x %d", choice->grid, choice->block,
                 choice->comm_block_s, choice->comm_block_d, choice->buffer_num);
    else if (choice->grid > 0)
        snprintf(text, size, "%d x %d, %d B", choice->grid, choice->block, choice->vector);
}
