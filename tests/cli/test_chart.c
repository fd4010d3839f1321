/* What tutti report plots of a record: the landscape, the order of configurations, the two knobs.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "chart.h"

/*
 * engine, block, and slots, which count for "pull" only. In the order of their index: push 8, push
 * 16, pull 8 2, pull 8 4, pull 16 2, pull 16 4. Number 1 failed, 5 never ran, 3 is the fastest, and
 * 0 the winner, which a race may leave its place.
 */
#define ENTRY(index, rest, config) "{\"index\": " #index ", " rest ", \"config\": {" config "}}"
#define OK(seconds)                "\"status\": \"ok\", \"slowest_rank\": 0, \"seconds\": " #seconds
#define PUSH(block)                "\"engine\": \"push\", \"block\": " #block
#define PULL(block, slots)         "\"engine\": \"pull\", \"block\": " #block ", \"slots\": " #slots
static const char text[] =
    "{\"tutti_record\": 1, \"identity\": {\"function\": \"f\", \"version\": \"\", \"source_id\": "
    "\"\","
    " \"key\": [], \"space\": ["
    "{\"name\": \"engine\", \"kind\": \"choice\", \"values\": [\"push\", \"pull\"]},"
    "{\"name\": \"block\", \"kind\": \"i32\", \"values\": [8, 16]},"
    "{\"name\": \"slots\", \"kind\": \"i32\", \"values\": [2, 4],"
    " \"when\": {\"parameter\": \"engine\", \"values\": [\"pull\"]}}],"
    " \"group\": {\"kind\": \"serial\", \"ranks\": 1, \"placement\": \"1\"}, \"timer\": \"t\","
    " \"hardware\": {}}, \"environment\": {},"
    " \"policy\": {\"name\": \"race\", \"warmups\": 1, \"samples\": 1},"
    " \"search\": {\"finished\": \"2026-11-30T16:40:00Z\", \"seconds\": 1.0, \"calls\": 9,"
    " \"operations\": 9, \"pruned\": 1, \"race\": {\"rounds\": 3, \"stopped\": false,"
    " \"equal\": true, \"runner_up\": 3, \"distance\": 0.0, \"confidence\": 0.5, \"within\": 0.1,"
    " \"noise\": 0.1}},"
    " \"winner\": {\"index\": 0, \"seconds\": 2.0, \"config\": {" PUSH(
        8) "}},"
           " \"configurations\": [" ENTRY(0, OK(2.0), PUSH(8)) "," ENTRY(
               1, "\"status\": \"failed\", \"failed_rank\": 0, \"reason\": \"no\"",
               PUSH(16)) "," ENTRY(2, OK(4.0),
                                   PULL(8, 2)) "," ENTRY(3, OK(1.5),
                                                         PULL(8, 4)) "," ENTRY(4, OK(3.0),
                                                                               PULL(16, 2)) "]}";

enum { ENGINE, BLOCK, SLOTS };

static struct view *view;
static struct chart *chart;

static int open_chart(void **state)
{
    char *why;
    (void)state;
    view = view_of_bytes("text", text, sizeof text - 1, &why);
    if (!view)
        return -1;
    chart = chart_new(view);
    return 0;
}

static int close_chart(void **state)
{
    (void)state;
    chart_release(chart);
    view_release(view);
    return 0;
}

static void assert_cell(const struct chart_cell *cell, size_t tried, size_t failed, double best,
                        bool has_winner)
{
    assert_int_equal(cell->tried, tried);
    assert_int_equal(cell->failed, failed);
    assert_true(cell->best == best);
    assert_int_equal(cell->has_winner, has_winner);
}

static void a_cell_is_the_best_over_the_rest(void **state)
{
    (void)state;
    /* Three columns: both engines, and "does not count", which is empty. */
    struct chart_cell *cells = chart_landscape(chart, ENGINE, BLOCK);
    assert_cell(&cells[0], 1, 0, 2.0, true);
    assert_cell(&cells[1], 2, 0, 1.5, false);
    assert_cell(&cells[2], 0, 0, 0, false);
    assert_cell(&cells[3], 1, 1, 0, false);
    assert_cell(&cells[4], 1, 0, 3.0, false);
    free(cells);
}

static void a_knob_that_does_not_count_has_a_place_of_its_own(void **state)
{
    (void)state;
    struct chart_cell *cells = chart_landscape(chart, SLOTS, BLOCK);
    assert_cell(&cells[0], 1, 0, 4.0, false);
    assert_cell(&cells[1], 1, 0, 1.5, false);
    assert_cell(&cells[2], 1, 0, 2.0, true);
    assert_cell(&cells[3], 1, 0, 3.0, false);
    assert_cell(&cells[4], 0, 0, 0, false); /* never ran */
    assert_cell(&cells[5], 1, 1, 0, false);
    free(cells);
}

static void one_knob_alone_is_a_row(void **state)
{
    (void)state;
    struct chart_cell *cells = chart_landscape(chart, BLOCK, BLOCK);
    assert_cell(&cells[0], 3, 0, 1.5, true);
    assert_cell(&cells[1], 2, 1, 3.0, false);
    free(cells);
}

static void the_fastest_come_first_and_failures_last(void **state)
{
    static const uint64_t order[] = {3, 0, 4, 2, 1};
    (void)state;
    assert_int_equal(chart->nmeasured, 4);
    for (size_t i = 0; i < 5; i++)
        assert_int_equal(view->trials[chart->order[i]].index, order[i]);
}

/* From value to value the best time differs by 1.33 for engine, 2 for block and for slots. */
static void the_knobs_that_matter_most_are_the_axes(void **state)
{
    (void)state;
    assert_int_equal(chart->across, BLOCK);
    assert_int_equal(chart->up, SLOTS);
}

static void knobs_are_found_by_name(void **state)
{
    size_t knob;
    (void)state;
    assert_true(chart_find(chart, "slots", &knob));
    assert_int_equal(knob, SLOTS);
    assert_false(chart_find(chart, "slot", &knob));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cell_is_the_best_over_the_rest),
        cmocka_unit_test(a_knob_that_does_not_count_has_a_place_of_its_own),
        cmocka_unit_test(one_knob_alone_is_a_row),
        cmocka_unit_test(the_fastest_come_first_and_failures_last),
        cmocka_unit_test(the_knobs_that_matter_most_are_the_axes),
        cmocka_unit_test(knobs_are_found_by_name),
    };
    return cmocka_run_group_tests_name("chart", tests, open_chart, close_chart);
}
