/* The inside of a store that is read from outside: see <tutti/store.h>. */
#ifndef STORE_LIST_H
#define STORE_LIST_H

#include <tutti/store.h>

#include "owner.h"
#include "text.h"

#define IMPORT_QUIET 3600 /* seconds */

struct tutti_store {
    char *directory;
    tutti_store_entry *entries;
    size_t count, capacity;
};

/* Whether this is the name of a folder that an import works in, within the store's directory. */
bool import_is_folder(const char *name, struct owner *owner);

#endif
