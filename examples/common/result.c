/* See result.h. */
#include "result.h"

double result_rate(const struct result *result)
{
    const struct reverse_a2a_shape *shape = &result->shape;
    const double elements = (double)shape->s * result->ranks * (double)shape->h * (double)shape->d;
    return ratio(elements * (double)shape->element_size, result->tuned.median) / 1e9;
}
