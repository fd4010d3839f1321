/* See scope.h. */
#include "scope.h"

cudaError_t scope_enter(struct scope *scope, int device)
{
    int current;
    scope->device = -1;
    scope->mode = cudaStreamCaptureModeRelaxed;
    cudaThreadExchangeStreamCaptureMode(&scope->mode);
    cudaError_t error = cudaGetDevice(&current);
    /* Only if it differs: making a device current may create a context on it. */
    if (!error && current != device) {
        error = cudaSetDevice(device);
        scope->device = error ? -1 : current;
    }
    return error;
}

void scope_leave(struct scope *scope)
{
    if (scope->device >= 0)
        cudaSetDevice(scope->device);
    cudaThreadExchangeStreamCaptureMode(&scope->mode);
}

bool scope_is_about_capture(cudaError_t error)
{
    return error >= cudaErrorStreamCaptureUnsupported && error <= cudaErrorCapturedEvent;
}

cudaError_t scope_is_captured(cudaStream_t stream, bool *captured)
{
    enum cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    const cudaError_t error = cudaStreamIsCapturing(stream, &status);
    *captured = scope_is_about_capture(error) || status != cudaStreamCaptureStatusNone;
    if (!*captured)
        return error;
    cudaGetLastError();
    return cudaSuccess;
}
