/* The ranks that tutti doctor runs on: this process alone, or those of an MPI job. world_serial.c
 * is linked into tutti, world_mpi.c into tutti-doctor-mpi, so that tutti itself needs no MPI. */
#ifndef WORLD_H
#define WORLD_H

#include <stdbool.h>
#include <stddef.h>

extern const bool world_has_mpi;

struct world {
    int rank, size;
    bool is_mpi;
    char library[256]; /* name and version of the MPI library */
};

/* false with the error said. Collective, as all below. */
bool world_start(struct world *world);
void world_end(void);

/* size bytes of each rank, by rank, at the root's all. */
void world_gather(const void *mine, void *all, size_t size);

/* Whether libtutti-mpi makes a group of these ranks, and it tunes: NULL, or why not, static. */
const char *world_try_group(void);

/*
 * Seconds between the first and the last rank that leaves a barrier, the median over some; of the
 * ranks on the root's host, since clocks differ between hosts. barrier: the median duration of one.
 * false if there is nothing to be measured.
 */
bool world_measure_barrier(double *skew, double *barrier);

#endif
