/*
 * The launcher: the host function that an application has before it meets a tuner. It owns the
 * symmetric memory and the plans, and runs the exchange with the blocks that it is told.
 */
#ifndef EXAMPLES_LAUNCHER_H
#define EXAMPLES_LAUNCHER_H

#include <mpi.h>
#include <stdbool.h>

#include <reverse_a2a/reverse_a2a.h>

struct launcher {
    struct reverse_a2a_memory *memory; /* kept from shape to shape */
    struct reverse_a2a_shape shape;
    struct cached_plan *plans; /* of this shape on this memory; the last used one first */
};

/* From now on launches have this shape. Local. */
void launcher_set_shape(struct launcher *launcher, const struct reverse_a2a_shape *shape);

/* At least `bytes` of symmetric memory on each rank. Collective; returns a reverse_a2a_result. */
int launcher_reserve(struct launcher *launcher, MPI_Comm comm, size_t bytes);

/*
 * Runs the exchange. The first launch with these blocks makes their plan, later ones find it.
 * Collective; returns a reverse_a2a_result.
 */
int launcher_run(struct launcher *launcher, const struct reverse_a2a_config *blocks, const void *a,
                 void *c);

/* Local. */
bool blocks_equal(const struct reverse_a2a_config *one, const struct reverse_a2a_config *two);

/* Frees plans and memory. Collective. */
void launcher_close(struct launcher *launcher);

#endif
