/* Finds and names the first wrong element of C. */
#ifndef EXAMPLES_VERIFY_H
#define EXAMPLES_VERIFY_H

#include <stdbool.h>
#include <stdint.h>

#include "tensors.h"

struct wrong_element {
    int64_t s, head, d;     /* its place in C [S][ranks * H][D] */
    uint64_t got, expected; /* its bits */
};

/* Compares C with what it must be; false: *wrong says where they differ first. Local. */
bool verify(const struct tensors *tensors, const struct reverse_a2a_shape *shape, int ranks,
            struct wrong_element *wrong);

#endif
