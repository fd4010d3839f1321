/* Each single allocation of creation and of a first call fails in turn, on a group of one rank. The
 * random cases of faults.c do the same on several ranks, a few allocations at a time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>
#include <jansson.h>

#include <tutti/tutti.h>

#include "points.h"
#include "subject.h"
#include "wrap.h"

#define ENOUGH 5000 /* more allocations than anything here makes */

/* Lets one allocation of this thread fail. */
struct shortage {
    struct fault fault;
    struct injector injector;
};

static void begin(struct shortage *shortage, unsigned occurrence)
{
    *shortage =
        (struct shortage){.fault = {.point = POINT_ALLOCATION, .first = occurrence, .times = 1},
                          .injector = {.nfaults = 1, .armed = true}};
    shortage->injector.faults = &shortage->fault;
    injector = &shortage->injector;
}

/* Whether the allocation failed: otherwise there are no so many. */
static bool end(struct shortage *shortage)
{
    injector = NULL;
    return shortage->injector.struck[POINT_ALLOCATION] > 0;
}

static void groups_of_threads_can_be_made_or_not_at_all(void **state)
{
    (void)state;
    bool struck = true;
    for (unsigned i = 0; struck && i < ENOUGH; i++) {
        struct shortage shortage;
        tutti_group *groups[3];
        begin(&shortage, i);
        int error = tutti_group_create_threads(3, groups);
        struck = end(&shortage);
        assert_int_equal(error, struck ? TUTTI_ERR_MEMORY : TUTTI_SUCCESS);
        for (int rank = 0; rank < 3; rank++) {
            assert_true(struck == !groups[rank]);
            tutti_group_release(groups[rank]);
        }
    }
    assert_false(struck);
}

static void make_or_not_at_all(const tutti_tuner_desc *desc)
{
    bool struck = true;
    for (unsigned i = 0; struck && i < ENOUGH; i++) {
        struct shortage shortage;
        tutti_tuner *tuner;
        begin(&shortage, i);
        int error = tutti_tuner_create(desc, &tuner);
        struck = end(&shortage);
        assert_int_equal(error, struck ? TUTTI_ERR_MEMORY : TUTTI_SUCCESS);
        assert_true(struck == !tuner);
        tutti_tuner_destroy(tuner);
    }
    assert_false(struck);
}

static void tuners_can_be_made_or_not_at_all(void **state)
{
    (void)state;
    struct subject subject = {0};
    const tutti_tuner_desc desc = subject_desc("subject", &subject);
    make_or_not_at_all(&desc);
}

struct rich {
    int engine, slots;
    const char *order;
};

static bool keeps(const void *config, void *user)
{
    (void)user;
    return ((const struct rich *)config)->slots < 4;
}

static void spaces_with_rows_can_be_made_or_not_at_all(void **state)
{
    (void)state;
    struct subject subject = {0};
    tutti_tuner_desc desc = subject_desc("subject", &subject);
    const tutti_param params[] = {
        TUTTI_CHOICE(struct rich, engine, {1, "push"}, {2, "staged"}),
        TUTTI_PARAM_IF(struct rich, slots, TUTTI_WHEN(struct rich, engine, 2), 2, 3, 4),
        TUTTI_PARAM(struct rich, order, "ring", "shift")};
    desc.params = params;
    desc.nparams = 3;
    desc.config_size = sizeof(struct rich);
    desc.constraint = keeps;
    make_or_not_at_all(&desc);
    const tutti_param listed[] = {TUTTI_FIELD(struct rich, engine),
                                  TUTTI_FIELD(struct rich, order)};
    const struct rich list[] = {{1, 0, "ring"}, {2, 0, "shift"}, {1, 0, "shift"}};
    desc.params = listed;
    desc.nparams = 2;
    desc.configurations = list;
    desc.nconfigurations = 3;
    make_or_not_at_all(&desc);
}

/* A process that makes one call, and maybe the same again. */
struct process {
    struct subject subject;
    struct subject_args args;
    tutti_tuner *tuner;
    tutti_group *group;
};

static void open_process(struct process *process)
{
    *process = (struct process){.args = {.rows = 1, .dtype = "f32"}};
    process->subject.seconds[3] = 0.5;
    tutti_tuner_desc desc = subject_desc("subject", &process->subject);
    assert_int_equal(tutti_tuner_create(&desc, &process->tuner), TUTTI_SUCCESS);
    assert_int_equal(tutti_group_create_serial(&process->group), TUTTI_SUCCESS);
}

static int call(struct process *process)
{
    return tutti_call(process->tuner, &process->args, process->group, NULL);
}

static tutti_report report(struct process *process)
{
    tutti_report report = {.size = sizeof report};
    assert_int_equal(tutti_report_get(process->tuner, &process->args, process->group, &report),
                     TUTTI_SUCCESS);
    return report;
}

static void close_process(struct process *process)
{
    tutti_tuner_destroy(process->tuner);
    tutti_group_release(process->group);
}

/* The call fails before the launcher has done its work, or not at all; what it says it has stored
 * is there. */
static void check_call(struct process *process, int error, bool struck)
{
    if (!struck)
        assert_int_equal(error, TUTTI_SUCCESS);
    if (error) {
        assert_int_equal(error, TUTTI_ERR_MEMORY);
        assert_int_equal(process->subject.runs_by_purpose[TUTTI_PURPOSE_FINAL], 0);
        assert_int_equal(call(process), TUTTI_SUCCESS);
    }
    assert_int_equal(process->subject.last_index, 3);
    assert_int_equal(report(process).configuration, 3);
}

static void check_store(bool recorded)
{
    struct process next;
    open_process(&next);
    assert_int_equal(call(&next), TUTTI_SUCCESS);
    assert_int_equal(report(&next).source == TUTTI_SOURCE_RECORD, recorded);
    close_process(&next);
}

static bool call_with_shortage(unsigned occurrence, bool from_record)
{
    char directory[256];
    struct process process;
    struct shortage shortage;
    subject_make_directory(directory);
    const struct variable variables[] = {{"TUTTI_CACHE_DIR", directory}, {NULL, NULL}};
    environment = variables;
    if (from_record)
        check_store(false); /* and makes the record */
    open_process(&process);
    begin(&shortage, occurrence);
    int error = call(&process);
    bool struck = end(&shortage);
    check_call(&process, error, struck);
    bool recorded = report(&process).record[0] != '\0';
    assert_true(recorded || struck);
    assert_true(subject_count_files(directory, NULL) <= 1);
    check_store(recorded || subject_count_files(directory, NULL) == 1);
    close_process(&process);
    environment = NULL;
    subject_remove_directory(directory);
    return struck;
}

static void a_search_without_memory_fails_early_or_not_at_all(void **state)
{
    (void)state;
    unsigned allocations = 0;
    while (allocations < ENOUGH && call_with_shortage(allocations, false))
        allocations++;
    assert_in_range(allocations, 100, ENOUGH - 1);
}

static void a_look_up_without_memory_fails_early_or_not_at_all(void **state)
{
    (void)state;
    unsigned allocations = 0;
    while (allocations < ENOUGH && call_with_shortage(allocations, true))
        allocations++;
    assert_in_range(allocations, 100, ENOUGH - 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(groups_of_threads_can_be_made_or_not_at_all),
        cmocka_unit_test(tuners_can_be_made_or_not_at_all),
        cmocka_unit_test(spaces_with_rows_can_be_made_or_not_at_all),
        cmocka_unit_test(a_search_without_memory_fails_early_or_not_at_all),
        cmocka_unit_test(a_look_up_without_memory_fails_early_or_not_at_all),
    };
    json_set_alloc_funcs(malloc, free);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
