/* Copies of strided boxes, and the kernel that is right everywhere (see copy.h). */
#include "copy.h"

#include <string.h>

#include "layout.h"

/* One memcpy of a constant size is one to a few moves; a call costs more than a short run does. */
#define COPY_CONSTANT(size)                                                                        \
    case size:                                                                                     \
        for (size_t i = 0; i < count; i++)                                                         \
            memcpy(to + i * to_stride, from + i * from_stride, size);                              \
        break

static void copy_plain(char *to, size_t to_stride, const char *from, size_t from_stride,
                       size_t count, size_t width)
{
    switch (width) {
        COPY_CONSTANT(1);
        COPY_CONSTANT(2);
        COPY_CONSTANT(4);
        COPY_CONSTANT(8);
        COPY_CONSTANT(16);
        COPY_CONSTANT(32);
        COPY_CONSTANT(64);
        COPY_CONSTANT(128);
    default:
        for (size_t i = 0; i < count; i++)
            memcpy(to + i * to_stride, from + i * from_stride, width);
    }
}

const struct reverse_a2a_kernel reverse_a2a_plain_kernel = {.copy_runs = copy_plain};

const struct reverse_a2a_kernel_set *reverse_a2a_find_kernels(void)
{
    const struct reverse_a2a_kernel_set *set = reverse_a2a_kernel_sets;
    while (!set->is_supported())
        set++;
    return set;
}

/* Puts the dimension of the smaller strides inside, where runs can join. */
static void order_dimensions(struct reverse_a2a_box *box)
{
    if (box->rows == 1 || (box->heads > 1 && box->to_stride_h <= box->to_stride_s))
        return;
    *box = (struct reverse_a2a_box){box->heads,        box->rows,        box->width,
                                    box->to_stride_h,  box->to_stride_s, box->from_stride_h,
                                    box->from_stride_s};
}

void reverse_a2a_join_runs(struct reverse_a2a_box *box)
{
    order_dimensions(box);
    if (box->heads > 1 && box->to_stride_h == box->width && box->from_stride_h == box->width) {
        box->width *= box->heads;
        box->heads = 1;
    }
    if (box->heads == 1) { /* then the rows are what is left inside */
        box->heads = box->rows;
        box->to_stride_h = box->to_stride_s;
        box->from_stride_h = box->from_stride_s;
        box->rows = 1;
    }
    if (box->to_stride_h == box->width && box->from_stride_h == box->width) {
        box->width *= box->heads;
        box->heads = 1;
    }
}

static void copy_unfenced(const struct reverse_a2a_kernel *kernel, char *to, const char *from,
                          const struct reverse_a2a_box *wanted)
{
    struct reverse_a2a_box box = *wanted;
    reverse_a2a_join_runs(&box);
    for (size_t i = 0; i < box.rows; i++)
        kernel->copy_runs(to + i * box.to_stride_s, box.to_stride_h, from + i * box.from_stride_s,
                          box.from_stride_h, box.heads, box.width);
}

void reverse_a2a_copy_box(const struct reverse_a2a_kernel *kernel, char *to, const char *from,
                          const struct reverse_a2a_box *box)
{
    reverse_a2a_copy_tiles(kernel, to, from, box, box->width);
}

void reverse_a2a_copy_tiles(const struct reverse_a2a_kernel *kernel, char *to, const char *from,
                            const struct reverse_a2a_box *box, size_t tile)
{
    struct reverse_a2a_box part = *box;
    if (box->rows == 0)
        return;
    for (size_t done = 0; done < box->width; done += part.width) {
        part.width = reverse_a2a_min(tile, box->width - done);
        copy_unfenced(kernel, to + done, from + done, &part);
    }
    if (kernel->fence)
        kernel->fence();
}
