/*
 * Imports: many records into a store, all or none.
 *
 * An import works in a folder of its own in the store's directory, .import.HOST.PID.START:
 *
 *     N.new   the bytes of record N, on the disk before anything is changed
 *     N.old   what lay at its place, as a second link to the same file
 *     list    a line per record: "add FOLDER/NAME.json", or "replace ..." if there was something
 *
 * Nothing is changed before the list is there, and nothing is undone once it is gone. In between
 * the records move to their places one by one. If one can't, or if the process ends, the list says
 * how to put back what was there; each step of that may be done twice.
 */
#include "store_list.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "record_read.h"
#include "store.h"

static int fail(struct text *why, const char *what, const char *path)
{
    text_add(why, "can't %s %s: %s", what, path, strerror(errno));
    return TUTTI_ERR_STORE;
}

/* ---- names ---- */

bool import_is_folder(const char *name, struct owner *owner)
{
    int end = 0;
    *owner = (struct owner){0};
    const int count = sscanf(name, ".import.%16" SCNx64 ".%10ld.%20" SCNu64 "%n", &owner->host,
                             &owner->pid, &owner->start, &end);
    return count == 3 && end > 0 && name[end] == '\0' && owner->pid > 0 && owner->pid <= INT_MAX;
}

/* FOLDER/N.new, FOLDER/N.old, FOLDER/list: a new string, NULL without memory. */
static char *in_folder(const char *folder, size_t number, const char *what)
{
    struct text path = {0};
    text_add(&path, "%s/", folder);
    if (what)
        text_add(&path, "%zu.%s", number, what);
    else
        text_add(&path, "list");
    if (path.failed)
        text_release(&path);
    return path.bytes;
}

/* ---- the list ---- */

/* One record of an import, and what is done with it. */
struct step {
    char *place; /* in the store; NULL: nothing is done */
    bool replaces;
    char *fresh, *old; /* paths in the import's folder */
};

struct plan {
    char *folder, *list;
    struct step *steps;
    size_t count;
};

static void plan_release(struct plan *plan)
{
    for (size_t i = 0; plan->steps && i < plan->count; i++) {
        free(plan->steps[i].place);
        free(plan->steps[i].fresh);
        free(plan->steps[i].old);
    }
    free(plan->steps);
    free(plan->folder);
    free(plan->list);
    *plan = (struct plan){0};
}

/* Takes the folder. */
static bool plan_init(struct plan *plan, char *folder, size_t count)
{
    *plan = (struct plan){.folder = folder, .count = count};
    plan->list = folder ? in_folder(folder, 0, NULL) : NULL;
    plan->steps = calloc(count ? count : 1, sizeof *plan->steps);
    bool good = plan->list && plan->steps;
    for (size_t i = 0; good && i < count; i++) {
        plan->steps[i].fresh = in_folder(folder, i, "new");
        plan->steps[i].old = in_folder(folder, i, "old");
        good = plan->steps[i].fresh && plan->steps[i].old;
    }
    return good;
}

/* The list goes first: from then on there is nothing to undo. */
static void remove_folder(const struct plan *plan)
{
    unlink(plan->list);
    DIR *listing = opendir(plan->folder);
    const struct dirent *entry;
    while (listing && (entry = readdir(listing)))
        unlinkat(dirfd(listing), entry->d_name, 0);
    if (listing)
        closedir(listing);
    rmdir(plan->folder);
}

/* FOLDER/NAME.json of a path in the store. */
static const char *short_place(const char *place)
{
    const char *slash = strrchr(place, '/');
    while (slash > place && slash[-1] != '/')
        slash--;
    return slash;
}

static int write_list(const struct plan *plan, struct text *why)
{
    struct text lines = {0};
    int status = TUTTI_SUCCESS;
    for (size_t i = 0; i < plan->count; i++) {
        const struct step *step = &plan->steps[i];
        if (step->place)
            text_add(&lines, "%s %s\n", step->replaces ? "replace" : "add",
                     short_place(step->place));
        else
            text_add(&lines, "skip -\n");
    }
    if (lines.failed)
        status = TUTTI_ERR_MEMORY;
    else if (store_write(plan->list, lines.bytes, lines.length, why) != STORE_OK)
        status = TUTTI_ERR_STORE;
    text_release(&lines);
    return status;
}

/* ---- putting back ---- */

/* Each step may be done twice, and does nothing for what was not changed yet. */
static int undo_step(const struct step *step, struct text *why)
{
    if (!step->place)
        return TUTTI_SUCCESS;
    if (step->replaces && rename(step->old, step->place) != 0 && errno != ENOENT)
        return fail(why, "put back", step->place);
    if (!step->replaces && access(step->fresh, F_OK) != 0 && unlink(step->place) != 0 &&
        errno != ENOENT)
        return fail(why, "remove", step->place);
    return TUTTI_SUCCESS;
}

static int undo(const struct plan *plan, struct text *why)
{
    int status = TUTTI_SUCCESS;
    for (size_t i = 0; i < plan->count && !status; i++)
        status = undo_step(&plan->steps[i], why);
    if (!status)
        remove_folder(plan);
    return status;
}

/* A place as a list names it: one folder and one file, neither hidden nor leading elsewhere. */
static bool is_place(const char *place)
{
    const char *slash = strchr(place, '/');
    return slash && slash > place && *place != '.' && slash[1] != '.' && slash[1] != '\0' &&
           !strchr(slash + 1, '/');
}

/* A line of a list as a step; false if no import wrote it. */
static bool read_step(const char *directory, char *line, struct step *step)
{
    char *place = strchr(line, ' ');
    if (!place)
        return false;
    *place++ = '\0';
    if (strcmp(line, "skip") == 0)
        return true;
    step->replaces = strcmp(line, "replace") == 0;
    if ((!step->replaces && strcmp(line, "add") != 0) || !is_place(place))
        return false;
    struct text path = {0};
    text_add(&path, "%s/%s", directory, place);
    step->place = path.failed ? NULL : path.bytes;
    return step->place != NULL;
}

static size_t count_lines(const struct text *bytes)
{
    size_t count = 0;
    for (size_t i = 0; i < bytes->length; i++)
        count += bytes->bytes[i] == '\n';
    return count;
}

static int read_plan(const char *directory, struct text *bytes, struct plan *plan, struct text *why)
{
    char *rest = NULL, *line = strtok_r(bytes->bytes, "\n", &rest);
    for (size_t i = 0; i < plan->count; i++, line = strtok_r(NULL, "\n", &rest)) {
        if (line && read_step(directory, line, &plan->steps[i]))
            continue;
        text_add(why, "%s, line %zu: not as an import writes it", plan->list, i + 1);
        return TUTTI_ERR_STORE;
    }
    return TUTTI_SUCCESS;
}

/* What another user's list says to remove, this user might not want to. */
static bool is_own(const char *folder, struct text *why)
{
    struct stat status;
    if (lstat(folder, &status) == 0 && S_ISDIR(status.st_mode) && status.st_uid == geteuid())
        return true;
    text_add(why, "%s is another user's", folder);
    return false;
}

static int recover_one(const char *directory, const char *folder, struct text *why)
{
    if (!is_own(folder, why))
        return TUTTI_ERR_STORE;
    struct text bytes = {0};
    struct plan plan;
    char *list = in_folder(folder, 0, NULL);
    const enum store_result result = list ? store_read(list, &bytes, why) : STORE_FAILED;
    const size_t count = result == STORE_OK ? count_lines(&bytes) : 0;
    int status = list ? TUTTI_ERR_STORE : TUTTI_ERR_MEMORY;
    free(list);
    if (!plan_init(&plan, strdup(folder), count))
        status = TUTTI_ERR_MEMORY;
    else if (result == STORE_OK)
        status = read_plan(directory, &bytes, &plan, why);
    else if (result == STORE_ABSENT) /* nothing was changed */
        status = TUTTI_SUCCESS;
    if (!status)
        status = undo(&plan, why);
    plan_release(&plan);
    text_release(&bytes);
    return status;
}

static int recover_all(const tutti_store *store, size_t *undone, struct text *why)
{
    int status = TUTTI_SUCCESS;
    size_t count = 0;
    for (size_t i = 0; i < store->count && !status; i++) {
        const tutti_store_entry *entry = &store->entries[i];
        if (entry->kind != TUTTI_ENTRY_IMPORT || entry->owner != TUTTI_OWNER_DEAD ||
            access(entry->path, F_OK) != 0)
            continue;
        status = recover_one(store->directory, entry->path, why);
        count += !status;
    }
    if (undone)
        *undone = count;
    return status;
}

int tutti_store_recover(tutti_store *store, size_t *undone, char *message, size_t message_size)
{
    struct text why = {0};
    const int status = recover_all(store, undone, &why);
    if (status)
        record_message(status, &why, message, message_size);
    text_release(&why);
    return status;
}

/* ---- deciding ---- */

/* Whether a record takes the place of another one of the same identity. */
static bool takes_over(const tutti_record *record, const tutti_record *other, int conflict)
{
    return conflict == TUTTI_CONFLICT_REPLACE ||
           (conflict == TUTTI_CONFLICT_NEWER && record->info.finished > other->info.finished);
}

static bool same_bytes(const tutti_record *a, const tutti_record *b)
{
    size_t length_a, length_b;
    const char *bytes_a = tutti_record_json(a, &length_a);
    const char *bytes_b = tutti_record_json(b, &length_b);
    return length_a == length_b && memcmp(bytes_a, bytes_b, length_a) == 0;
}

/* Against what the store has. */
static int decide(const tutti_record *record, const struct step *step, int conflict, int *what)
{
    tutti_record *there = NULL;
    const int status = tutti_record_read(step->place, &there, NULL, 0);
    *what = step->replaces ? TUTTI_IMPORT_REPLACED : TUTTI_IMPORT_ADDED;
    if (!status && same_bytes(record, there))
        *what = TUTTI_IMPORT_SAME;
    else if (!status && !takes_over(record, there, conflict))
        *what = TUTTI_IMPORT_KEPT;
    tutti_record_destroy(there);
    return status == TUTTI_ERR_MEMORY ? status : TUTTI_SUCCESS;
}

static void give_up(struct step *step)
{
    free(step->place);
    step->place = NULL;
}

/* Against those before it in the same import: at most one of an identity is put in place. */
static void decide_among(tutti_record *const *records, struct plan *plan, size_t number,
                         int conflict, int *what)
{
    struct step *step = &plan->steps[number];
    for (size_t i = 0; i < number && step->place; i++) {
        struct step *before = &plan->steps[i];
        if (!before->place || strcmp(before->place, step->place) != 0)
            continue;
        const bool later = takes_over(records[number], records[i], conflict);
        what[later ? i : number] = TUTTI_IMPORT_KEPT;
        give_up(later ? before : step);
    }
}

static int plan_step(const tutti_store *store, tutti_record *const *records, struct plan *plan,
                     size_t number, int conflict, int *what)
{
    struct step *step = &plan->steps[number];
    const size_t size = tutti_store_place(store, records[number], NULL, 0) + 1;
    step->place = malloc(size);
    if (!step->place)
        return TUTTI_ERR_MEMORY;
    tutti_store_place(store, records[number], step->place, size);
    step->replaces = access(step->place, F_OK) == 0;
    const int status = decide(records[number], step, conflict, &what[number]);
    if (status)
        return status;
    if (what[number] == TUTTI_IMPORT_SAME || what[number] == TUTTI_IMPORT_KEPT)
        give_up(step);
    decide_among(records, plan, number, conflict, what);
    return TUTTI_SUCCESS;
}

/* ---- doing ---- */

/* A second link where that is possible, so that not even its time changes; else a copy. */
static int keep_old(const struct step *step, struct text *why)
{
    if (link(step->place, step->old) == 0)
        return TUTTI_SUCCESS;
    struct text bytes = {0};
    const bool kept = store_read(step->place, &bytes, why) == STORE_OK &&
                      store_write(step->old, bytes.bytes, bytes.length, why) == STORE_OK;
    text_release(&bytes);
    return kept ? TUTTI_SUCCESS : TUTTI_ERR_STORE;
}

static void sync_folder(const char *path)
{
    const int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0)
        return;
    fsync(folder);
    close(folder);
}

/* The path is changed in between, and restored. */
static void sync_parent(char *path)
{
    char *slash = strrchr(path, '/');
    *slash = '\0';
    sync_folder(path);
    *slash = '/';
}

static int stage(tutti_record *const *records, const struct plan *plan, struct text *why)
{
    int status = TUTTI_SUCCESS;
    for (size_t i = 0; i < plan->count && !status; i++) {
        const struct step *step = &plan->steps[i];
        size_t length;
        const char *bytes = tutti_record_json(records[i], &length);
        if (!step->place)
            continue;
        if (store_write(step->fresh, bytes, length, why) != STORE_OK)
            status = TUTTI_ERR_STORE;
        else if (step->replaces)
            status = keep_old(step, why);
    }
    if (!status)
        status = write_list(plan, why);
    if (!status)
        sync_parent(plan->folder); /* the list is to be found before anything is changed */
    return status;
}

/* Changes the place in between, and restores it. */
static int move_in(const struct step *step, struct text *why)
{
    char *slash = strrchr(step->place, '/');
    *slash = '\0';
    const bool made = store_make_folders(step->place);
    const int error = errno;
    *slash = '/';
    errno = error;
    if (!made || rename(step->fresh, step->place) != 0)
        return fail(why, "write", step->place);
    sync_parent(step->place);
    return TUTTI_SUCCESS;
}

/* A folder that only this import has. */
static int make_folder(const tutti_store *store, const struct plan *plan, struct text *why)
{
    char *directory = strdup(store->directory);
    int status = directory ? TUTTI_SUCCESS : TUTTI_ERR_MEMORY;
    if (directory && !store_make_folders(directory))
        status = fail(why, "make", store->directory);
    else if (directory && mkdir(plan->folder, 0700) != 0)
        status = fail(why, "make", plan->folder);
    free(directory);
    return status;
}

static int carry_out(tutti_record *const *records, const struct plan *plan, struct text *why)
{
    int status = stage(records, plan, why);
    for (size_t i = 0; i < plan->count && !status; i++)
        if (plan->steps[i].place)
            status = move_in(&plan->steps[i], why);
    if (status) {
        struct text ignored = {0};
        if (undo(plan, &ignored) != TUTTI_SUCCESS)
            text_add(why, "; and what was there before: %s",
                     ignored.bytes ? ignored.bytes : "no memory");
        text_release(&ignored);
        return status;
    }
    if (unlink(plan->list) != 0)
        return fail(why, "remove", plan->list);
    sync_folder(plan->folder); /* from here on it is done, also after a crash of the machine */
    remove_folder(plan);
    return TUTTI_SUCCESS;
}

static bool has_work(const struct plan *plan)
{
    for (size_t i = 0; i < plan->count; i++)
        if (plan->steps[i].place)
            return true;
    return false;
}

/* The folder of an import of this process, as import_is_folder takes it apart; a new string, NULL
 * without memory. */
static char *own_folder(const tutti_store *store)
{
    const struct owner self = owner_self();
    struct text folder = {0};
    text_add(&folder, "%s/.import.%016" PRIx64 ".%ld.%" PRIu64, store->directory, self.host,
             self.pid, self.start);
    if (folder.failed)
        text_release(&folder);
    return folder.bytes;
}

/* dry: only decide. */
static int import(const tutti_store *store, tutti_record *const *records, size_t n, int conflict,
                  bool dry, int *what, struct text *why)
{
    struct plan plan;
    int status = plan_init(&plan, own_folder(store), n) ? TUTTI_SUCCESS : TUTTI_ERR_MEMORY;
    for (size_t i = 0; i < n && !status; i++)
        status = plan_step(store, records, &plan, i, conflict, what);
    if (!status && !dry && has_work(&plan)) {
        status = make_folder(store, &plan, why);
        if (!status)
            status = carry_out(records, &plan, why);
    }
    plan_release(&plan);
    return status;
}

static int import_or_plan(tutti_store *store, tutti_record *const *records, size_t n, int conflict,
                          bool dry, int *results, struct text *why)
{
    if (!store || (n && !records) || conflict < TUTTI_CONFLICT_NEWER ||
        conflict > TUTTI_CONFLICT_REPLACE)
        return TUTTI_ERR_ARGUMENT;
    int *what = calloc(n ? n : 1, sizeof *what);
    if (!what)
        return TUTTI_ERR_MEMORY;
    int status = dry ? TUTTI_SUCCESS : recover_all(store, NULL, why);
    if (!status)
        status = import(store, records, n, conflict, dry, what, why);
    if (!status && results)
        memcpy(results, what, n * sizeof *what);
    free(what);
    return status;
}

int tutti_store_import(tutti_store *store, tutti_record *const *records, size_t n, int conflict,
                       int *results, char *message, size_t message_size)
{
    struct text why = {0};
    const int status = import_or_plan(store, records, n, conflict, false, results, &why);
    if (status)
        record_message(status, &why, message, message_size);
    text_release(&why);
    return status;
}

int tutti_store_plan(tutti_store *store, tutti_record *const *records, size_t n, int conflict,
                     int *results, char *message, size_t message_size)
{
    struct text why = {0};
    const int status = import_or_plan(store, records, n, conflict, true, results, &why);
    if (status)
        record_message(status, &why, message, message_size);
    text_release(&why);
    return status;
}
