/*
 * A launcher for tests, on a simulated clock: what a run costs, and whether it fails, is set by the
 * test, so that no test depends on real time. Its calls are counted and its configurations noted.
 */
#ifndef SUBJECT_H
#define SUBJECT_H

#include <stdbool.h>
#include <stdint.h>

#include <tutti/tutti.h>

struct subject_config {
    int block; /* 16, 32, 64 */
    int depth; /* 1, 2 */
};

#define SUBJECT_SPACE 6 /* configurations: 16,1  16,2  32,1  32,2  64,1  64,2 */

/* Handed to the tuner as user. All 0 is a launcher that succeeds, at 1 second a run. */
struct subject {
    double now;                      /* the simulated clock, in seconds */
    double seconds[SUBJECT_SPACE];   /* what a run of each configuration costs; 0: 1 second */
    int fail_status[SUBJECT_SPACE];  /* what run returns, if not 0 ... */
    int fail_purpose[SUBJECT_SPACE]; /* ... for this purpose only; 0: for all */
    bool pruned[SUBJECT_SPACE];      /* removed on this rank */
    int key_status;                  /* what the key callback returns */
    int runs, runs_by_purpose[4];    /* how often it ran */
    int last_block, last_depth;      /* what it ran with last */
    uint64_t last_index;
    int (*inside)(struct subject *subject, void *args, const tutti_context *context);
    void *inside_user; /* for inside, which runs in every run if it is not NULL */
};

struct subject_args {
    int64_t rows;
    const char *dtype;
};

extern const tutti_param subject_params[2];
extern const tutti_timer_ops subject_timer;

int subject_run(void *args, const void *config, const tutti_context *context);
uint64_t subject_index(const struct subject_config *config);

/* A description with all of the above, for a test to change before it creates the tuner. */
tutti_tuner_desc subject_desc(const char *name, struct subject *subject);

/* Makes an empty directory and makes it TUTTI_CACHE_DIR; clears the other variables that a user's
 * environment may hold. Every process calls it with the same path, or with its own. */
void subject_use_store(const char *directory);

/* A new empty directory below TMPDIR; the same one for all ranks is the caller's matter. */
void subject_make_directory(char path[256]);
void subject_remove_directory(const char *path);

/* How many files a directory tree has, and the path of the one that comes first (may be NULL). */
int subject_count_files(const char *directory, char first[512]);

#endif
