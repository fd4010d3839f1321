/* Files of a store that are to be removed: listed, confirmed, removed, told. */
#ifndef REMOVAL_H
#define REMOVAL_H

#include <tutti/store.h>

#include "confirm.h"

struct removal {
    struct removal_item {
        size_t index; /* in the store */
        char *what;   /* for people, fit for a terminal */
        const char *reason;
    } * items;
    size_t count;
};

/* Takes what; reason has static storage. */
void removal_add(struct removal *removal, size_t index, char *what, const char *reason);

/* Shows, asks, removes. Returns an exit status. */
int removal_do(const struct removal *removal, tutti_store *store,
               const struct confirm_options *options, bool json);

void removal_release(struct removal *removal);

#endif
