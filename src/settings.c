/*
 * Settings. The table below is the only list of them: reading, checking and the documentation all
 * walk through it.
 */
#include "settings.h"

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <xxhash.h>

#include <tutti/error.h>

enum setting_kind {
    SETTING_WORD,      /* int: the index in words */
    SETTING_BOOLEAN,   /* int: 0 or 1 */
    SETTING_COUNT,     /* int: low to high */
    SETTING_SECONDS,   /* double, not negative */
    SETTING_DIRECTORY, /* char[sizeof settings.cache_dir] */
    SETTING_PATH       /* char[sizeof settings.cache_path]: directories with colons between */
};

struct setting {
    const char *name;
    const char *alias; /* another program's name for the same thing, or NULL */
    enum setting_kind kind;
    size_t offset;            /* of the value in struct settings */
    const char *const *words; /* SETTING_WORD: by value, NULL at the end */
    int low, high;            /* SETTING_COUNT */
    const char *standard;     /* the default as it would stand in the environment, or NULL */
    const char *otherwise;    /* for the docs, what happens without a value if standard is NULL */
    const char *help;
};

static const char *const mode_words[] = {"tune", "read-only", "cache-only", "off", NULL};
static const char *const policy_words[] = {"default",       "exhaustive", "race", "random",
                                           "neighbourhood", "halving",    NULL};
static const char *const progress_words[] = {"auto", "bar", "lines", NULL};
static const char *const miss_words[] = {"default", "error", NULL};
static const char *const log_words[] = {"error", "warn", "info", "debug", NULL};
static const char *const boolean_words[] = {"0",  "1",  "false", "true", "off",
                                            "on", "no", "yes",   NULL}; /* no and yes take turns */

#define SECONDS_LIMIT   1e9
#define SECONDS_ALLOWED "seconds as a decimal number from 0 to 1000000000, such as 2.5"

static const struct setting table[] = {
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
     .kind = SETTING_WORD,
     .offset = offsetof(struct settings, policy),
     .words = policy_words,
     .otherwise = "what the program says, else race",
     .help = "How a search chooses what to run. `exhaustive` runs every configuration, one after "
             "another. `race` runs rounds over all, from which the worse ones drop out. The others "
             "are for spaces too large to try everything: `random` and `halving` take a sample, "
             "`neighbourhood` starts at the customary configuration."},
    {.name = "TUTTI_BUDGET_CALLS",
     .kind = SETTING_COUNT,
     .offset = offsetof(struct settings, budget_calls),
     .low = 1,
     .high = 1000000000,
     .otherwise = "what the program says, else 5 samples of each configuration that takes part",
     .help = "Launcher calls that a search may make, except under `exhaustive`."},
    {.name = "TUTTI_BUDGET_SECONDS",
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
     .kind = SETTING_BOOLEAN,
     .offset = offsetof(struct settings, flush),
     .standard = "false",
     .help = "Overwrites the caches before each sample, except under `exhaustive`."},
    {.name = "TUTTI_STREAM",
     .kind = SETTING_BOOLEAN,
     .offset = offsetof(struct settings, stream),
     .standard = "false",
     .help = "Takes samples as in a stream, except under `exhaustive`: some calls back to back, "
             "without lining the ranks up before them."},
    {.name = "TUTTI_GAP",
     .kind = SETTING_SECONDS,
     .offset = offsetof(struct settings, gap),
     .standard = "0",
     .help = "Seconds of rest before each sample, except under `exhaustive`; 0 is what the program "
             "says, else none."},
    {.name = "TUTTI_WARMUPS",
     .kind = SETTING_COUNT,
     .offset = offsetof(struct settings, warmups),
     .low = 0,
     .high = 1000000,
     .otherwise = "what the program says, else 5",
     .help = "Runs of each configuration before it is timed, under `exhaustive`."},
    {.name = "TUTTI_SAMPLES",
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
     .help =
         "How much is written to stderr: the messages of this level and those before it. `debug` "
         "names each configuration before it runs, so that the last line tells what a job died "
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
    {.name = "TUTTI_ON_MISS",
     .kind = SETTING_WORD,
     .offset = offsetof(struct settings, on_miss),
     .words = miss_words,
     .standard = "default",
     .help = "What `TUTTI_MODE=cache-only` does with a key that has no record: `default` runs "
             "configuration 0, `error` fails the call, on every rank, with `TUTTI_ERR_MISS`."},
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
};

_Static_assert(sizeof table / sizeof table[0] == SETTINGS_COUNT, "SETTINGS_COUNT is wrong");

const char *settings_variable(int index)
{
    return table[index].name;
}

/* An empty value counts as unset: scripts can't always unset what they inherit. */
static const char *variable(const char *name)
{
    const char *value = name ? getenv(name) : NULL;
    return value && *value ? value : NULL;
}

static const char *setting_value(const struct setting *setting, const char **name)
{
    const char *value = variable(setting->name);
    *name = setting->name;
    if (!value && setting->alias) {
        value = variable(setting->alias);
        *name = setting->alias;
    }
    return value;
}

/* Reading of single values: false, and nothing is changed, if the value is not allowed. */

static bool read_word(const char *const *words, const char *value, int *index)
{
    for (int i = 0; words[i]; i++) {
        if (strcmp(words[i], value) == 0) {
            *index = i;
            return true;
        }
    }
    return false;
}

static bool read_boolean(const char *value, int *flag)
{
    int index;
    if (!read_word(boolean_words, value, &index))
        return false;
    *flag = index % 2;
    return true;
}

static bool read_count(const char *value, int low, int high, int *count)
{
    long long number = 0;
    for (const char *at = value; *at; at++) {
        if (*at < '0' || *at > '9' || number > INT_MAX)
            return false;
        number = number * 10 + (*at - '0');
    }
    if (number < low || number > high)
        return false;
    *count = (int)number;
    return true;
}

/* By hand, since strtod takes what the program's locale says: "0,5", and not "0.5", in some. */
static bool read_seconds(const char *value, double *seconds)
{
    double digits = 0, scale = 1;
    bool any = false, fraction = false;
    for (const char *at = value; *at; at++) {
        if (*at == '.' && !fraction) {
            fraction = true;
            continue;
        }
        if (*at < '0' || *at > '9' || digits > 1e15)
            return false;
        any = true;
        digits = digits * 10 + (*at - '0');
        scale *= fraction ? 10 : 1;
    }
    if (!any || digits / scale > SECONDS_LIMIT)
        return false;
    *seconds = digits / scale;
    return true;
}

/* folder "/" name; name alone if folder is "". Leaves path empty if it does not fit. */
static bool join_path(char path[], size_t size, const char *folder, const char *name)
{
    const int length = snprintf(path, size, "%s%s%s", folder, *folder ? "/" : "", name);
    if (length <= 0 || (size_t)length >= size) {
        path[0] = '\0';
        return false;
    }
    return true;
}

static bool read_directory(const char *value, char path[], size_t size)
{
    char here[PATH_MAX] = "";
    if (value[0] != '/' && !getcwd(here, sizeof here))
        return false;
    return join_path(path, size, here, value);
}

static bool read_setting(const struct setting *setting, const char *value,
                         struct settings *settings)
{
    void *field = (char *)settings + setting->offset;
    switch (setting->kind) {
    case SETTING_WORD:
        return read_word(setting->words, value, field);
    case SETTING_BOOLEAN:
        return read_boolean(value, field);
    case SETTING_COUNT:
        return read_count(value, setting->low, setting->high, field);
    case SETTING_SECONDS:
        return read_seconds(value, field);
    case SETTING_DIRECTORY:
        return read_directory(value, field, sizeof settings->cache_dir);
    case SETTING_PATH:
        return join_path(field, sizeof settings->cache_path, "", value);
    }
    return false;
}

static void add_words(const char *const *words, struct text *text)
{
    for (int i = 0; words[i]; i++)
        text_add(text, "%s%s", i == 0 ? "" : words[i + 1] ? ", " : " or ", words[i]);
}

/* What a variable may hold, as the end of a sentence. */
static void add_allowed(const struct setting *setting, struct text *text)
{
    switch (setting->kind) {
    case SETTING_WORD:
        add_words(setting->words, text);
        break;
    case SETTING_BOOLEAN:
        add_words(boolean_words, text);
        break;
    case SETTING_COUNT:
        text_add(text, "a whole number from %d to %d", setting->low, setting->high);
        break;
    case SETTING_SECONDS:
        text_add(text, SECONDS_ALLOWED);
        break;
    case SETTING_DIRECTORY:
        text_add(text, "a path of fewer than %zu bytes", sizeof((struct settings *)0)->cache_dir);
        break;
    case SETTING_PATH:
        text_add(text, "directories with colons between, in fewer than %zu bytes",
                 sizeof((struct settings *)0)->cache_path);
        break;
    }
}

void settings_defaults(struct settings *settings)
{
    memset(settings, 0, sizeof *settings); /* padding too: it is broadcast as bytes */
    settings->policy = SETTINGS_UNSET;
    settings->budget_calls = SETTINGS_UNSET;
    settings->warmups = SETTINGS_UNSET;
    settings->samples = SETTINGS_UNSET;
    for (int i = 0; i < SETTINGS_COUNT; i++)
        if (table[i].standard)
            read_setting(&table[i], table[i].standard, settings);
}

/* The store's place when TUTTI_CACHE_DIR does not give it; the XDG base directory specification
 * says to ignore relative paths. */
static bool default_directory(char path[], size_t size)
{
    const char *cache = variable("XDG_CACHE_HOME");
    const char *home = variable("HOME");
    if (cache && cache[0] == '/')
        return join_path(path, size, cache, "tutti");
    return home && home[0] == '/' && join_path(path, size, home, ".cache/tutti");
}

static void warn_of_alias(const struct setting *setting, struct text *warnings)
{
    const char *own = variable(setting->name);
    const char *other = variable(setting->alias);
    if (own && other && strcmp(own, other) != 0) {
        text_add(warnings, "%s is \"%.100s\" and %s is \"%.100s\": %s holds\n", setting->name, own,
                 setting->alias, other, setting->name);
    }
}

#define NAME_LIMIT 64 /* longer unknown names are not compared */

/* The edit distance of two names (Levenshtein 1966): insertions, deletions and replacements. */
static size_t name_distance(const char *a, const char *b, size_t a_length)
{
    size_t row[NAME_LIMIT + 1]; /* of the table of distances of prefixes */
    for (size_t i = 0; i <= a_length; i++)
        row[i] = i;
    for (size_t j = 1; b[j - 1]; j++) {
        size_t diagonal = row[0];
        row[0] = j;
        for (size_t i = 1; i <= a_length; i++) {
            const size_t replaced = diagonal + (a[i - 1] != b[j - 1]);
            const size_t shorter = (row[i - 1] < row[i] ? row[i - 1] : row[i]) + 1;
            diagonal = row[i];
            row[i] = replaced < shorter ? replaced : shorter;
        }
    }
    return row[a_length];
}

static const char *nearest_name(const char *name, size_t length)
{
    const char *nearest = NULL;
    size_t least = 4; /* further away it is not a slip of the pen */
    for (int i = 0; i < SETTINGS_COUNT && length <= NAME_LIMIT; i++) {
        const size_t distance = name_distance(name, table[i].name, length);
        if (distance < least) {
            least = distance;
            nearest = table[i].name;
        }
    }
    return nearest;
}

static bool known_name(const char *name, size_t length)
{
    for (int i = 0; i < SETTINGS_COUNT; i++)
        if (strlen(table[i].name) == length && strncmp(table[i].name, name, length) == 0)
            return true;
    return false;
}

static void warn_of_unknown(struct text *warnings)
{
    for (char **entry = environ; entry && *entry; entry++) {
        const char *end = strchr(*entry, '=');
        if (strncmp(*entry, "TUTTI_", 6) != 0 || !end)
            continue;
        const size_t length = (size_t)(end - *entry);
        if (known_name(*entry, length))
            continue;
        const char *nearest = nearest_name(*entry, length);
        text_add(warnings, "the environment variable %.*s is unknown%s%s%s\n",
                 length < 100 ? (int)length : 100, *entry, nearest ? "; did you mean " : "",
                 nearest ? nearest : "", nearest ? "?" : "");
    }
}

static bool read_table(struct settings *settings, struct text *why, struct text *warnings)
{
    bool good = true;
    for (int i = 0; i < SETTINGS_COUNT; i++) {
        const char *name;
        const char *value = setting_value(&table[i], &name);
        warn_of_alias(&table[i], warnings);
        if (value && !read_setting(&table[i], value, settings)) {
            text_add(why, "%s%s=\"%.100s\" is not allowed: it must be ", good ? "" : "; ", name,
                     value);
            add_allowed(&table[i], why);
            good = false;
        }
    }
    return good;
}

int settings_read(struct settings *settings, struct text *why, struct text *warnings)
{
    settings_defaults(settings);
    const bool good = read_table(settings, why, warnings);
    warn_of_unknown(warnings);

    char *path = settings->cache_dir;
    if (!path[0] && !default_directory(path, sizeof settings->cache_dir)) {
        if (settings->mode != MODE_OFF) {
            text_add(warnings,
                     "nothing is stored: none of TUTTI_CACHE_DIR, XDG_CACHE_HOME and HOME "
                     "gives a place for it\n");
        }
    }
    return good ? TUTTI_SUCCESS : TUTTI_ERR_SETTING;
}

void settings_fingerprint(uint64_t words[SETTINGS_COUNT])
{
    for (int i = 0; i < SETTINGS_COUNT; i++) {
        const char *name;
        const char *value = setting_value(&table[i], &name);
        words[i] = value ? XXH3_64bits(value, strlen(value)) | 1 : 0; /* | 1: set is never 0 */
    }
}

static void document_setting(FILE *stream, const struct setting *setting)
{
    struct text allowed = {0};
    add_allowed(setting, &allowed);
    fprintf(stream, "\n## %s\n\n%s\n\n", setting->name, setting->help);
    fprintf(stream, "- Allowed: %s\n", allowed.failed ? "" : allowed.bytes);
    if (setting->standard)
        fprintf(stream, "- Default: `%s`\n", setting->standard);
    else
        fprintf(stream, "- Default: %s\n", setting->otherwise);
    if (setting->alias)
        fprintf(stream, "- Also read as: `%s`\n", setting->alias);
    text_release(&allowed);
}

void settings_document(FILE *stream)
{
    fputs(
        "# Settings\n\n"
        "These environment variables set how tutti works. This page is made from the table in\n"
        "`src/settings.c`; a test compares the two.\n\n"
        "The root of a group, its rank 0, reads them at the group's first call and hands them to\n"
        "the other ranks. A variable that is set otherwise on another rank has no effect, and one\n"
        "warning names it. A value that is not allowed fails the call, on every rank, with\n"
        "`TUTTI_ERR_SETTING`. An empty value counts as unset. An unknown variable whose name\n"
        "begins with `TUTTI_` is a warning. A setting that another program's variable gives, too,\n"
        "is taken from tutti's own variable if both are set.\n",
        stream);
    for (int i = 0; i < SETTINGS_COUNT; i++)
        document_setting(stream, &table[i]);
}
