/* Declared buffers in a device's memory: copied and filled on the call's stream, and waited for. */
#include "scope.h"
#include "timer.h"

/* The stream of the call, unless it is being captured: then nothing is enqueued. */
static cudaError_t choose_stream(const tutti_cuda_timer *timer, void *given, cudaStream_t *stream)
{
    bool captured = false;
    *stream = given ? given : timer->own;
    const cudaError_t error = scope_is_captured(*stream, &captured);
    return captured ? cudaErrorStreamCaptureUnsupported : error;
}

/* What both end with. An error is returned, and not left behind for the application. */
static int end(struct scope *scope, cudaError_t error, cudaStream_t stream)
{
    if (!error)
        error = cudaStreamSynchronize(stream);
    if (error)
        cudaGetLastError();
    scope_leave(scope);
    return (int)error;
}

static int copy(void *self, void *to, const void *from, size_t bytes, void *given)
{
    const tutti_cuda_timer *timer = self;
    struct scope scope;
    cudaStream_t stream = NULL;
    cudaError_t error = scope_enter(&scope, timer->device);
    if (!error)
        error = choose_stream(timer, given, &stream);
    if (!error)
        error = cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream);
    return end(&scope, error, stream);
}

static int fill(void *self, void *to, unsigned char byte, size_t bytes, void *given)
{
    const tutti_cuda_timer *timer = self;
    struct scope scope;
    cudaStream_t stream = NULL;
    cudaError_t error = scope_enter(&scope, timer->device);
    if (!error)
        error = choose_stream(timer, given, &stream);
    if (!error)
        error = cudaMemsetAsync(to, byte, bytes, stream);
    return end(&scope, error, stream);
}

const tutti_memory_ops *tutti_cuda_memory_ops(void)
{
    static const tutti_memory_ops ops = {.size = sizeof ops, .copy = copy, .fill = fill};
    return &ops;
}
