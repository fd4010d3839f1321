/* What tutti doctor found: a line each, with advice where there is any. */
#ifndef FINDINGS_H
#define FINDINGS_H

#include <stdbool.h>

#include <tutti/export.h>

enum finding_level {
    FINDING_OK,
    FINDING_NOTE, /* could not be seen, or does not matter here */
    FINDING_WARN, /* would disturb a tuning */
    FINDING_FAIL  /* would defeat it */
};

struct findings;

struct findings *findings_new(void);
/* advice: NULL, or what to do about it. */
void findings_add(struct findings *findings, int level, const char *what, const char *advice,
                  const char *format, ...) TUTTI_PRINTF(5, 6);
/* Prints all and frees them; true if nothing was worse than a note. */
bool findings_tell(struct findings *findings, bool json);
void findings_release(struct findings *findings);

#endif
