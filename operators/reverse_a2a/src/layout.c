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
    if (ranks < 1 || (shape->ranks != 0 && shape->ranks != ranks))
        return REVERSE_A2A_ERROR_RANKS;
    if (shape->h < 0 || shape->d < 0 || shape->a_stride_s < 0 || shape->a_stride_h < 0 ||
        shape->c_stride_s < 0 || shape->c_stride_h < 0)
        return REVERSE_A2A_ERROR_SHAPE;
    if (size != 1 && size != 2 && size != 4 && size != 8)
        return REVERSE_A2A_ERROR_SHAPE;
    if (shape->direction != REVERSE_A2A_REVERSE && shape->direction != REVERSE_A2A_FORWARD)
        return REVERSE_A2A_ERROR_SHAPE;
    return REVERSE_A2A_OK;
}

/* Rows of S: of all ranks, of the one that has most, and of this rank. */
struct rows {
    size_t all, most, here;
};

static int count_rows(const struct reverse_a2a_shape *shape, int ranks, int rank, struct rows *rows)
{
    *rows = (struct rows){0};
    for (int i = 0; i < ranks; i++) {
        int64_t s = shape->s_of_ranks ? shape->s_of_ranks[i] : shape->s;
        if (s < 0)
            return REVERSE_A2A_ERROR_SHAPE;
        if (__builtin_add_overflow(rows->all, (size_t)s, &rows->all))
            return REVERSE_A2A_ERROR_TOO_LARGE;
        if ((size_t)s > rows->most)
            rows->most = (size_t)s;
        if (i == rank)
            rows->here = (size_t)s;
    }
    if (rank < 0)
        rows->here = rows->most;
    return REVERSE_A2A_OK;
}

/* The strides must be good for the largest of all ranks, whose arrays this rank may have to touch;
 * the span is that of the rows here. */
static void cut_span(struct reverse_a2a_array *c, const struct rows *rows)
{
    if (rows->here == 0)
        c->span = 0;
    else
        c->span -= (rows->most - rows->here) * c->stride_s;
}

static int resolve_arrays(const struct reverse_a2a_shape *shape, const struct rows *rows,
                          struct reverse_a2a_layout *layout)
{
    struct extents a = {rows->all, layout->h, layout->d, (size_t)shape->a_stride_s,
                        (size_t)shape->a_stride_h};
    struct extents c = {rows->most, layout->h, layout->d, (size_t)shape->c_stride_s,
                        (size_t)shape->c_stride_h};
    if (!reverse_a2a_multiply(&c.heads, layout->ranks))
        return REVERSE_A2A_ERROR_TOO_LARGE;
    struct extents *in = layout->forward ? &c : &a, *out = layout->forward ? &a : &c;
    int result = resolve_array(in, shape->element_size, false, &layout->in);
    if (result == REVERSE_A2A_OK)
        result = resolve_array(out, shape->element_size, true, &layout->out);
    if (result == REVERSE_A2A_OK)
        cut_span(layout->forward ? &layout->in : &layout->out, rows);
    return result;
}

int reverse_a2a_layout_resolve(const struct reverse_a2a_shape *shape, int ranks, int rank,
                               struct reverse_a2a_layout *layout)
{
    memset(layout, 0, sizeof(*layout));
    int result = check_shape(shape, ranks);
    if (result != REVERSE_A2A_OK)
        return result;
    layout->ranks = (size_t)ranks;
    layout->element_size = shape->element_size;
    layout->forward = shape->direction == REVERSE_A2A_FORWARD;
    if (shape->h == 0 || shape->d == 0 || (shape->s == 0 && !shape->s_of_ranks))
        return REVERSE_A2A_OK;
    struct rows rows;
    result = count_rows(shape, ranks, rank, &rows);
    if (result != REVERSE_A2A_OK || rows.all == 0)
        return result;
    layout->s = rows.most;
    layout->h = (size_t)shape->h;
    layout->d = (size_t)shape->d;
    result = resolve_arrays(shape, &rows, layout);
    layout->row = layout->d * shape->element_size;
    return result;
}

void reverse_a2a_layout_set_rows(struct reverse_a2a_layout *layout,
                                 const struct reverse_a2a_shape *shape, size_t *first_row)
{
    first_row[0] = 0;
    for (size_t i = 0; i < layout->ranks; i++)
        first_row[i + 1] = first_row[i] + (size_t)shape->s_of_ranks[i];
    layout->first_row = first_row;
}

static size_t first_row_of(const struct reverse_a2a_layout *layout, size_t rank)
{
    return layout->first_row ? layout->first_row[rank] : rank * layout->s;
}

/* In A a part is rows of S of the rank that has them in C; in C it is heads of the other rank. */
struct reverse_a2a_part reverse_a2a_layout_part(const struct reverse_a2a_layout *layout, int source,
                                                int target)
{
    size_t from = (size_t)source, to = (size_t)target;
    size_t owner_of_rows = layout->forward ? from : to;
    size_t first = first_row_of(layout, owner_of_rows);
    struct reverse_a2a_part part = {.rows = first_row_of(layout, owner_of_rows + 1) - first};
    if (part.rows == 0)
        return part;
    part.in = layout->forward ? to * layout->h * layout->in.stride_h : first * layout->in.stride_s;
    part.out =
        layout->forward ? first * layout->out.stride_s : from * layout->h * layout->out.stride_h;
    return part;
}

struct reverse_a2a_box reverse_a2a_layout_box(const struct reverse_a2a_layout *layout, size_t rows)
{
    return (struct reverse_a2a_box){.rows = rows,
                                    .heads = layout->h,
                                    .width = layout->row,
                                    .to_stride_s = layout->out.stride_s,
                                    .to_stride_h = layout->out.stride_h,
                                    .from_stride_s = layout->in.stride_s,
                                    .from_stride_h = layout->in.stride_h};
}

size_t reverse_a2a_layout_bytes(const struct reverse_a2a_layout *layout)
{
    return layout->ranks * layout->s * layout->h * layout->row;
}

int reverse_a2a_layout_check_buffers(const struct reverse_a2a_layout *layout, const void *in,
                                     const void *out)
{
    size_t in_span = layout->in.span, out_span = layout->out.span;
    if ((!in && in_span > 0) || (!out && out_span > 0))
        return REVERSE_A2A_ERROR_ARGUMENT;
    uintptr_t from_in = (uintptr_t)in, from_out = (uintptr_t)out;
    if (in_span == 0 || out_span == 0)
        return REVERSE_A2A_OK;
    bool apart =
        from_in < from_out ? from_out - from_in >= in_span : from_in - from_out >= out_span;
    return apart ? REVERSE_A2A_OK : REVERSE_A2A_ERROR_OVERLAP;
}
