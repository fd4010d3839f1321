/* See frame.h. */
#include "frame.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "print.h"

#define FONT "sans-serif"

/* ---- colours and texts ---- */

const struct colour BLACK = {0.1, 0.12, 0.14}, GREY = {0.4, 0.44, 0.48}, LIGHT = {0.85, 0.87, 0.89},
                    WHITE = {1, 1, 1};

void set_colour(struct frame *frame, struct colour colour)
{
    cairo_set_source_rgb(frame->cairo, colour.red, colour.green, colour.blue);
}

struct colour heat(double share)
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

double log_share(double value, double low, double high)
{
    return high > low ? log(value / low) / log(high / low) : 0;
}

double text_width(struct frame *frame, const char *text)
{
    cairo_text_extents_t extents;
    cairo_text_extents(frame->cairo, text, &extents);
    return extents.x_advance;
}

void write_text(struct frame *frame, double x, double y, double align, char *text)
{
    cairo_move_to(frame->cairo, x - align * text_width(frame, text), y);
    cairo_show_text(frame->cairo, text);
    free(text);
}

char *fitted(struct frame *frame, char *text, double most)
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

void set_font(struct frame *frame, double size, bool bold)
{
    cairo_select_font_face(frame->cairo, FONT, CAIRO_FONT_SLANT_NORMAL,
                           bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
    cairo_set_font_size(frame->cairo, size);
}

void fill_box(struct frame *frame, double x, double y, double width, double height)
{
    cairo_rectangle(frame->cairo, x, y, width, height);
    cairo_fill(frame->cairo);
}

void draw_line(struct frame *frame, double x1, double y1, double x2, double y2)
{
    cairo_move_to(frame->cairo, x1, y1);
    cairo_line_to(frame->cairo, x2, y2);
    cairo_stroke(frame->cairo);
}

/* ---- what all plots have ---- */

void draw_title(struct frame *frame)
{
    const struct view *view = frame->plot->chart->view;
    set_font(frame, 17, true);
    set_colour(frame, BLACK);
    write_text(frame, MARGIN, 30, 0, fitted(frame, printable(view->function), WIDTH - 2 * MARGIN));
    set_font(frame, 12, false);
    set_colour(frame, GREY);
    char *key = view_key_text(view);
    char *line = view->is_triton
                     ? format("%s", key)
                     : format("%s%s%d rank%s, %s", key, *key ? "; " : "", view->info.ranks,
                              view->info.ranks == 1 ? "" : "s", view->info.group);
    write_text(frame, MARGIN, 50, 0, fitted(frame, line, WIDTH - 2 * MARGIN));
    free(key);
}

void draw_scale(struct frame *frame, const char *what, char *low, char *high)
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

void draw_axis_name(struct frame *frame, const char *name)
{
    set_font(frame, 12, false);
    set_colour(frame, GREY);
    write_text(frame, (frame->left + frame->right) / 2, frame->bottom + 42, 0.5,
               format("%s", name));
}

/* ---- rows: a configuration each ---- */

char *row_text(const struct chart *chart, size_t trial)
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

double row_middle(const struct frame *frame, size_t row)
{
    return frame->top + ROW * ((double)row + 0.5);
}

void draw_row_names(struct frame *frame, const size_t *trials, size_t count)
{
    set_font(frame, 12, false);
    set_colour(frame, BLACK);
    for (size_t row = 0; row < count; row++)
        write_text(
            frame, frame->left - 10, row_middle(frame, row) + 4, 1,
            fitted(frame, row_text(frame->plot->chart, trials[row]), frame->left - MARGIN - 10));
}

size_t shown_rows(const struct chart *chart)
{
    return chart->nmeasured < ROWS_MOST ? chart->nmeasured : ROWS_MOST;
}

void draw_left_out(struct frame *frame)
{
    const struct chart *chart = frame->plot->chart;
    const size_t left_out = chart->nmeasured - shown_rows(chart);
    set_font(frame, 12, false);
    set_colour(frame, GREY);
    if (left_out)
        write_text(frame, MARGIN, frame->bottom + 42, 0,
                   format("%zu others are not shown", left_out));
}
