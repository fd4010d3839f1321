/* Checks a shape and resolves its strides (see layout.h). */
#include "layout.h"

#include <string.h>

/* One of the two arrays while it is resolved, in elements. */
struct extents {
    size_t rows, heads, d;     /* what S and H count in this array */
    size_t stride_s, stride_h; /* 0: contiguous */
};

static bool set_default_strides(struct extents *e)
{
    if (e->stride_h == 0)
        e->stride_h = e->d;
    if (e->stride_s != 0)
        return true;
    e->stride_s = e->stride_h;
    return reverse_a2a_multiply(&e->stride_s, e->heads);
}

/* Elements from the first to behind the last; false on overflow. */
static bool find_span(const struct extents *e, size_t *span)
{
    size_t over_s = e->rows - 1, over_h = e->heads - 1;
    return reverse_a2a_multiply(&over_s, e->stride_s) &&
           reverse_a2a_multiply(&over_h, e->stride_h) &&
           !__builtin_add_overflow(over_s, over_h, span) &&
           !__builtin_add_overflow(*span, e->d, span);
}

/* Does the dimension with `outer` step over all `count` entries of the one with `inner`? The span
 * has been found not to overflow. A dimension of one entry has no say. */
static bool nests(size_t outer, size_t outer_count, size_t inner, size_t inner_count, size_t d)
{
    if (inner_count > 1 && inner < d)
        return false;
    return outer_count == 1 || outer >= (inner_count - 1) * inner + d;
}

static bool elements_are_distinct(const struct extents *e)
{
    return nests(e->stride_s, e->rows, e->stride_h, e->heads, e->d) ||
           nests(e->stride_h, e->heads, e->stride_s, e->rows, e->d);
}

static int resolve_array(struct extents *e, size_t element_size, bool written,
                         struct reverse_a2a_array *array)
{
    size_t span = 0;
    if (!set_default_strides(e) || !find_span(e, &span) ||
        !reverse_a2a_multiply(&span, element_size) || span > PTRDIFF_MAX)
        return REVERSE_A2A_ERROR_TOO_LARGE;
    if (written && !elements_are_distinct(e))
        return REVERSE_A2A_ERROR_SHAPE;
    /* The stride of a dimension with one entry is never used: 0 keeps it from overflowing. */
    array->stride_s = e->rows > 1 ? e->stride_s * element_size : 0;
    array->stride_h = e->heads > 1 ? e->stride_h * element_size : 0;
    array->span = span;
    return REVERSE_A2A_OK;
}

static int check_shape(const struct reverse_a2a_shape *shape, int ranks)
{
    size_t size = shape->element_size;
    if (shape->s < 0 || shape->h < 0 || shape->d < 0 || shape->a_stride_s < 0 ||
        shape->a_stride_h < 0 || shape->c_stride_s < 0 || shape->c_stride_h < 0)
        return REVERSE_A2A_ERROR_SHAPE;
    if (size != 1 && size != 2 && size != 4 && size != 8)
        return REVERSE_A2A_ERROR_SHAPE;
    if (ranks < 1 || (shape->ranks != 0 && shape->ranks != ranks))
        return REVERSE_A2A_ERROR_RANKS;
    return REVERSE_A2A_OK;
}

int reverse_a2a_layout_resolve(const struct reverse_a2a_shape *shape, int ranks,
                               struct reverse_a2a_layout *layout)
{
    int result = check_shape(shape, ranks);
    if (result != REVERSE_A2A_OK)
        return result;
    memset(layout, 0, sizeof(*layout));
    layout->ranks = (size_t)ranks;
    layout->element_size = shape->element_size;
    if (shape->s == 0 || shape->h == 0 || shape->d == 0)
        return REVERSE_A2A_OK;
    layout->s = (size_t)shape->s;
    layout->h = (size_t)shape->h;
    layout->d = (size_t)shape->d;

    struct extents a = {layout->s, layout->h, layout->d, (size_t)shape->a_stride_s,
                        (size_t)shape->a_stride_h};
    struct extents c = {layout->s, layout->h, layout->d, (size_t)shape->c_stride_s,
                        (size_t)shape->c_stride_h};
    if (!reverse_a2a_multiply(&a.rows, layout->ranks) ||
        !reverse_a2a_multiply(&c.heads, layout->ranks))
        return REVERSE_A2A_ERROR_TOO_LARGE;
    result = resolve_array(&a, shape->element_size, false, &layout->a);
    if (result == REVERSE_A2A_OK)
        result = resolve_array(&c, shape->element_size, true, &layout->c);
    layout->row = layout->d * shape->element_size;
    return result;
}

int reverse_a2a_layout_check_buffers(const struct reverse_a2a_layout *layout, const void *a,
                                     const void *c)
{
    if (layout->s == 0)
        return REVERSE_A2A_OK;
    if (!a || !c)
        return REVERSE_A2A_ERROR_ARGUMENT;
    uintptr_t from_a = (uintptr_t)a, from_c = (uintptr_t)c;
    bool apart =
        from_a < from_c ? from_c - from_a >= layout->a.span : from_a - from_c >= layout->c.span;
    return apart ? REVERSE_A2A_OK : REVERSE_A2A_ERROR_OVERLAP;
}
