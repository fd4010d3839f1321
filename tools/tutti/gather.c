/* See gather.h. */
#include "gather.h"

#include <stdlib.h>
#include <string.h>

#include "bundle.h"
#include "print.h"

enum { KEY_CONFLICT = 'c', KEY_DRY = 'n', KEY_SKIP = 256 };

static int read_conflict(struct argp_state *state, const char *text)
{
    static const char *const words[] = {"newer", "keep", "replace"};
    for (int i = 0; i < 3; i++)
        if (strcmp(text, words[i]) == 0)
            return i;
    argp_error(state, "--on-conflict %s: newer, keep or replace", text);
    return 0;
}

static error_t parse(int key, char *text, struct argp_state *state)
{
    struct gather_options *options = state->input;
    switch (key) {
    case KEY_CONFLICT:
        options->conflict = read_conflict(state, text);
        return 0;
    case KEY_SKIP:
        options->skip_corrupt = true;
        return 0;
    case KEY_DRY:
        options->dry_run = true;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option list[] = {
    {"on-conflict", KEY_CONFLICT, "RULE", 0,
     "For two records of one identity: newer (the search that finished later; the default), keep "
     "(what is there, or came first), replace",
     3},
    {"skip-corrupt", KEY_SKIP, NULL, 0, "Leave out what can't be read, instead of doing nothing",
     3},
    {"dry-run", KEY_DRY, NULL, 0, "Only say what would be done", 3},
    {0}};

const struct argp gather_argp = {.options = list, .parser = parse};

bool gather_check(const struct sources *sources, const struct gather_options *options)
{
    sources_say_unreadable(sources);
    if (sources->unreadable && !options->skip_corrupt) {
        fail("nothing was done: %zu of %zu records can't be read", sources->unreadable,
             sources->count);
        return false;
    }
    for (size_t i = 0; i < sources->count; i++) {
        const struct source_record *record = &sources->records[i];
        if (!record->view || !record->view->is_triton)
            continue;
        char *where = printable(record->where);
        fail("nothing was done: %s is a record of Triton-distributed, which no tuned program of "
             "tutti's can use",
             where);
        free(where);
        return false;
    }
    return true;
}

/* Those that can be read; a new array. */
static tutti_record **readable(const struct sources *sources, size_t *count)
{
    tutti_record **records = need(calloc(sources->count + 1, sizeof(tutti_record *)));
    *count = 0;
    for (size_t i = 0; i < sources->count; i++)
        if (sources->records[i].view)
            records[(*count)++] = sources->records[i].view->record;
    return records;
}

static void tally_add(struct tally *tally, const int *results, size_t count)
{
    for (size_t i = 0; i < count; i++)
        tally->counts[results[i]]++;
}

bool gather_into_store(const struct sources *sources, const struct gather_options *options,
                       const char *directory, struct tally *tally)
{
    char message[1024];
    tutti_store *store;
    size_t count;
    tutti_record **records = readable(sources, &count);
    int *results = need(calloc(count + 1, sizeof *results));
    int status = tutti_store_open(directory, &store, message, sizeof message);
    if (status == TUTTI_SUCCESS) {
        status = options->dry_run ? tutti_store_plan(store, records, count, options->conflict,
                                                     results, message, sizeof message)
                                  : tutti_store_import(store, records, count, options->conflict,
                                                       results, message, sizeof message);
        tutti_store_close(store);
    }
    if (status)
        fail("nothing was done: %s", message);
    else
        tally_add(tally, results, count);
    free(records);
    free(results);
    return status == TUTTI_SUCCESS;
}

/* ---- bundles ---- */

static bool takes_over(const struct view *view, const struct view *other, int conflict)
{
    return conflict == TUTTI_CONFLICT_REPLACE ||
           (conflict == TUTTI_CONFLICT_NEWER && view->info.finished > other->info.finished);
}

/* The place among those that are kept of a record with the same identity; their number if none. */
static size_t find_same(const struct view *const *kept, size_t count, const struct view *view)
{
    size_t i = 0;
    while (i < count && strcmp(kept[i]->id, view->id) != 0)
        i++;
    return i;
}

static const char **choose(const struct sources *sources, int conflict, struct tally *tally,
                           size_t *count)
{
    const struct view **kept = need(calloc(sources->count + 1, sizeof(struct view *)));
    const char **texts = need(calloc(sources->count + 1, sizeof(char *)));
    *count = 0;
    for (size_t i = 0; i < sources->count; i++) {
        const struct view *view = sources->records[i].view;
        if (!view)
            continue;
        const size_t place = find_same(kept, *count, view);
        const bool is_new = place == *count;
        tally->counts[is_new ? TUTTI_IMPORT_ADDED : TUTTI_IMPORT_KEPT]++;
        if (!is_new && !takes_over(view, kept[place], conflict))
            continue;
        kept[place] = view;
        *count += is_new;
    }
    for (size_t i = 0; i < *count; i++)
        texts[i] = tutti_record_json(kept[i]->record, NULL);
    free(kept);
    return texts;
}

char *gather_bundle(const struct sources *sources, const struct gather_options *options,
                    struct tally *tally, size_t *length)
{
    size_t count;
    const char **texts = choose(sources, options->conflict, tally, &count);
    char *bytes = bundle_write(texts, count, length);
    free(texts);
    return bytes;
}

void tally_print(const struct tally *tally, const char *what, const struct gather_options *options,
                 size_t skipped, bool json)
{
    const size_t *counts = tally->counts;
    size_t all = 0;
    for (size_t i = 0; i < 5; i++)
        all += counts[i];
    if (json) {
        print_json(json_pack(
            "{s:o, s:I, s:I, s:I, s:I, s:I, s:I, s:b}", "to", text_json(what), "records",
            (json_int_t)all, "added", (json_int_t)counts[TUTTI_IMPORT_ADDED], "replaced",
            (json_int_t)counts[TUTTI_IMPORT_REPLACED], "kept",
            (json_int_t)counts[TUTTI_IMPORT_KEPT], "same", (json_int_t)counts[TUTTI_IMPORT_SAME],
            "corrupt", (json_int_t)skipped, "dry_run", options->dry_run));
        return;
    }
    char *shown = printable(what);
    printf("%s%zu record%s into %s: %zu added, %zu replaced, %zu the same already, %zu gave way to "
           "another of their identity",
           options->dry_run ? "would put " : "", all, all == 1 ? "" : "s", shown,
           counts[TUTTI_IMPORT_ADDED], counts[TUTTI_IMPORT_REPLACED], counts[TUTTI_IMPORT_SAME],
           counts[TUTTI_IMPORT_KEPT]);
    if (skipped)
        printf("; %zu corrupt left out", skipped);
    putchar('\n');
    free(shown);
}
