/* The store: whole files or none, whoever writes, dies, or is in the way. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "store.h"

#define SKIPPED 77

static char place[] = "/tmp/tutti-store-XXXXXX";
static char directory[sizeof place]; /* a fresh one for every test */

static int make_directory(void **state)
{
    (void)state;
    strcpy(directory, place);
    return mkdtemp(directory) ? 0 : -1;
}

static int remove_one(const char *path, const struct stat *status, int type, struct FTW *walk)
{
    (void)status, (void)type, (void)walk;
    return remove(path);
}

static int remove_directory(void **state)
{
    (void)state;
    return nftw(directory, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

/* Paths in the fresh directory, as many as a test holds at once. */
static const char *in_directory(const char *name)
{
    static char paths[4][4096];
    static int next;
    char *path = paths[next++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", directory, name);
    return path;
}

static enum store_result save(const char *path, const char *bytes)
{
    struct text why = {0};
    const enum store_result result = store_write(path, bytes, strlen(bytes), &why);
    assert_int_equal(result == STORE_FAILED, why.length > 0);
    text_release(&why);
    return result;
}

static void expect_content(const char *path, const char *expected)
{
    struct text bytes = {0}, why = {0};
    assert_int_equal(store_read(path, &bytes, &why), STORE_OK);
    assert_string_equal(bytes.bytes, expected);
    assert_int_equal(bytes.length, strlen(expected));
    text_release(&bytes);
}

static void expect_failed_read(const char *path, const char *reason)
{
    struct text bytes = {0}, why = {0};
    assert_int_equal(store_read(path, &bytes, &why), STORE_FAILED);
    assert_non_null(strstr(why.bytes, reason));
    assert_null(bytes.bytes);
    text_release(&why);
}

static void expect_failed_write(const char *path, const char *reason)
{
    struct text why = {0};
    assert_int_equal(store_write(path, "new", 3, &why), STORE_FAILED);
    if (!strstr(why.bytes, reason))
        print_error("expected \"%s\" in \"%s\"\n", reason, why.bytes);
    assert_non_null(strstr(why.bytes, reason));
    text_release(&why);
}

/* The name of some hidden file in a folder, as writers make them; false if there is none. */
static bool find_temporary(const char *folder, char name[256])
{
    bool found = false;
    DIR *listing = opendir(folder);
    for (struct dirent *entry = listing ? readdir(listing) : NULL; entry && !found;
         entry = readdir(listing)) {
        found = strncmp(entry->d_name, ".tutti.", 7) == 0;
        strcpy(name, entry->d_name);
    }
    if (listing)
        closedir(listing);
    return found;
}

static void expect_no_litter(const char *folder)
{
    char name[256];
    if (find_temporary(folder, name))
        fail_msg("%s is left in %s", name, folder);
}

/* ---- paths ---- */

static void expect_folder(const char *function, const char *expected)
{
    struct text path = {0};
    store_path("/cache", function, "0123", &path);
    assert_string_equal(path.bytes, expected);
    text_release(&path);
}

static void plain_function_names_are_folder_names(void **state)
{
    (void)state;
    expect_folder("reverse_a2a", "/cache/reverse_a2a/0123.json");
    expect_folder("Matmul-v2.1_x", "/cache/Matmul-v2.1_x/0123.json");
}

static void odd_function_names_become_one_safe_folder_each(void **state)
{
    (void)state;
    static char longer[301], longest[302];
    memset(longer, 'x', 300);
    memset(longest, 'x', 301);
    const char *const names[] = {
        "",   ".", "..",       "../up", "a/b",          "a_b",  "a b", "/a",   "-rf",   "a\nb",
        "\"", "'", "\xC3\xA9", "\xFF",  "\xE2\x82\xAC", "a//b", "_.",  longer, longest, ".hidden"};
    enum { COUNT = sizeof names / sizeof names[0] };
    struct text paths[COUNT] = {0};
    for (size_t i = 0; i < COUNT; i++) {
        store_path("/cache", names[i], "0123", &paths[i]);
        char *folder = paths[i].bytes + strlen("/cache/");
        const size_t length = strcspn(folder, "/");
        assert_string_equal(folder + length, "/0123.json");
        assert_true(length > 0 && length < 100);
        assert_true(folder[0] != '.' && folder[0] != '-');
        for (size_t c = 0; c < length; c++)
            assert_non_null(strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                   "0123456789_.-",
                                   folder[c]));
        for (size_t before = 0; before < i; before++)
            assert_string_not_equal(paths[before].bytes, paths[i].bytes);
    }
    for (size_t i = 0; i < COUNT; i++)
        text_release(&paths[i]);
}

static void without_a_directory_nothing_is_read_or_written(void **state)
{
    (void)state;
    struct text path = {0};
    store_path("", "function", "0123", &path);
    assert_int_equal(path.length, 0);
    expect_failed_read(path.bytes, "no directory");
    expect_failed_write(path.bytes, "no directory");
    expect_failed_read("", "no directory");
}

/* ---- reading and writing ---- */

static void what_is_saved_is_read_back(void **state)
{
    (void)state;
    const char *path = in_directory("deep/er/function/0123.json");
    struct text bytes = {0}, why = {0};
    assert_int_equal(store_read(path, &bytes, &why), STORE_ABSENT);
    assert_int_equal(why.length, 0);
    assert_int_equal(save(path, "first"), STORE_OK);
    expect_content(path, "first");
    assert_int_equal(save(path, "second, longer"), STORE_OK);
    expect_content(path, "second, longer");
    assert_int_equal(save(path, ""), STORE_OK);
    expect_content(path, "");
    assert_int_equal(store_write(path, "a\0b", 3, &why), STORE_OK);
    assert_int_equal(store_read(path, &bytes, &why), STORE_OK);
    assert_int_equal(bytes.length, 3);
    assert_memory_equal(bytes.bytes, "a\0b", 4);
    text_release(&bytes);
    expect_no_litter(in_directory("deep/er/function"));
}

static void a_relative_path_is_fine(void **state)
{
    (void)state;
    char *before = getcwd(NULL, 0);
    assert_int_equal(chdir(directory), 0);
    assert_int_equal(save("record.json", "here"), STORE_OK);
    assert_int_equal(save("one/two/record.json", "there"), STORE_OK);
    expect_content(in_directory("record.json"), "here");
    expect_content(in_directory("one/two/record.json"), "there");
    assert_int_equal(chdir(before), 0);
    free(before);
}

static unsigned mode_of(const char *path)
{
    struct stat status;
    assert_int_equal(stat(path, &status), 0);
    return status.st_mode & 0777;
}

static void folders_are_private_and_files_follow_the_umask(void **state)
{
    (void)state;
    const mode_t before = umask(027);
    assert_int_equal(save(in_directory("a/b/c.json"), "x"), STORE_OK);
    umask(before);
    assert_int_equal(mode_of(in_directory("a")), 0700);
    assert_int_equal(mode_of(in_directory("a/b")), 0700);
    assert_int_equal(mode_of(in_directory("a/b/c.json")), 0640);
}

static void a_symbolic_link_is_not_followed(void **state)
{
    (void)state;
    const char *target = in_directory("target");
    const char *path = in_directory("record.json");
    assert_int_equal(save(target, "precious"), STORE_OK);
    assert_int_equal(symlink(target, path), 0);
    expect_failed_read(path, path);
    assert_int_equal(save(path, "record"), STORE_OK);
    expect_content(path, "record");
    expect_content(target, "precious");
}

static void what_is_no_regular_file_is_refused_without_waiting(void **state)
{
    (void)state;
    const char *path = in_directory("pipe.json");
    assert_int_equal(mkfifo(path, 0600), 0);
    expect_failed_read(path, "not a regular file");
    expect_failed_read(directory, "not a regular file");
    path = in_directory("folder.json");
    assert_int_equal(mkdir(path, 0700), 0);
    expect_failed_write(path, path);
    expect_no_litter(directory);
    expect_failed_read("/dev/zero", "not a regular file");
}

static void a_file_that_is_far_too_large_is_refused(void **state)
{
    (void)state;
    const char *path = in_directory("large.json");
    assert_int_equal(save(path, "x"), STORE_OK);
    assert_int_equal(truncate(path, (off_t)STORE_RECORD_LIMIT + 1), 0);
    expect_failed_read(path, strerror(EFBIG));
}

static void a_file_in_the_place_of_a_folder_is_named(void **state)
{
    (void)state;
    const char *file = in_directory("file");
    assert_int_equal(save(file, "x"), STORE_OK);
    expect_failed_write(in_directory("file/function/0123.json"), file);
    expect_failed_read(in_directory("file/function/0123.json"), strerror(ENOTDIR));
    expect_content(file, "x");
}

/* ---- in a child, which may be killed, or give up rights or limits ---- */

typedef void (*child_fn)(void);

static void skip_child(const char *why)
{
    print_message("skipped: %s\n", why);
    fflush(stdout);
    _exit(SKIPPED);
}

/* For checks in a child, where a failed assertion would run on as the parent. */
#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            print_error("%s:%d: %s\n", __FILE__, __LINE__, #condition);                            \
            _exit(1);                                                                              \
        }                                                                                          \
    } while (0)

static void in_child(child_fn child)
{
    int status;
    const pid_t pid = fork();
    if (pid == 0) {
        child();
        _exit(0);
    }
    assert_true(pid > 0);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    if (WEXITSTATUS(status) == SKIPPED)
        skip();
    assert_int_equal(WEXITSTATUS(status), 0);
}

static bool write_fails_with(const char *path, size_t length, int error)
{
    char *bytes = calloc(1, length);
    struct text why = {0};
    const enum store_result result = store_write(path, bytes, length, &why);
    const bool as_expected =
        result == STORE_FAILED && strstr(why.bytes, strerror(error)) && strstr(why.bytes, path);
    if (!as_expected)
        print_error("result %d: %s\n", result, why.bytes ? why.bytes : "");
    text_release(&why);
    free(bytes);
    return as_expected;
}

static void save_beyond_the_file_limit(void)
{
    const struct rlimit limit = {4096, 4096};
    CHECK(setrlimit(RLIMIT_FSIZE, &limit) == 0); /* SIGXFSZ would end the process */
    CHECK(write_fails_with(in_directory("record.json"), 5000, EFBIG));
}

static void a_file_size_limit_keeps_the_old_record_and_the_process(void **state)
{
    (void)state;
    assert_int_equal(save(in_directory("record.json"), "old"), STORE_OK);
    in_child(save_beyond_the_file_limit);
    expect_content(in_directory("record.json"), "old");
    expect_no_litter(directory);
}

static void save_without_rights(void)
{
    struct text bytes = {0}, why = {0};
    if (geteuid() == 0 && (setgid(65534) != 0 || setuid(65534) != 0))
        skip_child("root, for whom nothing is read-only, and can't become another user");
    CHECK(write_fails_with(in_directory("closed/record.json"), 3, EACCES));
    CHECK(store_read(in_directory("closed/record.json"), &bytes, &why) == STORE_FAILED);
    CHECK(strstr(why.bytes, strerror(EACCES)));
    text_release(&why);
    CHECK(store_write(in_directory("closed/new/record.json"), "x", 1, &why) == STORE_FAILED);
    CHECK(strstr(why.bytes, strerror(EACCES)));
    text_release(&why);
}

static void a_directory_without_rights_is_named_and_left_alone(void **state)
{
    (void)state;
    const char *folder = in_directory("closed"), *path = in_directory("closed/record.json");
    assert_int_equal(save(path, "old"), STORE_OK);
    assert_int_equal(chmod(path, 0), 0);
    assert_int_equal(chmod(directory, 0755), 0);
    assert_int_equal(chmod(folder, 0555), 0);
    in_child(save_without_rights);
    assert_int_equal(chmod(folder, 0755), 0);
    assert_int_equal(chmod(path, 0600), 0);
    expect_content(path, "old");
    expect_no_litter(folder);
}

/* A file system of this child's own, on the fresh directory. */
static void mount_small(void)
{
    if (unshare(CLONE_NEWNS) != 0 && unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0)
        skip_child("no namespace for mounts");
    if (mount("none", "/", "none", MS_REC | MS_PRIVATE, NULL) != 0 ||
        mount("tutti-test", directory, "tmpfs", 0, "size=64k") != 0)
        skip_child("mounting is not permitted");
}

static void fill_the_disk(void)
{
    struct text bytes = {0}, why = {0};
    char name[256];
    mount_small();
    const char *path = in_directory("function/record.json");
    CHECK(store_write(path, "old", 3, &why) == STORE_OK);
    CHECK(write_fails_with(path, 1 << 20, ENOSPC));
    CHECK(!find_temporary(in_directory("function"), name));
    CHECK(store_read(path, &bytes, &why) == STORE_OK && strcmp(bytes.bytes, "old") == 0);
    text_release(&bytes);
}

static void a_full_disk_keeps_the_old_record(void **state)
{
    (void)state;
    in_child(fill_the_disk);
}

static void save_read_only(void)
{
    struct text bytes = {0}, why = {0};
    mount_small();
    const char *path = in_directory("function/record.json");
    CHECK(store_write(path, "old", 3, &why) == STORE_OK);
    if (mount("none", directory, "none", MS_REMOUNT | MS_RDONLY, NULL) != 0)
        skip_child("remounting is not permitted");
    CHECK(write_fails_with(path, 3, EROFS));
    CHECK(store_write(in_directory("other/record.json"), "x", 1, &why) == STORE_FAILED);
    CHECK(strstr(why.bytes, strerror(EROFS)));
    CHECK(store_read(path, &bytes, &why) == STORE_OK && strcmp(bytes.bytes, "old") == 0);
    text_release(&bytes);
    text_release(&why);
}

static void a_read_only_file_system_is_read_and_not_written(void **state)
{
    (void)state;
    in_child(save_read_only);
}

/* ---- writers that die, and writers at once ---- */

/* A record that shows whether it is whole: one letter all over, of a length that goes with it. */
static char *make_pattern(unsigned number, size_t *length)
{
    *length = 50000 + 7777 * (number % 26);
    char *bytes = malloc(*length + 1);
    memset(bytes, 'a' + (int)(number % 26), *length);
    bytes[*length] = '\0';
    return bytes;
}

static void expect_whole(const char *path)
{
    struct text bytes = {0}, why = {0};
    size_t length;
    assert_int_equal(store_read(path, &bytes, &why), STORE_OK);
    assert_true(bytes.length > 0 && bytes.bytes[0] >= 'a' && bytes.bytes[0] <= 'z');
    char *expected = make_pattern((unsigned)(bytes.bytes[0] - 'a'), &length);
    assert_int_equal(bytes.length, length);
    assert_memory_equal(bytes.bytes, expected, length);
    free(expected);
    text_release(&bytes);
}

static pid_t start_saving(const char *path, unsigned first, unsigned count)
{
    const pid_t pid = fork();
    if (pid != 0)
        return pid;
    for (unsigned i = first; count == 0 || i < first + count; i++) {
        size_t length;
        struct text why = {0};
        char *bytes = make_pattern(i, &length);
        CHECK(store_write(path, bytes, length, &why) == STORE_OK);
        free(bytes);
    }
    _exit(0);
}

static void pause_microseconds(long microseconds)
{
    nanosleep(&(struct timespec){0, 1000 * microseconds}, NULL);
}

static void a_killed_writer_leaves_the_old_record_or_the_new(void **state)
{
    (void)state;
    const char *path = in_directory("function/record.json");
    size_t length;
    uint32_t random = 4711;
    char *first = make_pattern(0, &length);
    assert_int_equal(save(path, first), STORE_OK);
    free(first);
    for (unsigned round = 0; round < 100; round++) {
        int status;
        const pid_t pid = start_saving(path, round, 0);
        random = random * 1664525 + 1013904223;
        pause_microseconds((random >> 16) % 4000);
        kill(pid, SIGKILL);
        assert_int_equal(waitpid(pid, &status, 0), pid);
        assert_true(WIFSIGNALED(status));
        expect_whole(path);
    }
    assert_int_equal(save(path, "last"), STORE_OK);
    expect_content(path, "last");
    expect_no_litter(in_directory("function"));
}

/* A child that was stopped while a temporary file of its own is there. */
static pid_t stop_inside_a_save(const char *path, const char *folder, char name[256])
{
    const pid_t pid = start_saving(path, 0, 0);
    for (int status;;) {
        pause_microseconds(50);
        kill(pid, SIGSTOP);
        assert_int_equal(waitpid(pid, &status, WUNTRACED), pid);
        assert_true(WIFSTOPPED(status));
        if (find_temporary(folder, name))
            return pid;
        kill(pid, SIGCONT);
    }
}

static void litter_of_the_dead_is_removed_and_of_the_living_kept(void **state)
{
    (void)state;
    const char *path = in_directory("function/record.json");
    const char *folder = in_directory("function");
    char name[256], again[256];
    const pid_t pid = stop_inside_a_save(path, folder, name);
    assert_int_equal(save(path, "mine"), STORE_OK);
    assert_true(find_temporary(folder, again));
    assert_string_equal(again, name);
    kill(pid, SIGKILL);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
    assert_int_equal(save(path, "mine"), STORE_OK);
    expect_no_litter(folder);
}

static void make_file(const char *path, time_t age)
{
    const int file = open(path, O_CREAT | O_WRONLY, 0600);
    const time_t then = time(NULL) - age;
    assert_true(file >= 0);
    assert_int_equal(futimens(file, (struct timespec[2]){{then, 0}, {then, 0}}), 0);
    close(file);
}

static void files_of_other_hosts_are_removed_after_a_day(void **state)
{
    (void)state;
    const char *young = in_directory(".tutti.00000000000000aa.1.0.tmp");
    const char *old = in_directory(".tutti.00000000000000aa.2.0.tmp");
    const char *other = in_directory(".tutti.notes");
    make_file(young, 60 * 60);
    make_file(old, 25 * 60 * 60);
    make_file(other, 1000 * 60 * 60);
    assert_int_equal(save(in_directory("record.json"), "x"), STORE_OK);
    assert_int_equal(access(young, F_OK), 0);
    assert_int_equal(access(other, F_OK), 0);
    assert_int_not_equal(access(old, F_OK), 0);
}

static void save_at_once(const char *const paths[4])
{
    pid_t pids[4];
    int status;
    for (unsigned i = 0; i < 4; i++)
        pids[i] = start_saving(paths[i], 5 * i, 30);
    for (unsigned i = 0; i < 4; i++) {
        assert_int_equal(waitpid(pids[i], &status, 0), pids[i]);
        assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
    for (unsigned i = 0; i < 4; i++)
        expect_whole(paths[i]);
    expect_no_litter(in_directory("function"));
}

static void four_writers_of_four_records_leave_four(void **state)
{
    (void)state;
    char paths[4][64];
    for (int i = 0; i < 4; i++)
        snprintf(paths[i], sizeof paths[i], "%s/function/%d.json", directory, i);
    save_at_once((const char *[]){paths[0], paths[1], paths[2], paths[3]});
}

static void four_writers_of_one_record_leave_one_whole(void **state)
{
    (void)state;
    char path[64];
    snprintf(path, sizeof path, "%s/function/0.json", directory);
    save_at_once((const char *[]){path, path, path, path});
}

#define IN_DIRECTORY(test) cmocka_unit_test_setup_teardown(test, make_directory, remove_directory)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_function_names_are_folder_names),
        cmocka_unit_test(odd_function_names_become_one_safe_folder_each),
        cmocka_unit_test(without_a_directory_nothing_is_read_or_written),
        IN_DIRECTORY(what_is_saved_is_read_back),
        IN_DIRECTORY(a_relative_path_is_fine),
        IN_DIRECTORY(folders_are_private_and_files_follow_the_umask),
        IN_DIRECTORY(a_symbolic_link_is_not_followed),
        IN_DIRECTORY(what_is_no_regular_file_is_refused_without_waiting),
        IN_DIRECTORY(a_file_that_is_far_too_large_is_refused),
        IN_DIRECTORY(a_file_in_the_place_of_a_folder_is_named),
        IN_DIRECTORY(a_file_size_limit_keeps_the_old_record_and_the_process),
        IN_DIRECTORY(a_directory_without_rights_is_named_and_left_alone),
        IN_DIRECTORY(a_full_disk_keeps_the_old_record),
        IN_DIRECTORY(a_read_only_file_system_is_read_and_not_written),
        IN_DIRECTORY(a_killed_writer_leaves_the_old_record_or_the_new),
        IN_DIRECTORY(litter_of_the_dead_is_removed_and_of_the_living_kept),
        IN_DIRECTORY(files_of_other_hosts_are_removed_after_a_day),
        IN_DIRECTORY(four_writers_of_four_records_leave_four),
        IN_DIRECTORY(four_writers_of_one_record_leave_one_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
