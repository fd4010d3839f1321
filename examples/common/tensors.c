/* See tensors.h. */
#include "tensors.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static bool count_bytes(const struct reverse_a2a_shape *shape, int ranks, size_t *bytes)
{
    return !__builtin_mul_overflow(shape->s, ranks, bytes) &&
           !__builtin_mul_overflow(*bytes, shape->h, bytes) &&
           !__builtin_mul_overflow(*bytes, shape->d, bytes) &&
           !__builtin_mul_overflow(*bytes, shape->element_size, bytes) && *bytes <= PTRDIFF_MAX;
}

/* Touches all pages: a first touch must not fall into a timed call. */
static void *allocate(size_t bytes)
{
    void *memory = malloc(bytes > 0 ? bytes : 1);
    if (memory)
        memset(memory, 0, bytes);
    return memory;
}

bool tensors_allocate(struct tensors *tensors, const struct reverse_a2a_shape *shape, int ranks)
{
    *tensors = (struct tensors){0};
    if (!count_bytes(shape, ranks, &tensors->bytes))
        return false;
    tensors->a = allocate(tensors->bytes);
    tensors->c = allocate(tensors->bytes);
    tensors->expected = allocate(tensors->bytes);
    if (tensors->a && tensors->c && tensors->expected)
        return true;
    tensors_free(tensors);
    return false;
}

void tensors_free(struct tensors *tensors)
{
    free(tensors->a);
    free(tensors->c);
    free(tensors->expected);
    *tensors = (struct tensors){0};
}

/* The finalizer of SplitMix64 (Steele, Lea, Flood 2014). */
static uint64_t mix(uint64_t word)
{
    word = (word ^ (word >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    word = (word ^ (word >> 27)) * UINT64_C(0x94d049bb133111eb);
    return word ^ (word >> 31);
}

void tensors_fill(struct tensors *tensors, int rank)
{
    unsigned char *bytes = tensors->a;
    const uint64_t start = mix((uint64_t)rank + 1);
    for (size_t at = 0; at < tensors->bytes; at += sizeof(uint64_t)) {
        const uint64_t word = mix(start + at);
        const size_t left = tensors->bytes - at;
        memcpy(bytes + at, &word, left < sizeof word ? left : sizeof word);
    }
}

void tensors_poison(struct tensors *tensors)
{
    unsigned char *c = tensors->c;
    const unsigned char *expected = tensors->expected;
    for (size_t i = 0; i < tensors->bytes; i++)
        c[i] = (unsigned char)~expected[i];
}
