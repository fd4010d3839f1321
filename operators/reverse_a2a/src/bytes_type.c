/* Datatypes of many bytes (see bytes_type.h). */
#include "bytes_type.h"

int reverse_a2a_bytes_type(size_t bytes, size_t chunk, MPI_Datatype *type)
{
    MPI_Datatype one_chunk;
    int error = MPI_Type_contiguous((int)chunk, MPI_BYTE, &one_chunk);
    if (error != MPI_SUCCESS)
        return error;
    size_t chunks = bytes / chunk;
    int counts[2] = {(int)chunks, (int)(bytes % chunk)};
    MPI_Aint displacements[2] = {0, (MPI_Aint)(chunks * chunk)};
    MPI_Datatype parts[2] = {one_chunk, MPI_BYTE};
    error = MPI_Type_create_struct(2, counts, displacements, parts, type);
    MPI_Type_free(&one_chunk);
    return error == MPI_SUCCESS ? MPI_Type_commit(type) : error;
}
