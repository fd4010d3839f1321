/*
 * A shape made explicit: strides and spans in bytes, checked once so that no later arithmetic on
 * offsets can overflow.
 */
#ifndef REVERSE_A2A_LAYOUT_H
#define REVERSE_A2A_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>

#include "copy.h"
#include "reverse_a2a/reverse_a2a.h"

struct reverse_a2a_array {
    size_t stride_s, stride_h; /* bytes */
    size_t span;               /* bytes from the first to behind the last element, gaps included */
};

struct reverse_a2a_layout {
    size_t ranks, s, h, d; /* s: the largest of all ranks; if the problem is empty, s is 0 */
    size_t element_size;
    size_t row; /* bytes of D */
    bool forward;
    const size_t *first_row;          /* in A, of each rank and behind the last; NULL: even */
    struct reverse_a2a_array in, out; /* A and C, or C and A */
};

/* What goes from one rank to another: rows of S, H heads, D. */
struct reverse_a2a_part {
    size_t rows;
    size_t in, out; /* bytes from the start of what is read and of what is written */
};

/* `rank` is the rank whose arrays these are; -1: that of the most rows. first_row stays NULL. */
int reverse_a2a_layout_resolve(const struct reverse_a2a_shape *shape, int ranks, int rank,
                               struct reverse_a2a_layout *layout);

/* Fills ranks + 1 entries for a shape with s_of_ranks, and lets the layout use them. */
void reverse_a2a_layout_set_rows(struct reverse_a2a_layout *layout,
                                 const struct reverse_a2a_shape *shape, size_t *first_row);

struct reverse_a2a_part reverse_a2a_layout_part(const struct reverse_a2a_layout *layout, int source,
                                                int target);

/* A whole part as a box, from `in` to `out`. */
struct reverse_a2a_box reverse_a2a_layout_box(const struct reverse_a2a_layout *layout, size_t rows);

/* The bytes that a rank receives, at most. */
size_t reverse_a2a_layout_bytes(const struct reverse_a2a_layout *layout);

/* OK, or what is wrong with the buffers of a call: ARGUMENT or OVERLAP. */
int reverse_a2a_layout_check_buffers(const struct reverse_a2a_layout *layout, const void *in,
                                     const void *out);

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
