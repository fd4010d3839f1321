/* What the page is made of beside the records: files of tools/tutti/report, as bytes in the
 * program. */
#ifndef REPORT_ASSETS_H
#define REPORT_ASSETS_H

#include <stddef.h>

struct asset {
    const char *bytes; /* not terminated */
    size_t length;
};

struct asset asset_style(void);
struct asset asset_licences(void); /* of the scripts that others wrote */

enum { ASSET_SCRIPTS = 3 };

/* The scripts in their order. The page's policy names the hash of each (TUTTI_REPORT_HASHES), so
 * that a browser runs nothing else. */
void asset_scripts(struct asset scripts[ASSET_SCRIPTS]);

#endif
