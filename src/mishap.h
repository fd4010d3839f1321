/* What a configuration took, or how it went wrong, as a word that a reduction can carry. */
#ifndef MISHAP_H
#define MISHAP_H

#include <stdbool.h>
#include <stdint.h>

#include "guard.h"

/* How a configuration can go wrong, the weightiest first. */
enum mishap_kind {
    MISHAP_LOST,        /* it cost the timer's device: the search ends */
    MISHAP_LOST_BEFORE, /* the device was lost when it began: so does this, but it may not be to
                           blame */
    MISHAP_FAILED,
    MISHAP_REFERENCE,
    MISHAP_WRONG
};

/* What went wrong on this rank while one configuration was tried; the first mishap stays. */
struct mishap {
    bool happened;
    enum mishap_kind kind;
    int launcher_status;           /* what the callback returned that is to blame; 0 if none is */
    char reason[REASON_SIZE - 32]; /* before it goes the rank */
};

void mishap_set(struct mishap *mishap, enum mishap_kind kind, const char *format, ...)
    TUTTI_PRINTF(3, 4);

/* The status of a trial that went wrong like this. */
int mishap_status(enum mishap_kind kind);

/*
 * A time travels as the bits of its double, which order like the numbers because both are positive.
 * Words above infinity are mishaps; of several the weightiest has the greatest word, then the one
 * of the lowest rank.
 */
uint64_t word_from_seconds(double seconds);
double word_to_seconds(uint64_t word);
uint64_t word_from_mishap(const struct mishap *mishap, int rank);
bool word_is_failure(uint64_t word);
int word_failed_rank(uint64_t word);
enum mishap_kind word_mishap_kind(uint64_t word);

/*
 * Beside its time each rank sends the time again with its number in the lowest bits, so that the
 * maximum also tells whose it is: one reduction. Times that are equal but for these bits, 2^-32 of
 * the time, count as equal; the lowest of such ranks is named.
 */
uint64_t word_with_rank(uint64_t word, const tutti_group *group);
int rank_of_word(uint64_t word, const tutti_group *group);

#endif
