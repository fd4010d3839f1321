/* What a tuner knows in memory for one group: a hash table from keys to decided entries. Entries
 * are made collectively and never removed, so that ranks that agreed once stay agreed. */
#ifndef ENTRIES_H
#define ENTRIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "key.h"
#include "outcome.h"

struct entry {
    unsigned char *key;
    size_t key_length;
    uint64_t hash;
    bool off; /* decided by a call with tuning off: a table of its own, in effect */

    uint64_t configuration;
    void *config; /* the filled struct */
    void *slot;   /* tutti_context.slot of the chosen configuration */
    bool prepared;
    int source; /* enum tutti_source */

    struct outcome outcome; /* ntrials is 0 without a search behind the choice */
    char *record;           /* path, or NULL */
    double cold_seconds;
    uint64_t cold_operations;
};

struct slot {
    uint64_t hash;
    struct entry *entry;
};

struct entries {
    struct slot *slots; /* open addressing, linear probing */
    size_t capacity;    /* 0 or a power of two */
    size_t count, reserved;
};

/* NULL if there is none. No allocation, no lock. */
struct entry *entries_find(const struct entries *entries, const struct tutti_key *key,
                           uint64_t hash, bool off);

/* Makes room for one more, which a later entries_insert can't fail to find. False: no memory. */
bool entries_reserve(struct entries *entries);
void entries_unreserve(struct entries *entries);
void entries_insert(struct entries *entries, struct entry *entry); /* uses up one reservation */

void entries_release(struct entries *entries);

/* A new entry for a key, with config_size zeroed bytes; NULL: no memory. */
struct entry *entry_create(const struct tutti_key *key, uint64_t hash, bool off,
                           size_t config_size);
void entry_destroy(struct entry *entry);

#endif
