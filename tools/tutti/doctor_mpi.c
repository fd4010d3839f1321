/* tutti-doctor-mpi: tutti doctor as a rank of an MPI job. tutti starts it; nobody else needs to. */
#include "command.h"
#include "print.h"

int main(int argc, char **argv)
{
    static char name[] = "tutti doctor";
    argp_err_exit_status = STATUS_USAGE;
    argv[0] = name;
    print_name = name;
    return doctor_command.run(argc, argv);
}
