/* tutti report's parts: the page, and a single plot without a browser. */
#ifndef REPORT_H
#define REPORT_H

#include <stdbool.h>
#include <stddef.h>

#include "chart.h"
#include "find.h"

/* The page, as the bytes of one HTML file that needs nothing else; a new string. */
char *report_page(const struct found *found, size_t *length);

enum plot_kind { PLOT_LANDSCAPE, PLOT_SAMPLES, PLOT_RACE };

struct plot {
    const struct chart *chart;
    int kind;          /* enum plot_kind */
    size_t across, up; /* knobs, for the landscape */
};

/* A plot as the bytes of an SVG or a PNG file, a new string; NULL with a sentence, a new string, if
 * it can't be drawn, such as when tutti was built without cairo. */
char *plot_draw(const struct plot *plot, bool is_svg, size_t *length, char **why);

#endif
