/* Groups without MPI: the serial group, placement texts, and a made-up group whose operations do
 * what a test asks: complete late, never, or fail. */
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
#include <pthread.h>

#include <tutti/error.h>
#include <tutti/version.h>

#include "group.h"
#include "log.h"
#include "placement.h"
#include "wait.h"

/* The made-up group. */

struct fake {
    unsigned looks;            /* at a pending operation before it completes */
    bool never;                /* it does not complete */
    int error;                 /* what operations return at once, if not 0 */
    const unsigned char *here; /* what present answers; NULL: that it does not know */
    int ranks;
    int operations, presents, releases; /* calls so far */
    bool released_broken;
    uint64_t sequence; /* that present was asked for */
    double waited;     /* the last wait's seconds */
};

static int fake_operation(struct fake *fake, tutti_wait *wait)
{
    fake->operations++;
    if (fake->error)
        return fake->error;
    for (unsigned look = 0; fake->never || look < fake->looks; look++) {
        const bool more = tutti_wait_more(wait);
        fake->waited = wait->waited;
        if (!more)
            return TUTTI_ERR_STALL;
    }
    return TUTTI_SUCCESS;
}

static int fake_reduce_max(void *self, uint64_t *words, size_t n, tutti_wait *wait)
{
    (void)words, (void)n;
    return fake_operation(self, wait);
}

static int fake_broadcast(void *self, void *bytes, size_t n, int root, tutti_wait *wait)
{
    (void)bytes, (void)n, (void)root;
    return fake_operation(self, wait);
}

static int fake_present(void *self, uint64_t sequence, unsigned char *here)
{
    struct fake *fake = self;
    fake->presents++;
    fake->sequence = sequence;
    if (!fake->here)
        return TUTTI_ERR_GROUP;
    memcpy(here, fake->here, (size_t)fake->ranks);
    return TUTTI_SUCCESS;
}

static void fake_release(void *self, bool broken)
{
    struct fake *fake = self;
    fake->releases++;
    fake->released_broken = broken;
}

static tutti_group_ops fake_ops(void)
{
    return (tutti_group_ops){.size = sizeof(tutti_group_ops),
                             .kind = "fake",
                             .reduce_max = fake_reduce_max,
                             .broadcast = fake_broadcast,
                             .present = fake_present,
                             .release = fake_release};
}

static tutti_group *make_fake(struct fake *fake, int ranks)
{
    const tutti_group_ops ops = fake_ops();
    tutti_group *group;
    fake->ranks = ranks;
    const tutti_group_desc desc = {
        .size = sizeof desc, .ops = &ops, .self = fake, .rank = 0, .ranks = ranks};
    assert_int_equal(tutti_group_create(&desc, &group), TUTTI_SUCCESS);
    return group;
}

static tutti_group *make_serial(void)
{
    tutti_group *group;
    assert_int_equal(tutti_group_create_serial(&group), TUTTI_SUCCESS);
    return group;
}

/* What stderr gets while an action runs. */

static char printed[8192];
static int saved_stderr;
static FILE *capture;

static void capture_begin(void)
{
    capture = tmpfile();
    assert_non_null(capture);
    fflush(stderr);
    saved_stderr = dup(STDERR_FILENO);
    dup2(fileno(capture), STDERR_FILENO);
}

static const char *capture_end(void)
{
    fflush(stderr);
    dup2(saved_stderr, STDERR_FILENO);
    close(saved_stderr);
    rewind(capture);
    const size_t length = fread(printed, 1, sizeof printed - 1, capture);
    printed[length] = '\0';
    fclose(capture);
    return printed;
}

/* Life */

static void errors_and_version_have_texts(void **state)
{
    (void)state;
    for (int error = TUTTI_ERR_RECORD; error <= TUTTI_SUCCESS; error++)
        assert_string_not_equal(tutti_strerror(error), "unknown error");
    assert_string_equal(tutti_strerror(1), "unknown error");
    assert_string_equal(tutti_strerror(TUTTI_ERR_RECORD - 1), "unknown error");
    assert_string_equal(tutti_version(), TUTTI_VERSION);
}

static void a_bad_description_is_refused_and_self_stays_the_callers(void **state)
{
    struct fake fake = {0};
    const tutti_group_ops ops = fake_ops();
    tutti_group_ops unsized = ops, mute = ops;
    const tutti_group_desc good = {
        .size = sizeof good, .ops = &ops, .self = &fake, .rank = 1, .ranks = 2};
    tutti_group_desc bad[7];
    tutti_group *group;
    (void)state;
    unsized.size = 1;
    mute.reduce_max = NULL;
    for (int i = 0; i < 7; i++)
        bad[i] = good;
    bad[0].size = 0;
    bad[1].ops = NULL;
    bad[2].ops = &unsized;
    bad[3].ops = &mute;
    bad[4].rank = 2;
    bad[5].rank = -1;
    bad[6].ranks = 0;
    for (int i = 0; i < 7; i++) {
        group = (tutti_group *)1;
        assert_int_equal(tutti_group_create(&bad[i], &group), TUTTI_ERR_ARGUMENT);
        assert_null(group);
    }
    assert_int_equal(tutti_group_create(NULL, &group), TUTTI_ERR_ARGUMENT);
    assert_int_equal(tutti_group_create(&good, NULL), TUTTI_ERR_ARGUMENT);
    assert_int_equal(fake.releases, 0);
}

static void the_last_release_frees_once(void **state)
{
    struct fake fake = {0};
    tutti_group *group = make_fake(&fake, 3);
    (void)state;
    assert_int_equal(tutti_group_rank(group), 0);
    assert_int_equal(tutti_group_ranks(group), 3);
    tutti_group_retain(group);
    tutti_group_release(group);
    assert_int_equal(fake.releases, 0);
    tutti_group_release(group);
    assert_int_equal(fake.releases, 1);
    assert_false(fake.released_broken);
    tutti_group_release(NULL);
    tutti_group_retain(NULL);
}

static void groups_have_different_ids(void **state)
{
    tutti_group *one = make_serial(), *other = make_serial();
    (void)state;
    assert_true(one->id != other->id);
    const uint64_t id = one->id;
    tutti_group_release(one);
    one = make_serial(); /* likely at the same address */
    assert_true(one->id != id);
    tutti_group_release(one);
    tutti_group_release(other);
}

static void *enter_from_another_thread(void *group)
{
    static int error;
    error = group_enter(group);
    if (!error)
        group_leave(group);
    return &error;
}

static int other_thread_enters(tutti_group *group)
{
    pthread_t thread;
    void *error;
    assert_int_equal(pthread_create(&thread, NULL, enter_from_another_thread, group), 0);
    pthread_join(thread, &error);
    return *(int *)error;
}

static void a_thread_may_nest_calls_and_another_is_busy(void **state)
{
    tutti_group *group = make_serial();
    (void)state;
    assert_int_equal(group_enter(group), TUTTI_SUCCESS);
    assert_int_equal(group_enter(group), TUTTI_SUCCESS);
    assert_int_equal(other_thread_enters(group), TUTTI_ERR_BUSY);
    group_leave(group);
    assert_int_equal(other_thread_enters(group), TUTTI_ERR_BUSY);
    group_leave(group);
    assert_int_equal(other_thread_enters(group), TUTTI_SUCCESS);
    tutti_group_release(group);
}

/* Placement */

static void placement_is(const char *expected, int ranks, const uint32_t *node_of)
{
    struct text text = {0};
    assert_int_equal(placement_text(node_of, ranks, &text), TUTTI_SUCCESS);
    assert_string_equal(text.bytes, expected);
    text_release(&text);
}

static void placements_are_named(void **state)
{
    (void)state;
    placement_is("3", 3, NULL);
    placement_is("1", 1, (uint32_t[]){9});
    placement_is("2", 2, (uint32_t[]){5, 5});
    placement_is("1+1 block", 2, (uint32_t[]){5, 4});
    placement_is("2+2 block", 4, (uint32_t[]){1, 1, 0, 0});
    placement_is("2+2 cyclic", 4, (uint32_t[]){1, 0, 1, 0});
    placement_is("3+1 cyclic", 4, (uint32_t[]){8, 2, 8, 8});
    placement_is("1+3 block", 4, (uint32_t[]){2, 8, 8, 8});
    placement_is("2+2 as 0,1*2,0", 4, (uint32_t[]){7, 3, 3, 7});
    placement_is("1+1+1+1 block", 4, (uint32_t[]){3, 2, 1, 0});
    placement_is("5*1 block", 5, (uint32_t[]){4, 3, 2, 1, 0});
    placement_is("5*1+2 block", 7, (uint32_t[]){4, 3, 2, 1, 0, 9, 9});
    placement_is("2+5*1 cyclic", 7, (uint32_t[]){4, 3, 2, 1, 0, 9, 4});
}

static void a_large_placement_is_short(void **state)
{
    enum { RANKS = 4096 };
    static uint32_t node_of[RANKS];
    (void)state;
    for (uint32_t rank = 0; rank < RANKS; rank++)
        node_of[rank] = rank / 64;
    placement_is("64*64 block", RANKS, node_of);
    for (uint32_t rank = 0; rank < RANKS; rank++)
        node_of[rank] = rank % 64;
    placement_is("64*64 cyclic", RANKS, node_of);
}

/* Operations */

static void a_serial_group_leaves_data_as_it_is_and_counts(void **state)
{
    tutti_group *group = make_serial();
    uint64_t words[3] = {3, UINT64_MAX, 0};
    struct text text = {0}, why = {0};
    (void)state;
    assert_string_equal(group->ops.kind, "serial");
    assert_string_equal(group->placement, "1");
    assert_string_equal(group->transport, "");
    assert_int_equal(group_reduce_max(group, words, 3, "test", &why), TUTTI_SUCCESS);
    assert_true(words[0] == 3 && words[1] == UINT64_MAX && words[2] == 0);
    assert_int_equal(group_broadcast(group, words, sizeof words, 0, "test", &why), TUTTI_SUCCESS);
    assert_int_equal(group_barrier(group, "test", &why), TUTTI_SUCCESS);
    assert_int_equal(group->operations, 3);
    text_add(&text, "hello");
    assert_int_equal(group_broadcast_text(group, &text, 0, "test", &why), TUTTI_SUCCESS);
    assert_string_equal(text.bytes, "hello");
    assert_null(why.bytes);
    text_release(&text);
    tutti_group_release(group);
}

static void half_a_text_is_an_error_of_the_broadcast(void **state)
{
    tutti_group *group = make_serial();
    struct text text = {0}, why = {0};
    (void)state;
    text_add(&text, "half");
    text.failed = true;
    assert_int_equal(group_broadcast_text(group, &text, 0, "the record", &why), TUTTI_ERR_MEMORY);
    assert_non_null(strstr(why.bytes, "the record"));
    text_release(&text);
    text_release(&why);
    tutti_group_release(group);
}

static void a_late_operation_completes(void **state)
{
    struct fake fake = {.looks = 1000};
    tutti_group *group = make_fake(&fake, 4);
    (void)state;
    assert_int_equal(group_barrier(group, "test", NULL), TUTTI_SUCCESS);
    assert_int_equal(fake.operations, 1);
    assert_int_equal(group->broken, 0);
    tutti_group_release(group);
}

static void the_first_looks_do_not_read_the_clock(void **state)
{
    struct fake fake = {.looks = 8};
    tutti_group *group = make_fake(&fake, 4);
    tutti_wait wait;
    (void)state;
    wait_begin(&wait, group, "test");
    for (int look = 0; look < 8; look++)
        assert_true(tutti_wait_more(&wait));
    assert_true(wait.seen == 0);
    for (int look = 0; look < 17; look++) /* the last one reads the clock for the first time */
        assert_true(tutti_wait_more(&wait));
    assert_true(wait.seen > 0);
    tutti_group_release(group);
}

/* A process that was stopped, or starved, can't say that others let it wait. */
static void time_in_which_this_process_did_not_look_does_not_count(void **state)
{
    struct fake fake = {0};
    tutti_group *group = make_fake(&fake, 4);
    tutti_wait wait;
    (void)state;
    group->settings.stall_timeout = 0.3;
    wait_begin(&wait, group, "test");
    for (int look = 0; look < 100; look++)
        assert_true(tutti_wait_more(&wait));
    usleep(400000);
    assert_true(tutti_wait_more(&wait));
    tutti_group_release(group);
}

static void a_stall_names_the_missing_and_breaks_the_group(void **state)
{
    const unsigned char here[4] = {1, 1, 0, 0};
    struct fake fake = {.never = true, .here = here};
    tutti_group *group = make_fake(&fake, 4);
    struct text why = {0}, later = {0};
    (void)state;
    group->settings.stall_timeout = 0.05;
    assert_int_equal(group_barrier(group, "the agreement", &why), TUTTI_ERR_STALL);
    assert_non_null(strstr(why.bytes, "ranks 2, 3 did not come to the agreement within"));
    assert_true(fake.waited >= 0.05 && fake.waited < 60);
    assert_int_equal(fake.presents, 1);
    assert_int_equal(fake.sequence, 1);

    uint64_t word = 0;
    assert_int_equal(group_reduce_max(group, &word, 1, "next", &later), TUTTI_ERR_BROKEN);
    assert_non_null(strstr(later.bytes, "ranks 2, 3 did not come to the agreement"));
    assert_int_equal(group_broadcast(group, &word, 8, 0, "next", NULL), TUTTI_ERR_BROKEN);
    assert_int_equal(group_broadcast_text(group, &later, 0, "next", NULL), TUTTI_ERR_BROKEN);
    assert_int_equal(fake.operations, 1);
    assert_int_equal(group->operations, 1);

    tutti_group_release(group);
    assert_true(fake.released_broken);
    text_release(&why);
    text_release(&later);
}

static void stall_message_is(const char *expected, struct fake *fake, int ranks)
{
    tutti_group *group = make_fake(fake, ranks);
    struct text why = {0};
    fake->never = true;
    group->settings.stall_timeout = 0.01;
    assert_int_equal(group_barrier(group, "step", &why), TUTTI_ERR_STALL);
    if (!strstr(why.bytes, expected))
        fail_msg("\"%s\" is not in \"%s\"", expected, why.bytes);
    text_release(&why);
    tutti_group_release(group);
}

static void a_stall_says_what_is_known(void **state)
{
    unsigned char all[4] = {1, 1, 1, 1}, many[100] = {1};
    (void)state;
    stall_message_is("which ranks are missing is not known", &(struct fake){0}, 4);
    stall_message_is("no rank is missing", &(struct fake){.here = all}, 4);
    stall_message_is("ranks 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16 and 83 more did",
                     &(struct fake){.here = many}, 100);
    all[2] = 0;
    stall_message_is("rank 2 did not come to step within", &(struct fake){.here = all}, 4);
}

static void a_group_without_present_stalls_as_well(void **state)
{
    struct fake fake = {.never = true};
    tutti_group *group = make_fake(&fake, 4);
    (void)state;
    group->ops.present = NULL;
    group->settings.stall_timeout = 0.01;
    assert_int_equal(group_barrier(group, "step", NULL), TUTTI_ERR_STALL);
    tutti_group_release(group);
}

static void a_transport_error_breaks_the_group_and_tells_the_others(void **state)
{
    struct fake fake = {.error = TUTTI_ERR_GROUP};
    tutti_group *group = make_fake(&fake, 4);
    struct text why = {0};
    uint64_t word = 0;
    (void)state;
    assert_int_equal(group_broadcast(group, &word, 8, 0, "the record", &why), TUTTI_ERR_GROUP);
    assert_string_equal(why.bytes, "the transport failed in the record");
    assert_int_equal(fake.presents, 1);
    fake.error = 0;
    assert_int_equal(group_barrier(group, "next", NULL), TUTTI_ERR_BROKEN);
    tutti_group_release(group);
    text_release(&why);
}

static void a_long_wait_warns_once(void **state)
{
    struct fake fake = {.never = true};
    tutti_group *group = make_fake(&fake, 4);
    (void)state;
    group->settings.stall_warn = 0.02;
    group->settings.stall_timeout = 0.1;
    capture_begin();
    group_barrier(group, "the agreement", NULL);
    const char *line = capture_end();
    const char *warning = "tutti: rank 0: warning: the agreement has been waiting for other ranks";
    assert_ptr_equal(strstr(line, warning), line);
    assert_null(strstr(line + 1, "tutti:"));
    tutti_group_release(group);
}

/* Attaching */

static void attaching_reads_the_environment_once(void **state)
{
    tutti_group *group = make_serial();
    (void)state;
    setenv("TUTTI_SAMPLES", "3", 1);
    assert_int_equal(group_attach(group, NULL), TUTTI_SUCCESS);
    assert_int_equal(group->settings.samples, 3);
    const uint64_t operations = group->operations;
    setenv("TUTTI_SAMPLES", "4", 1);
    assert_int_equal(group_attach(group, NULL), TUTTI_SUCCESS);
    assert_int_equal(group->settings.samples, 3);
    assert_int_equal(group->operations, operations);
    unsetenv("TUTTI_SAMPLES");
    tutti_group_release(group);
}

static void a_wrong_setting_fails_the_attach_and_can_be_mended(void **state)
{
    tutti_group *group = make_serial();
    struct text why = {0};
    (void)state;
    setenv("TUTTI_MODE", "sometimes", 1);
    assert_int_equal(group_attach(group, &why), TUTTI_ERR_SETTING);
    assert_non_null(strstr(why.bytes, "TUTTI_MODE=\"sometimes\""));
    assert_false(group->attached);
    setenv("TUTTI_MODE", "off", 1);
    assert_int_equal(group_attach(group, NULL), TUTTI_SUCCESS);
    assert_int_equal(group->settings.mode, MODE_OFF);
    unsetenv("TUTTI_MODE");
    text_release(&why);
    tutti_group_release(group);
}

static void an_unknown_variable_is_logged_when_attaching(void **state)
{
    tutti_group *group = make_serial();
    (void)state;
    setenv("TUTTI_SAMPELS", "4", 1);
    capture_begin();
    assert_int_equal(group_attach(group, NULL), TUTTI_SUCCESS);
    assert_string_equal(capture_end(), "tutti: warning: the environment variable TUTTI_SAMPELS is "
                                       "unknown; did you mean TUTTI_SAMPLES?\n");
    unsetenv("TUTTI_SAMPELS");
    tutti_group_release(group);
}

/* Before the ranks agree, a rank's own environment says how long it waits for them. */
static void an_attach_that_stalls_is_given_up(void **state)
{
    const unsigned char here[3] = {1, 0, 1};
    struct fake fake = {.never = true, .here = here};
    tutti_group *group = make_fake(&fake, 3);
    struct text why = {0};
    (void)state;
    setenv("TUTTI_STALL_TIMEOUT", "0.05", 1);
    assert_int_equal(group_attach(group, &why), TUTTI_ERR_STALL);
    assert_non_null(strstr(why.bytes, "rank 1 did not come to attaching the group"));
    unsetenv("TUTTI_STALL_TIMEOUT");
    text_release(&why);
    tutti_group_release(group);
}

/* The log */

static void the_log_keeps_to_its_level_and_to_one_line(void **state)
{
    static char huge[20000];
    tutti_group *group = make_serial();
    (void)state;
    capture_begin();
    log_root(group, NULL, TUTTI_LOG_INFO, "unwanted");
    log_root(group, NULL, TUTTI_LOG_WARN, "two\nlines");
    log_rank(group, NULL, TUTTI_LOG_ERROR, "%d", 7);
    assert_string_equal(capture_end(), "tutti: warning: two lines\ntutti: rank 0: error: 7\n");

    memset(huge, 'x', sizeof huge - 1);
    group->settings.log_level = TUTTI_LOG_DEBUG;
    capture_begin();
    log_root(group, NULL, TUTTI_LOG_DEBUG, "%s", huge);
    const char *line = capture_end();
    assert_ptr_equal(strstr(line, "tutti: debug: xxx"), line);

    group->rank = 1;
    capture_begin();
    log_root(group, NULL, TUTTI_LOG_ERROR, "not from here");
    assert_string_equal(capture_end(), "");
    tutti_group_release(group);
}

/* What a log function was given last, and how often it was called. */
struct heard {
    int level, count;
    char function[64], sentence[9000];
};

static void hear(int level, const char *function, const char *sentence, void *user)
{
    struct heard *heard = user;
    heard->count++;
    heard->level = level;
    snprintf(heard->function, sizeof heard->function, "%s", function);
    snprintf(heard->sentence, sizeof heard->sentence, "%s", sentence);
}

static void the_log_of_one_group_can_be_taken_over(void **state)
{
    tutti_group *group = make_serial(), *other = make_serial();
    struct heard heard = {0};
    (void)state;
    assert_int_equal(tutti_group_set_log(group, hear, &heard), TUTTI_SUCCESS);
    assert_int_equal(tutti_group_set_log(NULL, hear, &heard), TUTTI_ERR_ARGUMENT);
    capture_begin();
    log_rank(group, "reverse_a2a", TUTTI_LOG_ERROR, "two\nlines of %s", "text");
    log_root(group, NULL, TUTTI_LOG_INFO, "unwanted");
    log_root(other, "other", TUTTI_LOG_WARN, "elsewhere");
    assert_string_equal(capture_end(), "tutti: warning: other: elsewhere\n");
    assert_int_equal(heard.count, 1);
    assert_int_equal(heard.level, TUTTI_LOG_ERROR);
    assert_string_equal(heard.function, "reverse_a2a");
    assert_string_equal(heard.sentence, "two lines of text");

    log_root(group, NULL, TUTTI_LOG_WARN, "of the group");
    assert_int_equal(heard.level, TUTTI_LOG_WARN);
    assert_string_equal(heard.function, "");

    assert_int_equal(tutti_group_set_log(group, NULL, NULL), TUTTI_SUCCESS);
    capture_begin();
    log_root(group, "reverse_a2a", TUTTI_LOG_WARN, "back again");
    assert_string_equal(capture_end(), "tutti: warning: reverse_a2a: back again\n");
    assert_int_equal(heard.count, 2);
    tutti_group_release(group);
    tutti_group_release(other);
}

static void what_attaching_says_reaches_the_log_that_was_taken_over(void **state)
{
    tutti_group *group = make_serial();
    struct heard heard = {0};
    (void)state;
    setenv("TUTTI_SAMPELS", "4", 1);
    tutti_group_set_log(group, hear, &heard);
    capture_begin();
    assert_int_equal(group_attach(group, NULL), TUTTI_SUCCESS);
    assert_string_equal(capture_end(), "");
    unsetenv("TUTTI_SAMPELS");
    assert_int_equal(heard.count, 1);
    assert_int_equal(heard.level, TUTTI_LOG_WARN);
    assert_non_null(strstr(heard.sentence, "TUTTI_SAMPELS is unknown"));
    tutti_group_release(group);
}

/* Nothing is agreed yet, not even the level. */
static void a_wait_before_attaching_reaches_the_log_that_was_taken_over(void **state)
{
    struct fake fake = {.never = true};
    tutti_group *group = make_fake(&fake, 3);
    struct heard heard = {0};
    (void)state;
    setenv("TUTTI_STALL_WARN", "0.02", 1);
    setenv("TUTTI_STALL_TIMEOUT", "0.1", 1);
    tutti_group_set_log(group, hear, &heard);
    capture_begin();
    assert_int_equal(group_attach(group, NULL), TUTTI_ERR_STALL);
    assert_string_equal(capture_end(), "");
    unsetenv("TUTTI_STALL_WARN");
    unsetenv("TUTTI_STALL_TIMEOUT");
    assert_int_equal(heard.count, 1);
    assert_non_null(strstr(heard.sentence, "attaching the group has been waiting for other ranks"));
    tutti_group_release(group);
}

int main(void)
{
    setenv("HOME", "/nowhere", 1); /* or attaching warns where there is none */
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(errors_and_version_have_texts),
        cmocka_unit_test(a_bad_description_is_refused_and_self_stays_the_callers),
        cmocka_unit_test(the_last_release_frees_once),
        cmocka_unit_test(groups_have_different_ids),
        cmocka_unit_test(a_thread_may_nest_calls_and_another_is_busy),
        cmocka_unit_test(placements_are_named),
        cmocka_unit_test(a_large_placement_is_short),
        cmocka_unit_test(a_serial_group_leaves_data_as_it_is_and_counts),
        cmocka_unit_test(half_a_text_is_an_error_of_the_broadcast),
        cmocka_unit_test(a_late_operation_completes),
        cmocka_unit_test(the_first_looks_do_not_read_the_clock),
        cmocka_unit_test(time_in_which_this_process_did_not_look_does_not_count),
        cmocka_unit_test(a_stall_names_the_missing_and_breaks_the_group),
        cmocka_unit_test(a_stall_says_what_is_known),
        cmocka_unit_test(a_group_without_present_stalls_as_well),
        cmocka_unit_test(a_transport_error_breaks_the_group_and_tells_the_others),
        cmocka_unit_test(a_long_wait_warns_once),
        cmocka_unit_test(attaching_reads_the_environment_once),
        cmocka_unit_test(a_wrong_setting_fails_the_attach_and_can_be_mended),
        cmocka_unit_test(an_unknown_variable_is_logged_when_attaching),
        cmocka_unit_test(an_attach_that_stalls_is_given_up),
        cmocka_unit_test(the_log_keeps_to_its_level_and_to_one_line),
        cmocka_unit_test(the_log_of_one_group_can_be_taken_over),
        cmocka_unit_test(what_attaching_says_reaches_the_log_that_was_taken_over),
        cmocka_unit_test(a_wait_before_attaching_reaches_the_log_that_was_taken_over),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
