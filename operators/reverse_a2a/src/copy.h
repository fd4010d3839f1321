/*
 * Copies of strided boxes: rows of S, heads of H, and D of unit stride, all in bytes. What is
 * contiguous on both sides is copied in runs as long as possible, by a kernel.
 */
#ifndef REVERSE_A2A_COPY_H
#define REVERSE_A2A_COPY_H

#include <stdbool.h>
#include <stddef.h>

/* Copies `count` runs of `width` bytes. */
typedef void (*reverse_a2a_copy_runs)(char *to, size_t to_stride, const char *from,
                                      size_t from_stride, size_t count, size_t width);

struct reverse_a2a_kernel {
    reverse_a2a_copy_runs copy_runs;
    void (*fence)(void); /* orders streaming stores before a later signal; NULL: not needed */
};

/* The kernels of one instruction set. */
struct reverse_a2a_kernel_set {
    const char *name;
    bool (*is_supported)(void);
    struct reverse_a2a_kernel wide, prefetching, streaming;
};

/* From the widest to the one that runs everywhere; ends with a name of NULL. */
extern const struct reverse_a2a_kernel_set reverse_a2a_kernel_sets[];

extern const struct reverse_a2a_kernel reverse_a2a_plain_kernel;

/* Is the prefetching kernel faster than the wide one here, where data stays in caches? */
bool reverse_a2a_gains_by_prefetching(void);

/* The best of this processor. */
const struct reverse_a2a_kernel_set *reverse_a2a_find_kernels(void);

struct reverse_a2a_box {
    size_t rows, heads, width; /* width: bytes of D */
    size_t to_stride_s, to_stride_h;
    size_t from_stride_s, from_stride_h;
};

/* Makes of a box the one with the longest runs that copies the same bytes. */
void reverse_a2a_join_runs(struct reverse_a2a_box *box);

/* What was stored is ordered before any later store. */
void reverse_a2a_copy_box(const struct reverse_a2a_kernel *kernel, char *to, const char *from,
                          const struct reverse_a2a_box *box);

/* The same, in sweeps of `tile` bytes of D (1 or more) over the whole box. */
void reverse_a2a_copy_tiles(const struct reverse_a2a_kernel *kernel, char *to, const char *from,
                            const struct reverse_a2a_box *box, size_t tile);

#endif
