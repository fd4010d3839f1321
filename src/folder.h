/* A folder that is held open: listing it, and removing what is of no more use. */
#ifndef FOLDER_H
#define FOLDER_H

#include <dirent.h>
#include <stdbool.h>

/* A listing of its own, from the first entry on, to be closed with closedir; NULL with errno. */
DIR *folder_list(int folder);

/* Removes the files that are useless. Failures are of no concern: whoever comes next tries again.
 */
void folder_clean(int folder, bool (*useless)(int folder, const char *name, const void *user),
                  const void *user);

#endif
