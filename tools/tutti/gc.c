/* tutti gc: takes out of a store what nobody will use any more. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "command.h"
#include "find.h"
#include "print.h"
#include "removal.h"

enum { KEY_AGE = 256, KEY_CORRUPT, KEY_HARDWARE, KEY_SOFTWARE };

#define DAY           (24 * 3600)
#define JOURNAL_AGE   (30 * DAY) /* as long as the library itself keeps one that nobody wants */
#define TEMPORARY_AGE DAY        /* a write takes milliseconds */

struct input {
    struct output_options output;
    struct selection selection;
    struct confirm_options confirm;
    int64_t age; /* seconds; -1: records of any age stay */
    bool corrupt, hardware, software;
};

/* "90d": seconds, or a usage error. */
static int64_t read_age(struct argp_state *state, const char *text)
{
    static const struct {
        const char *name;
        int64_t seconds;
    } units[] = {{"s", 1}, {"min", 60}, {"h", 3600}, {"d", DAY}, {"w", 7 * DAY}};
    char *end;
    const long long number = strtoll(text, &end, 10);
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (end > text && number >= 0 && number < 1000000 && strcmp(end, units[i].name) == 0)
            return number * units[i].seconds;
    argp_error(state, "--older-than %s: a number with s, min, h, d or w, such as 90d", text);
    return -1;
}

static error_t parse(int key, char *text, struct argp_state *state)
{
    struct input *input = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &input->selection;
        state->child_inputs[1] = &input->confirm;
        state->child_inputs[2] = &input->output;
        return 0;
    case KEY_AGE:
        input->age = read_age(state, text);
        return 0;
    case KEY_CORRUPT:
        input->corrupt = true;
        return 0;
    case KEY_HARDWARE:
        input->hardware = true;
        return 0;
    case KEY_SOFTWARE:
        input->software = true;
        return 0;
    case ARGP_KEY_END:
        confirm_check(&input->confirm, state);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option options[] = {
    {"older-than", KEY_AGE, "AGE", 0,
     "Also records whose search ended longer ago, such as 90d (s, min, h, d, w); and journals "
     "older "
     "than that, instead of 30d",
     2},
    {"other-hardware", KEY_HARDWARE, NULL, 0, "Also records of other machines than this one", 2},
    {"other-software", KEY_SOFTWARE, NULL, 0,
     "Also records that another version of tutti made, or one built with another compiler", 2},
    {"corrupt", KEY_CORRUPT, NULL, 0, "Also records that can't be read, of any function", 2},
    {0}};

static const struct argp_child children[] = {
    {&selection_argp, 0, NULL, 0}, {&confirm_argp, 0, NULL, 0}, {&output_argp, 0, NULL, 0}, {0}};

static const struct argp argp = {
    .options = options,
    .parser = parse,
    .args_doc = "[FUNCTION|RECORD]...",
    .doc = "Remove from a store what is of no more use: files of writers that died, and the "
           "journals of searches that nobody has resumed for 30 days. Records stay, unless an "
           "option says otherwise."
           "\vFUNCTION, RECORD and the filters narrow down which records the options are about. A "
           "journal lets an interrupted search resume, and knows what it did not survive. Journals "
           "and files whose process may live stay.\n\n"
           "Exit status: 0, also if there was nothing; 1 if the question was answered with no; 2 "
           "wrong usage; 3 an error.",
    .children = children};

/* Why a record goes, or NULL. */
static const char *record_reason(const struct input *input, const struct view *view)
{
    if (view->is_triton || !is_selected(view, &input->selection))
        return NULL;
    if (input->age >= 0 && time(NULL) - view->info.finished > input->age)
        return "old";
    if (input->hardware && !tutti_record_is_of_here(view->record, TUTTI_RECORD_HARDWARE, NULL, 0))
        return "other hardware";
    if (input->software &&
        !tutti_record_is_of_here(view->record, TUTTI_RECORD_ENVIRONMENT, NULL, 0))
        return "other software";
    return NULL;
}

static const char *litter_reason(const struct input *input, const tutti_store_entry *entry)
{
    const int64_t quiet = time(NULL) - entry->modified;
    const int64_t limit = input->age >= 0 ? input->age : JOURNAL_AGE;
    if (entry->owner == TUTTI_OWNER_LIVES)
        return NULL;
    if (entry->kind == TUTTI_ENTRY_TEMPORARY)
        return entry->owner == TUTTI_OWNER_DEAD || quiet > TEMPORARY_AGE ? "no writer is at it"
                                                                         : NULL;
    /* One of which it can't be told whether its process lives is at least not written to. */
    if (entry->kind == TUTTI_ENTRY_JOURNAL && quiet > limit &&
        (entry->owner != TUTTI_OWNER_UNKNOWN || quiet > DAY))
        return "a search that nobody resumed";
    return NULL;
}

static void consider(const struct input *input, struct removal *removal, size_t index,
                     const tutti_store_entry *entry)
{
    char *why = NULL;
    if (entry->kind != TUTTI_ENTRY_RECORD) {
        const char *reason = litter_reason(input, entry);
        if (reason)
            removal_add(removal, index, printable(entry->path), reason);
        return;
    }
    struct view *view = view_read(entry->path, &why);
    const char *reason = view ? record_reason(input, view) : input->corrupt ? "corrupt" : NULL;
    if (reason)
        removal_add(removal, index, printable(entry->path), reason);
    free(why);
    view_release(view);
}

static int collect(const struct input *input)
{
    struct removal removal = {0};
    const tutti_store_entry *entry;
    tutti_store *store = open_store(input->output.store);
    if (!store)
        return STATUS_ERROR;
    for (size_t i = 0; (entry = tutti_store_entry_get(store, i)); i++)
        consider(input, &removal, i, entry);
    const int status = removal_do(&removal, store, &input->confirm, input->output.json);
    removal_release(&removal);
    tutti_store_close(store);
    return status;
}

static int run(int argc, char **argv)
{
    struct input input = {.age = -1};
    argp_parse(&argp, argc, argv, 0, NULL, &input);
    const int status = collect(&input);
    selection_release(&input.selection);
    return status;
}

const struct command gc_command = {
    .name = "gc", .summary = "remove what is of no more use", .argp = &argp, .run = run};
