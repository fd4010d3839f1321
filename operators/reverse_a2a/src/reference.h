/* The parts of the reference that its engine uses too (see reference.c). */
#ifndef REVERSE_A2A_REFERENCE_H
#define REVERSE_A2A_REFERENCE_H

#include "layout.h"

/* Local. Makes the workspace and the datatype for a resolved layout; comm stays the caller's. */
int reverse_a2a_reference_prepare(MPI_Comm comm, const struct reverse_a2a_layout *layout,
                                  struct reverse_a2a_reference **reference);
void reverse_a2a_reference_release(struct reverse_a2a_reference *reference);

/* Collective. With `fault` other than OK the buffers are not touched, and the fault is returned. */
int reverse_a2a_reference_run(struct reverse_a2a_reference *reference, const char *in, char *out,
                              int fault);

#endif
