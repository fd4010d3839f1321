/* Records of spaces with strings, named choices, conditions and a subset: what identities hold of
 * them, and what is not taken for such a record. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <tutti/store.h>

#include "../fuzz/sample.h"

static struct sample sample;
static struct text json;

static int setup(void **state)
{
    (void)state;
    struct outcome outcome;
    sample_init_rich(&sample);
    assert_int_equal(outcome_init(&outcome, sample.space.size), TUTTI_SUCCESS);
    for (uint64_t i = 0; i < sample.space.size; i++)
        outcome.trials[i] = (tutti_trial){
            .status = TUTTI_STATUS_OK, .seconds = 1e-3 / (double)(1 + i), .reason = ""};
    outcome.winner = sample.space.size - 1;
    outcome.samples = 1;
    const int status = record_encode(&sample.identity, &outcome, &json);
    outcome_release(&outcome);
    return status;
}

static int teardown(void **state)
{
    (void)state;
    text_release(&json);
    sample_release(&sample);
    return 0;
}

static void expect_written(const char *part)
{
    if (!strstr(json.bytes, part))
        fail_msg("%s is not in\n%s", part, json.bytes);
}

static void expect(const struct identity *identity, const char *bytes, enum record_verdict verdict,
                   const char *reason)
{
    struct outcome outcome = {0};
    struct text why = {0};
    text_add(&why, "%s", "");
    const enum record_verdict found = record_decode(bytes, strlen(bytes), identity, &outcome, &why);
    if (found != verdict || !strstr(why.bytes, reason))
        fail_msg("verdict %d, \"%s\" instead of %d, \"%s\"", found, why.bytes, verdict, reason);
    outcome_release(&outcome);
    text_release(&why);
}

static void expect_edited(const char *from, const char *to, enum record_verdict verdict,
                          const char *reason)
{
    struct text edited = {0};
    expect_written(from);
    const char *at = strstr(json.bytes, from);
    text_add(&edited, "%.*s%s%s", (int)(at - json.bytes), json.bytes, to, at + strlen(from));
    expect(&sample.identity, edited.bytes, verdict, reason);
    text_release(&edited);
}

static void names_conditions_and_the_subset_are_written(void **state)
{
    (void)state;
    expect_written("{\"name\": \"engine\", \"kind\": \"choice\", \"values\": [\"push\", \"pull\", "
                   "\"staged\"]}");
    expect_written("{\"name\": \"order\", \"kind\": \"string\", \"values\": [\"ring\", \"shift, "
                   "then \\\"ring\\\"\"]}");
    expect_written("\"values\": [2, 4], \"when\": {\"parameter\": \"engine\", \"values\": "
                   "[\"staged\"]}}");
    expect_written("\"subset\": {\n      \"configurations\": 7,\n      \"hash\": \"");
    expect_written("\"config\": {\"engine\": \"push\", \"order\": \"ring\"}}");
    expect_written("\"config\": {\"engine\": \"staged\", \"order\": \"ring\", \"buffer_num\": 4}}");
    expect(&sample.identity, json.bytes, RECORD_APPLIES, "");
}

/* The hash as docs/record-format.md says: 7 times 3 places in 84 bytes. */
static void the_hash_of_a_subset_is_the_one_of_the_format(void **state)
{
    (void)state;
    expect_written("\"hash\": \"642948914ddd4f8c2b8fcbc4cb93a0bc\"");
}

static void a_space_with_other_conditions_or_members_does_not_take_the_record(void **state)
{
    (void)state;
    expect_edited("[\"push\", \"pull\", \"staged\"]", "[\"push\", \"get\", \"staged\"]",
                  RECORD_FOREIGN, "space.engine.values was [\"push\", \"get\", \"staged\"]");
    expect_edited("\"kind\": \"choice\"", "\"kind\": \"string\"", RECORD_FOREIGN,
                  "space.engine.kind was \"string\", is \"choice\"");
    expect_edited(", \"when\": {\"parameter\": \"engine\", \"values\": [\"staged\"]}", "",
                  RECORD_FOREIGN, "space.buffer_num.when was absent, is {\"parameter\"");
    expect_edited("\"values\": [\"staged\"]", "\"values\": [\"push\"]", RECORD_FOREIGN,
                  "space.buffer_num.when.values was [\"push\"], is [\"staged\"]");
    expect_edited("\"hash\": \"", "\"hash\": \"0", RECORD_FOREIGN, "subset.hash was \"0");
    expect_edited("\"configurations\": 7", "\"configurations\": 8", RECORD_FOREIGN,
                  "subset.configurations was 8, is 7");
    struct sample plain;
    sample_init(&plain);
    expect(&plain.identity, json.bytes, RECORD_FOREIGN, "space was");
    sample_release(&plain);
}

static void the_same_parameters_with_another_subset_have_another_name(void **state)
{
    (void)state;
    char name[33], other[33];
    struct space whole = sample.space;
    struct identity identity = sample.identity;
    identity.space = &whole;
    assert_true(record_name(&sample.identity, name));
    strcpy(whole.subset, "");
    assert_true(record_name(&identity, other));
    assert_string_not_equal(name, other);
    expect(&identity, json.bytes, RECORD_FOREIGN, "subset was {");
}

static void what_is_no_condition_or_subset_is_corrupt(void **state)
{
    (void)state;
    static const struct {
        const char *from, *to, *reason;
    } edits[] = {
        {"[\"push\", \"pull\", \"staged\"]", "[\"push\", 2, \"staged\"]",
         "identity.space[0].values[1] is not a string"},
        {"\"when\": {\"parameter\": \"engine\", \"values\": [\"staged\"]}", "\"when\": null",
         "identity.space[2].when is not an object"},
        {"\"parameter\": \"engine\"", "\"parameter\": 3",
         "identity.space[2].when.parameter is not a string"},
        {"\"values\": [\"staged\"]", "\"values\": \"staged\"",
         "identity.space[2].when.values is not an array"},
        {"\"configurations\": 7", "\"configurations\": 0",
         "identity.subset.configurations is 0, outside 1"},
        {"\"hash\": \"", "\"hash\": 5, \"none\": \"", "identity.subset.hash is not a string"},
        {"\"config\": {\"engine\": \"push\"", "\"config\": {\"engine\": \"pull\"",
         "config is not configuration 0"},
        {"\"config\": {\"engine\": \"push\"", "\"config\": {\"engine\": 1",
         "config is not configuration 0"},
        {"\"order\": \"ring\"}}", "\"order\": \"ring\", \"buffer_num\": 2}}",
         "config is not configuration 0"},
    };
    for (size_t i = 0; i < sizeof edits / sizeof edits[0]; i++)
        expect_edited(edits[i].from, edits[i].to, RECORD_CORRUPT, edits[i].reason);
}

/* ---- without the program ---- */

static void expect_shown(const tutti_record *record, uint64_t configuration, const char *expected)
{
    char text[128];
    tutti_record_configuration_text(record, configuration, text, sizeof text);
    assert_string_equal(text, expected);
}

static void a_record_of_a_subset_is_read_without_its_program(void **state)
{
    (void)state;
    tutti_record *record;
    char message[256], text[16];
    if (tutti_record_parse(json.bytes, json.length, &record, message, sizeof message))
        fail_msg("%s", message);
    expect_shown(record, 0, "engine=push, order=ring");
    expect_shown(record, 5, "engine=staged, order=\"shift, then \\\"ring\\\"\", buffer_num=2");
    expect_shown(record, 7, "");
    assert_int_equal(tutti_record_value_text(record, 6, 2, text, sizeof text), 1);
    assert_string_equal(text, "4");
    assert_int_equal(tutti_record_value_text(record, 0, 2, text, sizeof text), 0);
    tutti_record_destroy(record);
}

/* As written, but for one configuration that was never run: nothing tells what it is. */
static void what_a_record_of_a_subset_does_not_tell_is_not_made_up(void **state)
{
    (void)state;
    struct text edited = {0};
    tutti_record *record;
    char message[256];
    const char *entry = strstr(json.bytes, "    {\"index\": 3,"), *next = strchr(entry, '\n') + 1;
    const char *pruned = strstr(json.bytes, "\"pruned\": 0");
    text_add(&edited, "%.*s\"pruned\": 1%.*s%s", (int)(pruned - json.bytes), json.bytes,
             (int)(entry - pruned - 11), pruned + 11, next);
    if (tutti_record_parse(edited.bytes, edited.length, &record, message, sizeof message))
        fail_msg("%s", message);
    expect_shown(record, 2, "engine=pull, order=ring");
    expect_shown(record, 3, "");
    tutti_record_destroy(record);
    text_release(&edited);
}

static void expect_contradiction(const char *from, const char *to, const char *reason)
{
    struct text edited = {0};
    tutti_record *record;
    char message[256];
    const char *at = strstr(json.bytes, from);
    assert_non_null(at);
    text_add(&edited, "%.*s%s%s", (int)(at - json.bytes), json.bytes, to, at + strlen(from));
    assert_int_equal(
        tutti_record_parse(edited.bytes, edited.length, &record, message, sizeof message),
        TUTTI_ERR_RECORD);
    if (!strstr(message, reason))
        fail_msg("\"%s\" does not contain \"%s\"", message, reason);
    text_release(&edited);
}

static void a_record_that_contradicts_its_own_space_is_corrupt(void **state)
{
    (void)state;
    expect_contradiction("\"hash\": \"6", "\"hash\": \"7", "hash is not the one of the conf");
    expect_contradiction("\"parameter\": \"engine\"", "\"parameter\": \"share\"",
                         "identity.space[2].when.parameter is not an earlier one");
    expect_contradiction("\"values\": [\"staged\"]", "\"values\": [\"copied\"]",
                         "which is not one of its values");
    expect_contradiction("\"values\": [\"staged\"]", "\"values\": [true]",
                         "identity.space[2].when.values[0] does not fit its kind");
    expect_contradiction("\"config\": {\"engine\": \"push\"", "\"config\": {\"engine\": \"put\"",
                         "configurations[0].config is not configuration 0");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_conditions_and_the_subset_are_written),
        cmocka_unit_test(the_hash_of_a_subset_is_the_one_of_the_format),
        cmocka_unit_test(a_space_with_other_conditions_or_members_does_not_take_the_record),
        cmocka_unit_test(the_same_parameters_with_another_subset_have_another_name),
        cmocka_unit_test(what_is_no_condition_or_subset_is_corrupt),
        cmocka_unit_test(a_record_of_a_subset_is_read_without_its_program),
        cmocka_unit_test(what_a_record_of_a_subset_does_not_tell_is_not_made_up),
        cmocka_unit_test(a_record_that_contradicts_its_own_space_is_corrupt),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
