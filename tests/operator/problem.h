/*
 * A problem of one rank under test: the operand filled with values that tell where each element
 * comes from, and the result between guard zones, compared with the definition byte by byte.
 * Strides and offsets are worked out here once more, so that the library's own arithmetic is under
 * test too.
 */
#ifndef PROBLEM_H
#define PROBLEM_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <mpi.h>

#include <reverse_a2a/reverse_a2a.h>

struct problem {
    struct reverse_a2a_shape shape;
    int ranks, rank;
    int64_t s, first_row, rows; /* of this rank; its first in A; of all ranks */
    int64_t a_stride_s, a_stride_h, c_stride_s, c_stride_h; /* elements, none left at 0 */
    char *in_block, *out_block, *expected_block;            /* what was allocated */
    size_t in_bytes, out_bytes;                             /* their sizes, guards included */
    char *in, *out, *expected;                              /* where the arrays begin */
};

/* Local. The arrays begin `misalignment` bytes behind an aligned address. */
void problem_create(struct problem *problem, const struct reverse_a2a_shape *shape, int ranks,
                    int rank, size_t misalignment);
void problem_destroy(struct problem *problem);

/* Local. New contents for the operand, other ones for each salt; poison in the result and in all
 * gaps. */
void problem_fill(struct problem *problem, unsigned salt);

/* Local. Is the result what the definition says, and nothing else written? Says on stderr what is
 * not. */
bool problem_check(struct problem *problem, unsigned salt, const char *what);

/* Collective if the memory is. Plan, several executions without a barrier, and their checks. */
bool run_case(struct reverse_a2a_memory *memory, int rank, const struct reverse_a2a_shape *shape,
              const struct reverse_a2a_config *config, size_t misalignment);

/* Symmetric memory for the operands of PULL and PUSH, made once for many cases. */
struct arena {
    struct reverse_a2a_memory *memory;
    int rank;
    size_t bytes;
    char *operand;
};

/* Collective. */
bool arena_create(struct arena *arena, struct reverse_a2a_memory *memory, int rank, size_t bytes);

/*
 * Collective. The same as run_case, with any engine. What the engine needs in symmetric memory goes
 * there, on every rank at another offset.
 */
bool run_choice(struct arena *arena, const struct reverse_a2a_shape *shape,
                const struct reverse_a2a_choice *choice, size_t misalignment);

/* Collective. One execution with the operand or the result in the arena if the engine needs that.
 */
int execute_in_arena(struct arena *arena, struct reverse_a2a_plan *plan, struct problem *problem);

/* Collective. Fails the test on all ranks if `right` is false on any: none is left waiting. */
void assert_everywhere(MPI_Comm comm, bool right);

int world_ranks(void);
int world_rank(void);

/* Collective. The exit status of a test program: not 0 if a test failed on any rank. */
int finish_tests(int failed);

#endif
