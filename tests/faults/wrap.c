/*
 * What the library asks of the C library and the system, between the two by means of the linker
 * (--wrap, see CMakeLists.txt): failing where the plan says so, with an environment for each rank,
 * and without what would cost time: syncing, asking for the hardware, printing.
 */
#include "wrap.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#include "hardware.h"
#include "points.h"

_Thread_local const struct variable *environment;
bool print_log;

/* The linker makes these names. */
void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *memory, size_t size);
char *__real_strdup(const char *string);
int __real_open(const char *path, int flags, ...);
int __real_openat(int folder, const char *path, int flags, ...);
ssize_t __real_read(int file, void *bytes, size_t n);
ssize_t __real_write(int file, const void *bytes, size_t n);
int __real_renameat(int from_folder, const char *from, int to_folder, const char *to);
int __real_mkdir(const char *path, mode_t mode);
size_t __real_fwrite(const void *bytes, size_t size, size_t n, FILE *stream);
char *__real_getenv(const char *name);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *memory, size_t size);
char *__wrap_strdup(const char *string);
int __wrap_open(const char *path, int flags, ...);
int __wrap_openat(int folder, const char *path, int flags, ...);
ssize_t __wrap_read(int file, void *bytes, size_t n);
ssize_t __wrap_write(int file, const void *bytes, size_t n);
int __wrap_fsync(int file);
int __wrap_renameat(int from_folder, const char *from, int to_folder, const char *to);
int __wrap_mkdir(const char *path, mode_t mode);
size_t __wrap_fwrite(const void *bytes, size_t size, size_t n, FILE *stream);
char *__wrap_getenv(const char *name);
void __wrap_hardware_describe(struct text *lines);

/* Whether the point is struck; errno is set if so. */
static bool fails(enum point point, int error)
{
    if (!strike(point))
        return false;
    errno = error;
    return true;
}

void *__wrap_malloc(size_t size)
{
    return fails(POINT_ALLOCATION, ENOMEM) ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t n, size_t size)
{
    return fails(POINT_ALLOCATION, ENOMEM) ? NULL : __real_calloc(n, size);
}

void *__wrap_realloc(void *memory, size_t size)
{
    return fails(POINT_ALLOCATION, ENOMEM) ? NULL : __real_realloc(memory, size);
}

char *__wrap_strdup(const char *string)
{
    return fails(POINT_ALLOCATION, ENOMEM) ? NULL : __real_strdup(string);
}

static bool open_fails(void)
{
    static const int errors[] = {EACCES, EMFILE, ELOOP, EIO};
    const struct fault *fault = strike(POINT_OPEN);
    if (fault)
        errno = errors[fault->effect];
    return fault;
}

int __wrap_open(const char *path, int flags, ...)
{
    return open_fails() ? -1 : __real_open(path, flags);
}

int __wrap_openat(int folder, const char *path, int flags, ...)
{
    va_list list;
    va_start(list, flags);
    unsigned mode = flags & O_CREAT ? va_arg(list, unsigned) : 0;
    va_end(list);
    return open_fails() ? -1 : __real_openat(folder, path, flags, mode);
}

ssize_t __wrap_read(int file, void *bytes, size_t n)
{
    return fails(POINT_READ, EIO) ? -1 : __real_read(file, bytes, n);
}

/* A full disk takes either nothing, or a part first. */
ssize_t __wrap_write(int file, const void *bytes, size_t n)
{
    const struct fault *fault = strike(POINT_WRITE);
    if (!fault || (fault->effect == 1 && n > 1))
        return __real_write(file, bytes, fault ? n / 2 : n);
    errno = ENOSPC;
    return -1;
}

int __wrap_fsync(int file)
{
    (void)file;
    return fails(POINT_FSYNC, EIO) ? -1 : 0;
}

int __wrap_renameat(int from_folder, const char *from, int to_folder, const char *to)
{
    return fails(POINT_RENAME, EACCES) ? -1 : __real_renameat(from_folder, from, to_folder, to);
}

int __wrap_mkdir(const char *path, mode_t mode)
{
    return fails(POINT_MKDIR, EACCES) ? -1 : __real_mkdir(path, mode);
}

size_t __wrap_fwrite(const void *bytes, size_t size, size_t n, FILE *stream)
{
    return print_log || stream != stderr ? __real_fwrite(bytes, size, n, stream) : n;
}

char *__wrap_getenv(const char *name)
{
    const struct variable *variable = environment;
    while (variable && variable->name && strcmp(variable->name, name) != 0)
        variable++;
    if (!environment)
        return __real_getenv(name);
    return variable->name ? (char *)(uintptr_t)variable->value : NULL;
}

void __wrap_hardware_describe(struct text *lines)
{
    text_add(lines, "cpu = simulated\nmemory = 1 GiB\n");
}
