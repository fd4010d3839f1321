/* See world.h. */
#include "world.h"

#include <string.h>

const bool world_has_mpi = false;

bool world_start(struct world *world)
{
    *world = (struct world){.size = 1};
    return true;
}

void world_end(void)
{
}

void world_gather(const void *mine, void *all, size_t size)
{
    memcpy(all, mine, size);
}

const char *world_try_group(void)
{
    return NULL;
}

bool world_measure_barrier(double *skew, double *barrier)
{
    *skew = *barrier = 0;
    return false;
}
