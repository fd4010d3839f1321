/* tutti_forget: entries leave the memory, and records the store, on all ranks alike. */
#include "cold.h"
#include "log.h"
#include "persist.h"
#include "store.h"

/* Root only. The key of an entry stands in for the call's own. */
static void remove_record(const struct call *call, const struct tutti_key *key)
{
    struct call other = *call;
    struct text path = {0}, why = {0};
    other.key = key;
    persist_path(&other, &path);
    if (path.bytes && !path.failed && store_remove(path.bytes, &why) == STORE_FAILED)
        log_root(call->group, call->tuner->name, TUTTI_LOG_WARN, "the record stays: %s",
                 why.bytes ? why.bytes : "no memory");
    text_release(&path);
    text_release(&why);
}

static void remove_records(const struct call *call, bool all)
{
    if (!all) {
        remove_record(call, call->key);
        return;
    }
    const struct entry *entry = call->attachment->entries.newest;
    for (; entry; entry = entry->older) {
        if (entry->way != WAY_TUNED)
            continue;
        const struct tutti_key key = {.bytes = entry->key, .length = entry->key_length};
        remove_record(call, &key);
    }
}

static void drop(const struct call *call, struct entry *entry)
{
    tuner_release_entry(call->tuner, call->group, entry);
    entry_destroy(entry);
}

static void forget_all(const struct call *call)
{
    struct entry *older;
    for (struct entry *entry = entries_take_all(&call->attachment->entries); entry; entry = older) {
        older = entry->older;
        drop(call, entry);
    }
}

/* In all ways in which it was called. */
static void forget_key(const struct call *call)
{
    struct entries *entries = &call->attachment->entries;
    for (struct entry *entry; (entry = entries_find_newest(entries, call->key));) {
        entries_remove(entries, entry);
        drop(call, entry);
    }
}

static int forget(struct cold *cold, unsigned flags)
{
    const struct call *call = cold->call;
    const bool all = flags & TUTTI_FORGET_ALL, records = flags & TUTTI_FORGET_RECORD;
    int status = cold_meet(cold);
    if (status)
        return status;
    if (records && call->group->rank == 0 && call->group->settings.mode == MODE_TUNE)
        remove_records(call, all);
    if (all)
        forget_all(call);
    else
        forget_key(call);
    return TUTTI_SUCCESS;
}

/* Ranks must forget the same. */
static const char *operation(unsigned flags)
{
    static const char *const operations[] = {"tutti_forget", "tutti_forget of all",
                                             "tutti_forget with the record",
                                             "tutti_forget of all with their records"};
    return operations[flags];
}

int tutti_forget(tutti_tuner *tuner, const void *args, tutti_group *group, unsigned flags)
{
    const bool all = flags & TUTTI_FORGET_ALL;
    if (!tuner || !group || flags > (TUTTI_FORGET_ALL | TUTTI_FORGET_RECORD))
        return TUTTI_ERR_ARGUMENT;
    struct tutti_key key;
    key_init(&key);
    struct call call = {.tuner = tuner, .group = group, .key = &key};
    if (!all)
        call.key_status = tuner_key(tuner, args, &key);
    call.hash = key_hash(&key);
    struct cold cold = {.call = &call, .operation = operation(flags)};
    int status = cold_enter(&call, &cold.why);
    if (!status) {
        status = forget(&cold, flags);
        cold_release(&cold);
        group_leave(group);
    }
    status = cold_end(&cold, status);
    key_release(&key);
    return status;
}
