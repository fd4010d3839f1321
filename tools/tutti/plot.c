/* A single plot as a picture, drawn by cairo: for a paper or a ticket, where there is no browser.
 * It shows what the page shows, in the same colours, on white. */
#include <cairo-svg.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "print.h"
#include "report.h"

enum {
    WIDTH = 960,
    MARGIN = 20,
    TOP = 112,   /* title, key and legend */
    BOTTOM = 56, /* the axis */
    LEFT = 110,  /* names of values and configurations, at least and at most */
    LEFT_MOST = 320,
    ROW = 20,
    ROWS_MOST = 40 /* of samples and races: the fastest */
};

#define FONT "sans-serif"

/* One pixel of a PNG is half a unit: pictures are looked at on dense screens. */
#define PNG_SCALE 2

struct frame {
    cairo_t *cairo;
    const struct plot *plot;
    double left, right, top, bottom; /* of what is inside the axes */
};

/* ---- colours and texts ---- */

struct colour {
    double red, green, blue;
};

static const struct colour BLACK = {0.1, 0.12, 0.14}, GREY = {0.4, 0.44, 0.48},
                           LIGHT = {0.85, 0.87, 0.89}, WHITE = {1, 1, 1};

/* By Okabe and Ito, to be told apart with any colour vision. */
static const struct colour palette[] = {{0, 0.447, 0.698},     {0.902, 0.624, 0},
                                        {0, 0.62, 0.451},      {0.8, 0.475, 0.655},
                                        {0.337, 0.706, 0.914}, {0.835, 0.369, 0}};
enum { PALETTE = sizeof palette / sizeof *palette };

static void set_colour(struct frame *frame, struct colour colour)
{
    cairo_set_source_rgb(frame->cairo, colour.red, colour.green, colour.blue);
}

/* Cividis (Nunez, Anderton and Renslow 2018) at nine places, from its bright end on. */
static struct colour heat(double share)
{
    static const unsigned stops[] = {0xFDEA45, 0xE2CB5C, 0xBBAF71, 0x9A9478, 0x7F7C75,
                                     0x62646F, 0x3C4D6E, 0x11366C, 0x002051};
    const double at = fmin(fmax(share, 0), 1) * 8;
    const int from = at >= 8 ? 7 : (int)at;
    const double part = at - from;
    double mixed[3];
    for (int i = 0; i < 3; i++) {
        const unsigned shift = 16 - 8 * (unsigned)i;
        const double a = stops[from] >> shift & 255, b = stops[from + 1] >> shift & 255;
        mixed[i] = (a + part * (b - a)) / 255;
    }
    return (struct colour){mixed[0], mixed[1], mixed[2]};
}

/* Where a time is between two, by its logarithm. */
static double log_share(double value, double low, double high)
{
    return high > low ? log(value / low) / log(high / low) : 0;
}

static double text_width(struct frame *frame, const char *text)
{
    cairo_text_extents_t extents;
    cairo_text_extents(frame->cairo, text, &extents);
    return extents.x_advance;
}

/* align: 0 begins at x, 0.5 is centred, 1 ends there. Takes the text. */
static void write_text(struct frame *frame, double x, double y, double align, char *text)
{
    cairo_move_to(frame->cairo, x - align * text_width(frame, text), y);
    cairo_show_text(frame->cairo, text);
    free(text);
}

/* Cut where it would be wider, at the end of a character. Takes the text. */
static char *fitted(struct frame *frame, char *text, double most)
{
    size_t length = strlen(text);
    if (text_width(frame, text) <= most)
        return text;
    char *cut = need(strdup(text));
    while (length) {
        while (length && (text[--length] & 0xC0) == 0x80)
            continue;
        free(cut);
        cut = format("%.*s...", (int)length, text);
        if (text_width(frame, cut) <= most)
            break;
    }
    free(text);
    return cut;
}

static void set_font(struct frame *frame, double size, bool bold)
{
    cairo_select_font_face(frame->cairo, FONT, CAIRO_FONT_SLANT_NORMAL,
                           bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
    cairo_set_font_size(frame->cairo, size);
}

static void fill_box(struct frame *frame, double x, double y, double width, double height)
{
    cairo_rectangle(frame->cairo, x, y, width, height);
    cairo_fill(frame->cairo);
}

static void draw_line(struct frame *frame, double x1, double y1, double x2, double y2)
{
    cairo_move_to(frame->cairo, x1, y1);
    cairo_line_to(frame->cairo, x2, y2);
    cairo_stroke(frame->cairo);
}

/* ---- what all plots have ---- */

static void draw_title(struct frame *frame)
{
    const struct view *view = frame->plot->chart->view;
    set_font(frame, 17, true);
    set_colour(frame, BLACK);
    write_text(frame, MARGIN, 30, 0, fitted(frame, printable(view->function), WIDTH - 2 * MARGIN));
    set_font(frame, 12, false);
    set_colour(frame, GREY);
    char *key = view_key_text(view);
    char *line = view->is_triton ? format("%s", key)
                                 : format("%s; %d rank%s, %s", key, view->info.ranks,
                                          view->info.ranks == 1 ? "" : "s", view->info.group);
    write_text(frame, MARGIN, 50, 0, fitted(frame, line, WIDTH - 2 * MARGIN));
    free(key);
}

/* Takes the texts. */
static void draw_scale(struct frame *frame, const char *what, char *low, char *high)
{
    const double y = 64, width = 160;
    set_font(frame, 12, false);
    set_colour(frame, GREY);
    const double from = MARGIN + text_width(frame, what) + 10;
    write_text(frame, MARGIN, y + 11, 0, format("%s", what));
    const double start = from + text_width(frame, low) + 6;
    write_text(frame, from, y + 11, 0, low);
    for (int i = 0; i < (int)width; i++) {
        set_colour(frame, heat(i / width));
        fill_box(frame, start + i, y, 1.2, 14);
    }
    set_colour(frame, GREY);
    write_text(frame, start + width + 6, y + 11, 0, high);
}

static void draw_axis_name(struct frame *frame, const char *name)
{
    set_font(frame, 12, false);
    set_colour(frame, GREY);
    write_text(frame, (frame->left + frame->right) / 2, frame->bottom + 42, 0.5,
               format("%s", name));
}

/* ---- the landscape ---- */

static bool has_uncounted(const struct chart *chart, size_t knob)
{
    for (size_t i = 0; i < chart->view->ntrials; i++)
        if (chart->places[i * chart->nknobs + knob] < 0)
            return true;
    return false;
}

static size_t count_places(const struct chart *chart, size_t knob)
{
    return chart->knobs[knob].nvalues + has_uncounted(chart, knob);
}

static char *place_text(const struct chart *chart, size_t knob, size_t place)
{
    const struct chart_knob *own = &chart->knobs[knob];
    return format("%s", place < own->nvalues ? own->values[place] : "does not count");
}

static size_t count_rows(const struct plot *plot)
{
    return plot->across == plot->up ? 1 : count_places(plot->chart, plot->up);
}

/* The measured trials' extremes among the cells. */
static void find_range(const struct chart_cell *cells, size_t count, double *low, double *high)
{
    *low = INFINITY;
    *high = 0;
    for (size_t i = 0; i < count; i++) {
        if (!(cells[i].best > 0))
            continue;
        *low = fmin(*low, cells[i].best);
        *high = fmax(*high, cells[i].best);
    }
}

static void draw_cell(struct frame *frame, const struct chart_cell *cell, double share, double x,
                      double y, double width, double height)
{
    const char *mark = cell->best > 0 ? NULL : cell->tried ? "\xC3\x97" : "\xC2\xB7";
    const double middle = y + height / 2 + 4;
    if (mark) {
        set_colour(frame, GREY);
        write_text(frame, x + width / 2, middle, 0.5, format("%s", mark));
        return;
    }
    set_colour(frame, heat(share));
    fill_box(frame, x + 0.5, y + 0.5, width - 1, height - 1);
    if (cell->has_winner) {
        set_colour(frame, BLACK);
        cairo_set_line_width(frame->cairo, 2.5);
        cairo_rectangle(frame->cairo, x + 1, y + 1, width - 2, height - 2);
        cairo_stroke(frame->cairo);
    }
    set_colour(frame, share > 0.5 ? WHITE : BLACK);
    if (width >= 60 && height >= 16)
        write_text(frame, x + width / 2, middle, 0.5, seconds_text(cell->best));
}

/* As many labels as there is room for. */
static void draw_places(struct frame *frame, size_t columns, size_t rows, double width,
                        double height)
{
    const struct plot *plot = frame->plot;
    const size_t x_step = (size_t)ceil(48 / width), y_step = (size_t)ceil(16 / height);
    set_font(frame, 12, false);
    set_colour(frame, BLACK);
    for (size_t x = 0; x < columns; x += x_step)
        write_text(
            frame, frame->left + ((double)x + 0.5) * width, frame->bottom + 18, 0.5,
            fitted(frame, place_text(plot->chart, plot->across, x), width * (double)x_step - 6));
    if (plot->across == plot->up)
        return;
    for (size_t y = 0; y < rows; y += y_step)
        write_text(frame, frame->left - 8, frame->top + ((double)y + 0.5) * height + 4, 1,
                   fitted(frame, place_text(plot->chart, plot->up, y), frame->left - MARGIN - 8));
    set_colour(frame, GREY);
    write_text(
        frame, frame->left - 8, frame->top - 6, 1,
        fitted(frame, format("%s", plot->chart->knobs[plot->up].name), frame->left - MARGIN - 8));
}

static void draw_landscape(struct frame *frame)
{
    const struct plot *plot = frame->plot;
    const size_t columns = count_places(plot->chart, plot->across), rows = count_rows(plot);
    const size_t stride = plot->chart->knobs[plot->across].nvalues + 1;
    struct chart_cell *cells = chart_landscape(plot->chart, plot->across, plot->up);
    const double width = (frame->right - frame->left) / (double)columns;
    const double height = (frame->bottom - frame->top) / (double)rows;
    double low, high;
    find_range(cells,
               stride * (plot->across == plot->up ? 1 : plot->chart->knobs[plot->up].nvalues + 1),
               &low, &high);
    draw_scale(frame, "best time", seconds_text(low), seconds_text(high));
    set_font(frame, 12, false);
    for (size_t y = 0; y < rows; y++)
        for (size_t x = 0; x < columns; x++)
            draw_cell(
                frame, &cells[y * stride + x], log_share(cells[y * stride + x].best, low, high),
                frame->left + (double)x * width, frame->top + (double)y * height, width, height);
    draw_places(frame, columns, rows, width, height);
    draw_axis_name(frame, plot->chart->knobs[plot->across].name);
    free(cells);
}

/* ---- rows: a configuration each ---- */

static char *row_text(const struct chart *chart, size_t trial)
{
    const int *places = &chart->places[trial * chart->nknobs];
    char *text = format("#%llu ", (unsigned long long)chart->view->trials[trial].index);
    for (size_t k = 0; k < chart->nknobs; k++) {
        char *longer = format("%s%s%s", text, k ? ", " : " ",
                              places[k] < 0 ? "-" : chart->knobs[k].values[places[k]]);
        free(text);
        text = longer;
    }
    return text;
}

static double row_middle(const struct frame *frame, size_t row)
{
    return frame->top + ROW * ((double)row + 0.5);
}

static void draw_row_names(struct frame *frame, const size_t *trials, size_t count)
{
    set_font(frame, 12, false);
    set_colour(frame, BLACK);
    for (size_t row = 0; row < count; row++)
        write_text(
            frame, frame->left - 10, row_middle(frame, row) + 4, 1,
            fitted(frame, row_text(frame->plot->chart, trials[row]), frame->left - MARGIN - 10));
}

static size_t shown_rows(const struct chart *chart)
{
    return chart->nmeasured < ROWS_MOST ? chart->nmeasured : ROWS_MOST;
}

static void draw_left_out(struct frame *frame)
{
    const struct chart *chart = frame->plot->chart;
    const size_t left_out = chart->nmeasured - shown_rows(chart);
    set_font(frame, 12, false);
    set_colour(frame, GREY);
    if (left_out)
        write_text(frame, frame->left - 10, frame->bottom + 18, 1,
                   format("and %zu slower ones", left_out));
}

/* ---- samples ---- */

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

static void draw_samples(struct frame *frame)
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

/* ---- the race ---- */

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

static void draw_race(struct frame *frame)
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

/* ---- the picture ---- */

static double plot_height(const struct plot *plot)
{
    const size_t rows = plot->kind == PLOT_LANDSCAPE ? count_rows(plot) : shown_rows(plot->chart);
    const double row = plot->kind == PLOT_LANDSCAPE ? fmin(44, fmax(4, 640.0 / (double)rows)) : ROW;
    return fmin(TOP + BOTTOM + row * (double)rows, 8000);
}

/* Room for the names of the rows. */
static double left_margin(struct frame *frame)
{
    const struct plot *plot = frame->plot;
    const bool is_landscape = plot->kind == PLOT_LANDSCAPE;
    const size_t rows = is_landscape ? count_rows(plot) : shown_rows(plot->chart);
    double widest = is_landscape ? text_width(frame, plot->chart->knobs[plot->up].name) : 0;
    set_font(frame, 12, false);
    for (size_t row = 0; row < rows; row++) {
        char *name = is_landscape ? place_text(plot->chart, plot->up, row)
                                  : row_text(plot->chart, plot->chart->order[row]);
        widest = fmax(widest, text_width(frame, name));
        free(name);
    }
    return fmin(fmax(MARGIN + 10 + widest, LEFT), LEFT_MOST);
}

static void draw(cairo_t *cairo, const struct plot *plot, double height)
{
    static void (*const draws[])(struct frame *) = {
        [PLOT_LANDSCAPE] = draw_landscape, [PLOT_SAMPLES] = draw_samples, [PLOT_RACE] = draw_race};
    struct frame frame = {.cairo = cairo,
                          .plot = plot,
                          .right = WIDTH - MARGIN - 14,
                          .top = TOP,
                          .bottom = height - BOTTOM};
    set_colour(&frame, WHITE);
    cairo_paint(cairo);
    draw_title(&frame);
    frame.left = left_margin(&frame);
    draws[plot->kind](&frame);
}

static cairo_status_t keep(void *stream, const unsigned char *bytes, unsigned length)
{
    return fwrite(bytes, 1, length, stream) == length ? CAIRO_STATUS_SUCCESS
                                                      : CAIRO_STATUS_WRITE_ERROR;
}

static cairo_status_t write_surface(const struct plot *plot, bool is_svg, FILE *stream)
{
    const double height = plot_height(plot), scale = is_svg ? 1 : PNG_SCALE;
    cairo_surface_t *surface =
        is_svg ? cairo_svg_surface_create_for_stream(keep, stream, WIDTH, height)
               : cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int)(WIDTH * scale),
                                            (int)(height * scale));
    cairo_t *cairo = cairo_create(surface);
    cairo_scale(cairo, scale, scale);
    draw(cairo, plot, height);
    cairo_status_t status = cairo_status(cairo);
    if (status == CAIRO_STATUS_SUCCESS && !is_svg)
        status = cairo_surface_write_to_png_stream(surface, keep, stream);
    cairo_destroy(cairo);
    cairo_surface_finish(surface);
    if (status == CAIRO_STATUS_SUCCESS)
        status = cairo_surface_status(surface);
    cairo_surface_destroy(surface);
    return status;
}

char *plot_draw(const struct plot *plot, bool is_svg, size_t *length, char **why)
{
    char *bytes = NULL;
    FILE *stream = need(open_memstream(&bytes, length));
    const cairo_status_t status = write_surface(plot, is_svg, stream);
    const bool good = fclose(stream) == 0;
    if (status == CAIRO_STATUS_SUCCESS && good)
        return need(bytes);
    *why = format("cairo: %s", cairo_status_to_string(status));
    free(bytes);
    return NULL;
}
