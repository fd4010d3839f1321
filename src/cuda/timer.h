/* The device timer, of which the memory functions know the device and the stream. */
#ifndef TIMER_H
#define TIMER_H

#include <stddef.h>

#include <cuda_runtime_api.h>

#include <tutti/cuda.h>

struct tutti_cuda_timer {
    cudaStream_t own, stream; /* that it was made for; that of the present call */
    int device;
    cudaEvent_t begin, end;
    void *sweep; /* what a flush writes; NULL before the first */
    size_t sweep_bytes;
    char error[256], hardware[1024], environment[256];
};

#endif
