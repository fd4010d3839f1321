/* Tuners on the serial group: search, hit, store, modes, report, bind, sizes, errors. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "subject.h"

struct fixture {
    char directory[256];
    struct subject subject;
    tutti_tuner *tuner;
    tutti_group *group;
    struct subject_args args;
};

static void open_tuner(struct fixture *fixture, const tutti_tuner_desc *desc)
{
    assert_int_equal(tutti_tuner_create(desc, &fixture->tuner), TUTTI_SUCCESS);
    assert_int_equal(tutti_group_create_serial(&fixture->group), TUTTI_SUCCESS);
}

static void close_tuner(struct fixture *fixture)
{
    tutti_tuner_destroy(fixture->tuner);
    tutti_group_release(fixture->group);
}

/* A new process, as far as the tuner can tell: nothing in memory, the store as it is. */
static void reopen(struct fixture *fixture)
{
    tutti_tuner_desc desc = subject_desc("subject", &fixture->subject);
    close_tuner(fixture);
    fixture->subject.runs = 0;
    memset(fixture->subject.runs_by_purpose, 0, sizeof fixture->subject.runs_by_purpose);
    open_tuner(fixture, &desc);
}

static int setup(void **state)
{
    struct fixture *fixture = calloc(1, sizeof *fixture);
    subject_make_directory(fixture->directory);
    subject_use_store(fixture->directory);
    fixture->args = (struct subject_args){.rows = 4096, .dtype = "bf16"};
    for (int i = 0; i < SUBJECT_SPACE; i++)
        fixture->subject.seconds[i] = 1 + i;
    fixture->subject.seconds[3] = 0.75; /* block 32, depth 2 is the best */
    tutti_tuner_desc desc = subject_desc("subject", &fixture->subject);
    open_tuner(fixture, &desc);
    *state = fixture;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *fixture = *state;
    close_tuner(fixture);
    subject_remove_directory(fixture->directory);
    free(fixture);
    return 0;
}

static int call(struct fixture *fixture)
{
    return tutti_call(fixture->tuner, &fixture->args, fixture->group, NULL);
}

static tutti_report report(struct fixture *fixture)
{
    tutti_report result = {.size = sizeof result};
    assert_int_equal(tutti_report_get(fixture->tuner, &fixture->args, fixture->group, &result),
                     TUTTI_SUCCESS);
    return result;
}

static void the_first_call_searches_and_runs_the_winner(void **state)
{
    struct fixture *fixture = *state;
    assert_int_equal(call(fixture), TUTTI_SUCCESS);
    assert_int_equal(fixture->subject.runs_by_purpose[TUTTI_PURPOSE_WARMUP], 5 * SUBJECT_SPACE);
    assert_int_equal(fixture->subject.runs_by_purpose[TUTTI_PURPOSE_SAMPLE], 10 * SUBJECT_SPACE);
    assert_int_equal(fixture->subject.runs_by_purpose[TUTTI_PURPOSE_FINAL], 1);
    assert_int_equal(fixture->subject.last_block, 32);
    assert_int_equal(fixture->subject.last_depth, 2);
    assert_int_equal(fixture->subject.last_index, 3);
    const struct subject_config *best = tutti_best(fixture->tuner, &fixture->args, fixture->group);
    assert_int_equal(best->block, 32);
    assert_int_equal(best->depth, 2);
}

static void the_report_tells_all(void **state)
{
    struct fixture *fixture = *state;
    fixture->subject.fail_status[1] = 42;
    fixture->subject.pruned[5] = true;
    assert_int_equal(call(fixture), TUTTI_SUCCESS);
    tutti_report result = report(fixture);
    assert_int_equal(result.source, TUTTI_SOURCE_SEARCH);
    assert_int_equal(result.configuration, 3);
    assert_int_equal(result.ntrials, SUBJECT_SPACE);
    assert_true(result.seconds == 0.75);
    assert_int_equal(result.trials[0].status, TUTTI_STATUS_OK);
    assert_true(result.trials[4].seconds == 5.0);
    assert_int_equal(result.trials[4].slowest_rank, 0);
    assert_int_equal(result.trials[1].status, TUTTI_STATUS_FAILED);
    assert_string_equal(result.trials[1].reason, "rank 0: warm-up returned 42");
    assert_int_equal(result.trials[5].status, TUTTI_STATUS_PRUNED);
    assert_int_equal(result.warmups, 5);
    assert_int_equal(result.samples, 10);
    assert_int_equal(result.search_calls, 4 * 15 + 2); /* two runs showed the failure */
    assert_int_equal(result.customary, -1);
    assert_true(result.search_seconds > 0);
    assert_true(result.search_operations <= 3 * 5 + 1);
    char first[512];
    assert_int_equal(subject_count_files(fixture->directory, first), 1);
    assert_string_equal(result.record, first);
}

static void a_second_call_hits_and_only_runs(void **state)
{
    struct fixture *fixture = *state;
    assert_int_equal(call(fixture), TUTTI_SUCCESS);
    int before = fixture->subject.runs;
    assert_int_equal(call(fixture), TUTTI_SUCCESS);
    assert_int_equal(fixture->subject.runs, before + 1);
    assert_int_equal(fixture->subject.last_index, 3);
}

static void another_key_is_another_search(void **state)
{
    struct fixture *fixture = *state;
    assert_int_equal(call(fixture), TUTTI_SUCCESS);
    fixture->subject.seconds[0] = 0.25;
    fixture->args.dtype = "fp32";
    assert_int_equal(call(fixture), TUTTI_SUCCESS);
    assert_int_equal(fixture->subject.last_index, 0);
    fixture->args.dtype = "bf16";
    assert_int_equal(call(fixture), TUTTI_SUCCESS);
    assert_int_equal(fixture->subject.last_index, 3);
    assert_int_equal(subject_count_files(fixture->directory, NULL), 2);
}

static void a_new_process_takes_the_record(void **state)
{
    struct fixture *fixture = *state;
    assert_int_equal(call(fixture), TUTTI_SUCCESS);
    reopen(fixture);
    assert_int_equal(call(fixture), TUTTI_SUCCESS);
    assert_int_equal(fixture->subject.runs, 1);
    assert_int_equal(fixture->subject.last_index, 3);
    tutti_report result = report(fixture);
    assert_int_equal(result.source, TUTTI_SOURCE_RECORD);
    assert_true(result.trials[4].seconds == 5.0);
    assert_int_equal(result.search_calls, SUBJECT_SPACE * 15);
    assert_true(strlen(result.record) > 0);
}

static void always_tune_ignores_the_record_and_replaces_it(void **state)
{
    struct fixture *fixture = *state;
    static const char *const names[] = {"TUTTI_ALWAYS_TUNE", "TRITON_DIST_AUTOTUNE_ALWAYS_TUNE"};
    assert_int_equal(call(fixture), TUTTI_SUCCESS);
    for (int i = 0; i < 2; i++) {
        fixture->subject.seconds[i] = 0.1 - 0.05 * i; /* 0, then 1 becomes the best */
        setenv(names[i], "1", 1);
        reopen(fixture);
        assert_int_equal(call(fixture), TUTTI_SUCCESS);
        unsetenv(names[i]);
        assert_int_equal(report(fixture).source, TUTTI_SOURCE_SEARCH);
        reopen(fixture);
        assert_int_equal(call(fixture), TUTTI_SUCCESS);
        assert_int_equal(report(fixture).source, TUTTI_SOURCE_RECORD);
        assert_int_equal(fixture->subject.last_index, i);
    }
    assert_int_equal(subject_count_files(fixture->directory, NULL), 1);
}

static void another_version_or_source_does_not_share_the_record(void **state)
{
    struct fixture *fixture = *state;
    assert_int_equal(call(fixture), TUTTI_SUCCESS);
    for (int i = 0; i < 3; i++) {
        tutti_tuner_desc desc = subject_desc("subject", &fixture->subject);
        desc.version = i == 0 ? "v2" : "v1";
        desc.source_id = i == 1 ? "edited" : "test";
        desc.name = i == 2 ? "other" : "subject";
        close_tuner(fixture);
        open_tuner(fixture, &desc);
        assert_int_equal(call(fixture), TUTTI_SUCCESS);
        assert_int_equal(report(fixture).source, TUTTI_SOURCE_SEARCH);
    }
    assert_int_equal(subject_count_files(fixture->directory, NULL), 4);
}

static void a_truncated_record_is_a_miss_and_heals(void **state)
{
    struct fixture *fixture = *state;
    char path[512];
    assert_int_equal(call(fixture), TUTTI_SUCCESS);
    assert_int_equal(subject_count_files(fixture->directory, path), 1);
    FILE *file = fopen(path, "w");
    fputs("{\"tutti_record\": 1, \"ident", file);
    fclose(file);
    reopen(fixture);
    assert_int_equal(call(fixture), TUTTI_SUCCESS);
    assert_int_equal(report(fixture).source, TUTTI_SOURCE_SEARCH);
    reopen(fixture);
    assert_int_equal(call(fixture), TUTTI_SUCCESS);
    assert_int_equal(report(fixture).source, TUTTI_SOURCE_RECORD);
}

static void a_store_that_can_not_be_written_never_fails_the_call(void **state)
{
    struct fixture *fixture = *state;
    char path[512];
    snprintf(path, sizeof path, "%s/file", fixture->directory);
    FILE *file = fopen(path, "w"); /* a directory can't be made below a file, not even by root */
    fclose(file);
    setenv("TUTTI_CACHE_DIR", path, 1);
    reopen(fixture);
    assert_int_equal(call(fixture), TUTTI_SUCCESS);
    assert_int_equal(report(fixture).source, TUTTI_SOURCE_SEARCH);
    assert_string_equal(report(fixture).record, "");
    int before = fixture->subject.runs;
    assert_int_equal(call(fixture), TUTTI_SUCCESS);
    assert_int_equal(fixture->subject.runs, before + 1);
}

static void modes_do_what_they_say(void **state)
{
    struct fixture *fixture = *state;
    static const struct {
        const char *mode;
        int source, files;
    } cases[] = {
        {"off", TUTTI_SOURCE_DEFAULT_OFF, 0},   {"cache-only", TUTTI_SOURCE_DEFAULT_MISS, 0},
        {"read-only", TUTTI_SOURCE_SEARCH, 0},  {"tune", TUTTI_SOURCE_SEARCH, 1},
        {"cache-only", TUTTI_SOURCE_RECORD, 1}, {"read-only", TUTTI_SOURCE_RECORD, 1},
        {"off", TUTTI_SOURCE_DEFAULT_OFF, 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        setenv("TUTTI_MODE", cases[i].mode, 1);
        reopen(fixture);
        assert_int_equal(call(fixture), TUTTI_SUCCESS);
        assert_int_equal(report(fixture).source, cases[i].source);
        bool searched = cases[i].source == TUTTI_SOURCE_SEARCH;
        assert_int_equal(fixture->subject.runs, searched ? SUBJECT_SPACE * 15 + 1 : 1);
        bool tuned = searched || cases[i].source == TUTTI_SOURCE_RECORD;
        assert_int_equal(fixture->subject.last_index, tuned ? 3 : 0);
        assert_int_equal(subject_count_files(fixture->directory, NULL), cases[i].files);
    }
}

static void a_call_with_tuning_off_runs_configuration_0_and_spoils_nothing(void **state)
{
    struct fixture *fixture = *state;
    int launcher_status = -1;
    tutti_call_options off = {
        .size = sizeof off, .autotune_off = true, .launcher_status = &launcher_status};
    assert_int_equal(tutti_call(fixture->tuner, &fixture->args, fixture->group, &off),
                     TUTTI_SUCCESS);
    assert_int_equal(fixture->subject.runs, 1);
    assert_int_equal(fixture->subject.last_index, 0);
    assert_int_equal(launcher_status, 0);
    assert_int_equal(report(fixture).source, TUTTI_SOURCE_DEFAULT_OFF);
    assert_int_equal(subject_count_files(fixture->directory, NULL), 0);
    assert_int_equal(call(fixture), TUTTI_SUCCESS);
    assert_int_equal(fixture->subject.last_index, 3);
    assert_int_equal(tutti_call(fixture->tuner, &fixture->args, fixture->group, &off),
                     TUTTI_SUCCESS);
    assert_int_equal(fixture->subject.last_index, 0);
}

static void warmups_and_samples_are_settable_by_program_and_environment(void **state)
{
    struct fixture *fixture = *state;
    tutti_tuner_desc desc = subject_desc("subject", &fixture->subject);
    desc.warmups = TUTTI_NO_WARMUP;
    desc.samples = 3;
    close_tuner(fixture);
    open_tuner(fixture, &desc);
    assert_int_equal(call(fixture), TUTTI_SUCCESS);
    assert_int_equal(fixture->subject.runs, SUBJECT_SPACE * 3 + 1);
    setenv("TUTTI_WARMUPS", "2", 1);
    setenv("TUTTI_SAMPLES", "1", 1);
    setenv("TUTTI_ALWAYS_TUNE", "1", 1);
    close_tuner(fixture);
    open_tuner(fixture, &desc);
    fixture->subject.runs = 0;
    assert_int_equal(call(fixture), TUTTI_SUCCESS);
    assert_int_equal(fixture->subject.runs, SUBJECT_SPACE * 3 + 1);
    assert_int_equal(report(fixture).warmups, 2);
}

static void when_all_are_pruned_configuration_0_runs_or_an_error_says_so(void **state)
{
    struct fixture *fixture = *state;
    for (int i = 0; i < SUBJECT_SPACE; i++)
        fixture->subject.pruned[i] = true;
    assert_int_equal(call(fixture), TUTTI_SUCCESS);
    assert_int_equal(fixture->subject.runs, 1);
    assert_int_equal(fixture->subject.last_index, 0);
    assert_int_equal(report(fixture).source, TUTTI_SOURCE_DEFAULT_PRUNED);
    assert_int_equal(subject_count_files(fixture->directory, NULL), 0);

    tutti_tuner_desc desc = subject_desc("subject", &fixture->subject);
    desc.when_pruned = TUTTI_PRUNED_ERROR;
    close_tuner(fixture);
    open_tuner(fixture, &desc);
    assert_int_equal(call(fixture), TUTTI_ERR_PRUNED);
    assert_non_null(strstr(tutti_message(fixture->tuner, fixture->group), "rank 0: 6"));
    assert_null(tutti_best(fixture->tuner, &fixture->args, fixture->group));
}

static void when_all_fail_one_error_has_each_reason_and_nothing_is_stored(void **state)
{
    struct fixture *fixture = *state;
    for (int i = 0; i < SUBJECT_SPACE; i++)
        fixture->subject.fail_status[i] = 70 + i;
    assert_int_equal(call(fixture), TUTTI_ERR_FAILED);
    const char *message = tutti_message(fixture->tuner, fixture->group);
    for (int i = 0; i < SUBJECT_SPACE; i++) {
        char part[64];
        snprintf(part, sizeof part, "rank 0: warm-up returned %d", 70 + i);
        assert_non_null(strstr(message, part));
    }
    assert_int_equal(subject_count_files(fixture->directory, NULL), 0);
    assert_int_equal(tutti_report_get(fixture->tuner, &fixture->args, fixture->group,
                                      &(tutti_report){.size = sizeof(tutti_report)}),
                     TUTTI_ERR_MISS);
}

static void a_configuration_that_fails_while_timed_never_wins(void **state)
{
    struct fixture *fixture = *state;
    fixture->subject.fail_status[3] = 9;
    fixture->subject.fail_purpose[3] = TUTTI_PURPOSE_SAMPLE;
    assert_int_equal(call(fixture), TUTTI_SUCCESS);
    assert_int_equal(fixture->subject.last_index, 0);
    assert_string_equal(report(fixture).trials[3].reason, "rank 0: timed run returned 9");
}

static void a_winner_that_fails_in_the_final_run_gives_way_to_the_next(void **state)
{
    struct fixture *fixture = *state;
    fixture->subject.fail_status[3] = 9;
    fixture->subject.fail_purpose[3] = TUTTI_PURPOSE_FINAL;
    assert_int_equal(call(fixture), TUTTI_SUCCESS);
    assert_int_equal(fixture->subject.last_index, 0);
    assert_int_equal(report(fixture).configuration, 0);
    assert_int_equal(report(fixture).trials[3].status, TUTTI_STATUS_FAILED);
    reopen(fixture);
    assert_int_equal(call(fixture), TUTTI_SUCCESS);
    assert_int_equal(report(fixture).source, TUTTI_SOURCE_RECORD);
    assert_int_equal(fixture->subject.last_index, 0);
}

static void a_recorded_winner_that_fails_is_tuned_again(void **state)
{
    struct fixture *fixture = *state;
    assert_int_equal(call(fixture), TUTTI_SUCCESS);
    fixture->subject.fail_status[3] = 9;
    reopen(fixture);
    assert_int_equal(call(fixture), TUTTI_SUCCESS);
    assert_int_equal(report(fixture).source, TUTTI_SOURCE_SEARCH);
    assert_int_equal(fixture->subject.last_index, 0);
    reopen(fixture);
    assert_int_equal(call(fixture), TUTTI_SUCCESS);
    assert_int_equal(fixture->subject.runs, 1);
    assert_int_equal(fixture->subject.last_index, 0);
}

static void a_failure_on_a_hit_is_the_callers_to_see(void **state)
{
    struct fixture *fixture = *state;
    int launcher_status = 0;
    tutti_call_options options = {.size = sizeof options, .launcher_status = &launcher_status};
    assert_int_equal(call(fixture), TUTTI_SUCCESS);
    fixture->subject.fail_status[3] = 11;
    assert_int_equal(tutti_call(fixture->tuner, &fixture->args, fixture->group, &options),
                     TUTTI_ERR_RUN);
    assert_int_equal(launcher_status, 11);
    assert_string_equal(tutti_message(fixture->tuner, fixture->group),
                        "subject: block=32, depth=2: rank 0: the run returned 11");
}

static void a_timer_that_measures_nothing_fails_the_configuration(void **state)
{
    struct fixture *fixture = *state;
    fixture->subject.seconds[0] = 1e-300; /* lost in the sum: the difference is 0 */
    assert_int_equal(call(fixture), TUTTI_SUCCESS);
    fixture->subject.now = 1e9;
    fixture->args.rows = 1;
    assert_int_equal(call(fixture), TUTTI_SUCCESS);
    assert_int_equal(report(fixture).trials[0].status, TUTTI_STATUS_FAILED);
    assert_non_null(strstr(report(fixture).trials[0].reason, "no positive time"));
    assert_int_equal(fixture->subject.last_index, 3);
}

/* A program that was built with another size of the struct must not be written over. */
static void a_struct_of_another_size_is_refused_and_left_alone(void **state)
{
    struct fixture *fixture = *state;
    tutti_report report = {.size = sizeof report - 8, .source = -1};
    tutti_bound bound = {.size = 0, .config = "untouched"};
    assert_int_equal(call(fixture), TUTTI_SUCCESS);
    assert_int_equal(tutti_report_get(fixture->tuner, &fixture->args, fixture->group, &report),
                     TUTTI_ERR_ARGUMENT);
    assert_int_equal(report.source, -1);
    assert_int_equal(tutti_bind(fixture->tuner, &fixture->args, fixture->group, &bound),
                     TUTTI_ERR_ARGUMENT);
    assert_string_equal(bound.config, "untouched");
}

static void a_bound_launch_runs_the_winner(void **state)
{
    struct fixture *fixture = *state;
    tutti_bound bound = {.size = sizeof bound};
    assert_int_equal(tutti_bind(fixture->tuner, &fixture->args, fixture->group, &bound),
                     TUTTI_ERR_MISS);
    assert_int_equal(call(fixture), TUTTI_SUCCESS);
    assert_int_equal(tutti_bind(fixture->tuner, &fixture->args, fixture->group, &bound),
                     TUTTI_SUCCESS);
    fixture->subject.last_index = 99;
    assert_int_equal(tutti_bound_launch(&bound, &fixture->args), 0);
    assert_int_equal(fixture->subject.last_index, 3);
    fixture->subject.fail_status[3] = 5;
    assert_int_equal(tutti_bound_launch(&bound, &fixture->args), 5);
}

static size_t size_of(const void *config, const void *args, void *user)
{
    (void)args;
    (void)user;
    const struct subject_config *knobs = config;
    /* Block 16 needs much memory, and separate maxima of the knobs' effects would multiply. */
    return (size_t)(knobs->depth * (knobs->block == 16 ? 1000 : knobs->block));
}

static size_t max_size(struct fixture *fixture)
{
    size_t bytes = 77;
    assert_int_equal(
        tutti_max_size(fixture->tuner, &fixture->args, fixture->group, size_of, &bytes),
        TUTTI_SUCCESS);
    return bytes;
}

static void memory_is_sized_over_what_can_run(void **state)
{
    struct fixture *fixture = *state;
    assert_int_equal(max_size(fixture), 2000);
    fixture->subject.pruned[1] = true;
    assert_int_equal(max_size(fixture), 1000); /* configuration 0 can always run */
    fixture->subject.pruned[0] = true;
    assert_int_equal(max_size(fixture), 1000);
    assert_int_equal(fixture->subject.runs, 0);
    fixture->subject.pruned[1] = false;
    fixture->subject.seconds[1] = 0.01;
    assert_int_equal(call(fixture), TUTTI_SUCCESS);
    assert_int_equal(fixture->subject.last_index, 1);
    fixture->subject.pruned[1] = true; /* known in memory: it can run, whatever pruning says now */
    assert_int_equal(max_size(fixture), 2000);
    reopen(fixture); /* known from the store */
    assert_int_equal(max_size(fixture), 2000);
    assert_int_equal(fixture->subject.runs, 0);
}

static void key_mistakes_are_key_errors(void **state)
{
    struct fixture *fixture = *state;
    fixture->subject.key_status = 3;
    assert_int_equal(call(fixture), TUTTI_ERR_KEY);
    assert_string_equal(tutti_message(fixture->tuner, fixture->group),
                        "rank 0: the key callback returned 3");
    fixture->subject.key_status = 0;
    fixture->args.dtype = "\xff\xfe";
    assert_int_equal(call(fixture), TUTTI_ERR_KEY);
    assert_non_null(strstr(tutti_message(fixture->tuner, fixture->group), "\"dtype\""));
    fixture->args.dtype = NULL;
    assert_int_equal(call(fixture), TUTTI_ERR_KEY);
    assert_int_equal(fixture->subject.runs, 0);
}

static void an_invalid_setting_is_an_error_that_names_it(void **state)
{
    struct fixture *fixture = *state;
    setenv("TUTTI_SAMPLES", "many", 1);
    reopen(fixture);
    assert_int_equal(call(fixture), TUTTI_ERR_SETTING);
    const char *message = tutti_message(fixture->tuner, fixture->group);
    assert_non_null(strstr(message, "TUTTI_SAMPLES"));
    assert_non_null(strstr(message, "many"));
    unsetenv("TUTTI_SAMPLES");
    assert_int_equal(call(fixture), TUTTI_SUCCESS);
}

static int call_inner(struct subject *subject, void *args, const tutti_context *context)
{
    struct fixture *inner = subject->inside_user;
    (void)args;
    return tutti_call(inner->tuner, &inner->args, context->group, NULL);
}

static void a_tuned_launcher_may_call_a_tuned_launcher(void **state)
{
    struct fixture *fixture = *state;
    struct fixture inner = {.args = {.rows = 7, .dtype = "inner"}};
    for (int i = 0; i < SUBJECT_SPACE; i++)
        inner.subject.seconds[i] = 10 - i;
    tutti_tuner_desc desc = subject_desc("inner", &inner.subject);
    desc.timer = NULL; /* the simulated timer keeps one region at a time */
    assert_int_equal(tutti_tuner_create(&desc, &inner.tuner), TUTTI_SUCCESS);
    fixture->subject.inside = call_inner;
    fixture->subject.inside_user = &inner;
    assert_int_equal(call(fixture), TUTTI_SUCCESS);
    assert_int_equal(fixture->subject.last_index, 3);
    assert_true(inner.subject.runs > SUBJECT_SPACE * 15);
    assert_non_null(tutti_best(inner.tuner, &inner.args, fixture->group));
    tutti_tuner_destroy(inner.tuner);
}

static int call_itself(struct subject *subject, void *args, const tutti_context *context)
{
    (void)context;
    struct fixture *fixture = subject->inside_user;
    return tutti_call(fixture->tuner, args, fixture->group, NULL);
}

static void a_launcher_that_calls_itself_without_end_is_stopped(void **state)
{
    struct fixture *fixture = *state;
    setenv("TUTTI_WARMUPS", "0", 1);
    setenv("TUTTI_SAMPLES", "1", 1);
    setenv("TUTTI_LOG", "error", 1);
    for (int i = 1; i < SUBJECT_SPACE; i++)
        fixture->subject.pruned[i] = true;
    fixture->subject.inside = call_itself;
    fixture->subject.inside_user = fixture;
    reopen(fixture);
    assert_int_equal(call(fixture), TUTTI_ERR_FAILED);
}

static void a_group_that_was_released_is_not_taken_for_a_new_one(void **state)
{
    struct fixture *fixture = *state;
    assert_int_equal(call(fixture), TUTTI_SUCCESS);
    for (int i = 0; i < 8; i++) { /* one of them will have the old one's address */
        tutti_group_release(fixture->group);
        assert_int_equal(tutti_group_create_serial(&fixture->group), TUTTI_SUCCESS);
        assert_null(tutti_best(fixture->tuner, &fixture->args, fixture->group));
    }
}

static void expect_refused(const tutti_tuner_desc *desc, int error, const char *part)
{
    char message[128];
    tutti_tuner *tuner = (tutti_tuner *)1;
    tutti_tuner_desc refused = *desc;
    refused.message = message;
    refused.message_size = sizeof message;
    assert_int_equal(tutti_tuner_create(&refused, &tuner), error);
    assert_null(tuner);
    if (!strstr(message, part))
        fail_msg("\"%s\" does not contain \"%s\"", message, part);
}

static void a_wrong_description_is_refused_with_the_reason(void **state)
{
    struct fixture *fixture = *state;
    tutti_tuner_desc good = subject_desc("subject", &fixture->subject), desc = good;
    desc.run = NULL;
    expect_refused(&desc, TUTTI_ERR_ARGUMENT, "run is NULL");
    desc = good;
    desc.name = "";
    expect_refused(&desc, TUTTI_ERR_ARGUMENT, "name");
    desc = good;
    desc.nparams = 0;
    expect_refused(&desc, TUTTI_ERR_SPACE, "empty");
    desc = good;
    desc.samples = -2;
    expect_refused(&desc, TUTTI_ERR_ARGUMENT, "samples");
    desc = good;
    struct subject_config elsewhere = {.block = 17, .depth = 1};
    desc.customary = &elsewhere;
    expect_refused(&desc, TUTTI_ERR_SPACE, "customary");
    desc = good;
    desc.size = 8;
    tutti_tuner *tuner;
    assert_int_equal(tutti_tuner_create(&desc, &tuner), TUTTI_ERR_ARGUMENT);
    assert_int_equal(tutti_call(NULL, &fixture->args, fixture->group, NULL), TUTTI_ERR_ARGUMENT);
    assert_int_equal(tutti_call(fixture->tuner, &fixture->args, NULL, NULL), TUTTI_ERR_ARGUMENT);
}

static void the_customary_configuration_is_reported(void **state)
{
    struct fixture *fixture = *state;
    struct subject_config customary = {.block = 64, .depth = 1};
    tutti_tuner_desc desc = subject_desc("subject", &fixture->subject);
    desc.customary = &customary;
    close_tuner(fixture);
    open_tuner(fixture, &desc);
    assert_int_equal(call(fixture), TUTTI_SUCCESS);
    assert_int_equal(report(fixture).customary, 4);
}

static void configurations_can_be_listed_and_named(void **state)
{
    struct fixture *fixture = *state;
    struct subject_config config;
    char text[64], cut[8];
    assert_int_equal(tutti_space_size(fixture->tuner), SUBJECT_SPACE);
    assert_int_equal(tutti_configuration(fixture->tuner, 5, &config), TUTTI_SUCCESS);
    assert_int_equal(config.block, 64);
    assert_int_equal(tutti_configuration(fixture->tuner, 6, &config), TUTTI_ERR_ARGUMENT);
    assert_int_equal(tutti_configuration_text(fixture->tuner, 5, text, sizeof text), 17);
    assert_string_equal(text, "block=64, depth=2");
    assert_int_equal(tutti_configuration_text(fixture->tuner, 5, cut, sizeof cut), 17);
    assert_string_equal(cut, "block=6");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_first_call_searches_and_runs_the_winner),
        TEST(the_report_tells_all),
        TEST(a_second_call_hits_and_only_runs),
        TEST(another_key_is_another_search),
        TEST(a_new_process_takes_the_record),
        TEST(always_tune_ignores_the_record_and_replaces_it),
        TEST(another_version_or_source_does_not_share_the_record),
        TEST(a_truncated_record_is_a_miss_and_heals),
        TEST(a_store_that_can_not_be_written_never_fails_the_call),
        TEST(modes_do_what_they_say),
        TEST(a_call_with_tuning_off_runs_configuration_0_and_spoils_nothing),
        TEST(warmups_and_samples_are_settable_by_program_and_environment),
        TEST(when_all_are_pruned_configuration_0_runs_or_an_error_says_so),
        TEST(when_all_fail_one_error_has_each_reason_and_nothing_is_stored),
        TEST(a_configuration_that_fails_while_timed_never_wins),
        TEST(a_winner_that_fails_in_the_final_run_gives_way_to_the_next),
        TEST(a_recorded_winner_that_fails_is_tuned_again),
        TEST(a_failure_on_a_hit_is_the_callers_to_see),
        TEST(a_timer_that_measures_nothing_fails_the_configuration),
        TEST(a_struct_of_another_size_is_refused_and_left_alone),
        TEST(a_bound_launch_runs_the_winner),
        TEST(memory_is_sized_over_what_can_run),
        TEST(key_mistakes_are_key_errors),
        TEST(an_invalid_setting_is_an_error_that_names_it),
        TEST(a_tuned_launcher_may_call_a_tuned_launcher),
        TEST(a_launcher_that_calls_itself_without_end_is_stopped),
        TEST(a_group_that_was_released_is_not_taken_for_a_new_one),
        TEST(a_wrong_description_is_refused_with_the_reason),
        TEST(the_customary_configuration_is_reported),
        TEST(configurations_can_be_listed_and_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
