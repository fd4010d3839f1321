/* See subject.h. */
#include "subject.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const tutti_param subject_params[2] = {
    TUTTI_PARAM(struct subject_config, block, 16, 32, 64),
    TUTTI_PARAM(struct subject_config, depth, 1, 2),
};

uint64_t subject_index(const struct subject_config *config)
{
    uint64_t block = config->block == 16 ? 0 : config->block == 32 ? 1 : 2;
    return 2 * block + (uint64_t)(config->depth - 1);
}

static int subject_key(tutti_key *key, const void *args, void *user)
{
    const struct subject_args *subject_args = args;
    const struct subject *subject = user;
    tutti_key_shape(key, "A", 1, &subject_args->rows);
    tutti_key_string(key, "dtype", subject_args->dtype);
    return subject->key_status;
}

static bool subject_prune(const void *config, const void *args, void *user)
{
    (void)args;
    const struct subject *subject = user;
    return !subject->pruned[subject_index(config)];
}

int subject_run(void *args, const void *config, const tutti_context *context)
{
    struct subject *subject = context->user;
    const struct subject_config *knobs = config;
    uint64_t index = subject_index(knobs);
    subject->runs++;
    subject->runs_by_purpose[context->purpose]++;
    subject->last_block = knobs->block;
    subject->last_depth = knobs->depth;
    subject->last_index = context->configuration;
    subject->now += subject->seconds[index] > 0 ? subject->seconds[index] : 1.0;
    if (subject->inside) {
        int status = subject->inside(subject, args, context);
        if (status)
            return status;
    }
    bool fails =
        subject->fail_purpose[index] == 0 || subject->fail_purpose[index] == context->purpose;
    return fails ? subject->fail_status[index] : 0;
}

/* The timer's begin is kept beside the clock: a test has one measurement at a time. */
static double begin_of_region;

static int start(void *self)
{
    begin_of_region = ((struct subject *)self)->now;
    return 0;
}

static int stop(void *self, double *seconds)
{
    *seconds = ((struct subject *)self)->now - begin_of_region;
    return 0;
}

const tutti_timer_ops subject_timer = {
    .size = sizeof subject_timer,
    .name = "simulated",
    .start = start,
    .stop = stop,
};

tutti_tuner_desc subject_desc(const char *name, struct subject *subject)
{
    return (tutti_tuner_desc){
        .size = sizeof(tutti_tuner_desc),
        .name = name,
        .version = "v1",
        .source_id = "test",
        .policy = TUTTI_POLICY_EXHAUSTIVE,
        .params = subject_params,
        .nparams = 2,
        .config_size = sizeof(struct subject_config),
        .key = subject_key,
        .prune = subject_prune,
        .run = subject_run,
        .user = subject,
        .timer = &subject_timer,
        .timer_self = subject,
    };
}

void subject_make_directory(char path[256])
{
    const char *parent = getenv("TMPDIR");
    snprintf(path, 256, "%s/tutti-test-XXXXXX", parent ? parent : "/tmp");
    if (!mkdtemp(path)) {
        perror(path);
        exit(1);
    }
}

static int remove_one(const char *path, const struct stat *status, int flag, struct FTW *walk)
{
    (void)status;
    (void)flag;
    (void)walk;
    return remove(path);
}

void subject_remove_directory(const char *path)
{
    nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

/* nftw has no user pointer; tests walk one tree at a time. */
static int counted;
static char *first_file;

static int count_one(const char *path, const struct stat *status, int flag, struct FTW *walk)
{
    (void)status;
    (void)walk;
    if (flag != FTW_F)
        return 0;
    if (counted++ == 0 && first_file)
        snprintf(first_file, 512, "%s", path);
    return 0;
}

int subject_count_files(const char *directory, char first[512])
{
    counted = 0;
    first_file = first;
    nftw(directory, count_one, 16, FTW_PHYS);
    return counted;
}

void subject_use_store(const char *directory)
{
    static const char *const others[] = {
        "TUTTI_MODE",    "TUTTI_ALWAYS_TUNE", "TUTTI_STRICT",
        "TUTTI_WARMUPS", "TUTTI_SAMPLES",     "TRITON_DIST_AUTOTUNE_ALWAYS_TUNE",
        "TUTTI_LOG",     "TUTTI_STALL_WARN",  "TRITON_DIST_AUTOTUNE_VERSION_CHECK",
        "TUTTI_FORCE",
    };
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        unsetenv(others[i]);
    setenv("TUTTI_CACHE_DIR", directory, 1);
}
