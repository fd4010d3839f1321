/*
 * A problem on this rank's GPU: its arrays in symmetric device memory, and the launcher, which
 * makes a plan for each choice once and then finds it.
 */
#ifndef EXAMPLES_CUDA_DEVICE_H
#define EXAMPLES_CUDA_DEVICE_H

#include <stdbool.h>

#include <reverse_a2a/cuda.h>

#include "common/problem.h"

struct device {
    struct problem *problem; /* the arrays on the host, and what C must become */
    int devices;             /* GPUs that this rank sees */
    cudaStream_t stream;
    cudaEvent_t begun, ended;
    struct reverse_a2a_cuda_memory *memory; /* of the present shape, like all below */
    void *a, *c;
    struct device_plan *plans; /* the last used one first */
};

/* Selects a GPU, by the rank, and makes the stream. False on all ranks if that failed on one; the
 * reason has then been printed, here and below. Collective. */
bool device_open(struct device *device, struct problem *problem);
void device_close(struct device *device);

/* Brings the problem's A to the device; `bytes` of peer_mem. device_end follows, whatever this
 * returns. Collective. */
bool device_begin(struct device *device, size_t bytes);
void device_end(struct device *device);

/* The launcher: enqueues one exchange. Collective; returns a reverse_a2a_result. */
int device_launch(struct device *device, const struct reverse_a2a_cuda_choice *choice);

/* Makes every byte of C differ from what it must become. Local. */
bool device_poison(struct device *device);

/* Waits for the stream, and judges C as problem_verify does. Collective. */
bool device_verify(struct device *device, const char *what, int result);

#endif
