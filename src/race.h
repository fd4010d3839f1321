/*
 * The race: which configurations to run next, which to drop, and which one wins. Pure decisions: no
 * clock, no group, no input or output, and no memory taken after race_init. It is deterministic
 * from its seed, so that all ranks that feed it the same reduced times decide the same.
 *
 * Rounds are blocks (Birattari, Stützle, Paquete, Varrentrapp 2002, F-Race): each runs every
 * configuration that is still alive once, in an order shuffled anew, so that drift hits all alike
 * and cancels in differences within the round. race_fit.h makes scores of the rounds. Three rules
 * drop:
 *
 *   - Sequential halving (Karnin, Koren, Somekh 2013): the budget is divided equally among stages,
 *     and after each the worse part leaves. It gives a bound on choosing wrongly for a fixed
 *     budget without knowing the noise. RACE_KEEP of a stage stays rather than a half.
 *   - From RACE_RULE_ROUNDS rounds on, one leaves whose score is more than RACE_DROP standard
 *     errors behind the best one's; the error is pooled over all that are alive. If the noise were
 *     normal and each sample for itself, that would drop an equal one with probability 3.4e-6 in
 *     one comparison; but rounds that lie close together share the weather, and 3.5 errors dropped
 *     the best one too often.
 *   - One leaves that took RACE_HOPELESS times as long as the best in every one of its runs, two or
 *     more.
 *
 * A configuration that is far off in its first run is run again before it may be dropped, and the
 * lower time counts; and if first runs took RACE_COLD times as long as second ones, the first round
 * is forgotten and all run again: first runs may have paid for page faults, connections,
 * compilation.
 *
 * The default configuration stays in the race while it is not clearly worse, and wins unless the
 * best one beats it by RACE_BEATS standard errors of their paired differences (trimmed; Yuen 1974,
 * after Tukey and McLaughlin 1963): the best of many looks better than it is. Scores that differ by
 * less than the indifference zone (as in Kim and Nelson 2001) are a tie, which the lower index
 * wins.
 */
#ifndef RACE_H
#define RACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RACE_KEEP        0.6
#define RACE_FINALISTS   2
#define RACE_RULE_ROUNDS 5
#define RACE_DROP        4.5
#define RACE_BEATS       2.5
#define RACE_ZONE        0.001 /* of the time */
#define RACE_FAR_OFF     2.0   /* times the median of the first round */
#define RACE_HOPELESS    3.0   /* times the best, in each of two or more runs */
#define RACE_COLD        1.5
#define RACE_ROWS_MOST   256 /* rounds that are kept one by one; then pairs are merged */

#define RACE_NOBODY UINT32_MAX

struct race_options {
    uint64_t seed;
    uint64_t samples;  /* the budget: runs of candidates in all rounds together */
    uint32_t standing; /* the candidate that is the default, or RACE_NOBODY */
    bool keep_all;     /* equal shares for all: nobody is dropped unless it fails */
};

/* How a race stands. Relative figures are differences of logarithms: 0.01 is 1%. */
struct race_verdict {
    uint32_t winner;    /* candidate, or RACE_NOBODY if all failed or none was run */
    uint32_t runner_up; /* the best of the others, or RACE_NOBODY */
    bool equal;         /* the runner-up can't be told from the winner at 95% */
    double distance;    /* of the runner-up's score from the winner's; may be negative if equal */
    double confidence;  /* that the winner is faster than the runner-up; 0.5 knows nothing */
    double noise;       /* the spread of one sample, as a standard deviation; 0 if unknown */
    double within;      /* the best of all candidates is at most this much faster, at 95% in all */
};

struct race_rank {
    double score;
    uint32_t id;
};

struct race {
    struct race_options options;
    uint32_t capacity, candidates;
    uint32_t alive;
    uint32_t stage;    /* how many cuts were made */
    uint64_t rounds;   /* complete ones that all who are alive took part in */
    uint64_t samples;  /* used so far */
    double stage_used; /* samples used in this stage */
    bool second_look;  /* the present round runs those again that were far off */
    bool over;
    uint64_t random; /* state of the generator */
    uint32_t *ids;   /* the candidates that are alive, ascending */
    uint32_t *order; /* of the present round: candidates */
    uint32_t in_round;

    size_t room;               /* of logs */
    double *logs;              /* [rows][alive]: logarithms of times */
    uint32_t rows;             /* each of `merged` rounds, the last one so far of `filled` */
    uint64_t merged, filled;   /* merged is a power of two */
    double *centres;           /* by row: the median over those alive that ran in all rows */
    double *scores;            /* by candidate: its last one; not a number if it has none */
    double frame;              /* added to scores, so that those from before a drop compare */
    double noise;              /* of a row's value; the last that could be told */
    uint32_t *counts;          /* by candidate: the rows behind its score */
    uint32_t *since;           /* by candidate: its first row; earlier ones are undefined */
    bool *failed;              /* by candidate */
    double *scratch;           /* for medians */
    struct race_rank *ranking; /* for cuts, best first */
    bool *stays;               /* for drops, by candidate */
};

/* Memory for races of up to so many candidates; it does not depend on their budgets.
 * TUTTI_SUCCESS or TUTTI_ERR_MEMORY. */
int race_init(struct race *race, uint32_t capacity);
void race_release(struct race *race);

/* Begins a race. candidates is at most what race_init was told. */
void race_start(struct race *race, uint32_t candidates, const struct race_options *options);

/* Who runs in this round, in order; 0 when the race is over. */
uint32_t race_round(struct race *race, const uint32_t **order);

/* What that round took, in the same order. What is not a positive finite number is a failure, and
 * that candidate is out. */
void race_record(struct race *race, const double *seconds);

/* Whether a candidate is still in the race. */
bool race_is_alive(const struct race *race, uint32_t id);

/* The verdict as things stand: a budget in seconds may end a race between any two rounds. */
struct race_verdict race_judge(struct race *race);

/* What a candidate takes in seconds, as its score and the usual round tell; 0 if it has no score.
 */
double race_seconds(struct race *race, uint32_t id);

#endif
