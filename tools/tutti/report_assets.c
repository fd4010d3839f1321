/* See report_assets.h. The assembler puts the files in as they are: C11 has no #embed. */
#include "report_assets.h"

#define ASSET(name, file)                                                                          \
    __asm__(".section .rodata\n" #name ":\n.incbin \"" TUTTI_REPORT_FOLDER "/" file "\"\n" #name   \
            "_end:\n.previous\n");                                                                 \
    extern const char name[], name##_end[]

ASSET(tutti_report_style, "page.css");
ASSET(tutti_report_d3, "vendor/d3.min.js");
ASSET(tutti_report_plot, "vendor/plot.umd.min.js");
ASSET(tutti_report_page, "page.js");
ASSET(tutti_report_licences, "vendor/LICENSES");

static struct asset between(const char *from, const char *end)
{
    return (struct asset){.bytes = from, .length = (size_t)(end - from)};
}

struct asset asset_style(void)
{
    return between(tutti_report_style, tutti_report_style_end);
}

struct asset asset_licences(void)
{
    return between(tutti_report_licences, tutti_report_licences_end);
}

void asset_scripts(struct asset scripts[ASSET_SCRIPTS])
{
    scripts[0] = between(tutti_report_d3, tutti_report_d3_end);
    scripts[1] = between(tutti_report_plot, tutti_report_plot_end);
    scripts[2] = between(tutti_report_page, tutti_report_page_end);
}
