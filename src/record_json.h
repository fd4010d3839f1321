/* What the encoder and the decoder of records share: parts of a record as JSON, and how to tell
 * two of them apart. Functions that return a json_t return a new reference, or NULL if there is no
 * memory. */
#ifndef RECORD_JSON_H
#define RECORD_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include "record.h"

#define RECORD_REASON_LIMIT                                                                        \
    ((size_t)1024) /* bytes of UTF-8; the encoder cuts, the decoder refuses */

/* The word for an enum tutti_aggregation that is not the default. */
#define RECORD_AGGREGATION(which) ((which) == TUTTI_AGGREGATION_MEANS ? "means" : "rounds")

/* 17 digits bring every double back bit by bit. */
#define RECORD_JSON_FLAGS (JSON_ENCODE_ANY | JSON_REAL_PRECISION(17))

json_t *identity_json(const struct identity *identity);
bool identity_name(const json_t *identity, char name[33]); /* record_name, of an identity as JSON */
json_t *lines_json(const char *lines); /* "name = value" lines as an object of strings */
json_t *configuration_json(const struct space *space, uint64_t index);

/* Text from outside, cut to limit bytes. What is not UTF-8 is taken as Latin-1: better odd than
 * lost. */
json_t *string_json(const char *string, size_t limit);

/* Adds a member and takes the value. Without memory *object becomes NULL, and stays so. */
void json_put(json_t **object, const char *name, json_t *value);

/* Adds a value on one line. Without memory the text is marked as failed. */
void json_text(const json_t *value, size_t flags, struct text *text);

/* The length of UTF-8 text cut to limit bytes, not in the middle of a character. */
size_t cut_length(const char *bytes, size_t length, size_t limit);

/* Adds the first difference as "place.name was X, is Y" and returns true, or returns false. Doubles
 * are compared by their bits, members of objects in any order. */
bool json_difference(const json_t *was, const json_t *is, const char *place, struct text *why);

/*
 * Checks of untrusted values. place is the path of the object, "" or ending in a dot. On failure
 * they add a sentence that begins with the whole path, and return false or NULL.
 */
json_t *check_member(const json_t *object, const char *place, const char *name, json_type type,
                     struct text *why); /* borrowed; JSON_REAL accepts integers, too */
bool check_integer(const json_t *object, const char *place, const char *name, int64_t least,
                   int64_t greatest, int64_t *integer, struct text *why);
bool check_seconds(const json_t *object, const char *place, const char *name, bool positive,
                   double *seconds, struct text *why);
bool check_strings(const json_t *object, const char *place, struct text *why); /* all members */
bool check_identity(const json_t *identity, struct text *why); /* whole, for whatever it is */

/* Untrusted bytes as JSON, within the limits of the format. RECORD_APPLIES: a new reference in
 * *root. */
enum record_verdict record_parse(const char *bytes, size_t length, json_t **root, struct text *why);

/*
 * Judges a record by itself: RECORD_APPLIES means that it is whole and does not contradict itself.
 * Fills space and outcome then, both to be released.
 */
enum record_verdict record_judge(const json_t *root, struct space *space, struct outcome *outcome,
                                 struct text *why);

/*
 * The space that a checked identity names; of a subset, only what the record's configurations,
 * which are not checked yet, tell of it: the other rows are all first values. TUTTI_SUCCESS,
 * TUTTI_ERR_MEMORY, or an error with the place and the reason in why.
 */
int space_from_json(const json_t *identity, const json_t *configurations, struct space *space,
                    struct text *why);

#endif
