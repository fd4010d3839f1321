/*
 * Tuners: a launcher with its space of configurations, tuned per key and group.
 *
 *     tutti_tuner *tuner;
 *     tutti_tuner_create(&(tutti_tuner_desc){.size = sizeof(tutti_tuner_desc), ...}, &tuner);
 *     tutti_call(tuner, &args, group, NULL);    the first call tunes, or reads the record; all run
 *
 * A tuner may serve several groups, also from several threads at once (one thread per group); it
 * holds no lock while a callback runs.
 */
#ifndef TUTTI_TUNER_H
#define TUTTI_TUNER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tutti/error.h>
#include <tutti/export.h>
#include <tutti/group.h>
#include <tutti/key.h>
#include <tutti/param.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tutti_tuner tutti_tuner;

/* Why a launcher is being run. */
enum tutti_purpose {
    TUTTI_PURPOSE_WARMUP = 1, /* in a search, not timed */
    TUTTI_PURPOSE_SAMPLE = 2, /* in a search, timed */
    TUTTI_PURPOSE_FINAL = 3   /* the run whose outputs the caller of tutti_call gets */
};

/* What a launcher is told about its run. Valid during the run. */
typedef struct tutti_context {
    tutti_group *group;     /* the group that calls */
    void *user;             /* tutti_tuner_desc.user */
    uint64_t configuration; /* index in the space */
    int purpose;            /* enum tutti_purpose */
} tutti_context;

/*
 * The callbacks. args is what tutti_call was given; config points to a filled struct of the user's
 * own type (config_size bytes, bytes outside the table's fields are zero). All are called on every
 * rank of the group, with the same sequence of configurations.
 *
 * tutti_key_fn adds the fields of the key. Returns 0, or anything else for an error, which becomes
 * TUTTI_ERR_KEY on every rank. Called on every tutti_call: keep it short.
 *
 * tutti_prune_fn returns true to keep a configuration. A configuration is tried if all ranks keep
 * it. Not called on a hit.
 *
 * tutti_run_fn calls the launcher and returns 0 once its work is done (for a device timer: once it
 * is enqueued), or the launcher's own non-zero status. In a search a rank whose run failed goes on
 * calling run with the others until they agree that the configuration failed.
 */
typedef int (*tutti_key_fn)(tutti_key *key, const void *args, void *user);
typedef bool (*tutti_prune_fn)(const void *config, const void *args, void *user);
typedef int (*tutti_run_fn)(void *args, const void *config, const tutti_context *context);

/* The bytes that one configuration needs, for tutti_max_size. Local. */
typedef size_t (*tutti_size_fn)(const void *config, const void *args, void *user);

/*
 * A timer: how the core measures a region of runs. Without one it reads the monotonic clock.
 * start marks the begin of a region; stop waits until the region's work is complete on this rank
 * and stores its duration in seconds. Both return 0, or anything else for an error.
 */
typedef struct tutti_timer_ops {
    size_t size;      /* sizeof(tutti_timer_ops) */
    const char *name; /* static storage; goes into records */
    int (*start)(void *self);
    int (*stop)(void *self, double *seconds);
} tutti_timer_ops;

/* What became of one configuration in a search. */
enum tutti_status {
    TUTTI_STATUS_OK = 1,     /* measured */
    TUTTI_STATUS_PRUNED = 2, /* removed by prune on some rank; never run */
    TUTTI_STATUS_FAILED = 3  /* a run, or its timing, failed on some rank */
};

/* The status as a word, "ok", "pruned", ...; static storage. Local. */
TUTTI_API const char *tutti_status_name(int status);

/* One step of a search, as shown to the user while it goes on. Valid during the callback. */
typedef struct tutti_progress {
    const char *function;      /* tutti_tuner_desc.name */
    const char *configuration; /* "comm_block_s=32, comm_block_d=64" */
    const char *reason;        /* why it failed; "" otherwise */
    uint64_t done, total;      /* configurations that were tried, and will have been */
    double seconds;            /* the slowest rank's time per run */
    double best_seconds;       /* the least of these so far; 0 before the first success */
    int status;                /* enum tutti_status */
} tutti_progress;

/* Called on the group's root only, outside timed regions. */
typedef void (*tutti_progress_fn)(const tutti_progress *progress, void *user);

/*
 * A ready-made tutti_progress_fn: a bar that redraws itself on a terminal, elsewhere a line per
 * configuration, "[i/n] configuration  time". stream is a FILE *; NULL means stderr. Local.
 */
TUTTI_API void tutti_progress_print(const tutti_progress *progress, void *stream);

enum tutti_when_pruned {
    TUTTI_PRUNED_USE_DEFAULT = 0, /* none survives pruning: run configuration 0, with a warning */
    TUTTI_PRUNED_ERROR = 1        /* none survives pruning: TUTTI_ERR_PRUNED */
};

#define TUTTI_NO_WARMUP (-1) /* for tutti_tuner_desc.warmups */

/* Everything is copied at creation, except what user, timer and progress pointers point to. */
typedef struct tutti_tuner_desc {
    size_t size;           /* sizeof(tutti_tuner_desc) */
    const char *name;      /* of the function; UTF-8; the same on all ranks, as all below */
    const char *version;   /* of the function, part of a record's identity; NULL is "" */
    const char *source_id; /* TUTTI_SOURCE_ID, a hash of the launcher's source; NULL is "" */

    const tutti_param *params; /* the first parameter varies slowest */
    size_t nparams;
    size_t config_size; /* sizeof the user's configuration struct */
    const void *customary; /* optional: the configuration that the launcher uses when nobody tunes;
                              in the space; reported beside the winner */

    tutti_key_fn key;     /* NULL: every call is the same problem */
    tutti_prune_fn prune; /* NULL keeps all */
    tutti_run_fn run;
    void *user; /* handed to the callbacks */

    int warmups;     /* untimed runs of each configuration; 0: 5; TUTTI_NO_WARMUP: none */
    int samples;     /* timed runs, back to back, of each configuration; 0: 10 */
    int when_pruned; /* enum tutti_when_pruned */

    const tutti_timer_ops *timer; /* NULL: the monotonic clock */
    void *timer_self;

    tutti_progress_fn progress; /* NULL: silent */
    void *progress_user;

    char *message; /* optional buffer of the caller's: why the creation failed */
    size_t message_size;
} tutti_tuner_desc;

/*
 * Makes a tuner. Local; every rank makes its own from an equal description (calls compare them).
 * On failure *tuner is NULL. Errors: TUTTI_ERR_ARGUMENT, TUTTI_ERR_SPACE (no parameter, a parameter
 * without values, a name or a value twice, NaN, a field outside the struct, more than 1,048,576
 * configurations), TUTTI_ERR_MEMORY.
 */
TUTTI_API int tutti_tuner_create(const tutti_tuner_desc *desc, tutti_tuner **tuner);

/* Frees a tuner and all that its functions returned. Local. No call may be going on. NULL is fine. */
TUTTI_API void tutti_tuner_destroy(tutti_tuner *tuner);

typedef struct tutti_call_options {
    size_t size;          /* sizeof(tutti_call_options) */
    bool autotune_off;    /* neither search nor look up: run configuration 0; on all ranks alike */
    int *launcher_status; /* if not NULL: what run returned last, on this rank */
} tutti_call_options;

/*
 * Runs the launcher with the best configuration for args on this group, and finds that one first if
 * need be. Collective over the group unless every rank knows the key already, which they do once
 * they have called together; then it is local: the key is built and looked up in memory, without
 * communication, allocation, lock or system call.
 *
 * options may be NULL. Returns what the ranks agreed on, the same everywhere, while tuning;
 * TUTTI_ERR_RUN if the launcher failed (on a hit: on this rank). tutti_message() has the sentence.
 */
TUTTI_API int tutti_call(tutti_tuner *tuner, void *args, tutti_group *group,
                         const tutti_call_options *options);

/* The sentence that belongs to the last error of a call on this tuner and group; "" if none. Local;
 * valid until the next call on both. */
TUTTI_API const char *tutti_message(tutti_tuner *tuner, tutti_group *group);

/*
 * The chosen configuration for args, config_size bytes owned by the tuner, or NULL if this group
 * has not called with such args. Local.
 */
TUTTI_API const void *tutti_best(tutti_tuner *tuner, const void *args, tutti_group *group);

/* A launch with everything decided. Plain data, valid as long as tuner and group. */
typedef struct tutti_bound {
    tutti_run_fn run;
    const void *config;
    tutti_context context;
} tutti_bound;

/*
 * Binds the configuration known for args, for loops that launch one problem many times. Local.
 * Errors: TUTTI_ERR_MISS if this group has not called with such args, TUTTI_ERR_KEY.
 */
TUTTI_API int tutti_bind(tutti_tuner *tuner, const void *args, tutti_group *group,
                         tutti_bound *bound);

/* Runs a bound launch. args must have the key that it was bound for. Returns run's own status. */
static inline int tutti_bound_launch(const tutti_bound *bound, void *args)
{
    return bound->run(args, bound->config, &bound->context);
}

/*
 * The greatest size(config) over the configurations that a call with args could run: those that
 * survive pruning, configuration 0, and a recorded one; and over the ranks. For memory that is
 * allocated once, before the call. Collective. Returns as tutti_call does.
 */
TUTTI_API int tutti_max_size(tutti_tuner *tuner, const void *args, tutti_group *group,
                             tutti_size_fn size, size_t *bytes);

/* Where a choice came from. */
enum tutti_source {
    TUTTI_SOURCE_SEARCH = 1,         /* measured in this process */
    TUTTI_SOURCE_RECORD = 2,         /* read from the store */
    TUTTI_SOURCE_DEFAULT_OFF = 3,    /* configuration 0: tuning is off */
    TUTTI_SOURCE_DEFAULT_PRUNED = 4, /* configuration 0: none survived pruning */
    TUTTI_SOURCE_DEFAULT_MISS = 5    /* configuration 0: no record, and searching is off */
};

/* The source as a word, "search", "record", ...; static storage. Local. */
TUTTI_API const char *tutti_source_name(int source);

/* One configuration in a report. */
typedef struct tutti_trial {
    int status;         /* enum tutti_status */
    int slowest_rank;   /* of an ok one; for a failed one the first rank that failed; else -1 */
    double seconds;     /* the slowest rank's mean time per run, if ok; else 0 */
    const char *reason; /* why it failed; "" otherwise */
} tutti_trial;

typedef struct tutti_report {
    int source;             /* enum tutti_source */
    uint64_t configuration; /* index of the chosen one */
    const void *config;     /* the chosen one */
    double seconds;         /* its time in the search; 0 if it was never measured */

    /* The search behind the choice, also when it came from a record. */
    size_t ntrials;             /* the size of the space, or 0 without a search */
    const tutti_trial *trials;  /* by index of the configuration */
    int64_t customary;          /* index of the customary configuration, -1 if none was named */
    int warmups, samples;       /* per configuration */
    double search_seconds;      /* wall time of the search, apart from any steady state */
    uint64_t search_calls;      /* launcher calls on each rank */
    uint64_t search_operations; /* group operations of the search */

    double cold_seconds;       /* what this process spent before the launcher could run */
    uint64_t cold_operations;  /* group operations of that */
    const char *record;        /* path of the record that was read or written; "" if none */
} tutti_report;

/*
 * What is known for args: pointers stay valid as long as the tuner. Local. Errors: TUTTI_ERR_MISS
 * if this group has not called with such args, TUTTI_ERR_KEY.
 */
TUTTI_API int tutti_report_get(tutti_tuner *tuner, const void *args, tutti_group *group,
                               tutti_report *report);

/* The number of configurations. Local. */
TUTTI_API uint64_t tutti_space_size(const tutti_tuner *tuner);

/* Fills config (config_size bytes) with a configuration. Local. Errors: TUTTI_ERR_ARGUMENT. */
TUTTI_API int tutti_configuration(const tutti_tuner *tuner, uint64_t index, void *config);

/*
 * Writes a configuration as text, "comm_block_s=32, comm_block_d=64", always terminated, cut to
 * size bytes. Returns the length that the whole text has, as snprintf does. Local.
 */
TUTTI_API size_t tutti_configuration_text(const tutti_tuner *tuner, uint64_t index, char *text,
                                          size_t size);

#ifdef __cplusplus
}
#endif
#endif
