/* Persistence of outcomes: the root looks records up and writes them; what it found, or that it
 * found nothing, reaches all ranks by broadcast. */
#ifndef PERSIST_H
#define PERSIST_H

#include "outcome.h"
#include "text.h"
#include "tuner.h"

/*
 * Looks for a record of the call's key. *found is the same on all ranks, and so are outcome (to be
 * released) and path then. That the store can't be read is a warning on the root, and nothing
 * found. Returns TUTTI_SUCCESS, an error of the group, or TUTTI_ERR_MEMORY on all ranks.
 * Collective.
 */
int persist_find(const struct call *call, struct outcome *outcome, struct text *path, bool *found,
                 struct text *why);

/*
 * The root's trials, one per configuration, reach the outcomes of all ranks. have: this rank's
 * outcome has memory for them; TUTTI_ERR_MEMORY on all ranks if one's has not. Collective.
 */
int persist_share_trials(const struct call *call, struct outcome *outcome, bool have,
                         const char *what, struct text *why);

/* Where the record of the call belongs in the user's own store: nothing is added if there is no
 * place for it, or no memory. Root only. */
void persist_path(const struct call *call, struct text *path);

/* The root writes the outcome and all ranks learn the path, "" if it could not be written, which is
 * a warning. Collective; returns an error of the group or TUTTI_SUCCESS. */
int persist_save(const struct call *call, const struct outcome *outcome, struct text *path,
                 struct text *why);

#endif
