/* tutti show: all that a record says, readable. */
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "find.h"
#include "print.h"
#include "table.h"

enum { KEY_TOP = 'n', TOP = 20, BAR = 20 };

struct input {
    struct output_options output;
    struct selection selection;
    size_t top; /* 0: all */
};

static error_t parse(int key, char *text, struct argp_state *state)
{
    struct input *input = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &input->selection;
        state->child_inputs[1] = &input->output;
        return 0;
    case KEY_TOP:
        input->top = (size_t)number_option(state, "--top", text, 0, INT32_MAX);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option options[] = {
    {"top", KEY_TOP, "N", 0, "Rank only the N fastest configurations; 0 is all. Default: 20", 2},
    {0}};

static const struct argp_child children[] = {
    {&selection_argp, 0, NULL, 0}, {&output_argp, 0, NULL, 0}, {0}};

static const struct argp argp = {
    .options = options,
    .parser = parse,
    .args_doc = "FUNCTION|RECORD|FILE...",
    .doc = "Show records: the key, the winner, how the search went, the configurations by their "
           "times, those without one with the reason, and what the record applies to."
           "\vBars are relative to the slowest configuration shown. With --json exactly one record "
           "must be meant; it is written byte by byte as it is stored (one of Triton-distributed: "
           "with Infinity and NaN as strings).\n\n"
           "Exit status: 0; 1 if no record is meant, or with --json more than one; 2 wrong usage; "
           "3 an error.",
    .children = children};

/* ---- parts ---- */

/* Takes the text. */
static void print_line(const char *name, char *text)
{
    char *shown = printable(text);
    printf("  %-12s  %s\n", name, shown);
    free(shown);
    free(text);
}

/* The name of the part before the first line only. */
static void print_list(const char *name, const struct view_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        print_line(i ? "" : name, format("%s = %s", list->entries[i].name, list->entries[i].text));
}

static void print_title(const struct view *view)
{
    const bool bold = is_coloured(stdout);
    char *function = printable(view->function);
    char *version = printable(view->is_triton ? "" : view->info.version);
    char *path = printable(view->path);
    printf("%s%s%s%s%s\n", bold ? "\033[1m" : "", function, *version ? " " : "", version,
           bold ? "\033[0m" : "");
    printf("  %-12s  %s%s\n", "record", path, view->is_triton ? " (of Triton-distributed)" : "");
    free(function);
    free(version);
    free(path);
}

static void print_winner(const struct view *view)
{
    const struct view_trial *winner = &view->trials[view->winner];
    char *config = view_config_text(winner->config), *time = seconds_text(winner->seconds);
    char *gain = view_gain_text(view);
    if (*gain != '-')
        print_line("winner", format("%s in %s, %s over configuration 0", config, time, gain));
    else
        print_line("winner", format("%s in %s", config, time));
    free(config);
    free(time);
    free(gain);
}

static size_t count_status(const struct view *view, bool ok)
{
    size_t count = 0;
    for (size_t i = 0; i < view->ntrials; i++)
        count += (view->trials[i].status == TUTTI_STATUS_OK) == ok;
    return count;
}

static void print_protocol(const struct view *view)
{
    const tutti_record_info *info = &view->info;
    const char *name = tutti_policy_name(info->policy);
    /* Only there if it is not the policy's usual way. */
    const json_t *aggregation =
        json_object_get(json_object_get(view->root, "policy"), "aggregation");
    if (info->policy == TUTTI_POLICY_EXHAUSTIVE)
        print_line("policy", format("%s: %d warm-ups and %d runs of each configuration", name,
                                    info->warmups, info->samples));
    else
        print_line("policy",
                   format("%s: %d warm-ups, then %llu rounds, %d calls a sample", name,
                          info->warmups, (unsigned long long)info->rounds, info->samples));
    if (aggregation)
        print_line("", format("aggregated over the ranks by %s", json_string_value(aggregation)));
}

/* A fraction as per cent; records keep 1e9 for no bound. */
static char *percent_text(double fraction)
{
    if (fraction >= 1e6)
        return format("no bound");
    return fraction < 0.995 ? format("%.2g%%", 100 * fraction) : format("%.0f%%", 100 * fraction);
}

static void print_race(const tutti_record_info *info)
{
    if (info->policy == TUTTI_POLICY_EXHAUSTIVE)
        return;
    char *within = percent_text(info->within), *noise = percent_text(info->noise);
    char *distance = percent_text(info->distance);
    print_line("noise", format("%s between samples; the best is faster than the winner by at most "
                               "%s",
                               noise, within));
    if (info->runner_up >= 0)
        print_line("runner-up",
                   format("configuration %lld, %s slower%s", (long long)info->runner_up, distance,
                          info->equal ? ", not to be told from the winner" : ""));
    if (info->budget_ended_it)
        print_line("", format("a budget in seconds ended the race: the best so far was taken"));
    free(within);
    free(noise);
    free(distance);
}

static void print_search(const struct view *view)
{
    const tutti_record_info *info = &view->info;
    char *when = info->finished ? time_text(info->finished) : format("an unknown time");
    char *age = info->finished ? age_text(info->finished) : format("-");
    if (view->is_triton) {
        print_line("search",
                   format("%zu configurations, until %s (%s ago)", view->ntrials, when, age));
    } else {
        char *seconds = seconds_text(info->search_seconds);
        print_line("search", format("%zu of %zu configurations ran, in %s, %llu calls, %llu group "
                                    "operations, until %s (%s ago)",
                                    view->ntrials, info->ntrials, seconds,
                                    (unsigned long long)info->search_calls,
                                    (unsigned long long)info->search_operations, when, age));
        free(seconds);
        print_protocol(view);
        print_race(info);
    }
    free(when);
    free(age);
}

/* ---- the ranking ---- */

static int by_time(const void *a, const void *b)
{
    const struct view_trial *x = *(const struct view_trial *const *)a;
    const struct view_trial *y = *(const struct view_trial *const *)b;
    const int order = (x->seconds > y->seconds) - (x->seconds < y->seconds);
    return order ? order : (x->index > y->index) - (x->index < y->index);
}

/* The measured ones, the fastest first; a new array. */
static const struct view_trial **ranking(const struct view *view, size_t *count)
{
    const struct view_trial **trials = need(calloc(view->ntrials + 1, sizeof(struct view_trial *)));
    *count = 0;
    for (size_t i = 0; i < view->ntrials; i++)
        if (view->trials[i].status == TUTTI_STATUS_OK)
            trials[(*count)++] = &view->trials[i];
    qsort(trials, *count, sizeof *trials, by_time);
    return trials;
}

static char *bar_text(double share)
{
    char bar[BAR + 1] = "";
    int length = (int)(share * BAR + 0.5);
    length = length < 1 ? 1 : length > BAR ? BAR : length;
    memset(bar, '#', (size_t)length);
    return format("%s", bar);
}

static void add_ranked(struct table *table, const struct view *view, const struct view_trial *trial,
                       const struct view_trial *slowest)
{
    const bool wins = trial == &view->trials[view->winner];
    table_add(table, format("%s%llu", wins ? "*" : "", (unsigned long long)trial->index));
    table_add(table, seconds_text(trial->seconds));
    table_add(table, bar_text(trial->seconds / slowest->seconds));
    table_add(table, trial->rank >= 0 ? format("%d", trial->rank) : format("-"));
}

/* What only a race knows. */
static void add_raced(struct table *table, const struct view *view, const struct view_trial *trial)
{
    const tutti_trial *raced = &view->info.trials[trial->index];
    table_add(table, format("%llu", (unsigned long long)raced->taken));
    table_add(table, raced->nsamples > 1 ? percent_text(raced->spread) : format("-"));
    table_add(table,
              raced->dropped ? format("%llu", (unsigned long long)raced->dropped) : format("-"));
}

static bool was_raced(const struct view *view)
{
    for (size_t i = 0; i < view->ntrials && !view->is_triton; i++)
        if (view->info.trials[view->trials[i].index].taken)
            return true;
    return false;
}

static struct table *ranking_table(bool raced)
{
    static const char *const names[] = {"INDEX", "TIME", "", "SLOWEST RANK"};
    static const char *const race_names[] = {"SAMPLES", "SPREAD", "DROPPED IN ROUND"};
    struct table *table = table_new(raced ? 8 : 5);
    for (size_t i = 0; i < 4; i++) {
        table_add(table, format("%s", names[i]));
        if (*names[i])
            table_align_right(table, i);
    }
    for (size_t i = 0; raced && i < 3; i++) {
        table_add(table, format("%s", race_names[i]));
        table_align_right(table, 4 + i);
    }
    table_add(table, format("CONFIGURATION"));
    return table;
}

static void print_ranking(const struct view *view, size_t top)
{
    const bool raced = was_raced(view);
    size_t count;
    const struct view_trial **trials = ranking(view, &count);
    const size_t shown = top && top < count ? top : count;
    struct table *table = ranking_table(raced);
    for (size_t i = 0; i < shown; i++) {
        add_ranked(table, view, trials[i], trials[shown - 1]);
        if (raced)
            add_raced(table, view, trials[i]);
        table_add(table, view_config_text(trials[i]->config));
    }
    putchar('\n');
    table_print(table, "  ", true);
    if (shown < count)
        printf("  and %zu slower ones; --top 0 shows all\n", count - shown);
    free(trials);
}

static void print_failures(const struct view *view)
{
    if (!count_status(view, false))
        return;
    struct table *table = table_new(4);
    static const char *const names[] = {"INDEX", "STATUS", "REASON", "CONFIGURATION"};
    for (size_t i = 0; i < 4; i++)
        table_add(table, format("%s", names[i]));
    table_align_right(table, 0);
    for (size_t i = 0; i < view->ntrials; i++) {
        const struct view_trial *trial = &view->trials[i];
        if (trial->status == TUTTI_STATUS_OK)
            continue;
        table_add(table, format("%llu", (unsigned long long)trial->index));
        table_add(table, format("%s", tutti_status_name(trial->status)));
        table_add(table, printable(trial->reason));
        table_add(table, view_config_text(trial->config));
    }
    putchar('\n');
    table_print(table, "  ", true);
}

/* ---- all of it ---- */

static void print_identity(const struct view *view)
{
    putchar('\n');
    if (!view->is_triton) {
        const tutti_record_info *info = &view->info;
        print_line("applies to", format("%d rank%s (%s, %s)", info->ranks,
                                        info->ranks == 1 ? "" : "s", info->group, info->placement));
        print_line("", format("source = %s", *info->source_id ? info->source_id : "unknown"));
        print_line("", format("timer = %s", info->timer));
        print_list("", &view->hardware);
    }
    print_list(view->is_triton ? "deps" : "environment", &view->environment);
}

static void print_record(const struct view *view, size_t top)
{
    print_title(view);
    print_list("key", &view->key);
    print_winner(view);
    print_search(view);
    print_ranking(view, top);
    print_failures(view);
    print_identity(view);
}

static void print_original(const struct view *view)
{
    if (!view->is_triton)
        fputs(tutti_record_json(view->record, NULL), stdout);
    else
        print_json(json_incref(view->root));
}

static int print_found(const struct found *found, const struct input *input)
{
    if (input->output.json) {
        const struct view *view = find_only(found);
        if (view)
            print_original(view);
        return view ? STATUS_OK : STATUS_FOUND;
    }
    for (size_t i = 0; i < found->count; i++) {
        fputs(i ? "\n" : "", stdout);
        print_record(found->views[i], input->top);
    }
    if (!found->count)
        say_nothing_found(found);
    return found->count ? STATUS_OK : STATUS_FOUND;
}

static int run(int argc, char **argv)
{
    struct input input = {.top = TOP};
    struct found found;
    argp_parse(&argp, argc, argv, 0, NULL, &input);
    int status = STATUS_ERROR;
    if (find_records(input.output.store, &input.selection, true, &found))
        status = print_found(&found, &input);
    found_release(&found);
    selection_release(&input.selection);
    return status;
}

const struct command show_command = {
    .name = "show", .summary = "show a record, readable", .argp = &argp, .run = run};
