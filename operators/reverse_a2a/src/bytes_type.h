/*
 * A datatype of any number of contiguous bytes. Counts in MPI 3 are ints, blocks may be larger. It
 * has no gaps and is not resized, because some all-to-all algorithms mishandle resized types.
 */
#ifndef REVERSE_A2A_BYTES_TYPE_H
#define REVERSE_A2A_BYTES_TYPE_H

#include <mpi.h>
#include <stddef.h>

/* What reverse_a2a_bytes_type is to be called with; tests call it with less. */
#define REVERSE_A2A_CHUNK ((size_t)1 << 30)

/* Makes and commits a datatype of `bytes` bytes out of chunks of `chunk` bytes and a rest. Neither
 * `chunk` nor bytes / chunk may exceed INT_MAX. Returns an MPI error code. */
int reverse_a2a_bytes_type(size_t bytes, size_t chunk, MPI_Datatype *type);

#endif
