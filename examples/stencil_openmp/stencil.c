/* See stencil.h. */
#include "stencil.h"

#include <omp.h>
#include <string.h>

size_t grid_points(const struct grid *grid)
{
    return (size_t)grid->nx * (size_t)grid->ny * (size_t)grid->nz;
}

static size_t at(const struct grid *grid, int y, int z)
{
    return ((size_t)z * (size_t)grid->ny + (size_t)y) * (size_t)grid->nx;
}

static int least(int a, int b)
{
    return a < b ? a : b;
}

/* One line of points along x. */
static void sweep_line(const struct grid *grid, const double *restrict in, double *restrict out,
                       int y, int z)
{
    const size_t nx = (size_t)grid->nx, plane = nx * (size_t)grid->ny, line = at(grid, y, z);
    const double *centre = in + line;
    double *result = out + line;
    if (y == 0 || z == 0 || y == grid->ny - 1 || z == grid->nz - 1) {
        memcpy(result, centre, nx * sizeof *result);
        return;
    }
    result[0] = centre[0];
    for (size_t x = 1; x + 1 < nx; x++)
        result[x] = (centre[x] + (in[line + x - 1] + in[line + x + 1]) +
                     (in[line + x - nx] + in[line + x + nx]) +
                     (in[line + x - plane] + in[line + x + plane])) /
                    7;
    result[nx - 1] = centre[nx - 1];
}

static void sweep_tile(const struct grid *grid, const double *in, double *out,
                       const struct stencil_config *config, int first_y, int first_z)
{
    const int end_y = least(first_y + config->tile_y, grid->ny);
    const int end_z = least(first_z + config->tile_z, grid->nz);
    for (int z = first_z; z < end_z; z++)
        for (int y = first_y; y < end_y; y++)
            sweep_line(grid, in, out, y, z);
}

int stencil_sweep(const struct grid *grid, const double *in, double *out,
                  const struct stencil_config *config)
{
    int threads = 0;
    omp_set_schedule((omp_sched_t)config->schedule, 1);
#pragma omp parallel num_threads(config->threads)
    {
#pragma omp single nowait
        threads = omp_get_num_threads();
#pragma omp for collapse(2) schedule(runtime)
        for (int z = 0; z < grid->nz; z += config->tile_z)
            for (int y = 0; y < grid->ny; y += config->tile_y)
                sweep_tile(grid, in, out, config, y, z);
    }
    return threads == config->threads ? 0 : -1;
}
