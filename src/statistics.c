/* See statistics.h. */
#include "statistics.h"

#include <math.h>
#include <stdlib.h>

static int compare_numbers(const void *one, const void *two)
{
    const double a = *(const double *)one, b = *(const double *)two;
    return (a > b) - (a < b);
}

void sort_numbers(double *values, size_t n)
{
    qsort(values, n, sizeof *values, compare_numbers);
}

double median(double *values, size_t n)
{
    sort_numbers(values, n);
    return n % 2 ? values[n / 2] : 0.5 * (values[n / 2 - 1] + values[n / 2]);
}

double median_deviation(double *values, size_t n)
{
    const double middle = median(values, n);
    for (size_t i = 0; i < n; i++)
        values[i] = fabs(values[i] - middle);
    return median(values, n);
}
