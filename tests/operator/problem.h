/*
 * A problem of one rank under test: A filled with values that tell where each element comes from,
 * and C between guard zones, compared with the definition byte by byte. Strides are worked out here
 * once more, so that the library's own arithmetic is under test too.
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
    int64_t a_stride_s, a_stride_h, c_stride_s, c_stride_h; /* elements, none left at 0 */
    char *a_block, *c_block, *expected_block;               /* what was allocated */
    size_t a_bytes, c_bytes;                                /* their sizes, guards included */
    char *a, *c, *expected;                                 /* where the arrays begin */
};

/* Local. The arrays begin `misalignment` bytes behind an aligned address. */
void problem_create(struct problem *problem, const struct reverse_a2a_shape *shape, int ranks,
                    int rank, size_t misalignment);
void problem_destroy(struct problem *problem);

/* Local. New contents for A, other ones for each salt; poison in C and in all gaps. */
void problem_fill(struct problem *problem, unsigned salt);

/* Local. Is C what the definition says, and nothing else written? Says on stderr what is not. */
bool problem_check(struct problem *problem, unsigned salt, const char *what);

/* Collective if the memory is. Plan, several executions without a barrier, and their checks. */
bool run_case(struct reverse_a2a_memory *memory, int rank, const struct reverse_a2a_shape *shape,
              const struct reverse_a2a_config *config, size_t misalignment);

/* Collective. Fails the test on all ranks if `right` is false on any: none is left waiting. */
void assert_everywhere(MPI_Comm comm, bool right);

int world_ranks(void);
int world_rank(void);

/* Collective. The exit status of a test program: not 0 if a test failed on any rank. */
int finish_tests(int failed);

#endif
