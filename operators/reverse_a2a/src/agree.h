/*
 * What the ranks settle together while something is created or repaired. The waits yield the
 * processor: MPICH's blocking calls spin, which takes milliseconds where ranks outnumber cores.
 */
#ifndef REVERSE_A2A_AGREE_H
#define REVERSE_A2A_AGREE_H

#include <mpi.h>
#include <stdint.h>

/* Collective. The lowest result that any rank brings: errors are negative, so an error wins. */
int reverse_a2a_agree(MPI_Comm comm, int result);

/* Collective. The largest number that any rank brings, at most 2^63 - 1. Returns OK or MPI. */
int reverse_a2a_find_largest(MPI_Comm comm, uint64_t mine, uint64_t *largest);

/* Collective. Returns OK or MPI. */
int reverse_a2a_barrier(MPI_Comm comm);

/* Collects `bytes` bytes of each rank, by rank. Returns OK or MPI. */
int reverse_a2a_gather(MPI_Comm comm, const void *mine, void *all, int bytes);

#endif
