/* What a race says at its end: the winner, the runner-up, and how sure that is. See race.h. */
#include "race.h"

#include <math.h>
#include <string.h>

#include "race_fit.h"
#include "statistics.h"

#define SURE  0.95
#define PAIRS 5 /* differences that tell their own error */

/*
 * How far one candidate leads another, and the standard error of that: by their differences in the
 * rounds of both, if these are enough to tell an error; else by their scores and the noise of all.
 */
static double lead_of(struct race *race, uint32_t one, uint32_t two, double *error)
{
    if (race_is_alive(race, one) && race_is_alive(race, two)) {
        const double lead = race_paired(race, one, two, error);
        if (race->counts[one] >= PAIRS && race->counts[two] >= PAIRS && isfinite(*error))
            return lead;
    }
    *error = race->rounds < 2 ? INFINITY : race_error(race, one, two);
    return race->scores[two] - race->scores[one];
}

/* The best score, at its upper bound: one of few samples may owe it to luck. */
static uint32_t safest(const struct race *race)
{
    uint32_t best = RACE_NOBODY;
    double least = INFINITY;
    for (uint32_t i = 0; i < race->alive; i++) {
        const uint32_t id = race->ids[i];
        const double bound = race_bound(race, id);
        if (bound < least)
            best = id;
        least = fmin(least, bound);
    }
    return best;
}

/* Whether two score the same, for what it matters, the lower index wins: find it. */
static uint32_t lowest_within_zone(const struct race *race, uint32_t best)
{
    for (uint32_t i = 0; i < race->alive; i++) {
        const uint32_t id = race->ids[i];
        if (race->scores[id] - race->scores[best] <= RACE_ZONE &&
            2 * race->counts[id] >= race->counts[best])
            return id;
    }
    return best;
}

static void choose_winner(struct race *race, struct race_verdict *verdict)
{
    const uint32_t standing = race->options.standing;
    double error;
    verdict->winner = lowest_within_zone(race, safest(race));
    if (!race_is_alive(race, standing) || standing == verdict->winner)
        return;
    const double lead = lead_of(race, verdict->winner, standing, &error);
    if (lead > RACE_BEATS * error && lead > RACE_ZONE)
        return;
    verdict->winner = standing;
}

/* The best of the others, at its upper bound; one that is alive before those that are not. */
static uint32_t find_runner_up(const struct race *race, uint32_t winner)
{
    uint32_t runner_up = RACE_NOBODY;
    bool found_alive = false;
    double least = INFINITY;
    for (uint32_t i = 0; i < race->candidates; i++) {
        const bool lives = race_is_alive(race, i);
        if (i == winner || race->failed[i] || isnan(race->scores[i]) || (found_alive && !lives))
            continue;
        const double bound = race_bound(race, i);
        if (runner_up == RACE_NOBODY || (lives && !found_alive) || bound < least) {
            runner_up = i;
            least = bound;
        }
        found_alive |= lives;
    }
    return runner_up;
}

static double normal_distribution(double x)
{
    return 0.5 * erfc(-x / sqrt(2.0));
}

/* How many standard errors n normal variables all stay below with probability SURE (Bonferroni). */
static double sure_errors(uint32_t n)
{
    double low = 0, high = 10;
    for (int i = 0; i < 50; i++) {
        const double middle = 0.5 * (low + high);
        if (normal_distribution(middle) < 1 - (1 - SURE) / n)
            low = middle;
        else
            high = middle;
    }
    return high;
}

static void compare_runner_up(struct race *race, struct race_verdict *verdict)
{
    double error;
    verdict->confidence = 0.5;
    if (verdict->runner_up == RACE_NOBODY) {
        verdict->confidence = 1;
        return;
    }
    verdict->distance = lead_of(race, verdict->winner, verdict->runner_up, &error);
    if (error > 0)
        verdict->confidence = normal_distribution(verdict->distance / error);
    else if (verdict->distance > 0)
        verdict->confidence = 1;
    verdict->equal = verdict->confidence < SURE;
}

/* How much faster than the winner any other may be. Rounds that lie close together share the
 * weather, so the error is that of the one with fewer samples against another of as few. */
static double find_within(struct race *race, const struct race_verdict *verdict)
{
    const double errors = sure_errors(race->candidates > 1 ? race->candidates - 1 : 1);
    double within = 0, error;
    for (uint32_t i = 0; i < race->candidates; i++) {
        if (i == verdict->winner || race->failed[i] || isnan(race->scores[i]))
            continue;
        const double lead = lead_of(race, verdict->winner, i, &error);
        error = fmax(error, race_error(race, i, i));
        within = fmax(within, errors * error - lead);
    }
    return within;
}

struct race_verdict race_judge(struct race *race)
{
    struct race_verdict verdict = {.winner = RACE_NOBODY, .runner_up = RACE_NOBODY};
    if (race->alive == 0 || race->rounds == 0)
        return verdict;
    choose_winner(race, &verdict);
    verdict.noise = race->noise * sqrt((double)race->merged);
    verdict.runner_up = find_runner_up(race, verdict.winner);
    compare_runner_up(race, &verdict);
    verdict.within = find_within(race, &verdict);
    return verdict;
}

double race_seconds(struct race *race, uint32_t id)
{
    if (race->rounds == 0 || race->alive == 0 || race->failed[id] || isnan(race->scores[id]))
        return 0;
    memcpy(race->scratch, race->centres, race->rows * sizeof *race->scratch);
    return exp(median(race->scratch, race->rows) + race->scores[id] - race->frame);
}
