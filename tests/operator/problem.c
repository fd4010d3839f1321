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

void problem_create(struct problem *p, const struct reverse_a2a_shape *shape, int ranks, int rank,
                    size_t misalignment)
{
    *p = (struct problem){.shape = *shape, .ranks = ranks, .rank = rank};
    p->a_stride_h = shape->a_stride_h ? shape->a_stride_h : larger(shape->d, 1);
    p->a_stride_s = shape->a_stride_s ? shape->a_stride_s : p->a_stride_h * larger(shape->h, 1);
    p->c_stride_h = shape->c_stride_h ? shape->c_stride_h : larger(shape->d, 1);
    p->c_stride_s =
        shape->c_stride_s ? shape->c_stride_s : p->c_stride_h * larger(shape->h, 1) * ranks;
    p->a_bytes =
        bytes_of(p, shape->s * ranks, shape->h, p->a_stride_s, p->a_stride_h) + misalignment;
    p->c_bytes =
        bytes_of(p, shape->s, shape->h * ranks, p->c_stride_s, p->c_stride_h) + misalignment;
    p->a_block = malloc(p->a_bytes);
    p->c_block = malloc(p->c_bytes);
    p->expected_block = malloc(p->c_bytes);
    if (!p->a_block || !p->c_block || !p->expected_block)
        abort();
    p->a = p->a_block + GUARD + misalignment;
    p->c = p->c_block + GUARD + misalignment;
    p->expected = p->expected_block + GUARD + misalignment;
}

void problem_destroy(struct problem *p)
{
    free(p->a_block);
    free(p->c_block);
    free(p->expected_block);
}

/* With 8 bytes every element of every rank and salt has a value of its own; with fewer, a hash. */
static uint64_t value_of(const struct problem *p, unsigned salt, int64_t source, int64_t row,
                         int64_t h, int64_t d)
{
    int64_t index = ((source * p->ranks * p->shape.s + row) * p->shape.h + h) * p->shape.d + d;
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

void problem_fill(struct problem *p, unsigned salt)
{
    memset(p->a_block, 0xEE, p->a_bytes);
    memset(p->c_block, POISON, p->c_bytes);
    for (int64_t row = 0; row < p->ranks * p->shape.s; row++)
        for (int64_t h = 0; h < p->shape.h; h++)
            for (int64_t d = 0; d < p->shape.d; d++)
                store(p->a, row * p->a_stride_s + h * p->a_stride_h + d, p->shape.element_size,
                      value_of(p, salt, p->rank, row, h, d));
}

/* One row of C, by the definition: C_r[s, p*H + h, d] = A_p[r*S + s, h, d]. */
static void expect_row(struct problem *p, unsigned salt, int64_t s)
{
    for (int64_t head = 0; head < p->ranks * p->shape.h; head++) {
        int64_t source = head / p->shape.h, h = head % p->shape.h;
        for (int64_t d = 0; d < p->shape.d; d++)
            store(p->expected, s * p->c_stride_s + head * p->c_stride_h + d, p->shape.element_size,
                  value_of(p, salt, source, p->rank * p->shape.s + s, h, d));
    }
}

bool problem_check(struct problem *p, unsigned salt, const char *what)
{
    memset(p->expected_block, POISON, p->c_bytes);
    for (int64_t s = 0; s < p->shape.s; s++)
        expect_row(p, salt, s);
    if (memcmp(p->expected_block, p->c_block, p->c_bytes) == 0)
        return true;
    size_t at = 0;
    while (p->expected_block[at] == p->c_block[at])
        at++;
    fprintf(stderr,
            "rank %d of %d: %s, S=%lld H=%lld D=%lld of %zu bytes: byte %td of C is wrong\n",
            p->rank, p->ranks, what, (long long)p->shape.s, (long long)p->shape.h,
            (long long)p->shape.d, p->shape.element_size, p->c_block + at - p->c);
    return false;
}

bool run_case(struct reverse_a2a_memory *memory, int rank, const struct reverse_a2a_shape *shape,
              const struct reverse_a2a_config *config, size_t misalignment)
{
    struct reverse_a2a_plan *plan;
    int result = reverse_a2a_plan_create(memory, shape, config, &plan);
    if (result != REVERSE_A2A_OK) {
        fprintf(stderr, "no plan: %s\n", reverse_a2a_memory_reason(memory));
        return false;
    }
    struct problem problem;
    problem_create(&problem, shape, reverse_a2a_memory_ranks(memory), rank, misalignment);
    char what[100];
    snprintf(what, sizeof(what), "blocks %d x %d, %d buffers", config->comm_block_s,
             config->comm_block_d, config->buffer_num);
    bool right = true;
    for (unsigned salt = 1; salt <= 2; salt++) {
        problem_fill(&problem, salt);
        right &= reverse_a2a_execute(plan, problem.a, problem.c) == REVERSE_A2A_OK;
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
