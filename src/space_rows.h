/* Making the rows of a space, and finding one. Parameters are there. */
#ifndef SPACE_ROWS_H
#define SPACE_ROWS_H

#include "space.h"

/* Whether a parameter counts where the parameters have values at such places. */
bool places_count(const struct space *space, const uint32_t *places, size_t parameter);

/* How many configurations the parameters allow; UINT64_MAX: that many, or more. */
uint64_t rows_count(const struct space *space);

/* Three ways to make the rows; errors as of space_init. What the parameters allow (`count` of them)
 * and the constraint keeps: */
int rows_enumerate(struct space *space, const struct space_source *source, uint64_t count,
                   struct text *why);
/* Those of the source's list that the constraint keeps, in its order: */
int rows_list(struct space *space, const struct space_source *source, struct text *why);
/* Room for so many, all zero, which the caller fills: */
int rows_reserve(struct space *space, uint64_t members, struct text *why);

/* Sets space.subset to the hash of the rows. */
void rows_name_subset(struct space *space);

/* Where the row with such places is; false if there is none. */
bool rows_find(const struct space *space, const uint32_t *places, uint64_t *index);

/* The places of a filled struct; false if a parameter that counts has another value. On false,
 * *stray is that parameter. */
bool places_load(const struct space *space, const void *config, uint32_t *places, size_t *stray);
void places_fill(const struct space *space, const uint32_t *places, void *config);

#endif
