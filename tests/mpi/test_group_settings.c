/* Settings in a group of ranks whose environments differ: the root's hold, and it is said once. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <mpi.h>

#include <tutti/error.h>
#include <tutti/mpi.h>

#include "group.h"

static int rank, ranks;

/* What attaching a new group does on this rank. */
struct attached {
    int error;
    uint64_t operations;
    struct settings settings;
    char why[1024];
    char printed[4096]; /* to stderr */
};

static FILE *capture_begin(int *saved)
{
    FILE *file = tmpfile();
    assert_non_null(file);
    fflush(stderr);
    *saved = dup(STDERR_FILENO);
    dup2(fileno(file), STDERR_FILENO);
    return file;
}

static void capture_end(FILE *file, int saved, char *printed, size_t size)
{
    fflush(stderr);
    dup2(saved, STDERR_FILENO);
    close(saved);
    rewind(file);
    printed[fread(printed, 1, size - 1, file)] = '\0';
    fclose(file);
}

static void attach(struct attached *attached)
{
    tutti_group *group;
    struct text why = {0};
    int saved;
    assert_int_equal(tutti_group_create_mpi(MPI_COMM_WORLD, &group), TUTTI_SUCCESS);
    FILE *file = capture_begin(&saved);
    attached->error = group_attach(group, &why);
    capture_end(file, saved, attached->printed, sizeof attached->printed);
    snprintf(attached->why, sizeof attached->why, "%s", why.bytes ? why.bytes : "");
    attached->operations = group->operations;
    attached->settings = group->settings;
    text_release(&why);
    tutti_group_release(group);
}

/* All of it but stderr is the same on all ranks, byte for byte. */
static void assert_same_everywhere(const struct attached *attached)
{
    struct attached root = *attached;
    MPI_Bcast(&root, (int)sizeof root, MPI_BYTE, 0, MPI_COMM_WORLD);
    assert_int_equal(root.error, attached->error);
    assert_int_equal(root.operations, attached->operations);
    assert_string_equal(root.why, attached->why);
    if (!root.error)
        assert_memory_equal(&root.settings, &attached->settings, sizeof root.settings);
}

static int clear(void **state)
{
    (void)state;
    for (int i = 0; i < SETTINGS_COUNT; i++)
        unsetenv(settings_variable(i));
    setenv("HOME", "/nowhere", 1);
    unsetenv("XDG_CACHE_HOME");
    unsetenv("XDG_CONFIG_HOME");
    setenv("TUTTI_SITE_FILE", "/nonexistent", 1); /* not this machine's */
    MPI_Barrier(MPI_COMM_WORLD);
    return 0;
}

static void the_root_alone_is_heard(void **state)
{
    struct attached attached;
    (void)state;
    setenv("TUTTI_MODE", rank == 0 ? "read-only" : "off", 1);
    if (rank == ranks - 1)
        setenv("TUTTI_SAMPLES", "99", 1);
    attach(&attached);
    assert_same_everywhere(&attached);
    assert_int_equal(attached.error, TUTTI_SUCCESS);
    assert_int_equal(attached.settings.mode, ranks > 1 || rank == 0 ? MODE_READ_ONLY : MODE_OFF);
    assert_int_equal(attached.settings.samples, ranks > 1 ? SETTINGS_UNSET : 99);
}

static void a_difference_is_said_once(void **state)
{
    struct attached attached;
    char expected[256];
    (void)state;
    if (rank == ranks - 1)
        setenv("TUTTI_SAMPLES", "99", 1);
    attach(&attached);
    snprintf(expected, sizeof expected,
             "tutti: warning: set otherwise than on rank 0, whose values hold: TUTTI_SAMPLES on "
             "rank %d\n",
             ranks - 1);
    assert_string_equal(attached.printed, rank == 0 && ranks > 1 ? expected : "");
}

static void a_variable_of_the_root_only_differs_on_the_others(void **state)
{
    struct attached attached;
    (void)state;
    if (rank == 0) {
        setenv("TUTTI_LOG", "info", 1);
        setenv("TUTTI_STALL_WARN", "20", 1);
    }
    attach(&attached);
    assert_same_everywhere(&attached);
    assert_int_equal(attached.settings.log_level, TUTTI_LOG_INFO);
    if (rank == 0 && ranks > 1) {
        assert_non_null(strstr(attached.printed,
                               ranks > 2 ? "TUTTI_LOG on ranks 1, 2" : "TUTTI_LOG on rank 1"));
        assert_non_null(strstr(attached.printed, "; TUTTI_STALL_WARN on rank"));
    } else {
        assert_string_equal(attached.printed, "");
    }
}

static void equal_environments_are_not_worth_a_word(void **state)
{
    struct attached attached;
    (void)state;
    setenv("TUTTI_SAMPLES", "3", 1);
    attach(&attached);
    assert_same_everywhere(&attached);
    assert_int_equal(attached.settings.samples, 3);
    assert_string_equal(attached.printed, "");
}

static void a_wrong_value_on_the_root_is_the_error_of_all(void **state)
{
    struct attached attached;
    (void)state;
    if (rank == 0)
        setenv("TUTTI_SAMPLES", "several", 1);
    attach(&attached);
    assert_same_everywhere(&attached);
    assert_int_equal(attached.error, TUTTI_ERR_SETTING);
    assert_non_null(strstr(attached.why, "TUTTI_SAMPLES=\"several\" is not allowed"));
}

static void a_wrong_value_elsewhere_has_no_effect(void **state)
{
    struct attached attached;
    (void)state;
    if (rank > 0) {
        setenv("TUTTI_SAMPLES", "several", 1);
        setenv("TUTTI_STALL_TIMEOUT", "soon", 1);
    }
    attach(&attached);
    assert_same_everywhere(&attached);
    assert_int_equal(attached.error, TUTTI_SUCCESS);
}

static void each_rank_may_have_a_home_of_its_own(void **state)
{
    struct attached attached;
    char home[64];
    (void)state;
    snprintf(home, sizeof home, "/home/rank%d", rank);
    setenv("HOME", home, 1);
    attach(&attached);
    assert_same_everywhere(&attached);
    assert_string_equal(attached.settings.cache_dir, "/home/rank0/.cache/tutti");
    assert_string_equal(attached.printed, "");
}

static void without_a_home_one_rank_says_so(void **state)
{
    struct attached attached;
    (void)state;
    unsetenv("HOME");
    attach(&attached);
    assert_same_everywhere(&attached);
    assert_int_equal(strncmp(attached.printed, "tutti: warning: nothing is stored", 33) == 0,
                     rank == 0);
    assert_int_equal(attached.printed[0] == '\0', rank != 0);
}

/* Each rank has a file of its own: as on nodes that don't share one. */
static void write_own_file(char path[64], const char *text)
{
    snprintf(path, 64, "/tmp/tutti-settings.%d.%d", (int)getpid(), rank);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
    setenv("TUTTI_SITE_FILE", path, 1);
}

static void the_files_of_the_root_hold_for_all(void **state)
{
    struct attached attached;
    char path[64], text[64];
    (void)state;
    snprintf(text, sizeof text, "TUTTI_SAMPLES = %d\n%s", rank + 7, rank ? "nonsense\n" : "");
    write_own_file(path, text);
    attach(&attached);
    remove(path);
    assert_same_everywhere(&attached);
    assert_int_equal(attached.error, TUTTI_SUCCESS);
    assert_int_equal(attached.settings.samples, 7);
    assert_null(strstr(attached.printed, "nonsense")); /* nobody else's file is read */
}

static void a_wrong_value_in_the_root_file_is_the_error_of_all(void **state)
{
    struct attached attached;
    char path[64];
    (void)state;
    write_own_file(path, rank == 0 ? "\nTUTTI_SAMPLES = several\n" : "");
    attach(&attached);
    remove(path);
    assert_same_everywhere(&attached);
    assert_int_equal(attached.error, TUTTI_ERR_SETTING);
    assert_non_null(strstr(attached.why, ".0:2: TUTTI_SAMPLES=\"several\" is not allowed"));
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
#define TEST(name) cmocka_unit_test_setup(name, clear)
    const struct CMUnitTest tests[] = {
        TEST(the_root_alone_is_heard),
        TEST(a_difference_is_said_once),
        TEST(a_variable_of_the_root_only_differs_on_the_others),
        TEST(equal_environments_are_not_worth_a_word),
        TEST(a_wrong_value_on_the_root_is_the_error_of_all),
        TEST(a_wrong_value_elsewhere_has_no_effect),
        TEST(each_rank_may_have_a_home_of_its_own),
        TEST(without_a_home_one_rank_says_so),
        TEST(the_files_of_the_root_hold_for_all),
        TEST(a_wrong_value_in_the_root_file_is_the_error_of_all),
    };
    const int failures = cmocka_run_group_tests(tests, NULL, NULL);
    MPI_Finalize();
    return failures;
}
