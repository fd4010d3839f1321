/*
 * Kernels of wide vectors and of streaming stores, for each instruction set of x86-64. Which of
 * them runs is found out at run time; elsewhere, and on processors without them, memcpy does it.
 */
#include "copy.h"

#include <stdint.h>
#include <string.h>

static bool always(void)
{
    return true;
}

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>

#define LINE      ((size_t)64)
#define SHORT_RUN 128 /* bytes, at least LINE: what memcpy of a constant size does best */

/* Bytes from what is stored to the lines that are fetched for it: measured (docs/performance.md).
 */
#define WRITE_AHEAD ((size_t)512)

/* Where a copy will store after WRITE_AHEAD more bytes, in this run or in the next. */
static inline char *look_ahead(char *run, size_t stride, size_t width, size_t at)
{
    if (at + WRITE_AHEAD < width)
        return run + at + WRITE_AHEAD;
    return WRITE_AHEAD < width ? run + stride + (at + WRITE_AHEAD - width) : run + stride + at;
}

#define SET(name)          name##_avx512
#define TARGET             __attribute__((target("avx512f,prfchw")))
#define VECTOR             __m512i
#define LOAD(from)         _mm512_loadu_si512((const void *)(from))
#define STORE(to, vector)  _mm512_storeu_si512((void *)(to), vector)
#define STREAM(to, vector) _mm512_stream_si512((void *)(to), vector)
#include "copy_vector.h"

#define SET(name)          name##_avx2
#define TARGET             __attribute__((target("avx2,prfchw")))
#define VECTOR             __m256i
#define LOAD(from)         _mm256_loadu_si256((const void *)(from))
#define STORE(to, vector)  _mm256_storeu_si256((void *)(to), vector)
#define STREAM(to, vector) _mm256_stream_si256((void *)(to), vector)
#include "copy_vector.h"

#define SET(name)          name##_sse2
#define TARGET             __attribute__((target("sse2")))
#define VECTOR             __m128i
#define LOAD(from)         _mm_loadu_si128((const void *)(from))
#define STORE(to, vector)  _mm_storeu_si128((void *)(to), vector)
#define STREAM(to, vector) _mm_stream_si128((void *)(to), vector)
#include "copy_vector.h"

static bool has_avx512(void)
{
    return __builtin_cpu_supports("avx512f");
}

static bool has_avx2(void)
{
    return __builtin_cpu_supports("avx2");
}

/* On the Xeon that was measured it is; on an AMD EPYC it was not (docs/performance.md). */
bool reverse_a2a_gains_by_prefetching(void)
{
    return __builtin_cpu_is("intel");
}

static void fence(void)
{
    _mm_sfence();
}

const struct reverse_a2a_kernel_set reverse_a2a_kernel_sets[] = {
    {"AVX-512",
     has_avx512,
     {copy_wide_avx512, NULL},
     {copy_prefetching_avx512, NULL},
     {copy_streaming_avx512, fence}},
    {"AVX2",
     has_avx2,
     {copy_wide_avx2, NULL},
     {copy_prefetching_avx2, NULL},
     {copy_streaming_avx2, fence}},
    {"SSE2",
     always,
     {copy_wide_sse2, NULL},
     {copy_prefetching_sse2, NULL},
     {copy_streaming_sse2, fence}},
    {NULL, NULL, {NULL, NULL}, {NULL, NULL}, {NULL, NULL}},
};

#else

bool reverse_a2a_gains_by_prefetching(void)
{
    return false;
}

static void copy_as_plain(char *to, size_t to_stride, const char *from, size_t from_stride,
                          size_t count, size_t width)
{
    reverse_a2a_plain_kernel.copy_runs(to, to_stride, from, from_stride, count, width);
}

const struct reverse_a2a_kernel_set reverse_a2a_kernel_sets[] = {
    {"plain", always, {copy_as_plain, NULL}, {copy_as_plain, NULL}, {copy_as_plain, NULL}},
    {NULL, NULL, {NULL, NULL}, {NULL, NULL}, {NULL, NULL}},
};

#endif
