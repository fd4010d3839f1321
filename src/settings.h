/* Settings: one table (settings_table.h) from which the environment variables, the names in files,
 * their checks and their docs come. The root of a group reads them when the group is attached, and
 * broadcasts the result. */
#ifndef SETTINGS_H
#define SETTINGS_H

#include <stdint.h>
#include <stdio.h>

#include <tutti/settings.h>

#include "text.h"

enum mode {
    MODE_TUNE,       /* look up, else search and store */
    MODE_READ_ONLY,  /* look up, else search; write nothing */
    MODE_CACHE_ONLY, /* look up, else configuration 0; write nothing */
    MODE_OFF         /* configuration 0 */
};

enum on_miss { ON_MISS_DEFAULT, ON_MISS_ERROR };

#define SETTINGS_UNSET     (-1) /* an integer that nobody outside the program gives */
#define SETTINGS_PATH_SIZE 4096

/* Plain data without pointers: broadcast as bytes. */
struct settings {
    int mode;                         /* TUTTI_MODE */
    int log_level;                    /* TUTTI_LOG: enum tutti_log_level */
    int always_tune, strict;          /* booleans: TUTTI_ALWAYS_TUNE, TUTTI_STRICT */
    int policy;                       /* TUTTI_POLICY: enum tutti_policy, or SETTINGS_UNSET */
    int aggregation;                  /* TUTTI_AGGREGATION: enum tutti_aggregation, or _UNSET */
    int warmups, samples;             /* TUTTI_WARMUPS, TUTTI_SAMPLES, or SETTINGS_UNSET */
    int budget_calls, seed;           /* TUTTI_BUDGET_CALLS, or SETTINGS_UNSET; TUTTI_SEED */
    double budget_seconds, gap;       /* TUTTI_BUDGET_SECONDS, TUTTI_GAP; 0 where nothing is said */
    int stream, flush;                /* booleans: TUTTI_STREAM, TUTTI_FLUSH */
    double stall_warn, stall_timeout; /* seconds; 0 is never */
    double run_timeout;               /* TUTTI_RUN_TIMEOUT, seconds; 0 is any time */
    int retry_crashed, check;         /* booleans: TUTTI_RETRY_CRASHED, TUTTI_CHECK */
    int on_miss;                      /* TUTTI_ON_MISS: enum on_miss */
    int progress;                     /* TUTTI_PROGRESS: enum tutti_display */
    char cache_path[SETTINGS_PATH_SIZE]; /* TUTTI_CACHE_PATH */
    char cache_dir[SETTINGS_PATH_SIZE];  /* TUTTI_CACHE_DIR, absolute; "" if there is no place */
    char force[SETTINGS_PATH_SIZE];      /* TUTTI_FORCE as it was said: force.h reads it */
    char site_file[SETTINGS_PATH_SIZE];  /* TUTTI_SITE_FILE, absolute */
};

/*
 * Reads the environment, the user's file and the site's: the first that says something about a
 * setting holds. TUTTI_SUCCESS, or TUTTI_ERR_SETTING with a sentence in why for each value that is
 * refused: the variable or the file and line, the value and what is allowed; that setting keeps its
 * default. Warnings, for example about an unknown name, are added to warnings, one line each.
 */
int settings_read(struct settings *settings, struct text *why, struct text *warnings);

/* Only the environment, and only what is allowed in it: until the root's settings are here. */
void settings_read_environment(struct settings *settings);

/* The defaults, whatever anybody says. */
void settings_defaults(struct settings *settings);

/*
 * What this process's environment says, a word per setting, 0 where it says nothing: the ranks of a
 * group compare these. settings_variable is the name that belongs to an index.
 */
#define SETTINGS_COUNT 25
void settings_fingerprint(uint64_t words[SETTINGS_COUNT]);
const char *settings_variable(int index);

/* docs/settings.md: Markdown, a section per setting. */
void settings_document(FILE *stream);

#endif
