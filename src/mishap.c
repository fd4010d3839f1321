/* See mishap.h. */
#include "mishap.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "group.h"

uint64_t word_from_seconds(double seconds)
{
    uint64_t word;
    memcpy(&word, &seconds, sizeof word);
    return word;
}

double word_to_seconds(uint64_t word)
{
    double seconds;
    memcpy(&seconds, &word, sizeof seconds);
    return seconds;
}

uint64_t word_from_mishap(const struct mishap *mishap, int rank)
{
    return UINT64_MAX - ((uint64_t)mishap->kind << 32) - (uint64_t)rank;
}

bool word_is_failure(uint64_t word)
{
    return word > word_from_seconds(INFINITY);
}

int word_failed_rank(uint64_t word)
{
    return (int)((UINT64_MAX - word) & UINT32_MAX);
}

enum mishap_kind word_mishap_kind(uint64_t word)
{
    return (enum mishap_kind)((UINT64_MAX - word) >> 32);
}

#define RANK_BITS 20

uint64_t word_with_rank(uint64_t word, const tutti_group *group)
{
    const uint64_t mask = (UINT64_C(1) << RANK_BITS) - 1;
    return (word & ~mask) | ((uint64_t)(group->ranks - 1 - group->rank) & mask);
}

int rank_of_word(uint64_t word, const tutti_group *group)
{
    const uint64_t mask = (UINT64_C(1) << RANK_BITS) - 1;
    return group->ranks - 1 - (int)(word & mask);
}

void mishap_set(struct mishap *mishap, enum mishap_kind kind, const char *format, ...)
{
    va_list list;
    if (mishap->happened)
        return;
    mishap->happened = true;
    mishap->kind = kind;
    va_start(list, format);
    vsnprintf(mishap->reason, sizeof mishap->reason, format, list);
    va_end(list);
}

int mishap_status(enum mishap_kind kind)
{
    switch (kind) {
    case MISHAP_WRONG:
        return TUTTI_STATUS_WRONG;
    case MISHAP_LOST:
        return TUTTI_STATUS_CRASHED;
    default:
        return TUTTI_STATUS_FAILED;
    }
}
