/* Settings: one table from which the environment variables, their checks and their docs come. The
 * root of a group reads them when the group is attached, and broadcasts the result. */
#ifndef SETTINGS_H
#define SETTINGS_H

#include <stdint.h>
#include <stdio.h>

#include "text.h"

enum mode {
    MODE_TUNE,       /* look up, else search and store */
    MODE_READ_ONLY,  /* look up, else search; write nothing */
    MODE_CACHE_ONLY, /* look up, else configuration 0; write nothing */
    MODE_OFF         /* configuration 0 */
};

enum on_miss { ON_MISS_DEFAULT, ON_MISS_ERROR };

enum log_level { LOG_ERROR, LOG_WARN, LOG_INFO, LOG_DEBUG };

#define SETTINGS_UNSET (-1) /* an integer that the environment does not give */

/* Plain data without pointers: broadcast as bytes. */
struct settings {
    int mode;                         /* TUTTI_MODE */
    int log_level;                    /* TUTTI_LOG */
    int always_tune, strict;          /* booleans: TUTTI_ALWAYS_TUNE, TUTTI_STRICT */
    int policy;                       /* TUTTI_POLICY: enum tutti_policy, or SETTINGS_UNSET */
    int warmups, samples;             /* TUTTI_WARMUPS, TUTTI_SAMPLES, or SETTINGS_UNSET */
    int budget_calls, seed;           /* TUTTI_BUDGET_CALLS, or SETTINGS_UNSET; TUTTI_SEED */
    double budget_seconds, gap;       /* TUTTI_BUDGET_SECONDS, TUTTI_GAP; 0 where nothing is said */
    int stream, flush;                /* booleans: TUTTI_STREAM, TUTTI_FLUSH */
    double stall_warn, stall_timeout; /* seconds; 0 is never */
    double run_timeout;               /* TUTTI_RUN_TIMEOUT, seconds; 0 is any time */
    int retry_crashed, check;         /* booleans: TUTTI_RETRY_CRASHED, TUTTI_CHECK */
    int on_miss;                      /* TUTTI_ON_MISS: enum on_miss */
    int progress;                     /* TUTTI_PROGRESS: enum tutti_display */
    char cache_path[4096];            /* TUTTI_CACHE_PATH */
    char cache_dir[4096]; /* TUTTI_CACHE_DIR as resolved; "" if there is no place for a store */
};

/*
 * Reads the environment. TUTTI_SUCCESS, or TUTTI_ERR_SETTING with a sentence in why for each value
 * that is refused: the variable, the value and what is allowed; that variable keeps its default.
 * Warnings, for example about an unknown variable whose name begins with TUTTI_, are added to
 * warnings, one line each.
 */
int settings_read(struct settings *settings, struct text *why, struct text *warnings);

/* The defaults, whatever the environment says. */
void settings_defaults(struct settings *settings);

/*
 * What this process's environment says, a word per variable, 0 where it says nothing: the ranks of
 * a group compare these. settings_variable is the name that belongs to an index.
 */
#define SETTINGS_COUNT 22
void settings_fingerprint(uint64_t words[SETTINGS_COUNT]);
const char *settings_variable(int index);

/* docs/settings.md: Markdown, a section per variable. */
void settings_document(FILE *stream);

#endif
