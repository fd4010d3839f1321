/* See find.h. */
#include "find.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "file.h"
#include "print.h"

#define ID_LEAST 4 /* digits of a record's number that stand for it */

/* ---- choosing ---- */

static bool is_file(const char *word)
{
    const size_t length = strlen(word);
    return strchr(word, '/') || strcmp(word, "-") == 0 ||
           (length > 5 && strcmp(word + length - 5, ".json") == 0 && access(word, F_OK) == 0);
}

static bool is_named(const struct view *view, const char *word)
{
    const size_t length = strlen(word);
    return fnmatch(word, view->function, 0) == 0 || strcmp(word, view->function) == 0 ||
           (length >= ID_LEAST && strncmp(view->id, word, length) == 0);
}

static bool has_field(const struct view *view, const char *filter)
{
    const char *equals = strchr(filter, '=');
    for (size_t i = 0; i < view->key.count; i++) {
        const tutti_named_text *field = &view->key.entries[i];
        if (strlen(field->name) == (size_t)(equals - filter) &&
            strncmp(field->name, filter, (size_t)(equals - filter)) == 0)
            return strcmp(field->text, equals + 1) == 0;
    }
    return false;
}

static bool passes(const struct view *view, const struct selection *selection)
{
    for (size_t i = 0; i < selection->nkeys; i++)
        if (!has_field(view, selection->keys[i]))
            return false;
    if (selection->ranks && (view->is_triton || view->info.ranks != selection->ranks))
        return false;
    if (!selection->match)
        return true;
    char *key = view_key_text(view);
    const bool matches = strstr(key, selection->match) != NULL;
    free(key);
    return matches;
}

bool is_selected(const struct view *view, const struct selection *selection)
{
    bool named = selection->nwords == 0;
    for (size_t i = 0; i < selection->nwords && !named; i++)
        named = !is_file(selection->words[i]) && is_named(view, selection->words[i]);
    return named && passes(view, selection);
}

/* ---- reading ---- */

static void add_view(struct found *found, struct view *view)
{
    found->views = need(realloc(found->views, (found->count + 1) * sizeof *found->views));
    found->views[found->count++] = view;
}

/* Takes why. */
static void add_unreadable(struct found *found, const char *path, char *why, bool warn)
{
    char *shown = printable(path);
    if (warn)
        fail("%s: %s", shown, why);
    free(shown);
    found->unreadable =
        need(realloc(found->unreadable, (found->nunreadable + 1) * sizeof *found->unreadable));
    found->unreadable[found->nunreadable++] =
        (struct unreadable){.path = need(strdup(path)), .why = why};
}

tutti_store *open_store(const char *directory)
{
    char message[1024];
    tutti_store *store;
    if (directory && access(directory, F_OK) != 0) {
        char *shown = printable(directory);
        fail("there is no directory %s", shown);
        free(shown);
        return NULL;
    }
    if (tutti_store_open(directory, &store, message, sizeof message) != TUTTI_SUCCESS) {
        fail("%s", message);
        return NULL;
    }
    size_t undone;
    if (tutti_store_recover(store, &undone, message, sizeof message) != TUTTI_SUCCESS)
        fail("an import was interrupted, and can't be undone: %s", message);
    else if (undone)
        fail("%zu interrupted import%s undone", undone, undone == 1 ? " was" : "s were");
    else
        return store;
    /* What was listed is not what is there now. */
    tutti_store_close(store);
    if (tutti_store_open(directory, &store, message, sizeof message) == TUTTI_SUCCESS)
        return store;
    fail("%s", message);
    return NULL;
}

static void read_store(const struct selection *selection, bool warn, struct found *found)
{
    const tutti_store_entry *entry;
    for (size_t i = 0; (entry = tutti_store_entry_get(found->store, i)); i++) {
        char *why = NULL;
        if (entry->kind != TUTTI_ENTRY_RECORD)
            continue;
        struct view *view = view_read(entry->path, &why);
        if (!view)
            add_unreadable(found, entry->path, why, warn);
        else if (is_selected(view, selection))
            add_view(found, view);
        else
            view_release(view);
    }
}

/* Read once, so that it may be a pipe. */
static struct view *read_file(const char *path, char **why)
{
    size_t length;
    char *bytes = file_read(path, &length, why);
    struct view *view = bytes ? view_of_bytes(path, bytes, length, why) : NULL;
    free(bytes);
    return view;
}

/* A file that was named must be readable. */
static bool read_files(const struct selection *selection, struct found *found)
{
    for (size_t i = 0; i < selection->nwords; i++) {
        char *why = NULL;
        if (!is_file(selection->words[i]))
            continue;
        struct view *view = read_file(selection->words[i], &why);
        if (!view) {
            add_unreadable(found, selection->words[i], why, true);
            return false;
        }
        if (passes(view, selection))
            add_view(found, view);
        else
            view_release(view);
    }
    return true;
}

static bool wants_store(const struct selection *selection)
{
    bool wants = selection->nwords == 0;
    for (size_t i = 0; i < selection->nwords; i++)
        wants = wants || !is_file(selection->words[i]);
    return wants;
}

static int by_content(const void *a, const void *b)
{
    const struct view *x = *(const struct view *const *)a, *y = *(const struct view *const *)b;
    int order = strcmp(x->function, y->function);
    for (size_t i = 0; !order && i < x->key.count && i < y->key.count; i++) {
        order = strcmp(x->key.entries[i].name, y->key.entries[i].name);
        order = order ? order : strverscmp(x->key.entries[i].text, y->key.entries[i].text);
    }
    order = order ? order : (x->info.ranks > y->info.ranks) - (x->info.ranks < y->info.ranks);
    return order ? order : strcmp(x->path, y->path);
}

bool find_records(const char *store, const struct selection *selection, bool warn,
                  struct found *found)
{
    *found = (struct found){0};
    if (!read_files(selection, found))
        return false;
    if (wants_store(selection)) {
        found->store = open_store(store);
        if (!found->store)
            return false;
        read_store(selection, warn, found);
    }
    if (found->count)
        qsort(found->views, found->count, sizeof *found->views, by_content);
    return true;
}

void found_release(struct found *found)
{
    for (size_t i = 0; i < found->count; i++)
        view_release(found->views[i]);
    for (size_t i = 0; i < found->nunreadable; i++) {
        free(found->unreadable[i].path);
        free(found->unreadable[i].why);
    }
    free(found->views);
    free(found->unreadable);
    tutti_store_close(found->store);
    *found = (struct found){0};
}

/* ---- one, or none ---- */

void say_nothing_found(const struct found *found)
{
    char *where = printable(found->store ? tutti_store_directory(found->store) : "the files");
    fail("no such record in %s", where);
    free(where);
}

/* The rest of a line: what tells apart the records of one key, of an edited launcher for example.
 */
static void say_age(const struct view *view)
{
    char *age = view->info.finished ? age_text(view->info.finished) : format("-");
    fprintf(stderr, "  %s\n", age);
    free(age);
}

static void say_several(const struct found *found)
{
    fail("%zu records are meant by this; say which:", found->count);
    for (size_t i = 0; i < found->count; i++) {
        char *function = printable(found->views[i]->function),
             *key = view_key_text(found->views[i]);
        fprintf(stderr, "  %.8s  %s  %s", found->views[i]->id, function, key);
        if (!found->views[i]->is_triton)
            fprintf(stderr, "  %d rank%s", found->views[i]->info.ranks,
                    found->views[i]->info.ranks == 1 ? "" : "s");
        say_age(found->views[i]);
        free(function);
        free(key);
    }
}

const struct view *find_newest(const struct found *found)
{
    const struct view *newest = NULL;
    for (size_t i = 0; i < found->count; i++)
        if (!newest || found->views[i]->info.finished > newest->info.finished)
            newest = found->views[i];
    if (!newest)
        say_nothing_found(found);
    return newest;
}

const struct view *find_only(const struct found *found)
{
    if (found->count == 1)
        return found->views[0];
    if (found->count)
        say_several(found);
    else
        say_nothing_found(found);
    return NULL;
}
