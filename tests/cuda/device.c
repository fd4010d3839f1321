/* See device.h. */
#include "device.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "kernels.h"
#include "subject.h"

void device_need(int devices)
{
    int present = 0;
    const cudaError_t error = cudaGetDeviceCount(&present);
    if (!error && present >= devices)
        return;
    printf("skipped: %d CUDA devices are needed, and there are %d (%s)\n", devices,
           error ? 0 : present, cudaGetErrorString(error));
    exit(77);
}

void device_check(cudaError_t error)
{
    if (error)
        fail_msg("%s: %s", cudaGetErrorName(error), cudaGetErrorString(error));
}

void device_open(struct device_launcher *launcher)
{
    *launcher = (struct device_launcher){.at = UINT64_MAX};
    device_check(cudaStreamCreateWithFlags(&launcher->stream, cudaStreamNonBlocking));
    device_check(cudaMalloc((void **)&launcher->numbers, NUMBERS * sizeof(int)));
    /* Code is loaded when a kernel is first used, which a capture may not allow. */
    device_check(spin(1, launcher->stream));
    device_check(add(launcher->numbers, NUMBERS, 0, launcher->stream));
    device_zero_numbers(launcher);
    for (int i = 0; i < 6; i++)
        launcher->nanoseconds[i] = i == 3 ? 20000 : 2000000;
}

void device_zero_numbers(const struct device_launcher *launcher)
{
    device_check(cudaDeviceSynchronize());
    device_check(cudaMemset(launcher->numbers, 0, NUMBERS * sizeof(int)));
    device_check(cudaDeviceSynchronize());
}

void device_close(struct device_launcher *launcher)
{
    cudaFree(launcher->numbers);
    cudaStreamDestroy(launcher->stream);
}

void device_expect_numbers(const struct device_launcher *launcher, int number)
{
    int numbers[NUMBERS];
    device_check(cudaStreamSynchronize(launcher->stream));
    device_check(cudaMemcpy(numbers, launcher->numbers, sizeof numbers, cudaMemcpyDeviceToHost));
    for (int i = 0; i < NUMBERS; i++)
        assert_int_equal(numbers[i], number);
}

static int run(void *args, const void *config, const tutti_context *context)
{
    struct device_launcher *launcher = context->user;
    const uint64_t configuration = context->configuration;
    (void)args;
    (void)config;
    launcher->runs++;
    if (launcher->inside) {
        const int status = launcher->inside(launcher, configuration);
        if (status)
            return status == DEVICE_INSTEAD ? 0 : status;
    }
    cudaError_t error = spin(launcher->nanoseconds[configuration], launcher->stream);
    if (!error)
        error = add(launcher->numbers, NUMBERS, 1 + (int)configuration, launcher->stream);
    return (int)error;
}

tutti_tuner_desc device_desc(const char *name, struct device_launcher *launcher,
                             tutti_cuda_timer *timer)
{
    return (tutti_tuner_desc){
        .size = sizeof(tutti_tuner_desc),
        .name = name,
        .version = "v1",
        .source_id = "test",
        .policy = TUTTI_POLICY_EXHAUSTIVE,
        .warmups = 1,
        .samples = 2,
        .params = subject_params,
        .nparams = 2,
        .config_size = sizeof(struct subject_config),
        .run = run,
        .user = launcher,
        .timer = tutti_cuda_timer_ops(),
        .timer_self = timer,
    };
}
