/* See device.h. */
#include "device.h"

#include <stdio.h>
#include <string.h>

/* A rank that waits so long has been left alone, also where many ranks take turns on one GPU. */
#define STALL_LIMIT_SECONDS 30.0

bool device_select(void)
{
    int devices = 0, least = 0;
    if (cudaGetDeviceCount(&devices) != cudaSuccess)
        devices = 0;
    MPI_Allreduce(&devices, &least, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    return least > 0 && cudaSetDevice(world_rank() % devices) == cudaSuccess;
}

int device_sharers(void)
{
    int devices = 1;
    cudaGetDeviceCount(&devices);
    return (world_ranks() + devices - 1) / devices;
}

bool device_create(struct device *device, size_t peer_bytes, size_t bytes)
{
    void *in = NULL, *out = NULL;
    *device = (struct device){.bytes = bytes};
    int result = reverse_a2a_cuda_memory_create(MPI_COMM_WORLD, peer_bytes, &device->memory);
    if (result == REVERSE_A2A_OK)
        result = reverse_a2a_cuda_alloc(device->memory, bytes, &in);
    if (result == REVERSE_A2A_OK)
        result = reverse_a2a_cuda_alloc(device->memory, bytes, &out);
    if (result == REVERSE_A2A_OK)
        result = reverse_a2a_cuda_memory_set_stall_limit(device->memory, STALL_LIMIT_SECONDS);
    device->in = in;
    device->out = out;
    if (result != REVERSE_A2A_OK)
        fprintf(stderr, "rank %d: no memory: %s: %s\n", world_rank(), reverse_a2a_strerror(result),
                device->memory ? reverse_a2a_cuda_memory_reason(device->memory) : "");
    return result == REVERSE_A2A_OK &&
           cudaStreamCreateWithFlags(&device->stream, cudaStreamNonBlocking) == cudaSuccess;
}

void device_destroy(struct device *device)
{
    if (device->stream)
        cudaStreamDestroy(device->stream);
    reverse_a2a_cuda_memory_destroy(device->memory);
}

bool device_lacks(const struct device *device, int engine)
{
    const struct reverse_a2a_shape shape = {.s = 1, .h = 1, .d = 1, .element_size = 1};
    const struct reverse_a2a_cuda_choice choice = {.engine = engine,
                                                   .grid = 2,
                                                   .block = 32,
                                                   .vector = 1,
                                                   .comm_block_s = 1,
                                                   .comm_block_d = 1,
                                                   .buffer_num = 1};
    struct reverse_a2a_cuda_plan *plan;
    if (engine != REVERSE_A2A_CUDA_NCCL && engine != REVERSE_A2A_CUDA_NVSHMEM)
        return false;
    const int result = reverse_a2a_cuda_plan_create(device->memory, &shape, &choice, &plan);
    reverse_a2a_cuda_plan_destroy(plan);
    const char *reason = reverse_a2a_cuda_memory_reason(device->memory);
    return result == REVERSE_A2A_ERROR_ENGINE &&
           (strstr(reason, "several ranks are on one GPU") || strstr(reason, "this build has no"));
}

const char *device_describe(const struct reverse_a2a_cuda_choice *choice)
{
    static char what[120];
    snprintf(what, sizeof what, "%s, grid %d, block %d, vector %d, streams %d, blocks %d x %d x %d",
             reverse_a2a_cuda_engine_string(choice->engine), choice->grid, choice->block,
             choice->vector, choice->streams, choice->comm_block_s, choice->comm_block_d,
             choice->buffer_num);
    return what;
}

static bool upload(struct device *device, const struct problem *problem)
{
    return problem->in_bytes <= device->bytes && problem->out_bytes <= device->bytes &&
           cudaMemcpyAsync(device->in, problem->in_block, problem->in_bytes, cudaMemcpyHostToDevice,
                           device->stream) == cudaSuccess &&
           cudaMemcpyAsync(device->out, problem->out_block, problem->out_bytes,
                           cudaMemcpyHostToDevice, device->stream) == cudaSuccess;
}

/* Guards of all ranks are as large: the operand's offset is the same on all. */
int device_execute(struct device *device, struct reverse_a2a_cuda_plan *plan,
                   struct problem *problem)
{
    const char *in = device->in + (problem->in - problem->in_block);
    char *out = device->out + (problem->out - problem->out_block);
    if (!upload(device, problem))
        return REVERSE_A2A_ERROR_DEVICE;
    const int result = reverse_a2a_cuda_execute(plan, in, out, device->stream);
    if (cudaMemcpyAsync(problem->out_block, device->out, problem->out_bytes, cudaMemcpyDeviceToHost,
                        device->stream) != cudaSuccess ||
        cudaStreamSynchronize(device->stream) != cudaSuccess)
        return REVERSE_A2A_ERROR_DEVICE;
    return result ? result : reverse_a2a_cuda_memory_state(device->memory);
}

bool device_run(struct device *device, const struct reverse_a2a_shape *shape,
                const struct reverse_a2a_cuda_choice *choice, size_t misalignment)
{
    struct reverse_a2a_cuda_plan *plan;
    struct problem problem;
    int result = reverse_a2a_cuda_plan_create(device->memory, shape, choice, &plan);
    if (result != REVERSE_A2A_OK) {
        fprintf(stderr, "rank %d: no plan for %s: %s\n", world_rank(), device_describe(choice),
                reverse_a2a_cuda_memory_reason(device->memory));
        return false;
    }
    bool right = true;
    problem_create(&problem, shape, world_ranks(), world_rank(), misalignment);
    for (unsigned salt = 1; salt <= 2; salt++) {
        problem_fill(&problem, salt);
        result = device_execute(device, plan, &problem);
        if (result != REVERSE_A2A_OK)
            fprintf(stderr, "rank %d: %s: %s: %s\n", world_rank(), device_describe(choice),
                    reverse_a2a_strerror(result), reverse_a2a_cuda_memory_reason(device->memory));
        right &= result == REVERSE_A2A_OK;
        right &= problem_check(&problem, salt, device_describe(choice));
    }
    problem_destroy(&problem);
    reverse_a2a_cuda_plan_destroy(plan);
    return right;
}
