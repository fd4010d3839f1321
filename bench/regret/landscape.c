/* See landscape.h. The noise is like that of the recorded tables: a drift that all share, a normal
 * part of 3% with some memory, a tail of slow samples, and rare interruptions. */
#include "landscape.h"

#include <math.h>

#define DRIFT        0.007  /* a call; over 40 calls that is 4% ... */
#define DRIFT_MEMORY 0.9944 /* ... of which 80% then still lasts */
#define NORMAL       0.03
#define MEMORY       0.3
#define TAIL_RATE    0.1  /* of the samples ... */
#define TAIL         0.06 /* ... are slower by an exponential part of this mean */
#define STOP_RATE    0.01 /* of the samples ... */
#define STOP         0.5  /* ... meet an interruption */

static const char *const names[LANDSCAPES] = {
    "a leader by 2.4%", "ties within 2%", "flat, within 9%",
    "steps of 0.5%",    "a leader by 5%", "a cliff, few good ones",
};

const char *landscape_name(int which)
{
    return names[which];
}

/* SplitMix64 (Steele, Lea, Flood 2014). */
double regret_random(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

/* A normal variable (Box and Muller 1958). */
static double normal(uint64_t *state)
{
    const double radius = sqrt(-2 * log(1 - regret_random(state)));
    return radius * cos(6.283185307179586 * regret_random(state));
}

/* The logarithm of a configuration's true time over the best one's. */
static double excess(int which, int i, uint64_t *random)
{
    const double u = regret_random(random);
    switch (which) {
    case 0:
        return i == 0 ? 0 : i < 3 ? 0.024 : i < 8 ? 0.02 + 0.005 * i : 0.08 + 0.0125 * i;
    case 1:
        return i == 0 ? 0 : i < 25 ? 0.02 * u : 0.02 * u + 0.3;
    case 2:
        return i == 0 ? 0 : 0.09 * u;
    case 3:
        return 0.005 * i;
    case 4:
        return i == 0 ? 0 : 0.05 + 0.5 * u;
    default:
        return i == 0 ? 0 : i < 4 ? 0.01 * i : i < 20 ? 0.15 + u : 2 + 4 * u;
    }
}

static void shuffle(double *values, uint64_t *random)
{
    for (int i = TABLE_CONFIGURATIONS; i > 1; i--) {
        const int j = (int)(regret_random(random) * i);
        const double swapped = values[i - 1];
        values[i - 1] = values[j];
        values[j] = swapped;
    }
}

void landscape_begin(struct landscape *landscape, int which, uint64_t seed)
{
    *landscape = (struct landscape){.random = seed};
    for (int i = 0; i < TABLE_CONFIGURATIONS; i++)
        landscape->truth[i] = 1e-3 * exp(excess(which, i, &landscape->random));
    shuffle(landscape->truth, &landscape->random);
}

double landscape_call(struct landscape *landscape, int configuration)
{
    uint64_t *random = &landscape->random;
    double *memory = &landscape->memory[configuration];
    landscape->drift = DRIFT_MEMORY * landscape->drift + DRIFT * normal(random);
    *memory = MEMORY * *memory + NORMAL * normal(random);
    double noise = landscape->drift + *memory;
    if (regret_random(random) < TAIL_RATE)
        noise -= TAIL * log(1 - regret_random(random));
    if (regret_random(random) < STOP_RATE)
        noise += STOP;
    return landscape->truth[configuration] * exp(noise);
}
