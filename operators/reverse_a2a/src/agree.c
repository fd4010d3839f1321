/* Small collectives that yield while they wait (see agree.h). */
#include "agree.h"

#include <sched.h>

#include "reverse_a2a/reverse_a2a.h"

static int wait_for(MPI_Request *request)
{
    int done = 0;
    while (MPI_Test(request, &done, MPI_STATUS_IGNORE) == MPI_SUCCESS) {
        if (done)
            return REVERSE_A2A_OK;
        sched_yield();
    }
    return REVERSE_A2A_ERROR_MPI;
}

int reverse_a2a_agree(MPI_Comm comm, int result)
{
    int lowest = result;
    MPI_Request request;
    if (MPI_Iallreduce(&result, &lowest, 1, MPI_INT, MPI_MIN, comm, &request) != MPI_SUCCESS ||
        wait_for(&request) != REVERSE_A2A_OK)
        return REVERSE_A2A_ERROR_MPI;
    return lowest;
}

/* Signed, because MPI_MAX of MPICH 4.0, and for unsigned long that of Open MPI 4.1, compares
 * unsigned 64-bit numbers as if they were signed. */
int reverse_a2a_find_largest(MPI_Comm comm, uint64_t mine, uint64_t *largest)
{
    int64_t number = mine > INT64_MAX ? INT64_MAX : (int64_t)mine, result = 0;
    MPI_Request request;
    if (MPI_Iallreduce(&number, &result, 1, MPI_INT64_T, MPI_MAX, comm, &request) != MPI_SUCCESS ||
        wait_for(&request) != REVERSE_A2A_OK)
        return REVERSE_A2A_ERROR_MPI;
    *largest = (uint64_t)result;
    return REVERSE_A2A_OK;
}

int reverse_a2a_barrier(MPI_Comm comm)
{
    MPI_Request request;
    if (MPI_Ibarrier(comm, &request) != MPI_SUCCESS)
        return REVERSE_A2A_ERROR_MPI;
    return wait_for(&request);
}

int reverse_a2a_gather(MPI_Comm comm, const void *mine, void *all, int bytes)
{
    MPI_Request request;
    if (MPI_Iallgather(mine, bytes, MPI_BYTE, all, bytes, MPI_BYTE, comm, &request) != MPI_SUCCESS)
        return REVERSE_A2A_ERROR_MPI;
    return wait_for(&request);
}
