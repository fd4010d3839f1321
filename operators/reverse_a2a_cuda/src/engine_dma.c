/*
 * DMA: two-dimensional copies into the peers' result on the copy engines, between two small
 * kernels in which the ranks meet.
 *
 * The copies of a call are dealt to `streams` streams, which begin at an event of the caller's
 * stream and end at events that it waits for: so it can be captured as well. With more streams than
 * ranks the parts are cut into pieces of rows.
 */
#include "plan.h"

/* Larger pitches than this are refused by cudaMemcpy2D; 2^31 - 1 on all devices so far. */
#define PITCH_LIMIT ((size_t)INT32_MAX)

static bool accepts(const struct reverse_a2a_cuda_choice *choice)
{
    return choice->streams >= 1 && choice->streams <= REVERSE_A2A_CUDA_MAX_STREAMS;
}

/* Lines of equal length; one by one where the copy engines can't step so. */
static cudaError_t copy_lines(char *to, size_t to_stride, const char *from, size_t from_stride,
                              size_t width, size_t lines, cudaStream_t stream)
{
    cudaError_t error = cudaSuccess;
    if (lines == 1)
        return cudaMemcpyAsync(to, from, width, cudaMemcpyDefault, stream);
    if (to_stride >= width && from_stride >= width && to_stride <= PITCH_LIMIT &&
        from_stride <= PITCH_LIMIT)
        return cudaMemcpy2DAsync(to, to_stride, from, from_stride, width, lines, cudaMemcpyDefault,
                                 stream);
    for (size_t i = 0; i < lines && error == cudaSuccess; i++)
        error = cudaMemcpyAsync(to + i * to_stride, from + i * from_stride, width,
                                cudaMemcpyDefault, stream);
    return error;
}

/* As few copies as possible: one for each head, or one for each row. */
static cudaError_t copy_box(char *to, const char *from, const struct a2a_box *box,
                            cudaStream_t stream)
{
    cudaError_t error = cudaSuccess;
    const bool by_head = box->heads <= box->rows;
    const size_t copies = by_head ? box->heads : box->rows;
    const size_t lines = by_head ? box->rows : box->heads;
    const size_t from_step = by_head ? box->from_stride_h : box->from_stride_s;
    const size_t to_step = by_head ? box->to_stride_h : box->to_stride_s;
    const size_t from_stride = by_head ? box->from_stride_s : box->from_stride_h;
    const size_t to_stride = by_head ? box->to_stride_s : box->to_stride_h;
    for (size_t i = 0; i < copies && error == cudaSuccess; i++)
        error = copy_lines(to + i * to_step, to_stride, from + i * from_step, from_stride,
                           box->width, lines, stream);
    return error;
}

/* Piece `piece` of `pieces` of the part for `target`. */
static cudaError_t copy_piece(const struct reverse_a2a_cuda_plan *plan, const struct a2a_call *call,
                              int target, size_t piece, size_t pieces, cudaStream_t stream)
{
    struct a2a_box box = plan->box;
    const size_t first = box.rows * piece / pieces, end = box.rows * (piece + 1) / pieces;
    box.rows = end - first;
    char *to = call->peers[target] + call->offset + (size_t)plan->memory->rank * plan->out_step;
    return copy_box(to + first * box.to_stride_s,
                    call->in + (size_t)target * plan->in_step + first * box.from_stride_s, &box,
                    stream);
}

static size_t pieces_of(const struct reverse_a2a_cuda_plan *plan)
{
    const size_t pieces = (size_t)(plan->choice.streams / plan->memory->ranks);
    return pieces < 1 ? 1 : reverse_a2a_min(pieces, plan->box.rows);
}

/* The targets from rank + 1 on, each in its pieces. */
static cudaError_t copy_all(const struct reverse_a2a_cuda_plan *plan, const struct a2a_call *call)
{
    const struct reverse_a2a_cuda_memory *memory = plan->memory;
    const int streams = plan->choice.streams;
    const size_t pieces = pieces_of(plan);
    cudaError_t error = cudaSuccess;
    int next = 0;
    for (int i = 1; i <= memory->ranks; i++)
        for (size_t piece = 0; piece < pieces && error == cudaSuccess; piece++, next++)
            error = copy_piece(plan, call, (memory->rank + i) % memory->ranks, piece, pieces,
                               memory->streams[next % streams]);
    return error;
}

static cudaError_t fork_streams(const struct reverse_a2a_cuda_memory *memory, int streams,
                                cudaStream_t stream)
{
    cudaError_t error = cudaEventRecord(memory->begun, stream);
    for (int i = 0; i < streams && error == cudaSuccess; i++)
        error = cudaStreamWaitEvent(memory->streams[i], memory->begun, 0);
    return error;
}

static cudaError_t join_streams(const struct reverse_a2a_cuda_memory *memory, int streams,
                                cudaStream_t stream)
{
    cudaError_t error = cudaSuccess;
    for (int i = 0; i < streams && error == cudaSuccess; i++) {
        error = cudaEventRecord(memory->joined[i], memory->streams[i]);
        if (error == cudaSuccess)
            error = cudaStreamWaitEvent(stream, memory->joined[i], 0);
    }
    return error;
}

/* What has begun is always ended: the other ranks wait for it, and a capture needs it. */
static int enqueue(struct reverse_a2a_cuda_plan *plan, const struct a2a_call *call)
{
    struct reverse_a2a_cuda_memory *memory = plan->memory;
    const int streams = plan->choice.streams;
    struct a2a_gate gate = {0};
    a2a_fill_gate(memory, call->faulty, call->place, &gate);
    cudaError_t error = a2a_launch_enter(&gate, call->stream);
    if (error == cudaSuccess && !call->faulty) {
        error = fork_streams(memory, streams, call->stream);
        if (error == cudaSuccess)
            error = copy_all(plan, call);
        const cudaError_t joined = join_streams(memory, streams, call->stream);
        error = error == cudaSuccess ? joined : error;
    }
    const cudaError_t left = a2a_launch_leave(&gate, call->stream);
    return a2a_check(memory, error == cudaSuccess ? left : error, plan->engine->name);
}

const struct a2a_engine a2a_engine_dma = {
    .name = "dma", .touch = A2A_TOUCHES_OUT, .accepts = accepts, .enqueue = enqueue};
