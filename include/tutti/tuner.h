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

#include <tutti/buffers.h>
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
    char *message;          /* where a callback that fails may say why: kept apart from tutti's own
                               words, and shown in reasons. NULL on hits. */
    size_t message_size;    /* bytes at message */
    void **slot;            /* a place for one pointer of the launcher's own, NULL at first: what
                               prepare stores here is found here by all that follow for the same
                               configuration */
    void *stream;           /* tutti_call_options.stream; NULL when the tuner is destroyed */
} tutti_context;

/* What a verify callback finds. Anything else is taken for TUTTI_VERDICT_REFERENCE_FAILED. */
enum tutti_verdict {
    TUTTI_VERDICT_OK = 0,
    TUTTI_VERDICT_WRONG = 1,           /* the outputs are wrong: the configuration never wins */
    TUTTI_VERDICT_REFERENCE_FAILED = 2 /* they can't be judged: the search ends with that error */
};

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
 * tutti_constraint_fn returns true to keep a configuration whatever the arguments are: what it
 * removes is not part of the space at all. Called by tutti_tuner_create only, once for each
 * configuration that the parameters allow.
 *
 * tutti_run_fn calls the launcher and returns 0 once its work is done (for a device timer: once it
 * is enqueued), or the launcher's own non-zero status. In a search a rank whose run failed goes on
 * calling run with the others until they agree that the configuration failed. A launcher that
 * communicates must do so on all ranks or on none, also where it fails: a rank that returns before
 * its collective leaves the others inside, where only TUTTI_STALL_TIMEOUT, TUTTI_RUN_TIMEOUT and
 * on_stall help.
 */
/*
 * The rest is optional, and but for prepare and release called in searches only. For each
 * configuration: prepare, then for each run reset and run, after the first run verify, at the end
 * release. Buffers that are declared are poisoned and restored before each reset.
 *
 * tutti_setup_fn and tutti_teardown_fn frame a search: what all configurations need. setup returns
 * 0, or its own status, which is then TUTTI_ERR_RUN on every rank. teardown is called where
 * setup returned 0.
 *
 * tutti_prepare_fn acquires what one configuration needs, and returns 0, or its own status to
 * refuse it; then it runs on no rank. tutti_release_fn gives it back on every rank where prepare
 * returned 0. The chosen configuration is prepared again, outside searches too, and stays so for
 * the hits; it is released by tutti_forget with args NULL, and by tutti_tuner_destroy with
 * context->group NULL, too.
 *
 * tutti_reset_fn undoes what repetition did: inputs that were changed, state that must be as at
 * first; and, unless they are declared, poisons outputs so that verify sees what the run wrote. Not
 * timed; with it, as with declared buffers, runs are timed one by one. Also called before the final
 * run of a call that searched. Returns 0, or its own status, which fails the configuration.
 *
 * tutti_verify_fn judges the outputs of the run before it. It may communicate within the group: it
 * is called on every rank, also where the run failed. Returns an enum tutti_verdict.
 */
typedef int (*tutti_key_fn)(tutti_key *key, const void *args, void *user);
typedef bool (*tutti_prune_fn)(const void *config, const void *args, void *user);
typedef bool (*tutti_constraint_fn)(const void *config, void *user);
typedef int (*tutti_run_fn)(void *args, const void *config, const tutti_context *context);
typedef int (*tutti_setup_fn)(void *args, const tutti_context *context);
typedef void (*tutti_teardown_fn)(void *args, const tutti_context *context);
typedef int (*tutti_prepare_fn)(void *args, const void *config, const tutti_context *context);
typedef void (*tutti_release_fn)(void *args, const void *config, const tutti_context *context);
typedef int (*tutti_reset_fn)(void *args, const void *config, const tutti_context *context);
typedef int (*tutti_verify_fn)(void *args, const void *config, const tutti_context *context);

/*
 * Told once when a rank did not come in time (TUTTI_STALL_TIMEOUT), or when a launcher does not
 * return (TUTTI_RUN_TIMEOUT; then from the watchdog's thread, while the launcher is still inside).
 * The library never ends the process; this callback may. message is valid during the call.
 */
typedef void (*tutti_stall_fn)(const char *message, void *user);

/* The bytes that one configuration needs, for tutti_max_size. Local. */
typedef size_t (*tutti_size_fn)(const void *config, const void *args, void *user);

/* What the functions of a timer return. Anything else is an error, of whatever was being timed. */
enum tutti_timer_status {
    TUTTI_TIMER_OK = 0,
    TUTTI_TIMER_BUSY = -1001, /* begin only: nothing can be timed now, but later */
    TUTTI_TIMER_LOST = -1002  /* the device is lost: nothing runs on it in this process any more */
};

/* What a timer describes. */
enum tutti_timer_text {
    TUTTI_TIMER_HARDWARE = 1,    /* lines "name = value" for the identity of records */
    TUTTI_TIMER_ENVIRONMENT = 2, /* the same for their environment, which is only warned about */
    TUTTI_TIMER_ERROR = 3        /* why its last function failed, or could not begin */
};

/*
 * A timer: how the core measures a region of runs. Without one it reads the monotonic clock.
 *
 * start marks the begin of a region; stop waits until the region's work is complete on this rank
 * and stores its duration in seconds. TUTTI_TIMER_LOST from stop says that the region's runs cost
 * the device: the search ends on all ranks with TUTTI_ERR_DEVICE, the configuration is noted as
 * crashed, and the next start does not run it again. From start, that the device was lost before:
 * the search ends, and the configuration is only suspect: the next start tries it once more.
 *
 * The rest is optional, NULL where there is nothing to do, and the same on all ranks:
 *
 * begin is called on every rank before a search, with tutti_call_options.stream. TUTTI_TIMER_BUSY
 * on any rank: none of them searches in this call, which runs configuration 0 or fails, as
 * TUTTI_ON_MISS says; a later call searches. In a search also after each prepare, where
 * TUTTI_TIMER_LOST says that this has cost the device, and nothing else matters.
 *
 * flush overwrites the caches that the launcher's data may be in, and returns once that is done. In
 * place of the core's own, which knows the processor's caches only.
 *
 * describe returns text (enum tutti_timer_text) that stays valid until the timer's next function,
 * or NULL for none. UTF-8. The first two are asked of the group's root only.
 */
typedef struct tutti_timer_ops {
    size_t size;      /* sizeof(tutti_timer_ops) */
    const char *name; /* static storage; goes into records */
    int (*start)(void *self);
    int (*stop)(void *self, double *seconds);
    int (*begin)(void *self, void *stream);
    int (*flush)(void *self);
    const char *(*describe)(void *self, int what);
} tutti_timer_ops;

/* What became of one configuration in a search. */
enum tutti_status {
    TUTTI_STATUS_OK = 1,      /* measured */
    TUTTI_STATUS_PRUNED = 2,  /* removed by prune on some rank; never run */
    TUTTI_STATUS_FAILED = 3,  /* a run, or its timing, failed on some rank */
    TUTTI_STATUS_NOT_RUN = 4, /* the policy or its budget did not come to it */
    TUTTI_STATUS_WRONG = 5,   /* its outputs failed verification on some rank */
    TUTTI_STATUS_SLOW = 6,    /* dropped after two runs, which took too long to be worth more */
    TUTTI_STATUS_TIMEOUT = 7, /* it did not return in an earlier search: not run again */
    TUTTI_STATUS_CRASHED = 8  /* it cost the device, or two earlier searches ended while it was
                                 running: not run again */
};

/* The status as a word, "ok", "pruned", ...; static storage. Local. */
TUTTI_API const char *tutti_status_name(int status);

/* What TUTTI_PROGRESS asks of a display. */
enum tutti_display {
    TUTTI_DISPLAY_AUTO = 0, /* a bar if the stream is a terminal */
    TUTTI_DISPLAY_BAR = 1,
    TUTTI_DISPLAY_LINES = 2
};

/* One step of a search, as shown to the user while it goes on. Valid during the callback. */
typedef struct tutti_progress {
    const char *function;      /* tutti_tuner_desc.name */
    const char *configuration; /* "comm_block_s=32, comm_block_d=64" */
    const char *reason;        /* why it failed; "" otherwise */
    uint64_t done, total;      /* configurations tried, and in all; in later rounds: samples */
    double seconds;            /* the slowest rank's time per run */
    double best_seconds;       /* the least of these so far; 0 before the first success */
    int status;                /* enum tutti_status */
    int display;               /* enum tutti_display */

    /* Only under a racing policy, which shows every round, and in it the best one so far: */
    uint64_t rounds;            /* so far; 0 under the exhaustive policy */
    uint64_t alive, candidates; /* still in the race, and at its start */
    double seconds_left;        /* an estimate */
} tutti_progress;

/* Called on the group's root only, outside timed regions. */
typedef void (*tutti_progress_fn)(const tutti_progress *progress, void *user);

/*
 * A ready-made tutti_progress_fn: a bar that redraws itself on a terminal, or as display says;
 * elsewhere a line per configuration, "[i/n] configuration  time". stream is a FILE *; NULL means
 * stderr. Local.
 */
TUTTI_API void tutti_progress_print(const tutti_progress *progress, void *stream);

enum tutti_when_pruned {
    TUTTI_PRUNED_USE_DEFAULT = 0, /* none survives pruning: run configuration 0, with a warning */
    TUTTI_PRUNED_ERROR = 1        /* none survives pruning: TUTTI_ERR_PRUNED */
};

/* A hash of the launcher's source, which the CMake function tutti_source_id defines; with another
 * build, define it on the command line, or an edited launcher keeps its old records. */
#ifndef TUTTI_SOURCE_ID
#define TUTTI_SOURCE_ID ""
#endif

#define TUTTI_NO_WARMUP (-1) /* for tutti_tuner_desc.warmups */

/*
 * How a search chooses what to run; docs/measuring.md compares them. The strategies after
 * race are for spaces too large to try everything.
 */
enum tutti_policy {
    TUTTI_POLICY_DEFAULT = 0,    /* race */
    TUTTI_POLICY_EXHAUSTIVE = 1, /* warm-ups and samples of each, one after another; least mean */
    TUTTI_POLICY_RACE = 2,       /* rounds over all; those that are worse drop out */
    TUTTI_POLICY_RANDOM = 3,     /* a random sample, equal shares of the budget for all */
    TUTTI_POLICY_NEIGHBOURHOOD = 4, /* from the customary one: races against its neighbours */
    TUTTI_POLICY_HALVING = 5        /* a race over a random sample */
};

/*
 * How the times of a configuration's runs on all ranks become one time, within a policy;
 * docs/measuring.md has the case in which they differ.
 */
enum tutti_aggregation {
    TUTTI_AGGREGATION_DEFAULT = 0, /* means under the exhaustive policy, rounds under the others */
    TUTTI_AGGREGATION_MEANS = 1,   /* each rank's mean; then the maximum over the ranks */
    TUTTI_AGGREGATION_ROUNDS = 2   /* the maximum over the ranks in each round; then the statistic
                                      over the rounds */
};

/* The policy as a word, "exhaustive", "race", ...; static storage. Local. */
TUTTI_API const char *tutti_policy_name(int policy);

/* Everything is copied at creation, except what user, timer and progress pointers point to. */
typedef struct tutti_tuner_desc {
    size_t size;           /* sizeof(tutti_tuner_desc) */
    const char *name;      /* of the function; UTF-8; the same on all ranks, as all below */
    const char *version;   /* of the function, part of a record's identity; NULL is "" */
    const char *source_id; /* TUTTI_SOURCE_ID, a hash of the launcher's source; NULL is "" */

    const tutti_param *params;  /* the first parameter varies slowest */
    size_t nparams;             /* at most 256 */
    size_t config_size;         /* sizeof the user's configuration struct */
    const void *configurations; /* optional: nconfigurations structs of config_size bytes, which
                                   are the space, in this order, instead of all combinations */
    size_t nconfigurations;
    tutti_constraint_fn constraint; /* optional: what is in the space */
    const void *customary; /* optional: the configuration that the launcher uses when nobody tunes;
                              in the space; reported beside the winner */

    tutti_key_fn key;     /* NULL: every call is the same problem */
    tutti_prune_fn prune; /* NULL keeps all */
    tutti_run_fn run;

    tutti_setup_fn setup; /* NULL, as all below: nothing to do */
    tutti_teardown_fn teardown;
    tutti_prepare_fn prepare;
    tutti_release_fn release;
    tutti_reset_fn reset;
    tutti_verify_fn verify;
    tutti_buffers_fn buffers;       /* <tutti/buffers.h> */
    const tutti_memory_ops *memory; /* of these buffers; copied; NULL: the processor reaches them */
    void *memory_self;
    tutti_stall_fn on_stall;
    void *user; /* handed to the callbacks */

    int policy;      /* enum tutti_policy */
    int aggregation; /* enum tutti_aggregation */
    int warmups; /* exhaustive: untimed runs of each configuration; 0: 5; TUTTI_NO_WARMUP: none */
    int samples; /* exhaustive: timed runs, back to back, of each configuration; 0: 10 */

    /* For the other policies. A search whose budget is used up takes the best so far. */
    uint64_t budget_calls; /* launcher calls; 0: 5 samples of each configuration that takes part */
    double budget_seconds; /* 0: no limit */
    bool stream;           /* samples as in a stream: back to back, ranks not lined up for each */
    bool flush;            /* overwrite the caches before each sample */
    double gap_seconds;    /* rest before each sample */

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
 * without values, a name, a value or a configuration twice, NaN, a field outside the struct, a
 * condition that names no earlier parameter or none of its values; no configuration is left, or
 * more than 1,048,576, or a constraint would be asked about more than 2^31), TUTTI_ERR_MEMORY.
 */
TUTTI_API int tutti_tuner_create(const tutti_tuner_desc *desc, tutti_tuner **tuner);

/* Frees a tuner and all that its functions returned. Local. No call may be going on. NULL is fine.
 */
TUTTI_API void tutti_tuner_destroy(tutti_tuner *tuner);

typedef struct tutti_call_options {
    size_t size;          /* sizeof(tutti_call_options) */
    bool autotune_off;    /* neither search nor look up: run configuration 0; on all ranks alike */
    int *launcher_status; /* if not NULL: what run returned last, on this rank */
    const void *force;    /* if not NULL: the configuration to run, of the space, the same on all
                             ranks; read during the call. Neither search, look-up nor pruning, and
                             nothing is stored; calls that force nothing are not touched by it.
                             autotune_off says nothing then. */
    void *stream;         /* handed through to the callbacks in tutti_context.stream, and never
                             looked at: what the launcher enqueues on */
} tutti_call_options;

/*
 * Runs the launcher with the best configuration for args on this group, and finds that one first if
 * need be. Collective over the group unless every rank knows the key already, which they do once
 * they have called together; then it is local: the key is built and looked up in memory, without
 * communication, allocation, lock or system call.
 *
 * options may be NULL. What is forced, by options or by TUTTI_FORCE, is remembered like what a
 * search found, so that the same call again is such a hit. Returns what the ranks agreed on, the
 * same everywhere, while tuning; TUTTI_ERR_RUN if the launcher failed (on a hit: on this rank).
 * tutti_message() has the sentence.
 */
TUTTI_API int tutti_call(tutti_tuner *tuner, void *args, tutti_group *group,
                         const tutti_call_options *options);

/*
 * Everything that tutti_call does but its last run: finds the best configuration for args, stores
 * it, prepares and remembers it, so that tutti_call with the same args is a hit. Collective, and
 * local if the key is known, as tutti_call is; ranks that call the one while others call the other
 * get TUTTI_ERR_DISAGREE. args must be good to run with, since a search does; where buffers are
 * declared, in and in-out ones are as before afterwards. options, errors: as tutti_call.
 *
 * tutti_call stores a winner only after it has succeeded in the caller's own run. Here there is no
 * such run: the winner has been verified and timed in the search, and prepared; should it fail all
 * the same in the tutti_call that follows, that is a failed hit. A later process that reads the
 * record tunes again if it fails there.
 */
TUTTI_API int tutti_tune(tutti_tuner *tuner, void *args, tutti_group *group,
                         const tutti_call_options *options);

/* The sentence that belongs to the last error of a call on this tuner and group; "" if none. Local;
 * valid until the next call on both. */
TUTTI_API const char *tutti_message(tutti_tuner *tuner, tutti_group *group);

/*
 * The chosen configuration for args, config_size bytes owned by the tuner and valid until the key
 * is forgotten, or NULL if this group has not called with such args. That of calls with tuning off,
 * and then the one that was forced last, counts if there were no other calls. Local.
 */
TUTTI_API const void *tutti_best(tutti_tuner *tuner, const void *args, tutti_group *group);

/* A launch with everything decided. Plain data, valid as long as tuner and group, and until the key
 * is forgotten. The context's stream is NULL: set it, bound.context.stream, to launch on one. */
typedef struct tutti_bound {
    size_t size; /* sizeof(tutti_bound), which the caller sets */
    tutti_run_fn run;
    const void *config;
    tutti_context context;
} tutti_bound;

/*
 * Binds the configuration known for args, for loops that launch one problem many times. Local.
 * Errors: TUTTI_ERR_MISS if this group has not called with such args, TUTTI_ERR_KEY,
 * TUTTI_ERR_ARGUMENT (bound->size).
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
 * survive pruning, configuration 0, a recorded one, and one of TUTTI_FORCE; and over the ranks. For
 * memory that is allocated once, before the call. Collective. Returns as tutti_call does.
 */
TUTTI_API int tutti_max_size(tutti_tuner *tuner, const void *args, tutti_group *group,
                             tutti_size_fn size, size_t *bytes);

/* Where a choice came from. */
enum tutti_source {
    TUTTI_SOURCE_SEARCH = 1,            /* measured in this process */
    TUTTI_SOURCE_RECORD = 2,            /* read from the store */
    TUTTI_SOURCE_DEFAULT_OFF = 3,       /* configuration 0: tuning is off */
    TUTTI_SOURCE_DEFAULT_PRUNED = 4,    /* configuration 0: none survived pruning */
    TUTTI_SOURCE_DEFAULT_MISS = 5,      /* configuration 0: no record, and searching is off */
    TUTTI_SOURCE_DEFAULT_BUSY = 6,      /* configuration 0: no record, and the timer was busy */
    TUTTI_SOURCE_FORCED_CODE = 7,       /* tutti_call_options.force */
    TUTTI_SOURCE_FORCED_ENVIRONMENT = 8 /* TUTTI_FORCE */
};

/* The source in words, "search", "record", "default (no record)", ...; static storage. Local. */
TUTTI_API const char *tutti_source_name(int source);

/* One sample of a race: a time per run, the slowest rank's. */
typedef struct tutti_sample {
    double seconds;
    uint32_t round;   /* from 1 */
    int slowest_rank; /* -1 if unknown */
} tutti_sample;

/* One configuration in a report. */
typedef struct tutti_trial {
    int status;          /* enum tutti_status */
    int slowest_rank;    /* of an ok one; for a failed one the first rank that failed; else -1 */
    double seconds;      /* the slowest rank's time per run, if ok; else 0. A mean; under a racing
                            policy as the differences within rounds tell it */
    const char *reason;  /* why it failed; "" otherwise: tutti's words, then those that the launcher
                            wrote to tutti_context.message */
    int launcher_status; /* what the callback that failed returned there, such as run; 0 if it was
                            none, or in an earlier search that was interrupted */

    /* Only under a racing policy, and if ok; else 0 and NULL: */
    uint64_t taken;              /* samples */
    uint64_t dropped;            /* the last round that it ran in, if the race went on without it */
    double spread;               /* of the samples below, as a fraction of their median: 1.4826
                                    times the median deviation. 0 if there are not two */
    const tutti_sample *samples; /* the first ones, in order of rounds */
    size_t nsamples;             /* at most 32; fewer in searches of very many configurations */
} tutti_trial;

typedef struct tutti_report {
    size_t size;            /* sizeof(tutti_report), which the caller sets */
    int source;             /* enum tutti_source */
    uint64_t configuration; /* index of the chosen one */
    const void *config;     /* the chosen one */
    double seconds;         /* its time in the search; 0 if it was never measured */

    /* The search behind the choice, also when it came from a record. */
    size_t ntrials;             /* the size of the space, or 0 without a search */
    const tutti_trial *trials;  /* by index of the configuration */
    int64_t customary;          /* index of the customary configuration, -1 if none was named */
    int policy;                 /* enum tutti_policy */
    int aggregation;            /* enum tutti_aggregation, never the default */
    int warmups, samples;       /* exhaustive: per configuration; else warm-ups in all, and
                                   back-to-back calls of a sample */
    double search_seconds;      /* wall time of the search, apart from any steady state */
    uint64_t search_calls;      /* launcher calls on each rank */
    uint64_t search_operations; /* group operations of the search */

    /* How a race ended; all 0 under the exhaustive policy. Fractions of the time: 0.01 is 1%. */
    uint64_t rounds;
    bool equal;           /* the runner-up can't be told from the winner at 95% */
    bool budget_ended_it; /* its budget in seconds: the choice is the best so far */
    int64_t runner_up;    /* -1 if there was none */
    double distance;      /* of the runner-up from the winner */
    double confidence;    /* that the winner is the faster one of the two */
    double within;        /* the best is at most this much faster than the winner, at 95% */
    double noise;         /* the spread of repeated samples of one configuration */

    double cold_seconds;      /* what this process spent before the launcher could run */
    uint64_t cold_operations; /* group operations of that */
    const char *record;       /* path of the record that was read or written; "" if none */
} tutti_report;

/*
 * What is known for args, as with tutti_best: pointers stay valid as long as the tuner, or until
 * the key is forgotten. Local. Errors: TUTTI_ERR_MISS if this group has not called with such args,
 * TUTTI_ERR_KEY, TUTTI_ERR_ARGUMENT (report->size).
 */
TUTTI_API int tutti_report_get(tutti_tuner *tuner, const void *args, tutti_group *group,
                               tutti_report *report);

/* One thing that a tuner knows for a group. Valid during the callback, the report's pointers as
 * those of tutti_report_get. */
typedef struct tutti_entry {
    tutti_group *group;
    const char *key; /* its fields, a line each: "A = [4096, 8, 128]\n" */
    const tutti_report *report;
} tutti_entry;

typedef void (*tutti_entry_fn)(const tutti_entry *entry, void *user);

/*
 * Calls each for all that the tuner knows in memory for a group, the newest first. A key occurs
 * once for each way in which it was called: tuned, with tuning off, for each configuration that was
 * forced. Local. each must not call, tune or forget on this tuner and group. Errors:
 * TUTTI_ERR_ARGUMENT, TUTTI_ERR_MEMORY for the text of a key.
 */
TUTTI_API int tutti_enumerate(tutti_tuner *tuner, tutti_group *group, tutti_entry_fn each,
                              void *user);

/* What tutti_forget forgets beside what is known in memory for a key; may be added up. */
enum tutti_forget {
    TUTTI_FORGET_ALL = 1,   /* all keys of the group; args is not looked at */
    TUTTI_FORGET_RECORD = 2 /* the record in the store, too: of the key, or of all that are known */
};

/*
 * Forgets what the tuner knows in memory for args on this group, in whichever way it was called:
 * frees it, and releases what prepare acquired, with args NULL. The next call looks up, and
 * searches, as at first. flags: enum tutti_forget. Pointers to what is forgotten, from tutti_best,
 * tutti_report_get and tutti_bind, must not be used any more; a launcher of this tuner must not
 * forget. Collective over the group; no call of another thread on it may be going on. That nothing
 * was known is no error.
 *
 * A record is removed from the user's own store by the root, in TUTTI_MODE=tune only; not from the
 * directories of TUTTI_CACHE_PATH. That it can't be removed is a warning. Errors: as tutti_call,
 * but for those of a run or a search.
 */
TUTTI_API int tutti_forget(tutti_tuner *tuner, const void *args, tutti_group *group,
                           unsigned flags);

/* The number of configurations. Local. */
TUTTI_API uint64_t tutti_space_size(const tutti_tuner *tuner);

/* Fills config (config_size bytes) with a configuration. Local. Errors: TUTTI_ERR_ARGUMENT. */
TUTTI_API int tutti_configuration(const tutti_tuner *tuner, uint64_t index, void *config);

/*
 * Writes a configuration as text, "comm_block_s=32, comm_block_d=64", without the parameters that
 * don't count; always terminated, cut to size bytes. Returns the length that the whole text has, as
 * snprintf does. Local.
 */
TUTTI_API size_t tutti_configuration_text(const tutti_tuner *tuner, uint64_t index, char *text,
                                          size_t size);

/*
 * The table of parameters, for bindings and printing: their number; the name, the kind
 * (TUTTI_KIND_..., of the field) and the number of values of number `parameter`, from 0. Beyond the
 * last: NULL, 0, 0. Names are the tuner's. Local.
 */
TUTTI_API size_t tutti_parameters(const tutti_tuner *tuner);
TUTTI_API const char *tutti_parameter_name(const tutti_tuner *tuner, size_t parameter);
TUTTI_API int tutti_parameter_kind(const tutti_tuner *tuner, size_t parameter);
TUTTI_API size_t tutti_parameter_values(const tutti_tuner *tuner, size_t parameter);

/* Writes a value of a parameter, from 0, as it stands in texts of configurations; otherwise as
 * tutti_configuration_text. Returns 0 if there is none. Local. */
TUTTI_API size_t tutti_parameter_text(const tutti_tuner *tuner, size_t parameter, size_t value,
                                      char *text, size_t size);

/*
 * A field of a configuration by the name of its parameter. config is config_size bytes, such as
 * tutti_best returns. An integer or enum is an integer; a string, and the name of a named choice,
 * a string: the latter is the tuner's, the former whose it was. Local. Errors: TUTTI_ERR_ARGUMENT
 * (an argument is NULL, no parameter has this name or it is of another kind, a choice has no name).
 */
TUTTI_API int tutti_get_integer(const tutti_tuner *tuner, const void *config, const char *name,
                                int64_t *value);
TUTTI_API int tutti_get_double(const tutti_tuner *tuner, const void *config, const char *name,
                               double *value);
TUTTI_API int tutti_get_bool(const tutti_tuner *tuner, const void *config, const char *name,
                             bool *value);
TUTTI_API int tutti_get_string(const tutti_tuner *tuner, const void *config, const char *name,
                               const char **value);

#ifdef __cplusplus
}
#endif
#endif
