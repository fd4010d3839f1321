/* What the pictures of tutti report are drawn with: a frame, colours, texts, rows. By cairo. */
#ifndef FRAME_H
#define FRAME_H

#include <cairo.h>

#include "report.h"

enum {
    WIDTH = 960,
    MARGIN = 20,
    TOP = 112,   /* title, key and legend */
    BOTTOM = 56, /* the axis */
    ROW = 20,
    ROWS_MOST = 40 /* of samples and races: the fastest */
};

struct frame {
    cairo_t *cairo;
    const struct plot *plot;
    double left, right, top, bottom; /* of what is inside the axes */
};

struct colour {
    double red, green, blue;
};

extern const struct colour BLACK, GREY, LIGHT, WHITE;

void set_colour(struct frame *frame, struct colour colour);
void set_font(struct frame *frame, double size, bool bold);
void fill_box(struct frame *frame, double x, double y, double width, double height);
void draw_line(struct frame *frame, double x1, double y1, double x2, double y2);

/* Cividis (Nunez, Anderton and Renslow 2018) at nine places: 0 is its bright end, 1 the dark one.
 */
struct colour heat(double share);
/* Where a value is between two, by its logarithm. */
double log_share(double value, double low, double high);

double text_width(struct frame *frame, const char *text);
/* align: 0 begins at x, 0.5 is centred, 1 ends there. Takes the text. */
void write_text(struct frame *frame, double x, double y, double align, char *text);
/* Cut where it would be wider, at the end of a character. Takes the text, returns a new one. */
char *fitted(struct frame *frame, char *text, double most);

/* Function, key and group. */
void draw_title(struct frame *frame);
/* The legend of what heat shows; takes low and high. */
void draw_scale(struct frame *frame, const char *what, char *low, char *high);
void draw_axis_name(struct frame *frame, const char *name);

/* Rows with a configuration each: how many, what they are called, where. */
size_t shown_rows(const struct chart *chart);
char *row_text(const struct chart *chart, size_t trial);
double row_middle(const struct frame *frame, size_t row);
void draw_row_names(struct frame *frame, const size_t *trials, size_t count);
/* How many configurations have no row. */
void draw_left_out(struct frame *frame);

/* The plots: plot_landscape.c, plot_samples.c, plot_race.c. */
void draw_landscape(struct frame *frame);
void draw_samples(struct frame *frame);
void draw_race(struct frame *frame);

/* Rows of the landscape, and what they are called. */
size_t count_rows(const struct plot *plot);
char *place_text(const struct chart *chart, size_t knob, size_t place);

#endif
