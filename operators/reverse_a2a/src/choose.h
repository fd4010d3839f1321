/* What is chosen without measuring. */
#ifndef REVERSE_A2A_CHOOSE_H
#define REVERSE_A2A_CHOOSE_H

#include "layout.h"

/* The way to copy what stays in a cache: PREFETCHING or WIDE, by the processor. */
int reverse_a2a_cached_copy(void);

/* The way to copy: what the choice says, or for AUTO what the size of the problem suggests. */
int reverse_a2a_resolve_copy(const struct reverse_a2a_choice *choice,
                             const struct reverse_a2a_layout *layout);

#endif
