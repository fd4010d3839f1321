// See kernels.h.
#include "kernels.h"

static __device__ uint64_t nanoseconds_now()
{
    uint64_t now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    return now;
}

static __global__ void spin_kernel(uint64_t nanoseconds)
{
    const uint64_t begin = nanoseconds_now();
    while (nanoseconds_now() - begin < nanoseconds)
        continue;
}

static __global__ void wait_kernel(const volatile int *flag)
{
    while (*flag == 0)
        continue;
}

static __global__ void add_kernel(int *numbers, int n, int amount)
{
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < n)
        numbers[i] += amount;
}

static __global__ void write_kernel(int *where)
{
    *where = 1;
}

static __global__ void read_kernel(const int *numbers, uint64_t n, int *sum)
{
    int own = 0;
    const uint64_t step = static_cast<uint64_t>(gridDim.x) * blockDim.x;
    for (uint64_t i = blockIdx.x * static_cast<uint64_t>(blockDim.x) + threadIdx.x; i < n;
         i += step)
        own += numbers[i];
    atomicAdd(sum, own);
}

cudaError_t spin(uint64_t nanoseconds, cudaStream_t stream)
{
    spin_kernel<<<1, 1, 0, stream>>>(nanoseconds);
    return cudaGetLastError();
}

cudaError_t wait_for_flag(const volatile int *flag, cudaStream_t stream)
{
    wait_kernel<<<1, 1, 0, stream>>>(flag);
    return cudaGetLastError();
}

cudaError_t add(int *numbers, int n, int amount, cudaStream_t stream)
{
    add_kernel<<<(n + 255) / 256, 256, 0, stream>>>(numbers, n, amount);
    return cudaGetLastError();
}

cudaError_t write_nowhere(cudaStream_t stream)
{
    write_kernel<<<1, 1, 0, stream>>>(reinterpret_cast<int *>(16));
    return cudaGetLastError();
}

cudaError_t fail_silently(cudaStream_t stream)
{
    spin_kernel<<<1, 2048, 0, stream>>>(1);
    return cudaSuccess;
}

cudaError_t read_all(const void *bytes, uint64_t n, int *sum, cudaStream_t stream)
{
    read_kernel<<<512, 512, 0, stream>>>(static_cast<const int *>(bytes), n / sizeof(int), sum);
    return cudaGetLastError();
}
