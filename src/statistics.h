/* Statistics of few and noisy numbers. All sort the numbers that they are given. */
#ifndef STATISTICS_H
#define STATISTICS_H

#include <stddef.h>

/* A normal distribution's standard deviation over its median deviation. */
#define STATISTICS_NORMAL 1.4826

/* Ascending; none is NaN. */
void sort_numbers(double *values, size_t n);

/* n > 0, as below. */
double median(double *values, size_t n);

/* The median distance from the median. */
double median_deviation(double *values, size_t n);

#endif
