/* The device timer on a device: what it measures, what it leaves alone, and captures. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <pthread.h>

#include "device.h"
#include "kernels.h"
#include "subject.h"

struct fixture {
    char directory[256];
    struct device_launcher launcher;
    tutti_cuda_timer *timer;
    tutti_tuner *tuner;
    tutti_group *group;
};

static void open_tuner(struct fixture *fixture, const tutti_tuner_desc *desc)
{
    assert_int_equal(tutti_tuner_create(desc, &fixture->tuner), TUTTI_SUCCESS);
    assert_int_equal(tutti_group_create_serial(&fixture->group), TUTTI_SUCCESS);
}

static void close_tuner(struct fixture *fixture)
{
    tutti_tuner_destroy(fixture->tuner);
    tutti_group_release(fixture->group);
}

static void reopen(struct fixture *fixture, const tutti_tuner_desc *desc)
{
    const tutti_tuner_desc standard = device_desc("device", &fixture->launcher, fixture->timer);
    close_tuner(fixture);
    open_tuner(fixture, desc ? desc : &standard);
}

static int setup(void **state)
{
    struct fixture *fixture = calloc(1, sizeof *fixture);
    char message[256];
    unsetenv("TUTTI_ON_MISS");
    unsetenv("TUTTI_RUN_TIMEOUT");
    unsetenv("TUTTI_POLICY");
    subject_make_directory(fixture->directory);
    subject_use_store(fixture->directory);
    device_check(cudaSetDevice(0));
    device_open(&fixture->launcher);
    if (tutti_cuda_timer_create(fixture->launcher.stream, &fixture->timer, message, sizeof message))
        fail_msg("%s", message);
    const tutti_tuner_desc desc = device_desc("device", &fixture->launcher, fixture->timer);
    open_tuner(fixture, &desc);
    *state = fixture;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *fixture = *state;
    close_tuner(fixture);
    tutti_cuda_timer_destroy(fixture->timer);
    device_close(&fixture->launcher);
    subject_remove_directory(fixture->directory);
    free(fixture);
    return 0;
}

static int call(struct fixture *fixture)
{
    return tutti_call(fixture->tuner, NULL, fixture->group, NULL);
}

static tutti_report report(struct fixture *fixture)
{
    tutti_report result = {.size = sizeof result};
    assert_int_equal(tutti_report_get(fixture->tuner, NULL, fixture->group, &result),
                     TUTTI_SUCCESS);
    return result;
}

static void expect_choice(struct fixture *fixture, int source, uint64_t configuration)
{
    const int status = call(fixture);
    if (status)
        fail_msg("%s: %s", tutti_strerror(status), tutti_message(fixture->tuner, fixture->group));
    const tutti_report result = report(fixture);
    assert_string_equal(tutti_source_name(result.source), tutti_source_name(source));
    assert_int_equal(result.configuration, configuration);
}

/* The launcher returns long before its kernel has ended: only the device can tell the time. The
 * clocks of events and kernels are not the same one, which 2% allows for. */
static void the_time_is_the_devices(void **state)
{
    struct fixture *fixture = *state;
    expect_choice(fixture, TUTTI_SOURCE_SEARCH, 3);
    const tutti_report result = report(fixture);
    for (int i = 0; i < 6; i++) {
        print_message("configuration %d: %.1f us, its kernel stays for %.1f us\n", i,
                      1e6 * result.trials[i].seconds,
                      1e-3 * (double)fixture->launcher.nanoseconds[i]);
        assert_true(result.trials[i].seconds > 0.98e-9 * (double)fixture->launcher.nanoseconds[i]);
    }
}

static void a_race_measures_it_too(void **state)
{
    struct fixture *fixture = *state;
    tutti_tuner_desc desc = device_desc("device", &fixture->launcher, fixture->timer);
    desc.policy = TUTTI_POLICY_RACE;
    desc.flush = true;
    reopen(fixture, &desc);
    expect_choice(fixture, TUTTI_SOURCE_SEARCH, 3);
    assert_true(report(fixture).seconds > 0.98e-9 * (double)fixture->launcher.nanoseconds[3]);
    print_message("%d calls a sample, %.1f us, noise %.2f%%\n", report(fixture).samples,
                  1e6 * report(fixture).seconds, 100 * report(fixture).noise);
}

/* The whole record in one text. */
static void read_record(struct fixture *fixture, char bytes[65536])
{
    char path[512];
    assert_int_equal(subject_count_files(fixture->directory, path), 1);
    FILE *file = fopen(path, "r");
    bytes[fread(bytes, 1, 65535, file)] = '\0';
    fclose(file);
}

static void expect_in(const char *bytes, const char *part)
{
    if (!strstr(bytes, part))
        fail_msg("%s is not in %s", part, bytes);
}

static void the_record_says_what_device_it_was(void **state)
{
    struct fixture *fixture = *state;
    static char bytes[65536];
    struct cudaDeviceProp properties;
    char line[512];
    expect_choice(fixture, TUTTI_SOURCE_SEARCH, 3);
    read_record(fixture, bytes);
    device_check(cudaGetDeviceProperties(&properties, 0));
    snprintf(line, sizeof line, "\"gpu\": \"%s\"", properties.name);
    expect_in(bytes, line);
    snprintf(line, sizeof line, "\"gpu_multiprocessors\": \"%d\"", properties.multiProcessorCount);
    expect_in(bytes, line);
    expect_in(bytes, "\"timer\": \"CUDA events\"");
    expect_in(bytes, "\"cuda_driver\": \"");
    expect_in(bytes, "\"cuda_runtime\": \"");
    print_message("%.*s\n", 1800, strstr(bytes, "\"hardware\""));
    reopen(fixture, NULL);
    expect_choice(fixture, TUTTI_SOURCE_RECORD, 3);
}

static int fail_at(struct device_launcher *launcher, uint64_t configuration)
{
    if (configuration != launcher->at)
        return 0;
    const cudaError_t error = fail_silently(launcher->stream);
    return error ? (int)error : DEVICE_INSTEAD;
}

static void a_launch_that_fails_silently_never_wins(void **state)
{
    struct fixture *fixture = *state;
    fixture->launcher.at = 4;
    fixture->launcher.inside = fail_at;
    expect_choice(fixture, TUTTI_SOURCE_SEARCH, 3);
    const tutti_report result = report(fixture);
    for (int i = 0; i < 6; i++)
        assert_int_equal(result.trials[i].status, i == 4 ? TUTTI_STATUS_FAILED : TUTTI_STATUS_OK);
    print_message("%s\n", result.trials[4].reason);
    expect_in(result.trials[4].reason, "rank 0: the timer's stop returned ");
    device_check(cudaGetLastError()); /* and nothing of it is left */
}

/* A kernel that waits for ever: the watchdog's on_stall lets it go, as another program would end.
 */
static int wait_at(struct device_launcher *launcher, uint64_t configuration)
{
    return configuration == launcher->at ? (int)wait_for_flag(launcher->flag, launcher->stream) : 0;
}

static void let_go(const char *message, void *user)
{
    struct device_launcher *launcher = user;
    print_message("on_stall: %s\n", message);
    *launcher->flag = 1;
}

static void a_kernel_that_does_not_end_is_found_and_named(void **state)
{
    struct fixture *fixture = *state;
    int *flag;
    device_check(cudaHostAlloc((void **)&flag, sizeof *flag, cudaHostAllocMapped));
    *flag = 0;
    setenv("TUTTI_RUN_TIMEOUT", "0.5", 1);
    fixture->launcher.at = 2;
    fixture->launcher.flag = flag;
    fixture->launcher.inside = wait_at;
    tutti_tuner_desc desc = device_desc("device", &fixture->launcher, fixture->timer);
    desc.on_stall = let_go;
    reopen(fixture, &desc);
    expect_choice(fixture, TUTTI_SOURCE_SEARCH, 3);
    assert_int_equal(*flag, 1);
    device_check(cudaFreeHost(flag));
}

/* On a machine with several devices the timer's is not the current one. */
static void the_current_device_stays_what_it_was(void **state)
{
    struct fixture *fixture = *state;
    int devices, current;
    device_check(cudaGetDeviceCount(&devices));
    if (devices < 2) {
        print_message("one device only: not seen\n");
        skip();
    }
    device_check(cudaSetDevice(1));
    expect_choice(fixture, TUTTI_SOURCE_SEARCH, 3); /* the stream is of device 0 */
    device_check(cudaGetDevice(&current));
    assert_int_equal(current, 1);
    tutti_cuda_timer *timer;
    assert_int_equal(tutti_cuda_timer_create(fixture->launcher.stream, &timer, NULL, 0),
                     TUTTI_SUCCESS);
    assert_int_equal(tutti_cuda_timer_ops()->begin(timer, NULL), TUTTI_TIMER_OK);
    assert_int_equal(tutti_cuda_timer_ops()->flush(timer), TUTTI_TIMER_OK);
    tutti_cuda_timer_destroy(timer);
    device_check(cudaGetDevice(&current));
    assert_int_equal(current, 1);
    device_check(cudaSetDevice(0));
}

/* Said in so many words, before anything runs. */
static void a_call_on_another_devices_stream_is_refused(void **state)
{
    struct fixture *fixture = *state;
    int devices;
    cudaStream_t other;
    device_check(cudaGetDeviceCount(&devices));
    if (devices < 2)
        skip();
    device_check(cudaSetDevice(1));
    device_check(cudaStreamCreate(&other));
    device_check(cudaSetDevice(0));
    const tutti_call_options options = {.size = sizeof options, .stream = other};
    assert_int_equal(tutti_call(fixture->tuner, NULL, fixture->group, &options), TUTTI_ERR_RUN);
    expect_in(tutti_message(fixture->tuner, fixture->group),
              "the stream is of device 1, the timer of device 0");
    assert_int_equal(fixture->launcher.runs, 0);
    device_check(cudaStreamDestroy(other));
}

static void begin_capture(struct fixture *fixture, enum cudaStreamCaptureMode mode)
{
    device_check(cudaStreamBeginCapture(fixture->launcher.stream, mode));
}

/* Ends the capture, which must have stayed valid, and replays it so many times. */
static void replay(struct fixture *fixture, int times)
{
    cudaGraph_t graph;
    cudaGraphExec_t executable;
    device_check(cudaStreamEndCapture(fixture->launcher.stream, &graph));
    device_check(cudaGraphInstantiate(&executable, graph, 0));
    for (int i = 0; i < times; i++)
        device_check(cudaGraphLaunch(executable, fixture->launcher.stream));
    device_check(cudaStreamSynchronize(fixture->launcher.stream));
    device_check(cudaGraphExecDestroy(executable));
    device_check(cudaGraphDestroy(graph));
}

static int declare(tutti_buffers *buffers, void *args, void *user)
{
    const struct device_launcher *launcher = user;
    (void)args;
    tutti_buffer_inout(buffers, "numbers", launcher->numbers, NUMBERS * sizeof(int));
    return 0;
}

static tutti_tuner_desc desc_with_buffers(struct fixture *fixture)
{
    tutti_tuner_desc desc = device_desc("device", &fixture->launcher, fixture->timer);
    desc.buffers = declare;
    desc.memory = tutti_cuda_memory_ops();
    desc.memory_self = fixture->timer;
    return desc;
}

static void declared_buffers_are_as_after_one_run_of_the_winner(void **state)
{
    struct fixture *fixture = *state;
    const tutti_tuner_desc desc = desc_with_buffers(fixture);
    device_check(add(fixture->launcher.numbers, NUMBERS, 100, fixture->launcher.stream));
    reopen(fixture, &desc);
    expect_choice(fixture, TUTTI_SOURCE_SEARCH, 3);
    device_expect_numbers(&fixture->launcher, 104);
}

static const enum cudaStreamCaptureMode modes[] = {
    cudaStreamCaptureModeGlobal, cudaStreamCaptureModeThreadLocal, cudaStreamCaptureModeRelaxed};

static void a_cold_call_in_a_capture_runs_the_default_and_the_capture_holds(void **state)
{
    struct fixture *fixture = *state;
    for (int i = 0; i < 3; i++) {
        begin_capture(fixture, modes[i]);
        expect_choice(fixture, TUTTI_SOURCE_DEFAULT_BUSY, 0);
        replay(fixture, 2);
        device_expect_numbers(&fixture->launcher, 2 * (i + 1));
    }
    assert_int_equal(subject_count_files(fixture->directory, NULL), 0);
    expect_choice(fixture, TUTTI_SOURCE_SEARCH, 3); /* the next call outside searches */
}

static void a_cold_call_in_a_capture_is_an_error_if_asked_and_the_capture_holds(void **state)
{
    struct fixture *fixture = *state;
    setenv("TUTTI_ON_MISS", "error", 1);
    reopen(fixture, NULL);
    for (int i = 0; i < 3; i++) {
        begin_capture(fixture, modes[i]);
        assert_int_equal(call(fixture), TUTTI_ERR_MISS);
        expect_in(tutti_message(fixture->tuner, fixture->group),
                  "none can be made now (rank 0: the stream is being captured)");
        device_check(add(fixture->launcher.numbers, NUMBERS, 1, fixture->launcher.stream));
        replay(fixture, 1);
        device_expect_numbers(&fixture->launcher, i + 1);
    }
}

static void a_record_is_used_in_a_capture(void **state)
{
    struct fixture *fixture = *state;
    expect_choice(fixture, TUTTI_SOURCE_SEARCH, 3);
    device_zero_numbers(&fixture->launcher);
    reopen(fixture, NULL);
    begin_capture(fixture, cudaStreamCaptureModeGlobal);
    expect_choice(fixture, TUTTI_SOURCE_RECORD, 3);
    replay(fixture, 3);
    device_expect_numbers(&fixture->launcher, 3 * 4);
}

/* They would be saved for the case that the recorded configuration fails, which can't be here. */
static void a_record_is_used_in_a_capture_whatever_buffers_are_declared(void **state)
{
    struct fixture *fixture = *state;
    const tutti_tuner_desc desc = desc_with_buffers(fixture);
    reopen(fixture, &desc);
    expect_choice(fixture, TUTTI_SOURCE_SEARCH, 3);
    reopen(fixture, &desc);
    begin_capture(fixture, cudaStreamCaptureModeGlobal);
    expect_choice(fixture, TUTTI_SOURCE_RECORD, 3);
    replay(fixture, 3);
    device_expect_numbers(&fixture->launcher, 4 + 3 * 4);
}

static void a_tuned_and_a_bound_launch_are_captured_and_replayed(void **state)
{
    struct fixture *fixture = *state;
    tutti_bound bound = {.size = sizeof bound};
    expect_choice(fixture, TUTTI_SOURCE_SEARCH, 3);
    assert_int_equal(tutti_bind(fixture->tuner, NULL, fixture->group, &bound), TUTTI_SUCCESS);
    device_zero_numbers(&fixture->launcher);
    begin_capture(fixture, cudaStreamCaptureModeGlobal);
    expect_choice(fixture, TUTTI_SOURCE_SEARCH, 3);
    assert_int_equal(tutti_bound_launch(&bound, NULL), 0);
    replay(fixture, 5);
    device_expect_numbers(&fixture->launcher, 5 * 2 * 4);
}

/* Another stream of this process is being captured in the mode that forbids most calls to all
 * threads: a search on a stream of one's own goes on, and the capture holds. */
static void a_capture_of_another_stream_survives_a_search(void **state)
{
    struct fixture *fixture = *state;
    cudaStream_t other;
    cudaGraph_t graph;
    device_check(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
    device_check(cudaStreamBeginCapture(other, cudaStreamCaptureModeGlobal));
    expect_choice(fixture, TUTTI_SOURCE_SEARCH, 3);
    device_check(add(fixture->launcher.numbers, NUMBERS, 1, other));
    device_check(cudaStreamEndCapture(other, &graph));
    device_check(cudaGraphDestroy(graph));
    device_check(cudaStreamDestroy(other));
}

/* The default stream can't be used while any other stream of the usual kind is captured. */
static void the_default_stream_is_busy_while_another_is_captured(void **state)
{
    (void)state;
    cudaStream_t other;
    cudaGraph_t graph;
    tutti_cuda_timer *timer;
    assert_int_equal(tutti_cuda_timer_create(NULL, &timer, NULL, 0), TUTTI_SUCCESS);
    device_check(cudaStreamCreate(&other));
    device_check(cudaStreamBeginCapture(other, cudaStreamCaptureModeGlobal));
    assert_int_equal(tutti_cuda_timer_ops()->begin(timer, NULL), TUTTI_TIMER_BUSY);
    device_check(cudaStreamEndCapture(other, &graph));
    device_check(cudaGraphDestroy(graph));
    device_check(cudaStreamDestroy(other));
    assert_int_equal(tutti_cuda_timer_ops()->begin(timer, NULL), TUTTI_TIMER_OK);
    tutti_cuda_timer_destroy(timer);
}

/* Not asserted, since it is a matter of time; for the reader of a log. */
static void show_the_flush(struct fixture *fixture)
{
    const uint64_t bytes = 16 << 20;
    const tutti_timer_ops *ops = tutti_cuda_timer_ops();
    void *data;
    double seconds;
    device_check(cudaMalloc(&data, bytes));
    device_check(cudaMemset(data, 0, bytes));
    for (int flushed = 0; flushed < 2; flushed++) {
        double least = 1;
        for (int i = 0; i < 20; i++) {
            if (flushed)
                assert_int_equal(ops->flush(fixture->timer), TUTTI_TIMER_OK);
            assert_int_equal(ops->start(fixture->timer), TUTTI_TIMER_OK);
            device_check(
                read_all(data, bytes, fixture->launcher.numbers, fixture->launcher.stream));
            assert_int_equal(ops->stop(fixture->timer, &seconds), TUTTI_TIMER_OK);
            least = seconds < least ? seconds : least;
        }
        print_message("reading 16 MiB %s: %.1f us\n", flushed ? "after a flush" : "again",
                      1e6 * least);
    }
    device_check(cudaFree(data));
}

static void a_flush_leaves_data_and_stream_alone(void **state)
{
    struct fixture *fixture = *state;
    device_check(add(fixture->launcher.numbers, NUMBERS, 7, fixture->launcher.stream));
    assert_int_equal(tutti_cuda_timer_ops()->flush(fixture->timer), TUTTI_TIMER_OK);
    assert_int_equal(cudaStreamQuery(fixture->launcher.stream), cudaSuccess); /* it has waited */
    device_expect_numbers(&fixture->launcher, 7);
    show_the_flush(fixture);
}

/* A rank that is a thread, with a device, a timer and a tuner of its own. */
struct thread_rank {
    pthread_t thread;
    tutti_group *group;
    int device, status;
    uint64_t configuration;
    struct device_launcher launcher;
};

static int tune_on(struct thread_rank *rank, tutti_cuda_timer *timer)
{
    tutti_tuner *tuner;
    tutti_report report = {.size = sizeof report};
    const tutti_tuner_desc desc = device_desc("threads", &rank->launcher, timer);
    int status = tutti_tuner_create(&desc, &tuner);
    if (!status)
        status = tutti_call(tuner, NULL, rank->group, NULL);
    if (!status)
        status = tutti_report_get(tuner, NULL, rank->group, &report);
    rank->configuration = report.configuration;
    tutti_tuner_destroy(tuner);
    return status;
}

static void *be_a_rank(void *argument)
{
    struct thread_rank *rank = argument;
    tutti_cuda_timer *timer;
    rank->status = cudaSetDevice(rank->device);
    if (!rank->status)
        rank->status = tutti_cuda_timer_create(rank->launcher.stream, &timer, NULL, 0);
    if (rank->status)
        return NULL;
    rank->status = tune_on(rank, timer);
    tutti_cuda_timer_destroy(timer);
    return NULL;
}

static void ranks_that_are_threads_tune_together(void **state)
{
    (void)state;
    struct thread_rank ranks[2] = {0};
    tutti_group *groups[2];
    int devices;
    device_check(cudaGetDeviceCount(&devices));
    assert_int_equal(tutti_group_create_threads(2, groups), TUTTI_SUCCESS);
    for (int i = 0; i < 2; i++) {
        ranks[i].group = groups[i];
        ranks[i].device = i % devices;
        device_check(cudaSetDevice(ranks[i].device));
        device_open(&ranks[i].launcher);
        ranks[i].launcher.nanoseconds[5] = 200000;
    }
    ranks[1].launcher.nanoseconds[3] = 4000000; /* so that 5 is the best for both together */
    for (int i = 0; i < 2; i++)
        assert_int_equal(pthread_create(&ranks[i].thread, NULL, be_a_rank, &ranks[i]), 0);
    for (int i = 0; i < 2; i++) {
        pthread_join(ranks[i].thread, NULL);
        assert_int_equal(ranks[i].status, TUTTI_SUCCESS);
        assert_int_equal(ranks[i].configuration, 5);
        device_check(cudaSetDevice(ranks[i].device));
        device_close(&ranks[i].launcher);
        tutti_group_release(ranks[i].group);
    }
    device_check(cudaSetDevice(0));
}

static void arguments_are_checked(void **state)
{
    (void)state;
    assert_int_equal(tutti_cuda_timer_create(NULL, NULL, NULL, 0), TUTTI_ERR_ARGUMENT);
    tutti_cuda_timer_destroy(NULL);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arguments_are_checked),
        TEST(the_time_is_the_devices),
        TEST(a_race_measures_it_too),
        TEST(the_record_says_what_device_it_was),
        TEST(a_launch_that_fails_silently_never_wins),
        TEST(a_kernel_that_does_not_end_is_found_and_named),
        TEST(the_current_device_stays_what_it_was),
        TEST(a_call_on_another_devices_stream_is_refused),
        TEST(declared_buffers_are_as_after_one_run_of_the_winner),
        TEST(a_cold_call_in_a_capture_runs_the_default_and_the_capture_holds),
        TEST(a_cold_call_in_a_capture_is_an_error_if_asked_and_the_capture_holds),
        TEST(a_record_is_used_in_a_capture),
        TEST(a_record_is_used_in_a_capture_whatever_buffers_are_declared),
        TEST(a_tuned_and_a_bound_launch_are_captured_and_replayed),
        TEST(a_capture_of_another_stream_survives_a_search),
        TEST(the_default_stream_is_busy_while_another_is_captured),
        TEST(a_flush_leaves_data_and_stream_alone),
        TEST(ranks_that_are_threads_tune_together),
    };
    device_need(1);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
