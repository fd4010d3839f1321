/* See choose.h. */
#include "choose.h"

bool choose(const struct outcome *outcome, uint64_t *winner)
{
    bool found = false;
    if (outcome_is_of_race(outcome) && outcome->trials[outcome->winner].status == TUTTI_STATUS_OK) {
        *winner = outcome->winner;
        return true;
    }
    for (uint64_t i = 0; i < outcome->ntrials; i++) {
        const tutti_trial *trial = &outcome->trials[i];
        if (trial->status != TUTTI_STATUS_OK)
            continue;
        if (!found || trial->seconds < outcome->trials[*winner].seconds) {
            *winner = i;
            found = true;
        }
    }
    return found;
}
