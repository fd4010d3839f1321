/* The landscape: the best time for each pair of values of two knobs, over all the others. */
#include <math.h>
#include <stdlib.h>

#include "frame.h"
#include "print.h"

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

char *place_text(const struct chart *chart, size_t knob, size_t place)
{
    const struct chart_knob *own = &chart->knobs[knob];
    return format("%s", place < own->nvalues ? own->values[place] : "does not count");
}

size_t count_rows(const struct plot *plot)
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
    if (mark && (width < 6 || height < 6))
        return; /* they would be fog */
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

void draw_landscape(struct frame *frame)
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
