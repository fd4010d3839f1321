/* Forced configurations: those that the program names in a call, and those of TUTTI_FORCE. */
#ifndef FORCE_H
#define FORCE_H

#include <stdint.h>

#include "text.h"

struct call;

struct forced {
    int source; /* TUTTI_SOURCE_FORCED_..., or 0: nothing is forced */
    uint64_t configuration;
};

/*
 * What is forced for a call on an attached group. TUTTI_ERR_ARGUMENT if the program's configuration
 * is not in the space, TUTTI_ERR_SETTING if TUTTI_FORCE names a knob or a value of this function
 * that there is not, TUTTI_ERR_MEMORY; with the sentence added to why. Local; the ranks agree on
 * the outcome.
 */
int force_find(const struct call *call, struct forced *forced, struct text *why);

/* What a call asks for, as the end of "tutti_call": "", " with tuning off", " with block=16,
 * depth=2 forced". Ranks that agree on it ask for the same. */
void force_describe(const struct call *call, struct text *text);

#endif
