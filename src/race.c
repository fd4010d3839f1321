/* Rounds, cuts and drops. See race.h for the rules. */
#include "race.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <tutti/error.h>

#include "race_fit.h"
#include "random.h"
#include "statistics.h"

#define ROWS_LEAST 8          /* there is room for so many, whatever the candidates are */
#define ROOM_MOST  (1u << 20) /* of logs, beyond that */
#define COLD_PART  4          /* one in so many must have been far off for that to be general */
#define SCRATCH    (1u << 13) /* values, for a median */

static size_t room_of(uint32_t candidates)
{
    const size_t least = (size_t)candidates * ROWS_LEAST;
    const size_t wanted = (size_t)candidates * RACE_ROWS_MOST;
    const size_t most = least > ROOM_MOST ? least : ROOM_MOST;
    return wanted < most ? wanted : most;
}

int race_init(struct race *race, uint32_t capacity)
{
    const size_t many = capacity > 0 ? capacity : 1;
    *race = (struct race){.capacity = capacity, .over = true, .room = room_of(capacity)};
    race->ids = malloc(many * sizeof *race->ids);
    race->order = malloc(many * sizeof *race->order);
    race->ranking = malloc(many * sizeof *race->ranking);
    race->counts = malloc(many * sizeof *race->counts);
    race->failed = malloc(many * sizeof *race->failed);
    race->since = malloc(many * sizeof *race->since);
    race->stays = malloc(many * sizeof *race->stays);
    race->scores = malloc(many * sizeof *race->scores);
    race->logs = malloc((race->room + 1) * sizeof *race->logs);
    race->centres = malloc(RACE_ROWS_MOST * sizeof *race->centres);
    race->scratch = malloc(SCRATCH * sizeof *race->scratch);
    if (race->ids && race->order && race->ranking && race->counts && race->failed && race->since &&
        race->stays && race->scores && race->logs && race->centres && race->scratch)
        return TUTTI_SUCCESS;
    race_release(race);
    return TUTTI_ERR_MEMORY;
}

void race_release(struct race *race)
{
    free(race->ids);
    free(race->order);
    free(race->ranking);
    free(race->counts);
    free(race->failed);
    free(race->since);
    free(race->stays);
    free(race->scores);
    free(race->logs);
    free(race->centres);
    free(race->scratch);
    *race = (struct race){.over = true};
}

void race_start(struct race *race, uint32_t candidates, const struct race_options *options)
{
    race->options = *options;
    race->candidates = race->alive = candidates;
    race->rows = race->stage = race->in_round = 0;
    race->merged = race->filled = 1;
    race->rounds = race->samples = 0;
    race->stage_used = race->noise = race->frame = 0;
    race->second_look = false;
    race->over = candidates == 0 || options->samples == 0;
    race->random = options->seed;
    for (uint32_t i = 0; i < candidates; i++) {
        race->ids[i] = i;
        race->scores[i] = NAN;
        race->counts[i] = 0;
        race->since[i] = 0;
        race->failed[i] = false;
    }
}

static void shuffle(struct race *race)
{
    for (uint32_t i = race->in_round; i > 1; i--) {
        const uint32_t j = (uint32_t)(next_random(&race->random) % i);
        const uint32_t swapped = race->order[i - 1];
        race->order[i - 1] = race->order[j];
        race->order[j] = swapped;
    }
}

/* How many are to be alive in a stage of the halving. */
static uint32_t stage_size(const struct race *race, uint32_t stage)
{
    double size = race->candidates;
    for (uint32_t i = 0; i < stage && size > RACE_FINALISTS; i++)
        size = ceil(size * RACE_KEEP - 1e-9);
    return size > RACE_FINALISTS ? (uint32_t)size : RACE_FINALISTS;
}

static uint32_t stages_left(const struct race *race)
{
    uint32_t stages = 1;
    for (uint32_t i = race->stage; stage_size(race, i) > RACE_FINALISTS; i++)
        stages++;
    return stages;
}

static bool is_last_stage(const struct race *race)
{
    return race->options.keep_all || stages_left(race) == 1;
}

static uint64_t samples_left(const struct race *race)
{
    return race->options.samples - race->samples;
}

/* Whether this stage has used its share of the budget: an equal part of what was left for it and
 * the stages after it. Half a round more or less is the nearest that whole rounds come to that. */
static bool stage_is_complete(const struct race *race)
{
    const double share = ((double)samples_left(race) + race->stage_used) / stages_left(race);
    return race->stage_used > 0 && race->stage_used + 0.5 * race->alive > share;
}

/* The default is dropped only when it is clearly worse than the best. */
static bool spare_default(const struct race *race, uint32_t best)
{
    const uint32_t standing = race->options.standing;
    if (!race_is_alive(race, standing) || race->stays[standing])
        return false;
    const double allowed = race->rounds < RACE_RULE_ROUNDS
                               ? log(RACE_FAR_OFF)
                               : RACE_DROP * race_error(race, standing, best);
    return race->scores[standing] - race->scores[best] <= allowed;
}

static int compare_ranks(const void *one, const void *two)
{
    const struct race_rank *a = one, *b = two;
    const int by_score = (a->score > b->score) - (a->score < b->score);
    return by_score ? by_score : (a->id > b->id) - (a->id < b->id);
}

static void rank_by_score(struct race *race)
{
    for (uint32_t i = 0; i < race->alive; i++)
        race->ranking[i] =
            (struct race_rank){.score = race->scores[race->ids[i]], .id = race->ids[i]};
    qsort(race->ranking, race->alive, sizeof *race->ranking, compare_ranks);
}

/* Whether those that the coming cut would drop include some that had only one run, and a far slower
 * one than most: they are put into order, for a second look. */
static bool far_off_once(struct race *race, uint32_t size)
{
    if (race->rounds != 1 || race->second_look)
        return false;
    race->in_round = 0;
    for (uint32_t i = size; i < race->alive; i++)
        if (race->ranking[i].score > log(RACE_FAR_OFF) && race->in_round < samples_left(race))
            race->order[race->in_round++] = race->ranking[i].id;
    return race->in_round > 0;
}

/* Keeps so many, the best ones; the default among them unless it is clearly worse. */
static void keep_best(struct race *race, uint32_t size)
{
    for (uint32_t i = 0; i < race->alive; i++)
        race->stays[race->ranking[i].id] = i < size;
    if (spare_default(race, race->ranking[0].id)) {
        race->stays[race->ranking[size - 1].id] = false;
        race->stays[race->options.standing] = true;
    }
    race_keep_those_who_stay(race);
}

/* The cut at the end of a stage. False if a second look must come first. */
static bool cut(struct race *race)
{
    const uint32_t size = stage_size(race, race->stage + 1);
    if (size < race->alive) {
        rank_by_score(race);
        if (far_off_once(race, size))
            return false;
        keep_best(race, size);
    }
    race->stage++;
    race->stage_used = 0;
    return true;
}

static bool is_hopeless(const struct race *race, uint32_t id, uint32_t best)
{
    /* Of few runs of the best one, one may have been too fast. */
    const bool few = race->counts[best] < RACE_RULE_ROUNDS;
    const double fast = few ? race_most(race, best) : race->scores[best];
    return race->counts[id] >= 2 && race_least(race, id) - fast > log(RACE_HOPELESS);
}

/* Drops those that are too many standard errors behind the best, or hopeless. */
static void drop_clearly_worse(struct race *race)
{
    const uint32_t best = race_best(race);
    bool any = false;
    if (race->options.keep_all || race->rounds < 2 || race->alive < 2)
        return;
    for (uint32_t i = 0; i < race->alive; i++) {
        const uint32_t id = race->ids[i];
        const double allowed = race->counts[id] * race->merged < RACE_RULE_ROUNDS
                                   ? INFINITY
                                   : RACE_DROP * race_error(race, id, best);
        race->stays[id] =
            race->scores[id] - race->scores[best] <= allowed && !is_hopeless(race, id, best);
        any |= !race->stays[id];
    }
    if (any)
        race_keep_those_who_stay(race);
}

/* Whether all that are left are surely as good as each other. */
static bool all_equal(const struct race *race)
{
    const uint32_t best = race_best(race);
    if (race->rounds < RACE_RULE_ROUNDS || race->options.keep_all)
        return false;
    for (uint32_t i = 0; i < race->alive; i++) {
        const uint32_t id = race->ids[i];
        const double behind = race->scores[id] - race->scores[best];
        if (behind + RACE_DROP * race_error(race, id, best) > RACE_ZONE)
            return false;
    }
    return true;
}

static void drop_failed(struct race *race)
{
    for (uint32_t i = 0; i < race->alive; i++)
        race->stays[race->ids[i]] = !race->failed[race->ids[i]];
    race_keep_those_who_stay(race);
}

/* The first round of a budget that does not reach for all: some are never run. */
static void shorten_first_round(struct race *race)
{
    const uint32_t standing = race->options.standing;
    if (samples_left(race) >= race->in_round)
        return;
    for (uint32_t i = 0; standing != RACE_NOBODY && i < race->in_round; i++) {
        if (race->order[i] != standing)
            continue;
        race->order[i] = race->order[0];
        race->order[0] = standing;
    }
    race->in_round = (uint32_t)samples_left(race);
    memset(race->stays, 0, race->candidates * sizeof *race->stays);
    for (uint32_t i = 0; i < race->in_round; i++)
        race->stays[race->order[i]] = true;
    race_keep_those_who_stay(race);
}

static void begin_round(struct race *race)
{
    race->in_round = race->alive;
    memcpy(race->order, race->ids, race->alive * sizeof *race->order);
    shuffle(race);
    if (race->rounds == 0)
        shorten_first_round(race);
}

uint32_t race_round(struct race *race, const uint32_t **order)
{
    *order = race->order;
    race->in_round = 0;
    race->over = race->over || race->alive == 0;
    if (race->over)
        return 0;
    if (!is_last_stage(race) && stage_is_complete(race) && !cut(race)) {
        race->second_look = true;
        shuffle(race);
        return race->in_round;
    }
    race->second_look = false;
    const bool decided = (race->alive == 1 && !race->options.keep_all) || all_equal(race);
    race->over = race->rounds > 0 && (decided || samples_left(race) < race->alive);
    if (race->over)
        return 0;
    begin_round(race);
    return race->in_round;
}

static bool is_time(double seconds)
{
    return isfinite(seconds) && seconds > 0;
}

/* Whether the first runs took far longer than the second ones, of those that had both. */
static bool first_round_was_cold(struct race *race)
{
    size_t n = 0;
    if (race->rounds != 2 || race->rows != 2 || race->options.keep_all)
        return false;
    for (uint32_t i = 0; i < race->alive && n < SCRATCH; i++)
        race->scratch[n++] = race_row(race, 0)[i] - race_row(race, 1)[i];
    return n > 0 && median(race->scratch, n) > log(RACE_COLD);
}

/* The race begins anew, with the second round of those that had one as their first. */
static void forget_first_round(struct race *race)
{
    race_forget_first_row(race);
    race_fit(race);
    for (uint32_t id = 0; id < race->candidates; id++)
        race->stays[id] = !race->failed[id] && !isnan(race->scores[id]);
    race_bring_back(race);
    race->stage = 0;
    race->stage_used = 0;
}

/* Whether those that were looked at again are many, and most of them were far faster then; and the
 * budget allows for another first round. */
static bool second_look_found_cold(struct race *race, const double *seconds)
{
    size_t n = 0;
    if (samples_left(race) < race->in_round + 2 * (uint64_t)race->alive)
        return false;
    for (uint32_t i = 0; i < race->in_round && n < SCRATCH; i++)
        if (is_time(seconds[i]))
            race->scratch[n++] =
                race_row(race, 0)[race_place_of(race, race->order[i])] - log(seconds[i]);
    return race->second_look && n > 0 && n >= race->candidates / COLD_PART &&
           median(race->scratch, n) > log(RACE_COLD);
}

/* All run again, as if for the first time. */
static void start_anew(struct race *race)
{
    race->rows = 0;
    race->filled = race->merged;
    race->rounds = 0;
    race->stage_used = 0;
}

void race_record(struct race *race, const double *seconds)
{
    bool any_failed = false;
    const bool cold = second_look_found_cold(race, seconds);
    if (!race->second_look)
        race_add_row(race);
    const uint32_t last = race->second_look ? 0 : race->rows - 1;
    const double weight = race->second_look ? 1 : (double)race->filled;
    for (uint32_t i = 0; i < race->in_round; i++) {
        const uint32_t id = race->order[i];
        double *at = &race_row(race, last)[race_place_of(race, id)];
        race->failed[id] = race->failed[id] || !is_time(seconds[i]);
        any_failed |= race->failed[id];
        const double value = race->failed[id] ? 0 : log(seconds[i]);
        if (race->second_look)
            *at = fmin(*at, value);
        else
            *at = weight > 1 ? *at + (value - *at) / weight : value;
    }
    race->samples += race->in_round;
    race->stage_used += race->in_round;
    race->rounds += !race->second_look;
    if (any_failed)
        drop_failed(race);
    if (race->alive == 0)
        return;
    if (cold) {
        start_anew(race);
        return;
    }
    race_fit(race);
    if (first_round_was_cold(race))
        forget_first_round(race);
    else
        drop_clearly_worse(race);
}
