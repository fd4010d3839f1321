/*
 * Operands in symmetric memory: what reverse_a2a_alloc made, found by address on one rank and by
 * number on the others.
 */
#ifndef REVERSE_A2A_OPERANDS_H
#define REVERSE_A2A_OPERANDS_H

#include <stdbool.h>
#include <stdint.h>

#include "memory.h"

/* The name that all ranks have for an address of this rank. False if `bytes` bytes from there are
 * not all in one allocation. No bytes are anywhere: their name is 0. */
bool reverse_a2a_name_operand(const struct reverse_a2a_memory *memory, const char *address,
                              size_t bytes, uint64_t *name);

/* Where an operand of a peer is in this process; NULL for 0. */
char *reverse_a2a_find_operand(const struct reverse_a2a_memory *memory, int peer, uint64_t name);

/* Collective. What the user did not free. */
void reverse_a2a_free_operands(struct reverse_a2a_memory *memory);

#endif
