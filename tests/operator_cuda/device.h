/*
 * Problems of tests/operator on a device: arrays are filled and checked on the host, moved to the
 * device with their guard zones, and back. Operands and results lie in two symmetric allocations,
 * so that every engine can have either.
 */
#ifndef TESTS_OPERATOR_CUDA_DEVICE_H
#define TESTS_OPERATOR_CUDA_DEVICE_H

#include <problem.h>

#include <reverse_a2a/cuda.h>

struct device {
    struct reverse_a2a_cuda_memory *memory;
    cudaStream_t stream;
    size_t bytes; /* of each of the two */
    char *in, *out;
};

/* Makes device rank % devices current; false if this machine has none (on all ranks alike). */
bool device_select(void);

/* How many ranks share the GPU that has most of them. They take turns on it, each in slices of
 * milliseconds: many calls then last minutes. */
int device_sharers(void);

/* Collective. `peer_bytes` of peer_mem, and `bytes` for each operand. */
bool device_create(struct device *device, size_t peer_bytes, size_t bytes);
void device_destroy(struct device *device);

/* Whether the library refuses this engine here, and rightly: one that is not built, and NCCL where
 * ranks share a GPU. */
bool device_lacks(const struct device *device, int engine);

/* What the engine and its knobs are, for messages. */
const char *device_describe(const struct reverse_a2a_cuda_choice *choice);

/* Collective. Uploads, executes, waits, downloads: an error of the call or of the device. */
int device_execute(struct device *device, struct reverse_a2a_cuda_plan *plan,
                   struct problem *problem);

/* Collective. Plan, two executions with other contents, and their checks. */
bool device_run(struct device *device, const struct reverse_a2a_shape *shape,
                const struct reverse_a2a_cuda_choice *choice, size_t misalignment);

#endif
