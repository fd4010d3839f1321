/* Writing a record: JSON that people can read, in one fixed order, one configuration per line. */
#include "record_json.h"

#include <math.h>
#include <time.h>

#define LAST_SECOND INT64_C(253402300799) /* of the year 9999 */

static void write_value(const json_t *value, int depth, struct text *json);

static void write_name(const char *name, struct text *json)
{
    json_t *string = json_string(name);
    json_text(string, 0, json);
    json_decref(string);
    text_add(json, ": ");
}

static void write_members(const json_t *object, int depth, struct text *json)
{
    const char *separator = "";
    const char *name;
    json_t *value;
    text_add(json, "{");
    json_object_foreach((json_t *)(uintptr_t)object, name, value)
    {
        text_add(json, "%s\n%*s", separator, 2 * depth, "");
        write_name(name, json);
        write_value(value, depth + 1, json);
        separator = ",";
    }
    text_add(json, "\n%*s}", 2 * (depth - 1), "");
}

/* What stands in a list stays on one line, so that lists read like tables. */
static void write_elements(const json_t *array, int depth, struct text *json)
{
    text_add(json, "[");
    for (size_t i = 0; i < json_array_size(array); i++) {
        text_add(json, "%s\n%*s", i ? "," : "", 2 * depth, "");
        json_text(json_array_get(array, i), 0, json);
    }
    text_add(json, "\n%*s]", 2 * (depth - 1), "");
}

static void write_value(const json_t *value, int depth, struct text *json)
{
    if (json_object_size(value))
        write_members(value, depth, json);
    else if (json_array_size(value))
        write_elements(value, depth, json);
    else
        json_text(value, 0, json);
}

/* Takes the value; one that could not be made marks the text as failed. */
static void write_part(const char *name, json_t *value, struct text *json)
{
    text_add(json, "  ");
    write_name(name, json);
    write_value(value, 2, json);
    text_add(json, ",\n");
    json_decref(value);
}

static json_t *policy_json(const struct outcome *outcome)
{
    json_t *object = json_object();
    const int policy = outcome_is_of_race(outcome) ? outcome->policy : TUTTI_POLICY_EXHAUSTIVE;
    json_put(&object, "name", json_string(tutti_policy_name(policy)));
    json_put(&object, "warmups", json_integer(outcome->warmups));
    json_put(&object, "samples", json_integer(outcome->samples));
    if (outcome->aggregation && outcome->aggregation != outcome_usual_aggregation(policy))
        json_put(&object, "aggregation", json_string(RECORD_AGGREGATION(outcome->aggregation)));
    return object;
}

static json_t *time_json(int64_t seconds)
{
    char buffer[32];
    struct tm parts;
    const time_t time = seconds < 0 ? 0 : seconds > LAST_SECOND ? LAST_SECOND : seconds;
    gmtime_r(&time, &parts);
    strftime(buffer, sizeof buffer, "%Y-%m-%dT%H:%M:%SZ", &parts);
    return json_string(buffer);
}

static bool was_run(const tutti_trial *trial)
{
    return trial->status != TUTTI_STATUS_PRUNED && trial->status != TUTTI_STATUS_NOT_RUN;
}

static uint64_t count_pruned(const struct outcome *outcome)
{
    uint64_t pruned = 0;
    for (uint64_t i = 0; i < outcome->ntrials; i++)
        pruned += !was_run(&outcome->trials[i]);
    return pruned;
}

/* JSON has no infinity; an error that two rounds can't tell is one. */
static double made_finite(double value)
{
    return isfinite(value) ? value : 1e9;
}

/* How a race ended. */
static json_t *race_json(const struct race_figures *race)
{
    json_t *object = json_object();
    json_put(&object, "rounds", json_integer((json_int_t)race->rounds));
    json_put(&object, "stopped", json_boolean(race->stopped));
    json_put(&object, "equal", json_boolean(race->equal));
    json_put(&object, "runner_up", json_integer((json_int_t)race->runner_up));
    json_put(&object, "distance", json_real(made_finite(race->distance)));
    json_put(&object, "confidence", json_real(made_finite(race->confidence)));
    json_put(&object, "within", json_real(made_finite(race->within)));
    json_put(&object, "noise", json_real(made_finite(race->noise)));
    return object;
}

static json_t *search_json(const struct outcome *outcome)
{
    json_t *object = json_object();
    json_put(&object, "finished", time_json(outcome->finished));
    json_put(&object, "seconds", json_real(outcome->search_seconds));
    json_put(&object, "calls", json_integer((json_int_t)outcome->search_calls));
    json_put(&object, "operations", json_integer((json_int_t)outcome->search_operations));
    json_put(&object, "pruned", json_integer((json_int_t)count_pruned(outcome)));
    if (outcome_is_of_race(outcome))
        json_put(&object, "race", race_json(&outcome->race));
    return object;
}

static json_t *winner_json(const struct space *space, const struct outcome *outcome)
{
    json_t *object = json_object();
    json_put(&object, "index", json_integer((json_int_t)outcome->winner));
    json_put(&object, "seconds", json_real(outcome->trials[outcome->winner].seconds));
    json_put(&object, "config", configuration_json(space, outcome->winner));
    return object;
}

/* A clock has no finer steps, and whole numbers are read faster. */
static json_int_t picoseconds(double seconds)
{
    const double scaled = round(seconds * 1e12);
    return scaled < 1 ? 1 : scaled < 9e18 ? (json_int_t)scaled : (json_int_t)9e18;
}

/* What a race knows of a configuration beside its time. */
static void put_samples(json_t **object, const tutti_trial *trial)
{
    json_t *list = json_array();
    for (size_t i = 0; i < trial->nsamples; i++) {
        const tutti_sample *sample = &trial->samples[i];
        if (list && json_array_append_new(list, json_pack("[I, I, i]", (json_int_t)sample->round,
                                                          picoseconds(sample->seconds),
                                                          sample->slowest_rank)) != 0) {
            json_decref(list);
            list = NULL;
        }
    }
    if (trial->taken > trial->nsamples)
        json_put(object, "taken", json_integer((json_int_t)trial->taken));
    if (trial->dropped)
        json_put(object, "dropped", json_integer((json_int_t)trial->dropped));
    json_put(object, "samples_ps", list);
}

static json_t *trial_json(const struct space *space, uint64_t index, const tutti_trial *trial)
{
    json_t *object = json_object();
    json_put(&object, "index", json_integer((json_int_t)index));
    if (trial->status == TUTTI_STATUS_OK) {
        json_put(&object, "status", json_string("ok"));
        json_put(&object, "seconds", json_real(trial->seconds));
        json_put(&object, "slowest_rank", json_integer(trial->slowest_rank));
        if (trial->taken > 0)
            put_samples(&object, trial);
    } else {
        json_put(&object, "status", json_string(tutti_status_name(trial->status)));
        json_put(&object, "failed_rank", json_integer(trial->slowest_rank));
        if (trial->launcher_status)
            json_put(&object, "launcher_status", json_integer(trial->launcher_status));
        json_put(&object, "reason", string_json(trial->reason, RECORD_REASON_LIMIT));
    }
    json_put(&object, "config", configuration_json(space, index));
    return object;
}

/* One by one: a space may have a million configurations. */
static void write_configurations(const struct space *space, const struct outcome *outcome,
                                 struct text *json)
{
    const char *separator = "";
    text_add(json, "  \"configurations\": [");
    for (uint64_t i = 0; i < outcome->ntrials && !json->failed; i++) {
        if (!was_run(&outcome->trials[i]))
            continue;
        json_t *trial = trial_json(space, i, &outcome->trials[i]);
        text_add(json, "%s\n    ", separator);
        json_text(trial, 0, json);
        json_decref(trial);
        separator = ",";
    }
    text_add(json, "\n  ]\n}\n");
}

int record_encode(const struct identity *identity, const struct outcome *outcome, struct text *json)
{
    text_add(json, "{\n  \"tutti_record\": %d,\n", RECORD_FORMAT);
    write_part("identity", identity_json(identity), json);
    write_part("environment", lines_json(identity->environment), json);
    write_part("policy", policy_json(outcome), json);
    write_part("search", search_json(outcome), json);
    write_part("winner", winner_json(identity->space, outcome), json);
    write_configurations(identity->space, outcome, json);
    return json->failed ? TUTTI_ERR_MEMORY : TUTTI_SUCCESS;
}
