/* See confirm.h. */
#include "confirm.h"

#include <stdio.h>
#include <unistd.h>

enum { KEY_YES = 'y', KEY_DRY = 'n' };

static error_t parse(int key, char *text, struct argp_state *state)
{
    struct confirm_options *options = state->input;
    (void)text;
    switch (key) {
    case KEY_YES:
        options->yes = true;
        return 0;
    case KEY_DRY:
        options->dry_run = true;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option list[] = {
    {"yes", KEY_YES, NULL, 0, "Remove without asking; needed where there is no terminal to ask on",
     4},
    {"dry-run", KEY_DRY, NULL, 0, "Only say what would be removed", 4},
    {0}};

const struct argp confirm_argp = {.options = list, .parser = parse};

void confirm_check(const struct confirm_options *options, struct argp_state *state)
{
    if (!options->yes && !options->dry_run && !isatty(STDIN_FILENO))
        argp_error(state, "there is no terminal to ask on: say --yes, or --dry-run");
}

bool confirm(const struct confirm_options *options, size_t count)
{
    if (options->yes || options->dry_run)
        return true;
    fprintf(stderr, "Remove %s? [y/N] ", count == 1 ? "it" : "these");
    const int answer = getchar();
    return answer == 'y' || answer == 'Y';
}
