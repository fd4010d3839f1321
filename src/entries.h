/* What a tuner knows in memory for one group: a hash table from keys to decided entries. Entries
 * are made and forgotten collectively, so that ranks that agreed once stay agreed. */
#ifndef ENTRIES_H
#define ENTRIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "key.h"
#include "outcome.h"

/* The ways in which a call can ask for a configuration. */
#define WAY_TUNED   UINT64_C(0) /* search, or look up */
#define WAY_OFF     UINT64_C(1) /* with tuning off */
#define WAY_FORCED  UINT64_C(2) /* plus the index of the configuration that the program forces */
#define WAY_NOWHERE UINT64_MAX  /* forced to what is not in the space: no entry has it */

struct entry {
    unsigned char *key; /* and a zero behind it, as key_mark_fields wants it */
    size_t key_length;
    struct key_mark *marks; /* of the key */
    uint64_t hash;
    uint64_t way;        /* how the call asked for it: a table of its own for each, in effect */
    struct entry *after; /* what was asked for next, the last time; may be NULL */

    uint64_t configuration;
    void *config; /* the filled struct */
    void *slot;   /* tutti_context.slot of the chosen configuration */
    bool prepared;
    int source; /* enum tutti_source */

    struct outcome outcome; /* ntrials is 0 without a search behind the choice */
    char *record;           /* path, or NULL */
    double cold_seconds;
    uint64_t cold_operations;

    struct entry *older; /* the one that was made before it */
};

struct slot {
    uint64_t hash;
    struct entry *entry;
};

struct entries {
    struct slot *slots; /* open addressing, linear probing */
    size_t capacity;    /* 0 or a power of two */
    size_t count, reserved;
    struct entry *newest; /* all of them, in an order that is the same on all ranks */
    struct entry *last;   /* asked for; may be NULL */
};

/* A guess at what is asked for next: what was asked for next the last time, since programs repeat
 * themselves. NULL if there is none. */
static inline struct entry *entries_guess(const struct entries *entries)
{
    return entries->last ? entries->last->after : NULL;
}

/* Notes what was asked for. */
static inline void entries_note(struct entries *entries, struct entry *entry)
{
    if (entries->last)
        entries->last->after = entry;
    entries->last = entry;
}

/* NULL if there is none. No allocation, no lock. */
struct entry *entries_find(const struct entries *entries, const struct tutti_key *key,
                           uint64_t hash, uint64_t way);

/* The one of a key that was made last, in whichever way; NULL if there is none. Walks through all.
 */
struct entry *entries_find_newest(const struct entries *entries, const struct tutti_key *key);

/* Makes room for one more, which a later entries_insert can't fail to find. False: no memory. */
bool entries_reserve(struct entries *entries);
void entries_unreserve(struct entries *entries);
void entries_insert(struct entries *entries, struct entry *entry); /* uses up one reservation */

/* Takes an entry of the table out of it; it is the caller's then. No allocation. */
void entries_remove(struct entries *entries, struct entry *entry);

/* Takes out all of them, the newest first; the caller's then. No allocation. */
struct entry *entries_take_all(struct entries *entries);

void entries_release(struct entries *entries);

/* A new entry for a key, with config_size zeroed bytes; NULL: no memory. */
struct entry *entry_create(const struct tutti_key *key, uint64_t hash, uint64_t way,
                           size_t config_size);
void entry_destroy(struct entry *entry);

#endif
