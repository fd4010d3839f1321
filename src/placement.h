/* Placement: how a group's ranks lie on nodes, as text for records. */
#ifndef PLACEMENT_H
#define PLACEMENT_H

#include <stdint.h>

#include "text.h"

/*
 * Equal texts mean equal placements, apart from which node is which. First the ranks of each node,
 * nodes in the order of their first rank, then the order of ranks:
 *
 *     4                   four ranks on one node
 *     4+4 block           ranks 0 to 3 on one node, 4 to 7 on another
 *     4+4 cyclic          even ranks on one, odd ranks on the other
 *     64*4 block          sixty-four nodes (any five or more) with four ranks each
 *     2+2 as 0,1*2,0      ranks 1 and 2 share the second node
 *
 * node_of: ranks numbers, or NULL for all on one node. TUTTI_SUCCESS or TUTTI_ERR_MEMORY.
 */
int placement_text(const uint32_t *node_of, int ranks, struct text *text);

#endif
