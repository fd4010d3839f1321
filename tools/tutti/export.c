/* tutti export: records as a bundle, a folder, a list of winners, or the auto-tuning community's T4
 * format. */
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "file.h"
#include "find.h"
#include "formats.h"
#include "gather.h"
#include "print.h"

enum { KEY_OUTPUT = 'o', KEY_FORMAT = 'f' };
enum { FORMAT_BUNDLE, FORMAT_FOLDER, FORMAT_MANIFEST, FORMAT_T4 };

static const char *const formats[] = {"bundle", "folder", "manifest", "t4", NULL};

struct input {
    struct output_options output;
    struct selection selection;
    struct gather_options gather;
    const char *path;
    int format; /* -1: as the output says */
};

static int read_format(struct argp_state *state, const char *text)
{
    for (int i = 0; formats[i]; i++)
        if (strcmp(formats[i], text) == 0)
            return i;
    argp_error(state, "--format %s: bundle, folder, manifest or t4", text);
    return 0;
}

static void check(const struct input *input, struct argp_state *state)
{
    if (!input->path)
        argp_error(state, "--output is missing");
    if (input->format == FORMAT_FOLDER && strcmp(input->path, "-") == 0)
        argp_error(state, "a folder can't go to stdout");
}

static error_t parse(int key, char *text, struct argp_state *state)
{
    struct input *input = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &input->selection;
        state->child_inputs[1] = &input->gather;
        state->child_inputs[2] = &input->output;
        return 0;
    case KEY_OUTPUT:
        input->path = text;
        return 0;
    case KEY_FORMAT:
        input->format = read_format(state, text);
        return 0;
    case ARGP_KEY_END:
        check(input, state);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option options[] = {
    {"output", KEY_OUTPUT, "PATH", 0, "Where to; - is stdout", 2},
    {"format", KEY_FORMAT, "FORMAT", 0,
     "bundle: one file for import; folder: a store, which can be shipped and named in "
     "TUTTI_CACHE_PATH; manifest: a JSON list of the winners; t4: the results format of the "
     "auto-tuning community, for one record. Default: folder if PATH is one or ends in /, else "
     "bundle",
     2},
    {0}};

static const struct argp_child children[] = {
    {&selection_argp, 0, NULL, 0}, {&gather_argp, 0, NULL, 0}, {&output_argp, 0, NULL, 0}, {0}};

static const struct argp argp = {
    .options = options,
    .parser = parse,
    .args_doc = "[FUNCTION|RECORD|FILE]...",
    .doc = "Write records to a file or folder: all of a store, or those that are meant."
           "\vWith --json it says in JSON what was done. Records of Triton-distributed can go into "
           "a manifest or a t4 file.\n\n"
           "Exit status: 0; 1 if no record is meant, or for t4 more than one; 2 wrong usage; 3 an "
           "error, and nothing was done.",
    .children = children};

/* Hands the views over. */
static void take_views(struct found *found, struct sources *sources)
{
    for (size_t i = 0; i < found->count; i++)
        sources_add_view(sources, found->views[i]);
    found->count = 0;
}

/* Takes the text. */
static bool write_text(const struct input *input, char *bytes, size_t length)
{
    char *why = NULL;
    const bool good = input->gather.dry_run || file_write(input->path, bytes, length, &why);
    if (!good)
        fail("%s", why ? why : "can't write the output");
    free(bytes);
    free(why);
    return good;
}

static bool write_sources(const struct input *input, const struct sources *sources,
                          struct tally *tally)
{
    size_t length;
    if (!gather_check(sources, &input->gather))
        return false;
    if (input->format == FORMAT_FOLDER)
        return gather_into_store(sources, &input->gather, input->path, tally);
    char *bytes = gather_bundle(sources, &input->gather, tally, &length);
    return write_text(input, bytes, length);
}

static int export_sources(const struct input *input, struct found *found)
{
    struct sources sources = {0};
    struct tally tally = {0};
    take_views(found, &sources);
    const bool good = write_sources(input, &sources, &tally);
    if (good && strcmp(input->path, "-") != 0)
        tally_print(&tally, input->path, &input->gather, found->nunreadable, input->output.json);
    sources_release(&sources);
    return good ? STATUS_OK : STATUS_ERROR;
}

static int export_json(const struct input *input, const struct found *found)
{
    size_t length;
    const struct view *only = input->format == FORMAT_T4 ? find_only(found) : NULL;
    struct tally tally = {.counts = {[TUTTI_IMPORT_ADDED] = only ? 1 : found->count}};
    if (input->format == FORMAT_T4 && !only)
        return STATUS_FOUND;
    json_t *value = only ? t4_json(only) : manifest_json(found->views, found->count);
    char *bytes = json_file_text(value, &length);
    if (!write_text(input, bytes, length))
        return STATUS_ERROR;
    if (strcmp(input->path, "-") != 0)
        tally_print(&tally, input->path, &input->gather, found->nunreadable, input->output.json);
    return STATUS_OK;
}

static int export(const struct input *input, struct found *found)
{
    if (!found->count) {
        say_nothing_found(found);
        return STATUS_FOUND;
    }
    if (found->nunreadable && !input->gather.skip_corrupt) {
        fail("nothing was done: %zu of the records can't be read (--skip-corrupt leaves them out)",
             found->nunreadable);
        return STATUS_ERROR;
    }
    if (input->format == FORMAT_MANIFEST || input->format == FORMAT_T4)
        return export_json(input, found);
    return export_sources(input, found);
}

static int run(int argc, char **argv)
{
    struct input input = {.format = -1};
    struct found found;
    argp_parse(&argp, argc, argv, 0, NULL, &input);
    if (input.format < 0)
        input.format = is_folder_name(input.path) ? FORMAT_FOLDER : FORMAT_BUNDLE;
    int status = STATUS_ERROR;
    if (find_records(input.output.store, &input.selection, true, &found))
        status = export(&input, &found);
    found_release(&found);
    selection_release(&input.selection);
    return status;
}

const struct command export_command = {
    .name = "export", .summary = "write records to a file or folder", .argp = &argp, .run = run};
