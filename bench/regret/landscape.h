/* Landscapes: invented launchers whose true times are known. The constants of the race were set on
 * these, so that the recorded tables stay unseen. */
#ifndef REGRET_LANDSCAPE_H
#define REGRET_LANDSCAPE_H

#include <stdint.h>

#include "table.h"

enum { LANDSCAPES = 6 };

const char *landscape_name(int which);

/* Calls of a launcher, one after another; each seed has its own order of configurations. */
struct landscape {
    uint64_t random;
    double truth[TABLE_CONFIGURATIONS];  /* seconds */
    double memory[TABLE_CONFIGURATIONS]; /* noise that lasts over calls */
    double drift;
};

void landscape_begin(struct landscape *landscape, int which, uint64_t seed);
/* What the next call takes, in seconds. */
double landscape_call(struct landscape *landscape, int configuration);

/* Random numbers for the laboratory, the same everywhere: uniform in [0, 1). */
double regret_random(uint64_t *state);

#endif
