/* See device.h. */
#include "device.h"

#include <stdlib.h>
#include <string.h>

/* A rank that is alone for so long is not coming any more. */
#define STALL_LIMIT_SECONDS 60.0

struct device_plan {
    struct reverse_a2a_cuda_choice choice;
    struct reverse_a2a_cuda_plan *plan;
    struct device_plan *next;
};

bool device_open(struct device *device, struct problem *problem)
{
    *device = (struct device){.problem = problem};
    cudaError_t error = cudaGetDeviceCount(&device->devices);
    if (error == cudaSuccess)
        error = cudaSetDevice(problem->team.rank % device->devices);
    if (error == cudaSuccess)
        error = cudaStreamCreateWithFlags(&device->stream, cudaStreamNonBlocking);
    if (error == cudaSuccess)
        error = cudaEventCreate(&device->begun);
    if (error == cudaSuccess)
        error = cudaEventCreate(&device->ended);
    return team_agree(&problem->team, error == cudaSuccess, "no usable GPU: %s",
                      cudaGetErrorString(error));
}

void device_close(struct device *device)
{
    if (device->begun)
        cudaEventDestroy(device->begun);
    if (device->ended)
        cudaEventDestroy(device->ended);
    if (device->stream)
        cudaStreamDestroy(device->stream);
}

static int make_memory(struct device *device, size_t bytes)
{
    const struct problem *problem = device->problem;
    const size_t size = problem->tensors.bytes;
    int result = reverse_a2a_cuda_memory_create(problem->team.comm, bytes, &device->memory);
    if (result == REVERSE_A2A_OK)
        result = reverse_a2a_cuda_memory_set_stall_limit(device->memory, STALL_LIMIT_SECONDS);
    if (result == REVERSE_A2A_OK)
        result = reverse_a2a_cuda_alloc(device->memory, size, &device->a);
    if (result == REVERSE_A2A_OK)
        result = reverse_a2a_cuda_alloc(device->memory, size, &device->c);
    return result;
}

bool device_begin(struct device *device, size_t bytes)
{
    const struct problem *problem = device->problem;
    const struct tensors *tensors = &problem->tensors;
    const int result = make_memory(device, bytes);
    if (!team_agree(&problem->team, !result, "%s: %zu bytes of symmetric device memory: %s",
                    problem->name, bytes, reverse_a2a_strerror(result)))
        return false;
    const cudaError_t error =
        cudaMemcpy(device->a, tensors->a, tensors->bytes, cudaMemcpyHostToDevice);
    return team_agree(&problem->team, error == cudaSuccess, "%s: bringing A to the device: %s",
                      problem->name, cudaGetErrorString(error));
}

void device_end(struct device *device)
{
    while (device->plans) {
        struct device_plan *cached = device->plans;
        device->plans = cached->next;
        reverse_a2a_cuda_plan_destroy(cached->plan);
        free(cached);
    }
    reverse_a2a_cuda_memory_destroy(device->memory);
    device->memory = NULL;
    device->a = device->c = NULL;
}

static struct device_plan *take_plan(struct device *device,
                                     const struct reverse_a2a_cuda_choice *choice)
{
    struct device_plan **link = &device->plans;
    while (*link && memcmp(&(*link)->choice, choice, sizeof *choice) != 0)
        link = &(*link)->next;
    struct device_plan *found = *link;
    if (found)
        *link = found->next;
    return found;
}

static int make_plan(struct device *device, const struct reverse_a2a_cuda_choice *choice,
                     struct device_plan **made)
{
    struct device_plan *cached = malloc(sizeof *cached);
    if (!cached)
        return REVERSE_A2A_ERROR_OUT_OF_MEMORY;
    cached->choice = *choice;
    const int result = reverse_a2a_cuda_plan_create(device->memory, &device->problem->shape, choice,
                                                    &cached->plan);
    if (result) {
        free(cached);
        return result;
    }
    *made = cached;
    return REVERSE_A2A_OK;
}

int device_launch(struct device *device, const struct reverse_a2a_cuda_choice *choice)
{
    struct device_plan *cached = take_plan(device, choice);
    if (!cached) {
        const int result = make_plan(device, choice, &cached);
        if (result)
            return result;
    }
    cached->next = device->plans;
    device->plans = cached;
    return reverse_a2a_cuda_execute(cached->plan, device->a, device->c, device->stream);
}

bool device_poison(struct device *device)
{
    struct tensors *tensors = &device->problem->tensors;
    tensors_poison(tensors);
    return cudaMemcpyAsync(device->c, tensors->c, tensors->bytes, cudaMemcpyHostToDevice,
                           device->stream) == cudaSuccess;
}

/* What is on the host is poison too: what can't be fetched is wrong. */
bool device_verify(struct device *device, const char *what, int result)
{
    struct tensors *tensors = &device->problem->tensors;
    tensors_poison(tensors);
    const cudaError_t error = cudaMemcpyAsync(tensors->c, device->c, tensors->bytes,
                                              cudaMemcpyDeviceToHost, device->stream);
    if (cudaStreamSynchronize(device->stream) != cudaSuccess || error != cudaSuccess)
        result = REVERSE_A2A_ERROR_DEVICE;
    if (result == REVERSE_A2A_OK)
        result = reverse_a2a_cuda_memory_state(device->memory);
    return problem_verify(device->problem, what, result);
}
