/* See environment.h. */
#include "environment.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT_LIMIT 1000000
#define STEADY_HELP                                                                                \
    "Environment: REV_PROFILE_WARMUP (5) and REV_PROFILE_ITERS (50) are the untimed and the "      \
    "timed "                                                                                       \
    "rounds of the steady state."
#define FILES_HELP                                                                                 \
    " REVERSE_A2A_MANIFEST (reverse_a2a_udma_autotune_manifest.json) and REVERSE_A2A_CSV "         \
    "(reverse_a2a_udma_autotune_perf.csv) are the files that are written. tutti has variables of " \
    "its own, such as TUTTI_MODE, TUTTI_ALWAYS_TUNE and TUTTI_CACHE_DIR."

const char *environment_help(bool files)
{
    return files ? STEADY_HELP FILES_HELP : STEADY_HELP;
}

static const char *value_of(const char *name)
{
    const char *value = getenv(name);
    return value && *value ? value : NULL;
}

static bool read_count(const char *name, int least, int standard, int *count)
{
    const char *value = value_of(name);
    *count = standard;
    if (!value)
        return true;
    const size_t digits = strspn(value, "0123456789");
    const long number = digits < 10 ? atol(value) : COUNT_LIMIT + 1;
    if (value[digits] || number < least || number > COUNT_LIMIT) {
        fprintf(stderr, "%s=\"%.100s\" is not allowed: it must be a whole number from %d to %d\n",
                name, value, least, COUNT_LIMIT);
        return false;
    }
    *count = (int)number;
    return true;
}

static bool read_path(const char *name, const char *standard, char path[PATH_MAX])
{
    const char *value = value_of(name);
    const int length = snprintf(path, PATH_MAX, "%s", value ? value : standard);
    if (length < PATH_MAX)
        return true;
    fprintf(stderr, "%s is not allowed: a path has fewer than %d bytes\n", name, PATH_MAX);
    return false;
}

bool environment_read(struct job *job)
{
    return read_count("REV_PROFILE_WARMUP", 0, 5, &job->warmups) &&
           read_count("REV_PROFILE_ITERS", 1, 50, &job->iterations) &&
           read_path("REVERSE_A2A_MANIFEST", "reverse_a2a_udma_autotune_manifest.json",
                     job->manifest) &&
           read_path("REVERSE_A2A_CSV", "reverse_a2a_udma_autotune_perf.csv", job->csv);
}
