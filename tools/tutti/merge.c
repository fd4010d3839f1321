/* tutti merge: several sets of records become one. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "command.h"
#include "file.h"
#include "find.h"
#include "gather.h"
#include "print.h"

enum { KEY_OUTPUT = 'o', KEY_JSON = 'j' };

struct input {
    struct gather_options gather;
    bool json;
    const char *output;
    const char **paths;
    size_t npaths;
};

static error_t parse(int key, char *text, struct argp_state *state)
{
    struct input *input = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &input->gather;
        return 0;
    case KEY_OUTPUT:
        input->output = text;
        return 0;
    case KEY_JSON:
        input->json = true;
        return 0;
    case ARGP_KEY_ARG:
        words_add(&input->paths, &input->npaths, text);
        return 0;
    case ARGP_KEY_END:
        if (!input->output)
            argp_error(state, "--output is missing");
        if (!input->npaths)
            argp_error(state, "what to merge is missing");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option options[] = {
    {"output", KEY_OUTPUT, "PATH", 0,
     "Where to: a file becomes a bundle, a folder (one that is there, or with a / at its end) a "
     "store, into which is merged what it has already; - is a bundle on stdout",
     2},
    {"json", KEY_JSON, NULL, 0, "Say in JSON what was done", 8},
    {0}};

static const struct argp_child children[] = {{&gather_argp, 0, NULL, 0}, {0}};

static const struct argp argp = {
    .options = options,
    .parser = parse,
    .args_doc = "BUNDLE|FOLDER|FILE...",
    .doc = "Merge sets of records into one bundle or folder."
           "\vA folder can be shipped, and named in TUTTI_CACHE_PATH. All or none, as with import."
           "\n\nExit status: 0; 2 wrong usage; 3 an error, and nothing was done.",
    .children = children};

static bool write_bundle(const struct input *input, const struct sources *sources,
                         struct tally *tally)
{
    size_t length;
    char *why = NULL, *bytes = gather_bundle(sources, &input->gather, tally, &length);
    const bool good = input->gather.dry_run || file_write(input->output, bytes, length, &why);
    if (!good)
        fail("%s", why ? why : "can't write the output");
    free(bytes);
    free(why);
    return good;
}

static int merge(const struct input *input)
{
    struct sources sources = {0};
    struct tally tally = {0};
    bool good = true;
    for (size_t i = 0; i < input->npaths && good; i++)
        good = sources_add(&sources, input->paths[i]);
    good = good && gather_check(&sources, &input->gather) &&
           (is_folder_name(input->output)
                ? gather_into_store(&sources, &input->gather, input->output, &tally)
                : write_bundle(input, &sources, &tally));
    if (good && strcmp(input->output, "-") != 0)
        tally_print(&tally, input->output, &input->gather, sources.unreadable, input->json);
    sources_release(&sources);
    return good ? STATUS_OK : STATUS_ERROR;
}

static int run(int argc, char **argv)
{
    struct input input = {0};
    argp_parse(&argp, argc, argv, 0, NULL, &input);
    const int status = merge(&input);
    free(input.paths);
    return status;
}

const struct command merge_command = {
    .name = "merge", .summary = "several sets of records become one", .argp = &argp, .run = run};
