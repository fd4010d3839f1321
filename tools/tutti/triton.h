/*
 * Records of Triton-distributed's function tuner (~/.triton_dist/autotune/FUNCTION/HASH.json), as
 * it writes them: an object with "config", a list of [milliseconds, configuration] in the order of
 * the space after pruning; "key", any JSON; "func", the name; "deps", names with versions;
 * "timestamp", local time, "2026-01-31_23_59_59". Its writer is Python's, which has Infinity and
 * NaN, outside JSON, for configurations that failed.
 */
#ifndef TRITON_H
#define TRITON_H

#include <stdbool.h>
#include <stddef.h>

#include "view.h"

/* NULL: without a sentence if the bytes are nothing of the kind, else with what is wrong and where,
 * a new string. path is where they come from. */
struct view *triton_read(const char *path, const char *bytes, size_t length, char **why);

#endif
