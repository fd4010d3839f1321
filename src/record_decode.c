/*
 * Judging a record. The bytes are untrusted: they may be cut, edited, of another program, or made
 * to do harm. Whatever is not exactly as the format says is refused with the place and the reason.
 */
#include "record_json.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "hardware.h"
#include "samples.h"
#include "store.h"

/* Adds the reason and fails, so that a check is one statement. */
#define REFUSE(why, ...) (text_add(why, __VA_ARGS__), false)

#define NESTING_LIMIT 16 /* a record needs 5; parsing and freeing recurse */
#define PLACE_SIZE    48 /* "configurations[1048575].config." */

/* Where the string that begins at i ends: its closing quote, or the length. */
static size_t string_end(const char *bytes, size_t length, size_t i)
{
    while (i < length && bytes[i] != '"')
        i += bytes[i] == '\\' ? 2 : 1;
    return i;
}

/* Whether brackets nest too deeply, as if all were well formed; the parser finds what is not. */
static bool nests_deeply(const char *bytes, size_t length)
{
    int depth = 0;
    for (size_t i = 0; i < length && depth <= NESTING_LIMIT; i++) {
        switch (bytes[i]) {
        case '"':
            i = string_end(bytes, length, i + 1);
            break;
        case '{':
        case '[':
            depth++;
            break;
        case '}':
        case ']':
            depth--;
            break;
        default:
            break;
        }
    }
    return depth > NESTING_LIMIT;
}

/* The parser quotes what it read: nothing of that may reach a terminal raw. */
static void add_parse_error(const json_error_t *error, struct text *why)
{
    text_add(why, "line %d, column %d: ", error->line, error->column);
    for (const char *at = error->text; *at; at++)
        text_add(why, "%c", *at >= 0x20 && *at < 0x7F ? *at : '?');
}

enum record_verdict record_parse(const char *bytes, size_t length, json_t **root, struct text *why)
{
    json_error_t error;
    if (length > STORE_RECORD_LIMIT) {
        text_add(why, "%zu bytes are too many for a record", length);
        return RECORD_CORRUPT;
    }
    if (nests_deeply(bytes, length)) {
        text_add(why, "nested more than %d deep", NESTING_LIMIT);
        return RECORD_CORRUPT;
    }
    *root = json_loadb(bytes, length, JSON_REJECT_DUPLICATES, &error);
    /* Jansson fails without a word when an allocation does. */
    if (!*root && (!*error.text || json_error_code(&error) == json_error_out_of_memory))
        return RECORD_NO_MEMORY;
    if (!*root) {
        add_parse_error(&error, why);
        return RECORD_CORRUPT;
    }
    return RECORD_APPLIES;
}

/* The identity, if it is one of the format that this library reads; borrowed. */
static const json_t *find_identity(const json_t *root, struct text *why)
{
    int64_t format;
    if (!check_integer(root, "", "tutti_record", INT64_MIN, INT64_MAX, &format, why))
        return NULL;
    if (format != RECORD_FORMAT) {
        text_add(why, "tutti_record is %lld, this library reads format %d", (long long)format,
                 RECORD_FORMAT);
        return NULL;
    }
    const json_t *found = check_member(root, "", "identity", JSON_OBJECT, why);
    return found && check_identity(found, why) ? found : NULL;
}

/* What follows the identity can only be judged against an equal one. */
static enum record_verdict judge_identity(const json_t *root, const json_t *expected,
                                          struct text *why)
{
    const json_t *found = find_identity(root, why);
    if (!found)
        return RECORD_CORRUPT;
    return json_difference(found, expected, "", why) ? RECORD_FOREIGN : RECORD_APPLIES;
}

static bool check_policy_name(const char *name, int *policy, struct text *why)
{
    for (*policy = TUTTI_POLICY_EXHAUSTIVE; *policy <= TUTTI_POLICY_HALVING; ++*policy)
        if (strcmp(name, tutti_policy_name(*policy)) == 0)
            return true;
    return REFUSE(why, "policy.name is not a policy of this library");
}

/* It is there only if it is not the one that the policy usually has. */
static bool check_aggregation(const json_t *policy, struct outcome *outcome, struct text *why)
{
    outcome->aggregation = outcome_usual_aggregation(outcome->policy);
    if (!json_object_get(policy, "aggregation"))
        return true;
    const json_t *name = check_member(policy, "policy.", "aggregation", JSON_STRING, why);
    for (int which = TUTTI_AGGREGATION_MEANS; name && which <= TUTTI_AGGREGATION_ROUNDS; which++)
        if (strcmp(json_string_value(name), RECORD_AGGREGATION(which)) == 0) {
            outcome->aggregation = which;
            return true;
        }
    return name && REFUSE(why, "policy.aggregation is neither means nor rounds");
}

static bool check_policy(const json_t *root, struct outcome *outcome, struct text *why)
{
    int64_t warmups, samples;
    const json_t *policy = check_member(root, "", "policy", JSON_OBJECT, why);
    const json_t *name = policy ? check_member(policy, "policy.", "name", JSON_STRING, why) : NULL;
    if (!name || !check_policy_name(json_string_value(name), &outcome->policy, why) ||
        !check_integer(policy, "policy.", "warmups", 0, INT_MAX, &warmups, why) ||
        !check_integer(policy, "policy.", "samples", 1, INT_MAX, &samples, why) ||
        !check_aggregation(policy, outcome, why))
        return false;
    outcome->warmups = (int)warmups;
    outcome->samples = (int)samples;
    return true;
}

static bool check_time(const json_t *search, int64_t *seconds, struct text *why)
{
    const json_t *finished = check_member(search, "search.", "finished", JSON_STRING, why);
    if (!finished)
        return false;
    const char *string = json_string_value(finished);
    struct tm parts = {0};
    char again[32] = "";
    const bool parsed = strptime(string, "%Y-%m-%dT%H:%M:%SZ", &parts) != NULL;
    *seconds = parsed ? timegm(&parts) : -1;
    if (parsed)
        strftime(again, sizeof again, "%Y-%m-%dT%H:%M:%SZ", &parts);
    if (*seconds < 0 || strcmp(string, again) != 0) /* strptime lets much pass */
        return REFUSE(why, "search.finished is not a time like 2026-01-31T23:59:59Z");
    return true;
}

static bool check_flag(const json_t *race, const char *name, bool *flag, struct text *why)
{
    const json_t *value = json_object_get(race, name);
    *flag = json_is_true(value);
    return json_is_boolean(value) || REFUSE(why, "search.race.%s is not true or false", name);
}

static bool check_fraction(const json_t *race, const char *name, double *fraction, struct text *why)
{
    const json_t *value = check_member(race, "search.race.", name, JSON_REAL, why);
    *fraction = value ? json_number_value(value) : 0;
    return value != NULL;
}

static bool check_race(const json_t *search, uint64_t size, struct race_figures *race,
                       struct text *why)
{
    int64_t rounds;
    const json_t *found = check_member(search, "search.", "race", JSON_OBJECT, why);
    if (!found || !check_integer(found, "search.race.", "rounds", 0, INT64_MAX, &rounds, why) ||
        !check_integer(found, "search.race.", "runner_up", -1, (int64_t)size - 1, &race->runner_up,
                       why) ||
        !check_flag(found, "stopped", &race->stopped, why) ||
        !check_flag(found, "equal", &race->equal, why) ||
        !check_fraction(found, "distance", &race->distance, why) ||
        !check_fraction(found, "confidence", &race->confidence, why) ||
        !check_fraction(found, "within", &race->within, why) ||
        !check_fraction(found, "noise", &race->noise, why))
        return false;
    race->rounds = (uint64_t)rounds;
    return true;
}

static bool check_search(const json_t *root, uint64_t size, struct outcome *outcome,
                         int64_t *pruned, struct text *why)
{
    int64_t calls, operations;
    const json_t *search = check_member(root, "", "search", JSON_OBJECT, why);
    if (!search || !check_time(search, &outcome->finished, why) ||
        !check_seconds(search, "search.", "seconds", false, &outcome->search_seconds, why) ||
        !check_integer(search, "search.", "calls", 0, INT64_MAX, &calls, why) ||
        !check_integer(search, "search.", "operations", 0, INT64_MAX, &operations, why) ||
        !check_integer(search, "search.", "pruned", 0, (int64_t)size, pruned, why))
        return false;
    outcome->search_calls = (uint64_t)calls;
    outcome->search_operations = (uint64_t)operations;
    return !outcome_is_of_race(outcome) || check_race(search, size, &outcome->race, why);
}

static bool is_string(const json_t *json, const char *string)
{
    return json_is_string(json) && strcmp(json_string_value(json), string) == 0;
}

static bool is_value(const json_t *json, const struct value *value)
{
    double real;
    if (value->name)
        return is_string(json, value->name);
    switch (value->kind) {
    case TUTTI_KIND_F64:
        real = json_real_value(json);
        return json_is_real(json) && memcmp(&real, &value->as.real, sizeof real) == 0;
    case TUTTI_KIND_BOOL:
        return json_is_boolean(json) && json_is_true(json) == value->as.flag;
    case TUTTI_KIND_STRING:
        return is_string(json, value->as.string);
    default:
        return json_is_integer(json) && json_integer_value(json) == value->as.integer;
    }
}

/* config, which is there for people, must say what today's space says for the index. */
static bool check_config(const json_t *object, const char *place, const struct space *space,
                         uint64_t index, struct text *why)
{
    const json_t *config = check_member(object, place, "config", JSON_OBJECT, why);
    if (!config)
        return false;
    bool same = true;
    size_t members = 0;
    for (size_t p = 0; p < space->nparameters && same; p++) {
        if (!space_counts(space, index, p))
            continue;
        const json_t *value = json_object_get(config, space->parameters[p].name);
        same = value && is_value(value, space_value(space, index, p));
        members++;
    }
    same = same && json_object_size(config) == members;
    return same || REFUSE(why, "%sconfig is not configuration %llu of the space", place,
                          (unsigned long long)index);
}

/* The status that a word stands for among those of configurations that ran out of the search; 0. */
static int failure_from_name(const char *name)
{
    static const int failures[] = {TUTTI_STATUS_FAILED, TUTTI_STATUS_WRONG, TUTTI_STATUS_SLOW,
                                   TUTTI_STATUS_TIMEOUT, TUTTI_STATUS_CRASHED};
    for (size_t i = 0; i < sizeof failures / sizeof *failures; i++)
        if (strcmp(name, tutti_status_name(failures[i])) == 0)
            return failures[i];
    return 0;
}

static bool check_failure(const json_t *object, const char *place, int status,
                          struct outcome *outcome, uint64_t index, int ranks, struct text *why)
{
    tutti_trial *trial = &outcome->trials[index];
    int64_t rank, launcher_status = 0;
    const json_t *reason = check_member(object, place, "reason", JSON_STRING, why);
    if (!reason || !check_integer(object, place, "failed_rank", -1, ranks - 1, &rank, why))
        return false;
    if (json_object_get(object, "launcher_status") &&
        !check_integer(object, place, "launcher_status", INT32_MIN, INT32_MAX, &launcher_status,
                       why))
        return false;
    if (json_string_length(reason) > RECORD_REASON_LIMIT)
        return REFUSE(why, "%sreason is longer than %zu bytes", place, RECORD_REASON_LIMIT);
    trial->status = status;
    trial->slowest_rank = (int)rank;
    trial->launcher_status = (int)launcher_status;
    outcome_set_reason(outcome, index, json_string_value(reason));
    return true;
}

/* A list of samples, as it is written now or as it once was. */
struct sample_list {
    const char *name;
    double unit; /* of its times, in seconds */
    const json_t *list;
};

/* A sample: [round, time, slowest rank]. */
static bool check_sample(const json_t *json, double unit, uint32_t last_round, int ranks,
                         tutti_sample *sample)
{
    const json_t *round = json_array_get(json, 0), *time = json_array_get(json, 1),
                 *rank = json_array_get(json, 2);
    if (json_array_size(json) != 3 || !json_is_integer(round) || !json_is_integer(rank) ||
        !(unit < 1 ? json_is_integer(time) : json_is_number(time)))
        return false;
    const json_int_t number = json_integer_value(round), slowest = json_integer_value(rank);
    if (number <= (json_int_t)last_round || number > UINT32_MAX || slowest < -1 ||
        slowest >= ranks || !(json_number_value(time) > 0))
        return false;
    *sample = (tutti_sample){.seconds = json_number_value(time) * unit,
                             .round = (uint32_t)number,
                             .slowest_rank = (int)slowest};
    return true;
}

static bool check_list(const struct sample_list *samples, const char *place, int ranks,
                       struct outcome *outcome, uint64_t index, struct text *why)
{
    tutti_sample sample = {0};
    const size_t count = json_array_size(samples->list);
    if (count > SAMPLES_EACH)
        return REFUSE(why, "%s%s has more than %d entries", place, samples->name, SAMPLES_EACH);
    for (size_t i = 0; i < count; i++) {
        if (!check_sample(json_array_get(samples->list, i), samples->unit, sample.round, ranks,
                          &sample))
            return REFUSE(why, "%s%s[%zu] is not a round, a time and a rank", place, samples->name,
                          i);
        samples_note(outcome, index, sample);
    }
    return true;
}

/* The list that an entry has, in the one form or the other; the name is NULL if it has none. */
static struct sample_list find_samples(const json_t *entry)
{
    const struct sample_list now = {"samples_ps", 1e-12, json_object_get(entry, "samples_ps")};
    const struct sample_list once = {"samples", 1, json_object_get(entry, "samples")};
    return now.list ? now : once.list ? once : (struct sample_list){0};
}

/* An integer that is not there is as given in *integer. */
static bool check_optional(const json_t *object, const char *place, const char *name, int64_t least,
                           int64_t *integer, struct text *why)
{
    return !json_object_get(object, name) ||
           check_integer(object, place, name, least, INT64_MAX, integer, why);
}

/* What only a race knows, if it is there: records of other policies, and older ones, lack it. */
static bool check_samples(const json_t *object, const char *place, int ranks,
                          struct outcome *outcome, uint64_t index, struct text *why)
{
    tutti_trial *trial = &outcome->trials[index];
    const struct sample_list samples = find_samples(object);
    const int64_t listed = (int64_t)json_array_size(samples.list);
    int64_t taken = listed, dropped = 0;
    if (!samples.name)
        return true;
    if (!check_member(object, place, samples.name, JSON_ARRAY, why) ||
        !check_list(&samples, place, ranks, outcome, index, why) ||
        !check_optional(object, place, "taken", listed, &taken, why) ||
        !check_optional(object, place, "dropped", 0, &dropped, why))
        return false;
    trial->taken = (uint64_t)taken;
    trial->dropped = (uint64_t)dropped;
    return true;
}

static bool check_measured(const json_t *object, const char *place, tutti_trial *trial, int ranks,
                           struct text *why)
{
    int64_t rank;
    if (!check_seconds(object, place, "seconds", true, &trial->seconds, why) ||
        !check_integer(object, place, "slowest_rank", -1, ranks - 1, &rank, why))
        return false;
    trial->status = TUTTI_STATUS_OK;
    trial->slowest_rank = (int)rank;
    return true;
}

/* One entry of the list; *index is the least that it may be for, and then the next entry's. */
static bool check_entry(const json_t *entry, const char *place, const struct identity *identity,
                        struct outcome *outcome, uint64_t *index, struct text *why)
{
    const uint64_t size = identity->space->size;
    int64_t number;
    if (!check_integer(entry, place, "index", (int64_t)*index, (int64_t)size - 1, &number, why))
        return false;
    const uint64_t at = (uint64_t)number;
    *index = at + 1;
    const json_t *status = check_member(entry, place, "status", JSON_STRING, why);
    if (!status || !check_config(entry, place, identity->space, at, why))
        return false;
    if (strcmp(json_string_value(status), "ok") == 0)
        return check_measured(entry, place, &outcome->trials[at], identity->ranks, why) &&
               check_samples(entry, place, identity->ranks, outcome, at, why);
    const int failure = failure_from_name(json_string_value(status));
    if (failure)
        return check_failure(entry, place, failure, outcome, at, identity->ranks, why);
    return REFUSE(why, "%sstatus is not one that a record can have", place);
}

/* What is not listed was pruned; the count tells apart what was taken out. */
static bool check_configurations(const json_t *root, const struct identity *identity,
                                 int64_t pruned, struct outcome *outcome, struct text *why)
{
    const json_t *list = check_member(root, "", "configurations", JSON_ARRAY, why);
    if (!list)
        return false;
    const uint64_t count = json_array_size(list), size = identity->space->size;
    if (count != size - (uint64_t)pruned)
        return REFUSE(why, "configurations has %llu entries, not %llu less %lld pruned",
                      (unsigned long long)count, (unsigned long long)size, (long long)pruned);
    uint64_t index = 0;
    for (uint64_t i = 0; i < count; i++) {
        char place[PLACE_SIZE];
        const json_t *entry = json_array_get(list, i);
        snprintf(place, sizeof place, "configurations[%llu].", (unsigned long long)i);
        if (!json_is_object(entry))
            return REFUSE(why, "%.*s is not an object", (int)strlen(place) - 1, place);
        if (!check_entry(entry, place, identity, outcome, &index, why))
            return false;
    }
    return true;
}

static bool check_winner(const json_t *root, const struct space *space, struct outcome *outcome,
                         struct text *why)
{
    int64_t index;
    double seconds;
    const json_t *winner = check_member(root, "", "winner", JSON_OBJECT, why);
    if (!winner ||
        !check_integer(winner, "winner.", "index", 0, (int64_t)space->size - 1, &index, why) ||
        !check_seconds(winner, "winner.", "seconds", true, &seconds, why) ||
        !check_config(winner, "winner.", space, (uint64_t)index, why))
        return false;
    const tutti_trial *trial = &outcome->trials[index];
    if (trial->status != TUTTI_STATUS_OK)
        return REFUSE(why, "winner.index is %lld, which is not ok", (long long)index);
    if (memcmp(&seconds, &trial->seconds, sizeof seconds) != 0)
        return REFUSE(why, "winner.seconds is %g, its configuration has %g", seconds,
                      trial->seconds);
    outcome->winner = (uint64_t)index;
    return true;
}

/* At most: whatever stands there is judged later. */
static uint64_t count_samples(const json_t *root)
{
    const json_t *list = json_object_get(root, "configurations");
    uint64_t count = 0;
    for (size_t i = 0; i < json_array_size(list); i++)
        count += json_array_size(find_samples(json_array_get(list, i)).list);
    return count;
}

static enum record_verdict judge_outcome(const json_t *root, const struct identity *identity,
                                         struct outcome *outcome, struct text *why)
{
    int64_t pruned;
    if (outcome_init(outcome, identity->space->size) != TUTTI_SUCCESS)
        return RECORD_NO_MEMORY;
    if (samples_reserve(outcome, count_samples(root)) != TUTTI_SUCCESS) {
        outcome_release(outcome);
        return RECORD_NO_MEMORY;
    }
    if (check_policy(root, outcome, why) &&
        check_search(root, identity->space->size, outcome, &pruned, why) &&
        check_configurations(root, identity, pruned, outcome, why) &&
        check_winner(root, identity->space, outcome, why)) {
        samples_lay_out(outcome);
        return RECORD_APPLIES;
    }
    outcome_release(outcome);
    return RECORD_CORRUPT;
}

/* The build id changes with every link of the program, mostly for reasons of no concern here. */
static enum record_verdict judge_environment(const json_t *root, const struct identity *identity,
                                             struct text *why)
{
    json_t *found = check_member(root, "", "environment", JSON_OBJECT, why);
    if (!found || !check_strings(found, "environment", why))
        return RECORD_CORRUPT;
    json_t *expected = lines_json(identity->environment);
    if (!expected)
        return RECORD_NO_MEMORY;
    json_object_del(found, ENVIRONMENT_BUILD_ID);
    json_object_del(expected, ENVIRONMENT_BUILD_ID);
    const bool differs = json_difference(found, expected, "environment", why);
    json_decref(expected);
    return differs ? RECORD_APPLIES_ELSEWHERE : RECORD_APPLIES;
}

static enum record_verdict judge(const json_t *root, const struct identity *identity,
                                 const json_t *expected, struct outcome *outcome, struct text *why)
{
    enum record_verdict verdict = judge_identity(root, expected, why);
    if (verdict == RECORD_APPLIES)
        verdict = judge_outcome(root, identity, outcome, why);
    if (verdict != RECORD_APPLIES)
        return verdict;
    verdict = judge_environment(root, identity, why);
    if (verdict != RECORD_APPLIES && verdict != RECORD_APPLIES_ELSEWHERE)
        outcome_release(outcome);
    return verdict;
}

enum record_verdict record_decode(const char *bytes, size_t length, const struct identity *identity,
                                  struct outcome *outcome, struct text *why)
{
    json_t *root = NULL;
    enum record_verdict verdict = record_parse(bytes, length, &root, why);
    if (verdict != RECORD_APPLIES)
        return verdict;
    json_t *expected = identity_json(identity);
    verdict = expected ? judge(root, identity, expected, outcome, why) : RECORD_NO_MEMORY;
    json_decref(expected);
    json_decref(root);
    return verdict;
}

enum record_verdict record_judge(const json_t *root, struct space *space, struct outcome *outcome,
                                 struct text *why)
{
    const json_t *found = find_identity(root, why);
    if (!found)
        return RECORD_CORRUPT;
    const int status = space_from_json(found, json_object_get(root, "configurations"), space, why);
    if (status)
        return status == TUTTI_ERR_MEMORY ? RECORD_NO_MEMORY : RECORD_CORRUPT;
    const json_t *group = json_object_get(found, "group");
    const struct identity itself = {
        .space = space, .ranks = (int)json_integer_value(json_object_get(group, "ranks"))};
    enum record_verdict verdict = judge_outcome(root, &itself, outcome, why);
    const json_t *environment =
        verdict == RECORD_APPLIES ? check_member(root, "", "environment", JSON_OBJECT, why) : NULL;
    if (verdict == RECORD_APPLIES &&
        (!environment || !check_strings(environment, "environment", why))) {
        outcome_release(outcome);
        verdict = RECORD_CORRUPT;
    }
    if (verdict != RECORD_APPLIES)
        space_release(space);
    return verdict;
}
