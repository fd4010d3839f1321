/* A record as its plots need it: knobs with the values that occur, and which of them each
 * configuration has. */
#ifndef CHART_H
#define CHART_H

#include <stdbool.h>
#include <stddef.h>

#include "view.h"

struct chart_knob {
    char *name;
    char **values; /* as texts fit for a terminal, in the order of the space */
    size_t nvalues;
};

struct chart {
    const struct view *view;
    struct chart_knob *knobs;
    size_t nknobs;
    int *places; /* ntrials x nknobs: which value; -1 where the knob does not count */
    size_t
        *order; /* positions of the trials: the measured ones, the fastest first; then the rest */
    size_t nmeasured;
    size_t across, up; /* the two knobs that matter most; the same if there is only one */
};

struct chart *chart_new(const struct view *view); /* borrows the view */
void chart_release(struct chart *chart);

/* The knob of a name; false if there is none. */
bool chart_find(const struct chart *chart, const char *name, size_t *knob);

/* What a race kept of a configuration; NULL if there is nothing. */
const tutti_trial *chart_race(const struct chart *chart, size_t trial);

/* Rounds of the race, 0 if there was none. */
uint64_t chart_rounds(const struct chart *chart);

/* A cell of the landscape: the best of all configurations with these two values. */
struct chart_cell {
    size_t tried;  /* that ran */
    size_t failed; /* of these without a time */
    double best;   /* seconds; 0 if none has a time */
    bool has_winner;
};

/* columns: one for each value of across, and one more for "does not count"; rows likewise for up,
 * or one if both are the same knob. A new array, row by row. */
struct chart_cell *chart_landscape(const struct chart *chart, size_t across, size_t up);

#endif
