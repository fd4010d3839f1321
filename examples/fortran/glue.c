/* What Fortran can't do by itself: MPI_Comm_f2c is a macro under some MPIs, and the sizes of C
 * structs show whether tutti.f90 still describes them. */
#include <tutti/mpi.h>
#include <tutti/tutti.h>

int create_group(const MPI_Fint *comm, tutti_group **group)
{
    return tutti_group_create_mpi(MPI_Comm_f2c(*comm), group);
}

size_t size_of_param(void)
{
    return sizeof(tutti_param);
}

size_t size_of_timer(void)
{
    return sizeof(tutti_timer_ops);
}

size_t size_of_desc(void)
{
    return sizeof(tutti_tuner_desc);
}
