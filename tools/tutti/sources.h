/* Sets of records from anywhere: a store's folder, a bundle, a single file. */
#ifndef SOURCES_H
#define SOURCES_H

#include <stdbool.h>
#include <stddef.h>

#include "view.h"

struct source_record {
    struct view *view; /* NULL if it can't be read: why */
    char *where;       /* the file, or "FILE: records[3]" */
    char *why;
};

struct sources {
    struct source_record *records;
    size_t count, unreadable;
};

/* Adds all that a path holds; false with the error said if there is nothing to be read. "-" is a
 * file on stdin. */
bool sources_add(struct sources *sources, const char *path);

/* Takes the view. */
void sources_add_view(struct sources *sources, struct view *view);

/* Says on stderr what can't be read. */
void sources_say_unreadable(const struct sources *sources);

void sources_release(struct sources *sources);

#endif
