/* The table of engines. */
#include "engine.h"

static const struct a2a_engine *const engines[REVERSE_A2A_CUDA_ENGINES] = {
    [REVERSE_A2A_CUDA_PUSH] = &a2a_engine_push,
    [REVERSE_A2A_CUDA_PULL] = &a2a_engine_pull,
    [REVERSE_A2A_CUDA_DMA] = &a2a_engine_dma,
    [REVERSE_A2A_CUDA_STAGED] = &a2a_engine_staged,
    [REVERSE_A2A_CUDA_PACKETS] = &a2a_engine_packets,
    [REVERSE_A2A_CUDA_NCCL] = &a2a_engine_nccl,
    [REVERSE_A2A_CUDA_NVSHMEM] = &a2a_engine_nvshmem,
    [REVERSE_A2A_CUDA_REFERENCE] = &a2a_engine_reference,
};

const struct a2a_engine *a2a_find_engine(int name)
{
    return name >= 0 && name < REVERSE_A2A_CUDA_ENGINES ? engines[name] : NULL;
}

const char *reverse_a2a_cuda_engine_string(int engine)
{
    const struct a2a_engine *found = a2a_find_engine(engine);
    return found ? found->name : NULL;
}

bool a2a_accepts_kernel(const struct reverse_a2a_cuda_choice *choice)
{
    const int vector = choice->vector;
    return choice->grid >= 1 && choice->grid <= REVERSE_A2A_CUDA_MAX_GRID && choice->block >= 32 &&
           choice->block <= 1024 && choice->block % 32 == 0 && vector >= 1 && vector <= 16 &&
           (vector & (vector - 1)) == 0;
}
