/* The page of tutti report: text and tables are written here, so that they are there without
 * scripts; report/page.js adds the plots, from the data that stand in the page as JSON. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <tutti/tutti.h>

#include "print.h"
#include "report.h"
#include "report_assets.h"

enum { ROWS_MOST = 1000 }; /* of a table of configurations: more are in the data, not in the text */

/* ---- writing HTML ---- */

/* Text from outside: what means something in HTML, and control characters, are made harmless. */
static void add_text(FILE *page, const char *text)
{
    char *shown = printable(text);
    for (const char *at = shown; *at; at++) {
        const char *entity = *at == '<'    ? "&lt;"
                             : *at == '>'  ? "&gt;"
                             : *at == '&'  ? "&amp;"
                             : *at == '"'  ? "&quot;"
                             : *at == '\'' ? "&#39;"
                                           : NULL;
        if (entity)
            fputs(entity, page);
        else
            fputc(*at, page);
    }
    free(shown);
}

/* Takes the text. */
static void add_owned(FILE *page, char *text)
{
    add_text(page, text);
    free(text);
}

/* An element with nothing but text in it; takes the text. tag may have attributes. */
static void add_element(FILE *page, const char *tag, char *text)
{
    fprintf(page, "<%s>", tag);
    add_owned(page, text);
    fprintf(page, "</%.*s>", (int)strcspn(tag, " "), tag);
}

/* A row of a list of facts. */
static void add_fact(FILE *page, const char *name, char *text)
{
    fputs("<div>", page);
    add_element(page, "dt", format("%s", name));
    add_element(page, "dd", text);
    fputs("</div>\n", page);
}

static void add_figure(FILE *page, const char *name, char *value, char *note)
{
    fputs("<div>", page);
    add_element(page, "dt", format("%s", name));
    add_element(page, "dd", value);
    add_element(page, "dd class=note", note);
    fputs("</div>\n", page);
}

/* A name that begins with ">" is that of a column of numbers. */
static void add_headings(FILE *page, const char *const *names)
{
    fputs("<thead><tr>", page);
    for (size_t i = 0; names[i]; i++) {
        const bool is_number = names[i][0] == '>';
        add_element(page, is_number ? "th scope=col class=number" : "th scope=col",
                    format("%s", names[i] + is_number));
    }
    fputs("</tr></thead>\n", page);
}

/* ---- the data for the plots ---- */

static json_t *knobs_json(const struct chart *chart)
{
    json_t *knobs = need(json_array());
    for (size_t i = 0; i < chart->nknobs; i++) {
        const struct chart_knob *knob = &chart->knobs[i];
        json_t *values = need(json_array());
        for (size_t v = 0; v < knob->nvalues; v++)
            json_array_append_new(values, json_string(knob->values[v]));
        json_array_append_new(knobs, json_pack("{s:s, s:o}", "name", knob->name, "values", values));
    }
    return knobs;
}

static json_t *samples_json(const tutti_trial *kept)
{
    json_t *samples = need(json_array());
    for (size_t i = 0; i < kept->nsamples; i++)
        json_array_append_new(samples,
                              json_pack("[I, f, i]", (json_int_t)kept->samples[i].round,
                                        kept->samples[i].seconds, kept->samples[i].slowest_rank));
    return samples;
}

static json_t *trial_json(const struct chart *chart, size_t position)
{
    const struct view_trial *trial = &chart->view->trials[position];
    const tutti_trial *kept = chart_race(chart, position);
    json_t *places = need(json_array());
    for (size_t k = 0; k < chart->nknobs; k++)
        json_array_append_new(places, json_integer(chart->places[position * chart->nknobs + k]));
    const bool ok = trial->status == TUTTI_STATUS_OK;
    json_t *object = need(json_pack("{s:I, s:s, s:o, s:i, s:o}", "index", (json_int_t)trial->index,
                                    "status", tutti_status_name(trial->status), "seconds",
                                    ok ? json_real(trial->seconds) : json_null(), "rank",
                                    trial->rank, "places", places));
    if (kept) {
        json_object_set_new(object, "taken", json_integer((json_int_t)kept->taken));
        json_object_set_new(object, "dropped", json_integer((json_int_t)kept->dropped));
        json_object_set_new(object, "samples", samples_json(kept));
    }
    return object;
}

/* The trials in the order of their times, so the winner's place is among them. */
static json_t *record_json(const struct chart *chart, size_t number)
{
    json_t *trials = need(json_array());
    for (size_t i = 0; i < chart->view->ntrials; i++)
        json_array_append_new(trials, trial_json(chart, chart->order[i]));
    return need(json_pack("{s:I, s:o, s:o, s:I, s:i, s:I, s:I, s:I}", "section", (json_int_t)number,
                          "knobs", knobs_json(chart), "trials", trials, "winner",
                          (json_int_t)chart->view->trials[chart->view->winner].index, "ranks",
                          chart->view->info.ranks, "rounds", (json_int_t)chart_rounds(chart),
                          "across", (json_int_t)chart->across, "up", (json_int_t)chart->up));
}

/* Inside a script element only "<" could end the data; it stands in strings only, where it can be
 * written as an escape. ASCII, so that no odd line end is in it. */
static void add_data(FILE *page, json_t *records)
{
    char *text =
        need(json_dumps(records, JSON_COMPACT | JSON_ENSURE_ASCII | JSON_REAL_PRECISION(7)));
    fputs("<script type=\"application/json\" id=\"data\">", page);
    for (const char *at = text; *at; at++) {
        if (strchr("<>&", *at))
            fprintf(page, "\\u%04x", (unsigned)*at);
        else
            fputc(*at, page);
    }
    fputs("</script>\n", page);
    free(text);
    json_decref(records);
}

/* ---- a record ---- */

static char *percent_text(double fraction)
{
    return fraction >= 1e6 ? format("no bound") : format("%.2g%%", 100 * fraction);
}

static void add_title(FILE *page, const struct view *view, size_t number)
{
    fprintf(page, "<h2 id=\"title-%zu\" tabindex=-1><bdi>", number);
    add_text(page, view->function);
    fputs("</bdi>", page);
    if (!view->is_triton && *view->info.version)
        add_element(page, "small", format(" %s", view->info.version));
    fputs("</h2>\n", page);
    fputs("<p class=key>", page);
    add_owned(page, view_key_text(view));
    fputs("</p>\n", page);
}

static void add_gain(FILE *page, const struct view *view)
{
    const double before = view_default_seconds(view);
    char *was = seconds_text(before);
    if (before > 0)
        add_figure(page, "Gain over the default", view_gain_text(view),
                   format("configuration 0 takes %s", was));
    else
        add_figure(page, "Gain over the default", format("-"),
                   format(view->is_triton ? "the default is not in the record"
                                          : "configuration 0 has no time"));
    free(was);
}

static void add_noise(FILE *page, const struct view *view)
{
    const tutti_record_info *info = &view->info;
    if (view->is_triton || info->policy == TUTTI_POLICY_EXHAUSTIVE)
        return;
    char *within = percent_text(info->within), *distance = percent_text(fabs(info->distance));
    add_figure(page, "Noise", percent_text(info->noise),
               format("of one sample; the best is faster than the winner by at most %s", within));
    if (info->runner_up >= 0)
        add_figure(page, "Runner-up", format("#%lld", (long long)info->runner_up),
                   format("%s %s%s", distance, info->distance < 0 ? "faster" : "slower",
                          info->equal ? ": not to be told from the winner" : ""));
    free(within);
    free(distance);
}

static void add_counts(FILE *page, const struct chart *chart)
{
    const struct view *view = chart->view;
    const size_t failed = view->ntrials - chart->nmeasured;
    const size_t all = view->is_triton ? view->ntrials : view->info.ntrials;
    char *search = view->is_triton ? format("%s", "") : seconds_text(view->info.search_seconds);
    add_figure(
        page, "Configurations", format("%zu of %zu", view->ntrials, all),
        format("ran; %zu of these without a time%s%s", failed, *search ? "; in " : "", search));
    free(search);
}

static void add_figures(FILE *page, const struct chart *chart)
{
    const struct view *view = chart->view;
    const struct view_trial *winner = &view->trials[view->winner];
    fputs("<dl class=figures>\n", page);
    add_figure(page, "Winner", seconds_text(winner->seconds), view_config_text(winner->config));
    add_gain(page, view);
    add_noise(page, view);
    add_counts(page, chart);
    fputs("</dl>\n", page);
}

static void add_row(FILE *page, const struct view *view, const struct view_trial *trial)
{
    const bool ok = trial->status == TUTTI_STATUS_OK;
    const double best = view->trials[view->winner].seconds;
    const bool wins = trial == &view->trials[view->winner];
    fputs(wins ? "<tr class=winner>" : "<tr>", page);
    add_element(page, "td class=number", format("#%llu", (unsigned long long)trial->index));
    add_element(page, "td", format("%s", wins ? "winner" : tutti_status_name(trial->status)));
    add_element(page, "td class=number", ok ? seconds_text(trial->seconds) : format("-"));
    add_element(page, "td class=number", ok ? format("%.2fx", trial->seconds / best) : format("-"));
    add_element(page, "td class=number",
                trial->rank >= 0 ? format("%d", trial->rank) : format("-"));
    add_element(page, "td class=text", view_config_text(trial->config));
    add_element(page, "td class=text", format("%s", trial->reason ? trial->reason : ""));
    fputs("</tr>\n", page);
}

static void add_configurations(FILE *page, const struct chart *chart)
{
    static const char *const names[] = {">Index", "Status",        ">Time",  ">To winner",
                                        ">Rank",  "Configuration", "Reason", NULL};
    const struct view *view = chart->view;
    const size_t left_out = view->ntrials > ROWS_MOST ? view->ntrials - ROWS_MOST : 0;
    fputs("<details class=configurations><summary>Configurations</summary>\n<p>Rank: the slowest "
          "one, "
          "or the first one that failed.",
          page);
    if (chart->order[0] != view->winner)
        fputs(" The winner has not the least time: a race leaves the default its place unless "
              "another "
              "one is clearly faster, beyond the noise.",
              page);
    if (left_out)
        fprintf(page, " The %zu slowest and those without a time that follow are left out here.",
                left_out);
    fputs("</p>\n<div class=wide tabindex=0 role=region aria-label=Configurations><table>", page);
    add_headings(page, names);
    fputs("<tbody>\n", page);
    for (size_t i = 0; i < view->ntrials - left_out; i++)
        add_row(page, view, &view->trials[chart->order[i]]);
    fputs("</tbody></table></div></details>\n", page);
}

static void add_list(FILE *page, const struct view_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        add_fact(page, list->entries[i].name, format("%s", list->entries[i].text));
}

static void add_protocol(FILE *page, const tutti_record_info *info)
{
    const bool exhaustive = info->policy == TUTTI_POLICY_EXHAUSTIVE;
    const char *name = tutti_policy_name(info->policy);
    add_fact(page, "policy",
             exhaustive ? format("%s: %d warm-ups and %d runs of each configuration", name,
                                 info->warmups, info->samples)
                        : format("%s: %d warm-ups, then %llu rounds, %d calls a sample%s", name,
                                 info->warmups, (unsigned long long)info->rounds, info->samples,
                                 info->budget_ended_it ? "; ended by a budget in seconds" : ""));
    add_fact(page, "cost",
             format("%llu calls and %llu group operations on each rank",
                    (unsigned long long)info->search_calls,
                    (unsigned long long)info->search_operations));
}

static void add_identity(FILE *page, const struct view *view)
{
    const tutti_record_info *info = &view->info;
    fputs("<details class=identity><summary>Identity and environment</summary>\n<dl class=facts>\n",
          page);
    if (info->finished)
        add_fact(page, "finished", time_text(info->finished));
    if (!view->is_triton) {
        add_protocol(page, info);
        add_fact(page, "ranks", format("%d (%s, %s)", info->ranks, info->group, info->placement));
        add_fact(page, "source", format("%s", *info->source_id ? info->source_id : "unknown"));
        add_fact(page, "timer", format("%s", info->timer));
    }
    add_list(page, &view->hardware);
    add_list(page, &view->environment);
    add_fact(page, "record", format("%s", view->path));
    fputs("</dl></details>\n", page);
}

static void add_record(FILE *page, const struct chart *chart, size_t number)
{
    fprintf(page, "<section class=record id=\"record-%zu\" aria-labelledby=\"title-%zu\">\n",
            number, number);
    add_title(page, chart->view, number);
    add_figures(page, chart);
    fputs("<div class=plots></div>\n", page);
    add_configurations(page, chart);
    add_identity(page, chart->view);
    fputs("</section>\n", page);
}

/* ---- the list ---- */

static void add_list_row(FILE *page, const struct view *view, size_t number)
{
    const struct view_trial *winner = &view->trials[view->winner];
    fprintf(page, "<tr><th scope=row><a href=\"#record-%zu\"><bdi>", number);
    add_text(page, view->function);
    fputs("</bdi></a></th>", page);
    add_element(page, "td class=text", view_key_text(view));
    add_element(page, "td class=number data-name=ranks",
                view->is_triton ? format("-") : format("%d", view->info.ranks));
    add_element(page, "td class=text data-name=winner", view_config_text(winner->config));
    add_element(page, "td class=number data-name=time", seconds_text(winner->seconds));
    add_element(page, "td class=number data-name=gain", view_gain_text(view));
    add_element(page, "td class=number data-name=age",
                view->info.finished ? age_text(view->info.finished) : format("-"));
    fputs("</tr>\n", page);
}

static void add_unreadable(FILE *page, const struct found *found)
{
    if (!found->nunreadable)
        return;
    fputs("<h2>Can't be read</h2>\n<dl class=facts>\n", page);
    for (size_t i = 0; i < found->nunreadable; i++)
        add_fact(page, found->unreadable[i].path, format("%s", found->unreadable[i].why));
    fputs("</dl>\n", page);
}

static void add_records(FILE *page, const struct found *found)
{
    static const char *const names[] = {"Function", "Key",   ">Ranks", "Winner",
                                        ">Time",    ">Gain", ">Age",   NULL};
    fputs("<div class=wide tabindex=0 role=region aria-label=Records><table class=records>", page);
    add_headings(page, names);
    fputs("<tbody>\n", page);
    for (size_t i = 0; i < found->count; i++)
        add_list_row(page, found->views[i], i);
    fputs(
        "</tbody></table></div>\n<p class=note>Time: of the winner on the slowest rank. Gain: over "
        "configuration 0. Age: when this page was made.</p>\n",
        page);
    add_unreadable(page, found);
}

/* ---- the page ---- */

static void add_bytes(FILE *page, struct asset asset)
{
    fwrite(asset.bytes, 1, asset.length, page);
}

static void add_head(FILE *page)
{
    fputs("<!DOCTYPE html>\n<html lang=en>\n<head>\n<meta charset=utf-8>\n"
          "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
          "script-src " TUTTI_REPORT_HASHES "; style-src 'unsafe-inline'; img-src data:; "
          "base-uri 'none'; form-action 'none'\">\n"
          "<meta name=viewport content=\"width=device-width, initial-scale=1\">\n"
          "<meta name=color-scheme content=\"light dark\">\n"
          "<link rel=icon href=\"data:,\">\n<title>tutti report</title>\n<style>\n",
          page);
    add_bytes(page, asset_style());
    fputs("</style>\n</head>\n<body>\n", page);
}

static void add_scripts(FILE *page)
{
    struct asset scripts[ASSET_SCRIPTS];
    asset_scripts(scripts);
    fputs("<!--\n", page);
    add_bytes(page, asset_licences());
    fputs("-->\n", page);
    for (size_t i = 0; i < ASSET_SCRIPTS; i++) {
        fputs("<script>", page);
        add_bytes(page, scripts[i]);
        fputs("</script>\n", page);
    }
}

static void add_body(FILE *page, const struct found *found)
{
    json_t *records = need(json_array());
    fprintf(
        page,
        "<header><h1>tutti report</h1><p class=note>%zu record%s; made by tutti %s</p></header>\n"
        "<main>\n",
        found->count, found->count == 1 ? "" : "s", tutti_version());
    add_records(page, found);
    for (size_t i = 0; i < found->count; i++) {
        struct chart *chart = chart_new(found->views[i]);
        add_record(page, chart, i);
        json_array_append_new(records, record_json(chart, i));
        chart_release(chart);
    }
    fputs("</main>\n<noscript><p class=note>The plots need JavaScript; the tables are all here."
          "</p></noscript>\n",
          page);
    add_data(page, records);
}

char *report_page(const struct found *found, size_t *length)
{
    char *bytes = NULL;
    FILE *page = need(open_memstream(&bytes, length));
    add_head(page);
    add_body(page, found);
    add_scripts(page);
    fputs("</body>\n</html>\n", page);
    const bool good = fflush(page) == 0 && !ferror(page);
    fclose(page);
    return need(good ? bytes : NULL);
}
