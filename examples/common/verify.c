/* See verify.h. */
#include "verify.h"

#include <string.h>

static uint64_t bits_of(const unsigned char *element, size_t size)
{
    uint8_t one;
    uint16_t two;
    uint32_t four;
    uint64_t eight;
    switch (size) {
    case 1:
        memcpy(&one, element, size);
        return one;
    case 2:
        memcpy(&two, element, size);
        return two;
    case 4:
        memcpy(&four, element, size);
        return four;
    default:
        memcpy(&eight, element, sizeof eight);
        return eight;
    }
}

bool verify(const struct tensors *tensors, const struct reverse_a2a_shape *shape, int ranks,
            struct wrong_element *wrong)
{
    const unsigned char *c = tensors->c, *expected = tensors->expected;
    if (memcmp(c, expected, tensors->bytes) == 0)
        return true;
    size_t byte = 0;
    while (c[byte] == expected[byte])
        byte++;
    const int64_t element = (int64_t)(byte / shape->element_size);
    const size_t start = (size_t)element * shape->element_size;
    *wrong = (struct wrong_element){
        .s = element / shape->d / (ranks * shape->h),
        .head = element / shape->d % (ranks * shape->h),
        .d = element % shape->d,
        .got = bits_of(c + start, shape->element_size),
        .expected = bits_of(expected + start, shape->element_size),
    };
    return false;
}
