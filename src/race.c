/* See race.h for the rules. */
#include "race.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <tutti/error.h>

#include "random.h"
#include "statistics.h"

#define TRIM_FAST                                                                                  \
    0.1 /* of the samples of a candidate; noise that slows down is the common kind                 \
         */
#define TRIM_SLOW 0.3
#define PAIR_TRIM 0.2 /* of paired differences, on both sides */
#define SURE      0.95

int race_init(struct race *race, uint32_t capacity, uint64_t samples)
{
    *race = (struct race){.capacity = capacity, .over = true};
    const size_t room = (size_t)samples, many = capacity;
    if (samples > SIZE_MAX / sizeof(double) / 4)
        return TUTTI_ERR_MEMORY;
    race->ids = malloc(many * sizeof *race->ids);
    race->order = malloc(many * sizeof *race->order);
    race->ranking = malloc(many * sizeof *race->ranking);
    race->counts = malloc(many * sizeof *race->counts);
    race->failed = malloc(many * sizeof *race->failed);
    race->stays = malloc(many * sizeof *race->stays);
    race->scores = malloc(many * sizeof *race->scores);
    race->logs = malloc(room * sizeof *race->logs);
    race->centres = malloc(room * sizeof *race->centres);
    race->scratch = malloc((room + many) * sizeof *race->scratch);
    if (race->ids && race->order && race->ranking && race->counts && race->failed && race->stays &&
        race->scores && race->logs && race->centres && race->scratch)
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
    race->rounds = race->stage = race->in_round = 0;
    race->samples = 0;
    race->stage_used = 0;
    race->frame = race->noise = 0;
    race->second_look = false;
    race->over = candidates == 0 || options->samples == 0;
    race->random = options->seed;
    for (uint32_t i = 0; i < candidates; i++) {
        race->ids[i] = i;
        race->scores[i] = NAN;
        race->counts[i] = 0;
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

/* Sorted values lose a part at both ends: at least one each, once there are three. */
static size_t trimmed_count(size_t n, double part)
{
    const size_t count = (size_t)((double)n * part);
    return count == 0 && n >= 3 ? 1 : count;
}

static double trimmed_mean(double *values, size_t n)
{
    const size_t fast = trimmed_count(n, TRIM_FAST), slow = trimmed_count(n, TRIM_SLOW);
    double sum = 0;
    sort_numbers(values, n);
    for (size_t i = fast; i < n - slow; i++)
        sum += values[i];
    return sum / (double)(n - fast - slow);
}

static double *row(const struct race *race, uint32_t round)
{
    return race->logs + (size_t)round * race->alive;
}

/* The place of a candidate among those alive, if it is: ids are ascending. */
static uint32_t place_of(const struct race *race, uint32_t id)
{
    uint32_t low = 0, high = race->alive;
    while (high - low > 1) {
        const uint32_t middle = low + (high - low) / 2;
        if (race->ids[middle] <= id)
            low = middle;
        else
            high = middle;
    }
    return low;
}

bool race_is_alive(const struct race *race, uint32_t id)
{
    return id != RACE_NOBODY && race->alive > 0 && race->ids[place_of(race, id)] == id;
}

/* Scores of all who are alive, from all rounds. */
static void score(struct race *race)
{
    for (uint32_t r = 0; r < race->rounds; r++) {
        memcpy(race->scratch, row(race, r), race->alive * sizeof(double));
        race->centres[r] = median(race->scratch, race->alive);
    }
    for (uint32_t i = 0; i < race->alive; i++) {
        for (uint32_t r = 0; r < race->rounds; r++)
            race->scratch[r] = row(race, r)[i] - race->centres[r];
        race->scores[race->ids[i]] = trimmed_mean(race->scratch, race->rounds) + race->frame;
        race->counts[race->ids[i]] = race->rounds;
    }
}

static double mean_score(const struct race *race)
{
    double sum = 0;
    for (uint32_t i = 0; i < race->alive; i++)
        sum += race->scores[race->ids[i]];
    return sum / race->alive;
}

/* Scores anew after a drop. The medians are of fewer now, and better ones: what that moves all
 * scores by is taken back, so that they still compare with those of who was dropped. */
static void score_after_drop(struct race *race)
{
    if (race->alive == 0)
        return;
    const double before = mean_score(race);
    score(race);
    const double moved = before - mean_score(race);
    race->frame += moved;
    for (uint32_t i = 0; i < race->alive; i++)
        race->scores[race->ids[i]] += moved;
}

/* Looks how much one sample spreads around its candidate's score, robust against wild ones. */
static void find_noise(struct race *race)
{
    size_t n = 0;
    if (race->rounds < 2 || race->alive < 2)
        return;
    for (uint32_t r = 0; r < race->rounds; r++)
        for (uint32_t i = 0; i < race->alive; i++)
            race->scratch[n++] =
                fabs(row(race, r)[i] - race->centres[r] + race->frame - race->scores[race->ids[i]]);
    /* Scores fitted to few rounds, and medians to few candidates, take up some of the spread. */
    const double rounds = race->rounds, alive = race->alive;
    race->noise = STATISTICS_NORMAL * median(race->scratch, n) *
                  sqrt(rounds / (rounds - 1) * alive / (alive - 1));
}

static double standard_error(double spread, uint32_t rounds)
{
    return spread * sqrt(2.0 / rounds);
}

/* Keeps the candidates that race->stays marks, and their columns of all rounds. */
static void keep_those_who_stay(struct race *race)
{
    const bool *stays = race->stays;
    double *to = race->logs;
    const double *from = race->logs;
    uint32_t left = 0;
    for (uint32_t r = 0; r < race->rounds; r++)
        for (uint32_t i = 0; i < race->alive; i++, from++)
            if (stays[race->ids[i]])
                *to++ = *from;
    for (uint32_t i = 0; i < race->alive; i++)
        if (stays[race->ids[i]])
            race->ids[left++] = race->ids[i];
    race->alive = left;
}

/* The candidate with the best score among those alive; the lowest, should there be several. */
static uint32_t best_alive(const struct race *race)
{
    uint32_t best = race->ids[0];
    for (uint32_t i = 1; i < race->alive; i++)
        if (race->scores[race->ids[i]] < race->scores[best])
            best = race->ids[i];
    return best;
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
static bool spare_default(const struct race *race, double best_score)
{
    const uint32_t standing = race->options.standing;
    if (standing == RACE_NOBODY || race->stays[standing] || race->failed[standing])
        return false;
    const double allowed = race->rounds < RACE_RULE_ROUNDS
                               ? log(RACE_FAR_OFF)
                               : RACE_DROP * standard_error(race->noise, race->rounds);
    return race->counts[standing] == race->rounds && race->scores[standing] - best_score <= allowed;
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

/* The cut at the end of a stage. False if a second look must come first. */
static bool cut(struct race *race)
{
    const uint32_t size = stage_size(race, race->stage + 1);
    if (size < race->alive) {
        rank_by_score(race);
        if (far_off_once(race, size))
            return false;
        for (uint32_t i = 0; i < race->alive; i++)
            race->stays[race->ranking[i].id] = i < size;
        if (spare_default(race, race->ranking[0].score)) {
            race->stays[race->ranking[size - 1].id] = false;
            race->stays[race->options.standing] = true;
        }
        keep_those_who_stay(race);
        score_after_drop(race);
    }
    race->stage++;
    race->stage_used = 0;
    return true;
}

/* The least excess over the medians of its rounds that the candidate at a place ever had. */
static double least_excess(const struct race *race, uint32_t place)
{
    double least = INFINITY;
    for (uint32_t r = 0; r < race->rounds; r++)
        least = fmin(least, row(race, r)[place] - race->centres[r]);
    return least + race->frame;
}

/* Drops those that are too many standard errors behind the best, or hopeless. */
static void drop_clearly_worse(struct race *race)
{
    if (race->options.keep_all || race->rounds < 2 || race->alive < 2)
        return;
    const double best = race->scores[best_alive(race)];
    const double allowed = race->rounds < RACE_RULE_ROUNDS
                               ? INFINITY
                               : RACE_DROP * standard_error(race->noise, race->rounds);
    bool any = false;
    for (uint32_t i = 0; i < race->alive; i++) {
        const bool stays = race->scores[race->ids[i]] - best <= allowed &&
                           least_excess(race, i) - best <= log(RACE_HOPELESS);
        race->stays[race->ids[i]] = stays;
        any |= !stays;
    }
    if (!any)
        return;
    keep_those_who_stay(race);
    score_after_drop(race);
}

/* Whether all that are left are surely as good as each other. */
static bool all_equal(const struct race *race)
{
    if (race->rounds < RACE_RULE_ROUNDS || race->options.keep_all)
        return false;
    const double best = race->scores[best_alive(race)];
    double worst = best;
    for (uint32_t i = 0; i < race->alive; i++)
        worst = fmax(worst, race->scores[race->ids[i]]);
    return worst - best + RACE_DROP * standard_error(race->noise, race->rounds) <= RACE_ZONE;
}

static void drop_failed(struct race *race)
{
    for (uint32_t i = 0; i < race->alive; i++)
        race->stays[race->ids[i]] = !race->failed[race->ids[i]];
    keep_those_who_stay(race);
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
    keep_those_who_stay(race);
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

void race_record(struct race *race, const double *seconds)
{
    const uint32_t round = race->second_look ? 0 : race->rounds;
    bool any_failed = false;
    for (uint32_t i = 0; i < race->in_round; i++) {
        const uint32_t id = race->order[i];
        double *at = &row(race, round)[place_of(race, id)];
        race->failed[id] = race->failed[id] || !is_time(seconds[i]);
        any_failed |= race->failed[id];
        const double value = race->failed[id] ? 0 : log(seconds[i]);
        *at = race->second_look && *at < value ? *at : value;
    }
    race->samples += race->in_round;
    race->stage_used += race->in_round;
    race->rounds += !race->second_look;
    if (any_failed)
        drop_failed(race);
    if (race->alive == 0)
        return;
    score(race);
    find_noise(race);
    drop_clearly_worse(race);
}

/* The trimmed mean of one candidate's lead over another in the rounds of both, and its standard
 * error from the winsorized variance. */
static double paired(struct race *race, uint32_t one, uint32_t two, double *error)
{
    const uint32_t a = place_of(race, one), b = place_of(race, two), n = race->rounds;
    const size_t trim = trimmed_count(n, PAIR_TRIM), used = n - 2 * trim;
    double *d = race->scratch, sum = 0, mean = 0, variance = 0;
    for (uint32_t r = 0; r < n; r++)
        d[r] = row(race, r)[b] - row(race, r)[a];
    sort_numbers(d, n);
    for (size_t i = trim; i < n - trim; i++)
        sum += d[i];
    for (size_t i = 0; i < n; i++) {
        d[i] = d[i < trim ? trim : i >= n - trim ? n - trim - 1 : i];
        mean += d[i] / n;
    }
    for (size_t i = 0; i < n; i++)
        variance += (d[i] - mean) * (d[i] - mean) / (n > 1 ? n - 1 : 1);
    *error = n > 1 ? sqrt(variance) * sqrt((double)n) / (double)used : INFINITY;
    return sum / (double)used;
}

/* Whether two score the same, for what it matters, the lower index wins: find it. */
static uint32_t lowest_within_zone(const struct race *race, uint32_t best)
{
    for (uint32_t i = 0; i < race->alive; i++)
        if (race->scores[race->ids[i]] - race->scores[best] <= RACE_ZONE)
            return race->ids[i];
    return best;
}

static void choose_winner(struct race *race, struct race_verdict *verdict)
{
    const uint32_t standing = race->options.standing, best = best_alive(race);
    double error;
    verdict->winner = lowest_within_zone(race, best);
    if (!race_is_alive(race, standing) || standing == verdict->winner)
        return;
    const double lead = paired(race, verdict->winner, standing, &error);
    if (lead > RACE_BEATS * error && lead > RACE_ZONE)
        return;
    verdict->winner = standing;
}

/* The best of the others: one that is alive, or else the best of those that were dropped. */
static uint32_t find_runner_up(const struct race *race, uint32_t winner)
{
    uint32_t runner_up = RACE_NOBODY;
    bool found_alive = false;
    for (uint32_t i = 0; i < race->candidates; i++) {
        const bool lives = race_is_alive(race, i);
        if (i == winner || race->failed[i] || isnan(race->scores[i]) || (found_alive && !lives))
            continue;
        const bool first = runner_up == RACE_NOBODY || (lives && !found_alive);
        if (first || race->scores[i] < race->scores[runner_up])
            runner_up = i;
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

/* How much faster than the winner a candidate that was dropped may be, for all that its rounds
 * tell. */
static double doubt(const struct race *race, uint32_t id, uint32_t winner)
{
    const double errors = sure_errors(race->candidates > 1 ? race->candidates - 1 : 1);
    return errors * standard_error(race->noise, race->counts[id]) -
           (race->scores[id] - race->scores[winner]);
}

static void compare_runner_up(struct race *race, struct race_verdict *verdict)
{
    double error;
    verdict->confidence = 0.5;
    if (verdict->runner_up == RACE_NOBODY) {
        verdict->confidence = 1;
        return;
    }
    if (race_is_alive(race, verdict->runner_up)) {
        verdict->distance = paired(race, verdict->winner, verdict->runner_up, &error);
    } else {
        verdict->distance = race->scores[verdict->runner_up] - race->scores[verdict->winner];
        error = standard_error(verdict->noise, race->counts[verdict->runner_up]);
    }
    if (error > 0)
        verdict->confidence = normal_distribution(verdict->distance / error);
    else if (verdict->distance > 0)
        verdict->confidence = 1;
    verdict->equal = verdict->confidence < SURE;
}

/* How much faster than the winner any other may be: those that are alive by their paired
 * differences, those that were dropped by their last scores. */
static double find_within(struct race *race, const struct race_verdict *verdict)
{
    const double errors = sure_errors(race->candidates > 1 ? race->candidates - 1 : 1);
    double within = 0, error;
    for (uint32_t i = 0; i < race->candidates; i++) {
        if (i == verdict->winner || race->failed[i] || isnan(race->scores[i]))
            continue;
        double bound = doubt(race, i, verdict->winner);
        if (race_is_alive(race, i)) {
            const double lead = paired(race, verdict->winner, i, &error);
            bound = errors * error - lead;
        }
        within = bound > within ? bound : within;
    }
    return within;
}

struct race_verdict race_judge(struct race *race)
{
    struct race_verdict verdict = {.winner = RACE_NOBODY, .runner_up = RACE_NOBODY};
    if (race->alive == 0 || race->rounds == 0)
        return verdict;
    choose_winner(race, &verdict);
    verdict.noise = race->noise;
    verdict.runner_up = find_runner_up(race, verdict.winner);
    compare_runner_up(race, &verdict);
    verdict.within = find_within(race, &verdict);
    return verdict;
}

double race_seconds(struct race *race, uint32_t id)
{
    if (race->rounds == 0 || race->alive == 0 || race->failed[id] || isnan(race->scores[id]))
        return 0;
    memcpy(race->scratch, race->centres, race->rounds * sizeof *race->scratch);
    return exp(median(race->scratch, race->rounds) + race->scores[id] - race->frame);
}
