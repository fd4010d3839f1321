/* See chart.h. */
#include "chart.h"

#include <stdlib.h>
#include <string.h>

#include "print.h"

/* ---- knobs and their values ---- */

static size_t add_knob(struct chart *chart, const char *name)
{
    chart->knobs = need(realloc(chart->knobs, (chart->nknobs + 1) * sizeof *chart->knobs));
    chart->knobs[chart->nknobs] = (struct chart_knob){.name = printable(name)};
    return chart->nknobs++;
}

bool chart_find(const struct chart *chart, const char *name, size_t *knob)
{
    for (*knob = 0; *knob < chart->nknobs; (*knob)++)
        if (strcmp(chart->knobs[*knob].name, name) == 0)
            return true;
    return false;
}

/* Takes the text; returns which value it is. */
static int add_value(struct chart_knob *knob, char *text)
{
    for (size_t i = 0; i < knob->nvalues; i++) {
        if (strcmp(knob->values[i], text) != 0)
            continue;
        free(text);
        return (int)i;
    }
    knob->values = need(realloc(knob->values, (knob->nvalues + 1) * sizeof *knob->values));
    knob->values[knob->nvalues] = text;
    return (int)knob->nvalues++;
}

static char *shown_value(const json_t *value)
{
    char *text = view_value_text(value), *shown = printable(*text ? text : "\"\"");
    free(text);
    return shown;
}

/* The record's space gives all knobs and values, in order. */
static void add_space(struct chart *chart)
{
    const json_t *space = json_object_get(json_object_get(chart->view->root, "identity"), "space");
    for (size_t i = 0; i < json_array_size(space); i++) {
        const json_t *parameter = json_array_get(space, i);
        const json_t *values = json_object_get(parameter, "values");
        const size_t knob = add_knob(chart, json_string_value(json_object_get(parameter, "name")));
        for (size_t v = 0; v < json_array_size(values); v++)
            add_value(&chart->knobs[knob], shown_value(json_array_get(values, v)));
    }
}

/* One of Triton-distributed has no space: its knobs are those of its configurations. */
static void find_knob(const char *name, const json_t *value, void *user)
{
    struct chart *chart = user;
    size_t knob;
    char *shown = printable(name);
    if (!chart_find(chart, shown, &knob))
        knob = add_knob(chart, name);
    add_value(&chart->knobs[knob], shown_value(value));
    free(shown);
}

struct placing {
    struct chart *chart;
    int *places;
};

static void place_value(const char *name, const json_t *value, void *user)
{
    const struct placing *placing = user;
    size_t knob;
    char *shown = printable(name);
    if (chart_find(placing->chart, shown, &knob))
        placing->places[knob] = add_value(&placing->chart->knobs[knob], shown_value(value));
    free(shown);
}

static void place_trials(struct chart *chart)
{
    const struct view *view = chart->view;
    chart->places = need(malloc((view->ntrials * chart->nknobs + 1) * sizeof *chart->places));
    for (size_t i = 0; i < view->ntrials; i++) {
        struct placing placing = {.chart = chart, .places = &chart->places[i * chart->nknobs]};
        for (size_t k = 0; k < chart->nknobs; k++)
            placing.places[k] = -1;
        view_each_value(view->trials[i].config, place_value, &placing);
    }
}

/* ---- order ---- */

static int by_time(const void *a, const void *b, void *trials)
{
    const struct view_trial *x = (const struct view_trial *)trials + *(const size_t *)a;
    const struct view_trial *y = (const struct view_trial *)trials + *(const size_t *)b;
    const bool x_ok = x->status == TUTTI_STATUS_OK, y_ok = y->status == TUTTI_STATUS_OK;
    if (x_ok != y_ok)
        return x_ok ? -1 : 1;
    const int order = x_ok ? (x->seconds > y->seconds) - (x->seconds < y->seconds) : 0;
    return order ? order : (x->index > y->index) - (x->index < y->index);
}

static void sort_trials(struct chart *chart)
{
    const struct view *view = chart->view;
    chart->order = need(malloc((view->ntrials + 1) * sizeof *chart->order));
    for (size_t i = 0; i < view->ntrials; i++) {
        chart->order[i] = i;
        chart->nmeasured += view->trials[i].status == TUTTI_STATUS_OK;
    }
    qsort_r(chart->order, view->ntrials, sizeof *chart->order, by_time, view->trials);
}

/* ---- which knobs matter ---- */

/* How much the best time differs from value to value, as a factor. */
static double effect(const struct chart *chart, size_t knob)
{
    struct chart_cell *cells = chart_landscape(chart, knob, knob);
    double least = 0, most = 0;
    for (size_t i = 0; i <= chart->knobs[knob].nvalues; i++) {
        if (!(cells[i].best > 0))
            continue;
        least = least > 0 && least < cells[i].best ? least : cells[i].best;
        most = most > cells[i].best ? most : cells[i].best;
    }
    free(cells);
    return least > 0 ? most / least : 1;
}

static void choose_axes(struct chart *chart)
{
    double first = 0, second = 0;
    for (size_t i = 0; i < chart->nknobs; i++) {
        const double own = effect(chart, i);
        if (own > first) {
            second = first;
            chart->up = chart->across;
            first = own;
            chart->across = i;
        } else if (own > second) {
            second = own;
            chart->up = i;
        }
    }
    if (chart->nknobs == 1)
        chart->up = chart->across;
}

/* ---- all of it ---- */

struct chart *chart_new(const struct view *view)
{
    struct chart *chart = need(calloc(1, sizeof *chart));
    chart->view = view;
    if (view->is_triton)
        for (size_t i = 0; i < view->ntrials; i++)
            view_each_value(view->trials[i].config, find_knob, chart);
    else
        add_space(chart);
    place_trials(chart);
    sort_trials(chart);
    choose_axes(chart);
    return chart;
}

void chart_release(struct chart *chart)
{
    for (size_t i = 0; i < chart->nknobs; i++) {
        for (size_t v = 0; v < chart->knobs[i].nvalues; v++)
            free(chart->knobs[i].values[v]);
        free(chart->knobs[i].values);
        free(chart->knobs[i].name);
    }
    free(chart->knobs);
    free(chart->places);
    free(chart->order);
    free(chart);
}

const tutti_trial *chart_race(const struct chart *chart, size_t trial)
{
    const struct view *view = chart->view;
    if (view->is_triton)
        return NULL;
    const tutti_trial *kept = &view->info.trials[view->trials[trial].index];
    return kept->status == TUTTI_STATUS_OK && kept->taken ? kept : NULL;
}

uint64_t chart_rounds(const struct chart *chart)
{
    return chart->view->is_triton ? 0 : chart->view->info.rounds;
}

struct chart_cell *chart_landscape(const struct chart *chart, size_t across, size_t up)
{
    const size_t columns = chart->knobs[across].nvalues + 1;
    const size_t rows = across == up ? 1 : chart->knobs[up].nvalues + 1;
    struct chart_cell *cells = need(calloc(columns * rows, sizeof *cells));
    for (size_t i = 0; i < chart->view->ntrials; i++) {
        const struct view_trial *trial = &chart->view->trials[i];
        const int *places = &chart->places[i * chart->nknobs];
        const size_t x = places[across] < 0 ? columns - 1 : (size_t)places[across];
        const size_t y = across == up ? 0 : places[up] < 0 ? rows - 1 : (size_t)places[up];
        struct chart_cell *cell = &cells[y * columns + x];
        cell->tried++;
        cell->has_winner |= i == chart->view->winner;
        if (trial->status != TUTTI_STATUS_OK)
            cell->failed++;
        else if (!(cell->best > 0) || trial->seconds < cell->best)
            cell->best = trial->seconds;
    }
    return cells;
}
