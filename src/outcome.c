/* The outcome of a search: memory for its trials and their reasons. */
#include "outcome.h"

#include <stdlib.h>
#include <string.h>

#include <tutti/error.h>

#include "samples.h"

static const char no_reason[] = "";

bool outcome_is_of_race(const struct outcome *outcome)
{
    return outcome->policy > TUTTI_POLICY_EXHAUSTIVE;
}

int outcome_usual_aggregation(int policy)
{
    return policy > TUTTI_POLICY_EXHAUSTIVE ? TUTTI_AGGREGATION_ROUNDS : TUTTI_AGGREGATION_MEANS;
}

int outcome_init(struct outcome *outcome, uint64_t ntrials)
{
    *outcome = (struct outcome){0};
    if (ntrials > SIZE_MAX / sizeof(tutti_trial))
        return TUTTI_ERR_MEMORY;
    tutti_trial *trials = malloc((ntrials ? (size_t)ntrials : 1) * sizeof *trials);
    if (!trials)
        return TUTTI_ERR_MEMORY;
    for (uint64_t i = 0; i < ntrials; i++) {
        trials[i] =
            (tutti_trial){.status = TUTTI_STATUS_PRUNED, .slowest_rank = -1, .reason = no_reason};
    }
    outcome->trials = trials;
    outcome->ntrials = ntrials;
    return TUTTI_SUCCESS;
}

static void reason_release(tutti_trial *trial)
{
    if (*trial->reason) /* only copies have any text */
        free((char *)(uintptr_t)trial->reason);
    trial->reason = no_reason;
}

void outcome_release(struct outcome *outcome)
{
    for (uint64_t i = 0; i < outcome->ntrials; i++)
        reason_release(&outcome->trials[i]);
    free(outcome->trials);
    samples_release(outcome);
    *outcome = (struct outcome){0};
}

void outcome_set_reason(struct outcome *outcome, uint64_t index, const char *reason)
{
    tutti_trial *trial = &outcome->trials[index];
    char *copy = *reason ? strdup(reason) : NULL;
    reason_release(trial);
    if (copy)
        trial->reason = copy;
}
