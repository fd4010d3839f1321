/* Fills and checks the arrays of the tests (see problem.h). */
#include "problem.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GUARD  256 /* bytes before and behind each array */
#define POISON 0xA5

static int64_t larger(int64_t x, int64_t y)
{
    return x > y ? x : y;
}

static size_t bytes_of(const struct problem *p, int64_t rows, int64_t heads, int64_t stride_s,
                       int64_t stride_h)
{
    int64_t elements = 0;
    if (rows > 0 && heads > 0 && p->shape.d > 0)
        elements = (rows - 1) * stride_s + (heads - 1) * stride_h + p->shape.d;
    return (size_t)elements * p->shape.element_size + 2 * GUARD;
}

static int64_t rows_of(const struct problem *p, int rank)
{
    return p->shape.s_of_ranks ? p->shape.s_of_ranks[rank] : p->shape.s;
}

static int64_t first_row_of(const struct problem *p, int rank)
{
    int64_t first = 0;
    for (int i = 0; i < rank; i++)
        first += rows_of(p, i);
    return first;
}

static bool is_forward(const struct problem *p)
{
    return p->shape.direction == REVERSE_A2A_FORWARD;
}

static void resolve(struct problem *p)
{
    const struct reverse_a2a_shape *shape = &p->shape;
    p->s = rows_of(p, p->rank);
    p->first_row = first_row_of(p, p->rank);
    p->rows = first_row_of(p, p->ranks);
    p->a_stride_h = shape->a_stride_h ? shape->a_stride_h : larger(shape->d, 1);
    p->a_stride_s = shape->a_stride_s ? shape->a_stride_s : p->a_stride_h * larger(shape->h, 1);
    p->c_stride_h = shape->c_stride_h ? shape->c_stride_h : larger(shape->d, 1);
    p->c_stride_s =
        shape->c_stride_s ? shape->c_stride_s : p->c_stride_h * larger(shape->h, 1) * p->ranks;
}

void problem_create(struct problem *p, const struct reverse_a2a_shape *shape, int ranks, int rank,
                    size_t misalignment)
{
    *p = (struct problem){.shape = *shape, .ranks = ranks, .rank = rank};
    resolve(p);
    size_t a = bytes_of(p, p->rows, shape->h, p->a_stride_s, p->a_stride_h) + misalignment;
    size_t c = bytes_of(p, p->s, shape->h * ranks, p->c_stride_s, p->c_stride_h) + misalignment;
    p->in_bytes = is_forward(p) ? c : a;
    p->out_bytes = is_forward(p) ? a : c;
    p->in_block = malloc(p->in_bytes);
    p->out_block = malloc(p->out_bytes);
    p->expected_block = malloc(p->out_bytes);
    if (!p->in_block || !p->out_block || !p->expected_block)
        abort();
    p->in = p->in_block + GUARD + misalignment;
    p->out = p->out_block + GUARD + misalignment;
    p->expected = p->expected_block + GUARD + misalignment;
}

void problem_destroy(struct problem *p)
{
    free(p->in_block);
    free(p->out_block);
    free(p->expected_block);
}

/* Of A of a rank. With 8 bytes every element of every rank and salt has a value of its own; with
 * fewer, a hash. */
static uint64_t value_of(const struct problem *p, unsigned salt, int64_t source, int64_t row,
                         int64_t h, int64_t d)
{
    int64_t index = ((source * p->rows + row) * p->shape.h + h) * p->shape.d + d;
    uint64_t value = ((uint64_t)salt << 40) + (uint64_t)index;
    if (p->shape.element_size == 8)
        return value;
    value =
        (value ^ (value >> 30)) * UINT64_C(0xbf58476d1ce4e5b9); /* the finalizer of splitmix64 */
    value = (value ^ (value >> 27)) * UINT64_C(0x94d049bb133111eb);
    return value ^ (value >> 31);
}

static void store(char *array, int64_t index, size_t element_size, uint64_t value)
{
    uint8_t byte = (uint8_t)value;
    uint16_t half = (uint16_t)value;
    uint32_t word = (uint32_t)value;
    char *to = array + (size_t)index * element_size;
    switch (element_size) {
    case 1:
        memcpy(to, &byte, 1);
        break;
    case 2:
        memcpy(to, &half, 2);
        break;
    case 4:
        memcpy(to, &word, 4);
        break;
    default:
        memcpy(to, &value, 8);
    }
}

static void fill_a(const struct problem *p, unsigned salt, char *a)
{
    for (int64_t row = 0; row < p->rows; row++)
        for (int64_t h = 0; h < p->shape.h; h++)
            for (int64_t d = 0; d < p->shape.d; d++)
                store(a, row * p->a_stride_s + h * p->a_stride_h + d, p->shape.element_size,
                      value_of(p, salt, p->rank, row, h, d));
}

/* By the definition: C_r[s, p*H + h, d] = A_p[r*S + s, h, d]. */
static void fill_c_row(const struct problem *p, unsigned salt, char *c, int64_t s)
{
    for (int64_t head = 0; head < p->ranks * p->shape.h; head++) {
        int64_t source = head / p->shape.h, h = head % p->shape.h;
        for (int64_t d = 0; d < p->shape.d; d++)
            store(c, s * p->c_stride_s + head * p->c_stride_h + d, p->shape.element_size,
                  value_of(p, salt, source, p->first_row + s, h, d));
    }
}

static void fill_c(const struct problem *p, unsigned salt, char *c)
{
    for (int64_t s = 0; s < p->s; s++)
        fill_c_row(p, salt, c, s);
}

void problem_fill(struct problem *p, unsigned salt)
{
    memset(p->in_block, 0xEE, p->in_bytes);
    memset(p->out_block, POISON, p->out_bytes);
    if (is_forward(p))
        fill_c(p, salt, p->in);
    else
        fill_a(p, salt, p->in);
}

bool problem_check(struct problem *p, unsigned salt, const char *what)
{
    memset(p->expected_block, POISON, p->out_bytes);
    if (is_forward(p))
        fill_a(p, salt, p->expected);
    else
        fill_c(p, salt, p->expected);
    if (memcmp(p->expected_block, p->out_block, p->out_bytes) == 0)
        return true;
    size_t at = 0;
    while (p->expected_block[at] == p->out_block[at])
        at++;
    fprintf(stderr,
            "rank %d of %d: %s, S=%lld H=%lld D=%lld of %zu bytes: byte %td of the result is "
            "wrong\n",
            p->rank, p->ranks, what, (long long)p->s, (long long)p->shape.h, (long long)p->shape.d,
            p->shape.element_size, p->out_block + at - p->out);
    return false;
}

bool run_case(struct reverse_a2a_memory *memory, int rank, const struct reverse_a2a_shape *shape,
              const struct reverse_a2a_config *config, size_t misalignment)
{
    struct arena none = {.memory = memory, .rank = rank};
    struct reverse_a2a_choice choice = {REVERSE_A2A_STAGED,   REVERSE_A2A_COPY_AUTO,
                                        config->comm_block_s, config->comm_block_d,
                                        config->buffer_num,   1};
    return run_choice(&none, shape, &choice, misalignment);
}

bool arena_create(struct arena *arena, struct reverse_a2a_memory *memory, int rank, size_t bytes)
{
    void *operand;
    *arena = (struct arena){.memory = memory, .rank = rank, .bytes = bytes};
    bool made = reverse_a2a_alloc(memory, bytes, &operand) == REVERSE_A2A_OK;
    arena->operand = operand;
    return made;
}

/* Whole blocks move there and back, so that alignment and guard zones come along. */
int execute_in_arena(struct arena *arena, struct reverse_a2a_plan *plan, struct problem *p)
{
    struct reverse_a2a_choice choice;
    reverse_a2a_plan_choice(plan, &choice);
    size_t offset = 64 * (size_t)arena->rank;
    char *place = arena->operand ? arena->operand + offset : NULL;
    bool pull = choice.engine == REVERSE_A2A_PULL, push = choice.engine == REVERSE_A2A_PUSH;
    if (pull && offset + p->in_bytes <= arena->bytes) {
        memcpy(place, p->in_block, p->in_bytes);
        return reverse_a2a_execute(plan, place + (p->in - p->in_block), p->out);
    }
    if (!push || offset + p->out_bytes > arena->bytes)
        return reverse_a2a_execute(plan, p->in, p->out);
    memcpy(place, p->out_block, p->out_bytes);
    int result = reverse_a2a_execute(plan, p->in, place + (p->out - p->out_block));
    memcpy(p->out_block, place, p->out_bytes);
    return result;
}

bool run_choice(struct arena *arena, const struct reverse_a2a_shape *shape,
                const struct reverse_a2a_choice *choice, size_t misalignment)
{
    struct reverse_a2a_plan *plan;
    int result = reverse_a2a_plan_create_with(arena->memory, shape, choice, &plan);
    if (result != REVERSE_A2A_OK) {
        fprintf(stderr, "no plan: %s\n", reverse_a2a_memory_reason(arena->memory));
        return false;
    }
    struct problem problem;
    problem_create(&problem, shape, reverse_a2a_memory_ranks(arena->memory), arena->rank,
                   misalignment);
    char what[100];
    snprintf(what, sizeof(what), "engine %s, copy %s, blocks %d x %d, %d buffers, %d threads%s",
             reverse_a2a_engine_string(choice->engine), reverse_a2a_copy_string(choice->copy),
             choice->comm_block_s, choice->comm_block_d, choice->buffer_num, choice->threads,
             is_forward(&problem) ? ", forward" : "");
    bool right = true;
    for (unsigned salt = 1; salt <= 2; salt++) {
        problem_fill(&problem, salt);
        right &= execute_in_arena(arena, plan, &problem) == REVERSE_A2A_OK;
        right &= problem_check(&problem, salt, what);
    }
    problem_destroy(&problem);
    reverse_a2a_plan_destroy(plan);
    return right;
}

/* Yields while it waits: MPICH's blocking calls take milliseconds where ranks outnumber cores. */
void assert_everywhere(MPI_Comm comm, bool right)
{
    int mine = right, all = 0, done = 0;
    MPI_Request request;
    MPI_Iallreduce(&mine, &all, 1, MPI_INT, MPI_MIN, comm, &request);
    while (!done) {
        MPI_Test(&request, &done, MPI_STATUS_IGNORE);
        sched_yield();
    }
    assert_true(all);
}

int world_ranks(void)
{
    int ranks;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    return ranks;
}

int world_rank(void)
{
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return rank;
}

int finish_tests(int failed)
{
    int worst = 0, mine = failed != 0;
    MPI_Allreduce(&mine, &worst, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    MPI_Finalize();
    return worst;
}
