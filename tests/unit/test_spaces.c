/* Spaces through the public interface: every form that docs/spaces.md shows, with its code, read
 * back by name, tuned, recorded, and compared between ranks. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <tutti/tutti.h>

#include "subject.h"

enum engine { ENGINE_PUSH, ENGINE_PULL, ENGINE_STAGED };

struct config {
    enum engine engine;
    const char *order;
    struct {
        int rows, columns;
    } tile;
    int slots;
    unsigned mask;
    int64_t threshold;
    double share;
    bool eager;
};

static const tutti_param params[] = {
    TUTTI_CHOICE(struct config, engine, {ENGINE_PUSH, "push"}, {ENGINE_STAGED, "staged"}),
    TUTTI_PARAM_IF(struct config, slots, TUTTI_WHEN(struct config, engine, ENGINE_STAGED), 2, 3, 4),
    TUTTI_PARAM(struct config, order, "ring", "shift"),
    TUTTI_PARAM(struct config, tile.rows, 32, 64),
    TUTTI_PARAM(struct config, mask, 0xffffffffu),
    TUTTI_PARAM(struct config, threshold, INT64_C(1) << 40),
    TUTTI_PARAM(struct config, share, 0.1),
    TUTTI_PARAM(struct config, eager, true),
};

static bool fits(const void *config, void *user)
{
    const struct config *c = config;
    return (size_t)c->tile.rows * (size_t)c->slots <= *(const size_t *)user;
}

static const tutti_param listed[] = {
    TUTTI_CHOICE(struct config, engine, {ENGINE_PUSH, "push"}, {ENGINE_PULL, "pull"}),
    TUTTI_FIELD(struct config, order),
    TUTTI_FIELD(struct config, tile.rows),
};
static const struct config list[] = {
    {.engine = ENGINE_PULL, .order = "ring", .tile.rows = 128},
    {.engine = ENGINE_PUSH, .order = "shift", .tile.rows = 32},
    {.engine = ENGINE_PUSH, .order = "ring", .tile.rows = 64},
};

/* The second configuration is the fastest. Called by every rank: only its arguments change. */
static int run(void *args, const void *config, const tutti_context *context)
{
    (void)config;
    *(double *)args += context->configuration == 1 ? 1 : 2;
    return 0;
}

/* A clock that each thread moves on by what run adds. */
static _Thread_local double now, begin_of_region;

static int run_on_clock(void *args, const void *config, const tutti_context *context)
{
    (void)args;
    return run(&now, config, context);
}

static int start(void *self)
{
    (void)self;
    begin_of_region = now;
    return 0;
}

static int stop(void *self, double *seconds)
{
    (void)self;
    *seconds = now - begin_of_region;
    return 0;
}

static const tutti_timer_ops timer = {
    .size = sizeof timer, .name = "simulated", .start = start, .stop = stop};

static tutti_tuner_desc describe(void)
{
    return (tutti_tuner_desc){.size = sizeof(tutti_tuner_desc),
                              .name = "spaces",
                              .policy = TUTTI_POLICY_EXHAUSTIVE,
                              .params = params,
                              .nparams = sizeof params / sizeof *params,
                              .config_size = sizeof(struct config),
                              .timer = &timer,
                              .run = run_on_clock};
}

static tutti_tuner *create(const tutti_tuner_desc *desc)
{
    tutti_tuner *tuner;
    assert_int_equal(tutti_tuner_create(desc, &tuner), TUTTI_SUCCESS);
    return tuner;
}

static void expect_text(const tutti_tuner *tuner, uint64_t index, const char *expected)
{
    char text[256];
    tutti_configuration_text(tuner, index, text, sizeof text);
    assert_string_equal(text, expected);
}

static void every_form_of_a_parameter_makes_its_configurations(void **state)
{
    (void)state;
    const tutti_tuner_desc desc = describe();
    tutti_tuner *tuner = create(&desc);
    assert_int_equal(tutti_space_size(tuner), (1 + 3) * 2 * 2);
    expect_text(tuner, 0,
                "engine=push, order=ring, tile.rows=32, mask=4294967295, "
                "threshold=1099511627776, share=0.10000000000000001, eager=true");
    expect_text(tuner, 15,
                "engine=staged, slots=4, order=shift, tile.rows=64, mask=4294967295, "
                "threshold=1099511627776, share=0.10000000000000001, eager=true");
    struct config config;
    assert_int_equal(tutti_configuration(tuner, 3, &config), TUTTI_SUCCESS);
    assert_int_equal(config.engine, ENGINE_PUSH);
    assert_int_equal(config.slots, 2); /* does not count: its first value */
    assert_string_equal(config.order, "shift");
    assert_int_equal(config.tile.rows, 64);
    tutti_tuner_destroy(tuner);
}

static void a_constraint_gets_the_users_pointer(void **state)
{
    (void)state;
    size_t room = 128;
    tutti_tuner_desc desc = describe();
    desc.constraint = fits;
    desc.user = &room;
    tutti_tuner *tuner = create(&desc);
    /* 32 x 2, 3, 4 and 64 x 2 fit: push has 2 slots, so 2 x 2; staged 2 x (2 + 1 + 1). */
    assert_int_equal(tutti_space_size(tuner), 4 + 8);
    tutti_tuner_destroy(tuner);
    char message[256];
    room = 1;
    desc.message = message;
    desc.message_size = sizeof message;
    assert_int_equal(tutti_tuner_create(&desc, &tuner), TUTTI_ERR_SPACE);
    assert_string_equal(message, "the constraint removes all of the 16 configurations");
}

static tutti_tuner_desc describe_list(void)
{
    tutti_tuner_desc desc = describe();
    desc.params = listed;
    desc.nparams = sizeof listed / sizeof *listed;
    desc.configurations = list;
    desc.nconfigurations = sizeof list / sizeof *list;
    return desc;
}

static void a_list_of_configurations_is_the_space(void **state)
{
    (void)state;
    tutti_tuner_desc desc = describe_list();
    desc.customary = &list[2];
    tutti_tuner *tuner = create(&desc);
    assert_int_equal(tutti_space_size(tuner), 3);
    expect_text(tuner, 0, "engine=pull, order=ring, tile.rows=128");
    expect_text(tuner, 1, "engine=push, order=shift, tile.rows=32");
    tutti_tuner_destroy(tuner);
}

static void the_table_is_read_by_number(void **state)
{
    (void)state;
    const tutti_tuner_desc desc = describe();
    tutti_tuner *tuner = create(&desc);
    char text[16];
    assert_int_equal(tutti_parameters(tuner), 8);
    assert_string_equal(tutti_parameter_name(tuner, 3), "tile.rows");
    assert_null(tutti_parameter_name(tuner, 8));
    assert_int_equal(tutti_parameter_kind(tuner, 2), TUTTI_KIND_STRING);
    assert_int_equal(tutti_parameter_kind(tuner, 8), 0);
    assert_int_equal(tutti_parameter_values(tuner, 1), 3);
    assert_int_equal(tutti_parameter_values(tuner, 8), 0);
    assert_int_equal(tutti_parameter_text(tuner, 0, 1, text, sizeof text), 6);
    assert_string_equal(text, "staged");
    assert_int_equal(tutti_parameter_text(tuner, 5, 0, text, 5), 13);
    assert_string_equal(text, "1099");
    assert_int_equal(tutti_parameter_text(tuner, 0, 2, text, sizeof text), 0);
    assert_string_equal(text, "");
    assert_int_equal(tutti_parameters(NULL), 0);
    tutti_tuner_destroy(tuner);
}

static void fields_are_read_by_name(void **state)
{
    (void)state;
    const tutti_tuner_desc desc = describe();
    tutti_tuner *tuner = create(&desc);
    struct config config;
    int64_t integer;
    double real;
    bool flag;
    const char *string;
    assert_int_equal(tutti_configuration(tuner, 15, &config), TUTTI_SUCCESS);
    assert_int_equal(tutti_get_integer(tuner, &config, "tile.rows", &integer), TUTTI_SUCCESS);
    assert_int_equal(integer, 64);
    assert_int_equal(tutti_get_integer(tuner, &config, "mask", &integer), TUTTI_SUCCESS);
    assert_true(integer == INT64_C(4294967295));
    assert_int_equal(tutti_get_integer(tuner, &config, "threshold", &integer), TUTTI_SUCCESS);
    assert_true(integer == INT64_C(1) << 40);
    assert_int_equal(tutti_get_integer(tuner, &config, "engine", &integer), TUTTI_SUCCESS);
    assert_int_equal(integer, ENGINE_STAGED);
    assert_int_equal(tutti_get_string(tuner, &config, "engine", &string), TUTTI_SUCCESS);
    assert_string_equal(string, "staged");
    assert_int_equal(tutti_get_string(tuner, &config, "order", &string), TUTTI_SUCCESS);
    assert_string_equal(string, "shift");
    assert_int_equal(tutti_get_double(tuner, &config, "share", &real), TUTTI_SUCCESS);
    assert_true(real >= 0.1 && real <= 0.1);
    assert_int_equal(tutti_get_bool(tuner, &config, "eager", &flag), TUTTI_SUCCESS);
    assert_true(flag);
    tutti_tuner_destroy(tuner);
}

static void a_field_that_is_not_there_or_of_another_kind_is_refused(void **state)
{
    (void)state;
    const tutti_tuner_desc desc = describe();
    tutti_tuner *tuner = create(&desc);
    struct config config = {.engine = ENGINE_PULL}; /* not a value of the table */
    int64_t integer;
    double real;
    bool flag;
    const char *string;
    assert_int_equal(tutti_get_integer(tuner, &config, "tile", &integer), TUTTI_ERR_ARGUMENT);
    assert_int_equal(tutti_get_integer(tuner, &config, "share", &integer), TUTTI_ERR_ARGUMENT);
    assert_int_equal(tutti_get_integer(tuner, &config, "eager", &integer), TUTTI_ERR_ARGUMENT);
    assert_int_equal(tutti_get_integer(tuner, NULL, "mask", &integer), TUTTI_ERR_ARGUMENT);
    assert_int_equal(tutti_get_integer(tuner, &config, NULL, &integer), TUTTI_ERR_ARGUMENT);
    assert_int_equal(tutti_get_integer(NULL, &config, "mask", &integer), TUTTI_ERR_ARGUMENT);
    assert_int_equal(tutti_get_integer(tuner, &config, "mask", NULL), TUTTI_ERR_ARGUMENT);
    assert_int_equal(tutti_get_double(tuner, &config, "mask", &real), TUTTI_ERR_ARGUMENT);
    assert_int_equal(tutti_get_bool(tuner, &config, "mask", &flag), TUTTI_ERR_ARGUMENT);
    assert_int_equal(tutti_get_string(tuner, &config, "mask", &string), TUTTI_ERR_ARGUMENT);
    assert_int_equal(tutti_get_string(tuner, &config, "engine", &string), TUTTI_ERR_ARGUMENT);
    tutti_tuner_destroy(tuner);
}

/* ---- tuning ---- */

static void expect_best(const tutti_tuner_desc *desc, int source, const char *order)
{
    tutti_tuner *tuner = create(desc);
    tutti_group *group;
    tutti_report report = {.size = sizeof report};
    double unused = 0;
    assert_int_equal(tutti_group_create_serial(&group), TUTTI_SUCCESS);
    assert_int_equal(tutti_call(tuner, &unused, group, NULL), TUTTI_SUCCESS);
    assert_int_equal(tutti_report_get(tuner, &unused, group, &report), TUTTI_SUCCESS);
    assert_int_equal(report.source, source);
    assert_int_equal(report.configuration, 1);
    assert_string_equal(((const struct config *)report.config)->order, order);
    tutti_group_release(group);
    tutti_tuner_destroy(tuner);
}

static void a_record_is_found_again_by_an_equal_space_only(void **state)
{
    (void)state;
    char directory[256];
    subject_make_directory(directory);
    subject_use_store(directory);
    size_t room = 192;
    tutti_tuner_desc desc = describe_list(), other = describe();
    other.constraint = fits;
    other.user = &room;
    expect_best(&desc, TUTTI_SOURCE_SEARCH, "shift");
    expect_best(&desc, TUTTI_SOURCE_RECORD, "shift");
    expect_best(&other, TUTTI_SOURCE_SEARCH, "ring");
    expect_best(&other, TUTTI_SOURCE_RECORD, "ring");
    room = 128; /* the constraint keeps others: another space */
    expect_best(&other, TUTTI_SOURCE_SEARCH, "ring");
    desc.nconfigurations = 2;
    expect_best(&desc, TUTTI_SOURCE_SEARCH, "shift");
    subject_remove_directory(directory);
}

static void expect_forced(const char *setting, const char *start)
{
    const tutti_tuner_desc desc = describe();
    tutti_tuner *tuner = create(&desc);
    tutti_group *group;
    tutti_report report = {.size = sizeof report};
    char text[256];
    double unused = 0;
    setenv("TUTTI_FORCE", setting, 1);
    assert_int_equal(tutti_group_create_serial(&group), TUTTI_SUCCESS);
    assert_int_equal(tutti_call(tuner, &unused, group, NULL), TUTTI_SUCCESS);
    assert_int_equal(tutti_report_get(tuner, &unused, group, &report), TUTTI_SUCCESS);
    tutti_configuration_text(tuner, report.configuration, text, sizeof text);
    text[strlen(start)] = '\0';
    assert_string_equal(text, start);
    unsetenv("TUTTI_FORCE");
    tutti_group_release(group);
    tutti_tuner_destroy(tuner);
}

static void a_knob_that_is_forced_by_name_counts(void **state)
{
    (void)state;
    char directory[256];
    subject_make_directory(directory);
    subject_use_store(directory);
    expect_forced("spaces:order=shift", "engine=push, order=shift, tile.rows=32");
    expect_forced("spaces:tile.rows=64,engine=staged",
                  "engine=staged, slots=2, order=ring, tile.r");
    expect_forced("spaces:slots=2", "engine=staged, slots=2, order=ring, tile.rows=32");
    subject_remove_directory(directory);
}

static void what_a_list_leaves_out_can_not_be_forced_and_the_error_says_why(void **state)
{
    (void)state;
    static const char leaves[] = ": its constraint or list leaves ";
    const tutti_tuner_desc desc = describe_list();
    tutti_tuner *tuner = create(&desc);
    tutti_group *group;
    struct config config = list[0];
    const tutti_call_options options = {.size = sizeof options, .force = &config};
    double unused = 0;
    config.order = list[1].order; /* each of the values is allowed, but not together */
    assert_int_equal(tutti_group_create_serial(&group), TUTTI_SUCCESS);
    assert_int_equal(tutti_call(tuner, &unused, group, &options), TUTTI_ERR_ARGUMENT);
    assert_non_null(strstr(tutti_message(tuner, group), leaves));
    tutti_group_release(group);
    tutti_tuner_destroy(tuner);
}

struct rank {
    tutti_group *group;
    size_t room;
    int status;
    char message[512];
};

static void *call_with_room(void *argument)
{
    struct rank *rank = argument;
    tutti_tuner_desc desc = describe();
    double unused = 0;
    tutti_tuner *tuner = NULL;
    desc.constraint = fits;
    desc.user = &rank->room;
    rank->status = tutti_tuner_create(&desc, &tuner);
    if (rank->status == TUTTI_SUCCESS)
        rank->status = tutti_call(tuner, &unused, rank->group, NULL);
    if (tuner)
        strncat(rank->message, tutti_message(tuner, rank->group), sizeof rank->message - 1);
    tutti_tuner_destroy(tuner);
    tutti_group_release(rank->group);
    return NULL;
}

static void ranks_whose_constraints_keep_others_disagree_in_the_space(void **state)
{
    (void)state;
    char directory[256];
    subject_make_directory(directory);
    subject_use_store(directory);
    enum { RANKS = 3 };
    tutti_group *groups[RANKS];
    struct rank ranks[RANKS] = {{.room = 128}, {.room = 192}, {.room = 128}};
    pthread_t threads[RANKS];
    assert_int_equal(tutti_group_create_threads(RANKS, groups), TUTTI_SUCCESS);
    for (int i = 0; i < RANKS; i++) {
        ranks[i].group = groups[i];
        assert_int_equal(pthread_create(&threads[i], NULL, call_with_room, &ranks[i]), 0);
    }
    for (int i = 0; i < RANKS; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < RANKS; i++) {
        assert_int_equal(ranks[i].status, TUTTI_ERR_DISAGREE);
        assert_non_null(strstr(ranks[i].message, "the ranks disagree in the space"));
        assert_string_equal(ranks[i].message, ranks[0].message);
    }
    subject_remove_directory(directory);
}

static void the_sampling_strategies_work_on_subsets(void **state)
{
    (void)state;
    char directory[256];
    subject_make_directory(directory);
    subject_use_store(directory);
    size_t room = 192;
    static const int policies[] = {TUTTI_POLICY_RACE, TUTTI_POLICY_RANDOM,
                                   TUTTI_POLICY_NEIGHBOURHOOD, TUTTI_POLICY_HALVING};
    setenv("TUTTI_ALWAYS_TUNE", "1", 1);
    for (size_t i = 0; i < sizeof policies / sizeof *policies; i++) {
        tutti_tuner_desc desc = describe();
        desc.constraint = fits;
        desc.user = &room;
        desc.policy = policies[i];
        expect_best(&desc, TUTTI_SOURCE_SEARCH, "ring");
    }
    unsetenv("TUTTI_ALWAYS_TUNE");
    subject_remove_directory(directory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_form_of_a_parameter_makes_its_configurations),
        cmocka_unit_test(a_constraint_gets_the_users_pointer),
        cmocka_unit_test(a_list_of_configurations_is_the_space),
        cmocka_unit_test(the_table_is_read_by_number),
        cmocka_unit_test(fields_are_read_by_name),
        cmocka_unit_test(a_field_that_is_not_there_or_of_another_kind_is_refused),
        cmocka_unit_test(a_record_is_found_again_by_an_equal_space_only),
        cmocka_unit_test(a_knob_that_is_forced_by_name_counts),
        cmocka_unit_test(what_a_list_leaves_out_can_not_be_forced_and_the_error_says_why),
        cmocka_unit_test(ranks_whose_constraints_keep_others_disagree_in_the_space),
        cmocka_unit_test(the_sampling_strategies_work_on_subsets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
