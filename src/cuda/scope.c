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
