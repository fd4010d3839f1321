/* Declared buffers: outputs are poisoned and in-outs restored before each run of a search, inputs
 * stay as they were, and nothing of that happens on a hit. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "subject.h"

#define N 64

enum habit { GOOD, DOES_NOTHING, WRITES_HALF, CHANGES_INPUT, FAILS_DIRTY, SAYS_NOTHING_IS_MINUS_1 };

/* out = 2 * in; sum += in. */
struct fixture {
    struct subject subject; /* first: it is the callbacks' user pointer */
    char directory[256];
    int in[N], out[N], sum[N];
    enum habit habits[SUBJECT_SPACE];
    bool verifies;
    const int *read_only;                    /* declared in place of in, and read */
    int declared, declare_status;            /* how often; what the callback returns */
    int poisoned, restored, runs;            /* how runs found their buffers */
    int resets, dirty_resets;                /* resets; those before which a sum was not restored */
    int copies, fills, fail_copy, fail_fill; /* of memory ops; which one fails */
    void *stream;                            /* that memory ops got */
    int odd;                                 /* which mistake the declaration makes */
    tutti_tuner *tuner;
    tutti_group *group;
    struct subject_args args;
};

static void set_data(struct fixture *fixture)
{
    for (int i = 0; i < N; i++) {
        fixture->in[i] = i;
        fixture->out[i] = 12345;
        fixture->sum[i] = 1000;
    }
}

/* ---- the launcher ---- */

static bool is_poisoned(const int *out)
{
    const unsigned char *bytes = (const unsigned char *)out;
    bool poisoned = bytes[0] == 0xfe;
    for (size_t i = 1; i < N * sizeof *out; i++)
        poisoned &= bytes[i] == 0xff;
    return poisoned;
}

static int work(struct subject *subject, void *args, const tutti_context *context)
{
    struct fixture *fixture = (struct fixture *)subject;
    const enum habit habit = fixture->habits[context->configuration];
    const int *in = fixture->read_only ? fixture->read_only : fixture->in;
    const int n = habit == WRITES_HALF ? N / 2 : habit == DOES_NOTHING ? 0 : N;
    (void)args;
    fixture->runs++;
    fixture->poisoned += is_poisoned(fixture->out);
    fixture->restored += fixture->sum[N - 1] == 1000;
    for (int i = 0; i < n; i++) {
        fixture->out[i] = habit == SAYS_NOTHING_IS_MINUS_1 ? -1 : 2 * in[i];
        fixture->sum[i] += in[i];
    }
    if (habit == CHANGES_INPUT)
        fixture->in[7]++;
    if (habit == FAILS_DIRTY && context->purpose == TUTTI_PURPOSE_FINAL)
        return 5;
    return 0;
}

static int verify(void *args, const void *config, const tutti_context *context)
{
    struct fixture *fixture = context->user;
    (void)args;
    (void)config;
    for (int i = 0; i < N && fixture->verifies; i++)
        if (fixture->out[i] != 2 * i || fixture->sum[i] != 1000 + i)
            return TUTTI_VERDICT_WRONG;
    return TUTTI_VERDICT_OK;
}

static int reset(void *args, const void *config, const tutti_context *context)
{
    struct fixture *fixture = context->user;
    (void)args;
    (void)config;
    fixture->resets++;
    fixture->dirty_resets += fixture->sum[N - 1] != 1000 || !is_poisoned(fixture->out);
    return 0;
}

static int declare(tutti_buffers *buffers, void *args, void *user)
{
    struct fixture *fixture = user;
    const int *in = fixture->read_only ? fixture->read_only : fixture->in;
    (void)args;
    fixture->declared++;
    tutti_buffer_in(buffers, "in", in, sizeof fixture->in);
    tutti_buffer_out(buffers, "out", fixture->out, sizeof fixture->out);
    tutti_buffer_inout(buffers, "sum", fixture->sum, sizeof fixture->sum);
    tutti_buffer_out(buffers, "empty", NULL, 0);
    tutti_buffer_in(buffers, "in again", in, sizeof fixture->in); /* both are only read */
    switch (fixture->odd) {
    case 1:
        tutti_buffer_out(buffers, "tail", fixture->sum + N - 1, sizeof(int));
        break;
    case 2:
        tutti_buffer_out(buffers, "nowhere", NULL, 1);
        break;
    case 3:
        tutti_buffer_out(buffers, "", fixture->out, 1);
        break;
    }
    return fixture->declare_status;
}

static tutti_tuner_desc describe(struct fixture *fixture, int policy)
{
    tutti_tuner_desc desc = subject_desc("subject", &fixture->subject);
    desc.policy = policy;
    desc.buffers = declare;
    desc.verify = fixture->verifies ? verify : NULL;
    desc.warmups = 2;
    desc.samples = 3;
    desc.budget_calls = 60;
    return desc;
}

static void open_tuner(struct fixture *fixture, const tutti_tuner_desc *desc)
{
    assert_int_equal(tutti_tuner_create(desc, &fixture->tuner), TUTTI_SUCCESS);
    assert_int_equal(tutti_group_create_serial(&fixture->group), TUTTI_SUCCESS);
}

static void close_tuner(struct fixture *fixture)
{
    tutti_tuner_destroy(fixture->tuner);
    tutti_group_release(fixture->group);
    fixture->tuner = NULL;
    fixture->group = NULL;
}

static void reopen(struct fixture *fixture, int policy)
{
    const tutti_tuner_desc desc = describe(fixture, policy);
    close_tuner(fixture);
    open_tuner(fixture, &desc);
}

static int setup(void **state)
{
    struct fixture *fixture = calloc(1, sizeof *fixture);
    subject_make_directory(fixture->directory);
    subject_use_store(fixture->directory);
    fixture->args = (struct subject_args){.rows = 4096, .dtype = "bf16"};
    fixture->subject.inside = work;
    for (int i = 0; i < SUBJECT_SPACE; i++)
        fixture->subject.seconds[i] = 1 + i;
    set_data(fixture);
    *state = fixture;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *fixture = *state;
    close_tuner(fixture);
    subject_remove_directory(fixture->directory);
    free(fixture);
    return 0;
}

static int call(struct fixture *fixture)
{
    return tutti_call(fixture->tuner, &fixture->args, fixture->group, NULL);
}

static tutti_report report(struct fixture *fixture)
{
    tutti_report result = {.size = sizeof result};
    assert_int_equal(tutti_report_get(fixture->tuner, &fixture->args, fixture->group, &result),
                     TUTTI_SUCCESS);
    return result;
}

static void assert_said(struct fixture *fixture, const char *part)
{
    const char *message = tutti_message(fixture->tuner, fixture->group);
    if (!strstr(message, part))
        fail_msg("\"%s\" does not contain \"%s\"", message, part);
}

/* The data as one run makes them. */
static void assert_run_once(const struct fixture *fixture)
{
    for (int i = 0; i < N; i++) {
        assert_int_equal(fixture->in[i], i);
        assert_int_equal(fixture->out[i], 2 * i);
        assert_int_equal(fixture->sum[i], 1000 + i);
    }
}

static const int policies[] = {TUTTI_POLICY_EXHAUSTIVE, TUTTI_POLICY_RACE};

/* ---- what tutti does ---- */

static void every_run_of_a_search_finds_the_buffers_as_at_first(void **state)
{
    struct fixture *fixture = *state;
    fixture->verifies = true;
    for (int i = 0; i < 2; i++) {
        setenv("TUTTI_ALWAYS_TUNE", "1", 1);
        set_data(fixture);
        fixture->runs = fixture->poisoned = fixture->restored = fixture->declared = 0;
        reopen(fixture, policies[i]);
        assert_int_equal(call(fixture), TUTTI_SUCCESS);
        assert_int_equal(report(fixture).source, TUTTI_SOURCE_SEARCH);
        assert_true(fixture->runs > SUBJECT_SPACE);
        assert_int_equal(fixture->poisoned, fixture->runs);
        assert_int_equal(fixture->restored, fixture->runs);
        assert_int_equal(fixture->declared, 1);
        assert_run_once(fixture); /* the final run's, too */
    }
}

static void nothing_is_done_on_a_hit(void **state)
{
    struct fixture *fixture = *state;
    reopen(fixture, TUTTI_POLICY_EXHAUSTIVE);
    assert_int_equal(call(fixture), TUTTI_SUCCESS);
    int poisoned = fixture->poisoned, declared = fixture->declared;
    assert_int_equal(call(fixture), TUTTI_SUCCESS);
    assert_int_equal(call(fixture), TUTTI_SUCCESS);
    assert_int_equal(fixture->poisoned, poisoned);
    assert_int_equal(fixture->declared, declared);
    assert_int_equal(fixture->sum[9], 1000 + 3 * 9);
}

static void buffers_are_ready_before_the_users_reset(void **state)
{
    struct fixture *fixture = *state;
    tutti_tuner_desc desc = describe(fixture, TUTTI_POLICY_RACE);
    desc.reset = reset;
    open_tuner(fixture, &desc);
    assert_int_equal(call(fixture), TUTTI_SUCCESS);
    assert_int_equal(fixture->resets, fixture->runs);
    assert_int_equal(fixture->dirty_resets, 0);
}

static void an_output_that_nobody_wrote_is_wrong_even_without_verify(void **state)
{
    struct fixture *fixture = *state;
    fixture->habits[0] = DOES_NOTHING; /* the fastest */
    for (int i = 0; i < 2; i++) {
        tutti_tuner_desc desc = describe(fixture, policies[i]);
        desc.warmups = TUTTI_NO_WARMUP; /* there is a run to be judged all the same */
        close_tuner(fixture);
        open_tuner(fixture, &desc);
        setenv("TUTTI_ALWAYS_TUNE", "1", 1);
        assert_int_equal(call(fixture), TUTTI_SUCCESS);
        const tutti_trial trial = report(fixture).trials[0];
        assert_int_equal(trial.status, TUTTI_STATUS_WRONG);
        assert_string_equal(trial.reason, "rank 0: wrong outputs: buffer \"out\" was not written");
        assert_int_equal(report(fixture).configuration, 1);
    }
}

static void an_output_that_is_rightly_like_the_poison_is_not_taken_for_unwritten(void **state)
{
    struct fixture *fixture = *state;
    for (int i = 0; i < SUBJECT_SPACE; i++)
        fixture->habits[i] = SAYS_NOTHING_IS_MINUS_1;
    reopen(fixture, TUTTI_POLICY_EXHAUSTIVE);
    assert_int_equal(call(fixture), TUTTI_SUCCESS);
    assert_int_equal(report(fixture).trials[0].status, TUTTI_STATUS_OK);
}

static void what_a_run_leaves_out_is_not_hidden_by_an_earlier_one(void **state)
{
    struct fixture *fixture = *state;
    fixture->verifies = true;
    fixture->habits[0] = WRITES_HALF;
    for (int i = 0; i < 2; i++) {
        setenv("TUTTI_ALWAYS_TUNE", "1", 1);
        set_data(fixture);
        reopen(fixture, policies[i]);
        assert_int_equal(call(fixture), TUTTI_SUCCESS);
        assert_int_equal(report(fixture).trials[0].status, TUTTI_STATUS_WRONG);
        assert_int_equal(report(fixture).configuration, 1);
    }
}

static void a_run_that_changes_an_input_fails_and_harms_nobody(void **state)
{
    struct fixture *fixture = *state;
    fixture->verifies = true;
    fixture->habits[0] = CHANGES_INPUT;
    for (int i = 0; i < 2; i++) {
        setenv("TUTTI_ALWAYS_TUNE", "1", 1);
        set_data(fixture);
        reopen(fixture, policies[i]);
        assert_int_equal(call(fixture), TUTTI_SUCCESS);
        const tutti_trial trial = report(fixture).trials[0];
        assert_int_equal(trial.status, TUTTI_STATUS_FAILED);
        assert_string_equal(trial.reason,
                            "rank 0: the run changed buffer \"in\", which is declared as in");
        assert_int_equal(trial.launcher_status, 0);
        for (int other = 1; other < SUBJECT_SPACE; other++)
            assert_int_equal(report(fixture).trials[other].status, TUTTI_STATUS_OK);
        assert_run_once(fixture);
    }
}

static void an_input_may_be_in_memory_that_can_not_be_written(void **state)
{
    struct fixture *fixture = *state;
    const size_t size = (size_t)sysconf(_SC_PAGESIZE);
    int *page = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(page != MAP_FAILED);
    memcpy(page, fixture->in, sizeof fixture->in);
    assert_int_equal(mprotect(page, size, PROT_READ), 0);
    fixture->read_only = page;
    reopen(fixture, TUTTI_POLICY_RACE);
    assert_int_equal(tutti_tune(fixture->tuner, &fixture->args, fixture->group, NULL),
                     TUTTI_SUCCESS);
    assert_int_equal(call(fixture), TUTTI_SUCCESS);
    assert_run_once(fixture);
    munmap(page, size);
}

static void without_a_run_of_the_callers_own_the_data_are_as_before(void **state)
{
    struct fixture *fixture = *state;
    reopen(fixture, TUTTI_POLICY_EXHAUSTIVE);
    assert_int_equal(tutti_tune(fixture->tuner, &fixture->args, fixture->group, NULL),
                     TUTTI_SUCCESS);
    for (int i = 0; i < N; i++)
        assert_int_equal(fixture->sum[i], 1000);
    assert_int_equal(call(fixture), TUTTI_SUCCESS);
    assert_run_once(fixture);
}

static void when_all_fail_the_data_are_as_before(void **state)
{
    struct fixture *fixture = *state;
    for (int i = 0; i < SUBJECT_SPACE; i++)
        fixture->habits[i] = CHANGES_INPUT;
    reopen(fixture, TUTTI_POLICY_EXHAUSTIVE);
    assert_int_equal(call(fixture), TUTTI_ERR_FAILED);
    assert_said(fixture, "the run changed buffer \"in\", which is declared as in");
    for (int i = 0; i < N; i++) {
        assert_int_equal(fixture->in[i], i);
        assert_int_equal(fixture->sum[i], 1000);
    }
}

static void a_recorded_winner_that_fails_leaves_nothing_to_the_search_after_it(void **state)
{
    struct fixture *fixture = *state;
    fixture->verifies = true;
    reopen(fixture, TUTTI_POLICY_EXHAUSTIVE);
    assert_int_equal(call(fixture), TUTTI_SUCCESS);
    assert_int_equal(report(fixture).configuration, 0);
    set_data(fixture);
    fixture->habits[0] = FAILS_DIRTY; /* its sums are in already when it says so */
    reopen(fixture, TUTTI_POLICY_EXHAUSTIVE);
    assert_int_equal(call(fixture), TUTTI_SUCCESS);
    assert_int_equal(report(fixture).source, TUTTI_SOURCE_SEARCH);
    assert_int_equal(report(fixture).configuration, 1);
    assert_int_equal(report(fixture).trials[0].launcher_status, 5);
    assert_run_once(fixture);
}

/* ---- mistakes ---- */

static void mistakes_in_the_declaration_are_errors_that_name_the_buffer(void **state)
{
    struct fixture *fixture = *state;
    static const char *const sentences[] = {
        NULL, "rank 0: the declared buffers \"sum\" and \"tail\" overlap",
        "rank 0: the declared buffer \"nowhere\" is NULL",
        "rank 0: the declared buffer \"\" has no name"};
    for (fixture->odd = 1; fixture->odd <= 3; fixture->odd++) {
        reopen(fixture, TUTTI_POLICY_EXHAUSTIVE);
        assert_int_equal(call(fixture), TUTTI_ERR_ARGUMENT);
        assert_said(fixture, sentences[fixture->odd]);
        assert_int_equal(fixture->runs, 0);
    }
    fixture->odd = 0;
    fixture->declare_status = 3;
    reopen(fixture, TUTTI_POLICY_EXHAUSTIVE);
    assert_int_equal(call(fixture), TUTTI_ERR_RUN);
    assert_said(fixture, "rank 0: the buffers callback returned 3");
}

/* ---- memory of a device ---- */

/* What the launcher calls a pointer is one that the processor can't follow. */
#define DEVICE ((uintptr_t)1 << 60)

static void *on_device(void *pointer)
{
    return (void *)((uintptr_t)pointer + DEVICE);
}

static void *translate(const void *pointer)
{
    const uintptr_t address = (uintptr_t)pointer;
    return (void *)(address >= DEVICE ? address - DEVICE : address);
}

static int copy_device(void *self, void *to, const void *from, size_t bytes, void *stream)
{
    struct fixture *fixture = self;
    fixture->stream = stream;
    if (++fixture->copies == fixture->fail_copy)
        return 21;
    memcpy(translate(to), translate(from), bytes);
    return 0;
}

static int fill_device(void *self, void *to, unsigned char byte, size_t bytes, void *stream)
{
    struct fixture *fixture = self;
    fixture->stream = stream;
    if (++fixture->fills == fixture->fail_fill)
        return 22;
    memset(translate(to), byte, bytes);
    return 0;
}

static const tutti_memory_ops device = {
    .size = sizeof device, .copy = copy_device, .fill = fill_device};

static int declare_on_device(tutti_buffers *buffers, void *args, void *user)
{
    struct fixture *fixture = user;
    (void)args;
    tutti_buffer_in(buffers, "in", on_device(fixture->in), sizeof fixture->in);
    tutti_buffer_out(buffers, "out", on_device(fixture->out), sizeof fixture->out);
    tutti_buffer_inout(buffers, "sum", on_device(fixture->sum), sizeof fixture->sum);
    return 0;
}

static void open_on_device(struct fixture *fixture)
{
    tutti_tuner_desc desc = describe(fixture, TUTTI_POLICY_EXHAUSTIVE);
    desc.buffers = declare_on_device;
    desc.memory = &device;
    desc.memory_self = fixture;
    close_tuner(fixture);
    fixture->copies = fixture->fills = 0;
    open_tuner(fixture, &desc);
}

static void buffers_of_a_device_are_reached_by_its_functions_only(void **state)
{
    struct fixture *fixture = *state;
    const tutti_call_options options = {.size = sizeof options, .stream = fixture};
    fixture->verifies = true;
    fixture->habits[0] = CHANGES_INPUT;
    fixture->habits[1] = DOES_NOTHING;
    open_on_device(fixture);
    assert_int_equal(tutti_call(fixture->tuner, &fixture->args, fixture->group, &options),
                     TUTTI_SUCCESS);
    assert_ptr_equal(fixture->stream, fixture);
    assert_int_equal(fixture->poisoned, fixture->runs);
    assert_int_equal(report(fixture).trials[0].status, TUTTI_STATUS_FAILED);
    assert_int_equal(report(fixture).trials[1].status, TUTTI_STATUS_WRONG);
    assert_int_equal(report(fixture).configuration, 2);
    assert_run_once(fixture);
}

static void a_device_that_can_not_be_read_or_written_is_an_error_or_a_failure(void **state)
{
    struct fixture *fixture = *state;
    fixture->fail_copy = 2;
    open_on_device(fixture);
    assert_int_equal(call(fixture), TUTTI_ERR_RUN);
    assert_said(fixture, "rank 0: saving buffer \"sum\" returned 21");
    fixture->fail_copy = 0;
    fixture->fail_fill = 1;
    open_on_device(fixture);
    assert_int_equal(call(fixture), TUTTI_SUCCESS);
    assert_string_equal(report(fixture).trials[0].reason,
                        "rank 0: poisoning buffer \"out\" returned 22");
    fixture->fail_fill = 0;
    fixture->fail_copy = 3;
    setenv("TUTTI_ALWAYS_TUNE", "1", 1);
    open_on_device(fixture);
    assert_int_equal(call(fixture), TUTTI_SUCCESS);
    assert_string_equal(report(fixture).trials[0].reason,
                        "rank 0: restoring buffer \"sum\" returned 21");
}

static void memory_functions_must_be_complete(void **state)
{
    struct fixture *fixture = *state;
    const tutti_memory_ops half = {.size = sizeof half, .copy = copy_device};
    tutti_tuner_desc desc = describe(fixture, TUTTI_POLICY_EXHAUSTIVE);
    char message[64];
    desc.memory = &half;
    desc.message = message;
    desc.message_size = sizeof message;
    assert_int_equal(tutti_tuner_create(&desc, &fixture->tuner), TUTTI_ERR_ARGUMENT);
    assert_string_equal(message, "memory is incomplete");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(every_run_of_a_search_finds_the_buffers_as_at_first),
        TEST(nothing_is_done_on_a_hit),
        TEST(buffers_are_ready_before_the_users_reset),
        TEST(an_output_that_nobody_wrote_is_wrong_even_without_verify),
        TEST(an_output_that_is_rightly_like_the_poison_is_not_taken_for_unwritten),
        TEST(what_a_run_leaves_out_is_not_hidden_by_an_earlier_one),
        TEST(a_run_that_changes_an_input_fails_and_harms_nobody),
        TEST(an_input_may_be_in_memory_that_can_not_be_written),
        TEST(without_a_run_of_the_callers_own_the_data_are_as_before),
        TEST(when_all_fail_the_data_are_as_before),
        TEST(a_recorded_winner_that_fails_leaves_nothing_to_the_search_after_it),
        TEST(mistakes_in_the_declaration_are_errors_that_name_the_buffer),
        TEST(buffers_of_a_device_are_reached_by_its_functions_only),
        TEST(a_device_that_can_not_be_read_or_written_is_an_error_or_a_failure),
        TEST(memory_functions_must_be_complete),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
