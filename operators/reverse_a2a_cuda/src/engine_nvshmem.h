/* The part of the NVSHMEM engine that belongs to a memory: NVSHMEM's memory for all its plans. */
#ifndef REVERSE_A2A_CUDA_ENGINE_NVSHMEM_H
#define REVERSE_A2A_CUDA_ENGINE_NVSHMEM_H

struct a2a_nvshmem;

/* Collective. NULL is allowed and then local. */
void a2a_nvshmem_destroy(struct a2a_nvshmem *nvshmem);

#endif
