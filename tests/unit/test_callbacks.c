/* The optional callbacks of a tuner, in their order: setup, prepare, reset, run, verify, release,
 * teardown; what they refuse or find; and the launcher's own words. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "subject.h"

/* What the launcher does, by configuration; a run adds 1 to value, from where reset put it. */
struct state {
    struct subject subject; /* first: the callbacks of subject.h see it */
    char trace[4096];
    bool traced;
    int setup_status;
    int prepare_status[SUBJECT_SPACE], reset_status[SUBJECT_SPACE], verdict[SUBJECT_SPACE];
    int value, held, released, prepared;
    bool corrupts, does_nothing[SUBJECT_SPACE];
    void *seen_slot;
};

struct fixture {
    char directory[256];
    struct state state;
    tutti_tuner *tuner;
    tutti_group *group;
    struct subject_args args;
};

static void note(struct state *state, char what)
{
    size_t length = strlen(state->trace);
    if (state->traced && length + 1 < sizeof state->trace)
        state->trace[length] = what;
}

static int setup_search(void *args, const tutti_context *context)
{
    struct state *state = context->user;
    (void)args;
    note(state, 'S');
    if (state->setup_status)
        snprintf(context->message, context->message_size, "no scratch");
    return state->setup_status;
}

static void teardown_search(void *args, const tutti_context *context)
{
    (void)args;
    note(context->user, 'T');
}

static int prepare(void *args, const void *config, const tutti_context *context)
{
    struct state *state = context->user;
    int status = state->prepare_status[context->configuration];
    (void)args;
    (void)config;
    note(state, 'p');
    if (status) {
        snprintf(context->message, context->message_size, "too little memory");
        return status;
    }
    state->held++;
    state->prepared++;
    *context->slot = &state->prepare_status[context->configuration];
    return 0;
}

static void release(void *args, const void *config, const tutti_context *context)
{
    struct state *state = context->user;
    (void)args;
    (void)config;
    note(state, 'q');
    state->held--;
    state->released++;
    assert_ptr_equal(*context->slot, &state->prepare_status[context->configuration]);
}

static int reset(void *args, const void *config, const tutti_context *context)
{
    struct state *state = context->user;
    (void)args;
    (void)config;
    note(state, 'r');
    state->value = 100;
    return state->reset_status[context->configuration];
}

static int run(void *args, const void *config, const tutti_context *context)
{
    struct state *state = context->user;
    note(state, context->purpose == TUTTI_PURPOSE_WARMUP   ? 'w'
                : context->purpose == TUTTI_PURPOSE_SAMPLE ? 's'
                                                           : 'F');
    if (!state->does_nothing[context->configuration])
        state->value += 1;
    state->seen_slot = context->slot ? *context->slot : NULL;
    return subject_run(args, config, context);
}

static int verify(void *args, const void *config, const tutti_context *context)
{
    struct state *state = context->user;
    (void)args;
    (void)config;
    note(state, 'v');
    if (state->verdict[context->configuration])
        return state->verdict[context->configuration];
    if (state->value == 101)
        return TUTTI_VERDICT_OK;
    snprintf(context->message, context->message_size, "value is %d, not 101", state->value);
    return TUTTI_VERDICT_WRONG;
}

static tutti_tuner_desc full_desc(struct fixture *fixture, int policy)
{
    tutti_tuner_desc desc = subject_desc("subject", &fixture->state.subject);
    desc.policy = policy;
    desc.setup = setup_search;
    desc.teardown = teardown_search;
    desc.prepare = prepare;
    desc.release = release;
    desc.reset = reset;
    desc.run = run;
    desc.verify = verify;
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
}

static int setup_for(void **state, int policy)
{
    struct fixture *fixture = calloc(1, sizeof *fixture);
    subject_make_directory(fixture->directory);
    subject_use_store(fixture->directory);
    fixture->args = (struct subject_args){.rows = 4096, .dtype = "bf16"};
    for (int i = 0; i < SUBJECT_SPACE; i++)
        fixture->state.subject.seconds[i] = 1 + i;
    fixture->state.subject.seconds[3] = 0.75;
    tutti_tuner_desc desc = full_desc(fixture, policy);
    open_tuner(fixture, &desc);
    *state = fixture;
    return 0;
}

static int setup_exhaustive(void **state)
{
    return setup_for(state, TUTTI_POLICY_EXHAUSTIVE);
}

static int setup_race(void **state)
{
    return setup_for(state, TUTTI_POLICY_RACE);
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

static void assert_contains(const char *text, const char *part)
{
    if (!strstr(text, part))
        fail_msg("\"%s\" does not contain \"%s\"", text, part);
}

static void callbacks_come_in_their_order(void **state)
{
    struct fixture *fixture = *state;
    tutti_tuner_desc desc = full_desc(fixture, TUTTI_POLICY_EXHAUSTIVE);
    desc.warmups = 2;
    desc.samples = 3;
    close_tuner(fixture);
    open_tuner(fixture, &desc);
    for (int i = 1; i < SUBJECT_SPACE; i++)
        fixture->state.subject.pruned[i] = i != 3;
    fixture->state.traced = true;
    assert_int_equal(call(fixture), TUTTI_SUCCESS);
    assert_string_equal(fixture->state.trace, "S"
                                              "prwvrwrsrsrsq"
                                              "prwvrwrsrsrsq"
                                              "T"
                                              "prF");
    fixture->state.trace[0] = '\0';
    memset(fixture->state.trace, 0, sizeof fixture->state.trace);
    assert_int_equal(call(fixture), TUTTI_SUCCESS);
    assert_string_equal(fixture->state.trace, "F"); /* a hit only runs */
}

static void what_prepare_acquired_is_there_for_every_run_and_released_once(void **state)
{
    struct fixture *fixture = *state;
    assert_int_equal(call(fixture), TUTTI_SUCCESS);
    assert_ptr_equal(fixture->state.seen_slot, &fixture->state.prepare_status[3]);
    fixture->state.seen_slot = NULL;
    assert_int_equal(call(fixture), TUTTI_SUCCESS);
    assert_ptr_equal(fixture->state.seen_slot, &fixture->state.prepare_status[3]);
    tutti_bound bound = {.size = sizeof bound};
    assert_int_equal(tutti_bind(fixture->tuner, &fixture->args, fixture->group, &bound),
                     TUTTI_SUCCESS);
    fixture->state.seen_slot = NULL;
    assert_int_equal(tutti_bound_launch(&bound, &fixture->args), 0);
    assert_ptr_equal(fixture->state.seen_slot, &fixture->state.prepare_status[3]);
    assert_int_equal(fixture->state.held, 1); /* the winner stays prepared */
    tutti_tuner_desc desc = full_desc(fixture, TUTTI_POLICY_EXHAUSTIVE);
    close_tuner(fixture);
    assert_int_equal(fixture->state.held, 0);
    assert_int_equal(fixture->state.prepared, fixture->state.released);
    open_tuner(fixture, &desc);
}

static void a_configuration_that_prepare_refuses_is_never_run(void **state)
{
    struct fixture *fixture = *state;
    fixture->state.prepare_status[3] = 12;
    assert_int_equal(call(fixture), TUTTI_SUCCESS);
    tutti_report result = report(fixture);
    assert_int_equal(result.configuration, 0);
    assert_int_equal(result.trials[3].status, TUTTI_STATUS_FAILED);
    assert_string_equal(result.trials[3].reason, "rank 0: prepare returned 12: too little memory");
}

static void wrong_outputs_never_win_however_fast(void **state)
{
    struct fixture *fixture = *state;
    fixture->state.does_nothing[3] = true;
    assert_int_equal(call(fixture), TUTTI_SUCCESS);
    tutti_report result = report(fixture);
    assert_int_equal(result.configuration, 0);
    assert_int_equal(result.trials[3].status, TUTTI_STATUS_WRONG);
    assert_string_equal(result.trials[3].reason, "rank 0: wrong outputs: value is 100, not 101");
    close_tuner(fixture); /* and the record says so, too */
    tutti_tuner_desc desc = full_desc(fixture, TUTTI_POLICY_EXHAUSTIVE);
    desc.policy = result.policy;
    open_tuner(fixture, &desc);
    assert_int_equal(call(fixture), TUTTI_SUCCESS);
    result = report(fixture);
    assert_int_equal(result.source, TUTTI_SOURCE_RECORD);
    assert_int_equal(result.trials[3].status, TUTTI_STATUS_WRONG);
}

static void a_reference_that_fails_is_said_to_and_condemns_nobody(void **state)
{
    struct fixture *fixture = *state;
    fixture->state.verdict[0] = TUTTI_VERDICT_REFERENCE_FAILED;
    assert_int_equal(call(fixture), TUTTI_ERR_REFERENCE);
    assert_contains(tutti_message(fixture->tuner, fixture->group),
                    "block=16, depth=1 can't be judged: rank 0: verify returned 2");
    assert_int_equal(subject_count_files(fixture->directory, NULL), 0);
    fixture->state.verdict[0] = 0;
    assert_int_equal(call(fixture), TUTTI_SUCCESS);
    assert_int_equal(report(fixture).configuration, 3);
}

static void a_reset_that_fails_fails_its_configuration_only(void **state)
{
    struct fixture *fixture = *state;
    fixture->state.reset_status[3] = 4;
    assert_int_equal(call(fixture), TUTTI_SUCCESS);
    assert_string_equal(report(fixture).trials[3].reason, "rank 0: reset returned 4");
    assert_int_equal(report(fixture).trials[4].status, TUTTI_STATUS_OK);
}

static void a_setup_that_fails_is_the_calls_error(void **state)
{
    struct fixture *fixture = *state;
    fixture->state.setup_status = 8;
    assert_int_equal(call(fixture), TUTTI_ERR_RUN);
    assert_string_equal(tutti_message(fixture->tuner, fixture->group),
                        "rank 0: setup returned 8: no scratch");
    assert_int_equal(fixture->state.subject.runs, 0);
}

static void nothing_is_left_prepared_when_all_fail(void **state)
{
    struct fixture *fixture = *state;
    for (int i = 0; i < SUBJECT_SPACE; i++)
        fixture->state.subject.fail_status[i] = 1;
    assert_int_equal(call(fixture), TUTTI_ERR_FAILED);
    assert_int_equal(fixture->state.held, 0);
}

static void a_hopelessly_slow_configuration_costs_two_runs(void **state)
{
    struct fixture *fixture = *state;
    fixture->state.subject.seconds[5] = 1000;
    assert_int_equal(call(fixture), TUTTI_SUCCESS);
    tutti_report result = report(fixture);
    assert_int_equal(result.trials[5].status, TUTTI_STATUS_SLOW);
    assert_string_equal(result.trials[5].reason,
                        "the faster of two runs took 1000 s, the best so far takes 750 ms");
    assert_int_equal(result.search_calls, 5 * 15 + 2);
}

/* The first call of a configuration may pay for what no other will. */
static int first_call_takes_long(struct subject *subject, void *args, const tutti_context *context)
{
    static bool called;
    (void)args;
    if (context->configuration == 3 && !called) {
        called = true;
        subject->now += 1000;
    }
    return 0;
}

static void a_slow_first_call_does_not_condemn(void **state)
{
    struct fixture *fixture = *state;
    fixture->state.subject.inside = first_call_takes_long;
    assert_int_equal(call(fixture), TUTTI_SUCCESS);
    assert_int_equal(report(fixture).configuration, 3);
}

#define EXHAUSTIVE(name) cmocka_unit_test_setup_teardown(name, setup_exhaustive, teardown)
#define RACE(name)                                                                                 \
    {                                                                                              \
        "race: " #name, name, setup_race, teardown, NULL                                           \
    }

int main(void)
{
    const struct CMUnitTest tests[] = {
        EXHAUSTIVE(callbacks_come_in_their_order),
        EXHAUSTIVE(what_prepare_acquired_is_there_for_every_run_and_released_once),
        EXHAUSTIVE(a_configuration_that_prepare_refuses_is_never_run),
        EXHAUSTIVE(wrong_outputs_never_win_however_fast),
        EXHAUSTIVE(a_reference_that_fails_is_said_to_and_condemns_nobody),
        EXHAUSTIVE(a_reset_that_fails_fails_its_configuration_only),
        EXHAUSTIVE(a_setup_that_fails_is_the_calls_error),
        EXHAUSTIVE(nothing_is_left_prepared_when_all_fail),
        EXHAUSTIVE(a_hopelessly_slow_configuration_costs_two_runs),
        EXHAUSTIVE(a_slow_first_call_does_not_condemn),
        RACE(what_prepare_acquired_is_there_for_every_run_and_released_once),
        RACE(a_configuration_that_prepare_refuses_is_never_run),
        RACE(wrong_outputs_never_win_however_fast),
        RACE(a_reference_that_fails_is_said_to_and_condemns_nobody),
        RACE(a_reset_that_fails_fails_its_configuration_only),
        RACE(a_setup_that_fails_is_the_calls_error),
        RACE(nothing_is_left_prepared_when_all_fail),
        RACE(a_slow_first_call_does_not_condemn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
