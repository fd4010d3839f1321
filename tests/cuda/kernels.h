/* What the tests run on a device. All enqueue on a stream and return what the launch returned. */
#ifndef KERNELS_H
#define KERNELS_H

#include <stdint.h>

#include <cuda_runtime_api.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One thread that stays for so long, by the device's own nanosecond clock. */
cudaError_t spin(uint64_t nanoseconds, cudaStream_t stream);

/* One thread that stays until *flag, which host and device can see, is not 0. */
cudaError_t wait_for_flag(const volatile int *flag, cudaStream_t stream);

/* numbers[i] += amount for i < n. */
cudaError_t add(int *numbers, int n, int amount, cudaStream_t stream);

/* Writes where no memory is: the context is lost. */
cudaError_t write_nowhere(cudaStream_t stream);

/* A launch that no device accepts; returns cudaSuccess, as a launcher does that does not look. */
cudaError_t fail_silently(cudaStream_t stream);

/* Reads `bytes` bytes once, and writes their sum to *sum. */
cudaError_t read_all(const void *bytes, uint64_t n, int *sum, cudaStream_t stream);

#ifdef __cplusplus
}
#endif
#endif
