/*
 * Copies of strided boxes: rows of S, heads of H, and D of unit stride, all in bytes. What is
 * contiguous on both sides is copied in runs as long as possible.
 */
#ifndef REVERSE_A2A_COPY_H
#define REVERSE_A2A_COPY_H

#include <stddef.h>

struct reverse_a2a_box {
    size_t rows, heads, width; /* width: bytes of D */
    size_t to_stride_s, to_stride_h;
    size_t from_stride_s, from_stride_h;
};

void reverse_a2a_copy_box(char *to, const char *from, const struct reverse_a2a_box *box);

/* The same, in sweeps of `tile` bytes of D (1 or more) over the whole box. */
void reverse_a2a_copy_tiles(char *to, const char *from, const struct reverse_a2a_box *box,
                            size_t tile);

#endif
