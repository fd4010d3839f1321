/*
 * A shape made explicit: strides and spans in bytes, checked once so that no later arithmetic on
 * offsets can overflow.
 */
#ifndef REVERSE_A2A_LAYOUT_H
#define REVERSE_A2A_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>

#include "reverse_a2a/reverse_a2a.h"

struct reverse_a2a_array {
    size_t stride_s, stride_h; /* bytes */
    size_t span;               /* bytes from the first to behind the last element, gaps included */
};

struct reverse_a2a_layout {
    size_t ranks, s, h, d; /* if the problem is empty, s is 0 */
    size_t element_size;
    size_t row; /* bytes of D */
    struct reverse_a2a_array a, c;
};

int reverse_a2a_layout_resolve(const struct reverse_a2a_shape *shape, int ranks,
                               struct reverse_a2a_layout *layout);

/* OK, or what is wrong with the buffers of a call: ARGUMENT or OVERLAP. */
int reverse_a2a_layout_check_buffers(const struct reverse_a2a_layout *layout, const void *a,
                                     const void *c);

/* value *= factor; false on overflow. */
static inline bool reverse_a2a_multiply(size_t *value, size_t factor)
{
    return !__builtin_mul_overflow(*value, factor, value);
}

static inline size_t reverse_a2a_min(size_t x, size_t y)
{
    return x < y ? x : y;
}

#endif
