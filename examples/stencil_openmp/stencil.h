/*
 * The launcher: one sweep of the 7-point stencil over a grid, cut into tiles that OpenMP's threads
 * share. It knows nothing of tutti.
 */
#ifndef STENCIL_H
#define STENCIL_H

#include <stddef.h>

/* Points in each direction, the boundary included; x is contiguous in memory. */
struct grid {
    int nx, ny, nz;
};

/* How OpenMP hands out tiles: the values of omp_sched_t. */
enum schedule { SCHEDULE_STATIC = 1, SCHEDULE_DYNAMIC = 2, SCHEDULE_GUIDED = 3 };

/* The knobs. */
struct stencil_config {
    int threads;
    int schedule;       /* enum schedule */
    int tile_y, tile_z; /* points; a tile has all of x */
};

size_t grid_points(const struct grid *grid);

/*
 * out = the mean of each inner point of `in` and its six neighbours; the boundary is copied. Both
 * have grid_points() doubles and do not overlap. Returns 0, or -1 if OpenMP gave fewer threads.
 */
int stencil_sweep(const struct grid *grid, const double *in, double *out,
                  const struct stencil_config *config);

#endif
