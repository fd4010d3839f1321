/* What is said of a series of times. */
#ifndef EXAMPLES_STATISTICS_H
#define EXAMPLES_STATISTICS_H

#include <stddef.h>

/* In the unit of the samples; all zero without samples. */
struct statistics {
    double min, median, mean, p95, max; /* p95: the least sample that 95% do not exceed */
};

/* Sorts the samples. */
struct statistics statistics_of(double *samples, size_t count);

/* numerator / denominator; 0 if there is nothing to divide by. */
double ratio(double numerator, double denominator);

#endif
