/*
 * Groups over MPI (library libtutti-mpi).
 */
#ifndef TUTTI_MPI_H
#define TUTTI_MPI_H

#include <mpi.h>

#include <tutti/group.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * The group of a communicator's ranks. Collective over comm. The communicator is duplicated, so
 * tutti's traffic never meets the application's, and errors on the duplicate are returned instead
 * of aborting the job. comm must be an intracommunicator and stays the caller's. MPI must be
 * initialised; at MPI_THREAD_MULTIPLE different threads may use different groups at once.
 *
 * The last tutti_group_release is collective over comm's ranks, as MPI_Comm_free is. A group that
 * is still alive in MPI_Finalize loses its communicator there: later operations on it return
 * TUTTI_ERR_GROUP, and releasing it is local. A group that broke keeps its communicator and 64 KiB
 * of memory until the process ends, since operations may still be pending on them; MPI_Finalize may
 * then wait for the missing ranks.
 *
 * Errors: TUTTI_ERR_ARGUMENT (MPI not initialised or already finalised, no communicator, an
 * intercommunicator), TUTTI_ERR_MEMORY, TUTTI_ERR_GROUP; the same on all ranks.
 */
TUTTI_API int tutti_group_create_mpi(MPI_Comm comm, tutti_group **group);

#ifdef __cplusplus
}
#endif
#endif
