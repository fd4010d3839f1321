/*
 * Settings from the environment. The argument is the path of docs/settings.md, which must be what
 * the table says; with --print the program writes that page to stdout.
 */
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

#include <tutti/error.h>

#include "settings.h"

struct reading {
    int error;
    struct settings settings;
    struct text why, warnings;
};

static struct reading reading;
static const char *document_path;

static void forget_reading(void)
{
    text_release(&reading.why);
    text_release(&reading.warnings);
    memset(&reading, 0, sizeof reading);
}

static const struct settings *read_again(void)
{
    forget_reading();
    reading.error = settings_read(&reading.settings, &reading.why, &reading.warnings);
    return &reading.settings;
}

static bool says(const struct text *text, const char *part)
{
    return text->bytes && strstr(text->bytes, part);
}

static int clear(void **state)
{
    (void)state;
    for (char **entry = environ; *entry;) {
        char name[128];
        snprintf(name, sizeof name, "%.*s", (int)strcspn(*entry, "="), *entry);
        if (strncmp(name, "TUTTI_", 6) == 0 || strncmp(name, "TRITON_", 7) == 0) {
            unsetenv(name);
            entry = environ;
        } else {
            entry++;
        }
    }
    unsetenv("XDG_CACHE_HOME");
    setenv("HOME", "/home/someone", 1);
    return 0;
}

static int forget(void **state)
{
    (void)state;
    forget_reading();
    return 0;
}

static void nothing_set_gives_the_defaults(void **state)
{
    (void)state;
    const struct settings *settings = read_again();
    assert_int_equal(reading.error, TUTTI_SUCCESS);
    assert_int_equal(settings->mode, MODE_TUNE);
    assert_int_equal(settings->log_level, LOG_WARN);
    assert_false(settings->always_tune);
    assert_false(settings->strict);
    assert_int_equal(settings->warmups, SETTINGS_UNSET);
    assert_int_equal(settings->samples, SETTINGS_UNSET);
    assert_true(settings->stall_warn == 10);
    assert_true(settings->stall_timeout == 0);
    assert_string_equal(settings->cache_dir, "/home/someone/.cache/tutti");
    assert_null(reading.warnings.bytes);
}

static void values_are_read(void **state)
{
    (void)state;
    setenv("TUTTI_MODE", "cache-only", 1);
    setenv("TUTTI_LOG", "debug", 1);
    setenv("TUTTI_ALWAYS_TUNE", "on", 1);
    setenv("TUTTI_STRICT", "yes", 1);
    setenv("TUTTI_WARMUPS", "0", 1);
    setenv("TUTTI_SAMPLES", "1000000", 1);
    setenv("TUTTI_STALL_WARN", "0.25", 1);
    setenv("TUTTI_STALL_TIMEOUT", "1000000000", 1);
    setenv("TUTTI_CACHE_DIR", "/var/cache/tunings", 1);
    const struct settings *settings = read_again();
    assert_int_equal(reading.error, TUTTI_SUCCESS);
    assert_int_equal(settings->mode, MODE_CACHE_ONLY);
    assert_int_equal(settings->log_level, LOG_DEBUG);
    assert_true(settings->always_tune);
    assert_true(settings->strict);
    assert_int_equal(settings->warmups, 0);
    assert_int_equal(settings->samples, 1000000);
    assert_true(settings->stall_warn == 0.25);
    assert_true(settings->stall_timeout == 1e9);
    assert_string_equal(settings->cache_dir, "/var/cache/tunings");
    assert_null(reading.warnings.bytes);
}

static void booleans_take_the_usual_words(void **state)
{
    static const struct {
        const char *word;
        int flag;
    } words[] = {{"0", 0}, {"false", 0}, {"off", 0}, {"no", 0},
                 {"1", 1}, {"true", 1},  {"on", 1},  {"yes", 1}};
    (void)state;
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        setenv("TUTTI_STRICT", words[i].word, 1);
        assert_int_equal(read_again()->strict, words[i].flag);
        assert_int_equal(reading.error, TUTTI_SUCCESS);
    }
}

static void a_wrong_value_is_refused_by_name_and_value(void **state)
{
    static const struct {
        const char *name, *value, *allowed;
    } wrong[] = {
        {"TUTTI_MODE", "Tune", "tune, read-only, cache-only or off"},
        {"TUTTI_LOG", "warning", "error, warn, info or debug"},
        {"TUTTI_STRICT", "2", "0, 1, false, true"},
        {"TUTTI_ALWAYS_TUNE", "maybe", "0, 1, false, true"},
        {"TUTTI_SAMPLES", "0", "a whole number from 1 to 1000000"},
        {"TUTTI_SAMPLES", "1000001", "a whole number from 1 to 1000000"},
        {"TUTTI_SAMPLES", "99999999999999999999999999", "a whole number"},
        {"TUTTI_SAMPLES", "10 ", "a whole number"},
        {"TUTTI_SAMPLES", "+10", "a whole number"},
        {"TUTTI_WARMUPS", "-1", "a whole number from 0 to 1000000"},
        {"TUTTI_WARMUPS", "5x", "a whole number"},
        {"TUTTI_STALL_WARN", "nan", "seconds as a decimal number"},
        {"TUTTI_STALL_WARN", "inf", "seconds as a decimal number"},
        {"TUTTI_STALL_WARN", "-1", "seconds as a decimal number"},
        {"TUTTI_STALL_WARN", ".", "seconds as a decimal number"},
        {"TUTTI_STALL_WARN", "1.2.3", "seconds as a decimal number"},
        {"TUTTI_STALL_TIMEOUT", "0,5", "seconds as a decimal number"},
        {"TUTTI_STALL_TIMEOUT", "5 s", "seconds as a decimal number"},
        {"TUTTI_STALL_TIMEOUT", "1000000001", "seconds as a decimal number"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        char beginning[128];
        snprintf(beginning, sizeof beginning, "%s=\"%s\" is not allowed", wrong[i].name,
                 wrong[i].value);
        setenv(wrong[i].name, wrong[i].value, 1);
        read_again();
        assert_int_equal(reading.error, TUTTI_ERR_SETTING);
        assert_true(says(&reading.why, beginning));
        assert_true(says(&reading.why, wrong[i].allowed));
        unsetenv(wrong[i].name);
    }
}

static void a_refused_value_leaves_the_default_and_the_other_variables(void **state)
{
    (void)state;
    setenv("TUTTI_SAMPLES", "many", 1);
    setenv("TUTTI_STALL_TIMEOUT", "soon", 1);
    setenv("TUTTI_WARMUPS", "7", 1);
    const struct settings *settings = read_again();
    assert_int_equal(reading.error, TUTTI_ERR_SETTING);
    assert_true(says(&reading.why, "TUTTI_SAMPLES=\"many\""));
    assert_true(says(&reading.why, "TUTTI_STALL_TIMEOUT=\"soon\""));
    assert_int_equal(settings->samples, SETTINGS_UNSET);
    assert_true(settings->stall_timeout == 0);
    assert_int_equal(settings->warmups, 7);
}

static void an_empty_value_counts_as_unset(void **state)
{
    (void)state;
    setenv("TUTTI_MODE", "", 1);
    setenv("TUTTI_SAMPLES", "", 1);
    setenv("TUTTI_CACHE_DIR", "", 1);
    setenv("XDG_CACHE_HOME", "", 1);
    const struct settings *settings = read_again();
    assert_int_equal(reading.error, TUTTI_SUCCESS);
    assert_int_equal(settings->samples, SETTINGS_UNSET);
    assert_string_equal(settings->cache_dir, "/home/someone/.cache/tutti");
    assert_null(reading.warnings.bytes);
}

static void the_own_name_wins_over_the_alias_with_a_warning(void **state)
{
    (void)state;
    setenv("TRITON_DIST_AUTOTUNE_ALWAYS_TUNE", "1", 1);
    assert_true(read_again()->always_tune);
    assert_null(reading.warnings.bytes);

    setenv("TUTTI_ALWAYS_TUNE", "0", 1);
    assert_false(read_again()->always_tune);
    assert_true(says(&reading.warnings, "TRITON_DIST_AUTOTUNE_ALWAYS_TUNE is \"1\""));

    setenv("TUTTI_ALWAYS_TUNE", "1", 1);
    assert_true(read_again()->always_tune);
    assert_null(reading.warnings.bytes);
}

static void a_wrong_alias_is_refused_under_its_own_name(void **state)
{
    (void)state;
    setenv("TRITON_DIST_AUTOTUNE_VERSION_CHECK", "si", 1);
    read_again();
    assert_int_equal(reading.error, TUTTI_ERR_SETTING);
    assert_true(says(&reading.why, "TRITON_DIST_AUTOTUNE_VERSION_CHECK=\"si\""));
}

static void an_unknown_variable_is_a_warning_with_the_nearest_name(void **state)
{
    (void)state;
    setenv("TUTTI_SAMPELS", "3", 1);
    setenv("TUTTI_COMPLETELY_DIFFERENT", "3", 1);
    read_again();
    assert_int_equal(reading.error, TUTTI_SUCCESS);
    assert_true(says(&reading.warnings, "TUTTI_SAMPELS is unknown; did you mean TUTTI_SAMPLES?\n"));
    assert_true(says(&reading.warnings, "TUTTI_COMPLETELY_DIFFERENT is unknown\n"));
}

static void a_very_long_unknown_name_is_no_problem(void **state)
{
    char name[1000] = "TUTTI_";
    (void)state;
    memset(name + 6, 'X', sizeof name - 7);
    setenv(name, "1", 1);
    read_again();
    assert_int_equal(reading.error, TUTTI_SUCCESS);
    assert_true(says(&reading.warnings, "TUTTI_XXX"));
    unsetenv(name);
}

static void a_relative_cache_directory_begins_at_the_working_directory(void **state)
{
    char here[2048], expected[4096];
    (void)state;
    assert_non_null(getcwd(here, sizeof here));
    snprintf(expected, sizeof expected, "%s/tunings", here);
    setenv("TUTTI_CACHE_DIR", "tunings", 1);
    assert_string_equal(read_again()->cache_dir, expected);
}

static void a_cache_directory_that_does_not_fit_is_refused(void **state)
{
    char path[5000];
    (void)state;
    memset(path, 'a', sizeof path);
    path[0] = '/';
    path[sizeof path - 1] = '\0';
    setenv("TUTTI_CACHE_DIR", path, 1);
    read_again();
    assert_int_equal(reading.error, TUTTI_ERR_SETTING);

    path[4095] = '\0'; /* the longest that fits */
    setenv("TUTTI_CACHE_DIR", path, 1);
    assert_string_equal(read_again()->cache_dir, path);
    assert_int_equal(reading.error, TUTTI_SUCCESS);
}

static void the_xdg_directory_comes_before_home_unless_relative(void **state)
{
    (void)state;
    setenv("XDG_CACHE_HOME", "/xdg", 1);
    assert_string_equal(read_again()->cache_dir, "/xdg/tutti");
    setenv("XDG_CACHE_HOME", "xdg", 1);
    assert_string_equal(read_again()->cache_dir, "/home/someone/.cache/tutti");
}

static void without_a_home_nothing_is_stored_and_said_once(void **state)
{
    (void)state;
    unsetenv("HOME");
    assert_string_equal(read_again()->cache_dir, "");
    assert_int_equal(reading.error, TUTTI_SUCCESS);
    assert_true(says(&reading.warnings, "nothing is stored"));

    setenv("TUTTI_MODE", "off", 1); /* no store is needed */
    read_again();
    assert_null(reading.warnings.bytes);
}

static void fingerprints_differ_where_variables_do(void **state)
{
    uint64_t unset[SETTINGS_COUNT], set[SETTINGS_COUNT], other[SETTINGS_COUNT];
    (void)state;
    settings_fingerprint(unset);
    setenv("TUTTI_SAMPLES", "3", 1);
    settings_fingerprint(set);
    setenv("TUTTI_SAMPLES", "4", 1);
    settings_fingerprint(other);
    for (int i = 0; i < SETTINGS_COUNT; i++) {
        const bool samples = strcmp(settings_variable(i), "TUTTI_SAMPLES") == 0;
        assert_true(unset[i] == 0);
        assert_int_equal(set[i] != 0, samples);
        assert_int_equal(set[i] != other[i], samples);
    }
}

static void the_documentation_is_what_the_table_says(void **state)
{
    char *expected = NULL, line[4096];
    size_t length = 0;
    struct text found = {0};
    (void)state;
    if (!document_path)
        skip();
    FILE *stream = open_memstream(&expected, &length);
    settings_document(stream);
    fclose(stream);
    FILE *file = fopen(document_path, "r");
    assert_non_null(file);
    while (fgets(line, sizeof line, file))
        text_add(&found, "%s", line);
    fclose(file);
    assert_string_equal(found.bytes, expected);
    text_release(&found);
    free(expected);
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "--print") == 0) {
        settings_document(stdout);
        return 0;
    }
    document_path = argc > 1 ? argv[1] : NULL;
#define TEST(name) cmocka_unit_test_setup_teardown(name, clear, forget)
    const struct CMUnitTest tests[] = {
        TEST(nothing_set_gives_the_defaults),
        TEST(values_are_read),
        TEST(booleans_take_the_usual_words),
        TEST(a_wrong_value_is_refused_by_name_and_value),
        TEST(a_refused_value_leaves_the_default_and_the_other_variables),
        TEST(an_empty_value_counts_as_unset),
        TEST(the_own_name_wins_over_the_alias_with_a_warning),
        TEST(a_wrong_alias_is_refused_under_its_own_name),
        TEST(an_unknown_variable_is_a_warning_with_the_nearest_name),
        TEST(a_very_long_unknown_name_is_no_problem),
        TEST(a_relative_cache_directory_begins_at_the_working_directory),
        TEST(a_cache_directory_that_does_not_fit_is_refused),
        TEST(the_xdg_directory_comes_before_home_unless_relative),
        TEST(without_a_home_nothing_is_stored_and_said_once),
        TEST(fingerprints_differ_where_variables_do),
        TEST(the_documentation_is_what_the_table_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
