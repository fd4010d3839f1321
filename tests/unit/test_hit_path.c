/*
 * The hit path of a call: no group operation, no allocation, no system call, and always the entry
 * of the key that was asked for. The system calls are judged by the kernel: in seccomp's strict
 * mode anything but read, write and exit kills.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <linux/seccomp.h>
#include <unistd.h>

#include <cmocka.h>

#include "subject.h"

#define HITS 100000
#define MANY 1000000

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1 /* the sanitizer has its own allocator, and its own system calls */
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1
#endif
#endif

#ifndef SANITIZED
/* glibc's own names, under which the program's malloc can reach what it replaces. */
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t n, size_t size);
extern void *__libc_realloc(void *pointer, size_t size);

static atomic_long allocations;

void *malloc(size_t size)
{
    atomic_fetch_add(&allocations, 1);
    return __libc_malloc(size);
}

void *calloc(size_t n, size_t size)
{
    atomic_fetch_add(&allocations, 1);
    return __libc_calloc(n, size);
}

void *realloc(void *pointer, size_t size)
{
    atomic_fetch_add(&allocations, 1);
    return __libc_realloc(pointer, size);
}
#endif

struct fixture {
    struct subject subject;
    tutti_tuner *tuner;
    tutti_group *group;
    tutti_bound bound;
    bool last_byte; /* the keys end with the data type */
};

static int wide_key(tutti_key *key, const void *args, void *user)
{
    const struct subject_args *subject_args = args;
    const int64_t a[] = {subject_args->rows, 8, 128}, c[] = {subject_args->rows / 2, 16, 128};
    const struct fixture *fixture = user; /* begins with the subject, which the tuner knows */
    if (!fixture->last_byte)
        tutti_key_string(key, "dtype", subject_args->dtype);
    tutti_key_shape(key, "A", 3, a);
    tutti_key_shape(key, "C", 3, c);
    tutti_key_integer(key, "ranks", 2);
    if (fixture->last_byte)
        tutti_key_string(key, "dtype", subject_args->dtype);
    return 0;
}

/* Tunes two keys in memory, without a store. */
static int setup(void **state)
{
    struct fixture *fixture = calloc(1, sizeof *fixture);
    subject_use_store("/nonexistent/tutti");
    setenv("TUTTI_MODE", "read-only", 1);
    setenv("TUTTI_LOG", "error", 1);
    tutti_tuner_desc desc = subject_desc("subject", &fixture->subject);
    desc.key = wide_key;
    struct subject_args args = {.rows = 4097, .dtype = "bf16"};
    if (tutti_tuner_create(&desc, &fixture->tuner) || tutti_group_create_serial(&fixture->group) ||
        tutti_call(fixture->tuner, &args, fixture->group, NULL))
        return -1;
    const struct subject_config forced = {.block = 64, .depth = 1};
    const tutti_call_options options = {.size = sizeof options, .force = &forced};
    args.rows = 4096;
    fixture->bound.size = sizeof fixture->bound;
    if (tutti_call(fixture->tuner, &args, fixture->group, NULL) ||
        tutti_call(fixture->tuner, &args, fixture->group, &options) ||
        tutti_bind(fixture->tuner, &args, fixture->group, &fixture->bound))
        return -1;
    *state = fixture;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *fixture = *state;
    tutti_tuner_destroy(fixture->tuner);
    tutti_group_release(fixture->group);
    free(fixture);
    return 0;
}

#ifndef SANITIZED
/* Keys of equal content from fresh memory, and some of another key in between: what counts is what
 * they say. Returns the failures. */
static int hit_many_times(struct fixture *fixture)
{
    int failures = 0;
    const struct subject_config forced = {.block = 64, .depth = 1};
    const tutti_call_options options = {
        .size = sizeof options, .force = &forced, .stream = fixture};
    for (int i = 0; i < HITS; i++) {
        char dtype[8];
        memcpy(dtype, "bf16", 5);
        struct subject_args args = {.rows = 4096, .dtype = dtype};
        failures += tutti_call(fixture->tuner, &args, fixture->group, NULL) != TUTTI_SUCCESS;
        args.rows += i % 3 == 0;
        failures += tutti_call(fixture->tuner, &args, fixture->group, NULL) != TUTTI_SUCCESS;
        args.rows = 4096;
        if (i % 5 == 0)
            failures += tutti_call(fixture->tuner, &args, fixture->group, &options) != 0;
        failures += tutti_tune(fixture->tuner, &args, fixture->group, NULL) != TUTTI_SUCCESS;
        failures += tutti_best(fixture->tuner, &args, fixture->group) == NULL;
        failures += tutti_bound_launch(&fixture->bound, &args) != 0;
    }
    return failures;
}

#endif

static void a_hit_allocates_nothing(void **state)
{
#ifdef SANITIZED
    (void)state;
    skip();
#else
    long before = atomic_load(&allocations);
    assert_int_equal(hit_many_times(*state), 0);
    assert_int_equal(atomic_load(&allocations), before);
    void *volatile block = malloc(1); /* the counter does count */
    free(block);
    assert_true(atomic_load(&allocations) > before);
#endif
}

#ifndef SANITIZED
/* Runs the hits, or one forbidden call, in a child that the kernel watches. Returns its status. */
static int watched(struct fixture *fixture, bool forbidden)
{
    pid_t child = fork();
    if (child == 0) {
        if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT))
            syscall(SYS_exit, 77);
        if (forbidden)
            syscall(SYS_getpid);
        syscall(SYS_exit, hit_many_times(fixture) ? 1 : 0);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    return status;
}
#endif

static void a_hit_makes_no_system_call(void **state)
{
#ifdef SANITIZED
    (void)state;
    skip();
#else
    int status = watched(*state, false);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
        skip(); /* no seccomp here */
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    assert_true(WIFSIGNALED(watched(*state, true))); /* the kernel does watch */
#endif
}

static void memory_stays_as_it_is_over_a_million_hits(void **state)
{
#ifdef SANITIZED
    (void)state;
    skip();
#else
    struct fixture *fixture = *state;
    int failures = 0;
    size_t in_use = mallinfo2().uordblks;
    for (int i = 0; i < MANY; i++) {
        char *dtype = strdup("bf16");
        struct subject_args args = {.rows = 4096, .dtype = dtype};
        failures += tutti_call(fixture->tuner, &args, fixture->group, NULL) != TUTTI_SUCCESS;
        free(dtype);
    }
    assert_int_equal(failures, 0);
    assert_true(mallinfo2().uordblks <= in_use);
#endif
}

/* Tunes a key so that a configuration wins which is its own; returns the configuration. */
static uint64_t tune(struct fixture *fixture, const struct subject_args *args, uint64_t winner)
{
    struct subject_args copy = *args;
    for (uint64_t i = 0; i < SUBJECT_SPACE; i++)
        fixture->subject.seconds[i] = i == winner ? 1 : 2;
    assert_int_equal(tutti_call(fixture->tuner, &copy, fixture->group, NULL), TUTTI_SUCCESS);
    assert_int_equal(fixture->subject.last_index, winner);
    return winner;
}

/* Calls in an order that is given by indices; each must run its own key's winner, once. */
static void expect_own_winners(struct fixture *fixture, const struct subject_args *keys,
                               const uint64_t *winners, const char *order)
{
    for (int repetition = 0; repetition < 5; repetition++) {
        for (const char *at = order; *at; at++) {
            struct subject_args args = keys[*at - '0'];
            const int runs = fixture->subject.runs;
            assert_int_equal(tutti_call(fixture->tuner, &args, fixture->group, NULL),
                             TUTTI_SUCCESS);
            assert_int_equal(fixture->subject.runs, runs + 1);
            assert_int_equal(fixture->subject.last_index, winners[*at - '0']);
        }
    }
}

static void keys_that_alternate_hit_their_own_entries(void **state)
{
    struct fixture *fixture = *state;
    const struct subject_args keys[] = {
        {.rows = 1, .dtype = "bf16"}, {.rows = 2, .dtype = "bf16"}, {.rows = 3, .dtype = "fp8"}};
    uint64_t winners[3];
    for (uint64_t i = 0; i < 3; i++)
        winners[i] = tune(fixture, &keys[i], 2 * i + 1);
    expect_own_winners(fixture, keys, winners, "01");
    expect_own_winners(fixture, keys, winners, "012");
    expect_own_winners(fixture, keys, winners, "0010212220");
}

static void keys_that_differ_in_their_last_byte_only_hit_their_own_entries(void **state)
{
    struct fixture *fixture = *state;
    fixture->last_byte = true;
    const struct subject_args keys[] = {{.rows = 1, .dtype = "bf16"}, {.rows = 1, .dtype = "bf17"}};
    const uint64_t winners[] = {tune(fixture, &keys[0], 1), tune(fixture, &keys[1], 4)};
    expect_own_winners(fixture, keys, winners, "0");
    expect_own_winners(fixture, keys, winners, "1");
    expect_own_winners(fixture, keys, winners, "01");
    expect_own_winners(fixture, keys, winners, "0011");
}

/* The caller's memory stays where it is and says something else. */
static void what_a_key_says_counts_and_not_where_it_stands(void **state)
{
    struct fixture *fixture = *state;
    char dtype[] = "bf16";
    const struct subject_args key = {.rows = 7, .dtype = dtype};
    const uint64_t first = tune(fixture, &key, 1);
    expect_own_winners(fixture, &key, &first, "0");
    dtype[3] = '7';
    const uint64_t second = tune(fixture, &key, 4);
    expect_own_winners(fixture, &key, &second, "0");
    dtype[3] = '6';
    expect_own_winners(fixture, &key, &first, "0");
}

static void a_key_that_was_forgotten_is_no_guess_any_more(void **state)
{
    struct fixture *fixture = *state;
    const struct subject_args keys[] = {{.rows = 1, .dtype = "bf16"}, {.rows = 2, .dtype = "bf16"}};
    uint64_t winners[] = {tune(fixture, &keys[0], 1), tune(fixture, &keys[1], 4)};
    expect_own_winners(fixture, keys, winners, "01");
    assert_int_equal(tutti_forget(fixture->tuner, &keys[0], fixture->group, 0), TUTTI_SUCCESS);
    expect_own_winners(fixture, keys, winners, "1");
    winners[0] = tune(fixture, &keys[0], 2);
    expect_own_winners(fixture, keys, winners, "01");
    assert_int_equal(tutti_forget(fixture->tuner, NULL, fixture->group, TUTTI_FORGET_ALL),
                     TUTTI_SUCCESS);
    winners[1] = tune(fixture, &keys[1], 5);
    expect_own_winners(fixture, keys, winners, "1");
}

/* A call with tuning off has entries of its own, whatever was asked for last. */
static void a_hit_with_tuning_off_is_none_with_tuning_on(void **state)
{
    struct fixture *fixture = *state;
    const tutti_call_options off = {.size = sizeof off, .autotune_off = true};
    struct subject_args args = {.rows = 1, .dtype = "bf16"};
    const uint64_t winner = tune(fixture, &args, 3);
    for (int i = 0; i < 10; i++) {
        assert_int_equal(tutti_call(fixture->tuner, &args, fixture->group, &off), TUTTI_SUCCESS);
        assert_int_equal(fixture->subject.last_index, 0);
        if (i % 3 == 0)
            expect_own_winners(fixture, &args, &winner, "0");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_hit_allocates_nothing, setup, teardown),
        cmocka_unit_test_setup_teardown(a_hit_makes_no_system_call, setup, teardown),
        cmocka_unit_test_setup_teardown(memory_stays_as_it_is_over_a_million_hits, setup, teardown),
        cmocka_unit_test_setup_teardown(keys_that_alternate_hit_their_own_entries, setup, teardown),
        cmocka_unit_test_setup_teardown(
            keys_that_differ_in_their_last_byte_only_hit_their_own_entries, setup, teardown),
        cmocka_unit_test_setup_teardown(what_a_key_says_counts_and_not_where_it_stands, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(a_key_that_was_forgotten_is_no_guess_any_more, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(a_hit_with_tuning_off_is_none_with_tuning_on, setup,
                                        teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
