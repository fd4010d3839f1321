/*
 * The device timer: events on the caller's stream. Only calls of the runtime that are plain C; what
 * the core makes of busy and lost devices is its own matter (tutti_timer_ops).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cuda_runtime_api.h>

#include <tutti/cuda.h>

#include "facts.h"
#include "scope.h"
#include "timer.h"

static void write_error(cudaError_t error, char *text, size_t size)
{
    snprintf(text, size, "%s (%s)", cudaGetErrorString(error), cudaGetErrorName(error));
}

/* Errors of kernels stick to the context: from then on every call that needs it fails, also one
 * that only asks. Returns such an error, or cudaSuccess. */
static cudaError_t sticky_error(const tutti_cuda_timer *timer)
{
    const cudaError_t error = cudaStreamQuery(timer->stream);
    const bool harmless = error == cudaErrorNotReady || error == cudaErrorInvalidResourceHandle ||
                          scope_is_about_capture(error);
    cudaGetLastError();
    return harmless ? cudaSuccess : error;
}

/* What a call of the runtime returned, as the core wants it. */
static int judge(tutti_cuda_timer *timer, cudaError_t error)
{
    timer->error[0] = '\0';
    if (!error)
        return TUTTI_TIMER_OK;
    write_error(error, timer->error, sizeof timer->error);
    cudaGetLastError(); /* told here: the application must not find it later */
    return sticky_error(timer) ? TUTTI_TIMER_LOST : (int)error;
}

/* In the scope of the timer's device, whose events can't be recorded in another device's stream. */
static int look_at_stream(tutti_cuda_timer *timer)
{
    bool captured;
    int device = timer->device;
    cudaError_t error = scope_is_captured(timer->stream, &captured);
    if (captured) {
        snprintf(timer->error, sizeof timer->error, "the stream is being captured");
        return TUTTI_TIMER_BUSY;
    }
    if (!error)
        error = cudaStreamGetDevice(timer->stream, &device);
    if (!error)
        error = sticky_error(timer);
    if (error || device == timer->device)
        return judge(timer, error);
    snprintf(timer->error, sizeof timer->error,
             "the stream is of device %d, the timer of device %d", device, timer->device);
    return cudaErrorInvalidDevice;
}

static int begin(void *self, void *stream)
{
    tutti_cuda_timer *timer = self;
    struct scope scope;
    timer->stream = stream ? stream : timer->own;
    const cudaError_t error = scope_enter(&scope, timer->device);
    const int result = error ? judge(timer, error) : look_at_stream(timer);
    scope_leave(&scope);
    return result;
}

static int start(void *self)
{
    tutti_cuda_timer *timer = self;
    struct scope scope;
    cudaError_t error = scope_enter(&scope, timer->device);
    cudaGetLastError(); /* what an earlier configuration left is not this one's fault */
    if (!error)
        error = cudaEventRecord(timer->begin, timer->stream);
    const int result = judge(timer, error);
    scope_leave(&scope);
    return result;
}

static int stop(void *self, double *seconds)
{
    tutti_cuda_timer *timer = self;
    struct scope scope;
    float milliseconds = 0;
    /* A launch that failed where the launcher did not look: nothing ran, and very fast. */
    const cudaError_t left = cudaGetLastError();
    cudaError_t error = scope_enter(&scope, timer->device);
    if (!error)
        error = cudaEventRecord(timer->end, timer->stream);
    if (!error)
        error = cudaEventSynchronize(timer->end);
    if (!error)
        error = cudaEventElapsedTime(&milliseconds, timer->begin, timer->end);
    *seconds = 1e-3 * (double)milliseconds;
    const int result = judge(timer, error ? error : left);
    scope_leave(&scope);
    return result;
}

/* Twice the L2, so that nothing of it survives whatever lines it prefers to keep. */
static cudaError_t reserve_sweep(tutti_cuda_timer *timer)
{
    int bytes = 0;
    if (timer->sweep)
        return cudaSuccess;
    cudaError_t error = cudaDeviceGetAttribute(&bytes, cudaDevAttrL2CacheSize, timer->device);
    if (error)
        return error;
    timer->sweep_bytes = 2 * (size_t)bytes;
    return cudaMalloc(&timer->sweep, timer->sweep_bytes > 0 ? timer->sweep_bytes : 1);
}

/* Waits, so that the ranks meet after their flushes, and not while some are still at it. */
static int flush(void *self)
{
    tutti_cuda_timer *timer = self;
    struct scope scope;
    cudaError_t error = scope_enter(&scope, timer->device);
    if (!error)
        error = reserve_sweep(timer);
    if (!error)
        error = cudaMemsetAsync(timer->sweep, 0, timer->sweep_bytes, timer->stream);
    if (!error)
        error = cudaStreamSynchronize(timer->stream);
    const int result = judge(timer, error);
    scope_leave(&scope);
    return result;
}

static const char *describe(void *self, int what)
{
    const tutti_cuda_timer *timer = self;
    switch (what) {
    case TUTTI_TIMER_HARDWARE:
        return timer->hardware;
    case TUTTI_TIMER_ENVIRONMENT:
        return timer->environment;
    case TUTTI_TIMER_ERROR:
        return timer->error;
    default:
        return NULL;
    }
}

const tutti_timer_ops *tutti_cuda_timer_ops(void)
{
    static const tutti_timer_ops ops = {.size = sizeof ops,
                                        .name = "CUDA events",
                                        .start = start,
                                        .stop = stop,
                                        .begin = begin,
                                        .flush = flush,
                                        .describe = describe};
    return &ops;
}

static int refuse(cudaError_t error, char *message, size_t message_size)
{
    if (message && message_size > 0)
        write_error(error, message, message_size);
    cudaGetLastError();
    return TUTTI_ERR_DEVICE;
}

static cudaError_t fill(tutti_cuda_timer *timer)
{
    struct scope scope;
    cudaError_t error = scope_enter(&scope, timer->device);
    if (!error)
        error = facts_hardware(timer->device, timer->hardware, sizeof timer->hardware);
    if (!error)
        error = facts_environment(timer->environment, sizeof timer->environment);
    if (!error)
        error = cudaEventCreate(&timer->begin);
    if (!error)
        error = cudaEventCreate(&timer->end);
    scope_leave(&scope);
    return error;
}

int tutti_cuda_timer_create(struct CUstream_st *stream, tutti_cuda_timer **timer, char *message,
                            size_t message_size)
{
    int device;
    if (message && message_size > 0)
        message[0] = '\0';
    if (!timer)
        return TUTTI_ERR_ARGUMENT;
    *timer = NULL;
    cudaError_t error = cudaStreamGetDevice(stream, &device);
    if (error)
        return refuse(error, message, message_size);
    tutti_cuda_timer *made = calloc(1, sizeof *made);
    if (!made)
        return TUTTI_ERR_MEMORY;
    made->own = made->stream = stream;
    made->device = device;
    error = fill(made);
    if (error) {
        tutti_cuda_timer_destroy(made);
        return refuse(error, message, message_size);
    }
    *timer = made;
    return TUTTI_SUCCESS;
}

/* Where the device is lost, these fail, and there is nothing left to free. */
void tutti_cuda_timer_destroy(tutti_cuda_timer *timer)
{
    struct scope scope;
    if (!timer)
        return;
    scope_enter(&scope, timer->device);
    if (timer->begin)
        cudaEventDestroy(timer->begin);
    if (timer->end)
        cudaEventDestroy(timer->end);
    cudaFree(timer->sweep);
    cudaGetLastError();
    scope_leave(&scope);
    free(timer);
}
