/*
 * The reference: MPI_Alltoall of contiguous blocks, then a local rearrangement.
 *
 * The block for rank r is rows r*S .. r*S + S - 1 of A: contiguous if A is, else packed. The block
 * from rank p arrives as [S][H][D] and is copied to heads p*H .. p*H + H - 1 of C.
 */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "agree.h"
#include "bytes_type.h"
#include "copy.h"
#include "layout.h"

struct reverse_a2a_reference {
    MPI_Comm comm;
    struct reverse_a2a_layout layout;
    size_t block;  /* bytes from one rank to another */
    bool packed;   /* A is not contiguous */
    char *send;    /* [P][S][H][D], if packed */
    char *receive; /* [P][S][H][D] */
    int count;     /* of `type` in a block */
    MPI_Datatype type;
};

static bool is_contiguous(const struct reverse_a2a_layout *layout)
{
    size_t total = layout->ranks * layout->s * layout->h * layout->row;
    return layout->a.span == total && (layout->h == 1 || layout->a.stride_h == layout->row) &&
           (layout->ranks * layout->s == 1 || layout->a.stride_s == layout->h * layout->row);
}

static int choose_type(struct reverse_a2a_reference *reference)
{
    reference->count = (int)reference->block;
    reference->type = MPI_BYTE;
    if (reference->block <= INT_MAX)
        return REVERSE_A2A_OK;
    reference->count = 1;
    int error = reverse_a2a_bytes_type(reference->block, REVERSE_A2A_CHUNK, &reference->type);
    if (error == MPI_SUCCESS)
        return REVERSE_A2A_OK;
    reference->type = MPI_BYTE;
    return REVERSE_A2A_ERROR_MPI;
}

/* Written once, so that no page is new in a timed call. */
static char *allocate_touched(size_t bytes)
{
    char *memory = malloc(bytes);
    if (memory)
        memset(memory, 0, bytes);
    return memory;
}

static int set_up(struct reverse_a2a_reference *reference, const struct reverse_a2a_shape *shape)
{
    int ranks;
    MPI_Comm_size(reference->comm, &ranks);
    struct reverse_a2a_layout *layout = &reference->layout;
    int result = reverse_a2a_layout_resolve(shape, ranks, layout);
    if (result != REVERSE_A2A_OK || layout->s == 0)
        return result;
    /* A with strides that repeat elements may span less than its contents. */
    size_t total = layout->row;
    if (!reverse_a2a_multiply(&total, layout->h) || !reverse_a2a_multiply(&total, layout->s) ||
        !reverse_a2a_multiply(&total, layout->ranks) || total > PTRDIFF_MAX)
        return REVERSE_A2A_ERROR_TOO_LARGE;
    reference->block = total / layout->ranks;
    reference->packed = !is_contiguous(layout);
    reference->receive = allocate_touched(total);
    if (reference->packed)
        reference->send = allocate_touched(total);
    if (!reference->receive || (reference->packed && !reference->send))
        return REVERSE_A2A_ERROR_OUT_OF_MEMORY;
    return choose_type(reference);
}

static void release(struct reverse_a2a_reference *reference)
{
    if (reference->type != MPI_BYTE)
        MPI_Type_free(&reference->type);
    free(reference->send);
    free(reference->receive);
    free(reference);
}

/* Without a handle the rank still takes part in the agreement. */
static int create_local(MPI_Comm own, const struct reverse_a2a_shape *shape,
                        struct reverse_a2a_reference **reference)
{
    struct reverse_a2a_reference *r = calloc(1, sizeof(*r));
    int result = REVERSE_A2A_ERROR_OUT_OF_MEMORY;
    if (r) {
        r->comm = own;
        r->type = MPI_BYTE;
        result = set_up(r, shape);
    }
    result = reverse_a2a_agree(own, result);
    if (result != REVERSE_A2A_OK && r) {
        release(r);
        r = NULL;
    }
    *reference = r;
    return result;
}

int reverse_a2a_reference_create(MPI_Comm comm, const struct reverse_a2a_shape *shape,
                                 struct reverse_a2a_reference **reference)
{
    if (reference)
        *reference = NULL;
    if (comm == MPI_COMM_NULL || !shape || !reference)
        return REVERSE_A2A_ERROR_ARGUMENT;
    MPI_Comm own;
    if (MPI_Comm_dup(comm, &own) != MPI_SUCCESS)
        return REVERSE_A2A_ERROR_MPI;
    MPI_Comm_set_errhandler(own, MPI_ERRORS_RETURN);
    int result = create_local(own, shape, reference);
    if (result != REVERSE_A2A_OK)
        MPI_Comm_free(&own);
    return result;
}

void reverse_a2a_reference_destroy(struct reverse_a2a_reference *reference)
{
    if (!reference)
        return;
    MPI_Comm_free(&reference->comm);
    release(reference);
}

static void pack(struct reverse_a2a_reference *reference, const char *a)
{
    const struct reverse_a2a_layout *layout = &reference->layout;
    struct reverse_a2a_box box = {.rows = layout->ranks * layout->s,
                                  .heads = layout->h,
                                  .width = layout->row,
                                  .to_stride_s = layout->h * layout->row,
                                  .to_stride_h = layout->row,
                                  .from_stride_s = layout->a.stride_s,
                                  .from_stride_h = layout->a.stride_h};
    reverse_a2a_copy_box(reference->send, a, &box);
}

static void rearrange(const struct reverse_a2a_reference *reference, char *c)
{
    const struct reverse_a2a_layout *layout = &reference->layout;
    struct reverse_a2a_box box = {.rows = layout->s,
                                  .heads = layout->h,
                                  .width = layout->row,
                                  .to_stride_s = layout->c.stride_s,
                                  .to_stride_h = layout->c.stride_h,
                                  .from_stride_s = layout->h * layout->row,
                                  .from_stride_h = layout->row};
    for (size_t p = 0; p < layout->ranks; p++)
        reverse_a2a_copy_box(c + p * layout->h * layout->c.stride_h,
                             reference->receive + p * reference->block, &box);
}

/* With a wrong buffer the rank still takes part, or the others would wait for ever. This path may
 * allocate: it is not timed. */
static int take_part_without_data(struct reverse_a2a_reference *reference, int fault)
{
    char *borrowed = NULL;
    char *send = reference->send;
    if (!send)
        send = borrowed = calloc(reference->layout.ranks, reference->block);
    if (!send)
        return REVERSE_A2A_ERROR_OUT_OF_MEMORY;
    MPI_Alltoall(send, reference->count, reference->type, reference->receive, reference->count,
                 reference->type, reference->comm);
    free(borrowed);
    return fault;
}

int reverse_a2a_reference_execute(struct reverse_a2a_reference *reference, const void *a, void *c)
{
    if (!reference)
        return REVERSE_A2A_ERROR_ARGUMENT;
    if (reference->block == 0)
        return REVERSE_A2A_OK;
    int fault = reverse_a2a_layout_check_buffers(&reference->layout, a, c);
    if (fault != REVERSE_A2A_OK)
        return take_part_without_data(reference, fault);
    if (reference->packed)
        pack(reference, a);
    if (MPI_Alltoall(reference->packed ? reference->send : a, reference->count, reference->type,
                     reference->receive, reference->count, reference->type,
                     reference->comm) != MPI_SUCCESS)
        return REVERSE_A2A_ERROR_MPI;
    rearrange(reference, c);
    return REVERSE_A2A_OK;
}
