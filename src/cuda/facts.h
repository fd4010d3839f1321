/* What a device is, and what its software is, as lines "name = value". */
#ifndef FACTS_H
#define FACTS_H

#include <stddef.h>

#include <cuda_runtime_api.h>

/*
 * The hardware: model, compute capability, multiprocessors, L2; the number of devices that this
 * process sees, and how this one reaches the others. Terminated; cut to size, which 1024 bytes is
 * enough for.
 */
cudaError_t facts_hardware(int device, char *lines, size_t size);

/* The software: versions of the driver and of the CUDA runtime. Likewise; 256 bytes are enough. */
cudaError_t facts_environment(char *lines, size_t size);

#endif
