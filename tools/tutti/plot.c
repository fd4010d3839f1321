/* A single plot as a picture, drawn by cairo: for a paper or a ticket, where there is no browser.
 * It shows what the page shows, in the same colours, on white. */
#include <cairo-svg.h>
#include <math.h>
#include <stdlib.h>

#include "frame.h"
#include "print.h"

enum { LEFT = 110, LEFT_MOST = 320 }; /* room for the names of rows */

/* One pixel of a PNG is half a unit: pictures are looked at on dense screens. */
#define PNG_SCALE 2

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
