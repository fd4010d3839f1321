/* What the first call of a key does to the process and the disk around it: one file is opened by
 * its name, whatever else is in the folder, and the program's thread stays where it is. */
#include <dirent.h>
#include <dlfcn.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "subject.h"

#define FURTHER 1000

static int listings, bindings;

/* In place of the C library's, also for the shared library: every listing begins with one of these.
 */
__attribute__((visibility("default"))) DIR *opendir(const char *path)
{
    typedef DIR *function(const char *);
    function *real;
    void *symbol = dlsym(RTLD_NEXT, "opendir");
    memcpy(&real, &symbol, sizeof real);
    listings++;
    return real(path);
}

__attribute__((visibility("default"))) DIR *fdopendir(int folder)
{
    typedef DIR *function(int);
    function *real;
    void *symbol = dlsym(RTLD_NEXT, "fdopendir");
    memcpy(&real, &symbol, sizeof real);
    listings++;
    return real(folder);
}

__attribute__((visibility("default"))) int sched_setaffinity(pid_t pid, size_t size,
                                                             const cpu_set_t *set)
{
    typedef int function(pid_t, size_t, const cpu_set_t *);
    function *real;
    void *symbol = dlsym(RTLD_NEXT, "sched_setaffinity");
    memcpy(&real, &symbol, sizeof real);
    bindings++;
    return real(pid, size, set);
}

/* Other keys' records, as far as a folder shows. */
static void add_records(const char *directory)
{
    char path[512];
    for (int i = 0; i < FURTHER; i++) {
        snprintf(path, sizeof path, "%s/subject/%032x.json", directory, i);
        FILE *file = fopen(path, "w");
        assert_non_null(file);
        fclose(file);
    }
}

/* A first call, through a tuner of its own; returns how many folders it lists. */
static int listings_of_first_call(struct subject *subject, tutti_group *group, int source)
{
    struct subject_args args = {.rows = 4096, .dtype = "bf16"};
    tutti_tuner_desc desc = subject_desc("subject", subject);
    tutti_tuner *tuner;
    tutti_report report = {.size = sizeof report};
    assert_int_equal(tutti_tuner_create(&desc, &tuner), TUTTI_SUCCESS);
    const int before = listings;
    assert_int_equal(tutti_call(tuner, &args, group, NULL), TUTTI_SUCCESS);
    const int made = listings - before;
    assert_int_equal(tutti_report_get(tuner, &args, group, &report), TUTTI_SUCCESS);
    assert_int_equal(report.source, source);
    tutti_tuner_destroy(tuner);
    return made;
}

static void a_look_up_lists_no_folder(void **state)
{
    char directory[256];
    struct subject subject = {.now = 0};
    tutti_group *group;
    (void)state;
    subject_make_directory(directory);
    subject_use_store(directory);
    assert_int_equal(tutti_group_create_serial(&group), TUTTI_SUCCESS);
    /* The control: the save looks for what dead writers left, and hwloc through /sys. */
    assert_true(listings_of_first_call(&subject, group, TUTTI_SOURCE_SEARCH) > 0);
    add_records(directory);
    assert_int_equal(listings_of_first_call(&subject, group, TUTTI_SOURCE_RECORD), 0);
    tutti_group_release(group);
    subject_remove_directory(directory);
}

static void the_program_is_not_moved_between_cores(void **state)
{
    char directory[256];
    struct subject subject = {.now = 0};
    tutti_group *group;
    (void)state;
    subject_make_directory(directory);
    subject_use_store(directory);
    assert_int_equal(tutti_group_create_serial(&group), TUTTI_SUCCESS);
    bindings = 0;
    listings_of_first_call(&subject, group, TUTTI_SOURCE_SEARCH);
    assert_int_equal(bindings, 0);
    tutti_group_release(group);
    subject_remove_directory(directory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_look_up_lists_no_folder),
        cmocka_unit_test(the_program_is_not_moved_between_cores),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
