/*
 * The samples that an outcome keeps: the first ones of each configuration, in order of rounds. They
 * are noted in the order in which they come, and laid out by configuration when the search ends.
 * Memory is bounded whatever the space and the budget are.
 */
#ifndef SAMPLES_H
#define SAMPLES_H

#include "outcome.h"

#define SAMPLES_EACH  32                  /* of a configuration */
#define SAMPLES_LIMIT (UINT64_C(1) << 20) /* in all */
#define SAMPLES_CROWD 8192 /* a round of more configurations leaves none: it would use all room */

/* Memory for so many samples, or SAMPLES_LIMIT. TUTTI_SUCCESS or TUTTI_ERR_MEMORY. */
int samples_reserve(struct outcome *outcome, uint64_t most);

/* Notes a sample, unless that configuration has enough or there is no room left. */
void samples_note(struct outcome *outcome, uint64_t configuration, tutti_sample sample);

/* Gives each measured trial its samples and their spread; those of others are forgotten. */
void samples_lay_out(struct outcome *outcome);

/* Points each trial at its part of outcome->samples, by their counts. */
void samples_point(struct outcome *outcome);

void samples_release(struct outcome *outcome);

#endif
