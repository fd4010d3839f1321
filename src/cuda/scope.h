/*
 * What every function here does to the calling thread, and undoes: it makes a device current, and
 * lets the thread make calls that a capture by another thread would forbid (such as to wait for an
 * event of a stream that nobody captures).
 */
#ifndef SCOPE_H
#define SCOPE_H

#include <stdbool.h>

#include <cuda_runtime_api.h>

struct scope {
    int device; /* to be made current again, or -1: nothing to undo */
    enum cudaStreamCaptureMode mode;
};

/* Makes a device current. Leave the scope whatever this returns. */
cudaError_t scope_enter(struct scope *scope, int device);
void scope_leave(struct scope *scope);

/* Whether an error is about a capture, and no fault of the device. */
bool scope_is_about_capture(cudaError_t error);

/* Whether work on the stream would be captured, or would break a capture: the default stream's does
 * while an ordinary stream is captured. Breaks nothing itself. */
cudaError_t scope_is_captured(cudaStream_t stream, bool *captured);

#endif
