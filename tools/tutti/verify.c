/* tutti verify: whether every record is whole, does not contradict itself and lies where it
 * belongs.
 */
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "find.h"
#include "print.h"

struct input {
    struct output_options output;
    const char **paths;
    size_t npaths;
};

static error_t parse(int key, char *text, struct argp_state *state)
{
    struct input *input = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &input->output;
        return 0;
    case ARGP_KEY_ARG:
        words_add(&input->paths, &input->npaths, text);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_child children[] = {{&output_argp, 0, NULL, 0}, {0}};

static const struct argp argp = {
    .parser = parse,
    .args_doc = "[FILE]...",
    .doc = "Check records: all of a store, or the files that are named."
           "\vEach record is judged as a tuned program judges it, which includes all that "
           "record.schema.json says: syntax, members and their types, ranges, that each "
           "configuration is what its index means, that the winner is one of them. In a store, it "
           "is also checked that each record lies where its identity belongs; elsewhere it is "
           "never found. Nothing is changed.\n\n"
           "Exit status: 0 all is well; 1 there is a finding; 2 wrong usage; 3 an error.",
    .children = children};

struct report {
    json_t *findings; /* {path, kind, reason} */
    size_t records;
    bool json;
};

static void add_finding(struct report *report, const char *path, const char *kind,
                        const char *reason)
{
    json_t *finding = need(json_pack("{s:o, s:s, s:o}", "path", text_json(path), "kind", kind,
                                     "reason", text_json(reason)));
    char *shown_path = printable(path), *shown_reason = printable(reason);
    if (!report->json)
        printf("%s: %s: %s\n", shown_path, kind, shown_reason);
    json_array_append_new(report->findings, finding);
    free(shown_path);
    free(shown_reason);
}

static void check_place(struct report *report, const tutti_store *store, const tutti_record *record,
                        const char *path)
{
    const size_t size = tutti_store_place(store, record, NULL, 0) + 1;
    char *place = need(malloc(size));
    tutti_store_place(store, record, place, size);
    if (strcmp(place, path) != 0) {
        char *reason = format("its identity belongs at %s", place);
        add_finding(report, path, "misplaced", reason);
        free(reason);
    }
    free(place);
}

/* store: NULL for a file that lies anywhere. */
static void check_record(struct report *report, const tutti_store *store, const char *path)
{
    char message[2048];
    tutti_record *record;
    const int status = tutti_record_read(path, &record, message, sizeof message);
    report->records++;
    if (status == TUTTI_ERR_MEMORY)
        need(NULL);
    if (status)
        add_finding(report, path, status == TUTTI_ERR_RECORD ? "corrupt" : "unreadable", message);
    else if (store)
        check_place(report, store, record, path);
    tutti_record_destroy(record);
}

static void check_entry(struct report *report, const tutti_store *store,
                        const tutti_store_entry *entry)
{
    if (entry->kind == TUTTI_ENTRY_RECORD)
        check_record(report, store, entry->path);
    if (entry->kind == TUTTI_ENTRY_IMPORT && entry->owner == TUTTI_OWNER_DEAD)
        add_finding(report, entry->path, "interrupted",
                    "an import that did not end; any other subcommand undoes it");
}

static bool check_store(struct report *report, const char *directory)
{
    char message[1024];
    tutti_store *store;
    const tutti_store_entry *entry;
    if (tutti_store_open(directory, &store, message, sizeof message) != TUTTI_SUCCESS) {
        fail("%s", message);
        return false;
    }
    for (size_t i = 0; (entry = tutti_store_entry_get(store, i)); i++)
        check_entry(report, store, entry);
    tutti_store_close(store);
    return true;
}

static int finish(struct report *report)
{
    const size_t count = json_array_size(report->findings);
    if (report->json)
        print_json(json_pack("{s:I, s:O}", "records", (json_int_t)report->records, "findings",
                             report->findings));
    else
        printf("%zu record%s, %zu finding%s\n", report->records, report->records == 1 ? "" : "s",
               count, count == 1 ? "" : "s");
    json_decref(report->findings);
    return count ? STATUS_FOUND : STATUS_OK;
}

static int run(int argc, char **argv)
{
    struct input input = {0};
    argp_parse(&argp, argc, argv, 0, NULL, &input);
    struct report report = {.findings = need(json_array()), .json = input.output.json};
    bool good = true;
    for (size_t i = 0; i < input.npaths; i++)
        check_record(&report, NULL, input.paths[i]);
    if (!input.npaths)
        good = check_store(&report, input.output.store);
    free(input.paths);
    const int status = finish(&report);
    return good ? status : STATUS_ERROR;
}

const struct command verify_command = {
    .name = "verify", .summary = "check records", .argp = &argp, .run = run};
