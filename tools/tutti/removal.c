/* See removal.h. */
#include "removal.h"

#include <stdlib.h>

#include "command.h"
#include "print.h"
#include "table.h"

void removal_add(struct removal *removal, size_t index, char *what, const char *reason)
{
    removal->items = need(realloc(removal->items, (removal->count + 1) * sizeof *removal->items));
    removal->items[removal->count++] =
        (struct removal_item){.index = index, .what = what, .reason = reason};
}

static void show(const struct removal *removal)
{
    struct table *table = table_new(2);
    for (size_t i = 0; i < removal->count; i++) {
        table_add(table, format("%s", removal->items[i].what));
        table_add(table, format("%s", removal->items[i].reason));
    }
    table_print(table, "", false);
}

static size_t remove_all(const struct removal *removal, tutti_store *store)
{
    size_t removed = 0;
    for (size_t i = 0; i < removal->count; i++) {
        char message[1024];
        if (tutti_store_remove(store, removal->items[i].index, message, sizeof message) == 0)
            removed++;
        else
            fail("%s", message);
    }
    return removed;
}

static void tell(const struct removal *removal, const tutti_store *store, size_t removed,
                 const struct confirm_options *options, bool json)
{
    if (!json) {
        printf("%zu file%s %s\n", removed, removed == 1 ? "" : "s",
               options->dry_run ? "would be removed" : "removed");
        return;
    }
    json_t *list = need(json_array());
    for (size_t i = 0; i < removal->count; i++) {
        const tutti_store_entry *entry = tutti_store_entry_get(store, removal->items[i].index);
        json_array_append_new(list, json_pack("{s:o, s:s}", "path", text_json(entry->path),
                                              "reason", removal->items[i].reason));
    }
    print_json(json_pack("{s:o, s:I, s:b}", "files", list, "removed",
                         (json_int_t)(options->dry_run ? 0 : removed), "dry_run",
                         options->dry_run));
}

int removal_do(const struct removal *removal, tutti_store *store,
               const struct confirm_options *options, bool json)
{
    if (!json && removal->count)
        show(removal);
    if (removal->count && !confirm(options, removal->count)) {
        fail("nothing was removed");
        return STATUS_FOUND;
    }
    const size_t removed = options->dry_run ? removal->count : remove_all(removal, store);
    tell(removal, store, removed, options, json);
    return removed == removal->count ? STATUS_OK : STATUS_ERROR;
}

void removal_release(struct removal *removal)
{
    for (size_t i = 0; i < removal->count; i++)
        free(removal->items[i].what);
    free(removal->items);
    *removal = (struct removal){0};
}
