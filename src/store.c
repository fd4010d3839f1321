/*
 * The store: files that are replaced whole, by any number of processes at once and without locks.
 *
 * A writer makes a file of its own, ".tutti.HOST.PID.NUMBER.tmp", and renames it over the record.
 * HOST is a hash of everything that gives PID a meaning: host name, boot and PID namespace. A file
 * that a killed writer left is removed by the next writer in that folder.
 */
#include "store.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <xxhash.h>

#include "file.h"
#include "folder.h"
#include "owner.h"

#define FOLDER_NAME_LIMIT ((size_t)64) /* characters of a function's name that its folder keeps */
#define TEMPORARY_SIZE    80           /* bytes that the name of a temporary file may take */
#define TEMPORARY_TRIES   100
#define DEAD_AGE          (24 * 60 * 60) /* seconds; a write takes milliseconds */

/* ---- paths ---- */

static bool is_plain(char character, bool first)
{
    return isascii((unsigned char)character) &&
           (isalnum((unsigned char)character) || character == '_' ||
            (!first && (character == '.' || character == '-')));
}

/* A function's name if it is a good folder name; else what can be read of it, and a hash. */
static void add_folder_name(const char *function, struct text *path)
{
    const size_t length = strlen(function);
    const size_t kept = length < FOLDER_NAME_LIMIT ? length : FOLDER_NAME_LIMIT;
    bool changed = kept < length || length == 0;
    for (size_t i = 0; i < kept; i++) {
        const bool plain = is_plain(function[i], i == 0);
        text_add(path, "%c", plain ? function[i] : '_');
        changed = changed || !plain;
    }
    if (changed)
        text_add(path, "%s-%016llx", length ? "" : "_",
                 (unsigned long long)XXH3_64bits(function, length));
}

void store_path(const char *cache_dir, const char *function, const char *name, struct text *path)
{
    if (!*cache_dir) /* there is no store: an empty path, which reading and writing refuse */
        return;
    text_add(path, "%s/", cache_dir);
    add_folder_name(function, path);
    text_add(path, "/%s.json", name);
}

static enum store_result fail(struct text *why, const char *what, const char *path, int error)
{
    text_add(why, "can't %s %s: %s", what, path, strerror(error));
    return STORE_FAILED;
}

static enum store_result fail_without_store(struct text *why)
{
    text_add(why, "there is no directory for records: none is set and there is no home");
    return STORE_FAILED;
}

/* ---- reading ---- */

static enum store_result read_open(int file, const char *path, struct text *bytes, struct text *why)
{
    struct stat status;
    if (fstat(file, &status) != 0)
        return fail(why, "look at", path, errno);
    if (!S_ISREG(status.st_mode)) {
        text_add(why, "%s is not a regular file", path);
        return STORE_FAILED;
    }
    if ((uint64_t)status.st_size > STORE_RECORD_LIMIT)
        return fail(why, "read", path, EFBIG);
    const size_t size = (size_t)status.st_size;
    char *buffer = malloc(size + 1);
    if (!buffer)
        return fail(why, "read", path, ENOMEM);
    const ssize_t length = file_read(file, buffer, size);
    if (length < 0) {
        const int error = errno;
        free(buffer);
        return fail(why, "read", path, error);
    }
    buffer[length] = '\0';
    text_release(bytes);
    *bytes = (struct text){.bytes = buffer, .length = (size_t)length, .capacity = size + 1};
    return STORE_OK;
}

enum store_result store_read(const char *path, struct text *bytes, struct text *why)
{
    if (!path || !*path)
        return fail_without_store(why);
    /* Not blocking: something may have put a pipe there. */
    const int file = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (file < 0 && errno == ENOENT)
        return STORE_ABSENT;
    if (file < 0)
        return fail(why, "open", path, errno);
    const enum store_result result = read_open(file, path, bytes, why);
    close(file);
    return result;
}

/* ---- temporary files ---- */

bool store_is_temporary(const char *name, struct owner *owner)
{
    unsigned long long host = 0;
    long pid = 0;
    unsigned number = 0;
    int end = 0;
    const int count = sscanf(name, ".tutti.%16llx.%10ld.%10u.tmp%n", &host, &pid, &number, &end);
    *owner = (struct owner){.host = host, .pid = pid};
    return count == 3 && end > 0 && name[end] == '\0' && pid > 0 && pid <= INT_MAX;
}

static bool is_dead(int folder, const char *name, const void *this_host)
{
    struct owner owner;
    struct stat status;
    if (!store_is_temporary(name, &owner))
        return false;
    if (owner_state(&owner, *(const uint64_t *)this_host) == OWNER_DEAD)
        return true;
    /* Elsewhere, or its number was given to another process: only age tells. */
    return fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
           time(NULL) - status.st_mtime > DEAD_AGE;
}

/* Makes a file that was not there; -1 with errno. Another thread of this process, or a dead writer
 * that had this process id, may have taken the first numbers. */
static int create_temporary(int folder, uint64_t host, char name[TEMPORARY_SIZE])
{
    for (unsigned number = 0; number < TEMPORARY_TRIES; number++) {
        snprintf(name, TEMPORARY_SIZE, ".tutti.%016llx.%ld.%u.tmp", (unsigned long long)host,
                 (long)getpid(), number);
        const int file =
            openat(folder, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
        if (file >= 0 || errno != EEXIST)
            return file;
    }
    return -1;
}

/* ---- writing ---- */

bool store_make_folders(char *path)
{
    if (mkdir(path, 0700) == 0 || errno == EEXIST)
        return true;
    char *slash = strrchr(path, '/');
    if (errno != ENOENT || !slash || slash == path)
        return false;
    *slash = '\0';
    const bool made = store_make_folders(path);
    *slash = '/';
    return made && (mkdir(path, 0700) == 0 || errno == EEXIST);
}

/* Writes all bytes and brings them to the disk; false with errno. */
static bool write_whole(int file, const char *bytes, size_t length)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur < length) {
        errno = EFBIG; /* before the system says so with a signal that ends the program */
        return false;
    }
    for (size_t done = 0; done < length;) {
        const ssize_t count = write(file, bytes + done, length - done);
        if (count >= 0)
            done += (size_t)count;
        else if (errno != EINTR)
            return false;
    }
    return fsync(file) == 0 || errno == EINVAL; /* EINVAL: a file system without it */
}

/* Fills and closes file, a temporary called name; false with errno. */
static bool replace(int folder, int file, const char *name, const char *record, const char *bytes,
                    size_t length)
{
    bool written = write_whole(file, bytes, length);
    int error = errno;
    if (close(file) != 0 && written) { /* some file systems tell only now that they are full */
        written = false;
        error = errno;
    }
    if (written && renameat(folder, name, folder, record) == 0)
        return true;
    if (written)
        error = errno;
    unlinkat(folder, name, 0);
    errno = error;
    return false;
}

static enum store_result write_in_folder(int folder, const char *path, const char *record,
                                         const char *bytes, size_t length, struct text *why)
{
    char name[TEMPORARY_SIZE];
    const uint64_t host = owner_host();
    folder_clean(folder, is_dead, &host);
    const int file = create_temporary(folder, host, name);
    if (file < 0)
        return fail(why, "create a file to replace", path, errno);
    if (!replace(folder, file, name, record, bytes, length))
        return fail(why, "write", path, errno);
    /* The new record is in place. Whether its name survives a crash is all that is open. */
    fsync(folder);
    return STORE_OK;
}

enum store_result store_write(const char *path, const char *bytes, size_t length, struct text *why)
{
    if (!path || !*path)
        return fail_without_store(why);
    char *parent = strdup(path);
    if (!parent)
        return fail(why, "write", path, ENOMEM);
    char *slash = strrchr(parent, '/');
    if (slash)
        slash[slash == parent] = '\0'; /* of "/record" the slash itself stays */
    const char *record = slash ? path + (slash - parent) + 1 : path;
    const char *folder_path = slash ? parent : ".";

    int folder = open(folder_path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0 && errno == ENOENT && slash && store_make_folders(parent))
        folder = open(folder_path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    enum store_result result;
    if (folder < 0) {
        result = fail(why, "use the folder", folder_path, errno);
    } else {
        result = write_in_folder(folder, path, record, bytes, length, why);
        close(folder);
    }
    free(parent);
    return result;
}

enum store_result store_remove(const char *path, struct text *why)
{
    if (unlink(path) == 0)
        return STORE_OK;
    return errno == ENOENT || errno == ENOTDIR ? STORE_ABSENT : fail(why, "remove", path, errno);
}
