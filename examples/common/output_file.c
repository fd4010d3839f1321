/* See output_file.h. */
#include "output_file.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

/* Renaming over /dev/null would replace the device. */
static bool written_in_place(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && !S_ISREG(status.st_mode);
}

bool output_open(struct output_file *file, const char *path)
{
    *file = (struct output_file){.path = path};
    if (written_in_place(path)) {
        file->stream = fopen(path, "w");
        return file->stream;
    }
    snprintf(file->temporary, sizeof file->temporary, "%s.%ld.tmp", path, (long)getpid());
    const int descriptor = open(file->temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (descriptor < 0)
        return false;
    file->stream = fdopen(descriptor, "w");
    if (!file->stream) {
        close(descriptor);
        unlink(file->temporary);
    }
    return file->stream;
}

void output_discard(struct output_file *file)
{
    const int error = errno;
    if (file->stream)
        fclose(file->stream);
    if (file->temporary[0])
        unlink(file->temporary);
    file->stream = NULL;
    errno = error;
}

bool output_commit(struct output_file *file)
{
    const bool regular = file->temporary[0];
    if (ferror(file->stream) || fflush(file->stream) || (regular && fsync(fileno(file->stream)))) {
        output_discard(file);
        return false;
    }
    const bool closed = fclose(file->stream) == 0;
    file->stream = NULL;
    if (closed && (!regular || rename(file->temporary, file->path) == 0))
        return true;
    output_discard(file);
    return false;
}

bool output_possible(const char *path)
{
    struct output_file file;
    if (written_in_place(path))
        return access(path, W_OK) == 0;
    if (!output_open(&file, path))
        return false;
    output_discard(&file);
    return true;
}
