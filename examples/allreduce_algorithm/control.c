/* See control.h. */
#include "control.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ALGORITHM    "coll_tuned_allreduce_algorithm"
#define SEGMENT_SIZE "coll_tuned_allreduce_algorithm_segmentsize"

/* The names by which Open MPI lists its algorithms: with others, the numbers may mean others. */
static const char *const names[ALLREDUCE_ALGORITHMS] = {
    "ignore", "basic_linear",   "nonoverlapping", "recursive_doubling",
    "ring",   "segmented_ring", "rabenseifner"};

void control_allow(void)
{
    setenv("OMPI_MCA_coll_tuned_use_dynamic_rules", "1", 0);
}

static bool refuse(char *message, size_t size, const char *variable, const char *what)
{
    snprintf(message, size, "%s %s", variable, what);
    return false;
}

/* The variable's handle, if it is an int that may be written, and its enumeration. */
static bool find(const char *variable, MPI_T_cvar_handle *handle, MPI_T_enum *enumeration,
                 char *message, size_t size)
{
    int index, verbosity, bind, scope, count;
    MPI_Datatype type;
    if (MPI_T_cvar_get_index(variable, &index))
        return refuse(message, size, variable, "does not exist: this MPI library is not Open MPI");
    if (MPI_T_cvar_get_info(index, NULL, NULL, &verbosity, &type, enumeration, NULL, NULL, &bind,
                            &scope))
        return refuse(message, size, variable, "can't be examined");
    if (type != MPI_INT || scope == MPI_T_SCOPE_READONLY || scope == MPI_T_SCOPE_CONSTANT)
        return refuse(message, size, variable, "can't be set in this version of Open MPI");
    if (MPI_T_cvar_handle_alloc(index, NULL, handle, &count) || count != 1)
        return refuse(message, size, variable, "has no handle");
    return true;
}

static bool same_algorithms(MPI_T_enum enumeration)
{
    int items;
    if (enumeration == MPI_T_ENUM_NULL || MPI_T_enum_get_info(enumeration, &items, NULL, NULL) ||
        items < ALLREDUCE_ALGORITHMS)
        return false;
    for (int i = 0; i < ALLREDUCE_ALGORITHMS; i++) {
        char name[64] = "";
        int value, length = sizeof name;
        if (MPI_T_enum_get_item(enumeration, i, &value, name, &length) || value != i ||
            strcmp(name, names[i]) != 0)
            return false;
    }
    return true;
}

bool control_open(struct control *control, char *message, size_t size)
{
    int provided;
    MPI_T_enum algorithms, none;
    memset(control, 0, sizeof *control);
    if (MPI_T_init_thread(MPI_THREAD_SINGLE, &provided))
        return refuse(message, size, "MPI_T", "does not start");
    control->open = true;
    if (!find(ALGORITHM, &control->algorithm, &algorithms, message, size) ||
        !find(SEGMENT_SIZE, &control->segment_size, &none, message, size))
        return false;
    if (!same_algorithms(algorithms))
        return refuse(message, size, ALGORITHM, "has other algorithms in this version");
    return true;
}

void control_close(struct control *control)
{
    if (control->algorithm)
        MPI_T_cvar_handle_free(&control->algorithm);
    if (control->segment_size)
        MPI_T_cvar_handle_free(&control->segment_size);
    if (control->open)
        MPI_T_finalize();
    memset(control, 0, sizeof *control);
}

static int write_both(const struct control *control, const struct allreduce_config *config)
{
    const int error = MPI_T_cvar_write(control->algorithm, &config->algorithm);
    return error ? error : MPI_T_cvar_write(control->segment_size, &config->segment_size);
}

int control_communicator(const struct control *control, const struct allreduce_config *config,
                         MPI_Comm comm, MPI_Comm *made)
{
    static const struct allreduce_config own = {ALLREDUCE_OWN_DECISION, 0};
    const int refused = write_both(control, config);
    int error = MPI_Comm_dup(comm, made); /* also where writing failed: the others are in it */
    const int restored = write_both(control, &own);
    if (!error && (refused || restored)) {
        MPI_Comm_free(made);
        error = refused ? refused : restored;
    }
    return error;
}
