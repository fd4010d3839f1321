/* Whole files: reading them, and writing them so that they are there whole or not at all. */
#ifndef FILE_H
#define FILE_H

#include <stdbool.h>
#include <stddef.h>

/* The bytes, terminated; "-" is stdin. NULL with a sentence in *why; both are new strings. */
char *file_read(const char *path, size_t *length, char **why);

/* Replaces a file by way of a temporary one beside it; "-" is stdout. false with a sentence. */
bool file_write(const char *path, const char *bytes, size_t length, char **why);

/* Whether a path is meant as a folder: it is one, or ends in a slash. */
bool is_folder_name(const char *path);

#endif
