/* The ways of doing the reverse all-to-all (see reverse_a2a_bench.h). */
#include "reverse_a2a_bench.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "copy.h"

static struct way *add(struct bench *bench, int (*run)(struct bench *, const struct way *),
                       const char *group)
{
    struct way *way = &bench->ways[bench->count++];
    *way = (struct way){.run = run, .in = bench->a, .out = bench->c};
    snprintf(way->group, sizeof way->group, "%s", group);
    return way;
}

/* The limit: every rank copies as many bytes as the operator moves for it, all at once. */
static int copy_by_memcpy(struct bench *bench, const struct way *way)
{
    memcpy(way->out, way->in, bench->bytes);
    return 0;
}

static int copy_by_streaming(struct bench *bench, const struct way *way)
{
    const struct reverse_a2a_box box = {.rows = 1, .heads = 1, .width = bench->bytes};
    reverse_a2a_copy_box(&reverse_a2a_find_kernels()->streaming, way->out, way->in, &box);
    return 0;
}

/* [P][S][H][D] -> [P][H][S][D], or with the roles of S and H exchanged. */
static void transpose(char *to, const char *from, size_t outer, size_t rows, size_t columns,
                      size_t width)
{
    const size_t matrix = rows * columns * width;
    const struct reverse_a2a_box box = {.rows = rows,
                                        .heads = columns,
                                        .width = width,
                                        .to_stride_s = width,
                                        .to_stride_h = rows * width,
                                        .from_stride_s = columns * width,
                                        .from_stride_h = width};
    for (size_t i = 0; i < outer; i++)
        reverse_a2a_copy_box(&reverse_a2a_plain_kernel, to + i * matrix, from + i * matrix, &box);
}

/* As sequence parallelism over torch.distributed does it: torch.cat of the chunks, heads in front
 * of the sequence, all_to_all_single, and back into [S, P*H, D]. Only copies, no Python. */
static int like_pytorch(struct bench *bench, const struct way *way)
{
    const size_t ranks = (size_t)bench->ranks, s = (size_t)bench->shape.s;
    const size_t h = (size_t)bench->shape.h, width = (size_t)bench->shape.d * ELEMENT_SIZE;
    memcpy(bench->scratch[0], way->in, bench->bytes);
    transpose(bench->scratch[1], bench->scratch[0], ranks, s, h, width);
    const int count = (int)(bench->bytes / ranks);
    const int error = MPI_Alltoall(bench->scratch[1], count, MPI_BYTE, bench->scratch[0], count,
                                   MPI_BYTE, bench->comm);
    transpose(way->out, bench->scratch[0], 1, ranks * h, s, width);
    return error;
}

static int alltoall_and_unpack(struct bench *bench, const struct way *way)
{
    return reverse_a2a_reference_execute(bench->reference, way->in, way->out);
}

static int alltoallw(struct bench *bench, const struct way *way)
{
    return MPI_Alltoallw(way->in, bench->counts, bench->send_displacements, bench->send_types,
                         way->out, bench->counts, bench->receive_displacements,
                         bench->receive_types, bench->comm);
}

static int execute_plan(struct bench *bench, const struct way *way)
{
    (void)bench;
    return reverse_a2a_execute(way->plan, way->in, way->out);
}

static int two_barriers(struct bench *bench, const struct way *way)
{
    (void)way;
    const int error = MPI_Barrier(bench->comm);
    return error ? error : MPI_Barrier(bench->comm);
}

static bool make_types(struct bench *bench)
{
    const size_t ranks = (size_t)bench->ranks;
    const int row = (int)(bench->shape.h * bench->shape.d * ELEMENT_SIZE);
    bench->send_types = malloc(ranks * sizeof(MPI_Datatype));
    bench->receive_types = malloc(ranks * sizeof(MPI_Datatype));
    bench->counts = malloc(ranks * sizeof(int));
    bench->send_displacements = malloc(ranks * sizeof(int));
    bench->receive_displacements = malloc(ranks * sizeof(int));
    for (int i = 0; i < bench->ranks; i++) {
        bench->counts[i] = 1;
        bench->send_displacements[i] = (int)(bench->bytes / ranks) * i;
        bench->receive_displacements[i] = row * i;
        MPI_Type_contiguous((int)(bench->bytes / ranks), MPI_BYTE, &bench->send_types[i]);
        MPI_Type_vector((int)bench->shape.s, row, row * bench->ranks, MPI_BYTE,
                        &bench->receive_types[i]);
        MPI_Type_commit(&bench->send_types[i]);
        MPI_Type_commit(&bench->receive_types[i]);
    }
    return true;
}

static void free_types(struct bench *bench)
{
    for (int i = 0; i < bench->ranks; i++) {
        MPI_Type_free(&bench->send_types[i]);
        MPI_Type_free(&bench->receive_types[i]);
    }
    free(bench->send_types);
    free(bench->receive_types);
    free(bench->counts);
    free(bench->send_displacements);
    free(bench->receive_displacements);
}

static bool add_engine(struct bench *bench, const char *group, struct reverse_a2a_choice choice,
                       bool in_shared, bool out_shared)
{
    struct reverse_a2a_plan *plan;
    const int result = reverse_a2a_plan_create_with(bench->memory, &bench->shape, &choice, &plan);
    if (result == REVERSE_A2A_ERROR_ENGINE) /* on all ranks alike */
        return true;
    if (result != REVERSE_A2A_OK)
        return false;
    struct way *way = add(bench, execute_plan, group);
    way->plan = plan;
    way->in = in_shared ? bench->a_shared : bench->a;
    way->out = out_shared ? bench->c_shared : bench->c;
    if (choice.comm_block_s > 0)
        snprintf(way->detail, sizeof way->detail, "(%d,%d,%d)", choice.comm_block_s,
                 choice.comm_block_d, choice.buffer_num);
    return true;
}

/* The 40 configurations of the examples, and fewer for the variants. */
static bool add_staged(struct bench *bench, const char *group, int engine, int copy, bool all)
{
    static const int blocks_s[] = {32, 64, 128, 256, 512}, blocks_d[] = {64, 128};
    static const int buffers[] = {2, 3, 4, 8};
    bool made = true;
    for (int i = 0; i < 40; i++) {
        const struct reverse_a2a_choice choice = {
            engine, copy, blocks_s[i / 8], blocks_d[i / 4 % 2], buffers[i % 4], 1};
        const bool few = choice.comm_block_d == 128 && (i % 4 == 0 || i % 4 == 2);
        const bool fewest = few && i % 4 == 2 && (i / 8 == 0 || i / 8 == 2);
        if (bench->brief ? fewest : all || few)
            made &= add_engine(bench, group, choice, false, false);
    }
    return made;
}

static bool add_estimate(struct bench *bench, const char *group, int symmetric)
{
    struct reverse_a2a_choice choice;
    size_t bytes;
    reverse_a2a_estimate(bench->memory, &bench->shape, symmetric, &choice);
    reverse_a2a_memory_bytes_for(&bench->shape, &choice, bench->ranks, &bytes);
    if (bytes > reverse_a2a_memory_size(bench->memory))
        return true;
    const bool shared = symmetric != REVERSE_A2A_NONE_SYMMETRIC;
    const int before = bench->count;
    const bool made = add_engine(bench, group, choice, shared, shared);
    if (bench->count > before)
        snprintf(bench->ways[before].detail, sizeof bench->ways[before].detail, "%s",
                 reverse_a2a_engine_string(choice.engine));
    return made;
}

static bool add_direct(struct bench *bench, int engine, int copy, int threads)
{
    char group[64], with[24] = "";
    const bool shared = engine != REVERSE_A2A_CMA;
    if (threads > 1)
        snprintf(with, sizeof with, ", %d threads", threads);
    snprintf(group, sizeof group, "%s, %s%s", reverse_a2a_engine_string(engine),
             reverse_a2a_copy_string(copy), with);
    const struct reverse_a2a_choice choice = {.engine = engine, .copy = copy, .threads = threads};
    return add_engine(bench, group, choice, shared, shared);
}

static bool add_all_direct(struct bench *bench)
{
    static const int copies[] = {REVERSE_A2A_COPY_PLAIN, REVERSE_A2A_COPY_WIDE,
                                 REVERSE_A2A_COPY_PREFETCHING, REVERSE_A2A_COPY_STREAMING};
    static const int engines[] = {REVERSE_A2A_CMA, REVERSE_A2A_PULL, REVERSE_A2A_PUSH};
    bool made = true;
    for (int i = 0; i < 12; i++)
        made &= add_direct(bench, engines[i / 4], copies[i % 4], 1);
    for (int i = 0; bench->threads > 1 && i < 12; i++)
        made &= add_direct(bench, engines[i / 4], copies[i % 4], bench->threads);
    return made;
}

static bool add_team(struct bench *bench, int engine, int copy)
{
    char group[64];
    snprintf(group, sizeof group, "%s, %s, %d threads", reverse_a2a_engine_string(engine),
             reverse_a2a_copy_string(copy), bench->threads);
    bool made = true;
    for (int block = 32; block <= 128; block *= 2)
        made &= add_engine(bench, group,
                           (struct reverse_a2a_choice){engine, copy, block, 128, 4, bench->threads},
                           false, false);
    return made;
}

/* Two bytes to each rank: what is left of an engine when there is nothing to copy. */
static bool add_handshake(struct bench *bench, int engine)
{
    const struct reverse_a2a_shape kept = bench->shape;
    const int before = bench->count;
    char group[64];
    snprintf(group, sizeof group, "%s, 2 bytes to each rank", reverse_a2a_engine_string(engine));
    bench->shape = (struct reverse_a2a_shape){.s = 1, .h = 1, .d = 1, .element_size = ELEMENT_SIZE};
    const bool shared = engine != REVERSE_A2A_CMA;
    const bool made = add_engine(
        bench, group, (struct reverse_a2a_choice){.engine = engine, .copy = REVERSE_A2A_COPY_PLAIN},
        shared, shared);
    bench->shape = kept;
    if (bench->count > before)
        bench->ways[before].kind = WAY_HANDSHAKE;
    return made;
}

static bool add_all_staged(struct bench *bench)
{
    const int staged = REVERSE_A2A_STAGED, own = REVERSE_A2A_STAGED_OWN;
    const int wide = REVERSE_A2A_COPY_WIDE, prefetching = REVERSE_A2A_COPY_PREFETCHING;
    const int streaming = REVERSE_A2A_COPY_STREAMING, both = REVERSE_A2A_COPY_STREAMING_BOTH;
    bool made = add_staged(bench, "staged, plain", staged, REVERSE_A2A_COPY_PLAIN, true) &&
                add_staged(bench, "staged, wide", staged, wide, false) &&
                add_staged(bench, "staged, prefetching", staged, prefetching, false) &&
                add_staged(bench, "staged, streaming", staged, streaming, false) &&
                add_staged(bench, "staged, streaming both", staged, both, false) &&
                add_staged(bench, "staged_own, wide", own, wide, false) &&
                add_staged(bench, "staged_own, prefetching", own, prefetching, false) &&
                add_staged(bench, "staged_own, streaming", own, streaming, false);
    if (made && bench->threads > 1)
        made = add_team(bench, staged, prefetching) && add_team(bench, staged, streaming) &&
               add_team(bench, own, prefetching) && add_team(bench, own, streaming);
    return made;
}

static bool add_all(struct bench *bench)
{
    add(bench, copy_by_memcpy, "limit: memcpy")->kind = WAY_LIMIT;
    add(bench, copy_by_streaming, "limit: streaming stores")->kind = WAY_LIMIT;
    add(bench, two_barriers, "MPI_Barrier, twice")->kind = WAY_HANDSHAKE;
    bool made = add_handshake(bench, REVERSE_A2A_PULL) && add_handshake(bench, REVERSE_A2A_CMA);
    add(bench, like_pytorch, "cat + transpose + MPI_Alltoall + transpose");
    add(bench, alltoall_and_unpack, "MPI_Alltoall + unpack");
    add(bench, alltoallw, "MPI_Alltoallw, strided type");
    return made &&
           add_engine(bench, "Isend/Irecv, vector types (p2p)",
                      (struct reverse_a2a_choice){.engine = REVERSE_A2A_P2P}, false, false) &&
           add_all_staged(bench) && add_all_direct(bench) &&
           add_estimate(bench, "estimate, ordinary memory", REVERSE_A2A_NONE_SYMMETRIC) &&
           add_estimate(bench, "estimate, symmetric memory", REVERSE_A2A_BOTH_SYMMETRIC);
}

/* Touched, so that no page is new in a timed call. */
static char *allocate(size_t bytes)
{
    char *memory = malloc(bytes);
    if (memory)
        memset(memory, 0, bytes);
    return memory;
}

static void fill(char *a, size_t bytes, int rank)
{
    unsigned state = (unsigned)rank * 2654435761u + 1;
    for (size_t i = 0; i < bytes; i++) {
        state = state * 1664525u + 1013904223u;
        a[i] = (char)(state >> 24);
    }
}

/* From when all are there until all are done: it ends with a barrier. */
static int allocate_shared(struct bench *bench, void **operand)
{
    MPI_Barrier(bench->comm);
    const double begin = MPI_Wtime();
    const int result = reverse_a2a_alloc(bench->memory, bench->bytes, operand);
    bench->allocation = MPI_Wtime() - begin;
    return result;
}

static bool make_operands(struct bench *bench)
{
    struct reverse_a2a_config largest = {512, 128, 8};
    size_t peer_bytes;
    bench->bytes =
        (size_t)(bench->ranks * bench->shape.s * bench->shape.h * bench->shape.d) * ELEMENT_SIZE;
    bench->a = allocate(bench->bytes);
    bench->c = allocate(bench->bytes);
    bench->expected = allocate(bench->bytes);
    bench->scratch[0] = allocate(bench->bytes);
    bench->scratch[1] = allocate(bench->bytes);
    if (!bench->a || !bench->c || !bench->expected || !bench->scratch[0] || !bench->scratch[1] ||
        reverse_a2a_memory_bytes(&bench->shape, &largest, bench->ranks, &peer_bytes) ||
        reverse_a2a_memory_create(bench->comm, peer_bytes, NULL, &bench->memory) ||
        allocate_shared(bench, &bench->a_shared) ||
        reverse_a2a_alloc(bench->memory, bench->bytes, &bench->c_shared) ||
        reverse_a2a_reference_create(bench->comm, &bench->shape, &bench->reference))
        return false;
    fill(bench->a, bench->bytes, bench->rank);
    memcpy(bench->a_shared, bench->a, bench->bytes);
    return reverse_a2a_reference_execute(bench->reference, bench->a, bench->expected) == 0;
}

bool ways_create(struct bench *bench)
{
    bench->count = 0;
    return make_operands(bench) && make_types(bench) && add_all(bench);
}

void ways_destroy(struct bench *bench)
{
    for (int i = 0; i < bench->count; i++)
        reverse_a2a_plan_destroy(bench->ways[i].plan);
    free_types(bench);
    reverse_a2a_reference_destroy(bench->reference);
    reverse_a2a_memory_destroy(bench->memory); /* with what was allocated in it */
    free(bench->a);
    free(bench->c);
    free(bench->expected);
    free(bench->scratch[0]);
    free(bench->scratch[1]);
}

bool way_is_right(const struct bench *bench, const struct way *way)
{
    const bool right =
        way->kind != WAY_OPERATOR || memcmp(way->out, bench->expected, bench->bytes) == 0;
    memset(way->out, 0xA5, bench->bytes);
    return right;
}
