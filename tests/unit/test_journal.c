/*
 * The journal: what a search that was killed leaves for the next one, and who may have it.
 *
 * Searches are simulated in child processes, which are killed at any moment. Each notes in shared
 * memory what it really did, which the journal's tale is compared with.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <linux/seccomp.h>
#include <unistd.h>

#include <cmocka.h>

#include "journal.h"
#include "owner.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1 /* the sanitizer has system calls and threads of its own */
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1
#endif
#endif
#ifndef SANITIZED
#define SANITIZED 0
#endif

#define SKIPPED        77
#define CONFIGURATIONS 40
#define HOW            "exhaustive, 5 warm-ups, 10 samples"

static char directory[64];
static char record[96];

static int make_in(const char *template)
{
    strcpy(directory, template);
    if (!mkdtemp(directory))
        return -1;
    snprintf(record, sizeof record, "%s/function/00112233.json", directory);
    return 0;
}

static int make_directory(void **state)
{
    (void)state;
    return make_in("/tmp/tutti-journal-XXXXXX");
}

static int make_in_memory(void **state) /* where files are mapped whatever /tmp is */
{
    (void)state;
    return make_in(access("/dev/shm", W_OK) == 0 ? "/dev/shm/tutti-journal-XXXXXX"
                                                 : "/tmp/tutti-journal-XXXXXX");
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

/* ---- helpers ---- */

/* For checks in a child, where a failed assertion would run on as the parent. */
#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            print_error("%s:%d: %s\n", __FILE__, __LINE__, #condition);                            \
            _exit(1);                                                                              \
        }                                                                                          \
    } while (0)

/* The paths of the files in the record's folder. Returns how many there are. */
static int list_files(char paths[16][512])
{
    char folder[96];
    int count = 0;
    snprintf(folder, sizeof folder, "%s/function", directory);
    DIR *listing = opendir(folder);
    for (struct dirent *entry = listing ? readdir(listing) : NULL; entry; entry = readdir(listing))
        if (entry->d_name[0] != '.' && count < 16)
            snprintf(paths[count++], 512, "%s/%s", folder, entry->d_name);
    if (listing)
        closedir(listing);
    return count;
}

static void expect_files(int expected)
{
    char paths[16][512];
    const int count = list_files(paths);
    for (int i = 0; count != expected && i < count; i++)
        print_error("there is %s\n", paths[i]);
    assert_int_equal(count, expected);
}

static const char *only_file(void)
{
    static char paths[16][512];
    assert_int_equal(list_files(paths), 1);
    return paths[0];
}

static char *read_file(const char *path, size_t *length)
{
    char *bytes = calloc(1, 1 << 20);
    const int file = open(path, O_RDONLY);
    assert_true(file >= 0);
    const ssize_t count = read(file, bytes, (1 << 20) - 1);
    assert_true(count >= 0);
    close(file);
    *length = (size_t)count;
    return bytes;
}

static void write_file(const char *path, const char *bytes, size_t length)
{
    const int file = open(path, O_CREAT | O_WRONLY | O_TRUNC, 0644);
    assert_true(file >= 0);
    assert_int_equal(write(file, bytes, length), length);
    close(file);
}

static void set_age(const char *path, time_t age)
{
    const struct timespec then = {.tv_sec = time(NULL) - age};
    assert_int_equal(utimensat(AT_FDCWD, path, (struct timespec[2]){then, then}, 0), 0);
}

/* The path of a journal as another process would name it. */
static const char *path_of(const struct owner *owner, unsigned number, const char *suffix)
{
    static char path[512];
    snprintf(path, sizeof path, "%s/function/00112233.%016llx.%ld.%llu.%u.0%s", directory,
             (unsigned long long)owner->host, owner->pid, (unsigned long long)owner->start, number,
             suffix);
    return path;
}

static double time_of(uint64_t configuration)
{
    return 1e-5 / 3 * (double)(configuration + 1);
}

static tutti_trial ok_trial(uint64_t configuration)
{
    return (tutti_trial){.status = TUTTI_STATUS_OK,
                         .slowest_rank = (int)(configuration % 4),
                         .seconds = time_of(configuration),
                         .reason = ""};
}

static void finish_ok(struct journal *journal, uint64_t configuration)
{
    const tutti_trial trial = ok_trial(configuration);
    journal_start(journal, configuration);
    journal_finish(journal, configuration, &trial);
}

/* Opens where notes must be possible and nothing is amiss. */
static struct journal *open_journal(struct journal_past *past)
{
    struct journal *journal;
    struct text why = {0};
    if (!journal_open(record, CONFIGURATIONS, HOW, &journal, past, &why) || why.length > 0)
        fail_msg("%s", why.bytes ? why.bytes : "?");
    assert_non_null(journal);
    assert_int_equal(past->configurations, CONFIGURATIONS);
    return journal;
}

/* What the next start would be told, without taking it over. */
static struct journal_past peek(const char *how)
{
    struct journal_past past = {0};
    struct text why = {0};
    journal_peek(record, CONFIGURATIONS, how, &past, &why);
    assert_int_equal(why.length, 0);
    return past;
}

/* Runs a child that may end in any way, and waits for it. */
static int in_process(void (*child)(void))
{
    int status;
    const pid_t pid = fork();
    if (pid == 0) {
        child();
        _exit(0);
    }
    assert_true(pid > 0);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    return status;
}

static void expect_success(int status)
{
    assert_true(WIFEXITED(status));
    if (WEXITSTATUS(status) == SKIPPED)
        skip();
    assert_int_equal(WEXITSTATUS(status), 0);
}

static void die(void)
{
    kill(getpid(), SIGKILL);
}

static void pause_microseconds(long microseconds)
{
    nanosleep(&(struct timespec){0, 1000 * microseconds}, NULL);
}

/* ---- one search after another ---- */

static void finish_seventeen_and_die(void)
{
    struct journal *journal;
    struct journal_past past;
    struct text why = {0};
    CHECK(journal_open(record, CONFIGURATIONS, HOW, &journal, &past, &why));
    CHECK(past.finished == 0 && past.suspects == 0);
    for (uint64_t i = 0; i < 17; i++)
        finish_ok(journal, i);
    journal_start(journal, 17);
    die();
}

static void a_killed_search_leaves_what_it_finished_and_its_suspect(void **state)
{
    (void)state;
    struct journal_past past;
    in_process(finish_seventeen_and_die);
    struct journal *journal = open_journal(&past);
    assert_int_equal(past.finished, 17);
    assert_int_equal(past.suspects, 1);
    for (uint64_t i = 0; i < CONFIGURATIONS; i++) {
        const tutti_trial *trial = &past.trials[i];
        assert_int_equal(trial->status, i < 17 ? TUTTI_STATUS_OK : 0);
        assert_int_equal(past.in_flight[i], i == 17);
        if (i < 17) {
            const double expected = time_of(i);
            assert_memory_equal(&trial->seconds, &expected, sizeof expected);
            assert_int_equal(trial->slowest_rank, i % 4);
        }
    }
    journal_past_release(&past);
    expect_files(1);
    journal_close(journal, true);
    expect_files(0);
}

static void start_the_suspect_and_die(void)
{
    struct journal *journal;
    struct journal_past past;
    struct text why = {0};
    CHECK(journal_open(record, CONFIGURATIONS, HOW, &journal, &past, &why));
    for (uint64_t i = 0; i < CONFIGURATIONS; i++)
        if (past.in_flight[i])
            journal_start(journal, i);
    die();
}

static void each_death_in_flight_is_counted(void **state)
{
    (void)state;
    struct journal_past past;
    in_process(finish_seventeen_and_die);
    for (int times = 1; times <= 300; times = times < 5 ? times + 1 : times + 59) {
        past = peek(HOW);
        assert_int_equal(past.in_flight[17], times < 5 ? times : 5);
        journal_past_release(&past);
        if (times < 5)
            in_process(start_the_suspect_and_die);
    }
}

static void an_answer_clears_the_suspicion(void **state)
{
    (void)state;
    struct journal_past past;
    in_process(finish_seventeen_and_die);
    struct journal *journal = open_journal(&past);
    journal_past_release(&past);
    finish_ok(journal, 17);
    journal_close(journal, false);
    past = peek(HOW);
    assert_int_equal(past.finished, 18);
    assert_int_equal(past.suspects, 0);
    assert_int_equal(past.in_flight[17], 0);
    journal_past_release(&past);
}

static void answer_and_start_again_and_die(void)
{
    struct journal *journal;
    struct journal_past past;
    struct text why = {0};
    CHECK(journal_open(record, CONFIGURATIONS, HOW, &journal, &past, &why));
    finish_ok(journal, 5);
    journal_start(journal, 5); /* as the winner, in the call's own run */
    die();
}

static void in_flight_after_an_answer_is_told_beside_the_answer(void **state)
{
    (void)state;
    in_process(answer_and_start_again_and_die);
    struct journal_past past;
    struct journal *journal = open_journal(&past);
    assert_int_equal(past.trials[5].status, TUTTI_STATUS_OK);
    assert_int_equal(past.in_flight[5], 1);
    assert_int_equal(past.suspects, 0);
    journal_past_release(&past);
    journal_close(journal, false); /* the past itself is passed on */
    past = peek(HOW);
    assert_int_equal(past.trials[5].status, TUTTI_STATUS_OK);
    assert_int_equal(past.in_flight[5], 1);
    journal_past_release(&past);
}

static void a_search_that_gave_up_leaves_nothing_in_flight(void **state)
{
    (void)state;
    struct journal_past past;
    struct journal *journal = open_journal(&past);
    journal_past_release(&past);
    finish_ok(journal, 3);
    journal_start(journal, 4);
    journal_close(journal, false);
    expect_files(1);
    journal = open_journal(&past); /* by the same process, which lives */
    assert_int_equal(past.finished, 1);
    assert_int_equal(past.suspects, 0);
    journal_past_release(&past);
    expect_files(1);
    journal_close(journal, true);
    expect_files(0);
}

static void a_search_that_found_out_nothing_leaves_nothing(void **state)
{
    (void)state;
    struct journal_past past;
    struct journal *journal = open_journal(&past);
    journal_past_release(&past);
    journal_start(journal, 4);
    journal_none(journal);
    journal_close(journal, false);
    expect_files(0);
}

static void every_kind_of_answer_comes_back(void **state)
{
    (void)state;
    static char longest[3000];
    memset(longest, 'x', sizeof longest - 1);
    memcpy(longest + 1023, "\xE2\x82\xAC", 3); /* across the limit */
    const char *const reasons[] = {
        "",  "run returned -5",   "100%",   "%41%0", "two\nlines\r\n",
        " ", "\xE2\x82\xAC # #a", "\x7F\t", longest, "ends in #12345678"};
    enum { COUNT = sizeof reasons / sizeof reasons[0] };
    const double odd[] = {5e-324, 0.1, 1.0 / 3, 1.7976931348623157e308};
    struct journal_past past;
    struct journal *journal = open_journal(&past);
    journal_past_release(&past);
    for (uint64_t i = 0; i < COUNT; i++) {
        const tutti_trial trial = {
            .status = TUTTI_STATUS_FAILED, .slowest_rank = (int)i - 1, .reason = reasons[i]};
        journal_finish(journal, i, &trial);
    }
    for (uint64_t i = 0; i < 4; i++) {
        const tutti_trial trial = {
            .status = TUTTI_STATUS_OK, .slowest_rank = INT32_MAX, .seconds = odd[i], .reason = ""};
        journal_finish(journal, 20 + i, &trial);
    }
    journal_close(journal, false);
    past = peek(HOW);
    assert_int_equal(past.finished, COUNT + 4);
    longest[1023] = '\0';
    for (uint64_t i = 0; i < COUNT; i++) {
        assert_int_equal(past.trials[i].status, TUTTI_STATUS_FAILED);
        assert_int_equal(past.trials[i].slowest_rank, (int)i - 1);
        assert_string_equal(past.trials[i].reason, reasons[i]);
    }
    for (uint64_t i = 0; i < 4; i++)
        assert_memory_equal(&past.trials[20 + i].seconds, &odd[i], sizeof odd[i]);
    journal_past_release(&past);
}

static void the_status_of_every_answer_comes_back(void **state)
{
    (void)state;
    static const char *const answers[] = {"ok", "slow", "failed", "wrong", "timeout", "crashed"};
    struct journal_past past;
    struct journal *journal = open_journal(&past);
    journal_past_release(&past);
    int statuses = 0;
    for (int status = 1; status < 32; status++) {
        const tutti_trial trial = {.status = status, .seconds = 1, .reason = ""};
        journal_finish(journal, (uint64_t)status, &trial);
        for (size_t i = 0; i < sizeof answers / sizeof answers[0]; i++)
            statuses += strcmp(tutti_status_name(status), answers[i]) == 0;
    }
    journal_close(journal, false);
    past = peek(HOW);
    assert_int_equal(past.finished, statuses);
    for (int status = 1; status < 32; status++)
        assert_true(past.trials[status].status == 0 || past.trials[status].status == status);
    assert_int_equal(past.trials[TUTTI_STATUS_PRUNED].status, 0);
    assert_int_equal(past.trials[TUTTI_STATUS_OK].status, TUTTI_STATUS_OK);
    journal_past_release(&past);
}

static void what_is_no_answer_is_not_noted(void **state)
{
    (void)state;
    struct journal_past past;
    struct journal *journal = open_journal(&past);
    journal_past_release(&past);
    const double no_times[] = {0, -1, NAN, INFINITY};
    for (int i = 0; i < 4; i++) {
        const tutti_trial trial = {.status = TUTTI_STATUS_OK, .seconds = no_times[i], .reason = ""};
        journal_finish(journal, 1, &trial);
    }
    const tutti_trial pruned = {.status = TUTTI_STATUS_PRUNED, .reason = ""}, ok = ok_trial(1);
    journal_finish(journal, 1, &pruned);
    journal_finish(journal, CONFIGURATIONS, &ok);
    journal_start(journal, CONFIGURATIONS);
    journal_close(journal, false);
    expect_files(0);
}

static void the_last_answer_counts(void **state)
{
    (void)state;
    struct journal_past past;
    struct journal *journal = open_journal(&past);
    journal_past_release(&past);
    journal_condemn(journal, 7, TUTTI_STATUS_FAILED, 2, "took more than 60 s");
    finish_ok(journal, 7);
    finish_ok(journal, 8);
    journal_condemn(journal, 8, TUTTI_STATUS_FAILED, -1, NULL);
    journal_close(journal, false);
    past = peek(HOW);
    assert_int_equal(past.trials[7].status, TUTTI_STATUS_OK);
    assert_int_equal(past.trials[8].status, TUTTI_STATUS_FAILED);
    assert_string_equal(past.trials[8].reason, "");
    journal_past_release(&past);
}

static void condemn_and_die(void)
{
    struct journal *journal;
    struct journal_past past;
    struct text why = {0};
    CHECK(journal_open(record, CONFIGURATIONS, HOW, &journal, &past, &why));
    journal_start(journal, 9);
    journal_condemn(journal, 9, TUTTI_STATUS_FAILED, 2, "did not return within 60 s");
    die();
}

static void what_was_condemned_is_found_by_the_next_start(void **state)
{
    (void)state;
    in_process(condemn_and_die);
    struct journal_past past = peek(HOW);
    assert_int_equal(past.trials[9].status, TUTTI_STATUS_FAILED);
    assert_int_equal(past.trials[9].slowest_rank, 2);
    assert_string_equal(past.trials[9].reason, "did not return within 60 s");
    assert_int_equal(past.in_flight[9], 0);
    journal_past_release(&past);
}

static void *condemn_from_outside(void *journal)
{
    for (uint64_t i = 20; i < CONFIGURATIONS; i++)
        journal_condemn(journal, i, TUTTI_STATUS_FAILED, 3, "did not return");
    return NULL;
}

static void another_thread_may_condemn(void **state)
{
    (void)state;
    struct journal_past past;
    struct journal *journal = open_journal(&past);
    journal_past_release(&past);
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, condemn_from_outside, journal), 0);
    for (uint64_t i = 0; i < 20; i++)
        finish_ok(journal, i);
    pthread_join(thread, NULL);
    journal_close(journal, false);
    past = peek(HOW);
    assert_int_equal(past.finished, CONFIGURATIONS);
    for (uint64_t i = 0; i < CONFIGURATIONS; i++)
        assert_int_equal(past.trials[i].status, i < 20 ? TUTTI_STATUS_OK : TUTTI_STATUS_FAILED);
    journal_past_release(&past);
}

static void times_of_another_protocol_are_dropped_and_failures_kept(void **state)
{
    (void)state;
    struct journal_past past;
    struct journal *journal = open_journal(&past);
    journal_past_release(&past);
    finish_ok(journal, 0);
    journal_condemn(journal, 1, TUTTI_STATUS_FAILED, 0, "bad");
    journal_close(journal, false);
    past = peek("race");
    assert_int_equal(past.finished, 1);
    assert_int_equal(past.trials[1].status, TUTTI_STATUS_FAILED);
    journal_past_release(&past);
    past = peek(HOW);
    assert_int_equal(past.finished, 2);
    journal_past_release(&past);
}

/* ---- killed at any moment ---- */

/* What the simulated searches really did, seen by all of them. */
struct truth {
    atomic_int started[CONFIGURATIONS];  /* just before the run */
    atomic_int answered[CONFIGURATIONS]; /* after the answer was noted */
    atomic_int in_flight;                /* or -1 */
    atomic_int complete;                 /* all is answered, and the files may be gone */
};

static struct truth *truth;

static void spin(unsigned rounds)
{
    for (volatile unsigned i = 0; i < rounds; i++)
        continue;
}

/* Exhaustive, with the suspects last. */
static void search(void)
{
    struct journal *journal;
    struct journal_past past;
    struct text why = {0};
    CHECK(journal_open(record, CONFIGURATIONS, HOW, &journal, &past, &why));
    CHECK(why.length == 0);
    for (uint64_t i = 0; i < CONFIGURATIONS; i++) /* nothing that was noted is lost */
        CHECK(past.trials[i].status == TUTTI_STATUS_OK || !atomic_load(&truth->answered[i]));
    for (uint64_t turn = 0; turn < 2 * CONFIGURATIONS; turn++) {
        const uint64_t i = turn % CONFIGURATIONS;
        const bool last = past.in_flight[i] > 0;
        if (past.trials[i].status || last != (turn >= CONFIGURATIONS))
            continue;
        journal_start(journal, i);
        atomic_store(&truth->in_flight, (int)i);
        atomic_fetch_add(&truth->started[i], 1);
        spin(10000);
        const tutti_trial trial = ok_trial(i);
        journal_finish(journal, i, &trial);
        atomic_store(&truth->in_flight, -1);
        atomic_store(&truth->answered[i], 1);
    }
    journal_past_release(&past);
    atomic_store(&truth->complete, 1);
    journal_close(journal, true);
}

static pid_t start_search(void)
{
    const pid_t pid = fork();
    if (pid == 0) {
        search();
        _exit(0);
    }
    assert_true(pid > 0);
    return pid;
}

/* Kills one search after another until one is complete. in_flight counts where the kills hit. */
static void kill_until_complete(uint32_t *random, int *kills, int in_flight[CONFIGURATIONS])
{
    for (int turn = 0;; turn++) {
        int status;
        const long longest = 1200L << (turn / 16 < 8 ? turn / 16 : 8); /* for slow machines */
        const pid_t pid = start_search();
        *random = *random * 1664525 + 1013904223;
        pause_microseconds((*random >> 8) % longest);
        kill(pid, SIGKILL);
        assert_int_equal(waitpid(pid, &status, 0), pid);
        if (WIFEXITED(status))
            assert_int_equal(WEXITSTATUS(status), 0);
        *kills += WIFSIGNALED(status);
        if (atomic_load(&truth->complete))
            break;
        const int hit = atomic_exchange(&truth->in_flight, -1);
        if (hit >= 0)
            in_flight[hit]++;
    }
    /* It may have been killed while it was removing its files: one more start does that. */
    struct journal_past past;
    struct journal *journal = open_journal(&past);
    assert_int_equal(past.suspects, 0);
    journal_past_release(&past);
    journal_close(journal, true);
}

static void killed_at_any_moment_a_search_resumes_and_repeats_nothing(void **state)
{
    (void)state;
    uint32_t random = 4711;
    int kills = 0;
    truth = mmap(NULL, sizeof *truth, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(truth != MAP_FAILED);
    for (int round = 0; round < 10 || kills < 200; round++) {
        int in_flight[CONFIGURATIONS] = {0};
        memset(truth, 0, sizeof *truth);
        atomic_store(&truth->in_flight, -1);
        kill_until_complete(&random, &kills, in_flight);
        for (int i = 0; i < CONFIGURATIONS; i++)
            assert_in_range(atomic_load(&truth->started[i]), 1, 1 + in_flight[i]);
        expect_files(0);
    }
    munmap(truth, sizeof *truth);
}

/* ---- several at once ---- */

struct actor {
    pid_t pid;
    int orders, answers;
};

/* A search that does one step for each byte of orders: 'o' opens, a digit finishes that
 * configuration, 's' starts 30, 'c' closes, 'q' ends. Answers with how many were finished by
 * others. */
static void act(int orders, int answers)
{
    struct journal *journal = NULL;
    struct journal_past past = {0};
    struct text why = {0};
    for (char order; read(orders, &order, 1) == 1;) {
        char answer = 0;
        if (order == 'o') {
            CHECK(journal_open(record, CONFIGURATIONS, HOW, &journal, &past, &why));
            answer = (char)(past.finished + 100 * past.suspects);
            journal_past_release(&past);
        } else if (order == 's') {
            journal_start(journal, 30);
        } else if (order == 'c') {
            journal_close(journal, true);
        } else if (order == 'q') {
            break;
        } else if (order == 'q') { /* not by the pipe's end: other actors hold it open, too */
            _exit(0);
        } else {
            finish_ok(journal, (uint64_t)(order - '0'));
        }
        CHECK(write(answers, &answer, 1) == 1);
    }
    _exit(0);
}

static struct actor start_actor(void)
{
    int orders[2], answers[2];
    assert_int_equal(pipe2(orders, O_CLOEXEC), 0);
    assert_int_equal(pipe2(answers, O_CLOEXEC), 0);
    const pid_t pid = fork();
    if (pid == 0) {
        close(orders[1]);
        close(answers[0]);
        act(orders[0], answers[1]);
    }
    close(orders[0]);
    close(answers[1]);
    return (struct actor){pid, orders[1], answers[0]};
}

static int order(const struct actor *actor, char what)
{
    char answer;
    assert_int_equal(write(actor->orders, &what, 1), 1);
    assert_int_equal(read(actor->answers, &answer, 1), 1);
    return answer;
}

static void end_actor(const struct actor *actor, int signal)
{
    const char quit = 'q';
    if (signal)
        kill(actor->pid, signal);
    else
        assert_int_equal(write(actor->orders, &quit, 1), 1);
    close(actor->orders);
    close(actor->answers);
    assert_int_equal(waitpid(actor->pid, NULL, 0), actor->pid);
}

static void a_journal_whose_owner_lives_is_left_alone(void **state)
{
    (void)state;
    const struct actor first = start_actor(), second = start_actor(), third = start_actor();
    assert_int_equal(order(&first, 'o'), 0);
    order(&first, '1');
    order(&first, '2');
    order(&first, 's');
    set_age(only_file(), 100 * 24 * 3600); /* old, but it lives */
    assert_int_equal(order(&second, 'o'), 0);
    order(&second, '3');
    expect_files(2);
    end_actor(&first, SIGKILL);
    order(&second, '4');
    assert_int_equal(order(&third, 'o'), 2 + 100); /* the dead one's, not the living one's */
    expect_files(2);
    order(&second, 'c'); /* removes its own, not the third's */
    expect_files(1);
    end_actor(&second, 0);
    order(&third, 'c');
    expect_files(0);
    end_actor(&third, 0);
}

static void a_complete_search_removes_what_the_dead_left(void **state)
{
    (void)state;
    const struct actor first = start_actor(), second = start_actor();
    order(&first, 'o');
    order(&second, 'o');
    order(&first, '1');
    end_actor(&first, SIGKILL);
    expect_files(2);
    order(&second, 'c');
    expect_files(0);
    end_actor(&second, 0);
}

static void several_dead_journals_become_one(void **state)
{
    (void)state;
    struct actor actors[5];
    struct journal_past past;
    for (int i = 0; i < 5; i++) {
        actors[i] = start_actor();
        order(&actors[i], 'o');
        order(&actors[i], (char)('0' + i));
        order(&actors[i], '7');
        order(&actors[i], 's');
    }
    for (int i = 0; i < 5; i++)
        end_actor(&actors[i], SIGKILL);
    expect_files(5);
    struct journal *journal = open_journal(&past);
    expect_files(1);
    assert_int_equal(past.finished, 6);
    assert_int_equal(past.in_flight[30], 1); /* killed together: that is no second try */
    journal_past_release(&past);
    journal_close(journal, true);
    expect_files(0);
}

static void many_who_died_before_their_first_word_hide_nothing(void **state)
{
    (void)state;
    struct owner owner = owner_self();
    struct journal_past past;
    in_process(finish_seventeen_and_die);
    owner.start--;
    for (unsigned i = 0; i < 200; i++)
        write_file(path_of(&owner, i, ".journal"), "", 0);
    past = peek(HOW);
    assert_int_equal(past.finished, 17);
    journal_past_release(&past);
    struct journal *journal = open_journal(&past);
    assert_int_equal(past.finished, 17);
    journal_past_release(&past);
    expect_files(1);
    journal_close(journal, true);
    expect_files(0);
}

static void of_four_that_begin_at_once_one_takes_over(void **state)
{
    (void)state;
    for (int round = 0; round < 40; round++) {
        in_process(finish_seventeen_and_die);
        struct actor actors[4];
        char answers[4];
        int winners = 0;
        for (int i = 0; i < 4; i++)
            actors[i] = start_actor();
        for (int i = 0; i < 4; i++)
            assert_int_equal(write(actors[i].orders, "o", 1), 1);
        for (int i = 0; i < 4; i++) {
            assert_int_equal(read(actors[i].answers, &answers[i], 1), 1);
            assert_true(answers[i] == 0 || answers[i] == 117);
            winners += answers[i] == 117;
        }
        assert_int_equal(winners, 1);
        for (int i = 0; i < 4; i++) {
            order(&actors[i], 'c');
            end_actor(&actors[i], 0);
        }
        expect_files(0);
    }
}

static void two_journals_of_one_process_do_not_meet(void **state)
{
    (void)state;
    struct journal_past past;
    struct journal *first = open_journal(&past);
    journal_past_release(&past);
    finish_ok(first, 1);
    struct journal *second = open_journal(&past);
    assert_int_equal(past.finished, 0);
    journal_past_release(&past);
    finish_ok(second, 2);
    journal_close(first, false);
    journal_close(second, false);
    past = peek(HOW);
    assert_int_equal(past.finished, 2);
    journal_past_release(&past);
    struct journal *third = open_journal(&past);
    assert_int_equal(past.finished, 2);
    journal_past_release(&past);
    journal_close(third, true);
    expect_files(0);
}

/* ---- owners ---- */

/* A valid journal under a name of our making. Returns its path. */
static const char *plant(const struct owner *owner, time_t age)
{
    struct journal_past past;
    struct journal *journal = open_journal(&past);
    journal_past_release(&past);
    finish_ok(journal, 1);
    journal_close(journal, false);
    char from[512];
    strcpy(from, only_file());
    const char *path = path_of(owner, 0, ".journal");
    assert_int_equal(rename(from, path), 0);
    set_age(path, age);
    return path;
}

static void expect_found(const struct owner *owner, time_t age, bool found)
{
    const char *path = plant(owner, age);
    struct journal_past past = peek(HOW);
    assert_int_equal(past.finished, found);
    journal_past_release(&past);
    unlink(path);
}

static void a_process_id_that_was_given_away_is_no_owner(void **state)
{
    (void)state;
    struct owner owner = owner_self();
    assert_true(owner.start > 0);
    expect_found(&owner, 2 * JOURNAL_QUIET, false);
    owner.start--;
    expect_found(&owner, 0, true);
    owner.start = 0; /* unknown: only quiet tells */
    expect_found(&owner, JOURNAL_QUIET / 2, false);
    expect_found(&owner, 2 * JOURNAL_QUIET, true);
    owner.start = 1;
    owner.pid = getppid();
    expect_found(&owner, 0, true);
}

static void another_hosts_journal_is_taken_once_it_is_quiet(void **state)
{
    (void)state;
    struct owner owner = owner_self();
    owner.host++;
    expect_found(&owner, 0, false);
    expect_found(&owner, JOURNAL_QUIET / 2, false);
    expect_found(&owner, -1000, false); /* its clock is ahead */
    expect_found(&owner, 2 * JOURNAL_QUIET, true);
}

static void a_zombie_is_dead(void **state)
{
    (void)state;
    const struct actor actor = start_actor();
    siginfo_t info;
    order(&actor, 'o');
    order(&actor, '1');
    kill(actor.pid, SIGKILL);
    assert_int_equal(waitid(P_PID, (id_t)actor.pid, &info, WEXITED | WNOWAIT), 0);
    struct journal_past past = peek(HOW);
    assert_int_equal(past.finished, 1);
    journal_past_release(&past);
    end_actor(&actor, SIGKILL);
}

static void journals_of_other_records_are_removed_when_stale_only(void **state)
{
    (void)state;
    struct owner owner = owner_self();
    owner.host++;
    char old[512], young[512], odd[512];
    struct journal_past past;
    struct journal *journal = open_journal(&past);
    journal_past_release(&past);
    snprintf(odd, sizeof odd, "%s/function/notes.1.2.journal", directory);
    snprintf(old, sizeof old, "%s/function/44556677.%016llx.1.1.0.0.journal", directory,
             (unsigned long long)owner.host);
    snprintf(young, sizeof young, "%s/function/44556677.%016llx.1.2.0.0.journal", directory,
             (unsigned long long)owner.host);
    write_file(odd, "", 0);
    write_file(old, "", 0);
    write_file(young, "", 0);
    set_age(odd, 2 * JOURNAL_STALE);
    set_age(old, 2 * JOURNAL_STALE);
    set_age(young, JOURNAL_STALE / 2);
    journal_close(journal, true);
    expect_files(2);
    assert_int_equal(access(odd, F_OK), 0);
    assert_int_equal(access(young, F_OK), 0);
}

/* ---- files that are not what they should be ---- */

/* A journal with something of everything, as bytes, from a search that was killed. */
static char *make_sample(size_t *length)
{
    in_process(finish_seventeen_and_die);
    struct journal_past past;
    struct journal *journal = open_journal(&past);
    journal_past_release(&past);
    journal_condemn(journal, 20, TUTTI_STATUS_FAILED, 1, "no\nmemory");
    journal_start(journal, 21);
    char *bytes = read_file(only_file(), length);
    journal_close(journal, true);
    expect_files(0);
    return bytes;
}

/* Opens with this file as the only dead journal. True if it was taken for one. */
static bool try_bytes(const char *bytes, size_t length, uint64_t *finished)
{
    struct owner owner = owner_self();
    struct journal_past past;
    struct journal *journal;
    struct text why = {0};
    owner.start--;
    write_file(path_of(&owner, 0, ".journal"), bytes, length);
    assert_true(journal_open(record, CONFIGURATIONS, HOW, &journal, &past, &why));
    expect_files(1);
    const bool valid = why.length == 0;
    if (!valid) {
        assert_non_null(strstr(why.bytes, "is not a valid journal"));
        assert_int_equal(past.finished + past.suspects, 0);
    }
    *finished = past.finished;
    journal_past_release(&past);
    text_release(&why);
    journal_close(journal, true);
    expect_files(0);
    return valid;
}

static void a_journal_cut_anywhere_is_a_beginning_or_nothing(void **state)
{
    (void)state;
    size_t length;
    uint64_t finished, before = 0;
    char *bytes = make_sample(&length);
    assert_true(try_bytes(bytes, length, &finished));
    assert_int_equal(finished, 18);
    for (size_t cut = 0; cut < length; cut++) {
        const bool valid = try_bytes(bytes, cut, &finished);
        const bool begun = cut == 0 || cut >= strcspn(bytes, "\n") + 1;
        assert_int_equal(valid, begun);
        assert_true(!begun || finished >= before);
        before = finished;
    }
    assert_int_equal(before, 17);
    free(bytes);
}

static void a_byte_that_was_changed_is_noticed(void **state)
{
    (void)state;
    size_t length;
    uint64_t finished;
    uint32_t random = 99;
    char *bytes = make_sample(&length);
    const size_t cell = strcspn(bytes, "\n") - 8;
    for (size_t at = 0; at < length - 1; at++) { /* without its end, the last line doesn't count */
        const char was = bytes[at];
        random = random * 1664525 + 1013904223;
        bytes[at] = (char)(was ^ (char)(1 + (random >> 16) % 255));
        const bool valid = try_bytes(bytes, length, &finished);
        if (at < cell || at >= cell + 8)
            assert_false(valid);
        bytes[at] = was;
    }
    free(bytes);
}

static void garbage_is_ignored_and_removed(void **state)
{
    (void)state;
    size_t length;
    uint64_t finished;
    uint32_t random = 7;
    char *bytes = make_sample(&length);
    char *mixed = malloc(2 * length);
    for (int round = 0; round < 300; round++) { /* pieces of it, in any order */
        size_t filled = strcspn(bytes, "\n") + 1;
        memcpy(mixed, bytes, filled);
        while (filled + 64 < 2 * length) {
            random = random * 1664525 + 1013904223;
            const size_t from = (random >> 8) % length, most = length - from;
            const size_t piece = most < 64 ? most : 64;
            memcpy(mixed + filled, bytes + from, piece);
            filled += piece;
        }
        try_bytes(mixed, filled, &finished);
    }
    memset(mixed, 0, length);
    assert_false(try_bytes(mixed, length, &finished));
    memcpy(mixed, bytes, length);
    memset(mixed + length, 0, length);
    mixed[2 * length - 1] = '\n';
    assert_false(try_bytes(mixed, 2 * length, &finished));
    free(mixed);
    free(bytes);
}

static void a_journal_of_another_space_is_ignored(void **state)
{
    (void)state;
    struct journal_past past;
    struct text why = {0};
    struct journal *journal;
    in_process(finish_seventeen_and_die);
    assert_true(journal_open(record, CONFIGURATIONS + 1, HOW, &journal, &past, &why));
    assert_non_null(strstr(why.bytes, "41 configurations"));
    assert_int_equal(past.finished + past.suspects, 0);
    text_release(&why);
    journal_past_release(&past);
    journal_close(journal, true);
    expect_files(0);
}

static void what_is_no_regular_file_is_left_alone(void **state)
{
    (void)state;
    struct owner owner = owner_self();
    char target[96];
    struct journal_past past;
    struct journal *journal = open_journal(&past);
    journal_past_release(&past);
    journal_close(journal, true);
    owner.start--;
    snprintf(target, sizeof target, "%s/target", directory);
    write_file(target, "precious", 8);
    assert_int_equal(symlink(target, path_of(&owner, 0, ".journal")), 0);
    assert_int_equal(mkfifo(path_of(&owner, 1, ".journal"), 0600), 0);
    assert_int_equal(mkdir(path_of(&owner, 2, ".journal"), 0700), 0);
    journal = open_journal(&past);
    journal_past_release(&past);
    journal_close(journal, true);
    expect_files(3);
    assert_int_equal(access(target, F_OK), 0);
}

/* ---- no room, no rights, no place ---- */

static void use_nothing(struct journal *journal)
{
    const tutti_trial trial = ok_trial(1);
    journal_start(journal, 1);
    journal_none(journal);
    journal_finish(journal, 1, &trial);
    journal_condemn(journal, 1, TUTTI_STATUS_FAILED, 0, "");
    journal_close(journal, true);
}

static void without_a_directory_there_is_none(void **state)
{
    (void)state;
    struct journal *journal;
    struct journal_past past;
    struct text why = {0};
    assert_false(journal_open("", CONFIGURATIONS, HOW, &journal, &past, &why));
    assert_null(journal);
    assert_non_null(strstr(why.bytes, "no directory"));
    text_release(&why);
    journal_past_release(&past);
    use_nothing(journal);
}

static void expect_refusal(const char *reason)
{
    struct journal *journal;
    struct journal_past past;
    struct text why = {0};
    CHECK(!journal_open(record, CONFIGURATIONS, HOW, &journal, &past, &why));
    if (!strstr(why.bytes, reason))
        print_error("expected \"%s\" in \"%s\"\n", reason, why.bytes);
    CHECK(strstr(why.bytes, reason));
    text_release(&why);
    journal_past_release(&past);
    use_nothing(journal);
}

static void skip_child(const char *why)
{
    print_message("skipped: %s\n", why);
    fflush(stdout);
    _exit(SKIPPED);
}

static void open_without_rights(void)
{
    struct journal *journal;
    struct journal_past past;
    struct text why = {0};
    if (geteuid() == 0 && (setgid(65534) != 0 || setuid(65534) != 0))
        skip_child("root, for whom nothing is read-only, and can't become another user");
    CHECK(!journal_open(record, CONFIGURATIONS, HOW, &journal, &past, &why));
    CHECK(strstr(why.bytes, strerror(EACCES)));
    CHECK(past.finished == 17 && past.in_flight[17] == 1); /* what is there is used all the same */
    CHECK(!journal);
    use_nothing(journal);
}

static void a_folder_without_rights_is_read_and_left(void **state)
{
    (void)state;
    char folder[96];
    in_process(finish_seventeen_and_die);
    snprintf(folder, sizeof folder, "%s/function", directory);
    assert_int_equal(chmod(directory, 0755), 0);
    assert_int_equal(chmod(folder, 0555), 0);
    const int status = in_process(open_without_rights);
    assert_int_equal(chmod(folder, 0755), 0);
    expect_files(1);
    expect_success(status);
}

static void open_below_the_file_limit(void)
{
    const struct rlimit limit = {50, 50};
    CHECK(setrlimit(RLIMIT_FSIZE, &limit) == 0); /* SIGXFSZ would end the process */
    expect_refusal(strerror(EFBIG));
}

static void note_up_to_the_file_limit(void)
{
    struct journal *journal;
    struct journal_past past;
    struct text why = {0};
    const struct rlimit limit = {1000, 1000};
    CHECK(setrlimit(RLIMIT_FSIZE, &limit) == 0);
    CHECK(journal_open(record, CONFIGURATIONS, HOW, &journal, &past, &why));
    for (uint64_t i = 0; i < CONFIGURATIONS; i++)
        finish_ok(journal, i);
    journal_start(journal, 39);
    die();
}

static void a_file_size_limit_ends_the_notes_and_not_the_process(void **state)
{
    (void)state;
    expect_success(in_process(open_below_the_file_limit));
    expect_files(0);
    assert_true(WIFSIGNALED(in_process(note_up_to_the_file_limit)));
    struct journal_past past = peek(HOW);
    assert_in_range(past.finished, 10, CONFIGURATIONS - 1);
    assert_int_equal(past.in_flight[39], 1);
    journal_past_release(&past);
}

static void with_a_past_and_no_room(void)
{
    struct journal *journal;
    struct journal_past past;
    struct text why = {0};
    const struct rlimit limit = {50, 50};
    CHECK(setrlimit(RLIMIT_FSIZE, &limit) == 0);
    CHECK(!journal_open(record, CONFIGURATIONS, HOW, &journal, &past, &why));
    CHECK(why.length > 0 && past.finished == 17 && past.in_flight[17] == 1);
    finish_ok(journal, 20);
    die();
}

static void without_room_the_past_is_used_and_kept(void **state)
{
    (void)state;
    struct journal_past past;
    in_process(finish_seventeen_and_die);
    for (int i = 0; i < 3; i++) {
        assert_true(WIFSIGNALED(in_process(with_a_past_and_no_room)));
        past = peek(HOW);
        assert_int_equal(past.finished, 17);
        assert_int_equal(past.in_flight[17], 1);
        journal_past_release(&past);
    }
    struct journal *journal = open_journal(&past);
    journal_past_release(&past);
    journal_close(journal, true);
    expect_files(0);
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
    struct journal *journal;
    struct journal_past past;
    struct text why = {0};
    char full[96];
    mount_small();
    CHECK(journal_open(record, CONFIGURATIONS, HOW, &journal, &past, &why));
    finish_ok(journal, 0);
    snprintf(full, sizeof full, "%s/full", directory);
    const int file = open(full, O_CREAT | O_WRONLY, 0600);
    static const char block[1024];
    while (write(file, block, sizeof block) > 0)
        continue;
    static char reason[900];
    memset(reason, '%', sizeof reason - 1); /* of which each becomes three */
    for (uint64_t i = 1; i < CONFIGURATIONS; i++) {
        journal_start(journal, i);
        journal_condemn(journal, i, TUTTI_STATUS_FAILED, 0, reason);
    }
    journal_start(journal, 5);
    journal_close(journal, false);
    CHECK(journal_open(record, CONFIGURATIONS, HOW, &journal, &past, &why) || why.length > 0);
    CHECK(past.finished >= 1 && past.trials[0].status == TUTTI_STATUS_OK);
    journal_close(journal, true);
    char paths[16][512];
    CHECK(list_files(paths) == 0);
}

static void a_full_disk_ends_the_notes_and_nothing_else(void **state)
{
    (void)state;
    expect_success(in_process(fill_the_disk));
}

static void open_read_only(void)
{
    mount_small();
    if (mount("none", directory, "none", MS_REMOUNT | MS_RDONLY, NULL) != 0)
        skip_child("remounting is not permitted");
    expect_refusal(strerror(EROFS));
}

static void a_read_only_file_system_has_none(void **state)
{
    (void)state;
    expect_success(in_process(open_read_only));
}

static void a_look_changes_nothing(void **state)
{
    (void)state;
    struct journal_past past = peek(HOW); /* not even the folder is there */
    assert_int_equal(past.finished, 0);
    journal_past_release(&past);
    assert_int_equal(rmdir(directory), 0);
    assert_int_equal(mkdir(directory, 0700), 0);
    in_process(finish_seventeen_and_die);
    char before[512];
    struct stat first, second;
    strcpy(before, only_file());
    assert_int_equal(stat(before, &first), 0);
    past = peek(HOW);
    assert_int_equal(past.finished, 17);
    journal_past_release(&past);
    assert_string_equal(only_file(), before);
    assert_int_equal(stat(before, &second), 0);
    assert_memory_equal(&first.st_ctim, &second.st_ctim, sizeof first.st_ctim);
}

/* ---- what it costs ---- */

static void start_many_times(void)
{
    struct journal *journal;
    struct journal_past past;
    struct text why = {0};
    CHECK(journal_open(record, CONFIGURATIONS, HOW, &journal, &past, &why));
    if (getenv("UNDER_VALGRIND") || prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT))
        syscall(SYS_exit, SKIPPED);
    for (uint64_t i = 0; i < 100000; i++)
        journal_start(journal, i % CONFIGURATIONS);
    journal_none(journal);
    journal_start(journal, 11);
    syscall(SYS_exit, 0);
}

static void noting_what_is_in_flight_makes_no_system_call(void **state)
{
    (void)state;
    if (SANITIZED || strncmp(directory, "/dev/shm", 8) != 0)
        skip();
    expect_success(in_process(start_many_times));
    struct journal_past past = peek(HOW);
    assert_int_equal(past.in_flight[11], 1); /* and it is noted */
    journal_past_release(&past);
}

#define IN_DIRECTORY(test) cmocka_unit_test_setup_teardown(test, make_directory, remove_directory)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_DIRECTORY(a_killed_search_leaves_what_it_finished_and_its_suspect),
        IN_DIRECTORY(each_death_in_flight_is_counted),
        IN_DIRECTORY(an_answer_clears_the_suspicion),
        IN_DIRECTORY(in_flight_after_an_answer_is_told_beside_the_answer),
        IN_DIRECTORY(a_search_that_gave_up_leaves_nothing_in_flight),
        IN_DIRECTORY(a_search_that_found_out_nothing_leaves_nothing),
        IN_DIRECTORY(every_kind_of_answer_comes_back),
        IN_DIRECTORY(the_status_of_every_answer_comes_back),
        IN_DIRECTORY(what_is_no_answer_is_not_noted),
        IN_DIRECTORY(the_last_answer_counts),
        IN_DIRECTORY(what_was_condemned_is_found_by_the_next_start),
        IN_DIRECTORY(another_thread_may_condemn),
        IN_DIRECTORY(times_of_another_protocol_are_dropped_and_failures_kept),
        IN_DIRECTORY(killed_at_any_moment_a_search_resumes_and_repeats_nothing),
        IN_DIRECTORY(a_journal_whose_owner_lives_is_left_alone),
        IN_DIRECTORY(a_complete_search_removes_what_the_dead_left),
        IN_DIRECTORY(several_dead_journals_become_one),
        IN_DIRECTORY(many_who_died_before_their_first_word_hide_nothing),
        IN_DIRECTORY(of_four_that_begin_at_once_one_takes_over),
        IN_DIRECTORY(two_journals_of_one_process_do_not_meet),
        IN_DIRECTORY(a_process_id_that_was_given_away_is_no_owner),
        IN_DIRECTORY(another_hosts_journal_is_taken_once_it_is_quiet),
        IN_DIRECTORY(a_zombie_is_dead),
        IN_DIRECTORY(journals_of_other_records_are_removed_when_stale_only),
        IN_DIRECTORY(a_journal_cut_anywhere_is_a_beginning_or_nothing),
        IN_DIRECTORY(a_byte_that_was_changed_is_noticed),
        IN_DIRECTORY(garbage_is_ignored_and_removed),
        IN_DIRECTORY(a_journal_of_another_space_is_ignored),
        IN_DIRECTORY(what_is_no_regular_file_is_left_alone),
        IN_DIRECTORY(without_a_directory_there_is_none),
        IN_DIRECTORY(a_folder_without_rights_is_read_and_left),
        IN_DIRECTORY(a_file_size_limit_ends_the_notes_and_not_the_process),
        IN_DIRECTORY(without_room_the_past_is_used_and_kept),
        IN_DIRECTORY(a_full_disk_ends_the_notes_and_nothing_else),
        IN_DIRECTORY(a_read_only_file_system_has_none),
        IN_DIRECTORY(a_look_changes_nothing),
        cmocka_unit_test_setup_teardown(noting_what_is_in_flight_makes_no_system_call,
                                        make_in_memory, remove_directory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
