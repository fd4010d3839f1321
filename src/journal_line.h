/*
 * The text of a journal. A first line of fixed width, in which eight bytes say what is in flight,
 * then lines of which each ends in a checksum:
 *
 *     tutti journal 1, configurations 00000040, now in flight 00000017
 *     search exhaustive, 5 warm-ups, 10 samples #1f0c2a77
 *     finished 0 ok 1.2345678901234567e-05 3  #0a1b2c3d
 *     finished 1 failed 0.0000000000000000e+00 2 out of memory #4e5f6071
 *     suspect 12 1 #8293a4b5
 *
 * finished: configuration, status (an answer), seconds, rank ("-" for none), reason. suspect:
 * configuration, and how often a search ended while it was in flight, before this one. Control
 * characters and "%" in text are written as "%0A".
 */
#ifndef JOURNAL_LINE_H
#define JOURNAL_LINE_H

#include "journal.h"

#define JOURNAL_HEAD ((size_t)65)        /* bytes of the first line */
#define JOURNAL_CELL ((size_t)56)        /* where the cell begins: a multiple of its size */
#define JOURNAL_MOST ((uint64_t)1 << 20) /* configurations, as in a space */
#define JOURNAL_NONE UINT64_MAX

/* The cell's eight bytes, as one word that is stored at once. */
uint64_t journal_cell(uint64_t configuration);

void journal_add_head(uint64_t configurations, struct text *text);
void journal_add_search(const char *how, struct text *text);
/* Adds nothing for what is not an answer. */
void journal_add_finished(uint64_t configuration, const tutti_trial *trial, struct text *text);
void journal_add_suspect(uint64_t configuration, unsigned times, struct text *text);

/* All that a past holds, as lines. */
void journal_add_past(const struct journal_past *past, struct text *text);

/* An empty past for so many configurations; false: no memory. */
bool journal_past_init(struct journal_past *past, uint64_t configurations);

/*
 * Reads a whole journal, which is untrusted and is cut up in place, into an empty past. A last line
 * without an end is one that a dying writer began, and is left out. False, with what is wrong in
 * why, for anything else that this file would not have written; the past is then in pieces.
 */
bool journal_parse(struct text *bytes, const char *how, struct journal_past *past,
                   struct text *why);

/* Adds what another journal of the same search says. Idempotent: an answer stays unless the other
 * is a failure, the greater number of times in flight counts. */
void journal_merge(struct journal_past *past, const struct journal_past *other);

#endif
