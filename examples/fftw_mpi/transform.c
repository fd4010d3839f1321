/* See transform.h. */
#include "transform.h"

#include <stdlib.h>

bool field_allocate(struct field *field, MPI_Comm comm, ptrdiff_t n0, ptrdiff_t n1)
{
    *field = (struct field){.comm = comm, .n0 = n0, .n1 = n1};
    const ptrdiff_t size = fftw_mpi_local_size_2d_transposed(
        n0, n1, comm, &field->rows, &field->first_row, &field->columns, &field->first_column);
    field->values = fftw_alloc_complex((size_t)size);
    field->spectrum = fftw_alloc_complex((size_t)size);
    return field->values && field->spectrum;
}

void field_free(struct field *field)
{
    fftw_free(field->values);
    fftw_free(field->spectrum);
    field->values = field->spectrum = NULL;
}

fftw_complex *transform_spectrum(const struct transform *transform)
{
    return transform->config.in_place ? transform->field->values : transform->field->spectrum;
}

/*
 * FFTW takes a plan that it has measured before ("wisdom") also where it is only asked for an
 * estimate. Each plan is made without, so that a candidate does not depend on those before it.
 */
static fftw_plan plan(const struct transform *transform, int sign)
{
    const struct field *field = transform->field;
    const struct transform_config *config = &transform->config;
    fftw_complex *spectrum = config->in_place ? field->values : field->spectrum;
    const bool forward = sign == FFTW_FORWARD;
    unsigned flags = config->rigor;
    if (config->transposed)
        flags |= forward ? FFTW_MPI_TRANSPOSED_OUT : FFTW_MPI_TRANSPOSED_IN;
    fftw_plan made =
        fftw_mpi_plan_dft_2d(field->n0, field->n1, forward ? field->values : spectrum,
                             forward ? spectrum : field->values, field->comm, sign, flags);
    fftw_forget_wisdom();
    return made;
}

struct transform *transform_create(struct field *field, const struct transform_config *config)
{
    struct transform prepared = {.field = field, .config = *config};
    struct transform *transform = malloc(sizeof *transform);
    prepared.there = plan(&prepared, FFTW_FORWARD); /* collective: also without memory */
    prepared.back = plan(&prepared, FFTW_BACKWARD);
    if (transform && prepared.there && prepared.back) {
        *transform = prepared;
        return transform;
    }
    fftw_destroy_plan(prepared.there);
    fftw_destroy_plan(prepared.back);
    free(transform);
    return NULL;
}

void transform_destroy(struct transform *transform)
{
    if (!transform)
        return;
    fftw_destroy_plan(transform->there);
    fftw_destroy_plan(transform->back);
    free(transform);
}

void transform_forward(const struct transform *transform)
{
    fftw_execute(transform->there);
}

void transform_round_trip(const struct transform *transform)
{
    fftw_execute(transform->there);
    fftw_execute(transform->back);
}
