/* See options.h. */
#include "options.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "print.h"

enum { KEY_STORE = 's', KEY_JSON = 'j', KEY_KEY = 'k', KEY_MATCH = 'm', KEY_RANKS = 'r' };

void words_add(const char ***words, size_t *count, const char *word)
{
    *words = need(realloc(*words, (*count + 1) * sizeof **words));
    (*words)[(*count)++] = word;
}

void selection_release(struct selection *selection)
{
    free(selection->words);
    free(selection->keys);
    *selection = (struct selection){0};
}

int64_t number_option(struct argp_state *state, const char *option, const char *text, int64_t low,
                      int64_t high)
{
    char *end;
    errno = 0;
    const long long number = strtoll(text, &end, 10);
    if (errno || end == text || *end || number < low || number > high)
        argp_error(state, "%s %s: a whole number from %lld to %lld", option, text, (long long)low,
                   (long long)high);
    return number;
}

static error_t parse_output(int key, char *text, struct argp_state *state)
{
    struct output_options *options = state->input;
    switch (key) {
    case KEY_STORE:
        if (!*text)
            argp_error(state, "--store: the directory has no name");
        options->store = text;
        return 0;
    case KEY_JSON:
        options->json = true;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static error_t parse_selection(int key, char *text, struct argp_state *state)
{
    struct selection *selection = state->input;
    switch (key) {
    case KEY_KEY:
        if (!strchr(text, '='))
            argp_error(state, "--key %s: NAME=VALUE is expected", text);
        words_add(&selection->keys, &selection->nkeys, text);
        return 0;
    case KEY_MATCH:
        selection->match = text;
        return 0;
    case KEY_RANKS:
        selection->ranks = number_option(state, "--ranks", text, 1, INT_MAX);
        return 0;
    case ARGP_KEY_ARG:
        words_add(&selection->words, &selection->nwords, text);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option output_list[] = {
    {"store", KEY_STORE, "DIR", 0,
     "The directory of records. Without it: TUTTI_CACHE_DIR, else $XDG_CACHE_HOME/tutti, else "
     "~/.cache/tutti",
     8},
    {"json", KEY_JSON, NULL, 0, "Write JSON", 8},
    {0}};

static const struct argp_option selection_list[] = {
    {"key", KEY_KEY, "NAME=VALUE", 0, "Only where that field of the key has that value; repeatable",
     1},
    {"match", KEY_MATCH, "TEXT", 0, "Only where the key, as ls shows it, contains the text", 1},
    {"ranks", KEY_RANKS, "N", 0, "Only records of groups of N ranks", 1},
    {0}};

const struct argp output_argp = {.options = output_list, .parser = parse_output};
const struct argp selection_argp = {.options = selection_list, .parser = parse_selection};
