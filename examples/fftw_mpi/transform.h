/*
 * The launcher: a two-dimensional complex transform over the ranks of a communicator, there and
 * back, by FFTW's MPI library. It knows nothing of tutti.
 */
#ifndef TRANSFORM_H
#define TRANSFORM_H

#include <fftw3-mpi.h>
#include <stdbool.h>
#include <stddef.h>

/* The knobs. */
struct transform_config {
    unsigned rigor;  /* how long FFTW looks for a plan: FFTW_ESTIMATE or FFTW_MEASURE */
    bool transposed; /* leave the spectrum as [n1, n0], which saves a transposition each way */
    bool in_place;   /* the spectrum overwrites the field */
};

/* The part of an [n0, n1] field that is on this rank, and its spectrum. */
struct field {
    MPI_Comm comm;
    ptrdiff_t n0, n1;
    ptrdiff_t rows, first_row;       /* of the field: dimension 0 is shared out */
    ptrdiff_t columns, first_column; /* of the transposed spectrum: dimension 1 is */
    fftw_complex *values, *spectrum; /* spectrum: where the transform is not in place */
};

struct transform {
    struct field *field;
    struct transform_config config;
    fftw_plan there, back;
};

/* Collective over comm. False, on ranks without memory; field_free in any case. */
bool field_allocate(struct field *field, MPI_Comm comm, ptrdiff_t n0, ptrdiff_t n1);
void field_free(struct field *field);

/* Plans; overwrites the field's arrays. Collective. NULL where that failed on this rank. */
struct transform *transform_create(struct field *field, const struct transform_config *config);
void transform_destroy(struct transform *transform);

/* The field becomes its spectrum. Collective. */
void transform_forward(const struct transform *transform);

/* Forward and back: the field comes back, n0 * n1 times as large. Collective. */
void transform_round_trip(const struct transform *transform);

/* Where the forward transform left the spectrum. */
fftw_complex *transform_spectrum(const struct transform *transform);

#endif
