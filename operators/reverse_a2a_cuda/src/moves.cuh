/*
 * How threads move a box: vectors of the widest type that everything is aligned to, several of
 * them in flight in each thread, so that the latency of memory and links is hidden.
 */
#ifndef REVERSE_A2A_CUDA_MOVES_CUH
#define REVERSE_A2A_CUDA_MOVES_CUH

#include "kernels.h"

#define IN_FLIGHT 4

/* Where a thread's next vectors lie, in bytes from the start of any part. */
template <typename Vector> struct batch {
    size_t from[IN_FLIGHT], to[IN_FLIGHT];
    int count;
    Vector values[IN_FLIGHT];
};

/* The extents of a box in vectors, of a type that holds the number of all vectors. */
template <typename Vector, typename Index> struct extent {
    Index width, row, all; /* of a head, of all heads, of the box */

    __device__ explicit extent(const a2a_box &box)
        : width((Index)(box.width / sizeof(Vector))), row(width * (Index)box.heads),
          all(row * (Index)box.rows)
    {
    }
};

/* Vectors first, first + step, ... of the box. */
template <typename Vector, typename Index>
__device__ inline void locate(const a2a_box &box, const extent<Vector, Index> &extent, Index first,
                              Index step, batch<Vector> *batch)
{
    batch->count = 0;
#pragma unroll
    for (int i = 0; i < IN_FLIGHT; i++) {
        const Index at = first + (Index)i * step;
        if (at >= extent.all)
            continue;
        const Index s = at / extent.row, rest = at % extent.row;
        const Index h = box.heads == 1 ? 0 : rest / extent.width;
        const size_t x = (size_t)(rest - h * extent.width) * sizeof(Vector);
        batch->from[i] = s * box.from_stride_s + h * box.from_stride_h + x;
        batch->to[i] = s * box.to_stride_s + h * box.to_stride_h + x;
        batch->count = i + 1;
    }
}

template <typename Vector> __device__ inline void load(batch<Vector> *batch, const char *from)
{
#pragma unroll
    for (int i = 0; i < IN_FLIGHT; i++)
        if (i < batch->count)
            batch->values[i] = __ldcs((const Vector *)(from + batch->from[i]));
}

template <typename Vector> __device__ inline void store(const batch<Vector> *batch, char *to)
{
#pragma unroll
    for (int i = 0; i < IN_FLIGHT; i++)
        if (i < batch->count)
            *(Vector *)(to + batch->to[i]) = batch->values[i];
}

/* Runs `launch<Vector>()` for the type of so many bytes. */
#define WITH_VECTOR(bytes, launch)                                                                 \
    switch (bytes) {                                                                               \
    case 16:                                                                                       \
        launch(uint4);                                                                             \
        break;                                                                                     \
    case 8:                                                                                        \
        launch(uint2);                                                                             \
        break;                                                                                     \
    case 4:                                                                                        \
        launch(unsigned);                                                                          \
        break;                                                                                     \
    case 2:                                                                                        \
        launch(unsigned short);                                                                    \
        break;                                                                                     \
    default:                                                                                       \
        launch(unsigned char);                                                                     \
        break;                                                                                     \
    }

#endif
