/* tutti import: records from bundles, folders and files into a store. */
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "find.h"
#include "gather.h"
#include "print.h"

struct input {
    struct output_options output;
    struct gather_options gather;
    const char **paths;
    size_t npaths;
};

static error_t parse(int key, char *text, struct argp_state *state)
{
    struct input *input = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &input->gather;
        state->child_inputs[1] = &input->output;
        return 0;
    case ARGP_KEY_ARG:
        words_add(&input->paths, &input->npaths, text);
        return 0;
    case ARGP_KEY_NO_ARGS:
        argp_error(state, "a bundle, a folder or a record is missing");
        return EINVAL;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_child children[] = {
    {&gather_argp, 0, NULL, 0}, {&output_argp, 0, NULL, 0}, {0}};

static const struct argp argp = {
    .parser = parse,
    .args_doc = "BUNDLE|FOLDER|FILE...",
    .doc =
        "Put records into a store: those of bundles that export wrote, of other stores, or "
        "single ones; - is a bundle on stdin."
        "\vAll of them or none: if one can't be read or written, or the command is killed, the "
        "store stays as it was. Records keep their bytes and go where their identity belongs.\n\n"
        "Exit status: 0; 2 wrong usage; 3 an error, and nothing was done.",
    .children = children};

static int import(const struct input *input)
{
    struct sources sources = {0};
    struct tally tally = {0};
    char message[1024];
    tutti_store *store;
    bool good = true;
    for (size_t i = 0; i < input->npaths && good; i++)
        good = sources_add(&sources, input->paths[i]);
    good = good && gather_check(&sources, &input->gather) &&
           gather_into_store(&sources, &input->gather, input->output.store, &tally);
    if (good && tutti_store_open(input->output.store, &store, message, sizeof message) == 0) {
        tally_print(&tally, tutti_store_directory(store), &input->gather, sources.unreadable,
                    input->output.json);
        tutti_store_close(store);
    }
    sources_release(&sources);
    return good ? STATUS_OK : STATUS_ERROR;
}

static int run(int argc, char **argv)
{
    struct input input = {0};
    argp_parse(&argp, argc, argv, 0, NULL, &input);
    const int status = import(&input);
    free(input.paths);
    return status;
}

const struct command import_command = {.name = "import",
                                       .summary = "put records into a store, all or none",
                                       .argp = &argp,
                                       .run = run};
