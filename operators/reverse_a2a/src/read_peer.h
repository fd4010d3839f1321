/* Reading the memory of another process, where the operating system lets the ranks do so. */
#ifndef REVERSE_A2A_READ_PEER_H
#define REVERSE_A2A_READ_PEER_H

#include <stdbool.h>
#include <sys/uio.h>

#include "memory.h"

/* Local, before a barrier: what peers need for probing. */
void reverse_a2a_offer_reading(struct reverse_a2a_memory *memory);

/* Collective, behind that barrier. Finds out for all ranks whether each can read each. Returns OK
 * or MPI. */
int reverse_a2a_probe_reading(struct reverse_a2a_memory *memory);

/* Scatters `bytes` bytes of a peer; true if all were read. */
bool reverse_a2a_read_peer(const struct reverse_a2a_memory *memory, int peer,
                           const struct iovec *local, size_t locals, const struct iovec *remote,
                           size_t remotes, size_t bytes);

#endif
