/*
 * The NVSHMEM engine's side of NVSHMEM: what nvshmem.cu, which alone knows its headers, does for
 * engine_nvshmem.c. NVSHMEM itself is one for the whole process.
 */
#ifndef REVERSE_A2A_CUDA_NVSHMEM_CALLS_H
#define REVERSE_A2A_CUDA_NVSHMEM_CALLS_H

#include "kernels.h"

#ifdef __cplusplus
extern "C" {
#endif

#define A2A_NVSHMEM_ID_BYTES 1024 /* at least those of nvshmemx_uniqueid_t */

/* One call. Everything that peers touch is in NVSHMEM's memory, at the same place on all ranks. */
struct a2a_nvshmem_call {
    struct a2a_gate gate;
    struct a2a_box box; /* of a whole part, from packed to C; heads side by side are one */
    const char *in;     /* packed parts */
    char *out;
    size_t in_step, out_step;
    char *peer_mem;         /* [slots][source][block_bytes] */
    uint64_t *ready, *free; /* [peer][lane] */
    size_t part_bytes;      /* of all blocks of a channel */
    size_t block_bytes, blocks, slots;
};

/* Local, on one rank. 0, or an error. */
int a2a_nvshmem_make_id(void *id);

/* Collective: the id of that rank; the device is current. 0, or an error. */
int a2a_nvshmem_begin(const void *id, int rank, int ranks);
void a2a_nvshmem_end(void);

/* Collective. Zeroed; NULL: no memory. */
void *a2a_nvshmem_alloc(size_t bytes);
void a2a_nvshmem_free(void *pointer);

cudaError_t a2a_launch_nvshmem(const struct a2a_nvshmem_call *call, int grid, int block, int vector,
                               cudaStream_t stream);
cudaError_t a2a_nvshmem_capacity(int block, int vector, int *blocks);

#ifdef __cplusplus
}
#endif

#endif
