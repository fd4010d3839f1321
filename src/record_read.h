/* The inside of a record that is read from outside: see <tutti/store.h>. */
#ifndef RECORD_READ_H
#define RECORD_READ_H

#include <jansson.h>

#include <tutti/store.h>

#include "outcome.h"
#include "space.h"
#include "text.h"

struct named_list {
    tutti_named_text *entries;
    size_t count;
};

struct tutti_record {
    char *path;
    char name[33];
    struct text json; /* as it was read */
    json_t *root;
    struct space space;
    struct outcome outcome;
    struct named_list key, hardware, environment;
    tutti_record_info info;
};

/* Hands a sentence to a caller's buffer, cut to its size; status comes back. */
int record_message(int status, const struct text *why, char *message, size_t message_size);

#endif
