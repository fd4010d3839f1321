/* Allocates operands in symmetric memory, and finds them again (see operands.h). */
#include "operands.h"

#include <stdlib.h>
#include <string.h>

#include "agree.h"
#include "layout.h"

/* A name is the number of the allocation, counted from 1, and below that the offset. */
#define OFFSET_BITS 44

struct reverse_a2a_operands {
    struct reverse_a2a_operands *next;
    uint64_t number;
    struct reverse_a2a_shared *shared;
};

bool reverse_a2a_name_operand(const struct reverse_a2a_memory *memory, const char *address,
                              size_t bytes, uint64_t *name)
{
    *name = 0;
    if (bytes == 0)
        return true;
    uintptr_t at = (uintptr_t)address;
    for (const struct reverse_a2a_operands *o = memory->operands; o; o = o->next) {
        uintptr_t start = (uintptr_t)o->shared->parts[memory->rank];
        if (at < start || at - start > o->shared->bytes || bytes > o->shared->bytes - (at - start))
            continue;
        *name = (o->number << OFFSET_BITS) + (at - start);
        return true;
    }
    return false;
}

char *reverse_a2a_find_operand(const struct reverse_a2a_memory *memory, int peer, uint64_t name)
{
    const struct reverse_a2a_operands *o = memory->operands;
    while (o && o->number != name >> OFFSET_BITS)
        o = o->next;
    return o ? o->shared->parts[peer] + (name & ((UINT64_C(1) << OFFSET_BITS) - 1)) : NULL;
}

static int set_up(struct reverse_a2a_memory *memory, struct reverse_a2a_operands *o, size_t bytes)
{
    int result = reverse_a2a_shared_create(memory->comm, bytes, &o->shared);
    if (result != REVERSE_A2A_OK)
        return result;
    o->number = memory->operands ? memory->operands->number + 1 : 1;
    result = reverse_a2a_shared_fill(o->shared, 0);
    reverse_a2a_shared_touch(o->shared);
    /* Not before all have looked may the owner write. */
    const int ended = reverse_a2a_barrier(memory->comm);
    return result ? result : ended;
}

static void release(struct reverse_a2a_operands *o)
{
    reverse_a2a_shared_free(o->shared);
    free(o);
}

/* The largest size on all ranks, or the refusal on all. */
static int agree_on_bytes(struct reverse_a2a_memory *memory, size_t *bytes)
{
    uint64_t largest = 0;
    int result = reverse_a2a_find_largest(memory->comm, *bytes, &largest);
    uint64_t limit = reverse_a2a_min(PTRDIFF_MAX / (size_t)memory->ranks, (size_t)1 << OFFSET_BITS);
    if (result == REVERSE_A2A_OK && largest > limit - REVERSE_A2A_LINE)
        result = REVERSE_A2A_ERROR_TOO_LARGE;
    *bytes = largest > 0 ? (size_t)largest : 1;
    return result;
}

int reverse_a2a_alloc(struct reverse_a2a_memory *memory, size_t bytes, void **pointer)
{
    if (pointer)
        *pointer = NULL;
    if (!memory || !pointer)
        return REVERSE_A2A_ERROR_ARGUMENT;
    if (!memory->shared)
        return reverse_a2a_memory_fail(memory, REVERSE_A2A_ERROR_NODES,
                                       "ranks on several nodes share no memory");
    int result = agree_on_bytes(memory, &bytes);
    if (result != REVERSE_A2A_OK)
        return reverse_a2a_memory_fail(memory, result, "%s", reverse_a2a_strerror(result));
    struct reverse_a2a_operands *o = calloc(1, sizeof(*o));
    result = reverse_a2a_agree(memory->comm, o ? REVERSE_A2A_OK : REVERSE_A2A_ERROR_OUT_OF_MEMORY);
    if (result == REVERSE_A2A_OK)
        result = set_up(memory, o, bytes);
    if (result != REVERSE_A2A_OK) {
        if (o)
            release(o);
        return reverse_a2a_memory_fail(memory, result, "%zu bytes of symmetric memory: %s", bytes,
                                       reverse_a2a_strerror(result));
    }
    o->next = memory->operands;
    memory->operands = o;
    *pointer = o->shared->parts[memory->rank];
    return REVERSE_A2A_OK;
}

int reverse_a2a_free(struct reverse_a2a_memory *memory, void *pointer)
{
    if (!memory)
        return REVERSE_A2A_ERROR_ARGUMENT;
    if (!pointer)
        return REVERSE_A2A_OK;
    struct reverse_a2a_operands **link = &memory->operands;
    while (*link && (*link)->shared->parts[memory->rank] != pointer)
        link = &(*link)->next;
    struct reverse_a2a_operands *found = *link;
    if (!found)
        return REVERSE_A2A_ERROR_ARGUMENT;
    *link = found->next;
    release(found);
    return REVERSE_A2A_OK;
}

int reverse_a2a_pages(const struct reverse_a2a_memory *memory, const void *pointer)
{
    const struct reverse_a2a_operands *o = memory->operands;
    while (o && o->shared->parts[memory->rank] != pointer)
        o = o->next;
    if (o)
        return o->shared->pages;
    return memory->segments ? memory->segments->pages : REVERSE_A2A_PAGES_WINDOW;
}

void reverse_a2a_free_operands(struct reverse_a2a_memory *memory)
{
    while (memory->operands) {
        struct reverse_a2a_operands *first = memory->operands;
        memory->operands = first->next;
        release(first);
    }
}
