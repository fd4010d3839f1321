/*
 * REFERENCE: by way of the host, with MPI_Alltoall. Slow, and without a line in common with the
 * other engines: what they are compared with.
 */
#include <stdlib.h>

#include "plan.h"

struct state {
    struct reverse_a2a_reference *reference;
    char *in, *out; /* on the host */
};

static bool accepts(const struct reverse_a2a_cuda_choice *choice)
{
    (void)choice;
    return true;
}

static void release(struct reverse_a2a_cuda_plan *plan)
{
    struct state *state = plan->state;
    if (!state)
        return;
    reverse_a2a_reference_destroy(state->reference);
    free(state->in);
    free(state->out);
    free(state);
    plan->state = NULL;
}

static int prepare(struct reverse_a2a_cuda_plan *plan)
{
    struct reverse_a2a_cuda_memory *memory = plan->memory;
    struct state *state = calloc(1, sizeof *state);
    if (state) {
        state->in = malloc(plan->layout.in.span);
        state->out = malloc(plan->layout.out.span);
    }
    plan->state = state;
    const bool made = state && state->in && state->out;
    int result = a2a_agree(memory, made ? REVERSE_A2A_OK : REVERSE_A2A_ERROR_OUT_OF_MEMORY);
    if (result == REVERSE_A2A_OK)
        result = reverse_a2a_reference_create(memory->comm, &plan->shape, &state->reference);
    if (result == REVERSE_A2A_OK)
        return result;
    release(plan);
    return a2a_fail(memory, result, "engine reference: %s", reverse_a2a_strerror(result));
}

static int refuse_capture(struct reverse_a2a_cuda_memory *memory, cudaStream_t stream)
{
    enum cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    const int result = a2a_check(memory, cudaStreamIsCapturing(stream, &status), "reference");
    if (result == REVERSE_A2A_OK && status != cudaStreamCaptureStatusNone)
        return a2a_fail(memory, REVERSE_A2A_ERROR_ENGINE,
                        "engine reference waits for the stream, and can't be captured");
    return result;
}

/* What lies in the gaps of the result comes and goes with it. */
static int fetch(struct reverse_a2a_cuda_plan *plan, const struct a2a_call *call)
{
    const struct state *state = plan->state;
    cudaError_t error = cudaMemcpyAsync(state->in, call->in, plan->layout.in.span,
                                        cudaMemcpyDeviceToHost, call->stream);
    if (error == cudaSuccess)
        error = cudaMemcpyAsync(state->out, call->out, plan->layout.out.span,
                                cudaMemcpyDeviceToHost, call->stream);
    if (error == cudaSuccess)
        error = cudaStreamSynchronize(call->stream);
    return a2a_check(plan->memory, error, "reference: copying to the host");
}

static int enqueue(struct reverse_a2a_cuda_plan *plan, const struct a2a_call *call)
{
    const struct state *state = plan->state;
    int result = refuse_capture(plan->memory, call->stream);
    if (result != REVERSE_A2A_OK)
        return result;
    const int fetched = call->faulty ? REVERSE_A2A_OK : fetch(plan, call);
    const bool usable = !call->faulty && fetched == REVERSE_A2A_OK;
    result = reverse_a2a_reference_execute(state->reference, usable ? state->in : NULL,
                                           usable ? state->out : NULL);
    if (!usable)
        return fetched;
    if (result != REVERSE_A2A_OK)
        return a2a_fail(plan->memory, result, "reference: %s", reverse_a2a_strerror(result));
    cudaError_t error = cudaMemcpyAsync(call->out, state->out, plan->layout.out.span,
                                        cudaMemcpyHostToDevice, call->stream);
    if (error == cudaSuccess)
        error = cudaStreamSynchronize(call->stream);
    return a2a_check(plan->memory, error, "reference: copying to the device");
}

const struct a2a_engine a2a_engine_reference = {.name = "reference",
                                                .touch = A2A_TOUCHES_NOTHING,
                                                .accepts = accepts,
                                                .prepare = prepare,
                                                .release = release,
                                                .enqueue = enqueue};
