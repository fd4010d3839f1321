/* A group of one's own over a ring of sockets: see own_group.c and docs/groups.md. */
#ifndef OWN_GROUP_H
#define OWN_GROUP_H

#include <tutti/tutti.h>

/* from: a stream socket from the rank before; to: one to the rank after; rank 0 follows the last.
 * The group closes them, also if it can't be made. Returns as tutti_group_create does. */
int own_group_create(int rank, int ranks, int from, int to, tutti_group **group);

#endif
