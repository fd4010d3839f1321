/*
 * Keys: the named fields that make two calls the same problem, such as shapes, data type, layout.
 * A key callback adds them, always the same fields in the same order. Never add a rank number or an
 * address: ranks must build equal keys, and tomorrow's process must build today's.
 *
 * All functions here are local, allocate nothing for keys below 512 encoded bytes, and never fail
 * at once: a mistake (an empty name, a NaN, text that is not UTF-8, no memory) is kept in the key
 * and becomes the error of the call, TUTTI_ERR_KEY, on every rank.
 */
#ifndef TUTTI_KEY_H
#define TUTTI_KEY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tutti/export.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tutti_key tutti_key;

/*
 * Adds a field to the key, of the kind that the function's name says. name: unique within the key;
 * name and value are read during the call only.
 */
TUTTI_API void tutti_key_integer(tutti_key *key, const char *name, int64_t value);
TUTTI_API void tutti_key_double(tutti_key *key, const char *name, double value); /* -0.0 is 0.0 */
TUTTI_API void tutti_key_bool(tutti_key *key, const char *name, bool value);
TUTTI_API void tutti_key_string(tutti_key *key, const char *name, const char *value);
/* extents: ndims numbers, in elements, outermost first; copied. */
TUTTI_API void tutti_key_shape(tutti_key *key, const char *name, size_t ndims,
                               const int64_t *extents);

#ifdef __cplusplus
}
#endif
#endif
