/* In place of plot.c where there is no cairo. */
#include "print.h"
#include "report.h"

char *plot_draw(const struct plot *plot, bool is_svg, size_t *length, char **why)
{
    (void)plot;
    (void)is_svg;
    *length = 0;
    *why =
        format("this tutti was built without cairo, which draws pictures; --output writes a page "
               "without it");
    return NULL;
}
