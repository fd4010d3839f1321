/* Each configuration's samples on a line, with its time; the fastest configurations first. */
#include <math.h>

#include "frame.h"
#include "print.h"

/* By Okabe and Ito, to be told apart with any colour vision. */
static const struct colour palette[] = {{0, 0.447, 0.698},     {0.902, 0.624, 0},
                                        {0, 0.62, 0.451},      {0.8, 0.475, 0.655},
                                        {0.337, 0.706, 0.914}, {0.835, 0.369, 0}};
enum { PALETTE = sizeof palette / sizeof *palette };

struct time_axis {
    double low, high;
    bool is_log;
};

static void widen(struct time_axis *axis, double seconds)
{
    axis->low = fmin(axis->low, seconds);
    axis->high = fmax(axis->high, seconds);
}

static struct time_axis time_axis(const struct chart *chart, size_t rows)
{
    struct time_axis axis = {.low = INFINITY};
    for (size_t row = 0; row < rows; row++) {
        const tutti_trial *kept = chart_race(chart, chart->order[row]);
        widen(&axis, chart->view->trials[chart->order[row]].seconds);
        for (size_t i = 0; kept && i < kept->nsamples; i++)
            widen(&axis, kept->samples[i].seconds);
    }
    axis.is_log = axis.high > 4 * axis.low;
    const double room = axis.high > axis.low ? 0.03 * (axis.high - axis.low) : 0.1 * axis.high;
    axis.low = axis.is_log ? axis.low / 1.1 : axis.low - room;
    axis.high = axis.is_log ? axis.high * 1.1 : axis.high + room;
    return axis;
}

static double time_place(const struct frame *frame, const struct time_axis *axis, double seconds)
{
    const double share = axis->is_log ? log_share(seconds, axis->low, axis->high)
                                      : (seconds - axis->low) / (axis->high - axis->low);
    return frame->left + share * (frame->right - frame->left);
}

static void draw_time_tick(struct frame *frame, const struct time_axis *axis, double seconds)
{
    const double x = time_place(frame, axis, seconds);
    if (seconds < axis->low || seconds > axis->high)
        return;
    set_colour(frame, LIGHT);
    draw_line(frame, x, frame->top, x, frame->bottom);
    set_colour(frame, BLACK);
    write_text(frame, x, frame->bottom + 18, 0.5, seconds_text(seconds));
}

/* 1, 2 and 5 times powers of ten: all of them on a logarithmic axis, else multiples of one. */
static void draw_time_ticks(struct frame *frame, const struct time_axis *axis)
{
    static const double steps[] = {1, 2, 5};
    set_font(frame, 12, false);
    cairo_set_line_width(frame->cairo, 1);
    if (axis->is_log) {
        const bool few = axis->high > 1e3 * axis->low;
        for (double power = pow(10, floor(log10(axis->low))); power <= axis->high; power *= 10)
            for (int i = 0; i < (few ? 1 : 3); i++)
                draw_time_tick(frame, axis, power * steps[i]);
        return;
    }
    const double wanted = (axis->high - axis->low) / 6, power = pow(10, floor(log10(wanted)));
    const double step = power * (wanted <= power * 1.5   ? 1
                                 : wanted <= power * 3.5 ? 2
                                 : wanted <= power * 7.5 ? 5
                                                         : 10);
    for (double n = ceil(axis->low / step); n * step <= axis->high; n++)
        draw_time_tick(frame, axis, n * step);
}

static void draw_dot(struct frame *frame, double x, double y, int rank)
{
    const struct colour colour = palette[rank < 0 ? 0 : rank % PALETTE];
    cairo_set_source_rgba(frame->cairo, colour.red, colour.green, colour.blue, 0.65);
    cairo_arc(frame->cairo, x, y, 3.5, 0, 2 * 3.14159265358979);
    cairo_fill(frame->cairo);
}

static void draw_samples_of(struct frame *frame, const struct time_axis *axis, size_t row)
{
    const struct chart *chart = frame->plot->chart;
    const size_t trial = chart->order[row];
    const tutti_trial *kept = chart_race(chart, trial);
    const double y = row_middle(frame, row);
    const double x = time_place(frame, axis, chart->view->trials[trial].seconds);
    for (size_t i = 0; kept && i < kept->nsamples; i++)
        draw_dot(frame, time_place(frame, axis, kept->samples[i].seconds), y,
                 kept->samples[i].slowest_rank);
    if (!kept)
        draw_dot(frame, x, y, chart->view->trials[trial].rank);
    set_colour(frame, BLACK);
    cairo_set_line_width(frame->cairo, 2);
    draw_line(frame, x, y - 7, x, y + 7);
}

static void draw_rank_names(struct frame *frame)
{
    const struct view *view = frame->plot->chart->view;
    const int ranks = view->is_triton ? 0 : view->info.ranks;
    double x = MARGIN;
    set_font(frame, 12, false);
    for (int rank = 0; ranks <= PALETTE && rank < ranks; rank++) {
        char *name = format(rank ? "rank %d" : "slowest: rank %d", rank);
        const double width = text_width(frame, name);
        draw_dot(frame, x + 4, 72, rank);
        set_colour(frame, GREY);
        write_text(frame, x + 14, 76, 0, name);
        x += width + 36;
    }
}

void draw_samples(struct frame *frame)
{
    const struct chart *chart = frame->plot->chart;
    const size_t rows = shown_rows(chart);
    const struct time_axis axis = time_axis(chart, rows);
    draw_rank_names(frame);
    draw_time_ticks(frame, &axis);
    draw_row_names(frame, chart->order, rows);
    for (size_t row = 0; row < rows; row++)
        draw_samples_of(frame, &axis, row);
    draw_left_out(frame);
    draw_axis_name(frame, axis.is_log ? "time of a sample (logarithmic)" : "time of a sample");
}
