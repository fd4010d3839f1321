/* Reading what is in a file. */
#ifndef FILE_H
#define FILE_H

#include <stddef.h>
#include <sys/types.h>

/* At most size bytes, whatever pieces the system hands them out in. Returns how many, or -1 with
 * errno set. */
ssize_t file_read(int descriptor, void *bytes, size_t size);

#endif
