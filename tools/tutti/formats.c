/* See formats.h. */
#include "formats.h"

#include <stdlib.h>
#include <string.h>

#include "print.h"

static json_t *winner_json(const struct view *view)
{
    const struct view_trial *winner = &view->trials[view->winner];
    return need(json_pack("{s:s, s:o, s:o, s:O, s:f, s:s}", "function", view->function, "key",
                          view_key_json(view), "ranks",
                          view->is_triton ? json_null() : json_integer(view->info.ranks), "config",
                          winner->config, "seconds", winner->seconds, "source",
                          view->is_triton ? "triton_dist" : "record"));
}

json_t *manifest_json(struct view *const *views, size_t count)
{
    json_t *list = need(json_array());
    for (size_t i = 0; i < count; i++)
        json_array_append_new(list, winner_json(views[i]));
    return list;
}

/* ---- T4 ---- */

static const char *t4_invalidity(int status)
{
    switch (status) {
    case TUTTI_STATUS_OK:
        return "correct";
    case TUTTI_STATUS_WRONG:
        return "correctness";
    case TUTTI_STATUS_TIMEOUT:
    case TUTTI_STATUS_SLOW:
        return "timeout";
    default:
        return "runtime";
    }
}

static json_t *t4_runtimes(const struct view *view, const struct view_trial *trial)
{
    json_t *runtimes = need(json_array());
    const tutti_trial *own = view->record ? &view->info.trials[trial->index] : NULL;
    for (size_t i = 0; own && i < own->nsamples; i++)
        json_array_append_new(runtimes, json_real(1e3 * own->samples[i].seconds));
    if (!json_array_size(runtimes) && trial->status == TUTTI_STATUS_OK)
        json_array_append_new(runtimes, json_real(1e3 * trial->seconds));
    return runtimes;
}

static json_t *t4_measurements(const struct view_trial *trial)
{
    json_t *list = need(json_array());
    if (trial->status == TUTTI_STATUS_OK)
        json_array_append_new(list, json_pack("{s:s, s:f, s:s}", "name", "time", "value",
                                              1e3 * trial->seconds, "unit", "ms"));
    return list;
}

static json_t *t4_result(const struct view *view, const struct view_trial *trial,
                         const char *timestamp)
{
    json_t *times = json_pack("{s:o}", "runtimes", t4_runtimes(view, trial));
    return need(json_pack("{s:s, s:O, s:[s], s:o, s:s, s:i, s:o}", "timestamp", timestamp,
                          "configuration", trial->config, "objectives", "time", "times", times,
                          "invalidity", t4_invalidity(trial->status), "correctness",
                          trial->status == TUTTI_STATUS_OK, "measurements",
                          t4_measurements(trial)));
}

json_t *t4_json(const struct view *view)
{
    json_t *results = need(json_array());
    char *timestamp = time_text(view->info.finished);
    for (size_t i = 0; i < view->ntrials; i++)
        json_array_append_new(results, t4_result(view, &view->trials[i], timestamp));
    free(timestamp);
    return need(json_pack("{s:s, s:o}", "schema_version", "1.0.0", "results", results));
}

char *json_file_text(json_t *value, size_t *length)
{
    char *text = need(json_dumps(value, JSON_INDENT(2) | JSON_REAL_PRECISION(17)));
    char *whole = format("%s\n", text);
    *length = strlen(whole);
    free(text);
    json_decref(value);
    return whole;
}
