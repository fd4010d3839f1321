/* See facts.h. */
#include "facts.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void add(char *lines, size_t size, const char *format, ...)
{
    const size_t used = strlen(lines);
    va_list list;
    va_start(list, format);
    vsnprintf(lines + used, size - used, format, list);
    va_end(list);
}

/* How one device reaches another. Only NVLink and its kin carry atomic operations. */
enum link { LINK_NONE, LINK_COPIES, LINK_ATOMICS, LINKS };

static cudaError_t link_between(int device, int other, enum link *link)
{
    int access = 0, atomics = 0;
    cudaError_t error =
        cudaDeviceGetP2PAttribute(&access, cudaDevP2PAttrAccessSupported, device, other);
    if (!error)
        error =
            cudaDeviceGetP2PAttribute(&atomics, cudaDevP2PAttrNativeAtomicSupported, device, other);
    *link = !access ? LINK_NONE : atomics ? LINK_ATOMICS : LINK_COPIES;
    return error;
}

/* All other devices, counted by how they are reached: "7 x peer access and atomics". */
static cudaError_t add_links(int device, int devices, char *lines, size_t size)
{
    static const char *const names[LINKS] = {"no peer access", "peer access",
                                             "peer access and atomics"};
    int count[LINKS] = {0};
    cudaError_t error = cudaSuccess;
    for (int other = 0; other < devices && !error; other++) {
        enum link link;
        if (other == device)
            continue;
        error = link_between(device, other, &link);
        count[link]++;
    }
    add(lines, size, "gpu_links = ");
    for (int link = LINKS - 1, listed = 0; link >= 0; link--)
        if (count[link] > 0)
            add(lines, size, "%s%d x %s", listed++ ? ", " : "", count[link], names[link]);
    add(lines, size, "%s\n", devices > 1 ? "" : "none");
    return error;
}

cudaError_t facts_hardware(int device, char *lines, size_t size)
{
    struct cudaDeviceProp properties;
    int devices = 0;
    lines[0] = '\0';
    cudaError_t error = cudaGetDeviceProperties(&properties, device);
    if (!error)
        error = cudaGetDeviceCount(&devices);
    if (error)
        return error;
    add(lines, size, "gpu = %s\ngpu_compute_capability = %d.%d\n", properties.name,
        properties.major, properties.minor);
    add(lines, size, "gpu_multiprocessors = %d\ngpu_l2_cache = %d KiB\ngpus = %d\n",
        properties.multiProcessorCount, properties.l2CacheSize >> 10, devices);
    return add_links(device, devices, lines, size);
}

/* CUDA's numbers: 13000 is 13.0. */
static void add_version(char *lines, size_t size, const char *name, int version)
{
    add(lines, size, "%s = %d.%d\n", name, version / 1000, version % 1000 / 10);
}

/* The version of the kernel's module, which the runtime does not tell. */
static void add_module(char *lines, size_t size)
{
    char version[64] = "";
    FILE *file = fopen("/sys/module/nvidia/version", "r");
    if (!file)
        return;
    if (fgets(version, sizeof version, file))
        add(lines, size, "nvidia_driver = %.*s\n", (int)strcspn(version, "\n"), version);
    fclose(file);
}

cudaError_t facts_environment(char *lines, size_t size)
{
    int driver = 0, runtime = 0;
    lines[0] = '\0';
    cudaError_t error = cudaDriverGetVersion(&driver);
    if (!error)
        error = cudaRuntimeGetVersion(&runtime);
    if (error)
        return error;
    add_version(lines, size, "cuda_driver", driver);
    add_version(lines, size, "cuda_runtime", runtime);
    add_module(lines, size);
    return cudaSuccess;
}
