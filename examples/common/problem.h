/* One problem: a shape with its arrays on a team, the reference, and the launcher to run it. */
#ifndef EXAMPLES_PROBLEM_H
#define EXAMPLES_PROBLEM_H

#include <stdbool.h>

#include "launcher.h"
#include "team.h"
#include "tensors.h"

struct problem {
    struct team team;
    struct reverse_a2a_shape shape;
    const char *dtype;
    char name[96]; /* "S=2048 H=8 D=128 bf16" */
    struct tensors tensors;
    struct reverse_a2a_reference *reference;
    struct launcher launcher;
};

/*
 * Allocates and fills the arrays, and lets the reference compute what C must be. False on all ranks
 * if that failed on one; the reason has then been printed. Either way problem_end follows.
 * Collective.
 */
bool problem_begin(struct problem *problem, const struct reverse_a2a_shape *shape);

/* Makes room for launches that need so many bytes of symmetric memory. False as above. Collective.
 */
bool problem_reserve(struct problem *problem, size_t bytes);

/* Runs the launcher on the problem's arrays. Collective; returns a reverse_a2a_result. */
int problem_launch(struct problem *problem, const struct reverse_a2a_config *blocks);

/*
 * True on all ranks if `what` returned 0 and left the right C, on all of them. Otherwise the first
 * rank where it did not prints which element is the first wrong one. Collective.
 */
bool problem_verify(struct problem *problem, const char *what, int result);

/* Frees what belongs to the shape; the symmetric memory stays. Collective. */
void problem_end(struct problem *problem);

#endif
