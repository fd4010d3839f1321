/* Options that subcommands share, as argp children: what each means stands here once. */
#ifndef OPTIONS_H
#define OPTIONS_H

#include <argp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* --store, --json */
struct output_options {
    const char *store; /* NULL: as the settings say */
    bool json;
};

/* Which records are meant: words, --key, --match, --ranks. */
struct selection {
    const char **words; /* functions (with wildcards), beginnings of record numbers, or files */
    size_t nwords;
    const char **keys; /* NAME=VALUE */
    size_t nkeys;
    const char *match;
    int64_t ranks; /* 0: any */
};

extern const struct argp output_argp;    /* input: struct output_options */
extern const struct argp selection_argp; /* input: struct selection; takes the words, too */

void selection_release(struct selection *selection);

/* Appends to a list of words. */
void words_add(const char ***words, size_t *count, const char *word);

/* A whole number from low to high, or a usage error that names the option. */
int64_t number_option(struct argp_state *state, const char *option, const char *text, int64_t low,
                      int64_t high);

#endif
