/* The arrays of one problem on one rank: A, C, and what C must become. Contiguous. */
#ifndef EXAMPLES_TENSORS_H
#define EXAMPLES_TENSORS_H

#include <stdbool.h>
#include <stddef.h>

#include <reverse_a2a/reverse_a2a.h>

struct tensors {
    size_t bytes; /* of each of the three */
    void *a, *c, *expected;
};

/* False, and nothing allocated, if there is no memory for it. Local. */
bool tensors_allocate(struct tensors *tensors, const struct reverse_a2a_shape *shape, int ranks);

void tensors_free(struct tensors *tensors);

/* Gives A bytes that depend on the rank and the place alone, and look random. Local. */
void tensors_fill(struct tensors *tensors, int rank);

/* Makes every byte of C differ from what it must become, so that nothing left over can pass. */
void tensors_poison(struct tensors *tensors);

#endif
