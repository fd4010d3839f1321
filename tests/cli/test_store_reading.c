/* <tutti/store.h>: records read and judged by themselves, stores listed, imports all or none. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include <tutti/store.h>

#include "owner.h"

static char place[] = "/tmp/tutti-reading-XXXXXX";
static char directory[sizeof place]; /* a fresh one for every test */
static const char *make_store;       /* the program that makes records */

static void run_shell(const char *format, ...) TUTTI_PRINTF(1, 2);

static void run_shell(const char *format, ...)
{
    char command[4096];
    va_list list;
    va_start(list, format);
    vsnprintf(command, sizeof command, format, list);
    va_end(list);
    assert_int_equal(system(command), 0);
}

static int make_directory(void **state)
{
    (void)state;
    strcpy(directory, place);
    return mkdtemp(directory) ? 0 : -1;
}

static int remove_directory(void **state)
{
    (void)state;
    run_shell("rm -rf %s", directory);
    return 0;
}

/* A store of four records below the fresh directory. */
static const char *made(const char *name, const char *mode)
{
    static char paths[4][4096];
    static int next;
    char *path = paths[next++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", directory, name);
    run_shell("%s %s %s", make_store, path, mode);
    return path;
}

static tutti_store *opened(const char *path)
{
    char message[1024] = "";
    tutti_store *store;
    if (tutti_store_open(path, &store, message, sizeof message) != TUTTI_SUCCESS)
        fail_msg("%s", message);
    return store;
}

/* All records of a store, at most eight. */
static size_t read_all(const char *path, tutti_record *records[8])
{
    tutti_store *store = opened(path);
    const tutti_store_entry *entry;
    size_t count = 0;
    for (size_t i = 0; (entry = tutti_store_entry_get(store, i)); i++) {
        char message[1024];
        if (entry->kind != TUTTI_ENTRY_RECORD)
            continue;
        assert_true(count < 8);
        if (tutti_record_read(entry->path, &records[count], message, sizeof message))
            fail_msg("%s: %s", entry->path, message);
        count++;
    }
    tutti_store_close(store);
    return count;
}

static void destroy_all(tutti_record *records[8], size_t count)
{
    for (size_t i = 0; i < count; i++)
        tutti_record_destroy(records[i]);
}

/* Every byte of a store: names and contents. */
static char *digest_of(const char *path)
{
    char command[4096], line[128];
    snprintf(command, sizeof command,
             "cd %s && find . -type f | LC_ALL=C sort | xargs -r sha256sum | sha256sum", path);
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    assert_non_null(fgets(line, sizeof line, pipe));
    pclose(pipe);
    return strdup(line);
}

/* ---- records ---- */

static void record_says_what_was_stored(void **state)
{
    (void)state;
    tutti_record *records[8];
    const size_t count = read_all(made("a", ""), records);
    assert_int_equal(count, 4);
    for (size_t i = 0; i < count; i++) {
        const tutti_record_info *info = tutti_record_get(records[i]);
        if (strcmp(info->function, "reverse_a2a") != 0 || info->ranks != 4)
            continue;
        const tutti_named_text *key;
        char text[100];
        assert_int_equal(tutti_record_list(records[i], TUTTI_RECORD_KEY, &key), 2);
        assert_string_equal(key[0].name, "A");
        assert_string_equal(key[0].text, "[8192, 8, 128]");
        assert_string_equal(key[1].text, "float32");
        assert_int_equal(info->winner, 19);
        assert_int_equal(info->ntrials, 20);
        assert_int_equal(info->trials[5].status, TUTTI_STATUS_FAILED);
        assert_string_equal(info->trials[6].reason, "rank 1: the outputs are wrong");
        assert_string_equal(tutti_record_parameter(records[i], 2), "buffer_num");
        assert_null(tutti_record_parameter(records[i], 3));
        assert_int_equal(tutti_record_value_text(records[i], 19, 0, text, sizeof text), 3);
        assert_string_equal(text, "512");
        tutti_record_configuration_text(records[i], 19, text, sizeof text);
        assert_string_equal(text, "comm_block_s=512, comm_block_d=128, buffer_num=4");
        destroy_all(records, count);
        return;
    }
    fail_msg("the record of 4 ranks is not there");
}

static void record_belongs_where_the_library_puts_it(void **state)
{
    (void)state;
    tutti_store *store = opened(made("a", ""));
    const tutti_store_entry *entry;
    size_t count = 0;
    for (size_t i = 0; (entry = tutti_store_entry_get(store, i)); i++) {
        tutti_record *record;
        char path[4096];
        assert_int_equal(tutti_record_read(entry->path, &record, NULL, 0), TUTTI_SUCCESS);
        tutti_store_place(store, record, path, sizeof path);
        assert_string_equal(path, entry->path);
        tutti_record_destroy(record);
        count++;
    }
    assert_int_equal(count, 4);
    tutti_store_close(store);
}

/* The text of a record with one piece replaced. */
static char *edited(const tutti_record *record, const char *from, const char *to)
{
    const char *bytes = tutti_record_json(record, NULL);
    const char *at = strstr(bytes, from);
    if (!at)
        fail_msg("the record does not say %s", from);
    char *text = malloc(strlen(bytes) + strlen(to) + 1);
    sprintf(text, "%.*s%s%s", (int)(at - bytes), bytes, to, at + strlen(from));
    return text;
}

static void every_kind_of_contradiction_is_found_with_its_place(void **state)
{
    (void)state;
    static const struct {
        const char *from, *to, *reason;
    } cases[] = {
        {"{\n", "{{\n", "line 1"},
        {"\"tutti_record\": 1", "\"tutti_record\": 2", "tutti_record is 2"},
        {"\"function\": ", "\"functoin\": ", "identity.function is missing"},
        {"\"ranks\": 4", "\"ranks\": 0", "identity.group.ranks is 0"},
        {"[32, 64", "[32, 32", "identity.space: parameter comm_block_s: the value 32 stands twice"},
        {"[32, 64", "[32, 5000000000", "identity.space[0].values[1] does not fit"},
        {"\"kind\": \"i32\"", "\"kind\": \"i31\"", "identity.space[0].kind is unknown"},
        {"\"samples\": 10", "\"samples\": 0", "policy.samples is 0"},
        {"\"finished\": \"2026-10", "\"finished\": \"2026-13", "search.finished"},
        {"\"pruned\": 0", "\"pruned\": 1", "configurations has 20 entries"},
        {"\"index\": 4, ", "\"index\": 3, ", "configurations[4].index is 3"},
        {"\"slowest_rank\": 1", "\"slowest_rank\": 4", "configurations[1].slowest_rank is 4"},
        {"\"config\": {\"comm_block_s\": 32, \"comm_block_d\": 128, \"buffer_num\": 2}",
         "\"config\": {\"comm_block_s\": 32, \"comm_block_d\": 128, \"buffer_num\": 3}",
         "configurations[2].config is not configuration 2"},
        {"\"status\": \"failed\"", "\"status\": \"fried\"", "configurations[5].status"},
        {"\"compiler\": \"gcc 12.2.0\"", "\"compiler\": 12", "environment has a member"},
        {"\"winner\": {\n    \"index\": 19", "\"winner\": {\n    \"index\": 18", "winner"},
        {"\"winner\": {\n    \"index\": 19", "\"winner\": {\n    \"index\": 5", "winner"},
        {"\"environment\"", "\"environs\"", "environment is missing"},
    };
    tutti_record *records[8];
    const size_t count = read_all(made("a", ""), records);
    size_t four = 0;
    for (size_t i = 0; i < count; i++) {
        const tutti_record_info *info = tutti_record_get(records[i]);
        if (info->ranks == 4 && strcmp(info->group, "mpi") == 0)
            four = i;
    }
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char message[1024] = "";
        tutti_record *record;
        char *text = edited(records[four], cases[i].from, cases[i].to);
        assert_int_equal(tutti_record_parse(text, strlen(text), &record, message, sizeof message),
                         TUTTI_ERR_RECORD);
        assert_null(record);
        if (!strstr(message, cases[i].reason))
            fail_msg("\"%s\" does not say \"%s\"", message, cases[i].reason);
        free(text);
    }
    destroy_all(records, count);
}

static void record_cut_anywhere_is_corrupt(void **state)
{
    (void)state;
    tutti_record *records[8];
    const size_t count = read_all(made("a", ""), records);
    size_t length;
    const char *bytes = tutti_record_json(records[0], &length);
    for (size_t cut = 0; cut + 2 < length; cut += 7) {
        tutti_record *record;
        assert_int_equal(tutti_record_parse(bytes, cut, &record, NULL, 0), TUTTI_ERR_RECORD);
    }
    destroy_all(records, count);
}

static void message_is_cut_to_its_size(void **state)
{
    (void)state;
    char message[8] = "xxxxxxx";
    tutti_record *record;
    assert_int_equal(tutti_record_read("/nonexistent/x.json", &record, message, 5),
                     TUTTI_ERR_STORE);
    assert_string_equal(message, "ther");
    assert_string_equal(message + 5, "xx");
}

static void record_of_another_machine_is_not_of_here(void **state)
{
    (void)state;
    char message[1024] = "";
    tutti_record *records[8];
    const size_t count = read_all(made("a", ""), records);
    assert_false(
        tutti_record_is_of_here(records[0], TUTTI_RECORD_HARDWARE, message, sizeof message));
    assert_non_null(strstr(message, "hardware.cpu was \"Example 9000\", is "));
    destroy_all(records, count);
}

/* ---- stores ---- */

static void absent_directory_is_an_empty_store(void **state)
{
    (void)state;
    char path[4096];
    snprintf(path, sizeof path, "%s/nothing", directory);
    tutti_store *store = opened(path);
    assert_int_equal(tutti_store_entries(store), 0);
    tutti_store_close(store);
}

static void store_is_where_the_settings_say(void **state)
{
    (void)state;
    const char *path = made("a", "");
    assert_int_equal(setenv("TUTTI_CACHE_DIR", path, 1), 0);
    tutti_store *store = opened(NULL);
    assert_string_equal(tutti_store_directory(store), path);
    assert_int_equal(tutti_store_entries(store), 4);
    tutti_store_close(store);
    unsetenv("TUTTI_CACHE_DIR");
}

static void files_are_told_apart_by_their_names(void **state)
{
    (void)state;
    static const char *const names[] = {
        "0123456789abcdef0123456789abcdef.00000000deadbeef.1.5.0.0.journal",
        "0123456789abcdef0123456789abcdef.00000000deadbeef.1.5.0.0.left.journal",
        ".tutti.00000000deadbeef.1.0.tmp", "README", "zz.json"};
    static const int kinds[] = {TUTTI_ENTRY_JOURNAL, TUTTI_ENTRY_JOURNAL, TUTTI_ENTRY_TEMPORARY,
                                TUTTI_ENTRY_OTHER, TUTTI_ENTRY_RECORD};
    const char *path = made("a", "");
    for (size_t i = 0; i < 5; i++)
        run_shell("touch '%s/reverse_a2a/%s'", path, names[i]);
    tutti_store *store = opened(path);
    const tutti_store_entry *entry;
    size_t seen = 0;
    for (size_t i = 0; (entry = tutti_store_entry_get(store, i)); i++) {
        for (size_t n = 0; n < 5; n++) {
            if (strcmp(strrchr(entry->path, '/') + 1, names[n]) != 0)
                continue;
            assert_int_equal(entry->kind, kinds[n]);
            assert_string_equal(entry->folder, "reverse_a2a");
            if (n == 1)
                assert_int_equal(entry->owner, TUTTI_OWNER_NONE);
            if (n == 0 || n == 2)
                assert_int_equal(entry->owner, TUTTI_OWNER_UNKNOWN); /* of another host */
            seen++;
            assert_int_equal(tutti_store_remove(store, i, NULL, 0),
                             kinds[n] == TUTTI_ENTRY_OTHER ? TUTTI_ERR_ARGUMENT : TUTTI_SUCCESS);
            assert_int_equal(access(entry->path, F_OK) == 0, kinds[n] == TUTTI_ENTRY_OTHER);
        }
    }
    assert_int_equal(seen, 5);
    tutti_store_close(store);
}

/* ---- imports ---- */

static int import(const char *path, tutti_record *const *records, size_t count, int conflict,
                  int *results)
{
    char message[1024] = "";
    tutti_store *store = opened(path);
    const int status =
        tutti_store_import(store, records, count, conflict, results, message, sizeof message);
    if (status)
        print_message("%s\n", message);
    assert_int_equal(status != 0, *message != '\0');
    tutti_store_close(store);
    return status;
}

static void import_keeps_bytes_and_places(void **state)
{
    (void)state;
    tutti_record *records[8];
    int results[8];
    char target[4096];
    const char *from = made("a", "");
    const size_t count = read_all(from, records);
    snprintf(target, sizeof target, "%s/deep/er/b", directory);
    assert_int_equal(import(target, records, count, TUTTI_CONFLICT_NEWER, results), TUTTI_SUCCESS);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(results[i], TUTTI_IMPORT_ADDED);
    char *one = digest_of(from), *two = digest_of(target);
    assert_string_equal(one, two);
    assert_int_equal(import(target, records, count, TUTTI_CONFLICT_REPLACE, results),
                     TUTTI_SUCCESS);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(results[i], TUTTI_IMPORT_SAME);
    free(one);
    free(two);
    destroy_all(records, count);
}

static void conflicts_are_settled_by_the_rule(void **state)
{
    (void)state;
    static const struct {
        const char *have, *get;
        int conflict, result;
    } cases[] = {
        {"", "later", TUTTI_CONFLICT_NEWER, TUTTI_IMPORT_REPLACED},
        {"later", "", TUTTI_CONFLICT_NEWER, TUTTI_IMPORT_KEPT},
        {"", "later", TUTTI_CONFLICT_KEEP, TUTTI_IMPORT_KEPT},
        {"later", "", TUTTI_CONFLICT_REPLACE, TUTTI_IMPORT_REPLACED},
    };
    for (size_t i = 0; i < 4; i++) {
        tutti_record *records[8];
        int results[8];
        const char *from = made("from", cases[i].get), *to = made("to", cases[i].have);
        char *before = digest_of(to), *wanted = digest_of(from);
        const size_t count = read_all(from, records);
        assert_int_equal(import(to, records, count, cases[i].conflict, results), TUTTI_SUCCESS);
        for (size_t r = 0; r < count; r++)
            assert_int_equal(results[r], cases[i].result);
        char *after = digest_of(to);
        assert_string_equal(after, cases[i].result == TUTTI_IMPORT_KEPT ? before : wanted);
        free(before);
        free(after);
        free(wanted);
        destroy_all(records, count);
    }
}

/* Of two that finished in the same second the store's stays. */
static void equally_new_record_does_not_replace(void **state)
{
    (void)state;
    tutti_record *records[8], *other;
    int results[2];
    const char *to = made("a", "");
    const size_t count = read_all(to, records);
    char *text = edited(records[0], "\"operations\": ", "\"operations\": 1");
    char *before = digest_of(to);
    assert_int_equal(tutti_record_parse(text, strlen(text), &other, NULL, 0), TUTTI_SUCCESS);
    assert_int_equal(import(to, &other, 1, TUTTI_CONFLICT_NEWER, results), TUTTI_SUCCESS);
    assert_int_equal(results[0], TUTTI_IMPORT_KEPT);
    char *after = digest_of(to);
    assert_string_equal(before, after);
    free(before);
    free(after);
    free(text);
    tutti_record_destroy(other);
    destroy_all(records, count);
}

static void two_of_one_identity_are_settled_by_the_rule(void **state)
{
    (void)state;
    static const int conflicts[] = {TUTTI_CONFLICT_NEWER, TUTTI_CONFLICT_KEEP,
                                    TUTTI_CONFLICT_REPLACE};
    static const bool second_wins[] = {false, false, true};
    for (size_t i = 0; i < 3; i++) {
        tutti_record *late[8], *early[8];
        int results[2];
        char target[4096];
        const size_t count = read_all(made("late", "later"), late);
        assert_int_equal(read_all(made("early", ""), early), count);
        snprintf(target, sizeof target, "%s/target%zu", directory, i);
        tutti_record *both[] = {late[0], early[0]};
        assert_int_equal(import(target, both, 2, conflicts[i], results), TUTTI_SUCCESS);
        assert_int_equal(results[second_wins[i] ? 1 : 0], TUTTI_IMPORT_ADDED);
        assert_int_equal(results[second_wins[i] ? 0 : 1], TUTTI_IMPORT_KEPT);
        destroy_all(late, count);
        destroy_all(early, count);
    }
}

static void corrupt_record_in_the_store_counts_as_none(void **state)
{
    (void)state;
    tutti_record *records[8];
    int results[8];
    const char *from = made("a", ""), *to = made("b", "later");
    const size_t count = read_all(from, records);
    run_shell("for f in %s/*/*.json; do echo '{' > \"$f\"; done", to);
    assert_int_equal(import(to, records, count, TUTTI_CONFLICT_KEEP, results), TUTTI_SUCCESS);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(results[i], TUTTI_IMPORT_REPLACED);
    destroy_all(records, count);
}

/* One record's place is taken by a folder with something in it: no other record may move in. */
static void failed_import_leaves_the_store_as_it_was(void **state)
{
    (void)state;
    tutti_record *records[8];
    const char *from = made("from", "later"), *to = made("to", "");
    const size_t count = read_all(from, records);
    const tutti_record_info *info = tutti_record_get(records[count - 1]);
    run_shell("rm %s/reverse_a2a/%s.json; mkdir -p %s/reverse_a2a/%s.json/x", to, info->name, to,
              info->name);
    run_shell("touch %s/reverse_a2a/%s.json/x/y", to, info->name);
    char *before = digest_of(to);
    assert_int_equal(import(to, records, count, TUTTI_CONFLICT_REPLACE, NULL), TUTTI_ERR_STORE);
    char *after = digest_of(to);
    assert_string_equal(before, after);
    run_shell("test -z \"$(ls -A %s | grep import)\"", to);
    free(before);
    free(after);
    destroy_all(records, count);
}

static pid_t start_import(const char *to, tutti_record *const *records, size_t count)
{
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child)
        return child;
    tutti_store *store;
    if (tutti_store_open(to, &store, NULL, 0) == TUTTI_SUCCESS)
        tutti_store_import(store, records, count, TUTTI_CONFLICT_REPLACE, NULL, NULL, 0);
    _exit(0);
}

/* Seconds that an import takes here. */
static double import_time(const char *to, tutti_record *const *records, size_t count)
{
    struct timespec begin, end;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    waitpid(start_import(to, records, count), NULL, 0);
    clock_gettime(CLOCK_MONOTONIC, &end);
    return (double)(end.tv_sec - begin.tv_sec) + 1e-9 * (double)(end.tv_nsec - begin.tv_nsec);
}

/* Killed at forty moments: the store is as before or as after, never between. */
static void killed_import_is_undone_or_complete(void **state)
{
    (void)state;
    tutti_record *records[8];
    int complete = 0, untouched = 0;
    const char *from = made("from", "later"), *to = made("to", "");
    const size_t count = read_all(from, records);
    char *wanted = digest_of(from), *before = digest_of(to);
    const double whole = import_time(to, records, count);
    for (int i = 0; i < 40; i++) {
        run_shell("rm -rf %s && %s %s", to, make_store, to);
        const pid_t child = start_import(to, records, count);
        usleep((useconds_t)(1.2e6 * whole * i / 40));
        kill(child, SIGKILL);
        assert_int_equal(waitpid(child, NULL, 0), child);
        tutti_store *store = opened(to);
        assert_int_equal(tutti_store_recover(store, NULL, NULL, 0), TUTTI_SUCCESS);
        tutti_store_close(store);
        char *after = digest_of(to);
        complete += strcmp(after, wanted) == 0;
        untouched += strcmp(after, before) == 0;
        free(after);
    }
    print_message("%d complete, %d as before\n", complete, untouched);
    assert_int_equal(complete + untouched, 40);
    free(wanted);
    free(before);
    destroy_all(records, count);
}

/* The process id of a child that has ended. */
static long dead_process(void)
{
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0)
        _exit(0);
    waitpid(child, NULL, 0);
    return child;
}

/* A folder as an import leaves it that replaced one record, added one, and did not come to the
 * third. */
static void leave_import(const char *store, const char *name, uint64_t host, long pid)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/.import.%016llx.%ld.1", store, (unsigned long long)host, pid);
    run_shell("mkdir %s && ln %s/reverse_a2a/%s %s/0.old && echo new > %s/x && "
              "mv %s/x %s/reverse_a2a/%s && echo add > %s/reverse_a2a/added.json && "
              "echo later > %s/2.new",
              path, store, name, path, path, path, store, name, store, path);
    run_shell("printf 'replace reverse_a2a/%s\nadd reverse_a2a/added.json\nadd other/x.json\n' "
              "> %s/list",
              name, path);
}

static size_t recover(const char *path)
{
    size_t undone = 0;
    tutti_store *store = opened(path);
    assert_int_equal(tutti_store_recover(store, &undone, NULL, 0), TUTTI_SUCCESS);
    tutti_store_close(store);
    return undone;
}

static const char *name_of_a_record(const char *path)
{
    static char name[64];
    tutti_record *records[8];
    const size_t count = read_all(path, records);
    snprintf(name, sizeof name, "%s.json", tutti_record_get(records[count - 1])->name);
    destroy_all(records, count);
    return name;
}

static void interrupted_import_is_undone_from_its_list(void **state)
{
    (void)state;
    const char *to = made("to", "");
    char *before = digest_of(to);
    leave_import(to, name_of_a_record(to), owner_host(), dead_process());
    assert_int_equal(recover(to), 1);
    char *after = digest_of(to);
    assert_string_equal(before, after);
    free(before);
    free(after);
}

static void import_of_another_host_is_left_alone(void **state)
{
    (void)state;
    const char *to = made("to", "");
    leave_import(to, name_of_a_record(to), owner_host() + 1, dead_process());
    char *before = digest_of(to);
    assert_int_equal(recover(to), 0);
    char *after = digest_of(to);
    assert_string_equal(before, after);
    free(before);
    free(after);
}

/* As after a reboot, which leaves nobody to ask for the process. */
static void import_that_was_quiet_for_an_hour_is_undone(void **state)
{
    (void)state;
    const char *to = made("to", "");
    char *before = digest_of(to);
    leave_import(to, name_of_a_record(to), owner_host() + 1, dead_process());
    run_shell("touch -d '50 minutes ago' %s/.import.*", to);
    assert_int_equal(recover(to), 0);
    run_shell("touch -d '2 hours ago' %s/.import.*", to);
    assert_int_equal(recover(to), 1);
    char *after = digest_of(to);
    assert_string_equal(before, after);
    free(before);
    free(after);
}

/* A list that was tampered with does not lead out of the store. */
static void list_that_no_import_wrote_is_refused(void **state)
{
    (void)state;
    static const char *const lines[] = {"add ../victim", "replace a/../../victim",
                                        "add /victim/x", "add .x/y",
                                        "remove a/b",    "add a",
                                        "add a/.x"};
    const char *to = made("to", "");
    for (size_t i = 0; i < 7; i++) {
        char folder[4096], message[1024] = "";
        snprintf(folder, sizeof folder, "%s/.import.%016llx.%ld.1", to,
                 (unsigned long long)owner_host(), dead_process());
        run_shell("mkdir %s && echo '%s' > %s/list && touch %s/victim", folder, lines[i], folder,
                  directory);
        tutti_store *store = opened(to);
        assert_int_equal(tutti_store_recover(store, NULL, message, sizeof message),
                         TUTTI_ERR_STORE);
        assert_non_null(strstr(message, "list, line 1: not as an import writes it"));
        tutti_store_close(store);
        run_shell("test -e %s/victim && rm -r %s", directory, folder);
    }
}

int main(int argc, char **argv)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, make_directory, remove_directory)
    const struct CMUnitTest tests[] = {
        TEST(record_says_what_was_stored),
        TEST(record_belongs_where_the_library_puts_it),
        TEST(every_kind_of_contradiction_is_found_with_its_place),
        TEST(record_cut_anywhere_is_corrupt),
        TEST(message_is_cut_to_its_size),
        TEST(record_of_another_machine_is_not_of_here),
        TEST(absent_directory_is_an_empty_store),
        TEST(store_is_where_the_settings_say),
        TEST(files_are_told_apart_by_their_names),
        TEST(import_keeps_bytes_and_places),
        TEST(conflicts_are_settled_by_the_rule),
        TEST(equally_new_record_does_not_replace),
        TEST(two_of_one_identity_are_settled_by_the_rule),
        TEST(corrupt_record_in_the_store_counts_as_none),
        TEST(failed_import_leaves_the_store_as_it_was),
        TEST(killed_import_is_undone_or_complete),
        TEST(interrupted_import_is_undone_from_its_list),
        TEST(import_of_another_host_is_left_alone),
        TEST(import_that_was_quiet_for_an_hour_is_undone),
        TEST(list_that_no_import_wrote_is_refused),
    };
    if (argc != 2)
        return EXIT_FAILURE;
    make_store = argv[1];
    return cmocka_run_group_tests(tests, NULL, NULL);
}
