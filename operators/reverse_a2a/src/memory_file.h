/* Files in memory by which the ranks of a node share pages (Linux; elsewhere there are none). */
#ifndef REVERSE_A2A_MEMORY_FILE_H
#define REVERSE_A2A_MEMORY_FILE_H

#include <stdbool.h>

#include "shared.h"

/* Collective. Fills parts, or leaves nothing behind: false on all ranks if a file could not be made
 * or opened on any, or if there might not be room. */
bool reverse_a2a_map_files(struct reverse_a2a_shared *shared);

void reverse_a2a_unmap_files(struct reverse_a2a_shared *shared);

/* Puts this rank's part, which nobody has touched, on huge pages; false if the system refuses. */
bool reverse_a2a_take_huge_pages(const struct reverse_a2a_shared *shared);

#endif
