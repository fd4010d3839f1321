/*
 * Bundles: many records in one file, JSON:
 *
 *     {"tutti_bundle": 1, "records": [RECORD, RECORD, ...]}
 *
 * Each RECORD is a record's text as it was stored, without the white space around it; reading gives
 * it the final newline back that every record has. Other members may be added; readers ignore them.
 */
#ifndef BUNDLE_H
#define BUNDLE_H

#include <stdbool.h>
#include <stddef.h>

#define BUNDLE_VERSION 1

struct bundle_piece {
    char *bytes; /* terminated */
    size_t length;
};

struct bundle {
    struct bundle_piece *pieces;
    size_t count;
};

/* Whether bytes are meant as a bundle; it may be broken. */
bool bundle_is_one(const char *bytes, size_t length);

/* Takes untrusted bytes apart. false with what is wrong and where, a new string. */
bool bundle_read(const char *bytes, size_t length, struct bundle *bundle, char **why);
void bundle_release(struct bundle *bundle);

/* The text of a bundle, a new string; texts are whole records. */
char *bundle_write(const char *const *texts, size_t count, size_t *length);

#endif
