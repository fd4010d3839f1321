/* See folder.h. */
#include "folder.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <unistd.h>

DIR *folder_list(int folder)
{
    const int again = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *listing = again >= 0 ? fdopendir(again) : NULL;
    if (!listing && again >= 0) {
        const int error = errno;
        close(again);
        errno = error;
    }
    return listing;
}

void folder_clean(int folder, bool (*useless)(int folder, const char *name, const void *user),
                  const void *user)
{
    DIR *listing = folder_list(folder);
    if (!listing)
        return;
    for (const struct dirent *entry = readdir(listing); entry; entry = readdir(listing))
        if (useless(folder, entry->d_name, user))
            unlinkat(folder, entry->d_name, 0);
    closedir(listing);
}
