/* A store for those who do not tune: what is in its directory, and taking things out of it. */
#include "store_list.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <tutti/settings.h>

#include "journal.h"
#include "record_read.h"
#include "store.h"

static int fail(struct text *why, const char *what, const char *path)
{
    text_add(why, "can't %s %s: %s", what, path, strerror(errno));
    return TUTTI_ERR_STORE;
}

/* ---- entries ---- */

static int owner_number(const struct owner *owner)
{
    switch (owner_state(owner, owner_host())) {
    case OWNER_DEAD:
        return TUTTI_OWNER_DEAD;
    case OWNER_LIVES:
        return TUTTI_OWNER_LIVES;
    case OWNER_UNKNOWN:
        break;
    }
    return TUTTI_OWNER_UNKNOWN;
}

static bool ends_in(const char *name, const char *end)
{
    const size_t length = strlen(name), tail = strlen(end);
    return length >= tail && strcmp(name + length - tail, end) == 0;
}

/* What a file in a function's folder is, by its name; with owner where it has one. */
static void classify_file(const char *name, tutti_store_entry *entry)
{
    struct owner owner;
    bool left;
    entry->owner = TUTTI_OWNER_NONE;
    if (journal_is_one(name, &owner, &left)) {
        entry->kind = TUTTI_ENTRY_JOURNAL;
        entry->owner = left ? TUTTI_OWNER_NONE : owner_number(&owner);
    } else if (store_is_temporary(name, &owner)) {
        entry->kind = TUTTI_ENTRY_TEMPORARY;
        entry->owner = owner_number(&owner);
    } else if (*name != '.' && ends_in(name, ".json")) {
        entry->kind = TUTTI_ENTRY_RECORD;
    } else {
        entry->kind = TUTTI_ENTRY_OTHER;
    }
}

static bool grow(struct tutti_store *store)
{
    if (store->count < store->capacity)
        return true;
    const size_t capacity = store->capacity ? 2 * store->capacity : 64;
    tutti_store_entry *entries = realloc(store->entries, capacity * sizeof *entries);
    if (!entries)
        return false;
    store->entries = entries;
    store->capacity = capacity;
    return true;
}

/* Takes the path. */
static int add_entry(struct tutti_store *store, tutti_store_entry entry, struct text *path,
                     const char *folder, const struct stat *status)
{
    char *copy = strdup(folder);
    if (path->failed || !copy || !grow(store)) {
        free(copy);
        text_release(path);
        return TUTTI_ERR_MEMORY;
    }
    entry.path = path->bytes;
    entry.folder = copy;
    entry.modified = status->st_mtime;
    entry.bytes = (uint64_t)status->st_size;
    store->entries[store->count++] = entry;
    return TUTTI_SUCCESS;
}

static int list_file(struct tutti_store *store, const char *folder, const char *name)
{
    struct text path = {0};
    struct stat status = {0};
    tutti_store_entry entry = {0};
    text_add(&path, "%s/%s/%s", store->directory, folder, name);
    if (!path.failed && (lstat(path.bytes, &status) != 0 || S_ISDIR(status.st_mode))) {
        text_release(&path); /* gone since, or a folder, which records have none of */
        return TUTTI_SUCCESS;
    }
    classify_file(name, &entry);
    return add_entry(store, entry, &path, folder, &status);
}

static bool is_dots(const char *name)
{
    return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

static int list_folder(struct tutti_store *store, const char *folder, struct text *why)
{
    struct text path = {0};
    int status = TUTTI_SUCCESS;
    text_add(&path, "%s/%s", store->directory, folder);
    DIR *listing = path.failed ? NULL : opendir(path.bytes);
    if (!listing && !path.failed && errno != ENOTDIR && errno != ENOENT)
        status = fail(why, "list", path.bytes);
    const struct dirent *entry;
    while (listing && !status && (entry = readdir(listing)))
        if (!is_dots(entry->d_name))
            status = list_file(store, folder, entry->d_name);
    if (listing)
        closedir(listing);
    text_release(&path);
    return status;
}

/* Whose process can't be seen, as after a reboot, but who has written nothing for so long: an
 * import writes all the time. */
static bool is_quiet(const struct stat *status)
{
    return difftime(time(NULL), status->st_mtime) >= IMPORT_QUIET;
}

static int list_import(struct tutti_store *store, const char *name, const struct owner *owner)
{
    struct text path = {0};
    struct stat status = {0};
    tutti_store_entry entry = {.kind = TUTTI_ENTRY_IMPORT, .owner = owner_number(owner)};
    text_add(&path, "%s/%s", store->directory, name);
    if (!path.failed && (lstat(path.bytes, &status) != 0 || !S_ISDIR(status.st_mode))) {
        text_release(&path); /* gone since, or no import's: a link may lead anywhere */
        return TUTTI_SUCCESS;
    }
    if (is_quiet(&status) && entry.owner == TUTTI_OWNER_UNKNOWN)
        entry.owner = TUTTI_OWNER_DEAD;
    return add_entry(store, entry, &path, "", &status);
}

static int list_directory(struct tutti_store *store, struct text *why)
{
    int status = TUTTI_SUCCESS;
    DIR *listing = opendir(store->directory);
    if (!listing)
        return errno == ENOENT ? TUTTI_SUCCESS : fail(why, "list", store->directory);
    const struct dirent *entry;
    while (!status && (entry = readdir(listing))) {
        struct owner owner;
        if (import_is_folder(entry->d_name, &owner))
            status = list_import(store, entry->d_name, &owner);
        else if (*entry->d_name != '.')
            status = list_folder(store, entry->d_name, why);
    }
    closedir(listing);
    return status;
}

/* ---- the store ---- */

static int by_path(const void *a, const void *b)
{
    return strcmp(((const tutti_store_entry *)a)->path, ((const tutti_store_entry *)b)->path);
}

/* What the settings say about the directory. */
struct directory {
    char *path;
    struct text *why;
    int status;
};

/* Of all settings only this one matters: a mistake in another keeps nobody from reading. */
static void visit_setting(const tutti_setting *setting, void *user)
{
    struct directory *directory = user;
    if (strcmp(setting->name, "TUTTI_CACHE_DIR") != 0)
        return;
    if (setting->mistake) {
        text_add(directory->why, "%s", setting->mistake);
        directory->status = TUTTI_ERR_SETTING;
    } else if (!*setting->value) {
        text_add(directory->why, "there is no directory for records: none is set and there is no "
                                 "home");
        directory->status = TUTTI_ERR_STORE;
    } else {
        directory->path = strdup(setting->value);
        directory->status = directory->path ? TUTTI_SUCCESS : TUTTI_ERR_MEMORY;
    }
}

/* NULL with a sentence, or without memory. */
static char *settings_directory(int *status, struct text *why)
{
    struct directory directory = {.why = why, .status = TUTTI_ERR_MEMORY};
    tutti_settings_each(visit_setting, &directory, NULL, 0);
    *status = directory.status;
    return directory.path;
}

static int open_store(struct tutti_store *store, const char *directory, struct text *why)
{
    int status = TUTTI_SUCCESS;
    store->directory = directory ? strdup(directory) : settings_directory(&status, why);
    if (!store->directory)
        return status ? status : TUTTI_ERR_MEMORY;
    for (size_t end = strlen(store->directory); end > 1 && store->directory[end - 1] == '/'; end--)
        store->directory[end - 1] = '\0';
    status = list_directory(store, why);
    if (store->count)
        qsort(store->entries, store->count, sizeof *store->entries, by_path);
    return status;
}

int tutti_store_open(const char *directory, tutti_store **store, char *message, size_t message_size)
{
    struct text why = {0};
    if (!store || (directory && !*directory))
        return record_message(TUTTI_ERR_ARGUMENT, &why, message, message_size);
    *store = calloc(1, sizeof **store);
    const int status = *store ? open_store(*store, directory, &why) : TUTTI_ERR_MEMORY;
    if (status) {
        tutti_store_close(*store);
        *store = NULL;
        record_message(status, &why, message, message_size);
    }
    text_release(&why);
    return status;
}

void tutti_store_close(tutti_store *store)
{
    if (!store)
        return;
    for (size_t i = 0; i < store->count; i++) {
        free((void *)(uintptr_t)store->entries[i].path);
        free((void *)(uintptr_t)store->entries[i].folder);
    }
    free(store->entries);
    free(store->directory);
    free(store);
}

const char *tutti_store_directory(const tutti_store *store)
{
    return store->directory;
}

size_t tutti_store_entries(const tutti_store *store)
{
    return store->count;
}

const tutti_store_entry *tutti_store_entry_get(const tutti_store *store, size_t index)
{
    return index < store->count ? &store->entries[index] : NULL;
}

size_t tutti_store_place(const tutti_store *store, const tutti_record *record, char *path,
                         size_t size)
{
    struct text place = {0};
    store_path(store->directory, record->info.function, record->name, &place);
    const size_t length = place.length;
    if (size)
        snprintf(path, size, "%s", place.bytes ? place.bytes : "");
    text_release(&place);
    return length;
}

int tutti_store_remove(tutti_store *store, size_t index, char *message, size_t message_size)
{
    struct text why = {0};
    int status = TUTTI_SUCCESS;
    if (index >= store->count || store->entries[index].kind >= TUTTI_ENTRY_IMPORT)
        return record_message(TUTTI_ERR_ARGUMENT, &why, message, message_size);
    const char *path = store->entries[index].path;
    if (unlink(path) != 0 && errno != ENOENT)
        status = record_message(fail(&why, "remove", path), &why, message, message_size);
    text_release(&why);
    return status;
}
