/* See statistics.h. */
#include "statistics.h"

#include <stdlib.h>

static int compare(const void *one, const void *two)
{
    const double a = *(const double *)one, b = *(const double *)two;
    return (a > b) - (a < b);
}

struct statistics statistics_of(double *samples, size_t count)
{
    struct statistics all = {0};
    if (count == 0)
        return all;
    qsort(samples, count, sizeof *samples, compare);
    for (size_t i = 0; i < count; i++)
        all.mean += samples[i] / (double)count;
    all.min = samples[0];
    all.median = (samples[(count - 1) / 2] + samples[count / 2]) / 2;
    all.p95 = samples[(count * 95 + 99) / 100 - 1];
    all.max = samples[count - 1];
    return all;
}

double ratio(double numerator, double denominator)
{
    return denominator > 0 ? numerator / denominator : 0;
}
