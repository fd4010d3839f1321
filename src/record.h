/* Records: one tuned key as JSON, with its identity inside. No files here: see store.h. */
#ifndef RECORD_H
#define RECORD_H

#include <stdbool.h>
#include <stddef.h>

#include "outcome.h"
#include "space.h"
#include "text.h"

#define RECORD_FORMAT 1 /* docs/record-format.md */

/* What must be equal for a record to apply, and what is only compared. Borrowed pointers. */
struct identity {
    const char *function, *version, *source_id;
    const struct space *space;
    const unsigned char *key; /* encoded */
    size_t key_length;
    const char *group_kind, *placement;
    int ranks;
    const char *timer;
    const char *hardware;    /* lines of hardware_describe */
    const char *environment; /* lines of environment_describe; not part of the identity */
};

/* A name for the record's file, from a hash of the whole identity: 32 hexadecimal digits. Only a
 * way to find it: what is found is compared in full. False, and a wrong name, without memory. */
bool record_name(const struct identity *identity, char name[33]);

/* The record as JSON, with a final newline. TUTTI_SUCCESS or TUTTI_ERR_MEMORY. */
int record_encode(const struct identity *identity, const struct outcome *outcome,
                  struct text *json);

enum record_verdict {
    RECORD_APPLIES,
    RECORD_APPLIES_ELSEWHERE, /* identity equal, environment not: why says in what */
    RECORD_FOREIGN,           /* of another identity: why says in what; the rest is not judged */
    RECORD_CORRUPT,           /* not a record, or contradicts itself: why says how and where */
    RECORD_NO_MEMORY
};

/*
 * Judges untrusted bytes. Fills outcome (outcome_release it) for the two APPLIES verdicts only. The
 * winner is then in the space and its trial is ok. A difference in nothing but the program's build
 * id counts as APPLIES.
 */
enum record_verdict record_decode(const char *bytes, size_t length, const struct identity *identity,
                                  struct outcome *outcome, struct text *why);

#endif
