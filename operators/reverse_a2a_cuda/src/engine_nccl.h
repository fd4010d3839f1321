/* The part of the NCCL engine that belongs to a memory: one communicator for all its plans. */
#ifndef REVERSE_A2A_CUDA_ENGINE_NCCL_H
#define REVERSE_A2A_CUDA_ENGINE_NCCL_H

struct a2a_nccl;

/* Collective. NULL is allowed and then local. */
void a2a_nccl_destroy(struct a2a_nccl *nccl);

#endif
