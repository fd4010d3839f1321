/* See file.h. */
#include "file.h"

#include <errno.h>
#include <unistd.h>

ssize_t file_read(int descriptor, void *bytes, size_t size)
{
    size_t done = 0;
    while (done < size) {
        const ssize_t count = read(descriptor, (char *)bytes + done, size - done);
        if (count == 0)
            break;
        if (count > 0)
            done += (size_t)count;
        else if (errno != EINTR)
            return -1;
    }
    return (ssize_t)done;
}
