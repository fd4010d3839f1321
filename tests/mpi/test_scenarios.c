/*
 * What goes wrong for people who tune in groups, with real ranks: refusals on one rank, budgets in
 * seconds, checks of every call, stores that can't be written or may not be, outputs that are wrong
 * somewhere, messages that a failed candidate leaves behind. All ranks must end alike.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>
#include <mpi.h>

#include <tutti/mpi.h>

#include "subject.h"

#define TILES 4
#define TILE  16 /* elements */

static int rank, ranks;
static int last; /* the rank on which things go wrong */

/* What a configuration does to the data, beside being right. */
enum habit { HABIT_GOOD, HABIT_DAMAGES_INPUTS, HABIT_WRITES_HALF, HABIT_DOES_NOTHING, HABIT_LAST };

struct fixture {
    struct subject subject; /* first: the callbacks of subject.h see it */
    char directory[256];
    MPI_Comm comm; /* the group's, as the user has it */
    tutti_tuner *tuner;
    tutti_group *group;
    struct subject_args args;
    int ran[SUBJECT_SPACE], prepared[SUBJECT_SPACE], released[SUBJECT_SPACE];
    int refused;               /* the configuration that prepare refuses here, or -1 */
    int reference_status;      /* what the reference returns here */
    int habits[SUBJECT_SPACE]; /* enum habit */
    int input[TILES * TILE], output[TILES * TILE];
    bool inputs_are_read_only;   /* as they are declared */
    int buffers_status;          /* what the declaration returns here */
    int half_way;                /* the configuration that fails half-way on one rank, or -1 */
    int sent, received, drained; /* messages, since the fixture was made */
    int verdict;                 /* of the run before, if it knows itself */
    bool lets_lie;               /* reset does not drain */
    struct fixture *inner;       /* what the launcher itself calls, tuned */
};

static void open_tuner(struct fixture *fixture, const tutti_tuner_desc *desc)
{
    assert_int_equal(tutti_tuner_create(desc, &fixture->tuner), TUTTI_SUCCESS);
    assert_int_equal(tutti_group_create_mpi(fixture->comm, &fixture->group), TUTTI_SUCCESS);
}

static void close_tuner(struct fixture *fixture)
{
    tutti_tuner_destroy(fixture->tuner);
    tutti_group_release(fixture->group);
}

static void reopen(struct fixture *fixture, const tutti_tuner_desc *desc)
{
    tutti_tuner_desc standard = subject_desc("subject", &fixture->subject);
    close_tuner(fixture);
    fixture->subject.runs = 0;
    memset(fixture->ran, 0, sizeof fixture->ran);
    open_tuner(fixture, desc ? desc : &standard);
}

static int count_run(struct subject *subject, void *args, const tutti_context *context)
{
    struct fixture *fixture = (struct fixture *)(void *)subject;
    (void)args;
    fixture->ran[context->configuration]++;
    return 0;
}

static struct fixture *make_fixture(MPI_Comm comm)
{
    struct fixture *fixture = calloc(1, sizeof *fixture);
    fixture->comm = comm;
    fixture->refused = fixture->half_way = -1;
    fixture->args = (struct subject_args){.rows = 4096, .dtype = "bf16"};
    for (int i = 0; i < SUBJECT_SPACE; i++)
        fixture->subject.seconds[i] = 1 + i + rank / 128.0; /* exact in binary */
    fixture->subject.seconds[3] = 0.75;
    fixture->subject.inside = count_run;
    return fixture;
}

static void forget_environment(void)
{
    static const char *const names[] = {
        "TUTTI_MODE",  "TUTTI_ALWAYS_TUNE", "TUTTI_ON_MISS",        "TUTTI_CACHE_PATH",
        "TUTTI_CHECK", "TUTTI_POLICY",      "TUTTI_BUDGET_SECONDS", "TUTTI_STALL_TIMEOUT",
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        unsetenv(names[i]);
}

/* One directory, which the root makes, is everybody's store. */
static int setup(void **state)
{
    struct fixture *fixture = make_fixture(MPI_COMM_WORLD);
    if (rank == 0)
        subject_make_directory(fixture->directory);
    MPI_Bcast(fixture->directory, sizeof fixture->directory, MPI_CHAR, 0, MPI_COMM_WORLD);
    forget_environment();
    subject_use_store(fixture->directory);
    tutti_tuner_desc desc = subject_desc("subject", &fixture->subject);
    open_tuner(fixture, &desc);
    *state = fixture;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *fixture = *state;
    close_tuner(fixture);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        subject_remove_directory(fixture->directory);
    free(fixture);
    return 0;
}

/* Fails unless all ranks of comm have equal bytes. */
static void assert_same_on_all_ranks(MPI_Comm comm, const void *bytes, int size)
{
    char first[8192];
    int same, all;
    assert_true(size <= (int)sizeof first);
    memcpy(first, bytes, (size_t)size);
    MPI_Bcast(first, size, MPI_CHAR, 0, comm);
    same = memcmp(first, bytes, (size_t)size) == 0;
    MPI_Allreduce(&same, &all, 1, MPI_INT, MPI_MIN, comm);
    assert_true(all);
}

static int call(struct fixture *fixture)
{
    int status = tutti_call(fixture->tuner, &fixture->args, fixture->group, NULL);
    char message[4096] = "";
    strncat(message, tutti_message(fixture->tuner, fixture->group), sizeof message - 1);
    assert_same_on_all_ranks(fixture->comm, &status, sizeof status);
    if (status)
        assert_same_on_all_ranks(fixture->comm, message, sizeof message);
    return status;
}

static void assert_contains(const char *text, const char *part)
{
    if (!strstr(text, part))
        fail_msg("\"%s\" does not contain \"%s\"", text, part);
}

static void assert_message_contains(struct fixture *fixture, const char *part)
{
    assert_contains(tutti_message(fixture->tuner, fixture->group), part);
}

/* What could divide the ranks in a report. */
struct view {
    uint64_t numbers[6];
    int trials[SUBJECT_SPACE][2];
    char reasons[SUBJECT_SPACE][256];
};

static tutti_report report(struct fixture *fixture)
{
    tutti_report result = {.size = sizeof result};
    struct view view = {0};
    assert_int_equal(tutti_report_get(fixture->tuner, &fixture->args, fixture->group, &result),
                     TUTTI_SUCCESS);
    uint64_t numbers[] = {(uint64_t)result.source,  result.configuration,
                          result.ntrials,           result.search_calls,
                          result.search_operations, result.cold_operations};
    memcpy(view.numbers, numbers, sizeof numbers);
    for (size_t i = 0; i < result.ntrials; i++) {
        view.trials[i][0] = result.trials[i].status;
        view.trials[i][1] = result.trials[i].slowest_rank;
        strncat(view.reasons[i], result.trials[i].reason, sizeof view.reasons[i] - 1);
    }
    assert_same_on_all_ranks(fixture->comm, &view, sizeof view);
    return result;
}

static void expect_choice(struct fixture *fixture, int source, int configuration)
{
    assert_int_equal(call(fixture), TUTTI_SUCCESS);
    tutti_report result = report(fixture);
    assert_string_equal(tutti_source_name(result.source), tutti_source_name(source));
    assert_int_equal(result.configuration, configuration);
    assert_int_equal(fixture->subject.last_index, configuration);
}

static int files_in(const char *directory)
{
    MPI_Barrier(MPI_COMM_WORLD);
    int files = subject_count_files(directory, NULL);
    MPI_Barrier(MPI_COMM_WORLD);
    return files;
}

/* ---- agreement ---- */

static int prepare(void *args, const void *config, const tutti_context *context)
{
    struct fixture *fixture = context->user;
    (void)args;
    (void)config;
    if ((int)context->configuration == fixture->refused) {
        snprintf(context->message, context->message_size, "no window of that size");
        return 12;
    }
    fixture->prepared[context->configuration]++;
    return 0;
}

static void release(void *args, const void *config, const tutti_context *context)
{
    struct fixture *fixture = context->user;
    (void)args;
    (void)config;
    fixture->released[context->configuration]++;
}

static void what_prepare_refuses_on_rank_1_is_run_nowhere(void **state)
{
    struct fixture *fixture = *state;
    static const int policies[] = {TUTTI_POLICY_EXHAUSTIVE, TUTTI_POLICY_RACE};
    fixture->refused = rank == 1 ? 3 : -1;
    for (int i = 0; i < 2; i++) {
        tutti_tuner_desc desc = subject_desc("subject", &fixture->subject);
        desc.prepare = prepare;
        desc.release = release;
        desc.policy = policies[i];
        reopen(fixture, &desc);
        fixture->args.rows = i;
        expect_choice(fixture, TUTTI_SOURCE_SEARCH, 0);
        assert_int_equal(report(fixture).trials[3].status, TUTTI_STATUS_FAILED);
        assert_string_equal(report(fixture).trials[3].reason,
                            "rank 1: prepare returned 12: no window of that size");
        assert_int_equal(fixture->ran[3], 0);
        assert_true(fixture->ran[4] > 0);
        assert_int_equal(fixture->prepared[3], fixture->released[3]);
    }
}

/* In real time: rank 1 takes 20 times as long as the others. */
static int run_unevenly(struct subject *subject, void *args, const tutti_context *context)
{
    count_run(subject, args, context);
    usleep(rank == 1 ? 4000 : 200);
    return 0;
}

static void a_budget_in_seconds_ends_after_the_same_calls_on_every_rank(void **state)
{
    struct fixture *fixture = *state;
    setenv("TUTTI_BUDGET_SECONDS", "0.1", 1);
    tutti_tuner_desc desc = subject_desc("subject", &fixture->subject);
    desc.timer = NULL;
    desc.policy = TUTTI_POLICY_RACE;
    reopen(fixture, &desc);
    fixture->subject.inside = run_unevenly;
    for (int i = 0; i < 3; i++) {
        memset(fixture->ran, 0, sizeof fixture->ran);
        fixture->args.rows = i;
        assert_int_equal(call(fixture), TUTTI_SUCCESS);
        assert_true(report(fixture).budget_ended_it);
        assert_same_on_all_ranks(fixture->comm, fixture->ran, sizeof fixture->ran);
    }
}

/* The outer launcher: one collective step of its own, and a tuned call of the inner one. */
static int run_outer(struct subject *subject, void *args, const tutti_context *context)
{
    struct fixture *fixture = (struct fixture *)(void *)subject;
    int one = 1, sum = 0, size;
    count_run(subject, args, context);
    MPI_Comm_size(fixture->comm, &size);
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, fixture->comm);
    fixture->inner->args.rows = context->configuration % 2 ? 7 : 8;
    int status = tutti_call(fixture->inner->tuner, &fixture->inner->args, fixture->group, NULL);
    return status ? status : sum == size ? 0 : 99;
}

/* Halves of the world, each with an outer and an inner tuner of its own, at the same time. */
static void a_tuned_launcher_calls_a_tuned_launcher_in_two_groups_at_once(void **state)
{
    struct fixture *fixture = *state;
    int half = rank % 2;
    char names[2][16];
    close_tuner(fixture);
    MPI_Comm_split(MPI_COMM_WORLD, half, -rank, &fixture->comm);
    fixture->inner = make_fixture(fixture->comm);
    fixture->inner->subject.seconds[half] = 0.5;
    fixture->subject.seconds[4 + half] = 0.25;
    fixture->subject.inside = run_outer;
    snprintf(names[0], sizeof names[0], "outer%d", half);
    snprintf(names[1], sizeof names[1], "inner%d", half);
    tutti_tuner_desc outer = subject_desc(names[0], &fixture->subject);
    tutti_tuner_desc inner = subject_desc(names[1], &fixture->inner->subject);
    assert_int_equal(tutti_tuner_create(&inner, &fixture->inner->tuner), TUTTI_SUCCESS);
    open_tuner(fixture, &outer);
    expect_choice(fixture, TUTTI_SOURCE_SEARCH, 4 + half);
    for (int rows = 7; rows <= 8; rows++) {
        tutti_report result = {.size = sizeof result};
        fixture->inner->args.rows = rows;
        assert_int_equal(
            tutti_report_get(fixture->inner->tuner, &fixture->inner->args, fixture->group, &result),
            TUTTI_SUCCESS);
        assert_int_equal(result.configuration, half);
    }
    assert_int_equal(files_in(fixture->directory), 2 * 3);
    tutti_tuner_destroy(fixture->inner->tuner);
    free(fixture->inner);
    close_tuner(fixture);
    MPI_Comm_free(&fixture->comm);
    fixture->comm = MPI_COMM_WORLD;
    open_tuner(fixture, &outer);
}

static void call_both_keys(struct fixture *fixture)
{
    for (fixture->args.rows = 4096; fixture->args.rows <= 4097; fixture->args.rows++)
        assert_int_equal(call(fixture), TUTTI_SUCCESS);
}

static void with_check_a_key_that_differs_on_a_warm_call_is_an_error_at_that_call(void **state)
{
    struct fixture *fixture = *state;
    char part[160];
    setenv("TUTTI_CHECK", "1", 1);
    reopen(fixture, NULL);
    call_both_keys(fixture);
    int before = fixture->subject.runs;
    for (int time = 0; time < 2; time++) {
        fixture->args.rows = rank == last ? 4097 : 4096; /* both are known to all */
        assert_int_equal(call(fixture), TUTTI_ERR_DISAGREE);
        snprintf(part, sizeof part,
                 "the key: rank 0 has \"A = [4096]\", rank %d has \"A = [4097]\" (%d differs", last,
                 last);
        assert_message_contains(fixture, part);
    }
    assert_int_equal(fixture->subject.runs, before);
    fixture->args.rows = 4096;
    assert_int_equal(call(fixture), TUTTI_SUCCESS); /* the group still works */
    assert_int_equal(fixture->subject.runs, before + 1);
}

static void with_check_a_new_key_on_one_rank_is_an_error_at_that_call(void **state)
{
    struct fixture *fixture = *state;
    char part[64];
    setenv("TUTTI_CHECK", "1", 1);
    reopen(fixture, NULL);
    assert_int_equal(call(fixture), TUTTI_SUCCESS);
    fixture->args.rows = rank == last ? 5 : 4096;
    assert_int_equal(call(fixture), TUTTI_ERR_DISAGREE);
    snprintf(part, sizeof part, "(%d differs from rank 0)", last);
    assert_message_contains(fixture, part);
    fixture->args.rows = 5;
    assert_int_equal(call(fixture), TUTTI_SUCCESS);
}

static void with_check_a_key_that_only_one_rank_knows_is_an_error_at_that_call(void **state)
{
    struct fixture *fixture = *state;
    char part[96];
    setenv("TUTTI_CHECK", "1", 1);
    reopen(fixture, NULL);
    assert_int_equal(call(fixture), TUTTI_SUCCESS);
    tutti_tuner_desc desc = subject_desc("subject", &fixture->subject);
    tutti_tuner *known = fixture->tuner;
    assert_int_equal(tutti_tuner_create(&desc, &fixture->tuner), TUTTI_SUCCESS);
    if (rank == last) {
        tutti_tuner_destroy(fixture->tuner);
        fixture->tuner = known;
    }
    assert_int_equal(call(fixture), TUTTI_ERR_DISAGREE);
    snprintf(part, sizeof part, "rank %d has \"tutti_call of a key that is known\"", last);
    assert_message_contains(fixture, part);
    if (rank != last)
        tutti_tuner_destroy(known);
}

/* ---- the store ---- */

/* Where the library's messages go while they are counted. */
struct capture {
    int saved;
    char path[300];
};

static void capture_begin(struct fixture *fixture, struct capture *capture)
{
    snprintf(capture->path, sizeof capture->path, "%s/stderr.%d", fixture->directory, rank);
    fflush(stderr);
    capture->saved = dup(STDERR_FILENO);
    assert_non_null(freopen(capture->path, "w", stderr));
}

/* How many warnings all ranks have written together. */
static int capture_end(struct capture *capture)
{
    char line[4096];
    int warnings = 0, sum;
    fflush(stderr);
    dup2(capture->saved, STDERR_FILENO);
    close(capture->saved);
    FILE *file = fopen(capture->path, "r");
    assert_non_null(file);
    while (fgets(line, sizeof line, file))
        warnings += strstr(line, "warning") != NULL;
    fclose(file);
    unlink(capture->path);
    MPI_Allreduce(&warnings, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    return sum;
}

static void expect_memory_only_with_one_warning(struct fixture *fixture)
{
    struct capture capture;
    capture_begin(fixture, &capture);
    reopen(fixture, NULL);
    int status = call(fixture);
    assert_int_equal(capture_end(&capture), 1);
    assert_int_equal(status, TUTTI_SUCCESS);
    assert_int_equal(report(fixture).source, TUTTI_SOURCE_SEARCH);
    assert_string_equal(report(fixture).record, "");
    int before = fixture->subject.runs;
    assert_int_equal(call(fixture), TUTTI_SUCCESS); /* from memory */
    assert_int_equal(fixture->subject.runs, before + 1);
}

static void without_a_home_results_stay_in_memory_and_one_rank_says_so(void **state)
{
    struct fixture *fixture = *state;
    char home[512];
    snprintf(home, sizeof home, "%s", getenv("HOME") ? getenv("HOME") : "/");
    unsetenv("TUTTI_CACHE_DIR");
    unsetenv("XDG_CACHE_HOME");
    unsetenv("HOME");
    expect_memory_only_with_one_warning(fixture);
    setenv("HOME", home, 1);
}

static void without_a_usable_directory_results_stay_in_memory_and_one_rank_says_so(void **state)
{
    struct fixture *fixture = *state;
    char path[300];
    snprintf(path, sizeof path, "%s/file", fixture->directory);
    if (rank == 0)
        fclose(fopen(path, "w"));
    MPI_Barrier(MPI_COMM_WORLD);
    setenv("TUTTI_CACHE_DIR", path, 1); /* a file in the place of the directory */
    expect_memory_only_with_one_warning(fixture);
    setenv("TUTTI_CACHE_DIR", "/proc/tutti", 1); /* can't be made */
    expect_memory_only_with_one_warning(fixture);
}

static void cache_only_runs_the_default_on_a_miss_and_writes_nothing(void **state)
{
    struct fixture *fixture = *state;
    setenv("TUTTI_MODE", "cache-only", 1);
    reopen(fixture, NULL);
    expect_choice(fixture, TUTTI_SOURCE_DEFAULT_MISS, 0);
    assert_int_equal(fixture->subject.runs, 1);
    assert_int_equal(files_in(fixture->directory), 0);
}

static void cache_only_makes_a_miss_an_error_on_all_ranks_if_asked(void **state)
{
    struct fixture *fixture = *state;
    setenv("TUTTI_MODE", "cache-only", 1);
    if (rank == 0)
        setenv("TUTTI_ON_MISS", "error", 1); /* the root's word holds everywhere */
    reopen(fixture, NULL);
    assert_int_equal(call(fixture), TUTTI_ERR_MISS);
    assert_message_contains(fixture, "no record for this key");
    assert_int_equal(fixture->subject.runs, 0);
    assert_int_equal(files_in(fixture->directory), 0);
}

static void cache_only_and_read_only_use_a_record(void **state)
{
    struct fixture *fixture = *state;
    assert_int_equal(call(fixture), TUTTI_SUCCESS);
    setenv("TUTTI_MODE", "cache-only", 1);
    reopen(fixture, NULL);
    expect_choice(fixture, TUTTI_SOURCE_RECORD, 3);
    setenv("TUTTI_MODE", "read-only", 1);
    reopen(fixture, NULL);
    expect_choice(fixture, TUTTI_SOURCE_RECORD, 3);
    fixture->args.rows = 5; /* searched for, and not stored */
    expect_choice(fixture, TUTTI_SOURCE_SEARCH, 3);
    assert_int_equal(files_in(fixture->directory), 1);
}

static void a_launcher_whose_source_was_edited_is_tuned_again(void **state)
{
    struct fixture *fixture = *state;
    assert_int_equal(call(fixture), TUTTI_SUCCESS);
    tutti_tuner_desc desc = subject_desc("subject", &fixture->subject);
    desc.source_id = "edited"; /* name and version are as before */
    fixture->subject.seconds[5] = 0.25;
    reopen(fixture, &desc);
    expect_choice(fixture, TUTTI_SOURCE_SEARCH, 5);
    reopen(fixture, &desc);
    expect_choice(fixture, TUTTI_SOURCE_RECORD, 5);
}

/* A file's bytes and time of change, as one number. */
static uint64_t state_of_store(const char *directory)
{
    char path[512];
    struct stat status;
    uint64_t sum = 14695981039346656037u;
    MPI_Barrier(MPI_COMM_WORLD);
    if (subject_count_files(directory, path) > 0 && stat(path, &status) == 0)
        sum ^= (uint64_t)status.st_mtim.tv_nsec ^ ((uint64_t)status.st_ino << 32);
    MPI_Barrier(MPI_COMM_WORLD);
    return sum;
}

static void records_that_are_shipped_come_after_the_users_own_and_are_never_written(void **state)
{
    struct fixture *fixture = *state;
    char own[300], shipped[300], paths[1024];
    snprintf(own, sizeof own, "%s/own", fixture->directory);
    snprintf(shipped, sizeof shipped, "%s/shipped", fixture->directory);
    snprintf(paths, sizeof paths, "%s/nowhere:%s", fixture->directory, shipped);
    setenv("TUTTI_CACHE_DIR", shipped, 1);
    reopen(fixture, NULL);
    expect_choice(fixture, TUTTI_SOURCE_SEARCH, 3);
    uint64_t before = state_of_store(shipped);

    setenv("TUTTI_CACHE_DIR", own, 1);
    if (rank == 0)
        setenv("TUTTI_CACHE_PATH", paths, 1); /* as with all settings the root's counts */
    reopen(fixture, NULL);
    expect_choice(fixture, TUTTI_SOURCE_RECORD, 3);
    assert_contains(report(fixture).record, shipped);
    assert_int_equal(files_in(own), 0);

    setenv("TUTTI_ALWAYS_TUNE", "1", 1);
    fixture->subject.seconds[5] = 0.25;
    reopen(fixture, NULL);
    expect_choice(fixture, TUTTI_SOURCE_SEARCH, 5);
    unsetenv("TUTTI_ALWAYS_TUNE");
    reopen(fixture, NULL);
    expect_choice(fixture, TUTTI_SOURCE_RECORD, 5);
    assert_contains(report(fixture).record, own);
    assert_int_equal(files_in(shipped), 1);
    assert_true(state_of_store(shipped) == before);
}

static void a_damaged_own_record_gives_way_to_a_shipped_one(void **state)
{
    struct fixture *fixture = *state;
    char own[300], record[512] = "";
    snprintf(own, sizeof own, "%s/own", fixture->directory);
    assert_int_equal(call(fixture), TUTTI_SUCCESS);
    setenv("TUTTI_CACHE_PATH", fixture->directory, 1);
    setenv("TUTTI_CACHE_DIR", own, 1);
    setenv("TUTTI_ALWAYS_TUNE", "1", 1);
    reopen(fixture, NULL);
    assert_int_equal(call(fixture), TUTTI_SUCCESS);
    unsetenv("TUTTI_ALWAYS_TUNE");
    snprintf(record, sizeof record, "%s", report(fixture).record);
    assert_contains(record, own);
    if (rank == 0)
        assert_int_equal(truncate(record, 100), 0);
    MPI_Barrier(MPI_COMM_WORLD);
    struct capture capture;
    capture_begin(fixture, &capture);
    reopen(fixture, NULL);
    int status = call(fixture);
    assert_int_equal(capture_end(&capture), 1);
    assert_int_equal(status, TUTTI_SUCCESS);
    assert_int_equal(report(fixture).source, TUTTI_SOURCE_RECORD);
}

static void always_tune_searches_again_and_replaces_the_record(void **state)
{
    struct fixture *fixture = *state;
    assert_int_equal(call(fixture), TUTTI_SUCCESS);
    fixture->subject.seconds[5] = 0.25;
    if (rank == 0)
        setenv("TUTTI_ALWAYS_TUNE", "1", 1);
    reopen(fixture, NULL);
    expect_choice(fixture, TUTTI_SOURCE_SEARCH, 5);
    unsetenv("TUTTI_ALWAYS_TUNE");
    reopen(fixture, NULL);
    expect_choice(fixture, TUTTI_SOURCE_RECORD, 5);
    assert_int_equal(files_in(fixture->directory), 1);
}

/* ---- outputs ---- */

static int reset_data(void *args, const void *config, const tutti_context *context)
{
    struct fixture *fixture = context->user;
    (void)args;
    (void)config;
    for (int i = 0; i < TILES * TILE; i++) {
        fixture->input[i] = 100 * rank + i;
        fixture->output[i] = -1; /* poison */
    }
    return 0;
}

static int double_the_input(struct subject *subject, void *args, const tutti_context *context)
{
    struct fixture *fixture = (struct fixture *)(void *)subject;
    int habit = fixture->habits[context->configuration];
    int n = habit == HABIT_WRITES_HALF ? TILES * TILE / 2 : TILES * TILE;
    count_run(subject, args, context);
    for (int i = 0; i < n && habit != HABIT_DOES_NOTHING; i++)
        fixture->output[i] = 2 * fixture->input[i];
    for (int i = 0; i < n && habit == HABIT_DAMAGES_INPUTS; i++)
        fixture->input[i] += 1;
    if (habit == HABIT_LAST && rank == last)
        fixture->output[TILES * TILE - 1]++;
    return 0;
}

static int verify_data(void *args, const void *config, const tutti_context *context)
{
    struct fixture *fixture = context->user;
    (void)args;
    (void)config;
    if (fixture->reference_status)
        return TUTTI_VERDICT_REFERENCE_FAILED;
    for (int i = 0; i < TILES * TILE; i++) {
        if (fixture->output[i] == 2 * (100 * rank + i))
            continue;
        snprintf(context->message, context->message_size, "tile %d", i / TILE);
        return TUTTI_VERDICT_WRONG;
    }
    return TUTTI_VERDICT_OK;
}

static tutti_tuner_desc verified_desc(struct fixture *fixture, int policy)
{
    tutti_tuner_desc desc = subject_desc("subject", &fixture->subject);
    fixture->subject.inside = double_the_input;
    desc.policy = policy;
    desc.budget_calls = 40;
    desc.reset = reset_data;
    desc.verify = verify_data;
    return desc;
}

static void expect_wrong(struct fixture *fixture, int configuration, int on, const char *what)
{
    char reason[64];
    const tutti_trial trial = report(fixture).trials[configuration];
    snprintf(reason, sizeof reason, "rank %d: wrong outputs: %s", on, what);
    assert_string_equal(tutti_status_name(trial.status), "wrong");
    assert_string_equal(trial.reason, reason);
}

/* The fastest four do something wrong or dirty; the one that only damages its inputs is right. */
static void expect_that_wrong_ones_never_win(struct fixture *fixture, int policy)
{
    static const int habits[] = {HABIT_WRITES_HALF,    HABIT_DOES_NOTHING, HABIT_LAST,
                                 HABIT_DAMAGES_INPUTS, HABIT_GOOD,         HABIT_GOOD};
    memcpy(fixture->habits, habits, sizeof habits);
    for (int i = 0; i < SUBJECT_SPACE; i++)
        fixture->subject.seconds[i] = 1 + i;
    tutti_tuner_desc desc = verified_desc(fixture, policy);
    reopen(fixture, &desc);
    expect_choice(fixture, TUTTI_SOURCE_SEARCH, 3);
    expect_wrong(fixture, 0, 0, "tile 2");
    expect_wrong(fixture, 1, 0, "tile 0");
    expect_wrong(fixture, 2, last, "tile 3"); /* there only, and in the last tile only */
    assert_int_equal(report(fixture).trials[4].status, TUTTI_STATUS_OK);
    assert_int_equal(fixture->output[5], 2 * (100 * rank + 5)); /* what the caller gets */
    reopen(fixture, &desc);
    assert_int_equal(call(fixture), TUTTI_SUCCESS);
    assert_int_equal(report(fixture).source, TUTTI_SOURCE_RECORD);
    expect_wrong(fixture, 2, last, "tile 3"); /* the record says so, too */
}

static void wrong_in_the_last_tile_of_one_rank_is_wrong_everywhere(void **state)
{
    expect_that_wrong_ones_never_win(*state, TUTTI_POLICY_EXHAUSTIVE);
}

static void in_a_race_too_wrong_on_one_rank_is_wrong_everywhere(void **state)
{
    expect_that_wrong_ones_never_win(*state, TUTTI_POLICY_RACE);
}

static void a_reference_that_fails_on_one_rank_is_said_to_and_condemns_nobody(void **state)
{
    struct fixture *fixture = *state;
    char part[64];
    tutti_tuner_desc desc = verified_desc(fixture, TUTTI_POLICY_EXHAUSTIVE);
    reopen(fixture, &desc);
    fixture->reference_status = rank == last;
    assert_int_equal(call(fixture), TUTTI_ERR_REFERENCE);
    snprintf(part, sizeof part, "rank %d: verify returned 2, the reference failed", last);
    assert_message_contains(fixture, part);
    assert_int_equal(files_in(fixture->directory), 0);
    fixture->reference_status = 0;
    expect_choice(fixture, TUTTI_SOURCE_SEARCH, 3);
}

static void when_none_is_right_one_error_has_each_reason_and_nothing_is_stored(void **state)
{
    struct fixture *fixture = *state;
    char part[64];
    for (int i = 0; i < SUBJECT_SPACE; i++)
        fixture->habits[i] = HABIT_LAST;
    fixture->subject.fail_status[1] = rank == 1 ? 41 : 0;
    tutti_tuner_desc desc = verified_desc(fixture, TUTTI_POLICY_EXHAUSTIVE);
    reopen(fixture, &desc);
    assert_int_equal(call(fixture), TUTTI_ERR_FAILED);
    assert_message_contains(fixture, "block=16, depth=2: rank 1: warm-up returned 41");
    snprintf(part, sizeof part, "block=64, depth=2: rank %d: wrong outputs: tile 3", last);
    assert_message_contains(fixture, part);
    assert_int_equal(files_in(fixture->directory), 0);
}

/* The same without a user's reset: what the run reads and writes is declared. */
static int declare_data(tutti_buffers *buffers, void *args, void *user)
{
    struct fixture *fixture = user;
    (void)args;
    if (fixture->inputs_are_read_only)
        tutti_buffer_in(buffers, "input", fixture->input, sizeof fixture->input);
    else
        tutti_buffer_inout(buffers, "input", fixture->input, sizeof fixture->input);
    tutti_buffer_out(buffers, "output", fixture->output, sizeof fixture->output);
    return fixture->buffers_status;
}

/* Opens a tuner whose fastest four do something wrong or dirty. */
static void open_declared(struct fixture *fixture, int policy)
{
    static const int habits[] = {HABIT_WRITES_HALF,    HABIT_DOES_NOTHING, HABIT_LAST,
                                 HABIT_DAMAGES_INPUTS, HABIT_GOOD,         HABIT_GOOD};
    memcpy(fixture->habits, habits, sizeof habits);
    for (int i = 0; i < SUBJECT_SPACE; i++)
        fixture->subject.seconds[i] = 1 + i;
    tutti_tuner_desc desc = verified_desc(fixture, policy);
    desc.reset = NULL;
    desc.buffers = declare_data;
    reset_data(NULL, NULL, &(tutti_context){.user = fixture}); /* the caller's data */
    reopen(fixture, &desc);
}

static void expect_that_declared_buffers_do_without_reset(struct fixture *fixture, int policy)
{
    open_declared(fixture, policy);
    expect_choice(fixture, TUTTI_SOURCE_SEARCH, 3);
    expect_wrong(fixture, 0, 0, "tile 2");
    expect_wrong(fixture, 1, 0, "buffer \"output\" was not written");
    expect_wrong(fixture, 2, last, "tile 3");
    assert_int_equal(fixture->input[5], 100 * rank + 5 + 1); /* as one run leaves it */
    assert_int_equal(fixture->output[5], 2 * (100 * rank + 5));
}

static void declared_buffers_catch_the_same_without_a_reset(void **state)
{
    expect_that_declared_buffers_do_without_reset(*state, TUTTI_POLICY_EXHAUSTIVE);
}

static void in_a_race_too_declared_buffers_catch_the_same_without_a_reset(void **state)
{
    expect_that_declared_buffers_do_without_reset(*state, TUTTI_POLICY_RACE);
}

static void a_run_that_changes_an_input_on_one_rank_fails_on_all_and_harms_nobody(void **state)
{
    struct fixture *fixture = *state;
    fixture->inputs_are_read_only = true;
    for (int i = 0; i < 2; i++) {
        setenv("TUTTI_ALWAYS_TUNE", "1", 1);
        open_declared(fixture, i ? TUTTI_POLICY_RACE : TUTTI_POLICY_EXHAUSTIVE);
        if (rank != last)
            fixture->habits[3] = HABIT_GOOD;
        int status = call(fixture);
        unsetenv("TUTTI_ALWAYS_TUNE");
        assert_int_equal(status, TUTTI_SUCCESS);
        assert_int_equal(report(fixture).configuration, 4);
        assert_string_equal(report(fixture).trials[3].reason,
                            "rank 3: the run changed buffer \"input\", which is declared as in");
        assert_int_equal(report(fixture).trials[3].status, TUTTI_STATUS_FAILED);
        assert_int_equal(fixture->input[5], 100 * rank + 5);
        assert_int_equal(fixture->output[5], 2 * (100 * rank + 5));
    }
}

static void buffers_that_one_rank_can_not_declare_are_an_error_on_all(void **state)
{
    struct fixture *fixture = *state;
    open_declared(fixture, TUTTI_POLICY_EXHAUSTIVE);
    fixture->buffers_status = rank == 1 ? 7 : 0;
    assert_int_equal(call(fixture), TUTTI_ERR_RUN);
    assert_message_contains(fixture, "rank 1: the buffers callback returned 7");
    assert_int_equal(fixture->subject.runs, 0);
    assert_int_equal(files_in(fixture->directory), 0);
}

static void ranks_of_which_one_declares_no_buffers_get_an_error(void **state)
{
    struct fixture *fixture = *state;
    open_declared(fixture, TUTTI_POLICY_EXHAUSTIVE);
    tutti_tuner_desc desc = verified_desc(fixture, TUTTI_POLICY_EXHAUSTIVE);
    desc.reset = NULL;
    desc.buffers = rank == last ? NULL : declare_data;
    reopen(fixture, &desc);
    assert_int_equal(call(fixture), TUTTI_ERR_DISAGREE);
    assert_message_contains(fixture, "rank 0 has \"callbacks: verify buffers\"");
}

/* ---- what a candidate leaves behind ---- */

#define TAG_DATA  7
#define TAG_COUNT 8

/* A ring: each rank sends to the right and receives from the left. One configuration fails on rank
 * 1 between the two, and leaves there a message that the next one would take for its own. */
static int run_ring(struct subject *subject, void *args, const tutti_context *context)
{
    struct fixture *fixture = (struct fixture *)(void *)subject;
    int right = (rank + 1) % ranks, left = (rank + ranks - 1) % ranks;
    int configuration = (int)context->configuration, got = -1;
    count_run(subject, args, context);
    MPI_Send(&configuration, 1, MPI_INT, right, TAG_DATA, fixture->comm);
    fixture->sent++;
    if (configuration == fixture->half_way && rank == 1)
        return 13;
    MPI_Recv(&got, 1, MPI_INT, left, TAG_DATA, fixture->comm, MPI_STATUS_IGNORE);
    fixture->received++;
    fixture->verdict = got == configuration ? TUTTI_VERDICT_OK : TUTTI_VERDICT_WRONG;
    return 0;
}

/* Receives what was sent here and not received. */
static int drain(void *args, const void *config, const tutti_context *context)
{
    struct fixture *fixture = context->user;
    int right = (rank + 1) % ranks, left = (rank + ranks - 1) % ranks, due, lost;
    (void)args;
    (void)config;
    MPI_Sendrecv(&fixture->sent, 1, MPI_INT, right, TAG_COUNT, &due, 1, MPI_INT, left, TAG_COUNT,
                 fixture->comm, MPI_STATUS_IGNORE);
    for (; fixture->received < due && !fixture->lets_lie; fixture->received++, fixture->drained++)
        MPI_Recv(&lost, 1, MPI_INT, left, TAG_DATA, fixture->comm, MPI_STATUS_IGNORE);
    return 0;
}

static int verify_ring(void *args, const void *config, const tutti_context *context)
{
    (void)args;
    (void)config;
    return ((struct fixture *)context->user)->verdict;
}

static tutti_tuner_desc ring_desc(struct fixture *fixture, int policy)
{
    tutti_tuner_desc desc = subject_desc("ring", &fixture->subject);
    fixture->subject.inside = run_ring;
    fixture->half_way = 2;
    desc.policy = policy;
    desc.warmups = 1;
    desc.samples = 2;
    desc.budget_calls = 30;
    desc.reset = drain;
    desc.verify = verify_ring;
    return desc;
}

static void expect_ring(struct fixture *fixture, int policy)
{
    MPI_Comm_dup(MPI_COMM_WORLD, &fixture->comm); /* what is left there is nobody else's */
    tutti_tuner_desc desc = ring_desc(fixture, policy);
    reopen(fixture, &desc);
    expect_choice(fixture, TUTTI_SOURCE_SEARCH, 3);
    tutti_report result = report(fixture);
    /* A race judges the outputs of each one's first sample, the exhaustive policy of its first
     * warm-up. */
    assert_string_equal(result.trials[2].reason, policy == TUTTI_POLICY_EXHAUSTIVE
                                                     ? "rank 1: warm-up returned 13"
                                                     : "rank 1: timed run returned 13");
    for (int i = 0; i < SUBJECT_SPACE; i++)
        assert_int_equal(result.trials[i].status, i == 2 ? TUTTI_STATUS_FAILED : TUTTI_STATUS_OK);
    assert_int_equal(fixture->drained > 0, rank == 1);
    assert_int_equal(fixture->verdict, TUTTI_VERDICT_OK);
}

static void forget_ring(struct fixture *fixture)
{
    MPI_Comm_free(&fixture->comm);
    fixture->comm = MPI_COMM_WORLD;
}

static void messages_left_by_a_failed_candidate_do_not_touch_the_next(void **state)
{
    struct fixture *fixture = *state;
    expect_ring(fixture, TUTTI_POLICY_EXHAUSTIVE);
    assert_true(report(fixture).trials[3].seconds == 0.75); /* measured as if alone */
    forget_ring(fixture);
}

static void in_a_race_too_messages_left_do_not_touch_the_next(void **state)
{
    struct fixture *fixture = *state;
    expect_ring(fixture, TUTTI_POLICY_RACE);
    forget_ring(fixture);
}

/* That the scenario is one: where reset lets them lie, verify finds out. */
static void messages_that_are_not_drained_make_the_next_wrong(void **state)
{
    struct fixture *fixture = *state;
    MPI_Comm_dup(MPI_COMM_WORLD, &fixture->comm);
    tutti_tuner_desc desc = ring_desc(fixture, TUTTI_POLICY_EXHAUSTIVE);
    fixture->lets_lie = true;
    reopen(fixture, &desc);
    expect_choice(fixture, TUTTI_SOURCE_SEARCH, 0);
    tutti_report result = report(fixture);
    for (int i = 3; i < SUBJECT_SPACE; i++)
        assert_string_equal(result.trials[i].reason, "rank 1: wrong outputs");
    fixture->lets_lie = false;
    drain(NULL, NULL, &(tutti_context){.user = fixture});
    forget_ring(fixture);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        TEST(what_prepare_refuses_on_rank_1_is_run_nowhere),
        TEST(a_budget_in_seconds_ends_after_the_same_calls_on_every_rank),
        TEST(a_tuned_launcher_calls_a_tuned_launcher_in_two_groups_at_once),
        TEST(with_check_a_key_that_differs_on_a_warm_call_is_an_error_at_that_call),
        TEST(with_check_a_new_key_on_one_rank_is_an_error_at_that_call),
        TEST(with_check_a_key_that_only_one_rank_knows_is_an_error_at_that_call),
        TEST(without_a_home_results_stay_in_memory_and_one_rank_says_so),
        TEST(without_a_usable_directory_results_stay_in_memory_and_one_rank_says_so),
        TEST(cache_only_runs_the_default_on_a_miss_and_writes_nothing),
        TEST(cache_only_makes_a_miss_an_error_on_all_ranks_if_asked),
        TEST(cache_only_and_read_only_use_a_record),
        TEST(a_launcher_whose_source_was_edited_is_tuned_again),
        TEST(records_that_are_shipped_come_after_the_users_own_and_are_never_written),
        TEST(a_damaged_own_record_gives_way_to_a_shipped_one),
        TEST(always_tune_searches_again_and_replaces_the_record),
        TEST(wrong_in_the_last_tile_of_one_rank_is_wrong_everywhere),
        TEST(in_a_race_too_wrong_on_one_rank_is_wrong_everywhere),
        TEST(a_reference_that_fails_on_one_rank_is_said_to_and_condemns_nobody),
        TEST(when_none_is_right_one_error_has_each_reason_and_nothing_is_stored),
        TEST(declared_buffers_catch_the_same_without_a_reset),
        TEST(in_a_race_too_declared_buffers_catch_the_same_without_a_reset),
        TEST(a_run_that_changes_an_input_on_one_rank_fails_on_all_and_harms_nobody),
        TEST(buffers_that_one_rank_can_not_declare_are_an_error_on_all),
        TEST(ranks_of_which_one_declares_no_buffers_get_an_error),
        TEST(messages_left_by_a_failed_candidate_do_not_touch_the_next),
        TEST(in_a_race_too_messages_left_do_not_touch_the_next),
        TEST(messages_that_are_not_drained_make_the_next_wrong),
    };
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    last = ranks - 1;
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    /* A failed assertion leaves the other ranks in an operation: end them, don't wait for them. */
    if (failed)
        MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Finalize();
    return failed;
}
