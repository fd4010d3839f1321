/*
 * The hit path of a call: no group operation, no allocation, no system call. The system calls are
 * judged by the kernel: in seccomp's strict mode anything but read, write and exit kills.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
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
};

static int wide_key(tutti_key *key, const void *args, void *user)
{
    const struct subject_args *subject_args = args;
    const int64_t a[] = {subject_args->rows, 8, 128}, c[] = {subject_args->rows / 2, 16, 128};
    (void)user;
    tutti_key_string(key, "dtype", subject_args->dtype);
    tutti_key_shape(key, "A", 3, a);
    tutti_key_shape(key, "C", 3, c);
    tutti_key_integer(key, "ranks", 2);
    return 0;
}

/* Tunes one key in memory, without a store. */
static int setup(void **state)
{
    struct fixture *fixture = calloc(1, sizeof *fixture);
    subject_use_store("/nonexistent/tutti");
    setenv("TUTTI_MODE", "read-only", 1);
    setenv("TUTTI_LOG", "error", 1);
    tutti_tuner_desc desc = subject_desc("subject", &fixture->subject);
    desc.key = wide_key;
    struct subject_args args = {.rows = 4096, .dtype = "bf16"};
    if (tutti_tuner_create(&desc, &fixture->tuner) || tutti_group_create_serial(&fixture->group) ||
        tutti_call(fixture->tuner, &args, fixture->group, NULL) ||
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
/* Keys of equal content from fresh memory: what counts is what they say. Returns the failures. */
static int hit_many_times(struct fixture *fixture)
{
    int failures = 0;
    for (int i = 0; i < HITS; i++) {
        char dtype[8];
        memcpy(dtype, "bf16", 5);
        struct subject_args args = {.rows = 4096, .dtype = dtype};
        failures += tutti_call(fixture->tuner, &args, fixture->group, NULL) != TUTTI_SUCCESS;
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_hit_allocates_nothing, setup, teardown),
        cmocka_unit_test_setup_teardown(a_hit_makes_no_system_call, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
