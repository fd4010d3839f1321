/*
 * Calls on groups over MPI: whatever differs or fails on one rank, all ranks end with the same
 * result, the same sentence and the same number of group operations. The clock is simulated.
 */
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <mpi.h>

#include <tutti/mpi.h>

#include "subject.h"

static int rank, ranks;
static int last; /* the rank on which things go wrong; 0 in a world of one */

struct fixture {
    char directory[256];
    MPI_Comm comm; /* the group's, as the user has it */
    struct subject subject;
    tutti_tuner *tuner;
    tutti_group *group;
    struct subject_args args;
};

static void open_tuner(struct fixture *fixture, const tutti_tuner_desc *desc)
{
    assert_int_equal(tutti_tuner_create(desc, &fixture->tuner), TUTTI_SUCCESS);
    assert_int_equal(tutti_group_create_mpi(fixture->comm, &fixture->group), TUTTI_SUCCESS);
}

static void close_tuner(struct fixture *fixture)
{
    tutti_tuner_destroy(fixture->tuner);
    tutti_group_release(fixture->group);
}

static void reopen(struct fixture *fixture, const tutti_tuner_desc *desc)
{
    tutti_tuner_desc standard = subject_desc("subject", &fixture->subject);
    close_tuner(fixture);
    fixture->subject.runs = 0;
    open_tuner(fixture, desc ? desc : &standard);
}

/* One directory, which the root makes, is everybody's store. */
static int setup(void **state)
{
    struct fixture *fixture = calloc(1, sizeof *fixture);
    if (rank == 0)
        subject_make_directory(fixture->directory);
    MPI_Bcast(fixture->directory, sizeof fixture->directory, MPI_CHAR, 0, MPI_COMM_WORLD);
    subject_use_store(fixture->directory);
    fixture->comm = MPI_COMM_WORLD;
    fixture->args = (struct subject_args){.rows = 4096, .dtype = "bf16"};
    for (int i = 0; i < SUBJECT_SPACE; i++)
        fixture->subject.seconds[i] = 1 + i + rank / 128.0; /* exact in binary */
    fixture->subject.seconds[3] = 0.75;
    tutti_tuner_desc desc = subject_desc("subject", &fixture->subject);
    open_tuner(fixture, &desc);
    *state = fixture;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *fixture = *state;
    close_tuner(fixture);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        subject_remove_directory(fixture->directory);
    free(fixture);
    return 0;
}

/* Fails unless all ranks of comm have equal bytes. A loop that yields, not a blocking call: where
 * ranks outnumber cores that is a hundred times faster under MPICH. */
static void assert_same_on_all_ranks(MPI_Comm comm, const void *bytes, size_t size)
{
    int64_t hash = 1469598103934665603; /* FNV-1a */
    for (size_t i = 0; i < size; i++)
        hash = (int64_t)(((uint64_t)hash ^ ((const unsigned char *)bytes)[i]) * 1099511628211u);
    int64_t extremes[2] = {hash, -hash};
    MPI_Request request;
    int done = 0;
    MPI_Iallreduce(MPI_IN_PLACE, extremes, 2, MPI_INT64_T, MPI_MAX, comm, &request);
    while (!done) {
        MPI_Test(&request, &done, MPI_STATUS_IGNORE);
        sched_yield();
    }
    assert_true(extremes[0] == -extremes[1]);
}

/* What is compared together. */
struct bundle {
    char bytes[8192];
    size_t size;
};

static void bundle_add(struct bundle *bundle, const void *bytes, size_t size)
{
    assert_true(bundle->size + size <= sizeof bundle->bytes);
    memcpy(bundle->bytes + bundle->size, bytes, size);
    bundle->size += size;
}

static int call(struct fixture *fixture)
{
    int status = tutti_call(fixture->tuner, &fixture->args, fixture->group, NULL);
    const char *sentence = tutti_message(fixture->tuner, fixture->group);
    struct bundle bundle = {.size = 0};
    bundle_add(&bundle, &status, sizeof status);
    if (status)
        bundle_add(&bundle, sentence, strlen(sentence));
    assert_same_on_all_ranks(fixture->comm, bundle.bytes, bundle.size);
    return status;
}

static const char *message(struct fixture *fixture)
{
    return tutti_message(fixture->tuner, fixture->group);
}

static void assert_contains(const char *text, const char *part)
{
    if (!strstr(text, part))
        fail_msg("\"%s\" does not contain \"%s\"", text, part);
}

/* The report, of which everything that could divide the ranks is compared. */
static tutti_report report(struct fixture *fixture)
{
    tutti_report result = {.size = sizeof result};
    assert_int_equal(tutti_report_get(fixture->tuner, &fixture->args, fixture->group, &result),
                     TUTTI_SUCCESS);
    uint64_t numbers[] = {(uint64_t)result.source,  result.configuration,
                          result.ntrials,           result.search_calls,
                          result.search_operations, result.cold_operations};
    struct bundle bundle = {.size = 0};
    bundle_add(&bundle, numbers, sizeof numbers);
    bundle_add(&bundle, result.config, sizeof(struct subject_config));
    for (size_t i = 0; i < result.ntrials; i++) {
        const tutti_trial *trial = &result.trials[i];
        bundle_add(&bundle, &trial->seconds, sizeof trial->seconds);
        bundle_add(&bundle, &trial->status, sizeof trial->status);
        bundle_add(&bundle, &trial->slowest_rank, sizeof trial->slowest_rank);
        bundle_add(&bundle, trial->reason, strlen(trial->reason));
    }
    assert_same_on_all_ranks(fixture->comm, bundle.bytes, bundle.size);
    return result;
}

/* How many records the store has, after all have finished. */
static int records(struct fixture *fixture)
{
    MPI_Barrier(MPI_COMM_WORLD);
    int files = subject_count_files(fixture->directory, NULL);
    MPI_Barrier(MPI_COMM_WORLD);
    return files;
}

static void all_ranks_choose_by_the_slowest(void **state)
{
    struct fixture *fixture = *state;
    fixture->subject.seconds[3] = rank == last ? 3.75 : 1 / 1024.0; /* fast on all ranks but one */
    assert_int_equal(call(fixture), TUTTI_SUCCESS);
    tutti_report result = report(fixture);
    assert_int_equal(result.configuration, 0);
    assert_true(result.trials[3].seconds == 3.75);
    assert_int_equal(result.trials[3].slowest_rank, last);
    assert_int_equal(result.trials[1].slowest_rank, last);
    assert_int_equal(records(fixture), 1);
}

static void near_ties_give_one_winner_on_all_ranks(void **state)
{
    struct fixture *fixture = *state;
    setenv("TUTTI_MODE", "read-only", 1);
    reopen(fixture, NULL);
    for (int round = 0; round < 100; round++) {
        /* 0 and 1 are within 1%, each best on half the ranks */
        double jitter = (double)((round * 7919 + rank * 104729) % 1000) * 1e-5;
        fixture->subject.seconds[0] = 0.1 * (1 + (rank % 2 ? jitter : 0.01 - jitter));
        fixture->subject.seconds[1] = 0.1 * (1 + (rank % 2 ? 0.01 - jitter : jitter));
        fixture->args.rows = round;
        assert_int_equal(call(fixture), TUTTI_SUCCESS);
        tutti_report result = report(fixture);
        assert_true(result.configuration <= 1);
        assert_int_equal(fixture->subject.last_index, result.configuration);
    }
}

static void a_search_takes_at_most_three_operations_a_configuration(void **state)
{
    struct fixture *fixture = *state;
    fixture->subject.fail_status[1] = rank == last ? 5 : 0;
    assert_int_equal(call(fixture), TUTTI_SUCCESS);
    tutti_report result = report(fixture);
    /* Three for each but the first, which has nothing to be slower than; two for the failure and
     * its reason; one for the sweep. */
    assert_int_equal(result.search_operations, 2 + 3 * (SUBJECT_SPACE - 2) + 2 + 1);
    assert_true(result.search_operations <= 3 * SUBJECT_SPACE);
}

static void a_hit_makes_no_group_operation(void **state)
{
    struct fixture *fixture = *state;
    assert_int_equal(call(fixture), TUTTI_SUCCESS);
    /* The ranks call again one after another: a hit that waited for others would never end. */
    for (int turn = 0; turn < ranks; turn++) {
        if (turn == rank)
            assert_int_equal(tutti_call(fixture->tuner, &fixture->args, fixture->group, NULL),
                             TUTTI_SUCCESS);
        MPI_Barrier(MPI_COMM_WORLD);
    }
}

static void a_record_that_only_the_root_can_see_serves_all(void **state)
{
    struct fixture *fixture = *state;
    assert_int_equal(call(fixture), TUTTI_SUCCESS);
    if (rank != 0)
        setenv("TUTTI_CACHE_DIR", "/nonexistent/tutti", 1);
    reopen(fixture, NULL);
    assert_int_equal(call(fixture), TUTTI_SUCCESS);
    assert_int_equal(report(fixture).source, TUTTI_SOURCE_RECORD);
    assert_int_equal(fixture->subject.runs, 1);
    assert_int_equal(fixture->subject.last_index, 3);
}

static void a_record_that_the_root_can_not_see_is_a_miss_everywhere(void **state)
{
    struct fixture *fixture = *state;
    char other[300];
    snprintf(other, sizeof other, "%s/of-the-root", fixture->directory);
    assert_int_equal(call(fixture), TUTTI_SUCCESS);
    if (rank == 0)
        setenv("TUTTI_CACHE_DIR", other, 1);
    fixture->subject.seconds[5] = 0.25;
    reopen(fixture, NULL);
    assert_int_equal(call(fixture), TUTTI_SUCCESS);
    assert_int_equal(report(fixture).source, TUTTI_SOURCE_SEARCH);
    assert_int_equal(report(fixture).configuration, 5);
    /* Now both stores hold a record, with different winners: the root's counts. */
    reopen(fixture, NULL);
    assert_int_equal(call(fixture), TUTTI_SUCCESS);
    assert_int_equal(report(fixture).source, TUTTI_SOURCE_RECORD);
    assert_int_equal(fixture->subject.last_index, 5);
}

static void a_key_that_differs_is_an_error_that_names_rank_and_field(void **state)
{
    struct fixture *fixture = *state;
    char part[128];
    if (ranks == 1)
        skip();
    for (int time = 0; time < 2; time++) {
        fixture->args.rows = rank == last ? 4097 : 4096;
        assert_int_equal(call(fixture), TUTTI_ERR_DISAGREE);
        snprintf(part, sizeof part,
                 "the ranks disagree in the key: rank 0 has \"A = [4096]\", rank %d has "
                 "\"A = [4097]\" (%d differs from rank 0)",
                 last, last);
        assert_contains(message(fixture), part);
    }
    fixture->args.rows = 4096;
    fixture->args.dtype = rank == 0 ? "bf16" : "fp16"; /* all but one differ */
    assert_int_equal(call(fixture), TUTTI_ERR_DISAGREE);
    assert_contains(message(fixture), "rank 0 has \"dtype = \"bf16\"\", rank 1 has");
    assert_int_equal(fixture->subject.runs, 0);
    assert_int_equal(records(fixture), 0);
    fixture->args.dtype = "bf16";
    assert_int_equal(call(fixture), TUTTI_SUCCESS);
}

static void a_key_callback_that_fails_on_one_rank_is_an_error_on_all(void **state)
{
    struct fixture *fixture = *state;
    char part[64];
    fixture->subject.key_status = rank == last ? 17 : 0;
    assert_int_equal(call(fixture), TUTTI_ERR_KEY);
    snprintf(part, sizeof part, "rank %d: the key callback returned 17", last);
    assert_string_equal(message(fixture), part);
    fixture->subject.key_status = 0;
    assert_int_equal(call(fixture), TUTTI_SUCCESS);
}

static void expect_disagreement(struct fixture *fixture, const tutti_tuner_desc *desc,
                                const char *part)
{
    reopen(fixture, desc);
    assert_int_equal(call(fixture), TUTTI_ERR_DISAGREE);
    assert_contains(message(fixture), part);
    assert_int_equal(fixture->subject.runs, 0);
}

static void a_description_that_differs_is_an_error_that_names_what(void **state)
{
    struct fixture *fixture = *state;
    if (ranks == 1)
        skip();
    tutti_tuner_desc same = subject_desc("subject", &fixture->subject), desc = same;
    desc.version = rank == last ? "v2" : "v1";
    expect_disagreement(fixture, &desc, "in the version: rank 0 has \"v1\"");
    desc = same;
    desc.source_id = rank == last ? "edited" : "test";
    expect_disagreement(fixture, &desc, "in the source identity");
    desc = same;
    desc.name = rank == last ? "other" : "subject";
    expect_disagreement(fixture, &desc, "in the function: rank 0 has \"subject\"");
    desc = same;
    desc.samples = rank == last ? 3 : 4;
    expect_disagreement(fixture, &desc, "in the policy: rank 0 has \"samples: 4\"");

    static const int other_values[] = {16, 32, 65};
    tutti_param values[2] = {subject_params[0], subject_params[1]};
    values[0].values = other_values;
    desc = same;
    desc.params = rank == last ? values : subject_params;
    expect_disagreement(fixture, &desc, "in the space: rank 0 has \"block (i32): 16 32 64\"");
    const tutti_param swapped[2] = {subject_params[1], subject_params[0]};
    desc.params = rank == last ? swapped : subject_params;
    expect_disagreement(fixture, &desc, "in the space");
    desc.params = subject_params;
    desc.nparams = rank == last ? 1 : 2;
    expect_disagreement(fixture, &desc, "in the space: rank 0 has \"depth (i32): 1 2\"");
    assert_int_equal(records(fixture), 0);
}

static size_t size_of(const void *config, const void *args, void *user)
{
    (void)args;
    (void)user;
    const struct subject_config *knobs = config;
    return (size_t)(knobs->block * knobs->depth + (rank == last ? 1000 : 0));
}

static void different_operations_are_an_error_and_not_a_hang(void **state)
{
    struct fixture *fixture = *state;
    if (ranks == 1)
        skip();
    size_t bytes = 5;
    int status = rank == last ? tutti_max_size(fixture->tuner, &fixture->args, fixture->group,
                                               size_of, &bytes)
                              : tutti_call(fixture->tuner, &fixture->args, fixture->group, NULL);
    assert_int_equal(status, TUTTI_ERR_DISAGREE);
    assert_contains(message(fixture), "in the operation: rank 0 has \"tutti_call\"");
    tutti_call_options options = {.size = sizeof options, .autotune_off = rank == last};
    status = tutti_call(fixture->tuner, &fixture->args, fixture->group, &options);
    assert_int_equal(status, TUTTI_ERR_DISAGREE);
    assert_contains(message(fixture), "tuning off");
}

static void the_size_is_the_greatest_over_configurations_and_ranks(void **state)
{
    struct fixture *fixture = *state;
    size_t bytes = 0;
    assert_int_equal(
        tutti_max_size(fixture->tuner, &fixture->args, fixture->group, size_of, &bytes),
        TUTTI_SUCCESS);
    assert_int_equal(bytes, 1000 + 64 * 2);
    fixture->subject.pruned[5] = rank == last; /* removed on one rank: can't run anywhere */
    assert_int_equal(
        tutti_max_size(fixture->tuner, &fixture->args, fixture->group, size_of, &bytes),
        TUTTI_SUCCESS);
    assert_int_equal(bytes, 1000 + 64);
    assert_int_equal(fixture->subject.runs, 0);
}

static void a_configuration_is_tried_if_all_ranks_keep_it(void **state)
{
    struct fixture *fixture = *state;
    if (ranks == 1)
        skip();
    fixture->subject.pruned[3] = rank == last;
    fixture->subject.pruned[1] = rank == 0; /* the same number, different ones */
    assert_int_equal(call(fixture), TUTTI_SUCCESS);
    tutti_report result = report(fixture);
    assert_int_equal(result.trials[1].status, TUTTI_STATUS_PRUNED);
    assert_int_equal(result.trials[3].status, TUTTI_STATUS_PRUNED);
    assert_int_equal(result.trials[2].status, TUTTI_STATUS_OK);
    assert_int_equal(result.configuration, 0);
    assert_int_equal(result.search_calls, 15 * (SUBJECT_SPACE - 2));
}

static void one_rank_that_prunes_all_leaves_configuration_0_or_an_error(void **state)
{
    struct fixture *fixture = *state;
    char part[64];
    for (int i = 0; i < SUBJECT_SPACE; i++)
        fixture->subject.pruned[i] = rank == last;
    assert_int_equal(call(fixture), TUTTI_SUCCESS);
    assert_int_equal(report(fixture).source, TUTTI_SOURCE_DEFAULT_PRUNED);
    assert_int_equal(fixture->subject.last_index, 0);
    assert_int_equal(fixture->subject.runs, 1);
    tutti_tuner_desc desc = subject_desc("subject", &fixture->subject);
    desc.when_pruned = TUTTI_PRUNED_ERROR;
    reopen(fixture, &desc);
    assert_int_equal(call(fixture), TUTTI_ERR_PRUNED);
    snprintf(part, sizeof part, "%d: %d)", last, SUBJECT_SPACE);
    assert_contains(message(fixture), part);
    if (ranks > 1)
        assert_contains(message(fixture), "rank 0: 0");
    assert_int_equal(records(fixture), 0);
}

/* As a real launcher does: all ranks must be inside, or it never ends. */
static int run_collective(struct subject *subject, void *args, const tutti_context *context)
{
    struct fixture *fixture = subject->inside_user;
    int one = 1, sum = 0;
    (void)args;
    (void)context;
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, fixture->comm);
    int size;
    MPI_Comm_size(fixture->comm, &size);
    return sum == size ? 0 : 99;
}

static void a_run_that_fails_on_one_rank_fails_the_configuration_on_all(void **state)
{
    struct fixture *fixture = *state;
    static const int purposes[] = {TUTTI_PURPOSE_WARMUP, TUTTI_PURPOSE_SAMPLE};
    static const char *const names[] = {"warm-up", "timed run"};
    char part[64];
    fixture->subject.inside = run_collective;
    fixture->subject.inside_user = fixture;
    fixture->subject.fail_status[3] = rank == last ? 9 : 0;
    for (int i = 0; i < 2; i++) {
        fixture->subject.fail_purpose[3] = purposes[i];
        fixture->args.rows = i;
        assert_int_equal(call(fixture), TUTTI_SUCCESS);
        tutti_report result = report(fixture);
        assert_int_equal(result.trials[3].status, TUTTI_STATUS_FAILED);
        snprintf(part, sizeof part, "rank %d: %s returned 9", last, names[i]);
        assert_string_equal(result.trials[3].reason, part);
        assert_int_equal(result.trials[4].status, TUTTI_STATUS_OK); /* the next one is unharmed */
        assert_true(result.trials[4].seconds == 5 + (ranks - 1) / 128.0);
        assert_int_equal(result.configuration, 0);
    }
}

static void a_winner_that_fails_finally_on_one_rank_gives_way_on_all(void **state)
{
    struct fixture *fixture = *state;
    fixture->subject.fail_status[3] = rank == last ? 9 : 0;
    fixture->subject.fail_purpose[3] = TUTTI_PURPOSE_FINAL;
    assert_int_equal(call(fixture), TUTTI_SUCCESS);
    assert_int_equal(report(fixture).configuration, 0);
    assert_int_equal(fixture->subject.last_index, 0);
}

static void a_recorded_winner_that_fails_on_one_rank_is_tuned_again_by_all(void **state)
{
    struct fixture *fixture = *state;
    assert_int_equal(call(fixture), TUTTI_SUCCESS);
    fixture->subject.fail_status[3] = rank == last ? 9 : 0;
    reopen(fixture, NULL);
    assert_int_equal(call(fixture), TUTTI_SUCCESS);
    assert_int_equal(report(fixture).source, TUTTI_SOURCE_SEARCH);
    assert_int_equal(report(fixture).configuration, 0);
    reopen(fixture, NULL);
    assert_int_equal(call(fixture), TUTTI_SUCCESS);
    assert_int_equal(report(fixture).source, TUTTI_SOURCE_RECORD);
    assert_int_equal(fixture->subject.last_index, 0);
    assert_int_equal(records(fixture), 1);
}

static void when_all_fail_somewhere_all_ranks_say_why_and_nothing_is_stored(void **state)
{
    struct fixture *fixture = *state;
    char part[64];
    for (int i = 0; i < SUBJECT_SPACE; i++)
        fixture->subject.fail_status[i] = i % ranks == rank ? 50 + i : 0;
    assert_int_equal(call(fixture), TUTTI_ERR_FAILED);
    for (int i = 0; i < SUBJECT_SPACE; i++) {
        snprintf(part, sizeof part, "rank %d: warm-up returned %d", i % ranks, 50 + i);
        assert_contains(message(fixture), part);
    }
    assert_int_equal(records(fixture), 0);
}

static void a_default_that_fails_on_one_rank_is_an_error_on_all(void **state)
{
    struct fixture *fixture = *state;
    char part[96];
    setenv("TUTTI_MODE", "off", 1);
    reopen(fixture, NULL);
    fixture->subject.fail_status[0] = rank == last ? 9 : 0;
    assert_int_equal(call(fixture), TUTTI_ERR_RUN);
    snprintf(part, sizeof part, "block=16, depth=1 failed: rank %d: the final run returned 9",
             last);
    assert_contains(message(fixture), part);
    fixture->subject.fail_status[0] = 0;
    assert_int_equal(call(fixture), TUTTI_SUCCESS);
}

static void the_mode_of_the_root_holds_everywhere(void **state)
{
    struct fixture *fixture = *state;
    setenv("TUTTI_MODE", rank == 0 ? "off" : "tune", 1);
    reopen(fixture, NULL);
    assert_int_equal(call(fixture), TUTTI_SUCCESS);
    assert_int_equal(report(fixture).source, TUTTI_SOURCE_DEFAULT_OFF);
    assert_int_equal(fixture->subject.runs, 1);
    setenv("TUTTI_MODE", rank == 0 ? "tune" : "off", 1);
    reopen(fixture, NULL);
    assert_int_equal(call(fixture), TUTTI_SUCCESS);
    assert_int_equal(report(fixture).source, TUTTI_SOURCE_SEARCH);
}

static void an_invalid_setting_on_the_root_is_the_same_error_on_all(void **state)
{
    struct fixture *fixture = *state;
    if (rank == 0)
        setenv("TUTTI_MODE", "sideways", 1);
    reopen(fixture, NULL);
    assert_int_equal(call(fixture), TUTTI_ERR_SETTING);
    assert_contains(message(fixture), "TUTTI_MODE");
    assert_contains(message(fixture), "sideways");
}

/* Halves of the world, ranks in reverse order, tune different functions at once. */
static void disjoint_groups_tune_at_once_without_meeting(void **state)
{
    struct fixture *fixture = *state;
    int half = rank % 2;
    char name[16];
    close_tuner(fixture);
    MPI_Comm_split(MPI_COMM_WORLD, half, -rank, &fixture->comm);
    snprintf(name, sizeof name, "half%d", half);
    tutti_tuner_desc desc = subject_desc(name, &fixture->subject);
    fixture->subject.inside = run_collective;
    fixture->subject.inside_user = fixture;
    fixture->subject.seconds[half] = 0.125; /* different winners, different numbers of runs */
    fixture->subject.pruned[4] = half == 1;
    open_tuner(fixture, &desc);
    assert_int_equal(call(fixture), TUTTI_SUCCESS);
    assert_int_equal(report(fixture).configuration, half);
    close_tuner(fixture);
    assert_int_equal(records(fixture), ranks > 1 ? 2 : 1);
    MPI_Comm_free(&fixture->comm);
    fixture->comm = MPI_COMM_WORLD;
    open_tuner(fixture, &desc);
}

/* The ranks that are not in the group make no call, and nobody waits for them. */
static void a_group_of_some_ranks_does_not_wait_for_the_others(void **state)
{
    struct fixture *fixture = *state;
    int inside = rank < (ranks + 1) / 2;
    close_tuner(fixture);
    MPI_Comm_split(MPI_COMM_WORLD, inside ? 0 : MPI_UNDEFINED, rank, &fixture->comm);
    tutti_tuner_desc desc = subject_desc("subject", &fixture->subject);
    if (inside) {
        open_tuner(fixture, &desc);
        assert_int_equal(call(fixture), TUTTI_SUCCESS);
        assert_int_equal(report(fixture).configuration, 3);
        close_tuner(fixture);
        MPI_Comm_free(&fixture->comm);
    }
    fixture->comm = MPI_COMM_WORLD;
    MPI_Barrier(MPI_COMM_WORLD);
    open_tuner(fixture, &desc);
}

static void ranks_and_placement_are_part_of_a_records_identity(void **state)
{
    struct fixture *fixture = *state;
    MPI_Comm world = fixture->comm;
    assert_int_equal(call(fixture), TUTTI_SUCCESS);
    close_tuner(fixture);
    tutti_tuner_desc desc = subject_desc("subject", &fixture->subject);
    MPI_Comm_split(world, rank, 0, &fixture->comm); /* each rank alone: other numbers of ranks */
    fixture->subject.runs = 0;
    open_tuner(fixture, &desc);
    assert_int_equal(call(fixture), TUTTI_SUCCESS);
    assert_int_equal(report(fixture).source,
                     ranks == 1 ? TUTTI_SOURCE_RECORD : report(fixture).source);
    close_tuner(fixture);
    assert_int_equal(records(fixture), ranks == 1 ? 1 : 2);
    MPI_Comm_free(&fixture->comm);
    fixture->comm = world;
    open_tuner(fixture, &desc);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        TEST(all_ranks_choose_by_the_slowest),
        TEST(near_ties_give_one_winner_on_all_ranks),
        TEST(a_search_takes_at_most_three_operations_a_configuration),
        TEST(a_hit_makes_no_group_operation),
        TEST(a_record_that_only_the_root_can_see_serves_all),
        TEST(a_record_that_the_root_can_not_see_is_a_miss_everywhere),
        TEST(a_key_that_differs_is_an_error_that_names_rank_and_field),
        TEST(a_key_callback_that_fails_on_one_rank_is_an_error_on_all),
        TEST(a_description_that_differs_is_an_error_that_names_what),
        TEST(different_operations_are_an_error_and_not_a_hang),
        TEST(the_size_is_the_greatest_over_configurations_and_ranks),
        TEST(a_configuration_is_tried_if_all_ranks_keep_it),
        TEST(one_rank_that_prunes_all_leaves_configuration_0_or_an_error),
        TEST(a_run_that_fails_on_one_rank_fails_the_configuration_on_all),
        TEST(a_winner_that_fails_finally_on_one_rank_gives_way_on_all),
        TEST(a_recorded_winner_that_fails_on_one_rank_is_tuned_again_by_all),
        TEST(when_all_fail_somewhere_all_ranks_say_why_and_nothing_is_stored),
        TEST(a_default_that_fails_on_one_rank_is_an_error_on_all),
        TEST(the_mode_of_the_root_holds_everywhere),
        TEST(an_invalid_setting_on_the_root_is_the_same_error_on_all),
        TEST(disjoint_groups_tune_at_once_without_meeting),
        TEST(a_group_of_some_ranks_does_not_wait_for_the_others),
        TEST(ranks_and_placement_are_part_of_a_records_identity),
    };
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    last = ranks - 1;
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    /* A failed assertion leaves the other ranks in an operation: end them, don't wait for them. */
    if (failed)
        MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Finalize();
    return failed;
}
