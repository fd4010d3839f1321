/*
 * Open MPI's own knobs of MPI_Allreduce, through the control variables of its tools interface
 * (MPI_T, chapter 14 of the MPI standard). Open MPI's component "tuned" reads them when a
 * communicator is made, and then keeps to them: each choice needs a communicator of its own.
 */
#ifndef CONTROL_H
#define CONTROL_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>

/* The algorithms of Open MPI 4.1, as it numbers them itself. */
enum allreduce_algorithm {
    ALLREDUCE_OWN_DECISION, /* Open MPI decides by message and communicator size */
    ALLREDUCE_LINEAR,
    ALLREDUCE_NONOVERLAPPING, /* a reduce, then a broadcast */
    ALLREDUCE_RECURSIVE_DOUBLING,
    ALLREDUCE_RING,
    ALLREDUCE_SEGMENTED_RING,
    ALLREDUCE_RABENSEIFNER,
    ALLREDUCE_ALGORITHMS
};

/* What a communicator is made for. */
struct allreduce_config {
    int algorithm;    /* enum allreduce_algorithm */
    int segment_size; /* bytes; 0: not cut into segments. Only the segmented ring has it */
};

struct control {
    MPI_T_cvar_handle algorithm, segment_size;
    bool open;
};

/* Before MPI_Init: lets the variables count, unless the user's environment has a say. Local. */
void control_allow(void);

/* After MPI_Init. False, with the reason in `message`, where the MPI library is not Open MPI, or
 * has other algorithms. Local. */
bool control_open(struct control *control, char *message, size_t size);
void control_close(struct control *control);

/* A duplicate of comm whose MPI_Allreduce works as config says. Collective. Returns an MPI error.
 */
int control_communicator(const struct control *control, const struct allreduce_config *config,
                         MPI_Comm comm, MPI_Comm *made);

#endif
