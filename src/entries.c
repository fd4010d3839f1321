/* The table of decided keys. See entries.h. */
#include "entries.h"

#include <stdlib.h>
#include <string.h>

static bool has_key(const struct entry *entry, const struct tutti_key *key)
{
    return entry->key_length == key->length && memcmp(entry->key, key->bytes, key->length) == 0;
}

static bool matches(const struct entry *entry, const struct tutti_key *key, uint64_t way)
{
    return entry->way == way && has_key(entry, key);
}

struct entry *entries_find(const struct entries *entries, const struct tutti_key *key,
                           uint64_t hash, uint64_t way)
{
    if (entries->capacity == 0)
        return NULL;
    size_t mask = entries->capacity - 1;
    for (size_t i = hash & mask; entries->slots[i].entry; i = (i + 1) & mask)
        if (entries->slots[i].hash == hash && matches(entries->slots[i].entry, key, way))
            return entries->slots[i].entry;
    return NULL;
}

struct entry *entries_find_newest(const struct entries *entries, const struct tutti_key *key)
{
    struct entry *entry = entries->newest;
    while (entry && !has_key(entry, key))
        entry = entry->older;
    return entry;
}

static void place(struct slot *slots, size_t capacity, struct entry *entry)
{
    size_t mask = capacity - 1;
    size_t i = entry->hash & mask;
    while (slots[i].entry)
        i = (i + 1) & mask;
    slots[i] = (struct slot){.hash = entry->hash, .entry = entry};
}

static bool grow(struct entries *entries)
{
    size_t capacity = entries->capacity ? 2 * entries->capacity : 16;
    struct slot *slots = calloc(capacity, sizeof *slots);
    if (!slots)
        return false;
    for (struct entry *entry = entries->newest; entry; entry = entry->older)
        place(slots, capacity, entry);
    free(entries->slots);
    entries->slots = slots;
    entries->capacity = capacity;
    return true;
}

bool entries_reserve(struct entries *entries)
{
    size_t wanted = entries->count + entries->reserved + 1;
    if (2 * wanted > entries->capacity && !grow(entries))
        return false;
    entries->reserved++;
    return true;
}

void entries_unreserve(struct entries *entries)
{
    entries->reserved--;
}

void entries_insert(struct entries *entries, struct entry *entry)
{
    entries->reserved--;
    entries->count++;
    entry->older = entries->newest;
    entries->newest = entry;
    place(entries->slots, entries->capacity, entry);
}

/* Empties a slot. What is behind it and would not be found any more moves up: Knuth, The Art of
 * Computer Programming, volume 3, section 6.4, algorithm R. */
static void empty_slot(struct slot *slots, size_t mask, size_t gap)
{
    for (size_t i = (gap + 1) & mask; slots[i].entry; i = (i + 1) & mask) {
        const size_t from_home = (i - slots[i].hash) & mask, from_gap = (i - gap) & mask;
        if (from_home < from_gap)
            continue;
        slots[gap] = slots[i];
        gap = i;
    }
    slots[gap] = (struct slot){0};
}

/* Nobody's guess is an entry that goes. */
static void stop_guessing(struct entries *entries, const struct entry *gone)
{
    entries->last = NULL;
    for (struct entry *entry = entries->newest; entry; entry = entry->older)
        if (entry->after == gone)
            entry->after = NULL;
}

void entries_remove(struct entries *entries, struct entry *entry)
{
    stop_guessing(entries, entry);
    struct entry **link = &entries->newest;
    while (*link != entry)
        link = &(*link)->older;
    *link = entry->older;
    entries->count--;
    const size_t mask = entries->capacity - 1;
    size_t i = entry->hash & mask;
    while (entries->slots[i].entry != entry)
        i = (i + 1) & mask;
    empty_slot(entries->slots, mask, i);
}

struct entry *entries_take_all(struct entries *entries)
{
    struct entry *all = entries->newest;
    if (all)
        memset(entries->slots, 0, entries->capacity * sizeof *entries->slots);
    entries->newest = entries->last = NULL;
    entries->count = 0;
    return all;
}

void entries_release(struct entries *entries)
{
    for (struct entry *entry = entries_take_all(entries), *older; entry; entry = older) {
        older = entry->older;
        entry_destroy(entry);
    }
    free(entries->slots);
    memset(entries, 0, sizeof *entries);
}

struct entry *entry_create(const struct tutti_key *key, uint64_t hash, uint64_t way,
                           size_t config_size)
{
    struct entry *entry = calloc(1, sizeof *entry);
    if (!entry)
        return NULL;
    entry->key = calloc(key->length + 1, 1);
    entry->marks = calloc(key_fields(key->bytes, key->length) + 1, sizeof *entry->marks);
    entry->config = calloc(1, config_size);
    if (!entry->key || !entry->marks || !entry->config) {
        entry_destroy(entry);
        return NULL;
    }
    memcpy(entry->key, key->bytes, key->length);
    key_mark_fields(entry->key, key->length, entry->marks);
    entry->key_length = key->length;
    entry->hash = hash;
    entry->way = way;
    return entry;
}

void entry_destroy(struct entry *entry)
{
    if (!entry)
        return;
    outcome_release(&entry->outcome);
    free(entry->record);
    free(entry->config);
    free(entry->marks);
    free(entry->key);
    free(entry);
}
