/* What calls can be asked for beside the best configuration: one that is forced, one that is tuned
 * ahead of time; what a tuner says that it knows, and how it is made to forget. */
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

#include "subject.h"

#define BEST 3 /* block=32, depth=2 */

struct fixture {
    struct subject subject; /* first: it is the callbacks' user pointer */
    char directory[256];
    int held;         /* configurations that are prepared */
    int refuses;      /* the configuration that prepare refuses, or -1 */
    void *stream;     /* of the last run */
    bool group_given; /* to the last release */
    tutti_tuner *tuner;
    tutti_group *group;
    struct subject_args args;
    char said[256]; /* by a tuner that is gone */
};

static int prepare(void *args, const void *config, const tutti_context *context)
{
    struct fixture *fixture = context->user;
    (void)args;
    (void)config;
    if ((int)context->configuration == fixture->refuses)
        return 9;
    fixture->held++;
    return 0;
}

static void release(void *args, const void *config, const tutti_context *context)
{
    struct fixture *fixture = context->user;
    (void)args;
    (void)config;
    fixture->held--;
    fixture->group_given = context->group != NULL;
}

static int run(void *args, const void *config, const tutti_context *context)
{
    struct fixture *fixture = context->user;
    fixture->stream = context->stream;
    return subject_run(args, config, context);
}

static void open_tuner(struct fixture *fixture, const void *customary)
{
    tutti_tuner_desc desc = subject_desc("subject", &fixture->subject);
    desc.prepare = prepare;
    desc.release = release;
    desc.run = run;
    desc.customary = customary;
    assert_int_equal(tutti_tuner_create(&desc, &fixture->tuner), TUTTI_SUCCESS);
    assert_int_equal(tutti_group_create_serial(&fixture->group), TUTTI_SUCCESS);
}

static void close_tuner(struct fixture *fixture)
{
    tutti_tuner_destroy(fixture->tuner);
    tutti_group_release(fixture->group);
    assert_int_equal(fixture->held, 0);
}

/* As a new process would. */
static void reopen(struct fixture *fixture)
{
    close_tuner(fixture);
    fixture->subject.runs = 0;
    open_tuner(fixture, NULL);
}

static int setup(void **state)
{
    struct fixture *fixture = calloc(1, sizeof *fixture);
    subject_make_directory(fixture->directory);
    subject_use_store(fixture->directory);
    fixture->args = (struct subject_args){.rows = 4096, .dtype = "bf16"};
    fixture->refuses = -1;
    for (int i = 0; i < SUBJECT_SPACE; i++)
        fixture->subject.seconds[i] = 1 + i;
    fixture->subject.seconds[BEST] = 0.75;
    open_tuner(fixture, NULL);
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

static int call_forced(struct fixture *fixture, int block, int depth)
{
    const struct subject_config config = {.block = block, .depth = depth};
    const tutti_call_options options = {.size = sizeof options, .force = &config};
    return tutti_call(fixture->tuner, &fixture->args, fixture->group, &options);
}

static tutti_report report(struct fixture *fixture)
{
    tutti_report result = {.size = sizeof result};
    assert_int_equal(tutti_report_get(fixture->tuner, &fixture->args, fixture->group, &result),
                     TUTTI_SUCCESS);
    return result;
}

static int records(struct fixture *fixture)
{
    return subject_count_files(fixture->directory, NULL);
}

static void assert_said(struct fixture *fixture, const char *part)
{
    const char *message = tutti_message(fixture->tuner, fixture->group);
    if (!strstr(message, part))
        fail_msg("\"%s\" does not contain \"%s\"", message, part);
}

/* ---- forced by the program ---- */

static void what_the_program_forces_runs_alone_and_is_not_stored(void **state)
{
    struct fixture *fixture = *state;
    fixture->subject.pruned[4] = true;
    assert_int_equal(call_forced(fixture, 64, 1), TUTTI_SUCCESS);
    assert_int_equal(fixture->subject.runs, 1);
    assert_int_equal(fixture->subject.runs_by_purpose[TUTTI_PURPOSE_FINAL], 1);
    assert_int_equal(fixture->subject.last_index, 4);
    assert_int_equal(report(fixture).source, TUTTI_SOURCE_FORCED_CODE);
    assert_int_equal(report(fixture).ntrials, 0);
    assert_int_equal(records(fixture), 0);
    assert_int_equal(fixture->held, 1);
    /* Remembered: another configuration, and the same one again, which is not prepared again. */
    assert_int_equal(call_forced(fixture, 16, 2), TUTTI_SUCCESS);
    assert_int_equal(call_forced(fixture, 64, 1), TUTTI_SUCCESS);
    assert_int_equal(fixture->subject.last_index, 4);
    assert_int_equal(fixture->held, 2);
    assert_int_equal(fixture->subject.runs, 3);
}

static void a_forced_call_leaves_the_others_alone(void **state)
{
    struct fixture *fixture = *state;
    assert_int_equal(call_forced(fixture, 64, 2), TUTTI_SUCCESS);
    assert_int_equal(call(fixture), TUTTI_SUCCESS);
    assert_int_equal(report(fixture).source, TUTTI_SOURCE_SEARCH);
    assert_int_equal(fixture->subject.last_index, BEST);
    assert_int_equal(records(fixture), 1);
    assert_int_equal(call_forced(fixture, 64, 2), TUTTI_SUCCESS);
    assert_int_equal(fixture->subject.last_index, 5);
    assert_int_equal(call(fixture), TUTTI_SUCCESS);
    assert_int_equal(fixture->subject.last_index, BEST);
    assert_int_equal(report(fixture).source, TUTTI_SOURCE_SEARCH);
}

static void what_is_not_in_the_space_can_not_be_forced(void **state)
{
    struct fixture *fixture = *state;
    assert_int_equal(call_forced(fixture, 48, 1), TUTTI_ERR_ARGUMENT);
    assert_said(fixture,
                "the forced configuration is not in the space: block is 48, and allowed are "
                "16, 32, 64");
    assert_int_equal(fixture->subject.runs, 0);
}

static void a_forced_configuration_that_fails_is_an_error_and_not_remembered(void **state)
{
    struct fixture *fixture = *state;
    fixture->subject.fail_status[2] = 5;
    assert_int_equal(call_forced(fixture, 32, 1), TUTTI_ERR_RUN);
    assert_said(fixture, "block=32, depth=1 failed: rank 0: the final run returned 5");
    tutti_report result = {.size = sizeof result};
    assert_int_equal(tutti_report_get(fixture->tuner, &fixture->args, fixture->group, &result),
                     TUTTI_ERR_MISS);
    fixture->subject.fail_status[2] = 0;
    assert_int_equal(call_forced(fixture, 32, 1), TUTTI_SUCCESS);
}

/* ---- forced by the environment ---- */

static void force(struct fixture *fixture, const char *setting)
{
    setenv("TUTTI_FORCE", setting, 1);
    reopen(fixture);
}

static void what_the_environment_forces_runs_alone_and_is_not_stored(void **state)
{
    struct fixture *fixture = *state;
    assert_int_equal(call(fixture), TUTTI_SUCCESS); /* there is a record, which does not count */
    force(fixture, "other:x=1; subject:depth=2,block = 64");
    assert_int_equal(call(fixture), TUTTI_SUCCESS);
    assert_int_equal(call(fixture), TUTTI_SUCCESS);
    assert_int_equal(fixture->subject.runs, 2);
    assert_int_equal(fixture->subject.last_index, 5);
    assert_int_equal(report(fixture).source, TUTTI_SOURCE_FORCED_ENVIRONMENT);
    assert_string_equal(report(fixture).record, "");
    assert_int_equal(records(fixture), 1);
}

static void what_is_not_named_is_as_the_customary_configuration_has_it(void **state)
{
    struct fixture *fixture = *state;
    force(fixture, "subject:block=64");
    assert_int_equal(call(fixture), TUTTI_SUCCESS);
    assert_int_equal(fixture->subject.last_index, 4); /* depth=1, as configuration 0 */
    close_tuner(fixture);
    open_tuner(fixture, &(struct subject_config){.block = 16, .depth = 2});
    assert_int_equal(call(fixture), TUTTI_SUCCESS);
    assert_int_equal(fixture->subject.last_index, 5);
    close_tuner(fixture);
    setenv("TUTTI_FORCE", "subject:", 1);
    open_tuner(fixture, &(struct subject_config){.block = 16, .depth = 2});
    assert_int_equal(call(fixture), TUTTI_SUCCESS);
    assert_int_equal(fixture->subject.last_index, 1);
}

static void the_environment_does_not_touch_calls_that_know_what_they_want(void **state)
{
    struct fixture *fixture = *state;
    const tutti_call_options off = {.size = sizeof off, .autotune_off = true};
    force(fixture, "subject:block=64");
    assert_int_equal(call_forced(fixture, 32, 1), TUTTI_SUCCESS);
    assert_int_equal(fixture->subject.last_index, 2);
    assert_int_equal(tutti_call(fixture->tuner, &fixture->args, fixture->group, &off),
                     TUTTI_SUCCESS);
    assert_int_equal(fixture->subject.last_index, 0);
}

static void a_function_that_there_is_not_is_no_mistake(void **state)
{
    struct fixture *fixture = *state;
    force(fixture, "subjects:block=64;sub:x=1;;");
    assert_int_equal(call(fixture), TUTTI_SUCCESS);
    assert_int_equal(report(fixture).source, TUTTI_SOURCE_SEARCH);
}

static void a_knob_or_value_that_there_is_not_is_an_error_that_lists_what_there_is(void **state)
{
    struct fixture *fixture = *state;
    static const struct {
        const char *setting, *sentence;
    } mistakes[] = {
        {"subject:blok=64", "TUTTI_FORCE: subject has no knob \"blok\": it has block, depth"},
        {"subject:block", "\"\" is no value of block of subject: allowed are 16, 32, 64"},
        {"subject:block=64,depth=3", "\"3\" is no value of depth of subject: allowed are 1, 2"},
        {"subject", "TUTTI_FORCE=\"subject\" is not allowed: it must be function:knob=value"},
    };
    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
        force(fixture, mistakes[i].setting);
        assert_int_equal(call(fixture), TUTTI_ERR_SETTING);
        assert_said(fixture, mistakes[i].sentence);
        assert_int_equal(fixture->subject.runs, 0);
    }
}

struct odd_config {
    double part;
    bool on;
    const char *word;
    int mode;   /* tree 0, ring 1 */
    int fanout; /* counts for a tree */
};

enum { TREE, RING };

static const tutti_param odd_params[] = {
    TUTTI_PARAM(struct odd_config, part, 0.5, 0.1, 1e-3),
    TUTTI_PARAM(struct odd_config, on, false, true),
    TUTTI_PARAM(struct odd_config, word, "short", "two words"),
    TUTTI_CHOICE(struct odd_config, mode, {TREE, "tree"}, {RING, "ring"}),
    TUTTI_PARAM_IF(struct odd_config, fanout, TUTTI_WHEN(struct odd_config, mode, TREE), 2, 4),
};

static int run_odd(void *args, const void *config, const tutti_context *context)
{
    (void)context;
    struct odd_config *ran = args;
    static char word[16];
    memcpy(ran, config, sizeof *ran);
    snprintf(word, sizeof word, "%s", ran->word); /* the tuner's is gone when the test looks */
    ran->word = word;
    return 0;
}

/* setting: TUTTI_FORCE; forced: what the program forces, or NULL. */
static int call_odd(struct fixture *fixture, struct odd_config *ran, const char *setting,
                    const struct odd_config *forced)
{
    const tutti_call_options options = {.size = sizeof options, .force = forced};
    const struct odd_config customary = {.part = 0.5, .word = "short", .mode = TREE, .fanout = 4};
    const tutti_tuner_desc desc = {.size = sizeof desc,
                                   .name = "a::odd",
                                   .params = odd_params,
                                   .nparams = 5,
                                   .config_size = sizeof(struct odd_config),
                                   .customary = &customary,
                                   .run = run_odd};
    tutti_tuner *tuner;
    force(fixture, setting);
    assert_int_equal(tutti_tuner_create(&desc, &tuner), TUTTI_SUCCESS);
    int status = tutti_call(tuner, ran, fixture->group, &options);
    snprintf(fixture->said, sizeof fixture->said, "%s", tutti_message(tuner, fixture->group));
    tutti_tuner_destroy(tuner);
    return status;
}

static void values_of_all_kinds_can_be_written_as_one_writes_them(void **state)
{
    struct odd_config ran = {0};
    assert_int_equal(
        call_odd(*state, &ran, "a::odd:part=0.1,on=true,word=two words,mode=tree", NULL),
        TUTTI_SUCCESS);
    assert_true(ran.part == 0.1 && ran.on && ran.mode == TREE && ran.fanout == 4);
    assert_string_equal(ran.word, "two words");
    assert_int_equal(call_odd(*state, &ran, "a::odd:part=0.001,word=\"two words\"", NULL),
                     TUTTI_SUCCESS);
    assert_true(ran.part == 1e-3);
    assert_string_equal(ran.word, "two words");
}

static void a_knob_that_does_not_count_can_not_be_named(void **state)
{
    struct odd_config ran = {0};
    assert_int_equal(call_odd(*state, &ran, "a::odd:mode=ring", NULL), TUTTI_SUCCESS);
    assert_int_equal(ran.mode, RING);
    assert_int_equal(call_odd(*state, &ran, "a::odd:mode=ring,fanout=2", NULL), TUTTI_ERR_SETTING);
}

static void a_string_that_is_not_there_can_not_be_forced(void **state)
{
    struct fixture *fixture = *state;
    struct odd_config ran = {0}, forced = {.part = 0.5, .word = NULL, .mode = RING};
    assert_int_equal(call_odd(fixture, &ran, "", &forced), TUTTI_ERR_ARGUMENT);
    assert_non_null(strstr(fixture->said, "word is NULL, and allowed are short, \"two words\""));
    forced.word = "short"; /* and what a ring has for a fanout is nobody's business */
    forced.fanout = 77;
    assert_int_equal(call_odd(fixture, &ran, "", &forced), TUTTI_SUCCESS);
    assert_int_equal(ran.mode, RING);
}

/* ---- ahead of time ---- */

static void tuning_ahead_finds_stores_and_remembers_without_the_callers_run(void **state)
{
    struct fixture *fixture = *state;
    assert_int_equal(tutti_tune(fixture->tuner, &fixture->args, fixture->group, NULL),
                     TUTTI_SUCCESS);
    assert_int_equal(fixture->subject.runs_by_purpose[TUTTI_PURPOSE_FINAL], 0);
    assert_int_equal(report(fixture).configuration, BEST);
    assert_int_equal(report(fixture).source, TUTTI_SOURCE_SEARCH);
    assert_int_equal(records(fixture), 1);
    assert_int_equal(fixture->held, 1);
    int runs = fixture->subject.runs;
    assert_int_equal(tutti_tune(fixture->tuner, &fixture->args, fixture->group, NULL),
                     TUTTI_SUCCESS);
    assert_int_equal(fixture->subject.runs, runs);
    assert_int_equal(call(fixture), TUTTI_SUCCESS); /* a hit */
    assert_int_equal(fixture->subject.runs, runs + 1);
    assert_int_equal(fixture->held, 1);
}

static void tuning_ahead_reads_the_record_if_there_is_one(void **state)
{
    struct fixture *fixture = *state;
    assert_int_equal(call(fixture), TUTTI_SUCCESS);
    reopen(fixture);
    assert_int_equal(tutti_tune(fixture->tuner, &fixture->args, fixture->group, NULL),
                     TUTTI_SUCCESS);
    assert_int_equal(report(fixture).source, TUTTI_SOURCE_RECORD);
    assert_int_equal(fixture->subject.runs, 0);
    assert_int_equal(fixture->held, 1);
    assert_int_equal(call(fixture), TUTTI_SUCCESS);
    assert_int_equal(fixture->subject.runs, 1);
    assert_int_equal(fixture->subject.last_index, BEST);
}

/* The search prepares it, too: it refuses from the time on that it has won. */
static int refuse_the_winner(struct subject *subject, void *args, const tutti_context *context)
{
    struct fixture *fixture = (struct fixture *)subject;
    (void)args;
    if (context->configuration == BEST)
        fixture->refuses = BEST;
    return 0;
}

static void a_winner_that_can_not_be_prepared_gives_way_ahead_of_time(void **state)
{
    struct fixture *fixture = *state;
    fixture->subject.inside = refuse_the_winner;
    assert_int_equal(tutti_tune(fixture->tuner, &fixture->args, fixture->group, NULL),
                     TUTTI_SUCCESS);
    assert_int_equal(report(fixture).configuration, 0);
    assert_int_equal(report(fixture).trials[BEST].status, TUTTI_STATUS_FAILED);
    assert_int_equal(fixture->held, 1);
}

static void a_stored_winner_that_fails_in_a_later_process_is_tuned_again(void **state)
{
    struct fixture *fixture = *state;
    assert_int_equal(tutti_tune(fixture->tuner, &fixture->args, fixture->group, NULL),
                     TUTTI_SUCCESS);
    reopen(fixture);
    fixture->subject.fail_status[BEST] = 5;
    assert_int_equal(call(fixture), TUTTI_SUCCESS);
    assert_int_equal(report(fixture).source, TUTTI_SOURCE_SEARCH);
    assert_int_equal(report(fixture).configuration, 0);
}

static void forced_configurations_can_be_made_ready_ahead_of_time(void **state)
{
    struct fixture *fixture = *state;
    const struct subject_config config = {.block = 64, .depth = 1};
    const tutti_call_options options = {.size = sizeof options, .force = &config};
    assert_int_equal(tutti_tune(fixture->tuner, &fixture->args, fixture->group, &options),
                     TUTTI_SUCCESS);
    assert_int_equal(fixture->subject.runs, 0);
    assert_int_equal(fixture->held, 1);
    assert_int_equal(call_forced(fixture, 64, 1), TUTTI_SUCCESS);
    assert_int_equal(fixture->held, 1);
}

/* ---- the stream ---- */

static void the_stream_is_handed_through(void **state)
{
    struct fixture *fixture = *state;
    int first, second;
    tutti_call_options options = {.size = sizeof options, .stream = &first};
    assert_int_equal(tutti_call(fixture->tuner, &fixture->args, fixture->group, &options),
                     TUTTI_SUCCESS);
    assert_ptr_equal(fixture->stream, &first);
    options.stream = &second;
    assert_int_equal(tutti_call(fixture->tuner, &fixture->args, fixture->group, &options),
                     TUTTI_SUCCESS);
    assert_ptr_equal(fixture->stream, &second); /* a hit */
    tutti_bound bound = {.size = sizeof bound};
    assert_int_equal(tutti_bind(fixture->tuner, &fixture->args, fixture->group, &bound),
                     TUTTI_SUCCESS);
    assert_null(bound.context.stream);
    bound.context.stream = &first;
    assert_int_equal(tutti_bound_launch(&bound, &fixture->args), 0);
    assert_ptr_equal(fixture->stream, &first);
}

/* ---- what is known ---- */

struct list {
    tutti_group *group;
    size_t count;
    int sources[8];
    uint64_t configurations[8];
    char keys[8][64];
};

static void note(const tutti_entry *entry, void *user)
{
    struct list *list = user;
    size_t i = list->count++;
    if (i >= 8)
        return;
    list->group = entry->group;
    list->sources[i] = entry->report->source;
    list->configurations[i] = entry->report->configuration;
    snprintf(list->keys[i], sizeof list->keys[i], "%s", entry->key);
}

static struct list enumerate(struct fixture *fixture)
{
    struct list list = {0};
    assert_int_equal(tutti_enumerate(fixture->tuner, fixture->group, note, &list), TUTTI_SUCCESS);
    return list;
}

static void all_that_is_known_can_be_listed(void **state)
{
    struct fixture *fixture = *state;
    assert_int_equal(enumerate(fixture).count, 0);
    assert_int_equal(call(fixture), TUTTI_SUCCESS);
    fixture->args.rows = 8;
    assert_int_equal(call_forced(fixture, 64, 1), TUTTI_SUCCESS);
    struct list list = enumerate(fixture);
    assert_int_equal(list.count, 2);
    assert_ptr_equal(list.group, fixture->group);
    assert_string_equal(list.keys[0], "A = [8]\ndtype = \"bf16\"\n");
    assert_int_equal(list.sources[0], TUTTI_SOURCE_FORCED_CODE);
    assert_int_equal(list.configurations[0], 4);
    assert_string_equal(list.keys[1], "A = [4096]\ndtype = \"bf16\"\n");
    assert_int_equal(list.sources[1], TUTTI_SOURCE_SEARCH);
    assert_int_equal(list.configurations[1], BEST);
}

/* ---- forgetting ---- */

static int forget(struct fixture *fixture, unsigned flags)
{
    return tutti_forget(fixture->tuner, &fixture->args, fixture->group, flags);
}

static void a_key_that_is_forgotten_is_looked_up_again(void **state)
{
    struct fixture *fixture = *state;
    assert_int_equal(call(fixture), TUTTI_SUCCESS);
    assert_int_equal(call_forced(fixture, 64, 1), TUTTI_SUCCESS);
    assert_int_equal(fixture->held, 2);
    assert_int_equal(forget(fixture, 0), TUTTI_SUCCESS);
    assert_int_equal(fixture->held, 0);
    assert_true(fixture->group_given);
    assert_int_equal(enumerate(fixture).count, 0);
    assert_null(tutti_best(fixture->tuner, &fixture->args, fixture->group));
    assert_int_equal(forget(fixture, 0), TUTTI_SUCCESS); /* nothing is no error */
    assert_int_equal(call(fixture), TUTTI_SUCCESS);
    assert_int_equal(report(fixture).source, TUTTI_SOURCE_RECORD);
}

static void a_key_whose_record_is_forgotten_is_tuned_again(void **state)
{
    struct fixture *fixture = *state;
    assert_int_equal(call(fixture), TUTTI_SUCCESS);
    fixture->args.rows = 8;
    assert_int_equal(call(fixture), TUTTI_SUCCESS);
    assert_int_equal(records(fixture), 2);
    assert_int_equal(forget(fixture, TUTTI_FORGET_RECORD), TUTTI_SUCCESS);
    assert_int_equal(records(fixture), 1);
    assert_int_equal(enumerate(fixture).count, 1);
    assert_int_equal(call(fixture), TUTTI_SUCCESS);
    assert_int_equal(report(fixture).source, TUTTI_SOURCE_SEARCH);
}

static void a_record_goes_even_if_its_key_is_not_in_memory(void **state)
{
    struct fixture *fixture = *state;
    assert_int_equal(call(fixture), TUTTI_SUCCESS);
    reopen(fixture);
    assert_int_equal(forget(fixture, TUTTI_FORGET_RECORD), TUTTI_SUCCESS);
    assert_int_equal(records(fixture), 0);
}

static void all_keys_can_be_forgotten_with_their_records(void **state)
{
    struct fixture *fixture = *state;
    for (int64_t rows = 1; rows <= 5; rows++) {
        fixture->args.rows = rows;
        assert_int_equal(call(fixture), TUTTI_SUCCESS);
    }
    assert_int_equal(records(fixture), 5);
    assert_int_equal(
        tutti_forget(fixture->tuner, NULL, fixture->group, TUTTI_FORGET_ALL | TUTTI_FORGET_RECORD),
        TUTTI_SUCCESS);
    assert_int_equal(records(fixture), 0);
    assert_int_equal(fixture->held, 0);
    assert_int_equal(enumerate(fixture).count, 0);
    for (int64_t rows = 1; rows <= 5; rows++) {
        fixture->args.rows = rows;
        assert_null(tutti_best(fixture->tuner, &fixture->args, fixture->group));
        assert_int_equal(call(fixture), TUTTI_SUCCESS);
        assert_int_equal(report(fixture).source, TUTTI_SOURCE_SEARCH);
    }
    assert_int_equal(fixture->held, 5);
}

static void what_was_not_forgotten_stays_a_hit(void **state)
{
    struct fixture *fixture = *state;
    const int64_t keys = 300;
    for (fixture->args.rows = 0; fixture->args.rows < keys; fixture->args.rows++)
        assert_int_equal(call_forced(fixture, 64, 1), TUTTI_SUCCESS);
    for (fixture->args.rows = 0; fixture->args.rows < keys; fixture->args.rows += 3)
        assert_int_equal(forget(fixture, 0), TUTTI_SUCCESS);
    assert_int_equal(fixture->held, 200);
    for (fixture->args.rows = 0; fixture->args.rows < keys; fixture->args.rows++) {
        if (fixture->args.rows % 3 == 0)
            assert_null(tutti_best(fixture->tuner, &fixture->args, fixture->group));
        else
            assert_int_equal(call_forced(fixture, 64, 1), TUTTI_SUCCESS);
        assert_int_equal(fixture->held, 200); /* who had to look would have prepared again */
    }
}

static int call_with(struct fixture *fixture, int64_t rows)
{
    fixture->args.rows = rows;
    return call(fixture);
}

/* A hit guesses what comes next: the address sanitizer sees a guess at what is gone. */
static void what_was_forgotten_is_not_guessed_at(void **state)
{
    struct fixture *fixture = *state;
    for (int turn = 0; turn < 6; turn++)
        assert_int_equal(call_with(fixture, 1 + turn % 3), TUTTI_SUCCESS);
    for (fixture->args.rows = 2; fixture->args.rows <= 3; fixture->args.rows++)
        assert_int_equal(forget(fixture, TUTTI_FORGET_RECORD), TUTTI_SUCCESS);
    for (int turn = 0; turn < 6; turn++) {
        assert_int_equal(call_with(fixture, 1 + turn % 3), TUTTI_SUCCESS);
        assert_int_equal(report(fixture).source, TUTTI_SOURCE_SEARCH);
    }
    assert_int_equal(fixture->held, 3);
}

static void a_record_that_can_not_be_removed_is_a_warning(void **state)
{
    struct fixture *fixture = *state;
    char path[512], said[1024] = "";
    assert_int_equal(call(fixture), TUTTI_SUCCESS);
    assert_int_equal(subject_count_files(fixture->directory, path), 1);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(mkdir(path, 0700), 0);
    FILE *file = tmpfile();
    int old = dup(STDERR_FILENO);
    assert_true(dup2(fileno(file), STDERR_FILENO) >= 0);
    int status = forget(fixture, TUTTI_FORGET_RECORD);
    assert_true(dup2(old, STDERR_FILENO) >= 0);
    close(old);
    rewind(file);
    assert_true(fread(said, 1, sizeof said - 1, file) > 0);
    fclose(file);
    assert_int_equal(status, TUTTI_SUCCESS);
    assert_non_null(strstr(said, "the record stays: can't remove "));
    assert_int_equal(enumerate(fixture).count, 0);
}

static void a_mode_that_writes_nothing_removes_nothing(void **state)
{
    struct fixture *fixture = *state;
    assert_int_equal(call(fixture), TUTTI_SUCCESS);
    setenv("TUTTI_MODE", "read-only", 1);
    reopen(fixture);
    assert_int_equal(forget(fixture, TUTTI_FORGET_RECORD), TUTTI_SUCCESS);
    assert_int_equal(records(fixture), 1);
}

static void nonsense_is_refused(void **state)
{
    struct fixture *fixture = *state;
    const tutti_call_options options = {.size = 1};
    assert_int_equal(tutti_tune(NULL, &fixture->args, fixture->group, NULL), TUTTI_ERR_ARGUMENT);
    assert_int_equal(tutti_tune(fixture->tuner, &fixture->args, fixture->group, &options),
                     TUTTI_ERR_ARGUMENT);
    assert_int_equal(forget(fixture, 4), TUTTI_ERR_ARGUMENT);
    assert_int_equal(tutti_forget(fixture->tuner, NULL, NULL, 0), TUTTI_ERR_ARGUMENT);
    assert_int_equal(tutti_enumerate(fixture->tuner, fixture->group, NULL, NULL),
                     TUTTI_ERR_ARGUMENT);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(what_the_program_forces_runs_alone_and_is_not_stored),
        TEST(a_forced_call_leaves_the_others_alone),
        TEST(what_is_not_in_the_space_can_not_be_forced),
        TEST(a_forced_configuration_that_fails_is_an_error_and_not_remembered),
        TEST(what_the_environment_forces_runs_alone_and_is_not_stored),
        TEST(what_is_not_named_is_as_the_customary_configuration_has_it),
        TEST(the_environment_does_not_touch_calls_that_know_what_they_want),
        TEST(a_function_that_there_is_not_is_no_mistake),
        TEST(a_knob_or_value_that_there_is_not_is_an_error_that_lists_what_there_is),
        TEST(values_of_all_kinds_can_be_written_as_one_writes_them),
        TEST(a_knob_that_does_not_count_can_not_be_named),
        TEST(a_string_that_is_not_there_can_not_be_forced),
        TEST(tuning_ahead_finds_stores_and_remembers_without_the_callers_run),
        TEST(tuning_ahead_reads_the_record_if_there_is_one),
        TEST(a_winner_that_can_not_be_prepared_gives_way_ahead_of_time),
        TEST(a_stored_winner_that_fails_in_a_later_process_is_tuned_again),
        TEST(forced_configurations_can_be_made_ready_ahead_of_time),
        TEST(the_stream_is_handed_through),
        TEST(all_that_is_known_can_be_listed),
        TEST(a_key_that_is_forgotten_is_looked_up_again),
        TEST(a_key_whose_record_is_forgotten_is_tuned_again),
        TEST(a_record_goes_even_if_its_key_is_not_in_memory),
        TEST(all_keys_can_be_forgotten_with_their_records),
        TEST(what_was_not_forgotten_stays_a_hit),
        TEST(what_was_forgotten_is_not_guessed_at),
        TEST(a_record_that_can_not_be_removed_is_a_warning),
        TEST(a_mode_that_writes_nothing_removes_nothing),
        TEST(nonsense_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
