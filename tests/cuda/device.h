/* What the tests on devices share: a launcher whose runs are kernels, and its fixture. */
#ifndef DEVICE_H
#define DEVICE_H

#include <stdbool.h>
#include <stdint.h>

#include <cuda_runtime_api.h>

#include <tutti/cuda.h>
#include <tutti/tutti.h>

#define NUMBERS        1024
#define DEVICE_INSTEAD (-1)

/* The launcher: a kernel that stays for a while, then one that adds 1 + the configuration's place
 * to each number. */
struct device_launcher {
    cudaStream_t stream;
    int *numbers;            /* NUMBERS of them, on the device */
    uint64_t nanoseconds[6]; /* by configuration */
    /* Comes before the kernels, or, if it returns DEVICE_INSTEAD, in place of them. */
    int (*inside)(struct device_launcher *launcher, uint64_t configuration);
    uint64_t at;        /* for inside: the configuration that is special */
    volatile int *flag; /* for inside: host memory that the device sees */
    int runs;
};

/* Ends the process with 77, and says so, where there are fewer devices. */
void device_need(int devices);

/* Fails the test, with the name of the error. */
void device_check(cudaError_t error);

/* A stream of the current device, and numbers that are 0. */
void device_open(struct device_launcher *launcher);
void device_zero_numbers(const struct device_launcher *launcher);
void device_close(struct device_launcher *launcher);

/* All numbers are equal to this, as far as the stream has come. */
void device_expect_numbers(const struct device_launcher *launcher, int number);

/* A description of the launcher, exhaustive, timed by timer. user is the launcher. */
tutti_tuner_desc device_desc(const char *name, struct device_launcher *launcher,
                             tutti_cuda_timer *timer);

#endif
