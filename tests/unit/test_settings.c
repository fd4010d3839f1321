/*
 * Settings from the environment and from files. The argument is the path of docs/settings.md, which
 * must be what the table says; with --print the program writes that page to stdout.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include <tutti/error.h>
#include <tutti/group.h>

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
    unsetenv("XDG_CONFIG_HOME");
    setenv("HOME", "/home/someone", 1);
    setenv("TUTTI_SITE_FILE", "/nonexistent/tutti.conf", 1); /* not this machine's */
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
    assert_int_equal(settings->log_level, TUTTI_LOG_WARN);
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
    assert_int_equal(settings->log_level, TUTTI_LOG_DEBUG);
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
    unsetenv("TUTTI_SITE_FILE");
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

/* Files: a directory with the user's and the site's, which the environment points to. */

static char folder[64], user_file[128], site_file[128];

static int clear_with_files(void **state)
{
    clear(state);
    snprintf(folder, sizeof folder, "/tmp/tutti-settings.XXXXXX");
    if (!mkdtemp(folder))
        return -1;
    snprintf(user_file, sizeof user_file, "%s/tutti", folder);
    if (mkdir(user_file, 0700))
        return -1;
    snprintf(user_file, sizeof user_file, "%s/tutti/settings", folder);
    snprintf(site_file, sizeof site_file, "%s/site", folder);
    setenv("XDG_CONFIG_HOME", folder, 1);
    setenv("TUTTI_SITE_FILE", site_file, 1);
    return 0;
}

static int forget_files(void **state)
{
    char below[128];
    snprintf(below, sizeof below, "%s/tutti", folder);
    remove(user_file);
    remove(site_file);
    remove(below);
    return rmdir(folder) || forget(state);
}

static void write_bytes(const char *path, const char *bytes, size_t length)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, length, file), length);
    assert_int_equal(fclose(file), 0);
}

static void write_file(const char *path, const char *text)
{
    write_bytes(path, text, strlen(text));
}

static void expect_warning(const char *format, const char *path)
{
    char expected[512];
    snprintf(expected, sizeof expected, format, path);
    assert_int_equal(reading.error, TUTTI_SUCCESS);
    assert_non_null(reading.warnings.bytes);
    assert_string_equal(reading.warnings.bytes, expected);
}

static void the_environment_comes_before_the_user_and_the_user_before_the_site(void **state)
{
    (void)state;
    write_file(site_file, "TUTTI_SAMPLES = 1\nTUTTI_WARMUPS = 1\nTUTTI_SEED = 1\n");
    write_file(user_file, "TUTTI_SAMPLES = 2\nTUTTI_WARMUPS = 2\n");
    setenv("TUTTI_SAMPLES", "3", 1);
    const struct settings *settings = read_again();
    assert_int_equal(reading.error, TUTTI_SUCCESS);
    assert_int_equal(settings->samples, 3);
    assert_int_equal(settings->warmups, 2);
    assert_int_equal(settings->seed, 1);
    assert_true(settings->stall_warn == 10);
    assert_null(reading.warnings.bytes);
}

static void another_programs_variable_comes_before_the_files(void **state)
{
    (void)state;
    write_file(user_file, "TUTTI_ALWAYS_TUNE = no\n");
    setenv("TRITON_DIST_AUTOTUNE_ALWAYS_TUNE", "1", 1);
    assert_true(read_again()->always_tune);
}

static void the_user_file_is_below_home_without_the_xdg_variable(void **state)
{
    char config[128], below[128], file[160];
    (void)state;
    snprintf(config, sizeof config, "%s/.config", folder);
    snprintf(below, sizeof below, "%s/.config/tutti", folder);
    snprintf(file, sizeof file, "%s/.config/tutti/settings", folder);
    assert_int_equal(mkdir(config, 0700), 0);
    assert_int_equal(mkdir(below, 0700), 0);
    write_file(file, "TUTTI_SAMPLES = 7\n");
    unsetenv("XDG_CONFIG_HOME");
    setenv("HOME", folder, 1);
    const int found = read_again()->samples;
    setenv("XDG_CONFIG_HOME", "not/absolute", 1);
    const int found_again = read_again()->samples;
    remove(file);
    remove(below);
    remove(config);
    assert_int_equal(found, 7);
    assert_int_equal(found_again, 7);
}

static void blanks_comments_carriage_returns_and_a_missing_end_are_no_problem(void **state)
{
    (void)state;
    write_file(user_file, "# TUTTI_SEED = 1\r\n\r\n\t TUTTI_SAMPLES\t=  12 \t\r\n"
                          "  # more\nTUTTI_STALL_WARN=0.5\n\n"
                          "TUTTI_CACHE_DIR = /with blanks/and = #signs");
    const struct settings *settings = read_again();
    assert_int_equal(reading.error, TUTTI_SUCCESS);
    assert_null(reading.warnings.bytes);
    assert_int_equal(settings->seed, 0);
    assert_int_equal(settings->samples, 12);
    assert_true(settings->stall_warn == 0.5);
    assert_string_equal(settings->cache_dir, "/with blanks/and = #signs");
}

static void an_empty_value_in_a_file_counts_as_unset(void **state)
{
    (void)state;
    write_file(site_file, "TUTTI_SAMPLES = 4\n");
    write_file(user_file, "TUTTI_SAMPLES =\n");
    assert_int_equal(read_again()->samples, 4);
    assert_null(reading.warnings.bytes);
}

static void a_wrong_value_in_a_file_is_refused_by_file_and_line(void **state)
{
    char expected[512];
    (void)state;
    write_file(site_file, "TUTTI_WARMUPS = 3\n");
    write_file(user_file, "\n# several\nTUTTI_SAMPLES = several\n");
    const struct settings *settings = read_again();
    snprintf(expected, sizeof expected,
             "%s:3: TUTTI_SAMPLES=\"several\" is not allowed: it must be a whole number from 1 to "
             "1000000",
             user_file);
    assert_int_equal(reading.error, TUTTI_ERR_SETTING);
    assert_string_equal(reading.why.bytes, expected);
    assert_int_equal(settings->samples, SETTINGS_UNSET);
    assert_int_equal(settings->warmups, 3);

    setenv("TUTTI_SAMPLES", "5", 1); /* what does not hold is not judged */
    assert_int_equal(read_again()->samples, 5);
    assert_int_equal(reading.error, TUTTI_SUCCESS);
}

static void a_relative_path_in_a_file_is_refused(void **state)
{
    static const char *const wrong[] = {
        "TUTTI_CACHE_DIR = records\n", "TUTTI_CACHE_DIR = ~/records\n",
        "TUTTI_CACHE_DIR = \"/records\"\n", "TUTTI_CACHE_PATH = /one:$HOME/two\n",
        "TUTTI_SITE_FILE = /etc/other.conf\n"};
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        write_file(user_file, wrong[i]);
        if (i == 4)
            unsetenv("TUTTI_SITE_FILE");
        read_again();
        assert_int_equal(reading.error, TUTTI_ERR_SETTING);
        assert_true(says(&reading.why, "in a file"));
    }
    write_file(user_file, "TUTTI_CACHE_PATH = /one::/two:\n");
    assert_string_equal(read_again()->cache_path, "/one::/two:");
}

static void an_unknown_name_in_a_file_is_a_warning_with_place_and_nearest_name(void **state)
{
    (void)state;
    write_file(user_file, "TUTTI_SAMPELS = 3\n");
    read_again();
    expect_warning("%s:1: the setting TUTTI_SAMPELS is unknown; did you mean TUTTI_SAMPLES?\n",
                   user_file);

    write_file(user_file, "\nTRITON_DIST_AUTOTUNE_ALWAYS_TUNE = 1\n");
    assert_false(read_again()->always_tune);
    expect_warning("%s:2: the setting TRITON_DIST_AUTOTUNE_ALWAYS_TUNE is unknown; did you mean "
                   "TUTTI_ALWAYS_TUNE?\n",
                   user_file);

    write_file(user_file, "= 3\n");
    read_again();
    expect_warning("%s:1: the setting  is unknown\n", user_file);
}

static void a_line_that_is_no_setting_is_a_warning(void **state)
{
    (void)state;
    write_file(user_file, "TUTTI_SEED = 4\nTUTTI_SAMPLES 3\n");
    assert_int_equal(read_again()->seed, 4);
    expect_warning("%s:2: the line is not NAME = value: TUTTI_SAMPLES 3\n", user_file);
}

static void a_name_that_stands_twice_is_a_warning_and_the_last_holds(void **state)
{
    (void)state;
    write_file(user_file, "TUTTI_SEED = 4\n\nTUTTI_SEED = 5\n");
    assert_int_equal(read_again()->seed, 5);
    expect_warning("%s:3: TUTTI_SEED stands in line 1 already: this line holds\n", user_file);
}

static void a_file_of_nonsense_does_not_flood_the_log(void **state)
{
    struct text nonsense = {0};
    (void)state;
    for (int i = 0; i < 1000; i++)
        text_add(&nonsense, "nonsense\n");
    write_file(user_file, nonsense.bytes);
    text_release(&nonsense);
    read_again();
    int lines = 0;
    for (const char *at = reading.warnings.bytes; *at; at++)
        lines += *at == '\n';
    assert_int_equal(lines, 11);
    assert_true(says(&reading.warnings, ": 990 more lines like these\n"));
}

static void a_directory_in_place_of_a_file_is_one_warning(void **state)
{
    (void)state;
    assert_int_equal(mkdir(site_file, 0700), 0);
    read_again();
    expect_warning("the settings in %s are not read: it is not a regular file\n", site_file);
}

static void a_pipe_in_place_of_a_file_is_one_warning_and_no_wait(void **state)
{
    (void)state;
    assert_int_equal(mkfifo(user_file, 0600), 0);
    read_again();
    expect_warning("the settings in %s are not read: it is not a regular file\n", user_file);
}

static void a_file_of_a_gigabyte_is_one_warning(void **state)
{
    (void)state;
    write_file(user_file, "TUTTI_SEED = 4\n");
    assert_int_equal(truncate(user_file, 1 << 30), 0); /* sparse */
    assert_int_equal(read_again()->seed, 0);
    expect_warning("the settings in %s are not read: it is longer than 65536 bytes\n", user_file);
}

static void the_longest_file_is_read(void **state)
{
    static char text[65537];
    (void)state;
    memset(text, '\n', sizeof text);
    memcpy(text + 65536 - 14, "TUTTI_SEED = 4", 14);
    write_bytes(user_file, text, 65536);
    assert_int_equal(read_again()->seed, 4);
    assert_null(reading.warnings.bytes);
    write_bytes(user_file, text, 65537);
    assert_int_equal(read_again()->seed, 0);
    expect_warning("the settings in %s are not read: it is longer than 65536 bytes\n", user_file);
}

static void a_byte_of_value_0_is_one_warning(void **state)
{
    (void)state;
    write_bytes(user_file, "TUTTI_SEED = 4\n\0\n", 17);
    assert_int_equal(read_again()->seed, 0);
    expect_warning("the settings in %s are not read: it is not text: it holds a byte of value 0\n",
                   user_file);
}

static void a_file_that_may_not_be_read_is_one_warning(void **state)
{
    (void)state;
    /* A loop of links: what root, too, can't open. */
    assert_int_equal(symlink(user_file, user_file), 0);
    read_again();
    assert_int_equal(reading.error, TUTTI_SUCCESS);
    assert_true(says(&reading.warnings, "are not read: Too many levels of symbolic links\n"));
    assert_ptr_equal(strchr(reading.warnings.bytes, '\n') + 1,
                     reading.warnings.bytes + reading.warnings.length);
}

static void a_linked_file_is_read(void **state)
{
    (void)state;
    write_file(site_file, "TUTTI_SEED = 4\n");
    assert_int_equal(symlink(site_file, user_file), 0);
    setenv("TUTTI_SITE_FILE", "/nonexistent", 1);
    assert_int_equal(read_again()->seed, 4);
    assert_null(reading.warnings.bytes);
}

static void files_are_not_part_of_the_environment(void **state)
{
    struct settings settings;
    (void)state;
    write_file(user_file, "TUTTI_STALL_TIMEOUT = 4\n");
    setenv("TUTTI_STALL_WARN", "3", 1);
    settings_read_environment(&settings);
    assert_true(settings.stall_warn == 3);
    assert_true(settings.stall_timeout == 0);
}

/* What is shown. */

struct shown {
    const char *name;
    char value[512], origin[512], mistake[512], allowed[512];
    int count;
};

static void keep(const tutti_setting *setting, void *user)
{
    struct shown *shown = user;
    shown->count++;
    assert_true(*setting->name && *setting->allowed && *setting->help && *setting->standard);
    if (strcmp(setting->name, shown->name) != 0)
        return;
    snprintf(shown->value, sizeof shown->value, "%s", setting->value);
    snprintf(shown->origin, sizeof shown->origin, "%s", setting->origin);
    snprintf(shown->mistake, sizeof shown->mistake, "%s", setting->mistake ? setting->mistake : "");
    snprintf(shown->allowed, sizeof shown->allowed, "%s", setting->allowed);
}

/* The error of a visit; what it says about one setting must be this. */
static int expect_shown(const char *name, const char *value, const char *origin)
{
    struct shown shown = {.name = name};
    const int error = tutti_settings_each(keep, &shown, NULL, 0);
    assert_int_equal(shown.count, SETTINGS_COUNT);
    assert_string_equal(shown.value, value);
    assert_string_equal(shown.origin, origin);
    assert_int_equal(shown.mistake[0] != '\0', error != TUTTI_SUCCESS);
    return error;
}

static void each_value_says_where_it_came_from(void **state)
{
    char place[256];
    (void)state;
    write_file(user_file, "\nTUTTI_SEED = 4\n");
    write_file(site_file, "TUTTI_CACHE_PATH = /opt/records\nTUTTI_SEED = 5\n");
    setenv("TUTTI_GAP", "0.5", 1);
    setenv("TRITON_DIST_AUTOTUNE_ALWAYS_TUNE", "1", 1);
    assert_int_equal(expect_shown("TUTTI_MODE", "tune", "default"), TUTTI_SUCCESS);
    assert_int_equal(expect_shown("TUTTI_POLICY", "", "program"), TUTTI_SUCCESS);
    assert_int_equal(expect_shown("TUTTI_STREAM", "", "program"), TUTTI_SUCCESS);
    assert_int_equal(expect_shown("TUTTI_GAP", "0.5", "environment"), TUTTI_SUCCESS);
    assert_int_equal(
        expect_shown("TUTTI_ALWAYS_TUNE", "1", "environment (TRITON_DIST_AUTOTUNE_ALWAYS_TUNE)"),
        TUTTI_SUCCESS);
    assert_int_equal(expect_shown("TUTTI_CACHE_DIR", "/home/someone/.cache/tutti", "default"),
                     TUTTI_SUCCESS);
    snprintf(place, sizeof place, "user's file %s:2", user_file);
    assert_int_equal(expect_shown("TUTTI_SEED", "4", place), TUTTI_SUCCESS);
    snprintf(place, sizeof place, "site's file %s:1", site_file);
    assert_int_equal(expect_shown("TUTTI_CACHE_PATH", "/opt/records", place), TUTTI_SUCCESS);
    assert_int_equal(expect_shown("TUTTI_SITE_FILE", site_file, "environment"), TUTTI_SUCCESS);
}

static void a_refused_value_is_shown_as_written(void **state)
{
    char place[256];
    (void)state;
    write_file(user_file, "TUTTI_SEED = -4\n");
    snprintf(place, sizeof place, "user's file %s:1", user_file);
    assert_int_equal(expect_shown("TUTTI_SEED", "-4", place), TUTTI_ERR_SETTING);
}

static void the_visit_brings_the_warnings(void **state)
{
    struct shown shown = {.name = ""};
    char message[256], little[8];
    (void)state;
    assert_int_equal(tutti_settings_each(keep, &shown, message, sizeof message), TUTTI_SUCCESS);
    assert_string_equal(message, "");
    setenv("TUTTI_SAMPELS", "1", 1);
    assert_int_equal(tutti_settings_each(keep, &shown, message, sizeof message), TUTTI_SUCCESS);
    assert_string_equal(message, "the environment variable TUTTI_SAMPELS is unknown; did you mean "
                                 "TUTTI_SAMPLES?\n");
    assert_int_equal(tutti_settings_each(keep, &shown, little, sizeof little), TUTTI_SUCCESS);
    assert_string_equal(little, "the env");
    assert_int_equal(tutti_settings_each(NULL, NULL, NULL, 0), TUTTI_ERR_ARGUMENT);
    assert_int_equal(tutti_settings_each(keep, &shown, NULL, 8), TUTTI_ERR_ARGUMENT);
}

static void the_printed_table_has_a_line_for_each_setting(void **state)
{
    char *printed = NULL;
    size_t length = 0;
    int lines = 0;
    (void)state;
    setenv("TUTTI_CACHE_DIR", "/a\tb\\c", 1);
    FILE *stream = open_memstream(&printed, &length);
    assert_int_equal(tutti_settings_print(stream), TUTTI_SUCCESS);
    fclose(stream);
    for (char *line = printed, *end; (end = strchr(line, '\n')); line = end + 1, lines++) {
        char *first = strchr(line, '\t');
        char *second = first ? strchr(first + 1, '\t') : NULL;
        assert_true(second && second < end);
        assert_true(!strchr(second + 1, '\t') || strchr(second + 1, '\t') > end);
    }
    assert_int_equal(lines, SETTINGS_COUNT);
    assert_non_null(strstr(printed, "TUTTI_MODE\ttune\tdefault\n"));
    assert_non_null(strstr(printed, "TUTTI_CACHE_DIR\t/a\\x09b\\x5cc\tenvironment\n"));
    free(printed);
    assert_int_equal(tutti_settings_print(NULL), TUTTI_ERR_ARGUMENT);
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
#define TEST(name)       cmocka_unit_test_setup_teardown(name, clear, forget)
#define FILES_TEST(name) cmocka_unit_test_setup_teardown(name, clear_with_files, forget_files)
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
        FILES_TEST(the_environment_comes_before_the_user_and_the_user_before_the_site),
        FILES_TEST(another_programs_variable_comes_before_the_files),
        FILES_TEST(the_user_file_is_below_home_without_the_xdg_variable),
        FILES_TEST(blanks_comments_carriage_returns_and_a_missing_end_are_no_problem),
        FILES_TEST(an_empty_value_in_a_file_counts_as_unset),
        FILES_TEST(a_wrong_value_in_a_file_is_refused_by_file_and_line),
        FILES_TEST(a_relative_path_in_a_file_is_refused),
        FILES_TEST(an_unknown_name_in_a_file_is_a_warning_with_place_and_nearest_name),
        FILES_TEST(a_line_that_is_no_setting_is_a_warning),
        FILES_TEST(a_name_that_stands_twice_is_a_warning_and_the_last_holds),
        FILES_TEST(a_file_of_nonsense_does_not_flood_the_log),
        FILES_TEST(a_directory_in_place_of_a_file_is_one_warning),
        FILES_TEST(a_pipe_in_place_of_a_file_is_one_warning_and_no_wait),
        FILES_TEST(a_file_of_a_gigabyte_is_one_warning),
        FILES_TEST(the_longest_file_is_read),
        FILES_TEST(a_byte_of_value_0_is_one_warning),
        FILES_TEST(a_file_that_may_not_be_read_is_one_warning),
        FILES_TEST(a_linked_file_is_read),
        FILES_TEST(files_are_not_part_of_the_environment),
        FILES_TEST(each_value_says_where_it_came_from),
        FILES_TEST(a_refused_value_is_shown_as_written),
        FILES_TEST(the_visit_brings_the_warnings),
        FILES_TEST(the_printed_table_has_a_line_for_each_setting),
        TEST(the_documentation_is_what_the_table_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
