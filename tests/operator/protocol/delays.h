/* Hooks that delay signals at random, before and after each. */
#ifndef DELAYS_H
#define DELAYS_H

void set_delays(unsigned seed);

/* Delays made by all ranks since the last set_delays. */
unsigned count_delays(void);

#endif
