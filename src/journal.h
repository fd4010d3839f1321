/*
 * The journal of a search: notes beside the record that let a search which was interrupted resume,
 * and that say which configuration was in flight when it ended. Root only; never fails a call.
 *
 * The notes survive the process, however it ends, but not a power cut: nothing is flushed to the
 * disk. What is in flight is noted in a mapped cell, without a system call; on file systems where a
 * mapped page can fail the process (network and copy-on-write ones) with one small write.
 *
 * Beside the record FOLDER/NAME.json each search has a file of its own,
 * NAME.HOST.PID.START.NUMBER.CLAIM.journal, so that two searches of one key don't meet. A search
 * that begins takes over the journals that nobody is at any more: those that were closed as
 * incomplete, those whose process has ended (owner.h), and those of which that can't be told, such
 * as another host's, once nothing has been written to them for JOURNAL_QUIET seconds. It never
 * takes one whose owner may live, and of several that begin at once only one gets it.
 */
#ifndef JOURNAL_H
#define JOURNAL_H

#include <stdbool.h>
#include <stdint.h>

#include "outcome.h"
#include "owner.h"
#include "text.h"

#define JOURNAL_QUIET 3600             /* seconds; a search that lives writes more often */
#define JOURNAL_STALE (30 * 24 * 3600) /* seconds after which a complete search removes others' */

/* What earlier searches left. Initialise with {0}; release it whatever journal_open returned. */
struct journal_past {
    uint64_t configurations; /* 0: nothing is known, and the arrays are NULL */
    /* By configuration: how it ended; status 0 if it did not. Reasons belong to the past. */
    tutti_trial *trials;
    /* By configuration: how often a search ended while it was in flight, since its last answer. One
     * that has an answer and is not 0 here was in flight again later, as the winner in the call's
     * own run is. */
    unsigned char *in_flight;
    uint64_t finished, suspects; /* those with a status; those in flight without one */
};

struct journal;

/*
 * Begins a journal beside record_path, with what earlier searches of the same record left, and
 * tells that in past. how is a line about the protocol, "exhaustive, 5 warm-ups, 10 samples":
 * times that were measured in another way are dropped, while failures and suspicions are kept.
 * Creates the folder if need be.
 *
 * Returns whether notes are kept. If not, *journal may be NULL, which all functions accept, past
 * may still be filled, and why has a sentence. why also gets a sentence for each file that was not
 * a valid journal and was removed: warn if it is not empty.
 */
bool journal_open(const char *record_path, uint64_t configurations, const char *how,
                  struct journal **journal, struct journal_past *past, struct text *why);

/* Tells the same past, but takes nothing over and writes nothing: for a search that must not write.
 */
void journal_peek(const char *record_path, uint64_t configurations, const char *how,
                  struct journal_past *past, struct text *why);

void journal_past_release(struct journal_past *past);

/* A configuration is in flight from now on, in place of the one before: call it before its first
 * run, and under a race before each. No system call where the cell is mapped. */
void journal_start(struct journal *journal, uint64_t configuration);
void journal_none(struct journal *journal);

/*
 * Notes the answer for a configuration: ok, or why it is not. Takes it out of flight if it is the
 * one that is. Of several answers the last one counts. One write. Not for statuses without an
 * answer, such as pruned: ignored.
 */
void journal_finish(struct journal *journal, uint64_t configuration, const tutti_trial *trial);

/*
 * The same, from any thread, while the launcher is still in the configuration: the next start finds
 * it with this status even if the process ends at once. rank: the one that is stuck, or -1.
 */
void journal_condemn(struct journal *journal, uint64_t configuration, int status, int rank,
                     const char *reason);

/*
 * Ends a journal and frees it. Complete: its file is removed, and so are those for the same record
 * that nobody is at. Otherwise the file is left for the next start, also of this very process, with
 * nothing in flight.
 */
void journal_close(struct journal *journal, bool complete);

/* Leaves the journal as a process that ended would: what is in flight is suspect at the next start,
 * also of this very process. For a search whose other ranks did not come back. */
void journal_abandon(struct journal *journal);

/* Whether a file's name is one of a journal, and then whose; left: it was closed as incomplete, and
 * nobody is at it. */
bool journal_is_one(const char *name, struct owner *owner, bool *left);

#endif
