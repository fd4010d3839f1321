/*
 * The CMA engine (cross-memory attach): every rank reads its parts straight from the operands of
 * the others with process_vm_readv. Nothing needs symmetric memory; the operating system must let
 * the ranks read each other, which is found out when the memory is created. See handshake.h.
 *
 * With the plain copy the system scatters each part into the result. With the other copies it reads
 * a piece that stays in a cache, which is then copied from there: the system copies page by page
 * and does not stream.
 */
#include <limits.h>
#include <stdlib.h>

#include "copy_team.h"
#include "handshake.h"
#include "plan.h"
#include "read_peer.h"
#include "team.h"

#define PIECES_A_CALL  512                 /* below IOV_MAX, which is 1024 on Linux */
#define BUFFER_BYTES   ((size_t)128 << 10) /* fits into the second-level cache */
#define PAGE_ALIGNMENT 4096

/* Pieces that are still to be read in one call of the system. Neighbours join, and there
 * is room for one more whenever a piece is appended. */
struct pieces {
    struct iovec local[PIECES_A_CALL], remote[PIECES_A_CALL];
    size_t locals, remotes, bytes;
};

static void append(struct iovec *list, size_t *count, char *start, size_t bytes)
{
    struct iovec *last = *count > 0 ? &list[*count - 1] : NULL;
    if (last && (char *)last->iov_base + last->iov_len == start) {
        last->iov_len += bytes;
        return;
    }
    list[(*count)++] = (struct iovec){start, bytes};
}

static bool flush(const struct reverse_a2a_memory *memory, int peer, struct pieces *pieces)
{
    bool read =
        pieces->bytes == 0 || reverse_a2a_read_peer(memory, peer, pieces->local, pieces->locals,
                                                    pieces->remote, pieces->remotes, pieces->bytes);
    pieces->locals = pieces->remotes = pieces->bytes = 0;
    return read;
}

static bool read_piece(const struct reverse_a2a_memory *memory, int peer, struct pieces *pieces,
                       char *to, char *from, size_t bytes)
{
    bool full = pieces->locals == PIECES_A_CALL || pieces->remotes == PIECES_A_CALL ||
                pieces->bytes > INT_MAX - reverse_a2a_min(bytes, INT_MAX);
    if (full && !flush(memory, peer, pieces))
        return false;
    append(pieces->local, &pieces->locals, to, bytes);
    append(pieces->remote, &pieces->remotes, from, bytes);
    pieces->bytes += bytes;
    return true;
}

/* All runs of a box, at most INT_MAX bytes at a time: the system reads no more in one call. */
static bool read_box(const struct reverse_a2a_memory *memory, int peer, char *to, char *from,
                     struct reverse_a2a_box box)
{
    struct pieces pieces;
    pieces.locals = pieces.remotes = pieces.bytes = 0;
    reverse_a2a_join_runs(&box);
    for (size_t i = 0; i < box.rows * box.heads; i++) {
        size_t row = i / box.heads, head = i % box.heads, bytes;
        for (size_t at = 0; at < box.width; at += bytes) {
            bytes = reverse_a2a_min(box.width - at, INT_MAX);
            if (!read_piece(memory, peer, &pieces,
                            to + row * box.to_stride_s + head * box.to_stride_h + at,
                            from + row * box.from_stride_s + head * box.from_stride_h + at, bytes))
                return false;
        }
    }
    return flush(memory, peer, &pieces);
}

/* Rows of S by way of a buffer, as many at a time as it holds. */
static bool read_through_buffer(const struct reverse_a2a_plan *plan, int peer, char *to, char *from,
                                size_t rows, char *buffer)
{
    const struct reverse_a2a_layout *layout = &plan->layout;
    size_t row_bytes = layout->h * layout->row, step = BUFFER_BYTES / row_bytes;
    for (size_t done = 0; done < rows; done += step) {
        struct reverse_a2a_box in, out;
        in = out = reverse_a2a_layout_box(layout, reverse_a2a_min(step, rows - done));
        in.to_stride_s = out.from_stride_s = row_bytes;
        in.to_stride_h = out.from_stride_h = layout->row;
        if (!read_box(plan->memory, peer, buffer, from + done * layout->in.stride_s, in))
            return false;
        reverse_a2a_copy_box(plan->into_out, to + done * layout->out.stride_s, buffer, &out);
    }
    return true;
}

/* A part that threads read together. */
struct reading {
    const struct reverse_a2a_plan *plan;
    int source;
    char *to, *from;
    size_t rows;
    _Atomic bool failed;
};

static void read_share(int thread, int threads, void *context)
{
    struct reading *reading = context;
    const struct reverse_a2a_plan *plan = reading->plan;
    const struct reverse_a2a_layout *layout = &plan->layout;
    size_t first = reverse_a2a_first_of_share(reading->rows, thread, threads);
    size_t rows = reverse_a2a_first_of_share(reading->rows, thread + 1, threads) - first;
    char *to = reading->to + first * layout->out.stride_s;
    char *from = reading->from + first * layout->in.stride_s, *buffers = plan->state;
    if (rows == 0)
        return;
    bool read = buffers ? read_through_buffer(plan, reading->source, to, from, rows,
                                              buffers + (size_t)thread * BUFFER_BYTES)
                        : read_box(plan->memory, reading->source, to, from,
                                   reverse_a2a_layout_box(layout, rows));
    if (!read)
        reading->failed = true;
}

static int read_part(const struct reverse_a2a_touch *touch, int source, uint64_t operand)
{
    struct reverse_a2a_plan *plan = touch->plan;
    struct reverse_a2a_part part =
        reverse_a2a_layout_part(&plan->layout, source, plan->memory->rank);
    struct reading reading = {.plan = plan,
                              .source = source,
                              .to = touch->out + part.out,
                              .from = (char *)(uintptr_t)operand + part.in,
                              .rows = part.rows};
    if (part.rows == 0)
        return REVERSE_A2A_OK;
    reverse_a2a_run_team(plan->choice.threads, read_share, &reading);
    if (!reading.failed)
        return REVERSE_A2A_OK;
    return reverse_a2a_memory_fail(plan->memory, REVERSE_A2A_ERROR_SYSTEM,
                                   "rank %d could not read from rank %d", plan->memory->rank,
                                   source);
}

static int cma_prepare(struct reverse_a2a_plan *plan)
{
    if (!plan->memory->reads_peers)
        return reverse_a2a_memory_fail(plan->memory, REVERSE_A2A_ERROR_ENGINE,
                                       "engine cma: the system does not let every rank read the "
                                       "memory of every other");
    size_t row_bytes = plan->layout.h * plan->layout.row;
    if (plan->choice.copy == REVERSE_A2A_COPY_PLAIN || row_bytes > BUFFER_BYTES)
        return REVERSE_A2A_OK;
    plan->state = aligned_alloc(PAGE_ALIGNMENT, (size_t)plan->choice.threads * BUFFER_BYTES);
    return plan->state ? REVERSE_A2A_OK
                       : reverse_a2a_memory_fail(plan->memory, REVERSE_A2A_ERROR_OUT_OF_MEMORY,
                                                 "no memory for the buffer of engine cma");
}

static void cma_release(struct reverse_a2a_plan *plan)
{
    free(plan->state);
}

static int cma_exchange(struct reverse_a2a_plan *plan, const char *in, char *out, bool faulty)
{
    struct reverse_a2a_touch touch = {plan, in, out, faulty, (uintptr_t)in, read_part};
    return reverse_a2a_touch_peers(&touch);
}

const struct reverse_a2a_engine reverse_a2a_engine_cma = {.name = "cma",
                                                          .needs_one_node = true,
                                                          .prepare = cma_prepare,
                                                          .release = cma_release,
                                                          .exchange = cma_exchange};
