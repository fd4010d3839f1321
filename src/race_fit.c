/* See race_fit.h. */
#include "race_fit.h"

#include <math.h>
#include <string.h>

#include "statistics.h"

#define TRIM_FAST 0.1 /* of a candidate's samples; noise that slows down is the common kind */
#define TRIM_SLOW 0.3
#define PAIR_TRIM 0.2  /* of paired differences, on both sides */
#define ENOUGH    4096 /* values tell a median */

double *race_row(const struct race *race, uint32_t row)
{
    return race->logs + (size_t)row * race->alive;
}

uint32_t race_place_of(const struct race *race, uint32_t id)
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
    return id != RACE_NOBODY && race->alive > 0 && race->ids[race_place_of(race, id)] == id;
}

static uint32_t rows_that_fit(const struct race *race, uint32_t alive)
{
    const size_t fit = race->room / alive;
    return fit < RACE_ROWS_MOST ? (uint32_t)fit : RACE_ROWS_MOST;
}

/* Each two rows become one, their mean; of an odd number the first one goes. */
static void merge_rows(struct race *race)
{
    if (race->rows % 2 == 1)
        race_forget_first_row(race);
    for (uint32_t r = 0; r < race->rows / 2; r++)
        for (uint32_t i = 0; i < race->alive; i++)
            race_row(race, r)[i] = 0.5 * (race_row(race, 2 * r)[i] + race_row(race, 2 * r + 1)[i]);
    for (uint32_t i = 0; i < race->alive; i++)
        race->since[race->ids[i]] = (race->since[race->ids[i]] + 1) / 2;
    race->rows /= 2;
    race->merged *= 2;
    race->filled = race->merged;
}

void race_add_row(struct race *race)
{
    if (race->filled == race->merged) {
        if (race->rows + 1 > rows_that_fit(race, race->alive))
            merge_rows(race);
        race->rows++;
        race->filled = 0;
    }
    race->filled++;
}

void race_forget_first_row(struct race *race)
{
    race->rows--;
    memmove(race->logs, race_row(race, 1), (size_t)race->rows * race->alive * sizeof(double));
    for (uint32_t i = 0; i < race->alive; i++)
        race->since[race->ids[i]] -= race->since[race->ids[i]] > 0;
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

static double centre_of(struct race *race, uint32_t row)
{
    const uint32_t step = 1 + race->alive / ENOUGH;
    size_t n = 0;
    for (uint32_t i = 0; i < race->alive; i += step)
        if (race->since[race->ids[i]] == 0)
            race->scratch[n++] = race_row(race, row)[i];
    return n > 0 ? median(race->scratch, n) : 0;
}

static void score(struct race *race, uint32_t place)
{
    const uint32_t id = race->ids[place];
    size_t n = 0;
    for (uint32_t r = race->since[id]; r < race->rows; r++)
        race->scratch[n++] = race_row(race, r)[place] - race->centres[r];
    race->counts[id] = (uint32_t)n;
    race->scores[id] = n > 0 ? trimmed_mean(race->scratch, n) + race->frame : NAN;
}

static void score_all(struct race *race)
{
    for (uint32_t r = 0; r < race->rows; r++)
        race->centres[r] = centre_of(race, r);
    for (uint32_t i = 0; i < race->alive; i++)
        score(race, i);
}

/* Looks how much one sample spreads around its candidate's score, robust against wild ones. Scores
 * fitted to few rows, and medians to few candidates, take up some of the spread. */
static void find_noise(struct race *race)
{
    const uint32_t step = 1 + (uint32_t)((size_t)race->rows * race->alive / ENOUGH);
    size_t n = 0, at = 0;
    if (race->rows < 2 || race->alive < 2)
        return;
    for (uint32_t r = 0; r < race->rows; r++)
        for (uint32_t i = 0; i < race->alive; i++) {
            const uint32_t id = race->ids[i];
            if (race->since[id] > r || race->counts[id] < 2 || at++ % step != 0)
                continue;
            const double off =
                race_row(race, r)[i] - race->centres[r] + race->frame - race->scores[id];
            race->scratch[n++] = fabs(off) * sqrt(race->counts[id] / (race->counts[id] - 1.0));
        }
    if (n > 0)
        race->noise =
            STATISTICS_NORMAL * median(race->scratch, n) * sqrt(race->alive / (race->alive - 1.0));
}

void race_fit(struct race *race)
{
    if (race->alive == 0)
        return;
    score_all(race);
    find_noise(race);
}

static double mean_score(const struct race *race)
{
    double sum = 0;
    uint32_t n = 0;
    for (uint32_t i = 0; i < race->alive; i++) {
        const uint32_t id = race->ids[i];
        if (race->since[id] > 0 || isnan(race->scores[id]))
            continue;
        sum += race->scores[id];
        n++;
    }
    return n > 0 ? sum / n : 0;
}

/* All that are left came back: what was before them has no median any more. */
static void forget_rows_of_nobody(struct race *race)
{
    uint32_t first = UINT32_MAX;
    for (uint32_t i = 0; i < race->alive; i++)
        if (race->since[race->ids[i]] < first)
            first = race->since[race->ids[i]];
    for (; first > 0 && race->rows > 1; first--)
        race_forget_first_row(race);
}

static void compact(struct race *race)
{
    double *to = race->logs;
    const double *from = race->logs;
    uint32_t left = 0;
    for (uint32_t r = 0; r < race->rows; r++)
        for (uint32_t i = 0; i < race->alive; i++, from++)
            if (race->stays[race->ids[i]])
                *to++ = *from;
    for (uint32_t i = 0; i < race->alive; i++)
        if (race->stays[race->ids[i]])
            race->ids[left++] = race->ids[i];
    race->alive = left;
}

/* The medians are of fewer after a drop, and better ones: what that moves all scores by is taken
 * back. */
void race_keep_those_who_stay(struct race *race)
{
    compact(race);
    if (race->alive == 0 || race->rows == 0)
        return;
    forget_rows_of_nobody(race);
    const double before = mean_score(race);
    score_all(race);
    const double moved = before - mean_score(race);
    race->frame += moved;
    for (uint32_t i = 0; i < race->alive; i++)
        race->scores[race->ids[i]] += moved;
}

void race_bring_back(struct race *race)
{
    uint32_t alive = race->alive;
    for (uint32_t i = 0; i < race->alive; i++)
        race->stays[race->ids[i]] = false;
    for (uint32_t id = 0; id < race->candidates; id++)
        alive += race->stays[id];
    while (race->rows > rows_that_fit(race, alive))
        race_forget_first_row(race);
    race->filled = race->merged;
    for (uint32_t id = 0; id < race->candidates; id++)
        if (race->stays[id]) {
            race->since[id] = race->rows;
            race->counts[id] = 0;
            race->scores[id] = NAN;
        }
    /* From the last row and the last place on, since rows become longer where they lie. */
    for (uint32_t r = race->rows; r > 0; r--) {
        uint32_t old = race->alive, place = alive;
        for (uint32_t id = race->candidates; id > 0 && place > 0; id--) {
            const bool was = old > 0 && race->ids[old - 1] == id - 1;
            if (was)
                race->logs[(size_t)(r - 1) * alive + --place] =
                    race->logs[(size_t)(r - 1) * race->alive + --old];
            else if (race->stays[id - 1])
                race->logs[(size_t)(r - 1) * alive + --place] = 0;
        }
    }
    for (uint32_t i = 0; i < race->alive; i++)
        race->stays[race->ids[i]] = true;
    race->alive = 0;
    for (uint32_t id = 0; id < race->candidates; id++)
        if (race->stays[id])
            race->ids[race->alive++] = id;
}

double race_bound(const struct race *race, uint32_t id)
{
    return race->scores[id] + race->noise / sqrt(race->counts[id]);
}

double race_error(const struct race *race, uint32_t one, uint32_t two)
{
    if (race->counts[one] == 0 || race->counts[two] == 0 || race->rounds < 2)
        return INFINITY;
    return race->noise * sqrt(1.0 / race->counts[one] + 1.0 / race->counts[two]);
}

double race_least(const struct race *race, uint32_t id)
{
    const uint32_t place = race_place_of(race, id);
    double least = INFINITY;
    for (uint32_t r = race->since[id]; r < race->rows; r++)
        least = fmin(least, race_row(race, r)[place] - race->centres[r]);
    return least + race->frame;
}

double race_most(const struct race *race, uint32_t id)
{
    const uint32_t place = race_place_of(race, id);
    double most = -INFINITY;
    for (uint32_t r = race->since[id]; r < race->rows; r++)
        most = fmax(most, race_row(race, r)[place] - race->centres[r]);
    return most + race->frame;
}

double race_paired(struct race *race, uint32_t one, uint32_t two, double *error)
{
    const uint32_t a = race_place_of(race, one), b = race_place_of(race, two);
    const uint32_t from = race->since[one] > race->since[two] ? race->since[one] : race->since[two];
    double *d = race->scratch, sum = 0, mean = 0, variance = 0;
    const size_t n = race->rows > from ? race->rows - from : 0;
    *error = INFINITY;
    if (n == 0)
        return 0;
    for (size_t r = 0; r < n; r++) {
        const double *logs = race_row(race, from + (uint32_t)r);
        d[r] = logs[b] - logs[a];
    }
    const size_t trim = trimmed_count(n, PAIR_TRIM), used = n - 2 * trim;
    sort_numbers(d, n);
    for (size_t i = trim; i < n - trim; i++)
        sum += d[i];
    for (size_t i = 0; i < n; i++) {
        d[i] = d[i < trim ? trim : i >= n - trim ? n - trim - 1 : i];
        mean += d[i] / (double)n;
    }
    for (size_t i = 0; i < n; i++)
        variance += (d[i] - mean) * (d[i] - mean) / (double)(n > 1 ? n - 1 : 1);
    if (n > 1)
        *error = sqrt(variance) * sqrt((double)n) / (double)used;
    return sum / (double)used;
}

uint32_t race_best(const struct race *race)
{
    uint32_t best = RACE_NOBODY;
    for (uint32_t i = 0; i < race->alive; i++) {
        const uint32_t id = race->ids[i];
        if (!isnan(race->scores[id]) &&
            (best == RACE_NOBODY || race->scores[id] < race->scores[best]))
            best = id;
    }
    return best;
}
