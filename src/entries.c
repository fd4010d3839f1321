/* The table of decided keys. See entries.h. */
#include "entries.h"

#include <stdlib.h>
#include <string.h>

static bool matches(const struct entry *entry, const struct tutti_key *key, bool off)
{
    return entry->off == off && entry->key_length == key->length &&
           memcmp(entry->key, key->bytes, key->length) == 0;
}

struct entry *entries_find(const struct entries *entries, const struct tutti_key *key,
                           uint64_t hash, bool off)
{
    if (entries->capacity == 0)
        return NULL;
    size_t mask = entries->capacity - 1;
    for (size_t i = hash & mask; entries->slots[i].entry; i = (i + 1) & mask)
        if (entries->slots[i].hash == hash && matches(entries->slots[i].entry, key, off))
            return entries->slots[i].entry;
    return NULL;
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
    for (size_t i = 0; i < entries->capacity; i++)
        if (entries->slots[i].entry)
            place(slots, capacity, entries->slots[i].entry);
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
    place(entries->slots, entries->capacity, entry);
}

void entries_release(struct entries *entries)
{
    for (size_t i = 0; i < entries->capacity; i++)
        entry_destroy(entries->slots[i].entry);
    free(entries->slots);
    memset(entries, 0, sizeof *entries);
}

struct entry *entry_create(const struct tutti_key *key, uint64_t hash, bool off, size_t config_size)
{
    struct entry *entry = calloc(1, sizeof *entry);
    if (!entry)
        return NULL;
    entry->key = malloc(key->length ? key->length : 1);
    entry->config = calloc(1, config_size);
    if (!entry->key || !entry->config) {
        entry_destroy(entry);
        return NULL;
    }
    memcpy(entry->key, key->bytes, key->length);
    entry->key_length = key->length;
    entry->hash = hash;
    entry->off = off;
    return entry;
}

void entry_destroy(struct entry *entry)
{
    if (!entry)
        return;
    outcome_release(&entry->outcome);
    free(entry->record);
    free(entry->config);
    free(entry->key);
    free(entry);
}
