/*
 * Makes a file in memory for each rank, and opens those of the others by /proc/PROCESS/fd (see
 * memory_file.h). Parts begin at multiples of a huge page, in memory and in the file: the system
 * can't map them by huge pages otherwise, as it can't the parts of MPI's windows.
 */
#include "memory_file.h"

#include "agree.h"
#include "reverse_a2a/reverse_a2a.h"

#ifdef __linux__
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define HUGE_PAGE ((size_t)2 << 20) /* of x86-64; others refuse to take them at this size */
#define TRIES     8                 /* the system may be busy with the pages for a moment */
#ifndef MADV_COLLAPSE               /* Linux 6.1 */
#define MADV_COLLAPSE 25
#endif

/* Where a rank has its file, and which it is: in another container the number of the process, or of
 * the file, may mean another. */
struct file {
    int64_t process, number, device, inode;
};

static size_t mapped_bytes(const struct reverse_a2a_shared *shared)
{
    return (shared->bytes + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
}

/* A file takes its pages when they are touched, and where there are none the process is killed:
 * better leave it to MPI, which asks first. */
static bool has_room(const struct reverse_a2a_shared *shared)
{
    const size_t free_pages = (size_t)sysconf(_SC_AVPHYS_PAGES);
    const size_t wanted = mapped_bytes(shared) / (size_t)sysconf(_SC_PAGESIZE);
    return wanted < free_pages / 2 / (size_t)shared->ranks;
}

static bool describe(int number, struct file *file)
{
    struct stat status;
    if (number < 0 || fstat(number, &status) != 0)
        return false;
    *file = (struct file){getpid(), number, (int64_t)status.st_dev, (int64_t)status.st_ino};
    return true;
}

static int make_file(const struct reverse_a2a_shared *shared)
{
    int number = memfd_create("reverse_a2a", MFD_CLOEXEC);
    if (number < 0 || ftruncate(number, (off_t)mapped_bytes(shared)) == 0)
        return number;
    close(number);
    return -1;
}

static int open_file(const struct file *file)
{
    char path[64];
    struct file found;
    snprintf(path, sizeof path, "/proc/%lld/fd/%lld", (long long)file->process,
             (long long)file->number);
    int number = open(path, O_RDWR | O_CLOEXEC);
    if (describe(number, &found) && found.device == file->device && found.inode == file->inode)
        return number;
    if (number >= 0)
        close(number);
    return -1;
}

/* Reserves more addresses than needed, of which the file takes those that begin at a huge page. */
static char *map_file(int number, size_t bytes)
{
    const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    char *reserved = mmap(NULL, bytes + HUGE_PAGE, PROT_NONE, flags, -1, 0);
    if (reserved == MAP_FAILED)
        return NULL;
    const size_t before = -(uintptr_t)reserved % HUGE_PAGE;
    char *start = reserved + before;
    const bool mapped =
        mmap(start, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, number, 0) != MAP_FAILED;
    if (before > 0)
        munmap(reserved, before);
    munmap(start + bytes, HUGE_PAGE - before);
    if (mapped)
        return start;
    munmap(start, bytes);
    return NULL;
}

static bool map_all(struct reverse_a2a_shared *shared, const struct file *files, int own)
{
    bool mapped = true;
    for (int i = 0; i < shared->ranks && mapped; i++) {
        int number = i == shared->rank ? own : open_file(&files[i]);
        if (number >= 0)
            shared->parts[i] = map_file(number, mapped_bytes(shared));
        mapped = shared->parts[i] != NULL;
        if (number >= 0 && number != own)
            close(number);
    }
    return mapped;
}

static bool all_agree(const struct reverse_a2a_shared *shared, bool fine)
{
    return reverse_a2a_agree(shared->comm, fine) == 1;
}

bool reverse_a2a_map_files(struct reverse_a2a_shared *shared)
{
    struct file mine = {0}, *files = calloc((size_t)shared->ranks, sizeof *files);
    int own = files && has_room(shared) ? make_file(shared) : -1;
    bool fine = all_agree(shared, describe(own, &mine));
    if (fine)
        fine = reverse_a2a_gather(shared->comm, &mine, files, (int)sizeof mine) == REVERSE_A2A_OK;
    if (fine)
        fine = all_agree(shared, map_all(shared, files, own)); /* now all have opened */
    if (own >= 0)
        close(own);
    free(files);
    if (!fine)
        reverse_a2a_unmap_files(shared);
    return fine;
}

void reverse_a2a_unmap_files(struct reverse_a2a_shared *shared)
{
    for (int i = 0; i < shared->ranks; i++)
        if (shared->parts[i])
            munmap(shared->parts[i], mapped_bytes(shared));
    memset(shared->parts, 0, (size_t)shared->ranks * sizeof shared->parts[0]);
}

/* One byte of each is there before, because what is not there is not taken. */
bool reverse_a2a_take_huge_pages(const struct reverse_a2a_shared *shared)
{
    char *mine = shared->parts[shared->rank];
    for (size_t at = 0; at < mapped_bytes(shared); at += HUGE_PAGE)
        mine[at] = 0;
    int result = -1;
    for (int i = 0; i < TRIES && result != 0 && (i == 0 || errno == EAGAIN); i++)
        result = madvise(mine, mapped_bytes(shared), MADV_COLLAPSE);
    return result == 0;
}

#else

bool reverse_a2a_map_files(struct reverse_a2a_shared *shared)
{
    (void)shared;
    return false;
}

void reverse_a2a_unmap_files(struct reverse_a2a_shared *shared)
{
    (void)shared;
}

bool reverse_a2a_take_huge_pages(const struct reverse_a2a_shared *shared)
{
    (void)shared;
    return false;
}

#endif
