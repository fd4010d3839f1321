/*
 * What rounds tell of the candidates in a race: scores, their noise, and differences within rounds.
 *
 * A score is the trimmed mean, over the candidate's rounds, of log(time / median of the round). The
 * median is over those alive that ran in all rounds; after a drop those of all rounds are taken
 * anew. Of long races, two rounds after the other become one row, so that memory is bounded.
 */
#ifndef RACE_FIT_H
#define RACE_FIT_H

#include "race.h"

double *race_row(const struct race *race, uint32_t row);

/* The place of a candidate that is alive among those that are. */
uint32_t race_place_of(const struct race *race, uint32_t id);

/* Makes room for the times of a round: the last row is for them. */
void race_add_row(struct race *race);

/* Scores, counts and noise from all rows. */
void race_fit(struct race *race);

/* Keeps the candidates that race->stays marks, and their columns. Scores stay comparable with those
 * of who was dropped. */
void race_keep_those_who_stay(struct race *race);

/* Gives the candidates that race->stays marks a column, too: they run from the next row on. */
void race_bring_back(struct race *race);

/* Forgets the first of two or more rows. */
void race_forget_first_row(struct race *race);

/* A score that the candidate is likely no worse than: one of few samples may owe it to luck. */
double race_bound(const struct race *race, uint32_t id);

/* Of the difference of two scores; infinite while the noise is unknown. */
double race_error(const struct race *race, uint32_t one, uint32_t two);

/* The least and the most that a candidate that is alive ever took over the medians of its rounds.
 */
double race_least(const struct race *race, uint32_t id);
double race_most(const struct race *race, uint32_t id);

/* How far one candidate that is alive leads another in the rounds of both (trimmed mean), and the
 * standard error of that (from the winsorized variance); infinite if they met less than twice. */
double race_paired(struct race *race, uint32_t one, uint32_t two, double *error);

/* The best score among those alive; the lowest candidate, should there be several. */
uint32_t race_best(const struct race *race);

#endif
