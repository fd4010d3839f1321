/* Which blocks are worth a try for a shape: a rule that needs no measurement. */
#ifndef EXAMPLES_BLOCK_RULE_H
#define EXAMPLES_BLOCK_RULE_H

#include <stdbool.h>

#include <reverse_a2a/reverse_a2a.h>

/* True: worth measuring. Local. */
bool block_rule_keeps(const struct reverse_a2a_shape *shape,
                      const struct reverse_a2a_config *blocks);

#endif
