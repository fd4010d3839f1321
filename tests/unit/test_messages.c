/* The warnings that no other test has to provoke: each is made to come, and read from stderr. */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "subject.h"

static bool no_threads;

/* In place of the C library's, also for the shared library. */
__attribute__((visibility("default"))) int pthread_create(pthread_t *thread,
                                                          const pthread_attr_t *attributes,
                                                          void *(*start)(void *), void *argument)
{
    typedef int create(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    create *real;
    void *symbol = dlsym(RTLD_NEXT, "pthread_create");
    memcpy(&real, &symbol, sizeof real);
    return no_threads ? EAGAIN : real(thread, attributes, start, argument);
}

struct fixture {
    char directory[256];
    struct subject subject;
    tutti_tuner *tuner;
    tutti_group *group;
    struct subject_args args;
};

static void open_tuner(struct fixture *fixture, int policy)
{
    tutti_tuner_desc desc = subject_desc("subject", &fixture->subject);
    desc.policy = policy;
    assert_int_equal(tutti_tuner_create(&desc, &fixture->tuner), TUTTI_SUCCESS);
    assert_int_equal(tutti_group_create_serial(&fixture->group), TUTTI_SUCCESS);
}

static void close_tuner(struct fixture *fixture)
{
    tutti_tuner_destroy(fixture->tuner);
    tutti_group_release(fixture->group);
}

static int setup(void **state)
{
    struct fixture *fixture = calloc(1, sizeof *fixture);
    subject_make_directory(fixture->directory);
    subject_use_store(fixture->directory);
    fixture->args = (struct subject_args){.rows = 4096, .dtype = "bf16"};
    open_tuner(fixture, TUTTI_POLICY_EXHAUSTIVE);
    *state = fixture;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *fixture = *state;
    unsetenv("TUTTI_POLICY");
    unsetenv("TUTTI_RUN_TIMEOUT");
    unsetenv("TUTTI_STALL_WARN");
    close_tuner(fixture);
    subject_remove_directory(fixture->directory);
    free(fixture);
    return 0;
}

/* Calls, and returns what was written to stderr meanwhile; the caller frees it. */
static char *said_by_a_call(struct fixture *fixture)
{
    char *text = calloc(1, 65536);
    FILE *file = tmpfile();
    int old = dup(STDERR_FILENO);
    fflush(stderr);
    assert_true(dup2(fileno(file), STDERR_FILENO) >= 0);
    int status = tutti_call(fixture->tuner, &fixture->args, fixture->group, NULL);
    fflush(stderr);
    assert_true(dup2(old, STDERR_FILENO) >= 0);
    close(old);
    rewind(file);
    assert_true(fread(text, 1, 65535, file) < 65535);
    fclose(file);
    assert_int_equal(status, TUTTI_SUCCESS);
    return text;
}

static void expect_said(struct fixture *fixture, const char *part)
{
    char *text = said_by_a_call(fixture);
    if (!strstr(text, part))
        fail_msg("\"%s\" was not said, but:\n%s", part, text);
    free(text);
}

/* Replaces a word of the one record by another of the same length. */
static void edit_record(const struct fixture *fixture, const char *from, const char *to)
{
    char path[512], bytes[65536];
    assert_int_equal(subject_count_files(fixture->directory, path), 1);
    FILE *file = fopen(path, "r+");
    size_t length = fread(bytes, 1, sizeof bytes - 1, file);
    bytes[length] = '\0';
    char *at = strstr(bytes, from);
    assert_non_null(at);
    fseek(file, at - bytes, SEEK_SET);
    fwrite(to, 1, strlen(to), file);
    fclose(file);
}

static void a_record_of_another_environment_is_used_with_a_warning(void **state)
{
    struct fixture *fixture = *state;
    assert_int_equal(tutti_call(fixture->tuner, &fixture->args, fixture->group, NULL), 0);
    edit_record(fixture, "\"tutti\": \"" TUTTI_VERSION "\"", "\"tutti\": \"9");
    close_tuner(fixture);
    open_tuner(fixture, TUTTI_POLICY_EXHAUSTIVE);
    expect_said(fixture, "although it was made in another environment: ");
}

static void a_record_by_another_policy_than_the_variable_names_is_used_with_a_warning(void **state)
{
    struct fixture *fixture = *state;
    assert_int_equal(tutti_call(fixture->tuner, &fixture->args, fixture->group, NULL), 0);
    setenv("TUTTI_POLICY", "race", 1);
    close_tuner(fixture);
    open_tuner(fixture, TUTTI_POLICY_EXHAUSTIVE);
    expect_said(fixture, "although it was measured by the policy exhaustive");
}

static void hear(int level, const char *function, const char *sentence, void *user)
{
    char *heard = user;
    snprintf(heard, 512, "%d %s: %s", level, function, sentence);
}

static void a_log_that_was_taken_over_hears_which_function_it_is_about(void **state)
{
    struct fixture *fixture = *state;
    char heard[512] = "";
    setenv("TUTTI_MODE", "cache-only", 1);
    tutti_group_set_log(fixture->group, hear, heard);
    char *text = said_by_a_call(fixture);
    assert_string_equal(text, "");
    free(text);
    assert_string_equal(heard, "1 subject: no record for this key, and TUTTI_MODE=cache-only: "
                               "configuration 0 runs");
}

/* Every run takes between one and three times as long, whatever the configuration. */
static int add_noise(struct subject *subject, void *args, const tutti_context *context)
{
    static uint32_t random = 1;
    (void)args;
    (void)context;
    random = random * 1664525 + 1013904223;
    subject->now += (random >> 8) / (double)(1 << 24) * 2;
    return 0;
}

static void noise_that_hides_the_differences_is_said_to(void **state)
{
    struct fixture *fixture = *state;
    close_tuner(fixture);
    open_tuner(fixture, TUTTI_POLICY_RACE);
    fixture->subject.inside = add_noise;
    expect_said(fixture, "which hides the differences: the choice is within ");
}

static void a_watchdog_that_can_not_start_is_said_to(void **state)
{
    struct fixture *fixture = *state;
    setenv("TUTTI_RUN_TIMEOUT", "100", 1);
    close_tuner(fixture);
    open_tuner(fixture, TUTTI_POLICY_EXHAUSTIVE);
    no_threads = true;
    expect_said(fixture, "there is no watchdog");
    no_threads = false;
}

static int call_itself(struct subject *subject, void *args, const tutti_context *context)
{
    struct fixture *fixture = subject->inside_user;
    (void)context;
    return tutti_call(fixture->tuner, args, fixture->group, NULL);
}

static void a_launcher_that_calls_itself_is_asked_about_it(void **state)
{
    struct fixture *fixture = *state;
    setenv("TUTTI_WARMUPS", "0", 1);
    setenv("TUTTI_SAMPLES", "1", 1);
    setenv("TUTTI_MODE", "off", 1);
    close_tuner(fixture);
    open_tuner(fixture, TUTTI_POLICY_EXHAUSTIVE);
    fixture->subject.inside = call_itself;
    fixture->subject.inside_user = fixture;
    assert_int_equal(tutti_call(fixture->tuner, &fixture->args, fixture->group, NULL),
                     TUTTI_ERR_RUN);
    assert_int_equal(fixture->subject.runs, 32);
}

/* The other thread's call comes while this one is inside. */
static void *call_from_a_thread(void *argument)
{
    struct fixture *fixture = argument;
    struct subject_args other = {.rows = 1, .dtype = "other"};
    fixture->subject.last_depth = tutti_call(fixture->tuner, &other, fixture->group, NULL);
    return NULL;
}

static int call_at_the_same_time(struct subject *subject, void *args, const tutti_context *context)
{
    pthread_t thread;
    (void)args;
    (void)context;
    assert_int_equal(pthread_create(&thread, NULL, call_from_a_thread, subject->inside_user), 0);
    pthread_join(thread, NULL);
    return subject->last_depth == TUTTI_ERR_BUSY ? 0 : 1;
}

static void a_second_thread_on_a_group_finds_it_busy(void **state)
{
    struct fixture *fixture = *state;
    fixture->subject.inside = call_at_the_same_time;
    fixture->subject.inside_user = fixture;
    assert_int_equal(tutti_call(fixture->tuner, &fixture->args, fixture->group, NULL),
                     TUTTI_SUCCESS);
    assert_string_equal(tutti_strerror(TUTTI_ERR_BUSY), "another thread is using the group");
}

struct late {
    tutti_group *group;
    tutti_tuner *tuner;
    struct subject_args args;
    int status;
    atomic_bool warned; /* the rank that waits has said so */
};

static void hear_of_waiting(int level, const char *function, const char *sentence, void *user)
{
    struct late *late = user;
    (void)function;
    if (level == TUTTI_LOG_WARN && strstr(sentence, "has been waiting for other ranks for "))
        late->warned = true;
}

/* Comes once it is missed, or in ten seconds: then the warning is lost. */
static void *call_late(void *argument)
{
    struct late *late = argument;
    for (int i = 0; i < 10000 && !late->warned; i++)
        usleep(1000);
    late->status = tutti_call(late->tuner, &late->args, late->group, NULL);
    return NULL;
}

static void a_rank_that_is_late_is_waited_for_with_a_warning(void **state)
{
    struct fixture *fixture = *state;
    struct subject other = {.now = 0};
    tutti_group *groups[2];
    pthread_t thread;
    setenv("TUTTI_STALL_WARN", "0.05", 1);
    setenv("TUTTI_MODE", "off", 1); /* the simulated timer serves one thread */
    assert_int_equal(tutti_group_create_threads(2, groups), TUTTI_SUCCESS);
    tutti_group_release(fixture->group);
    fixture->group = groups[0];
    tutti_tuner_desc desc = subject_desc("subject", &other);
    struct late late = {.group = groups[1], .args = fixture->args};
    assert_int_equal(tutti_tuner_create(&desc, &late.tuner), TUTTI_SUCCESS);
    tutti_group_set_log(fixture->group, hear_of_waiting, &late);
    assert_int_equal(pthread_create(&thread, NULL, call_late, &late), 0);
    assert_int_equal(tutti_call(fixture->tuner, &fixture->args, fixture->group, NULL), 0);
    pthread_join(thread, NULL);
    assert_true(late.warned);
    assert_int_equal(late.status, TUTTI_SUCCESS);
    tutti_tuner_destroy(late.tuner);
    tutti_group_release(groups[1]);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_record_of_another_environment_is_used_with_a_warning),
        TEST(a_record_by_another_policy_than_the_variable_names_is_used_with_a_warning),
        TEST(a_log_that_was_taken_over_hears_which_function_it_is_about),
        TEST(noise_that_hides_the_differences_is_said_to),
        TEST(a_watchdog_that_can_not_start_is_said_to),
        TEST(a_launcher_that_calls_itself_is_asked_about_it),
        TEST(a_second_thread_on_a_group_finds_it_busy),
        TEST(a_rank_that_is_late_is_waited_for_with_a_warning),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
