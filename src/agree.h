/* Agreement: one reduction that compares what every rank brought to a call. */
#ifndef AGREE_H
#define AGREE_H

#include <stddef.h>
#include <stdint.h>

#include "group.h"
#include "text.h"

/* One thing that must be the same on all ranks. */
struct agree_item {
    const char *what; /* "key", "space": for messages */
    uint64_t hash;    /* of the thing itself */
    const char *text; /* the thing in lines, to find and show the first difference */
};

#define AGREE_ITEMS 8 /* at most */

/*
 * Compares items, n of them in the same order on all ranks. own_error, with own_text, is what this
 * rank has to report instead of taking part, or TUTTI_SUCCESS. scratch has room for one word per
 * rank; it may be NULL on ranks that report an error. Returns the same on every rank: the first
 * failing rank's error, TUTTI_ERR_DISAGREE, or TUTTI_SUCCESS, with a sentence added to why; or the
 * error of the group. Collective.
 */
int agree(tutti_group *group, const struct agree_item *items, size_t n, int own_error,
          const char *own_text, uint64_t *scratch, const char *what, struct text *why);

/*
 * Whether every rank succeeded at something: the first failing rank's error on all ranks, and its
 * sentence in why. Collective.
 */
int agree_success(tutti_group *group, int own_error, const char *own_text, const char *what,
                  struct text *why);

#endif
