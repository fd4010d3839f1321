/* The records that a subcommand is about, read and chosen. */
#ifndef FIND_H
#define FIND_H

#include "options.h"
#include "view.h"

struct found {
    tutti_store *store;  /* NULL if only files were named */
    struct view **views; /* by function, key and number of ranks */
    size_t count;
    struct unreadable {
        char *path, *why;
    } * unreadable;
    size_t nunreadable;
};

/* Opens the store that is meant, and undoes imports that died in it. NULL with the error said. */
tutti_store *open_store(const char *directory);

/*
 * Reads and chooses. Words with a slash, or of files that are there and end in ".json", are files;
 * the others are looked for in the store. Records that can't be read are listed, and said on stderr
 * if warn. false with the error said.
 */
bool find_records(const char *store, const struct selection *selection, bool warn,
                  struct found *found);
void found_release(struct found *found);

/* Whether a record is meant by the words (those that are no files) and the filters. */
bool is_selected(const struct view *view, const struct selection *selection);

/* The only one, or NULL with the error said. */
const struct view *find_only(const struct found *found);

/* The one whose search ended last, or NULL with the error said. */
const struct view *find_newest(const struct found *found);

/* Says that nothing was found. */
void say_nothing_found(const struct found *found);

#endif
