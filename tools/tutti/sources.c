/* See sources.h. */
#include "sources.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "bundle.h"
#include "file.h"
#include "find.h"
#include "print.h"

static struct source_record *add(struct sources *sources)
{
    sources->records =
        need(realloc(sources->records, (sources->count + 1) * sizeof *sources->records));
    return &sources->records[sources->count++];
}

/* Takes where and why. */
static void add_unreadable(struct sources *sources, char *where, char *why)
{
    *add(sources) = (struct source_record){.where = where, .why = why};
    sources->unreadable++;
}

void sources_add_view(struct sources *sources, struct view *view)
{
    *add(sources) = (struct source_record){.view = view, .where = need(strdup(view->path))};
}

static void add_file(struct sources *sources, const char *path)
{
    char *why = NULL;
    struct view *view = view_read(path, &why);
    if (view)
        sources_add_view(sources, view);
    else
        add_unreadable(sources, need(strdup(path)), why);
}

static bool add_store(struct sources *sources, const char *path)
{
    tutti_store *store = open_store(path);
    const tutti_store_entry *entry;
    for (size_t i = 0; store && (entry = tutti_store_entry_get(store, i)); i++)
        if (entry->kind == TUTTI_ENTRY_RECORD)
            add_file(sources, entry->path);
    tutti_store_close(store);
    return store != NULL;
}

/* One record of a bundle. */
static void add_piece(struct sources *sources, const char *path, size_t number,
                      const struct bundle_piece *piece)
{
    char message[1024];
    tutti_record *record;
    const int status =
        tutti_record_parse(piece->bytes, piece->length, &record, message, sizeof message);
    char *where = format("%s: records[%zu]", path, number);
    if (status == TUTTI_ERR_MEMORY)
        need(NULL);
    if (status)
        add_unreadable(sources, where, printable(message));
    else
        *add(sources) = (struct source_record){.view = view_of_record(record), .where = where};
}

static void add_bundle(struct sources *sources, const char *path, const char *bytes, size_t length)
{
    struct bundle bundle;
    char *why;
    if (!bundle_read(bytes, length, &bundle, &why)) {
        add_unreadable(sources, need(strdup(path)), why);
        return;
    }
    for (size_t i = 0; i < bundle.count; i++)
        add_piece(sources, path, i, &bundle.pieces[i]);
    bundle_release(&bundle);
}

/* A file is read once, so that it may be a pipe. */
static bool add_bytes(struct sources *sources, const char *path)
{
    size_t length;
    char *why = NULL, *bytes = file_read(path, &length, &why);
    if (!bytes) {
        fail("%s", why);
        free(why);
        return false;
    }
    struct view *view =
        bundle_is_one(bytes, length) ? NULL : view_of_bytes(path, bytes, length, &why);
    if (view)
        sources_add_view(sources, view);
    else if (why)
        add_unreadable(sources, need(strdup(path)), why);
    else
        add_bundle(sources, path, bytes, length);
    free(bytes);
    return true;
}

bool sources_add(struct sources *sources, const char *path)
{
    struct stat status;
    if (stat(path, &status) == 0 && S_ISDIR(status.st_mode))
        return add_store(sources, path);
    return add_bytes(sources, path);
}

void sources_say_unreadable(const struct sources *sources)
{
    for (size_t i = 0; i < sources->count; i++) {
        const struct source_record *record = &sources->records[i];
        if (record->view)
            continue;
        char *where = printable(record->where);
        fail("%s: %s", where, record->why);
        free(where);
    }
}

void sources_release(struct sources *sources)
{
    for (size_t i = 0; i < sources->count; i++) {
        view_release(sources->records[i].view);
        free(sources->records[i].where);
        free(sources->records[i].why);
    }
    free(sources->records);
    *sources = (struct sources){0};
}
