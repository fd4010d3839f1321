/* Records: what is written comes back bit by bit, and nothing else is taken for a record. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <jansson.h>

#include "hardware.h"
#include "key.h"
#include "record.h"
#include "samples.h"
#include "store.h"

#include "../fuzz/sample.h"

struct config {
    int block;
    int64_t offset;
    double share;
    unsigned mask;
    bool push;
};

/* A name as bad as they come: 300 bytes and more, quotes, line breaks, other scripts. */
static char odd[400];

static struct space space;
static struct tutti_key key;
static struct identity identity;
static struct outcome outcome;
static struct text json;

static void make_odd(void)
{
    strcpy(odd, "../a\"b\\c/\n\t\x01 \xC3\xA9\xE2\x82\xAC\xF0\x9F\x8E\xB5 ");
    while (strlen(odd) < 300)
        strcat(odd, "x\xC3\xA9");
}

static int init_space(struct space *made, const tutti_param *params, size_t n, size_t config_size)
{
    return space_init(
        made, &(struct space_source){.params = params, .nparams = n, .config_size = config_size},
        &(struct text){0});
}

static void make_space(struct space *made)
{
    const tutti_param params[] = {
        TUTTI_PARAM(struct config, block, INT32_MIN, 0, INT32_MAX),
        TUTTI_PARAM(struct config, offset, INT64_MIN, INT64_MAX, INT64_C(9007199254740993)),
        TUTTI_PARAM(struct config, share, 0.1, 1.0 / 3, 5e-324, -0.0, 1.7976931348623157e308),
        TUTTI_PARAM(struct config, mask, 0, UINT32_MAX),
        TUTTI_PARAM(struct config, push, false, true),
    };
    assert_int_equal(init_space(made, params, 5, sizeof(struct config)), 0);
}

static void make_outcome(void)
{
    assert_int_equal(outcome_init(&outcome, space.size), TUTTI_SUCCESS);
    for (uint64_t i = 0; i < 14; i++) {
        outcome.trials[i].status = TUTTI_STATUS_OK;
        outcome.trials[i].slowest_rank = (int)(i % 4);
        outcome.trials[i].seconds = 1.0 / (double)(3 + i);
    }
    outcome.trials[7].seconds = 5e-324;
    outcome.trials[8].seconds = 0.1;
    outcome.trials[9].seconds = 1.7976931348623157e308;
    outcome.trials[11] = (tutti_trial){
        .status = TUTTI_STATUS_FAILED, .slowest_rank = 2, .reason = "", .launcher_status = -7};
    outcome_set_reason(&outcome, 11, odd);
    outcome.trials[12] =
        (tutti_trial){.status = TUTTI_STATUS_FAILED, .slowest_rank = -1, .reason = ""};
    outcome.winner = 7;
    outcome.warmups = 5;
    outcome.samples = 10;
    outcome.search_seconds = 1.0 / 3;
    outcome.search_calls = 600;
    outcome.search_operations = 83;
    outcome.finished = INT64_C(1796056800);
}

static int setup(void **state)
{
    (void)state;
    make_odd();
    make_space(&space);
    key_init(&key);
    tutti_key_shape(&key, "A", 3, (const int64_t[]){4096, 8, 128});
    tutti_key_shape(&key, "scalar", 0, NULL);
    tutti_key_integer(&key, "least", INT64_MIN);
    tutti_key_integer(&key, "beyond doubles", INT64_C(9007199254740993));
    tutti_key_double(&key, "tenth", 0.1);
    tutti_key_double(&key, "third", 1.0 / 3);
    tutti_key_double(&key, "tiny", 5e-324);
    tutti_key_double(&key, "whole", 4);
    tutti_key_bool(&key, "flag", true);
    tutti_key_string(&key, "odd", odd);
    tutti_key_string(&key, odd, "");
    identity = (struct identity){.function = odd,
                                 .version = "v1",
                                 .source_id = "0123456789abcdef",
                                 .space = &space,
                                 .key = key.bytes,
                                 .key_length = key.length,
                                 .group_kind = "mpi",
                                 .placement = "4",
                                 .ranks = 4,
                                 .timer = "monotonic",
                                 .hardware = "cpu = Example = 9000\ncores = 64\n",
                                 .environment = "transport = Open MPI 4.1.4\ntutti = 0.1.0\n"
                                                "build_id = abcdef\n"};
    make_outcome();
    return record_encode(&identity, &outcome, &json);
}

static int teardown(void **state)
{
    (void)state;
    text_release(&json);
    outcome_release(&outcome);
    key_release(&key);
    space_release(&space);
    return 0;
}

/* Judges bytes and keeps the reason only. */
static enum record_verdict judge(const char *bytes, size_t length, struct text *why)
{
    struct outcome found = {0};
    text_release(why);
    text_add(why, "%s", "");
    const enum record_verdict verdict = record_decode(bytes, length, &identity, &found, why);
    if (verdict == RECORD_APPLIES || verdict == RECORD_APPLIES_ELSEWHERE)
        outcome_release(&found);
    assert_null(found.trials);
    assert_int_equal(verdict == RECORD_APPLIES, why->length == 0);
    return verdict;
}

static void expect(const char *bytes, enum record_verdict verdict, const char *reason)
{
    struct text why = {0};
    const enum record_verdict found = judge(bytes, strlen(bytes), &why);
    if (found != verdict || !strstr(why.bytes, reason))
        print_error("expected \"%s\", got \"%s\"\n", reason, why.bytes);
    assert_int_equal(found, verdict);
    assert_non_null(strstr(why.bytes, reason));
    text_release(&why);
}

/* The record with one piece of its text replaced. */
static void expect_edited(const char *from, const char *to, enum record_verdict verdict,
                          const char *reason)
{
    struct text edited = {0};
    const char *at = strstr(json.bytes, from);
    assert_non_null(at);
    text_add(&edited, "%.*s%s%s", (int)(at - json.bytes), json.bytes, to, at + strlen(from));
    expect(edited.bytes, verdict, reason);
    text_release(&edited);
}

static void an_outcome_survives_bit_by_bit(void **state)
{
    (void)state;
    struct outcome found;
    struct text why = {0};
    assert_int_equal(record_decode(json.bytes, json.length, &identity, &found, &why),
                     RECORD_APPLIES);
    assert_int_equal(found.ntrials, outcome.ntrials);
    assert_int_equal(found.winner, outcome.winner);
    assert_int_equal(found.warmups, outcome.warmups);
    assert_int_equal(found.samples, outcome.samples);
    assert_int_equal(found.search_calls, outcome.search_calls);
    assert_int_equal(found.search_operations, outcome.search_operations);
    assert_int_equal(found.finished, outcome.finished);
    assert_memory_equal(&found.search_seconds, &outcome.search_seconds, sizeof(double));
    for (uint64_t i = 0; i < found.ntrials; i++) {
        assert_int_equal(found.trials[i].status, outcome.trials[i].status);
        assert_int_equal(found.trials[i].slowest_rank, outcome.trials[i].slowest_rank);
        assert_int_equal(found.trials[i].launcher_status, outcome.trials[i].launcher_status);
        assert_memory_equal(&found.trials[i].seconds, &outcome.trials[i].seconds, sizeof(double));
        assert_string_equal(found.trials[i].reason, outcome.trials[i].reason);
    }
    outcome_release(&found);
    text_release(&why);
}

/* The outcome of a race: configuration i has i samples, more than are kept of the last ones. */
static void make_race(struct outcome *race)
{
    assert_int_equal(outcome_init(race, space.size), TUTTI_SUCCESS);
    assert_int_equal(samples_reserve(race, 100000), TUTTI_SUCCESS);
    for (uint32_t round = 1; round <= 50; round++)
        for (uint64_t i = round; i < 50; i++) {
            const tutti_sample sample = {
                .seconds = 1.0 / (double)(i + round), .round = round, .slowest_rank = round % 4};
            samples_note(race, i, sample);
            race->trials[i].taken++;
            race->trials[i].dropped = i % 2 ? i : 0;
        }
    for (uint64_t i = 0; i < 50; i++) {
        race->trials[i].status = TUTTI_STATUS_OK;
        race->trials[i].seconds = 1;
    }
    race->trials[20].status = TUTTI_STATUS_FAILED;
    samples_lay_out(race);
    race->policy = TUTTI_POLICY_RACE;
    race->samples = 1;
    race->winner = 3;
}

static void the_samples_of_a_race_survive_to_the_picosecond(void **state)
{
    (void)state;
    struct outcome race, found;
    struct text other = {0}, why = {0};
    make_race(&race);
    assert_int_equal(record_encode(&identity, &race, &other), TUTTI_SUCCESS);
    assert_int_equal(record_decode(other.bytes, other.length, &identity, &found, &why),
                     RECORD_APPLIES);
    for (uint64_t i = 0; i < 50; i++) {
        const tutti_trial *trial = &found.trials[i];
        const size_t kept = i == 20 ? 0 : i < SAMPLES_EACH ? (size_t)i : SAMPLES_EACH;
        assert_int_equal(trial->nsamples, kept);
        assert_int_equal(trial->taken, i == 20 ? 0 : i);
        assert_int_equal(trial->dropped, i != 20 && i % 2 ? i : 0);
        assert_true(fabs(trial->spread - race.trials[i].spread) < 1e-9);
        assert_int_equal(trial->spread > 0, kept > 1);
        for (size_t k = 0; k < kept; k++) {
            assert_int_equal(trial->samples[k].round, k + 1);
            assert_true(fabs(trial->samples[k].seconds - 1.0 / (double)(i + k + 1)) < 1e-12);
            assert_int_equal(trial->samples[k].slowest_rank, (k + 1) % 4);
        }
    }
    outcome_release(&race);
    outcome_release(&found);
    text_release(&other);
    text_release(&why);
}

#define SAMPLES "\"samples_ps\": "
#define SAMPLE  SAMPLES "[[1, 500000000000, 1]"

static void samples_that_contradict_themselves_are_corrupt(void **state)
{
    (void)state;
    static const struct {
        const char *from, *to, *reason;
    } edits[] = {
        {SAMPLES "[[1, ", SAMPLES "[[0, ", "configurations[1].samples_ps[0] is not"},
        {SAMPLE, SAMPLES "[[1, -500000000000, 1]", "configurations[1].samples_ps[0] is not"},
        {SAMPLE, SAMPLES "[[1, 0, 1]", "configurations[1].samples_ps[0] is not"},
        {SAMPLE, SAMPLES "[[1, 500000000000, 4]", "configurations[1].samples_ps[0] is not"},
        {SAMPLE, SAMPLES "[[1, 500000000000]", "configurations[1].samples_ps[0]"},
        {"[2, 250000000000, 2]", "[1, 250000000000, 2]", "configurations[2].samples_ps[1] is not"},
        {SAMPLE "]", SAMPLES "{}", "configurations[1].samples_ps"},
        {SAMPLE "]", "\"samples\": [[1, 0.5, 4]]", "configurations[1].samples[0] is not"},
        {"\"taken\": 33", "\"taken\": 31", "configurations[33].taken is 31, outside 32 to"},
        {"\"dropped\": 1", "\"dropped\": -1", "configurations[1].dropped is -1"},
    };
    struct outcome race;
    struct text kept = json;
    make_race(&race);
    json = (struct text){0};
    assert_int_equal(record_encode(&identity, &race, &json), TUTTI_SUCCESS);
    for (size_t i = 0; i < sizeof edits / sizeof edits[0]; i++)
        expect_edited(edits[i].from, edits[i].to, RECORD_CORRUPT, edits[i].reason);
    /* One of before there were samples still applies, and one that has them in seconds. */
    expect_edited(SAMPLE "]", "\"s\": 0", RECORD_APPLIES, "");
    expect_edited(SAMPLE "]", "\"samples\": [[1, 0.5, 1]]", RECORD_APPLIES, "");
    text_release(&json);
    json = kept;
    outcome_release(&race);
}

static void extreme_numbers_are_written_exactly(void **state)
{
    (void)state;
    static const char *const written[] = {
        "\"values\": [-9223372036854775808, 9223372036854775807, 9007199254740993]",
        "\"values\": [-2147483648, 0, 2147483647]",
        "\"values\": [0, 4294967295]",
        "\"name\": \"least\", \"type\": \"integer\", \"value\": -9223372036854775808",
        "\"name\": \"beyond doubles\", \"type\": \"integer\", \"value\": 9007199254740993",
        "\"name\": \"whole\", \"type\": \"double\", \"value\": 4.0"};
    for (size_t i = 0; i < sizeof written / sizeof written[0]; i++)
        assert_non_null(strstr(json.bytes, written[i]));
    /* One bit in the last place makes another problem, and so does the sign of zero. */
    expect_edited("0.33333333333333331, 4", "0.33333333333333337, 4", RECORD_FOREIGN,
                  "space.share");
    expect_edited("-0.0,", "0.0,", RECORD_FOREIGN, "space.share");
    expect_edited("9007199254740993]", "9007199254740992]", RECORD_FOREIGN, "space.offset");
    expect_edited("\"value\": 9007199254740993", "\"value\": 9007199254740992", RECORD_FOREIGN,
                  "key.beyond doubles.value was 9007199254740992, is 9007199254740993");
}

static void a_record_cut_at_any_byte_is_corrupt(void **state)
{
    (void)state;
    struct text why = {0};
    for (size_t length = 0; length + 1 < json.length; length++) { /* less the final newline */
        char *cut = malloc(length + 1);                           /* exact, for the sanitizer */
        memcpy(cut, json.bytes, length);
        assert_int_equal(judge(cut, length, &why), RECORD_CORRUPT);
        free(cut);
    }
    text_release(&why);
}

static void anything_behind_a_record_makes_it_corrupt(void **state)
{
    (void)state;
    struct text longer = {0}, why = {0};
    text_add(&longer, "%s \n\t%s", json.bytes, json.bytes);
    assert_int_equal(judge(longer.bytes, longer.length, &why), RECORD_CORRUPT);
    longer.length = json.length;
    text_add(&longer, "\n \n");
    assert_int_equal(judge(longer.bytes, longer.length, &why), RECORD_APPLIES);
    for (int byte = 0; byte < 256; byte++) {
        longer.bytes[json.length] = (char)byte;
        const bool space_only = byte == ' ' || byte == '\n' || byte == '\t' || byte == '\r';
        assert_int_equal(judge(longer.bytes, longer.length, &why),
                         space_only ? RECORD_APPLIES : RECORD_CORRUPT);
    }
    text_release(&longer);
    text_release(&why);
}

static void text_that_is_no_record_is_corrupt(void **state)
{
    (void)state;
    static const char *const texts[] = {"",
                                        " ",
                                        "null",
                                        "1",
                                        "\"text\"",
                                        "[]",
                                        "{}",
                                        "{\"tutti_record\": 1}",
                                        "{\"tutti_record\": 1, \"tutti_record\": 1}",
                                        "{\"tutti_record\": 1e400}",
                                        "{\"tutti_record\": 9223372036854775808}",
                                        "{\"tutti_record\": \"\xC3\x28\"}",
                                        "{\"tutti_record\": \"\\u0000\"}",
                                        "{\"\\u0000\": 1}",
                                        "{\"tutti_record\": \"\\ud800\"}",
                                        "{\"tutti_record\": 1, \"identity\": []}",
                                        "\x7F\x45\x4C\x46",
                                        "\x1b[31m"};
    struct text why = {0};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        assert_int_equal(judge(texts[i], strlen(texts[i]), &why), RECORD_CORRUPT);
        assert_null(strchr(why.bytes, '\x1b'));
    }
    text_release(&why);
}

static void deep_nesting_is_refused_before_it_is_parsed(void **state)
{
    (void)state;
    const size_t length = 1 << 20;
    char *deep = malloc(length + 1);
    deep[length] = '\0';
    memset(deep, '[', length);
    expect(deep, RECORD_CORRUPT, "nested more than 16 deep");
    for (size_t i = 0; i < length; i++)
        deep[i] = "{\"a\":"[i % 5];
    expect(deep, RECORD_CORRUPT, "nested more than 16 deep");
    free(deep);
}

typedef void (*visit_fn)(json_t *object, const char *above, const char *name, json_t *value);

/* Calls visit for every member of every object below json, which may change and restore it. */
static void each_member(json_t *object, const char *above, visit_fn visit)
{
    const char *name;
    json_t *value;
    size_t i;
    json_array_foreach(object, i, value) each_member(value, above, visit);
    json_t *members = json_copy(object); /* what is put back moves to the end of object */
    json_object_foreach(members, name, value)
    {
        each_member(value, name, visit);
        visit(object, above, name, value);
    }
    json_decref(members);
}

static json_t *whole_record;

static enum record_verdict judge_tree(struct text *why)
{
    char *dump = json_dumps(whole_record, JSON_REAL_PRECISION(17));
    const enum record_verdict verdict = judge(dump, strlen(dump), why);
    free(dump);
    return verdict;
}

static void remove_member(json_t *object, const char *above, const char *name, json_t *value)
{
    struct text why = {0};
    enum record_verdict expected = RECORD_CORRUPT;
    if (strcmp(above, "hardware") == 0)
        expected = RECORD_FOREIGN;
    else if (strcmp(above, "environment") == 0)
        expected = strcmp(name, "build_id") ? RECORD_APPLIES_ELSEWHERE : RECORD_APPLIES;
    else if (strcmp(name, "launcher_status") == 0)
        expected = RECORD_APPLIES;
    json_object_del(object, name);
    const enum record_verdict verdict = judge_tree(&why);
    if (verdict != expected)
        print_error("without %s.%s: %s\n", above, name, why.bytes);
    assert_int_equal(verdict, expected);
    json_object_set(object, name, value);
    text_release(&why);
}

static void replace_member(json_t *object, const char *above, const char *name, json_t *value)
{
    struct text why = {0};
    json_t *others = json_pack("[n, {}, [], s, i, f, b]", "other", -5, -1.5, 1);
    size_t i;
    json_t *other;
    json_array_foreach(others, i, other)
    {
        if (json_typeof(other) == json_typeof(value) ||
            (json_is_boolean(other) && json_is_boolean(value)))
            continue;
        /* A double may be written as an integer; then its value differs. */
        const bool number = json_is_real(value) && json_is_integer(other);
        json_object_set(object, name, other);
        const enum record_verdict verdict = judge_tree(&why);
        if (verdict != RECORD_CORRUPT && !number)
            print_error("%s.%s replaced: %s\n", above, name, why.bytes);
        assert_true(verdict == RECORD_CORRUPT || (number && verdict == RECORD_FOREIGN));
    }
    json_object_set(object, name, value);
    json_decref(others);
    text_release(&why);
}

static void each_member_of_the_record(visit_fn visit)
{
    struct text why = {0};
    whole_record = json_loads(json.bytes, 0, NULL);
    assert_non_null(whole_record);
    assert_int_equal(judge_tree(&why), RECORD_APPLIES);
    each_member(whole_record, "", visit);
    json_decref(whole_record);
    text_release(&why);
}

static void a_record_without_any_one_member_does_not_apply(void **state)
{
    (void)state;
    each_member_of_the_record(remove_member);
}

static void a_member_of_another_type_makes_a_record_corrupt(void **state)
{
    (void)state;
    each_member_of_the_record(replace_member);
}

static void members_outside_the_identity_that_are_unknown_are_ignored(void **state)
{
    (void)state;
    expect_edited("\"search\": {", "\"note\": [1, null], \"search\": {\"host\": \"x\",",
                  RECORD_APPLIES, "");
    expect_edited("\"timer\":", "\"clock\": 1, \"timer\":", RECORD_FOREIGN,
                  "clock was 1, is absent");
}

static void an_edit_that_contradicts_is_corrupt_and_named(void **state)
{
    (void)state;
    static const struct {
        const char *from, *to, *reason;
    } edits[] = {
        {"\"tutti_record\": 1", "\"tutti_record\": 2", "tutti_record is 2, this library reads"},
        {"\"ranks\": 4", "\"ranks\": 0", "identity.group.ranks is 0, outside 1 to"},
        {"\"ranks\": 4", "\"ranks\": 4.0", "identity.group.ranks is not an integer"},
        {"\"type\": \"shape\"", "\"type\": \"form\"", "identity.key[0].type is unknown"},
        {"[4096, 8, 128]", "[4096, 8.5, 128]", "identity.key[0].value[1] is not an integer"},
        {"\"kind\": \"i32\"", "\"kind\": \"i33\"", "identity.space[0].kind is unknown"},
        {"\"warmups\": 5", "\"warmups\": -1", "policy.warmups is -1"},
        {"\"samples\": 10", "\"samples\": 0", "policy.samples is 0"},
        {"2026-11-30T16:40:00Z", "2026-11-31T16:40:00Z", "search.finished"},
        {"2026-11-30T16:40:00Z", "2026-11-30 16:40:00", "search.finished"},
        {"2026-11-30T16:40:00Z", " 2026-11-30T16:40:00Z", "search.finished"},
        {"2026-11-30T16:40:00Z", "2026-11-30T16:40:00Z+", "search.finished"},
        {"2026-11-30T16:40:00Z", "1926-11-30T16:40:00Z", "search.finished"},
        {"\"seconds\": 0.33333333333333331,\n", "\"seconds\": -0.5,\n", "search.seconds is -0.5"},
        {"\"calls\": 600", "\"calls\": -600", "search.calls is -600"},
        {"\"pruned\": 166", "\"pruned\": 165", "configurations has 14 entries, not 180 less 165"},
        {"\"pruned\": 166", "\"pruned\": 181", "search.pruned is 181"},
        {"\"index\": 7,\n", "\"index\": 180,\n", "winner.index is 180"},
        {"\"index\": 7,\n", "\"index\": 6,\n", "winner.config is not configuration 6"},
        {"{\"index\": 1,", "{\"index\": 0,", "configurations[1].index is 0, outside 1 to"},
        {"{\"index\": 13,", "{\"index\": 180,", "configurations[13].index is 180"},
        {"{\"index\": 13,", "{\"index\": 40,", "configurations[13].config is not configuration 40"},
        {"\"status\": \"ok\"", "\"status\": \"fine\"", "configurations[0].status"},
        {"\"status\": \"ok\"", "\"status\": \"pruned\"", "configurations[0].status"},
        {"\"seconds\": 0.25,", "\"seconds\": 0,", "configurations[1].seconds is 0"},
        {"\"seconds\": 0.25,", "\"seconds\": -0.0,", "configurations[1].seconds is -0"},
        {"\"seconds\": 0.25,", "\"seconds\": -1,", "configurations[1].seconds is -1"},
        {"\"seconds\": 0.25,", "\"seconds\": 1e400,", "overflow"},
        {"\"slowest_rank\": 1", "\"slowest_rank\": 4", "configurations[1].slowest_rank is 4"},
        {"\"slowest_rank\": 1", "\"slowest_rank\": -2", "configurations[1].slowest_rank is -2"},
        {"\"launcher_status\": -7", "\"launcher_status\": 1.5",
         "configurations[11].launcher_status is not"},
        {"\"failed_rank\": 2", "\"failed_rank\": 4", "configurations[11].failed_rank is 4"},
        {"\"seconds\": 4.9406564584124654e-324,\n", "\"seconds\": 0.5,\n", "winner.seconds is 0.5"},
    };
    for (size_t i = 0; i < sizeof edits / sizeof edits[0]; i++)
        expect_edited(edits[i].from, edits[i].to, RECORD_CORRUPT, edits[i].reason);
}

static void a_winner_that_was_not_measured_is_corrupt(void **state)
{
    (void)state;
    struct text other = {0};
    outcome.winner = 12; /* failed */
    outcome.trials[12].seconds = 1;
    assert_int_equal(record_encode(&identity, &outcome, &other), TUTTI_SUCCESS);
    expect(other.bytes, RECORD_CORRUPT, "winner.index is 12, which is not ok");
    text_release(&other);
    outcome.winner = 100; /* pruned */
    outcome.trials[100].seconds = 1;
    assert_int_equal(record_encode(&identity, &outcome, &other), TUTTI_SUCCESS);
    expect(other.bytes, RECORD_CORRUPT, "winner.index is 100, which is not ok");
    text_release(&other);
    outcome.winner = 7;
    outcome.trials[12].seconds = outcome.trials[100].seconds = 0;
}

static void an_edited_identity_is_foreign_and_named(void **state)
{
    (void)state;
    static const struct {
        const char *from, *to, *reason;
    } edits[] = {
        {"\"v1\"", "\"v2\"", "version was \"v2\", is \"v1\""},
        {"0123456789abcdef", "fedcba9876543210", "source_id was \"fedcba9876543210\""},
        {"\"ranks\": 4", "\"ranks\": 8", "group.ranks was 8, is 4"},
        {"\"placement\": \"4\"", "\"placement\": \"2+2\"", "group.placement was \"2+2\", is \"4\""},
        {"\"kind\": \"mpi\"", "\"kind\": \"serial\"", "group.kind was \"serial\", is \"mpi\""},
        {"monotonic", "device", "timer was \"device\", is \"monotonic\""},
        {"Example = 9000", "Example 8000", "hardware.cpu was \"Example 8000\""},
        {"\"cores\": \"64\"", "\"cores\": \"64\", \"gpu\": \"G\"",
         "hardware.gpu was \"G\", is absent"},
        {"[4096, 8, 128]", "[4096, 8, 64]", "key.A.value was [4096, 8, 64], is [4096, 8, 128]"},
        {"[4096, 8, 128]", "[4096, 8]", "key.A.value was [4096, 8], is"},
        {"\"name\": \"A\"", "\"name\": \"B\"", "key.A.name was \"B\", is \"A\""},
        {"\"name\": \"flag\", \"type\": \"bool\", \"value\": true",
         "\"name\": \"flag\", \"type\": \"integer\", \"value\": 1",
         "key.flag.type was \"integer\""},
        {"\"values\": [-2147483648, 0, ", "\"values\": [-2147483648, ", "space.block.values was"},
        {"\"name\": \"block\", \"kind\": \"i32\"", "\"name\": \"block\", \"kind\": \"i64\"",
         "space.block.kind was \"i64\", is \"i32\""},
    };
    for (size_t i = 0; i < sizeof edits / sizeof edits[0]; i++)
        expect_edited(edits[i].from, edits[i].to, RECORD_FOREIGN, edits[i].reason);
}

/* Another identity neither takes the record nor has its name. */
static void expect_other(struct identity other)
{
    char name[33], other_name[33];
    const struct identity kept = identity;
    record_name(&identity, name);
    record_name(&other, other_name);
    assert_string_not_equal(name, other_name);
    identity = other;
    expect(json.bytes, RECORD_FOREIGN, " was ");
    identity = kept;
}

static void another_identity_does_not_take_a_record(void **state)
{
    (void)state;
    struct identity other = identity;
    other.function = "another";
    expect_other(other);
    other = identity;
    other.version = "";
    expect_other(other);
    other = identity;
    other.source_id = "";
    expect_other(other);
    other = identity;
    other.ranks = 8;
    expect_other(other);
    other = identity;
    other.placement = "2+2";
    expect_other(other);
    other = identity;
    other.group_kind = "serial";
    expect_other(other);
    other = identity;
    other.timer = "device";
    expect_other(other);
    other = identity;
    other.hardware = "cpu = Example = 9000\n";
    expect_other(other);
    other = identity;
    other.key_length = 0;
    expect_other(other);
}

static void a_space_in_another_order_does_not_take_a_record(void **state)
{
    (void)state;
    struct space reordered = space;
    struct parameter parameters[5];
    for (size_t p = 0; p < 5; p++)
        parameters[p] = space.parameters[p];
    parameters[3] = space.parameters[4];
    parameters[4] = space.parameters[3];
    reordered.parameters = parameters;
    struct identity other = identity;
    other.space = &reordered;
    expect_other(other);
}

static void another_environment_applies_elsewhere_and_is_named(void **state)
{
    (void)state;
    expect_edited("Open MPI 4.1.4", "MPICH 4.0.2", RECORD_APPLIES_ELSEWHERE,
                  "environment.transport was \"MPICH 4.0.2\", is \"Open MPI 4.1.4\"");
    expect_edited("\"tutti\": \"0.1.0\"", "\"tutti\": \"0.1.0\", \"weather\": \"rain\"",
                  RECORD_APPLIES_ELSEWHERE, "environment.weather was \"rain\", is absent");
    expect_edited("\"tutti\": \"0.1.0\"", "\"tutti\": 1", RECORD_CORRUPT, "environment");
}

static void another_build_id_alone_still_applies(void **state)
{
    (void)state;
    expect_edited("\"build_id\": \"abcdef\"", "\"build_id\": \"123456\"", RECORD_APPLIES, "");
    expect_edited(",\n    \"build_id\": \"abcdef\"", "", RECORD_APPLIES, "");
}

static void names_are_hexadecimal_and_leave_the_environment_out(void **state)
{
    (void)state;
    char name[33], other_name[33];
    struct identity other = identity;
    other.environment = "";
    record_name(&identity, name);
    record_name(&other, other_name);
    assert_string_equal(name, other_name);
    assert_int_equal(strspn(name, "0123456789abcdef"), 32);
    assert_int_equal(strlen(name), 32);
}

static void reasons_are_cut_between_characters(void **state)
{
    (void)state;
    struct text reason = {0}, other = {0}, why = {0};
    struct outcome found;
    text_add(&reason, "!");
    for (int i = 0; i < 1000; i++)
        text_add(&reason, "\xE2\x82\xAC");
    outcome_set_reason(&outcome, 12, reason.bytes);
    outcome_set_reason(&outcome, 11, "in Latin-1: \xE9");
    assert_int_equal(record_encode(&identity, &outcome, &other), TUTTI_SUCCESS);
    assert_int_equal(record_decode(other.bytes, other.length, &identity, &found, &why),
                     RECORD_APPLIES);
    assert_int_equal(strlen(found.trials[12].reason), 1 + 341 * 3);
    assert_true(text_is_utf8(found.trials[12].reason));
    assert_string_equal(found.trials[11].reason, "in Latin-1: \xC3\xA9");
    outcome_set_reason(&outcome, 11, odd);
    outcome_set_reason(&outcome, 12, "");
    outcome_release(&found);
    text_release(&reason);
    text_release(&other);
    text_release(&why);
}

static void a_reason_that_is_too_long_is_corrupt(void **state)
{
    (void)state;
    char reason[1100] = "\"reason\": \"";
    memset(reason + 11, 'x', 1025);
    reason[11 + 1025] = '"';
    expect_edited("\"reason\": \"\"", reason, RECORD_CORRUPT,
                  "configurations[12].reason is longer");
}

static void pruned_configurations_take_no_room(void **state)
{
    (void)state;
    static int blocks[1024], depths[1024];
    for (int i = 0; i < 1024; i++)
        blocks[i] = depths[i] = i;
    const tutti_param params[] = {{.name = "block",
                                   .kind = TUTTI_KIND_I32,
                                   .size = sizeof(int),
                                   .values = blocks,
                                   .count = 1024},
                                  {.name = "depth",
                                   .kind = TUTTI_KIND_I32,
                                   .offset = sizeof(int),
                                   .size = sizeof(int),
                                   .values = depths,
                                   .count = 1024}};
    const struct space kept = space;
    struct outcome few, found;
    struct text other = {0}, why = {0};
    assert_int_equal(init_space(&space, params, 2, 2 * sizeof(int)), TUTTI_SUCCESS);
    assert_int_equal(outcome_init(&few, space.size), TUTTI_SUCCESS);
    few.winner = space.size - 1;
    few.samples = 1;
    few.trials[few.winner] =
        (tutti_trial){.status = TUTTI_STATUS_OK, .seconds = 1e-3, .reason = ""};
    assert_int_equal(record_encode(&identity, &few, &other), TUTTI_SUCCESS);
    assert_int_equal(record_decode(other.bytes, other.length, &identity, &found, &why),
                     RECORD_APPLIES);
    assert_int_equal(found.winner, few.winner);
    assert_int_equal(found.trials[0].status, TUTTI_STATUS_PRUNED);
    assert_true(other.length < 20000);
    outcome_release(&found);
    outcome_release(&few);
    space_release(&space);
    space = kept;
    text_release(&other);
    text_release(&why);
}

/* The file is never renewed for format 1: records that users have must stay readable. */
static void a_record_kept_since_format_1_began_is_read_and_written_alike(void **state)
{
    (void)state;
    struct sample sample;
    struct outcome found;
    struct text path = {0}, kept = {0}, again = {0}, why = {0};
    text_add(&path, "%s/valid.json", TUTTI_TEST_CORPUS);
    sample_init(&sample);
    assert_int_equal(store_read(path.bytes, &kept, &why), STORE_OK);
    assert_int_equal(record_decode(kept.bytes, kept.length, &sample.identity, &found, &why),
                     RECORD_APPLIES);
    assert_int_equal(record_encode(&sample.identity, &found, &again), TUTTI_SUCCESS);
    assert_string_equal(again.bytes, kept.bytes);
    outcome_release(&found);
    sample_release(&sample);
    text_release(&path);
    text_release(&kept);
    text_release(&again);
}

static size_t allocations_left;

static void *allocate_a_few(size_t size)
{
    return allocations_left ? allocations_left--, malloc(size) : NULL;
}

static void memory_that_runs_out_does_no_harm(void **state)
{
    (void)state;
    enum record_verdict verdict = RECORD_NO_MEMORY;
    int status = TUTTI_ERR_MEMORY;
    char name[33];
    json_set_alloc_funcs(allocate_a_few, free);
    for (size_t allowed = 0; verdict != RECORD_APPLIES; allowed += 7) {
        struct outcome found = {0};
        struct text why = {0};
        allocations_left = allowed;
        verdict = record_decode(json.bytes, json.length, &identity, &found, &why);
        /* The parser takes some failures for bad input: a miss all the same. */
        assert_true(verdict == RECORD_NO_MEMORY || verdict == RECORD_CORRUPT ||
                    verdict == RECORD_APPLIES);
        outcome_release(&found);
        text_release(&why);
    }
    for (size_t allowed = 0; status != TUTTI_SUCCESS; allowed += 7) {
        struct text other = {0};
        allocations_left = allowed;
        status = record_encode(&identity, &outcome, &other);
        assert_true(status == TUTTI_ERR_MEMORY || strcmp(other.bytes, json.bytes) == 0);
        text_release(&other);
        allocations_left = allowed;
        record_name(&identity, name);
    }
    json_set_alloc_funcs(malloc, free);
}

/* Not a search for bugs, which is the fuzzer's, but a floor under it in every run. */
static void changed_bytes_do_no_harm(void **state)
{
    (void)state;
    uint32_t random = 12345;
    struct text why = {0};
    char *changed = malloc(json.length);
    for (int round = 0; round < 1000; round++) {
        memcpy(changed, json.bytes, json.length);
        for (int i = 0; i <= round % 4; i++) {
            random = random * 1664525 + 1013904223;
            changed[(random >> 8) % json.length] = (char)(random >> 3);
        }
        judge(changed, json.length, &why);
    }
    free(changed);
    text_release(&why);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_outcome_survives_bit_by_bit),
        cmocka_unit_test(the_samples_of_a_race_survive_to_the_picosecond),
        cmocka_unit_test(samples_that_contradict_themselves_are_corrupt),
        cmocka_unit_test(extreme_numbers_are_written_exactly),
        cmocka_unit_test(a_record_cut_at_any_byte_is_corrupt),
        cmocka_unit_test(anything_behind_a_record_makes_it_corrupt),
        cmocka_unit_test(text_that_is_no_record_is_corrupt),
        cmocka_unit_test(deep_nesting_is_refused_before_it_is_parsed),
        cmocka_unit_test(a_record_without_any_one_member_does_not_apply),
        cmocka_unit_test(a_member_of_another_type_makes_a_record_corrupt),
        cmocka_unit_test(members_outside_the_identity_that_are_unknown_are_ignored),
        cmocka_unit_test(an_edit_that_contradicts_is_corrupt_and_named),
        cmocka_unit_test(a_winner_that_was_not_measured_is_corrupt),
        cmocka_unit_test(an_edited_identity_is_foreign_and_named),
        cmocka_unit_test(another_identity_does_not_take_a_record),
        cmocka_unit_test(a_space_in_another_order_does_not_take_a_record),
        cmocka_unit_test(another_environment_applies_elsewhere_and_is_named),
        cmocka_unit_test(another_build_id_alone_still_applies),
        cmocka_unit_test(names_are_hexadecimal_and_leave_the_environment_out),
        cmocka_unit_test(reasons_are_cut_between_characters),
        cmocka_unit_test(a_reason_that_is_too_long_is_corrupt),
        cmocka_unit_test(pruned_configurations_take_no_room),
        cmocka_unit_test(a_record_kept_since_format_1_began_is_read_and_written_alike),
        cmocka_unit_test(memory_that_runs_out_does_no_harm),
        cmocka_unit_test(changed_bytes_do_no_harm),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
