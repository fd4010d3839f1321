/* See file.h. */
#include "file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "print.h"

#define SIZE_MOST ((size_t)1 << 30) /* a larger file is nothing that tutti reads */

static char *sentence(const char *what, const char *path)
{
    char *shown = printable(path);
    char *why = format("can't %s %s: %s", what, shown, strerror(errno));
    free(shown);
    return why;
}

static char *read_stream(FILE *stream, size_t *length)
{
    size_t capacity = 1 << 16;
    char *bytes = need(malloc(capacity + 1));
    for (*length = 0; !feof(stream) && !ferror(stream);) {
        *length += fread(bytes + *length, 1, capacity - *length, stream);
        if (*length == capacity && capacity >= SIZE_MOST) {
            errno = EFBIG;
            break;
        }
        if (*length == capacity) {
            capacity *= 2;
            bytes = need(realloc(bytes, capacity + 1));
        }
    }
    if (!feof(stream)) {
        free(bytes);
        return NULL;
    }
    bytes[*length] = '\0';
    return bytes;
}

char *file_read(const char *path, size_t *length, char **why)
{
    const bool is_input = strcmp(path, "-") == 0;
    FILE *stream = is_input ? stdin : fopen(path, "rbe");
    char *bytes = stream ? read_stream(stream, length) : NULL;
    if (!bytes)
        *why = sentence("read", path);
    if (stream && !is_input)
        fclose(stream);
    return bytes;
}

/* Whether it is beyond the limit on files, of which the system tells with a signal that ends us. */
static bool is_too_large(size_t length)
{
    struct rlimit limit;
    errno = EFBIG;
    return getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur < length;
}

/* Writes, and brings it to the disk. */
static bool fill(int file, const char *bytes, size_t length)
{
    FILE *stream = is_too_large(length) ? NULL : fdopen(file, "wb");
    if (!stream) {
        close(file);
        return false;
    }
    bool good = fwrite(bytes, 1, length, stream) == length && fflush(stream) == 0;
    good = good && (fsync(file) == 0 || errno == EINVAL);
    return fclose(stream) == 0 && good;
}

bool file_write(const char *path, const char *bytes, size_t length, char **why)
{
    if (strcmp(path, "-") == 0)
        return fwrite(bytes, 1, length, stdout) == length;
    char *temporary = format("%s.XXXXXX", path);
    const mode_t mask = umask(0);
    umask(mask);
    const int file = mkstemp(temporary);
    bool good = file >= 0 && fchmod(file, 0666 & ~mask) == 0;
    good = (file >= 0 && fill(file, bytes, length)) && good && rename(temporary, path) == 0;
    if (!good) {
        *why = sentence("write", path);
        if (file >= 0)
            unlink(temporary);
    }
    free(temporary);
    return good;
}

bool is_folder_name(const char *path)
{
    struct stat status;
    const size_t length = strlen(path);
    return (length && path[length - 1] == '/') ||
           (stat(path, &status) == 0 && S_ISDIR(status.st_mode));
}
