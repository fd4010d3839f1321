/*
 * Plans whose engine and blocks are found by measuring (library libreverse_a2a_tuned). Nothing here
 * needs knowledge of the tuner:
 *
 *     reverse_a2a_memory_create(comm, bytes, NULL, &memory);
 *     reverse_a2a_tuner_create(memory, &tuner);                    // collective, once
 *     reverse_a2a_tuner_plan(tuner, &shape, a, c, REVERSE_A2A_MEASURE, &plan);
 *     reverse_a2a_execute(plan, a, c);                             // as often as you like
 *
 * What was measured is remembered on disk, so that the next run of the program measures nothing.
 */
#ifndef REVERSE_A2A_TUNED_H
#define REVERSE_A2A_TUNED_H

#include <reverse_a2a/reverse_a2a.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How much may be spent on a plan. */
enum reverse_a2a_effort {
    REVERSE_A2A_ESTIMATE = 0, /* nothing: reverse_a2a_estimate decides; buffers are not touched */
    REVERSE_A2A_MEASURE = 1,  /* looks it up, else measures now; overwrites the result */
    REVERSE_A2A_CACHED = 2    /* looks it up, else NOT_CACHED; buffers are not touched */
};

struct reverse_a2a_tuner;

/*
 * Makes a tuner. Collective over the memory's communicator. The memory must outlive the tuner.
 * Errors: ARGUMENT (found locally), TUNER, OUT_OF_MEMORY.
 */
int reverse_a2a_tuner_create(struct reverse_a2a_memory *memory, struct reverse_a2a_tuner **tuner);

/* Collective. Frees a tuner; its plans stay. NULL is allowed and then local. */
void reverse_a2a_tuner_destroy(struct reverse_a2a_tuner *tuner);

/*
 * Local. The peer_mem that the largest candidate needs: with a memory of so many bytes nothing is
 * left out of a search; with less, what does not fit. Errors: as reverse_a2a_memory_bytes.
 */
int reverse_a2a_tuner_bytes(const struct reverse_a2a_shape *shape, int ranks, size_t *bytes);

/*
 * Collective. Makes a plan for the problem, and for where the operands lie: in or out, or both, may
 * be in memory of reverse_a2a_alloc, on all ranks alike. While it measures, the operand is read and
 * the result overwritten many times. The plan is the caller's; it may be executed with other
 * operands, as long as those that lie in symmetric memory here do so there. A search allocates
 * nothing but the present candidate's plan.
 *
 * Errors: those of reverse_a2a_plan_create_with; TUNER; NOT_CACHED. *plan is then NULL, and
 * reverse_a2a_memory_reason says more.
 */
int reverse_a2a_tuner_plan(struct reverse_a2a_tuner *tuner, const struct reverse_a2a_shape *shape,
                           const void *in, void *out, int effort, struct reverse_a2a_plan **plan);

#ifdef __cplusplus
}
#endif

#endif
