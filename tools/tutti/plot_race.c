/* The race: which configuration ran in which round, how it did there, and when it dropped out. */
#include <math.h>
#include <stdlib.h>

#include "frame.h"
#include "print.h"

/* The fastest sample of each round, from 1; a new array. */
static double *fastest_of_rounds(const struct chart *chart)
{
    const uint64_t rounds = chart_rounds(chart);
    double *fastest = need(calloc(rounds + 1, sizeof *fastest));
    for (size_t i = 0; i < chart->view->ntrials; i++) {
        const tutti_trial *kept = chart_race(chart, i);
        for (size_t s = 0; kept && s < kept->nsamples; s++) {
            const tutti_sample *sample = &kept->samples[s];
            if (sample->round <= rounds &&
                (!(fastest[sample->round] > 0) || sample->seconds < fastest[sample->round]))
                fastest[sample->round] = sample->seconds;
        }
    }
    return fastest;
}

static double round_edge(const struct frame *frame, double round)
{
    const double rounds = (double)chart_rounds(frame->plot->chart);
    return frame->left + (round - 1) / rounds * (frame->right - frame->left);
}

static void draw_run(struct frame *frame, const double *fastest, size_t trial, size_t row)
{
    const tutti_trial *kept = chart_race(frame->plot->chart, trial);
    const uint64_t rounds = chart_rounds(frame->plot->chart);
    if (!kept)
        return;
    const double last = (double)(kept->dropped ? kept->dropped : rounds);
    const double y = row_middle(frame, row), width = round_edge(frame, 2) - round_edge(frame, 1);
    set_colour(frame, GREY);
    cairo_set_line_width(frame->cairo, 1);
    draw_line(frame, frame->left, y, round_edge(frame, last + 1), y);
    for (size_t i = 0; i < kept->nsamples; i++) {
        const tutti_sample *sample = &kept->samples[i];
        if (sample->round > rounds)
            continue;
        set_colour(frame, heat(log_share(sample->seconds / fastest[sample->round], 1, 2)));
        fill_box(frame, round_edge(frame, sample->round) + 0.5, y - 8, fmax(width - 1, 0.5), 16);
    }
    set_colour(frame, BLACK);
    if (kept->dropped)
        write_text(frame, round_edge(frame, last + 1) + 4, y + 4, 0, format("\xC3\x97"));
}

static void draw_rounds(struct frame *frame)
{
    const uint64_t rounds = chart_rounds(frame->plot->chart), step = rounds < 20 ? 1 : rounds / 10;
    set_font(frame, 12, false);
    set_colour(frame, BLACK);
    for (uint64_t round = 1; round <= rounds; round += step)
        write_text(frame, round_edge(frame, (double)round + 0.5), frame->bottom + 18, 0.5,
                   format("%llu", (unsigned long long)round));
}

struct runner {
    size_t trial, rank; /* rank: by time */
    uint64_t last;
};

static int by_last_round(const void *a, const void *b)
{
    const struct runner *x = a, *y = b;
    const int order = (x->last < y->last) - (x->last > y->last);
    return order ? order : (x->rank > y->rank) - (x->rank < y->rank);
}

/* Those that stayed longest first; a new array of trials. */
static size_t *race_order(const struct chart *chart)
{
    struct runner *runners = need(calloc(chart->nmeasured + 1, sizeof *runners));
    size_t *trials = need(calloc(chart->nmeasured + 1, sizeof *trials));
    for (size_t i = 0; i < chart->nmeasured; i++) {
        const tutti_trial *kept = chart_race(chart, chart->order[i]);
        runners[i] = (struct runner){.trial = chart->order[i], .rank = i};
        runners[i].last = !kept ? 0 : kept->dropped ? kept->dropped : chart_rounds(chart);
    }
    qsort(runners, chart->nmeasured, sizeof *runners, by_last_round);
    for (size_t i = 0; i < chart->nmeasured; i++)
        trials[i] = runners[i].trial;
    free(runners);
    return trials;
}

void draw_race(struct frame *frame)
{
    const struct chart *chart = frame->plot->chart;
    const size_t rows = shown_rows(chart);
    size_t *trials = race_order(chart);
    double *fastest = fastest_of_rounds(chart);
    draw_scale(frame, "time over the fastest of the round", format("1x"), format("2x or more"));
    draw_row_names(frame, trials, rows);
    for (size_t row = 0; row < rows; row++)
        draw_run(frame, fastest, trials[row], row);
    draw_rounds(frame);
    draw_left_out(frame);
    draw_axis_name(frame, "round");
    free(trials);
    free(fastest);
}
