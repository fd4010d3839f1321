/*
 * The reference: MPI_Alltoall of contiguous blocks, and local rearrangements where they are needed.
 *
 * Reverse: the block for rank r is rows r*S .. r*S + S - 1 of A: contiguous if A is, else packed.
 * The block from rank p arrives as [S][H][D] and is copied to heads p*H .. p*H + H - 1 of C.
 * Forward: the blocks are packed from C, and arrive where they belong if A is contiguous.
 */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "agree.h"
#include "bytes_type.h"
#include "copy.h"
#include "layout.h"
#include "reference.h"

struct reverse_a2a_reference {
    MPI_Comm comm;
    struct reverse_a2a_layout layout;
    size_t block;  /* bytes from one rank to another */
    char *send;    /* [P][S][H][D]; NULL if the blocks lie like this in what is read */
    char *receive; /* the same; NULL if they lie like this in what is written */
    int count;     /* of `type` in a block */
    MPI_Datatype type;
};

/* Is the array the blocks, one behind the other? In C they never are, but for one rank. */
static bool is_blocks(const struct reverse_a2a_layout *layout,
                      const struct reverse_a2a_array *array, bool is_a)
{
    size_t total = layout->ranks * layout->s * layout->h * layout->row;
    return is_a && array->span == total && (layout->h == 1 || array->stride_h == layout->row) &&
           (layout->ranks * layout->s == 1 || array->stride_s == layout->h * layout->row);
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
static bool allocate_touched(size_t bytes, bool wanted, char **memory)
{
    *memory = wanted ? malloc(bytes) : NULL;
    if (*memory)
        memset(*memory, 0, bytes);
    return *memory || !wanted;
}

static int set_up(struct reverse_a2a_reference *reference)
{
    const struct reverse_a2a_layout *layout = &reference->layout;
    if (layout->s == 0)
        return REVERSE_A2A_OK;
    /* A with strides that repeat elements may span less than its contents. */
    size_t total = layout->row;
    if (!reverse_a2a_multiply(&total, layout->h) || !reverse_a2a_multiply(&total, layout->s) ||
        !reverse_a2a_multiply(&total, layout->ranks) || total > PTRDIFF_MAX)
        return REVERSE_A2A_ERROR_TOO_LARGE;
    reference->block = total / layout->ranks;
    bool send = !is_blocks(layout, &layout->in, !layout->forward);
    bool receive = !is_blocks(layout, &layout->out, layout->forward);
    if (!allocate_touched(total, send, &reference->send) ||
        !allocate_touched(total, receive, &reference->receive))
        return REVERSE_A2A_ERROR_OUT_OF_MEMORY;
    return choose_type(reference);
}

void reverse_a2a_reference_release(struct reverse_a2a_reference *reference)
{
    if (reference->type != MPI_BYTE)
        MPI_Type_free(&reference->type);
    free(reference->send);
    free(reference->receive);
    free(reference);
}

int reverse_a2a_reference_prepare(MPI_Comm comm, const struct reverse_a2a_layout *layout,
                                  struct reverse_a2a_reference **reference)
{
    struct reverse_a2a_reference *r = calloc(1, sizeof(*r));
    *reference = NULL;
    if (!r)
        return REVERSE_A2A_ERROR_OUT_OF_MEMORY;
    r->comm = comm;
    r->layout = *layout;
    r->type = MPI_BYTE;
    int result = set_up(r);
    if (result == REVERSE_A2A_OK)
        *reference = r;
    else
        reverse_a2a_reference_release(r);
    return result;
}

/* A rank that failed still takes part in the agreement. */
static int create_local(MPI_Comm own, const struct reverse_a2a_shape *shape,
                        struct reverse_a2a_reference **reference)
{
    int ranks;
    struct reverse_a2a_layout layout;
    MPI_Comm_size(own, &ranks);
    int result = reverse_a2a_layout_resolve(shape, ranks, -1, &layout);
    if (result == REVERSE_A2A_OK && shape->s_of_ranks)
        result = REVERSE_A2A_ERROR_ENGINE;
    if (result == REVERSE_A2A_OK)
        result = reverse_a2a_reference_prepare(own, &layout, reference);
    result = reverse_a2a_agree(own, result);
    if (result != REVERSE_A2A_OK && *reference) {
        reverse_a2a_reference_release(*reference);
        *reference = NULL;
    }
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
    reverse_a2a_reference_release(reference);
}

static void pack(struct reverse_a2a_reference *reference, const char *in)
{
    const struct reverse_a2a_layout *layout = &reference->layout;
    struct reverse_a2a_box box = reverse_a2a_layout_box(layout, layout->s);
    box.to_stride_s = layout->h * layout->row;
    box.to_stride_h = layout->row;
    for (size_t p = 0; p < layout->ranks; p++) {
        struct reverse_a2a_part part = reverse_a2a_layout_part(layout, 0, (int)p);
        reverse_a2a_copy_box(&reverse_a2a_plain_kernel, reference->send + p * reference->block,
                             in + part.in, &box);
    }
}

static void unpack(const struct reverse_a2a_reference *reference, char *out)
{
    const struct reverse_a2a_layout *layout = &reference->layout;
    struct reverse_a2a_box box = reverse_a2a_layout_box(layout, layout->s);
    box.from_stride_s = layout->h * layout->row;
    box.from_stride_h = layout->row;
    for (size_t p = 0; p < layout->ranks; p++) {
        struct reverse_a2a_part part = reverse_a2a_layout_part(layout, (int)p, 0);
        reverse_a2a_copy_box(&reverse_a2a_plain_kernel, out + part.out,
                             reference->receive + p * reference->block, &box);
    }
}

static int exchange(const struct reverse_a2a_reference *reference, const char *from, char *to)
{
    return MPI_Alltoall(from, reference->count, reference->type, to, reference->count,
                        reference->type, reference->comm) == MPI_SUCCESS
               ? REVERSE_A2A_OK
               : REVERSE_A2A_ERROR_MPI;
}

/* With a wrong buffer the rank still takes part, or the others would wait for ever. This path may
 * allocate: it is not timed. */
static int take_part_without_data(struct reverse_a2a_reference *reference, int fault)
{
    size_t bytes = reference->layout.ranks * reference->block;
    char *borrowed = calloc(2, bytes);
    if (!borrowed)
        return REVERSE_A2A_ERROR_OUT_OF_MEMORY;
    exchange(reference, borrowed, borrowed + bytes);
    free(borrowed);
    return fault;
}

int reverse_a2a_reference_run(struct reverse_a2a_reference *reference, const char *in, char *out,
                              int fault)
{
    if (fault != REVERSE_A2A_OK)
        return take_part_without_data(reference, fault);
    if (reference->send)
        pack(reference, in);
    int result = exchange(reference, reference->send ? reference->send : in,
                          reference->receive ? reference->receive : out);
    if (result == REVERSE_A2A_OK && reference->receive)
        unpack(reference, out);
    return result;
}

int reverse_a2a_reference_execute(struct reverse_a2a_reference *reference, const void *a, void *c)
{
    if (!reference)
        return REVERSE_A2A_ERROR_ARGUMENT;
    if (reference->block == 0)
        return REVERSE_A2A_OK;
    int fault = reverse_a2a_layout_check_buffers(&reference->layout, a, c);
    return reverse_a2a_reference_run(reference, a, c, fault);
}
