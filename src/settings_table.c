/* The table of settings: the only list of them. Reading, checking, printing and the documentation
 * all walk through it. */
#include "settings_table.h"

#include <limits.h>

static const char *const mode_words[] = {"tune", "read-only", "cache-only", "off", NULL};
static const char *const policy_words[] = {"default",       "exhaustive", "race", "random",
                                           "neighbourhood", "halving",    NULL};
static const char *const aggregation_words[] = {"default", "means", "rounds", NULL};
static const char *const progress_words[] = {"auto", "bar", "lines", NULL};
static const char *const miss_words[] = {"default", "error", NULL};
static const char *const log_words[] = {"error", "warn", "info", "debug", NULL};

const struct setting settings_table[] = {
    {.name = "TUTTI_MODE",
     .kind = SETTING_WORD,
     .offset = offsetof(struct settings, mode),
     .words = mode_words,
     .standard = "tune",
     .help = "`tune` looks a key up, else searches and stores the result. `read-only` does so "
             "without storing. `cache-only` looks up, and never searches: a key without a record "
             "gets configuration 0. `off` runs configuration 0."},
    {.name = "TUTTI_ALWAYS_TUNE",
     .alias = "TRITON_DIST_AUTOTUNE_ALWAYS_TUNE",
     .kind = SETTING_BOOLEAN,
     .offset = offsetof(struct settings, always_tune),
     .standard = "false",
     .help = "Searches even if there is a record, and replaces it."},
    {.name = "TUTTI_STRICT",
     .alias = "TRITON_DIST_AUTOTUNE_VERSION_CHECK",
     .kind = SETTING_BOOLEAN,
     .offset = offsetof(struct settings, strict),
     .standard = "false",
     .help = "A record that was made with other software (MPI library, compiler, tutti) does not "
             "apply. Without this it does, with a warning."},
    {.name = "TUTTI_POLICY",
     .program = true,
     .kind = SETTING_WORD,
     .offset = offsetof(struct settings, policy),
     .words = policy_words,
     .otherwise = "what the program says, else race",
     .help = "How a search chooses what to run. `exhaustive` runs every configuration, one after "
             "another. `race` runs rounds over all, from which the worse ones drop out. The others "
             "are for spaces too large to try everything: `random` and `halving` take a sample, "
             "`neighbourhood` starts at the customary configuration."},
    {.name = "TUTTI_AGGREGATION",
     .program = true,
     .kind = SETTING_WORD,
     .offset = offsetof(struct settings, aggregation),
     .words = aggregation_words,
     .otherwise = "what the program says, else by the policy",
     .help =
         "How times on all ranks become one. `means`: the maximum over the ranks of each rank's "
         "mean, as under `exhaustive`. `rounds`: the maximum over the ranks in each round, then "
         "the statistic over the rounds, as under the others."},
    {.name = "TUTTI_BUDGET_CALLS",
     .program = true,
     .kind = SETTING_COUNT,
     .offset = offsetof(struct settings, budget_calls),
     .low = 1,
     .high = 1000000000,
     .otherwise = "what the program says, else 5 for each configuration that takes part",
     .help = "Launcher calls that a search may make, warm-ups and untimed calls included, except "
             "under `exhaustive`."},
    {.name = "TUTTI_BUDGET_SECONDS",
     .program = true,
     .kind = SETTING_SECONDS,
     .offset = offsetof(struct settings, budget_seconds),
     .standard = "0",
     .help = "Seconds that a search may take, except under `exhaustive`; 0 is what the program "
             "says, else no limit. The best so far wins then, and the report says so."},
    {.name = "TUTTI_SEED",
     .kind = SETTING_COUNT,
     .offset = offsetof(struct settings, seed),
     .low = 0,
     .high = INT_MAX,
     .standard = "0",
     .help = "Where random orders and samples begin."},
    {.name = "TUTTI_FLUSH",
     .program = true,
     .kind = SETTING_BOOLEAN,
     .offset = offsetof(struct settings, flush),
     .standard = "false",
     .help = "Overwrites the caches before each sample, except under `exhaustive`."},
    {.name = "TUTTI_STREAM",
     .program = true,
     .kind = SETTING_BOOLEAN,
     .offset = offsetof(struct settings, stream),
     .standard = "false",
     .help = "Takes samples as in a stream, except under `exhaustive`: some calls back to back, "
             "without lining the ranks up before them."},
    {.name = "TUTTI_GAP",
     .program = true,
     .kind = SETTING_SECONDS,
     .offset = offsetof(struct settings, gap),
     .standard = "0",
     .help = "Seconds of rest before each sample, except under `exhaustive`; 0 is what the program "
             "says, else none."},
    {.name = "TUTTI_WARMUPS",
     .program = true,
     .kind = SETTING_COUNT,
     .offset = offsetof(struct settings, warmups),
     .low = 0,
     .high = 1000000,
     .otherwise = "what the program says, else 5",
     .help = "Runs of each configuration before it is timed, under `exhaustive`."},
    {.name = "TUTTI_SAMPLES",
     .program = true,
     .kind = SETTING_COUNT,
     .offset = offsetof(struct settings, samples),
     .low = 1,
     .high = 1000000,
     .otherwise = "what the program says, else 10",
     .help = "Timed runs of each configuration, under `exhaustive`."},
    {.name = "TUTTI_CACHE_DIR",
     .kind = SETTING_DIRECTORY,
     .offset = offsetof(struct settings, cache_dir),
     .otherwise = "`$XDG_CACHE_HOME/tutti`, else `$HOME/.cache/tutti`, else nothing is stored",
     .help = "The directory of records. A relative path begins at the root rank's working "
             "directory. `XDG_CACHE_HOME` and `HOME` count only if they are absolute paths."},
    {.name = "TUTTI_CACHE_PATH",
     .kind = SETTING_PATH,
     .offset = offsetof(struct settings, cache_path),
     .otherwise = "none",
     .help = "Further directories of records, such as an application or a site ships, read and "
             "never written: they are looked through in this order after TUTTI_CACHE_DIR, and the "
             "first record that applies is used."},
    {.name = "TUTTI_LOG",
     .kind = SETTING_WORD,
     .offset = offsetof(struct settings, log_level),
     .words = log_words,
     .standard = "warn",
     .help = "How much is logged, to stderr unless the program takes the log over: the messages of "
             "this "
             "level and those before it. `debug` names each configuration before it runs, so that "
             "the last line tells what a job died "
             "in."},
    {.name = "TUTTI_STALL_WARN",
     .kind = SETTING_SECONDS,
     .offset = offsetof(struct settings, stall_warn),
     .standard = "10",
     .help = "Seconds that a rank waits for others before it says so; 0 is never."},
    {.name = "TUTTI_STALL_TIMEOUT",
     .kind = SETTING_SECONDS,
     .offset = offsetof(struct settings, stall_timeout),
     .standard = "0",
     .help = "Seconds that a rank waits for others before it gives up and names the missing ones; "
             "0 is never. Choose it longer than the launcher may take on one rank and not on "
             "another."},
    {.name = "TUTTI_RUN_TIMEOUT",
     .kind = SETTING_SECONDS,
     .offset = offsetof(struct settings, run_timeout),
     .standard = "0",
     .help =
         "Seconds that one run of a launcher may take in a search; 0 is any time. A watchdog "
         "thread on each rank then names the configuration that does not return, notes it for "
         "the next start, which does not run it again, and tells the program, which may end the "
         "job."},
    {.name = "TUTTI_RETRY_CRASHED",
     .kind = SETTING_BOOLEAN,
     .offset = offsetof(struct settings, retry_crashed),
     .standard = "false",
     .help = "Runs configurations again that earlier searches did not survive, or that did not "
             "return."},
    {.name = "TUTTI_FORCE",
     .kind = SETTING_FORCE,
     .offset = offsetof(struct settings, force),
     .otherwise = "nothing is forced",
     .help = "Configurations that run without search, look-up or pruning, and without being "
             "stored: `TUTTI_FORCE='reverse_a2a:buffer_num=4,comm_block_s=64;other:'`. Knobs that "
             "are not named keep the customary configuration's value, else configuration 0's. A "
             "function that there is not is no mistake; a knob or a value that there is not fails "
             "the call, on every rank. Calls that force a configuration themselves, or turn tuning "
             "off, are not touched."},
    {.name = "TUTTI_ON_MISS",
     .kind = SETTING_WORD,
     .offset = offsetof(struct settings, on_miss),
     .words = miss_words,
     .standard = "default",
     .help = "What happens to a key that has no record where no search may run, with "
             "`TUTTI_MODE=cache-only` or while the timer is busy (a stream is being captured): "
             "`default` runs configuration 0, `error` fails the call, on every rank, with "
             "`TUTTI_ERR_MISS`."},
    {.name = "TUTTI_PROGRESS",
     .kind = SETTING_WORD,
     .offset = offsetof(struct settings, progress),
     .words = progress_words,
     .standard = "auto",
     .help =
         "How a search is shown by programs that show it: a `bar` that redraws itself, `lines`, "
         "or a bar if the output is a terminal. MPI launchers hide the terminal from the ranks, "
         "so say `bar` there if you want one."},
    {.name = "TUTTI_CHECK",
     .kind = SETTING_BOOLEAN,
     .offset = offsetof(struct settings, check),
     .standard = "false",
     .help = "For debugging: every call agrees with the other ranks first, also one whose key is "
             "known, so that a key that differs on one rank is an error instead of a hang or a "
             "wrong result."},
    {.name = SETTINGS_SITE_VARIABLE, /* the last: where the others may stand */
     .kind = SETTING_FILE,
     .offset = offsetof(struct settings, site_file),
     .otherwise = "`tutti.conf` in the directory that the build was given as "
                  "`CMAKE_INSTALL_SYSCONFDIR`, such as `/etc/tutti.conf`",
     .help = "The site's file of settings, see above. It can't be set in a file."},
};

_Static_assert(sizeof settings_table / sizeof settings_table[0] == SETTINGS_COUNT,
               "SETTINGS_COUNT is wrong");
