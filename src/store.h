/* The store: a directory of records, one folder per function. Root only; never fails a call. */
#ifndef STORE_H
#define STORE_H

#include <stdbool.h>
#include <stddef.h>

#include "owner.h"
#include "text.h"

#define STORE_RECORD_LIMIT ((size_t)256 << 20) /* bytes; a larger file is not a record */

/* The path of a record: cache_dir / function made safe / name.json. */
void store_path(const char *cache_dir, const char *function, const char *name, struct text *path);

/* Makes a folder and those above it; false with errno. Changes path in between, and restores it. */
bool store_make_folders(char *path);

enum store_result { STORE_OK, STORE_ABSENT, STORE_FAILED };

/* Reads a whole file. STORE_FAILED comes with a sentence in why. */
enum store_result store_read(const char *path, struct text *bytes, struct text *why);

/*
 * Replaces a file atomically: temporary file in the same folder, fsync, rename, fsync of the
 * folder; makes the folders. Removes temporaries that earlier, dead writers left. STORE_FAILED
 * leaves what was there and comes with a sentence in why.
 */
enum store_result store_write(const char *path, const char *bytes, size_t length, struct text *why);

/* Whether a file's name is one of a writer's temporary files, and then whose. */
bool store_is_temporary(const char *name, struct owner *owner);

/* Removes a file. STORE_FAILED comes with a sentence in why. */
enum store_result store_remove(const char *path, struct text *why);

#endif
