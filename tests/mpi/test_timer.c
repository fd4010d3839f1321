/*
 * What a timer may tell the core beside the time, with real ranks: that its device is lost, that it
 * is busy, what its device is, and that it flushes caches. The timer is a simulated device, which a
 * run can destroy; all ranks must end alike, whichever rank it happens on.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <mpi.h>

#include <tutti/mpi.h>

#include "subject.h"

static int rank, ranks;
static int last; /* the rank on which things go wrong */

struct fixture {
    struct subject subject; /* first: the callbacks of subject.h see it */
    char directory[256];
    tutti_tuner *tuner;
    tutti_group *group;
    struct subject_args args;
    int ran[SUBJECT_SPACE];
    int held; /* prepared and not yet released */

    /* The device. */
    bool lost, busy;
    bool prepare_is_deadly, reset_is_deadly; /* that of configuration 3, on the last rank */
    int deadly;      /* the configuration that costs this rank's device, or -1 ... */
    int deadly_runs; /* ... in its run of this number; 1 is the first */
    int begins, flushes, waits;
    double began;
    const char *hardware, *environment;
    bool hangs;         /* stop waits until on_stall is called */
    volatile bool told; /* by on_stall, from the watchdog's thread */
};

static int run(void *args, const void *config, const tutti_context *context)
{
    struct fixture *fixture = context->user;
    const int index = (int)context->configuration;
    fixture->ran[index]++;
    fixture->lost |= index == fixture->deadly && fixture->ran[index] == fixture->deadly_runs;
    return subject_run(args, config, context);
}

static int prepare(void *args, const void *config, const tutti_context *context)
{
    (void)args;
    (void)config;
    struct fixture *fixture = context->user;
    fixture->held++;
    fixture->lost |= fixture->prepare_is_deadly && rank == last && context->configuration == 3;
    return 0;
}

static void release(void *args, const void *config, const tutti_context *context)
{
    (void)args;
    (void)config;
    ((struct fixture *)context->user)->held--;
}

static int reset(void *args, const void *config, const tutti_context *context)
{
    struct fixture *fixture = context->user;
    (void)args;
    (void)config;
    fixture->lost |= fixture->reset_is_deadly && rank == last && context->configuration == 3;
    return 0;
}

static int start(void *self)
{
    struct fixture *fixture = self;
    fixture->began = fixture->subject.now;
    return fixture->lost ? TUTTI_TIMER_LOST : TUTTI_TIMER_OK;
}

static int stop(void *self, double *seconds)
{
    struct fixture *fixture = self;
    while (fixture->hangs && !fixture->told)
        usleep(1000);
    *seconds = fixture->subject.now - fixture->began;
    return fixture->lost ? TUTTI_TIMER_LOST : TUTTI_TIMER_OK;
}

static int begin(void *self, void *stream)
{
    struct fixture *fixture = self;
    (void)stream;
    fixture->begins++;
    if (fixture->lost)
        return TUTTI_TIMER_LOST;
    return fixture->busy ? TUTTI_TIMER_BUSY : TUTTI_TIMER_OK;
}

static int flush(void *self)
{
    ((struct fixture *)self)->flushes++;
    return 0;
}

static const char *describe(void *self, int what)
{
    const struct fixture *fixture = self;
    if (what == TUTTI_TIMER_ERROR)
        return fixture->lost ? "the simulated device burns" : fixture->busy ? "it records" : NULL;
    return what == TUTTI_TIMER_HARDWARE ? fixture->hardware : fixture->environment;
}

static const tutti_timer_ops timer = {.size = sizeof timer,
                                      .name = "simulated device",
                                      .start = start,
                                      .stop = stop,
                                      .begin = begin,
                                      .flush = flush,
                                      .describe = describe};

static void told(const char *message, void *user)
{
    assert_non_null(strstr(message, " has not returned for "));
    ((struct fixture *)user)->told = true;
}

static tutti_tuner_desc desc_of(struct fixture *fixture, int policy)
{
    tutti_tuner_desc desc = subject_desc("subject", &fixture->subject);
    desc.policy = policy;
    desc.run = run;
    desc.prepare = prepare;
    desc.release = release;
    desc.on_stall = told;
    desc.timer = &timer;
    desc.timer_self = fixture;
    return desc;
}

static void close_tuner(struct fixture *fixture)
{
    tutti_tuner_destroy(fixture->tuner);
    tutti_group_release(fixture->group);
    fixture->tuner = NULL;
    fixture->group = NULL;
}

/* As a new process would: nothing in memory, a healthy device. */
static void open_tuner(struct fixture *fixture, const tutti_tuner_desc *desc)
{
    close_tuner(fixture);
    memset(fixture->ran, 0, sizeof fixture->ran);
    fixture->lost = fixture->busy = false;
    fixture->deadly = -1;
    assert_int_equal(tutti_tuner_create(desc, &fixture->tuner), TUTTI_SUCCESS);
    assert_int_equal(tutti_group_create_mpi(MPI_COMM_WORLD, &fixture->group), TUTTI_SUCCESS);
}

static void open_policy(struct fixture *fixture, int policy)
{
    const tutti_tuner_desc desc = desc_of(fixture, policy);
    open_tuner(fixture, &desc);
}

static int setup(void **state)
{
    struct fixture *fixture = calloc(1, sizeof *fixture);
    if (rank == 0)
        subject_make_directory(fixture->directory);
    MPI_Bcast(fixture->directory, sizeof fixture->directory, MPI_CHAR, 0, MPI_COMM_WORLD);
    unsetenv("TUTTI_ON_MISS");
    unsetenv("TUTTI_RUN_TIMEOUT");
    subject_use_store(fixture->directory);
    fixture->args = (struct subject_args){.rows = 4096, .dtype = "bf16"};
    for (int i = 0; i < SUBJECT_SPACE; i++)
        fixture->subject.seconds[i] = 1 + i + rank / 128.0; /* exact in binary */
    *state = fixture;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *fixture = *state;
    close_tuner(fixture);
    assert_int_equal(fixture->held, 0);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        subject_remove_directory(fixture->directory);
    free(fixture);
    return 0;
}

static void assert_same_on_all_ranks(const void *bytes, int size)
{
    char first[1024];
    int same, all;
    assert_true(size <= (int)sizeof first);
    memcpy(first, bytes, (size_t)size);
    MPI_Bcast(first, size, MPI_CHAR, 0, MPI_COMM_WORLD);
    same = memcmp(first, bytes, (size_t)size) == 0;
    MPI_Allreduce(&same, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    assert_true(all);
}

static int call(struct fixture *fixture)
{
    return tutti_call(fixture->tuner, &fixture->args, fixture->group, NULL);
}

/* Fails with an error, whose sentence is the same everywhere and holds the parts. */
static void expect_error(struct fixture *fixture, int error, const char *part, const char *other)
{
    char message[1024] = {0};
    assert_int_equal(call(fixture), error);
    strncpy(message, tutti_message(fixture->tuner, fixture->group), sizeof message - 1);
    assert_same_on_all_ranks(message, sizeof message);
    if (!strstr(message, part) || !strstr(message, other))
        fail_msg("\"%s\" or \"%s\" is not in \"%s\"", part, other, message);
}

static tutti_report report(struct fixture *fixture)
{
    tutti_report result = {.size = sizeof result};
    assert_int_equal(tutti_report_get(fixture->tuner, &fixture->args, fixture->group, &result),
                     TUTTI_SUCCESS);
    return result;
}

static void expect_choice(struct fixture *fixture, int source, uint64_t configuration)
{
    assert_int_equal(call(fixture), TUTTI_SUCCESS);
    const tutti_report result = report(fixture);
    assert_string_equal(tutti_source_name(result.source), tutti_source_name(source));
    assert_int_equal(result.configuration, configuration);
}

/* Everyone's files, once everyone is there. */
static int count_files(struct fixture *fixture)
{
    MPI_Barrier(MPI_COMM_WORLD);
    const int files = subject_count_files(fixture->directory, NULL);
    MPI_Barrier(MPI_COMM_WORLD);
    return files;
}

/* Configuration 3, which would win, costs the last rank's device in one of its runs. */
static void lose_device(struct fixture *fixture, int policy, int runs)
{
    open_policy(fixture, policy);
    fixture->subject.seconds[3] = 0.5;
    fixture->deadly = rank == last ? 3 : -1;
    fixture->deadly_runs = runs;
    char named[64];
    snprintf(named, sizeof named, "rank %d: the device is lost: the simulated device burns", last);
    expect_error(fixture, TUTTI_ERR_DEVICE, "block=32, depth=2 ends the search: ", named);
    assert_int_equal(tutti_report_get(fixture->tuner, &fixture->args, fixture->group,
                                      &(tutti_report){.size = sizeof(tutti_report)}),
                     TUTTI_ERR_MISS);
}

/* A new process does not run it, and says why. */
static void expect_skipped(struct fixture *fixture, int policy)
{
    open_policy(fixture, policy);
    expect_choice(fixture, TUTTI_SOURCE_SEARCH, 0);
    const tutti_report result = report(fixture);
    assert_int_equal(result.trials[3].status, TUTTI_STATUS_CRASHED);
    assert_non_null(strstr(result.trials[3].reason, "the simulated device burns"));
    assert_int_equal(fixture->ran[3], 0);
    assert_int_not_equal(fixture->ran[5], 0);
}

static void a_lost_device_ends_the_search_and_the_next_start_skips_its_culprit(void **state)
{
    struct fixture *fixture = *state;
    lose_device(fixture, TUTTI_POLICY_EXHAUSTIVE, 1);
    assert_int_equal(fixture->ran[4], 0);
    expect_skipped(fixture, TUTTI_POLICY_EXHAUSTIVE);
    /* What was measured before stands. */
    assert_int_equal(fixture->ran[1], 0);
}

static void a_device_lost_in_a_timed_run_is_a_lost_device(void **state)
{
    struct fixture *fixture = *state;
    lose_device(fixture, TUTTI_POLICY_EXHAUSTIVE, 9);
    expect_skipped(fixture, TUTTI_POLICY_EXHAUSTIVE);
}

/* The rounds of a race go on until the next reduction: what runs meanwhile is not to blame. */
static void in_a_race_too_only_the_culprit_is_condemned(void **state)
{
    struct fixture *fixture = *state;
    for (int runs = 1; runs < 6; runs++) {
        lose_device(fixture, TUTTI_POLICY_RACE, runs);
        expect_skipped(fixture, TUTTI_POLICY_RACE);
        for (int i = 0; i < SUBJECT_SPACE; i++)
            assert_true(i == 3 || report(fixture).trials[i].status == TUTTI_STATUS_OK);
        fixture->args.rows++; /* another record */
    }
}

/* The search sees it in the first start, before anything of it ran. */
static void a_device_that_was_lost_before_condemns_nobody(void **state)
{
    struct fixture *fixture = *state;
    tutti_timer_ops without_begin = timer;
    without_begin.begin = NULL;
    tutti_tuner_desc desc = desc_of(fixture, TUTTI_POLICY_EXHAUSTIVE);
    desc.timer = &without_begin;
    open_tuner(fixture, &desc);
    fixture->lost = rank == last;
    expect_error(fixture, TUTTI_ERR_DEVICE, "block=16, depth=1 could not begin: ", "is lost");
    open_tuner(fixture, &desc);
    expect_choice(fixture, TUTTI_SOURCE_SEARCH, 0);
    for (int i = 0; i < SUBJECT_SPACE; i++)
        assert_int_equal(report(fixture).trials[i].status, TUTTI_STATUS_OK);
}

static const int policies[] = {TUTTI_POLICY_EXHAUSTIVE, TUTTI_POLICY_RACE};

static void who_costs_the_device_in_prepare_is_the_culprit(void **state)
{
    struct fixture *fixture = *state;
    for (int i = 0; i < 2; i++) {
        fixture->prepare_is_deadly = true;
        open_policy(fixture, policies[i]);
        expect_error(fixture, TUTTI_ERR_DEVICE, "block=32, depth=2 ends the search: ", "burns");
        assert_int_equal(fixture->ran[3], 0);
        fixture->prepare_is_deadly = false;
        expect_skipped(fixture, policies[i]);
        fixture->args.rows++; /* another record */
    }
}

/* Only the next start finds out, so it might be anybody: twice is enough. */
static void who_costs_the_device_in_reset_is_suspect_and_then_skipped(void **state)
{
    struct fixture *fixture = *state;
    for (int i = 0; i < 2; i++) {
        tutti_tuner_desc desc = desc_of(fixture, policies[i]);
        desc.reset = reset;
        fixture->reset_is_deadly = true;
        for (int times = 0; times < 2; times++) {
            open_tuner(fixture, &desc);
            expect_error(fixture, TUTTI_ERR_DEVICE, "block=32, depth=2 could not begin: ", "burns");
        }
        open_tuner(fixture, &desc);
        expect_choice(fixture, TUTTI_SOURCE_SEARCH, 0);
        for (int c = 0; c < SUBJECT_SPACE; c++)
            assert_int_equal(report(fixture).trials[c].status,
                             c == 3 ? TUTTI_STATUS_CRASHED : TUTTI_STATUS_OK);
        fixture->args.rows++; /* another record */
    }
}

static void without_a_device_no_search_begins(void **state)
{
    struct fixture *fixture = *state;
    open_policy(fixture, TUTTI_POLICY_RACE);
    fixture->lost = rank == last;
    expect_error(fixture, TUTTI_ERR_DEVICE, "the device is lost: ", "the simulated device burns");
    assert_int_equal(fixture->subject.runs, 0);
}

/* Whatever the launcher said about it, the device weighs more. */
static void a_launcher_that_reports_the_loss_itself_is_a_lost_device(void **state)
{
    struct fixture *fixture = *state;
    open_policy(fixture, TUTTI_POLICY_EXHAUSTIVE);
    fixture->deadly = rank == last ? 3 : -1;
    fixture->deadly_runs = 1;
    fixture->subject.fail_status[3] = 700;
    expect_error(fixture, TUTTI_ERR_DEVICE, "block=32, depth=2 ends the search: ", "burns");
}

static void while_one_rank_is_busy_the_default_runs_and_a_later_call_searches(void **state)
{
    struct fixture *fixture = *state;
    open_policy(fixture, TUTTI_POLICY_EXHAUSTIVE);
    fixture->subject.seconds[3] = 0.5;
    fixture->busy = rank == last;
    for (int i = 1; i <= 3; i++) {
        expect_choice(fixture, TUTTI_SOURCE_DEFAULT_BUSY, 0);
        assert_int_equal(fixture->subject.runs, i);
        assert_int_equal(fixture->held, 1); /* of the first call, for all that follow */
    }
    assert_int_equal(count_files(fixture), 0);
    fixture->busy = false;
    expect_choice(fixture, TUTTI_SOURCE_SEARCH, 3);
    fixture->busy = true; /* what is known can be called at any time */
    const int runs = fixture->subject.runs;
    expect_choice(fixture, TUTTI_SOURCE_SEARCH, 3);
    assert_int_equal(fixture->subject.runs, runs + 1);
}

static void while_one_rank_is_busy_a_call_fails_on_all_if_asked(void **state)
{
    struct fixture *fixture = *state;
    setenv("TUTTI_ON_MISS", "error", 1);
    open_policy(fixture, TUTTI_POLICY_EXHAUSTIVE);
    fixture->busy = rank == last;
    char named[64];
    snprintf(named, sizeof named, "none can be made now (rank %d: it records)", last);
    expect_error(fixture, TUTTI_ERR_MISS, "no record for this key", named);
    assert_int_equal(fixture->subject.runs, 0);
    fixture->busy = false;
    expect_choice(fixture, TUTTI_SOURCE_SEARCH, 0);
}

static void a_record_is_used_while_the_timer_is_busy(void **state)
{
    struct fixture *fixture = *state;
    open_policy(fixture, TUTTI_POLICY_EXHAUSTIVE);
    fixture->subject.seconds[3] = 0.5;
    expect_choice(fixture, TUTTI_SOURCE_SEARCH, 3);
    open_policy(fixture, TUTTI_POLICY_EXHAUSTIVE);
    fixture->busy = true;
    fixture->begins = 0;
    expect_choice(fixture, TUTTI_SOURCE_RECORD, 3);
    assert_int_equal(fixture->begins, 0);
}

static int copies;

static int copy(void *self, void *to, const void *from, size_t bytes, void *stream)
{
    (void)self;
    (void)stream;
    memcpy(to, from, bytes);
    copies++;
    return 0;
}

static int fill(void *self, void *to, unsigned char byte, size_t bytes, void *stream)
{
    (void)self;
    (void)stream;
    memset(to, byte, bytes);
    return 0;
}

static int declare(tutti_buffers *buffers, void *args, void *user)
{
    struct fixture *fixture = user;
    (void)args;
    tutti_buffer_inout(buffers, "now", &fixture->held, sizeof fixture->held);
    return 0;
}

/* They are saved in case the recorded configuration fails: not where no search could follow. */
static void declared_buffers_are_left_alone_while_the_timer_is_busy(void **state)
{
    struct fixture *fixture = *state;
    const tutti_memory_ops memory = {.size = sizeof memory, .copy = copy, .fill = fill};
    tutti_tuner_desc desc = desc_of(fixture, TUTTI_POLICY_EXHAUSTIVE);
    desc.prepare = NULL;
    desc.release = NULL;
    desc.buffers = declare;
    desc.memory = &memory;
    open_tuner(fixture, &desc);
    expect_choice(fixture, TUTTI_SOURCE_SEARCH, 0);
    open_tuner(fixture, &desc);
    copies = 0;
    expect_choice(fixture, TUTTI_SOURCE_RECORD, 0);
    assert_int_equal(copies, 1);
    open_tuner(fixture, &desc);
    fixture->busy = rank == last;
    copies = 0;
    expect_choice(fixture, TUTTI_SOURCE_RECORD, 0);
    assert_int_equal(copies, 0);
}

/* The whole store in one text. */
static void expect_in_the_record(struct fixture *fixture, const char *part)
{
    char path[512], bytes[65536];
    assert_int_equal(count_files(fixture), 1);
    subject_count_files(fixture->directory, path);
    FILE *file = fopen(path, "r");
    bytes[fread(bytes, 1, sizeof bytes - 1, file)] = '\0';
    fclose(file);
    if (!strstr(bytes, part))
        fail_msg("\"%s\" is not in %s", part, bytes);
}

static void the_timer_flushes_once_before_each_sample_of_a_race(void **state)
{
    struct fixture *fixture = *state;
    tutti_tuner_desc desc = desc_of(fixture, TUTTI_POLICY_RACE);
    desc.flush = true;
    open_tuner(fixture, &desc);
    expect_choice(fixture, TUTTI_SOURCE_SEARCH, 0);
    /* One call a sample here: a run is longer than the clock's grain by far. */
    assert_int_equal(report(fixture).samples, 1);
    assert_int_equal(fixture->flushes, fixture->subject.runs_by_purpose[TUTTI_PURPOSE_SAMPLE]);
    expect_in_the_record(fixture, "\"timer\": \"simulated device, caches flushed\"");
}

static void what_the_timer_describes_is_compared_like_the_rest(void **state)
{
    struct fixture *fixture = *state;
    fixture->hardware = rank == 0 ? "gpu = Example 1\ngpus = 2\n" : "gpu = another rank's\n";
    fixture->environment = "gpu_driver = 1.0\n";
    open_policy(fixture, TUTTI_POLICY_EXHAUSTIVE);
    expect_choice(fixture, TUTTI_SOURCE_SEARCH, 0);
    expect_in_the_record(fixture, "\"gpu\": \"Example 1\"");
    expect_in_the_record(fixture, "\"gpus\": \"2\"");
    expect_in_the_record(fixture, "\"gpu_driver\": \"1.0\"");
    fixture->environment = "gpu_driver = 1.1\n"; /* other software is only warned about */
    open_policy(fixture, TUTTI_POLICY_EXHAUSTIVE);
    expect_choice(fixture, TUTTI_SOURCE_RECORD, 0);
    fixture->hardware = rank == 0 ? "gpu = Example 2\ngpus = 2\n" : "gpu = another rank's\n";
    open_policy(fixture, TUTTI_POLICY_EXHAUSTIVE);
    expect_choice(fixture, TUTTI_SOURCE_SEARCH, 0);
    assert_int_equal(count_files(fixture), 2);
}

/* Where runs are only enqueued, it is stop that waits for one that never ends. */
static void a_stop_that_does_not_return_is_found_by_the_watchdog(void **state)
{
    struct fixture *fixture = *state;
    setenv("TUTTI_RUN_TIMEOUT", "0.1", 1);
    open_policy(fixture, TUTTI_POLICY_EXHAUSTIVE);
    fixture->hangs = true; /* on all ranks, until their watchdogs bite */
    expect_choice(fixture, TUTTI_SOURCE_SEARCH, 0);
    assert_true(fixture->told);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        TEST(a_lost_device_ends_the_search_and_the_next_start_skips_its_culprit),
        TEST(a_device_lost_in_a_timed_run_is_a_lost_device),
        TEST(in_a_race_too_only_the_culprit_is_condemned),
        TEST(a_device_that_was_lost_before_condemns_nobody),
        TEST(who_costs_the_device_in_prepare_is_the_culprit),
        TEST(who_costs_the_device_in_reset_is_suspect_and_then_skipped),
        TEST(without_a_device_no_search_begins),
        TEST(a_launcher_that_reports_the_loss_itself_is_a_lost_device),
        TEST(while_one_rank_is_busy_the_default_runs_and_a_later_call_searches),
        TEST(while_one_rank_is_busy_a_call_fails_on_all_if_asked),
        TEST(a_record_is_used_while_the_timer_is_busy),
        TEST(declared_buffers_are_left_alone_while_the_timer_is_busy),
        TEST(the_timer_flushes_once_before_each_sample_of_a_race),
        TEST(what_the_timer_describes_is_compared_like_the_rest),
        TEST(a_stop_that_does_not_return_is_found_by_the_watchdog),
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
