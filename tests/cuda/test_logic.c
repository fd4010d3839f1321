/*
 * What libtutti-cuda makes of what CUDA says, without a device: the runtime's functions are
 * simulated below, with a current device, a capture mode and errors that stick. This is the test
 * that runs everywhere; test_timer.c has the real thing.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <cuda_runtime_api.h>

#include <tutti/cuda.h>

#define STREAM ((struct CUstream_st *)(uintptr_t)16) /* of device 1 */
#define OTHER  ((struct CUstream_st *)(uintptr_t)32) /* likewise */

/* The simulated runtime: one thread, two devices. */
static struct {
    int current, device_of_stream;
    enum cudaStreamCaptureMode mode;
    enum cudaStreamCaptureStatus capture;     /* of both streams */
    cudaError_t is_capturing;                 /* what the question returns */
    cudaError_t sticky, left;                 /* of kernels; of a launch that nobody looked at */
    cudaError_t record, create, sweep;        /* what these return */
    int events, sweeps, synchronized, unsafe; /* alive; alive; waits; calls that break a capture */
    cudaStream_t recorded;                    /* the stream of the last event */
} cuda;

/* A call that needs the timer's device and the thread's permission. */
static cudaError_t context_call(bool unsafe)
{
    assert_int_equal(cuda.current, 1);
    assert_int_equal(cuda.mode, cudaStreamCaptureModeRelaxed);
    cuda.unsafe += unsafe && cuda.capture != cudaStreamCaptureStatusNone;
    if (cuda.sticky)
        cuda.left = cuda.sticky;
    return cuda.sticky;
}

static cudaError_t fails_with(cudaError_t error)
{
    if (error)
        cuda.left = error;
    return error;
}

cudaError_t cudaGetDevice(int *device)
{
    *device = cuda.current;
    return cudaSuccess;
}

cudaError_t cudaSetDevice(int device)
{
    cuda.current = device;
    return cudaSuccess;
}

cudaError_t cudaGetDeviceCount(int *count)
{
    *count = 2;
    return cudaSuccess;
}

cudaError_t cudaStreamGetDevice(cudaStream_t stream, int *device)
{
    (void)stream;
    *device = cuda.device_of_stream;
    return cuda.device_of_stream < 0 ? cudaErrorNoDevice : cudaSuccess;
}

cudaError_t cudaThreadExchangeStreamCaptureMode(enum cudaStreamCaptureMode *mode)
{
    const enum cudaStreamCaptureMode before = cuda.mode;
    cuda.mode = *mode;
    *mode = before;
    return cudaSuccess;
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, enum cudaStreamCaptureStatus *status)
{
    (void)stream;
    *status = cuda.capture;
    return fails_with(cuda.is_capturing);
}

cudaError_t cudaGetLastError(void)
{
    const cudaError_t error = cuda.left;
    cuda.left = cuda.sticky;
    return error;
}

cudaError_t cudaEventCreate(cudaEvent_t *event)
{
    const cudaError_t error = context_call(true);
    if (error || cuda.create)
        return error ? error : fails_with(cuda.create);
    *event = (cudaEvent_t)(uintptr_t)(100 + ++cuda.events);
    return cudaSuccess;
}

cudaError_t cudaEventDestroy(cudaEvent_t event)
{
    assert_non_null(event);
    cuda.events--;
    return context_call(false);
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
    assert_non_null(event);
    cuda.recorded = stream;
    const cudaError_t error = context_call(true);
    return error ? error : fails_with(cuda.record);
}

cudaError_t cudaEventSynchronize(cudaEvent_t event)
{
    (void)event;
    cuda.synchronized++;
    return context_call(true);
}

cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t begin, cudaEvent_t end)
{
    assert_ptr_not_equal(begin, end);
    *milliseconds = 2.5F;
    return context_call(false);
}

cudaError_t cudaStreamQuery(cudaStream_t stream)
{
    (void)stream;
    return context_call(true);
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
    (void)stream;
    cuda.synchronized++;
    return context_call(true);
}

cudaError_t cudaMalloc(void **pointer, size_t bytes)
{
    assert_int_equal(bytes, 2 * (50 << 20));
    if (cuda.sweep)
        return fails_with(cuda.sweep);
    *pointer = &cuda;
    cuda.sweeps++;
    return context_call(true);
}

cudaError_t cudaFree(void *pointer)
{
    cuda.sweeps -= pointer != NULL;
    return context_call(false);
}

cudaError_t cudaMemsetAsync(void *pointer, int byte, size_t bytes, cudaStream_t stream)
{
    if (pointer == &cuda)
        assert_int_equal(bytes, 2 * (50 << 20));
    else
        memset(pointer, byte, bytes);
    cuda.recorded = stream;
    return context_call(true);
}

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind,
                            cudaStream_t stream)
{
    assert_int_equal(kind, cudaMemcpyDefault);
    memcpy(to, from, bytes);
    cuda.recorded = stream;
    return context_call(true);
}

cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attribute, int device)
{
    assert_int_equal(attribute, cudaDevAttrL2CacheSize);
    assert_int_equal(device, 1);
    *value = 50 << 20;
    return cudaSuccess;
}

cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *properties, int device)
{
    assert_int_equal(device, 1);
    memset(properties, 0, sizeof *properties);
    snprintf(properties->name, sizeof properties->name, "Example 1");
    properties->major = 9;
    properties->multiProcessorCount = 132;
    properties->l2CacheSize = 50 << 20;
    return cudaSuccess;
}

cudaError_t cudaDeviceGetP2PAttribute(int *value, enum cudaDeviceP2PAttr attribute, int device,
                                      int other)
{
    assert_int_equal(device, 1);
    assert_int_equal(other, 0);
    *value = attribute == cudaDevP2PAttrAccessSupported;
    return cudaSuccess;
}

cudaError_t cudaDriverGetVersion(int *version)
{
    *version = 13010;
    return cudaSuccess;
}

cudaError_t cudaRuntimeGetVersion(int *version)
{
    *version = 12080;
    return cudaSuccess;
}

const char *cudaGetErrorString(cudaError_t error)
{
    return error == cudaErrorIllegalAddress ? "an illegal address" : "another error";
}

const char *cudaGetErrorName(cudaError_t error)
{
    return error == cudaErrorIllegalAddress ? "cudaErrorIllegalAddress" : "cudaErrorOther";
}

/* The tests. */

static const tutti_timer_ops *ops;

static int setup(void **state)
{
    tutti_cuda_timer *timer;
    memset(&cuda, 0, sizeof cuda);
    cuda.device_of_stream = 1;
    cuda.mode = cudaStreamCaptureModeGlobal;
    ops = tutti_cuda_timer_ops();
    assert_int_equal(tutti_cuda_timer_create(STREAM, &timer, NULL, 0), TUTTI_SUCCESS);
    *state = timer;
    return 0;
}

/* Whatever a test did: the thread is as it was, and all is given back. */
static int teardown(void **state)
{
    tutti_cuda_timer_destroy(*state);
    assert_int_equal(cuda.current, 0);
    assert_int_equal(cuda.mode, cudaStreamCaptureModeGlobal);
    assert_int_equal(cuda.events, 0);
    assert_int_equal(cuda.sweeps, 0);
    return 0;
}

static void a_region_is_measured_on_the_calls_stream(void **state)
{
    double seconds = 0;
    assert_int_equal(ops->begin(*state, OTHER), TUTTI_TIMER_OK);
    assert_int_equal(ops->start(*state), TUTTI_TIMER_OK);
    assert_ptr_equal(cuda.recorded, OTHER);
    assert_int_equal(ops->stop(*state, &seconds), TUTTI_TIMER_OK);
    assert_true(seconds > 2.4e-3 && seconds < 2.6e-3);
    assert_int_equal(cuda.synchronized, 1);
    assert_int_equal(ops->begin(*state, NULL), TUTTI_TIMER_OK);
    assert_int_equal(ops->start(*state), TUTTI_TIMER_OK);
    assert_ptr_equal(cuda.recorded, STREAM);
    assert_int_equal(cuda.current, 0);
    assert_int_equal(cuda.mode, cudaStreamCaptureModeGlobal);
}

static void a_kernels_error_is_a_lost_device_from_then_on(void **state)
{
    double seconds;
    assert_int_equal(ops->start(*state), TUTTI_TIMER_OK);
    cuda.sticky = cudaErrorIllegalAddress;
    assert_int_equal(ops->stop(*state, &seconds), TUTTI_TIMER_LOST);
    assert_string_equal(ops->describe(*state, TUTTI_TIMER_ERROR),
                        "an illegal address (cudaErrorIllegalAddress)");
    assert_int_equal(ops->start(*state), TUTTI_TIMER_LOST);
    assert_int_equal(ops->flush(*state), TUTTI_TIMER_LOST);
    assert_int_equal(ops->begin(*state, NULL), TUTTI_TIMER_LOST);
    assert_string_equal(ops->describe(*state, TUTTI_TIMER_ERROR),
                        "an illegal address (cudaErrorIllegalAddress)");
}

static void an_error_that_does_not_stick_fails_and_is_gone(void **state)
{
    double seconds;
    cuda.record = cudaErrorInvalidResourceHandle;
    assert_int_equal(ops->start(*state), cudaErrorInvalidResourceHandle);
    assert_int_equal(cudaGetLastError(), cudaSuccess);
    cuda.record = cudaSuccess;
    assert_int_equal(ops->start(*state), TUTTI_TIMER_OK);
    assert_int_equal(ops->stop(*state, &seconds), TUTTI_TIMER_OK);
    assert_string_equal(ops->describe(*state, TUTTI_TIMER_ERROR), "");
}

/* It is found where it was left, and neither before nor after. */
static void a_launch_that_failed_silently_is_its_regions_error(void **state)
{
    double seconds;
    cuda.left = cudaErrorInvalidValue;
    assert_int_equal(ops->start(*state), TUTTI_TIMER_OK);
    assert_int_equal(ops->stop(*state, &seconds), TUTTI_TIMER_OK);
    assert_int_equal(ops->start(*state), TUTTI_TIMER_OK);
    cuda.left = cudaErrorInvalidConfiguration;
    assert_int_equal(ops->stop(*state, &seconds), cudaErrorInvalidConfiguration);
    assert_int_equal(cuda.synchronized, 2); /* the region is over all the same */
    assert_int_equal(ops->start(*state), TUTTI_TIMER_OK);
    assert_int_equal(ops->stop(*state, &seconds), TUTTI_TIMER_OK);
}

static void a_stream_of_another_device_is_refused_with_a_reason(void **state)
{
    cuda.device_of_stream = 0;
    assert_int_equal(ops->begin(*state, OTHER), cudaErrorInvalidDevice);
    assert_string_equal(ops->describe(*state, TUTTI_TIMER_ERROR),
                        "the stream is of device 0, the timer of device 1");
    cuda.device_of_stream = 1;
    assert_int_equal(ops->begin(*state, OTHER), TUTTI_TIMER_OK);
}

static void a_captured_stream_is_busy_and_left_alone(void **state)
{
    static const enum cudaStreamCaptureStatus statuses[] = {cudaStreamCaptureStatusActive,
                                                            cudaStreamCaptureStatusInvalidated};
    for (int i = 0; i < 2; i++) {
        cuda.capture = statuses[i];
        assert_int_equal(ops->begin(*state, NULL), TUTTI_TIMER_BUSY);
        assert_string_equal(ops->describe(*state, TUTTI_TIMER_ERROR),
                            "the stream is being captured");
    }
    assert_int_equal(cuda.unsafe, 0);
    cuda.capture = cudaStreamCaptureStatusNone;
    assert_int_equal(ops->begin(*state, NULL), TUTTI_TIMER_OK);
}

static void the_default_stream_is_busy_while_others_are_captured(void **state)
{
    cuda.is_capturing = cudaErrorStreamCaptureImplicit;
    assert_int_equal(ops->begin(*state, NULL), TUTTI_TIMER_BUSY);
    assert_int_equal(cuda.unsafe, 0);
    assert_int_equal(cudaGetLastError(), cudaSuccess);
}

static void a_flush_writes_twice_the_l2_on_the_stream_and_waits(void **state)
{
    assert_int_equal(ops->flush(*state), TUTTI_TIMER_OK);
    assert_int_equal(ops->flush(*state), TUTTI_TIMER_OK);
    assert_int_equal(cuda.sweeps, 1);
    assert_int_equal(cuda.synchronized, 2);
    assert_ptr_equal(cuda.recorded, STREAM);
}

static void a_flush_without_memory_is_an_error(void **state)
{
    cuda.sweep = cudaErrorMemoryAllocation;
    assert_int_equal(ops->flush(*state), cudaErrorMemoryAllocation);
    assert_int_equal(cudaGetLastError(), cudaSuccess);
}

static void buffers_are_reached_on_the_calls_stream_and_waited_for(void **state)
{
    const tutti_memory_ops *memory = tutti_cuda_memory_ops();
    char there[4] = {0}, here[4] = "abc";
    assert_int_equal(memory->copy(*state, there, here, 4, OTHER), 0);
    assert_string_equal(there, "abc");
    assert_ptr_equal(cuda.recorded, OTHER);
    assert_int_equal(memory->fill(*state, there, 'x', 2, NULL), 0);
    assert_string_equal(there, "xxc");
    assert_ptr_equal(cuda.recorded, STREAM);
    assert_int_equal(cuda.synchronized, 2);
    cuda.sticky = cudaErrorIllegalAddress;
    assert_int_equal(memory->copy(*state, there, here, 4, NULL), cudaErrorIllegalAddress);
    assert_int_equal(memory->fill(*state, there, 'x', 2, NULL), cudaErrorIllegalAddress);
    assert_int_equal(cuda.current, 0);
}

static void buffers_are_out_of_reach_in_a_capture_which_holds(void **state)
{
    char there[4] = "abc";
    cuda.capture = cudaStreamCaptureStatusActive;
    assert_int_not_equal(tutti_cuda_memory_ops()->copy(*state, there, "x", 2, NULL), 0);
    assert_int_not_equal(tutti_cuda_memory_ops()->fill(*state, there, 'x', 2, NULL), 0);
    assert_string_equal(there, "abc");
    assert_int_equal(cuda.unsafe, 0);
}

static void the_device_is_described(void **state)
{
    assert_string_equal(ops->describe(*state, TUTTI_TIMER_HARDWARE),
                        "gpu = Example 1\n"
                        "gpu_compute_capability = 9.0\n"
                        "gpu_multiprocessors = 132\n"
                        "gpu_l2_cache = 51200 KiB\n"
                        "gpus = 2\n"
                        "gpu_links = 1 x peer access\n");
    static const char versions[] = "cuda_driver = 13.1\ncuda_runtime = 12.8\n";
    assert_memory_equal(ops->describe(*state, TUTTI_TIMER_ENVIRONMENT), versions, strlen(versions));
    assert_null(ops->describe(*state, 99));
}

static void a_creation_that_fails_says_why_and_keeps_nothing(void **state)
{
    (void)state;
    char message[64];
    tutti_cuda_timer *timer;
    const int events = cuda.events;
    cuda.create = cudaErrorMemoryAllocation;
    assert_int_equal(tutti_cuda_timer_create(STREAM, &timer, message, sizeof message),
                     TUTTI_ERR_DEVICE);
    assert_null(timer);
    assert_string_equal(message, "another error (cudaErrorOther)");
    assert_int_equal(cuda.events, events);
    cuda.device_of_stream = -1;
    assert_int_equal(tutti_cuda_timer_create(STREAM, &timer, message, sizeof message),
                     TUTTI_ERR_DEVICE);
    assert_null(timer);
    assert_int_equal(cudaGetLastError(), cudaSuccess);
    assert_int_equal(tutti_cuda_timer_create(STREAM, NULL, NULL, 0), TUTTI_ERR_ARGUMENT);
    tutti_cuda_timer_destroy(NULL);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_region_is_measured_on_the_calls_stream),
        TEST(a_kernels_error_is_a_lost_device_from_then_on),
        TEST(an_error_that_does_not_stick_fails_and_is_gone),
        TEST(a_launch_that_failed_silently_is_its_regions_error),
        TEST(a_stream_of_another_device_is_refused_with_a_reason),
        TEST(a_captured_stream_is_busy_and_left_alone),
        TEST(the_default_stream_is_busy_while_others_are_captured),
        TEST(a_flush_writes_twice_the_l2_on_the_stream_and_waits),
        TEST(a_flush_without_memory_is_an_error),
        TEST(buffers_are_reached_on_the_calls_stream_and_waited_for),
        TEST(buffers_are_out_of_reach_in_a_capture_which_holds),
        TEST(the_device_is_described),
        TEST(a_creation_that_fails_says_why_and_keeps_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
