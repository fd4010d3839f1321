/* The host's monotonic clock: as a number, and as the timer that a tuner uses by default. */
#ifndef CLOCK_H
#define CLOCK_H

#include <tutti/tuner.h>

/* Seconds since some fixed moment. */
double clock_now(void);

/* self is a double of the caller's: one per measurement, so that threads don't share it. */
extern const tutti_timer_ops clock_timer;

#endif
