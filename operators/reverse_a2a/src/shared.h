/*
 * A piece of memory for each rank of a node, which all of them see: parts of a window of MPI, or,
 * where it is large, files in memory that each rank makes and the others open. Files are made
 * several times as fast as windows, and may lie on huge pages, which take less time to be touched
 * and to be mapped by the others.
 */
#ifndef REVERSE_A2A_SHARED_H
#define REVERSE_A2A_SHARED_H

#include <stddef.h>

#include <mpi.h>

struct reverse_a2a_shared {
    MPI_Comm comm;
    int ranks, rank;
    MPI_Win window; /* MPI_WIN_NULL: files */
    size_t bytes;   /* of each part */
    int pages;      /* enum reverse_a2a_pages */
    char *parts[];  /* by rank, at a line */
};

/* Collective. The same number of bytes on all ranks. Errors, the same on all ranks: OUT_OF_MEMORY,
 * MPI; *shared is then NULL. */
int reverse_a2a_shared_create(MPI_Comm comm, size_t bytes, struct reverse_a2a_shared **shared);

/* Collective. Every rank fills its own part, on huge pages if it can get them. Returns OK or MPI.
 */
int reverse_a2a_shared_fill(struct reverse_a2a_shared *shared, unsigned char value);

/* Local. Reads a byte of every page of all parts: a first access costs a fault in this process too.
 */
void reverse_a2a_shared_touch(const struct reverse_a2a_shared *shared);

/* Collective. NULL is allowed and then local. */
void reverse_a2a_shared_free(struct reverse_a2a_shared *shared);

#endif
