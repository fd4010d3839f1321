/* tutti settings: each setting, its value, and who says so. */
#include <stdlib.h>
#include <string.h>

#include <tutti/error.h>
#include <tutti/settings.h>

#include "command.h"
#include "options.h"
#include "print.h"
#include "table.h"

enum { KEY_LONG = 'l' };

struct input {
    struct output_options output;
    bool verbose;
    const char **names;
    size_t nnames;
};

static error_t parse(int key, char *text, struct argp_state *state)
{
    struct input *input = state->input;
    switch (key) {
    case KEY_LONG:
        input->verbose = true;
        return 0;
    case 'j':
        input->output.json = true;
        return 0;
    case ARGP_KEY_ARG:
        words_add(&input->names, &input->nnames, text);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option options[] = {
    {"long", KEY_LONG, NULL, 0, "Also say what each is for, its default and what is allowed", 1},
    {"json", 'j', NULL, 0, "Write JSON", 8},
    {0}};

static const struct argp argp = {
    .options = options,
    .parser = parse,
    .args_doc = "[NAME]...",
    .doc = "Show the settings as a program started here would take them: the value that holds, and "
           "who says so: a default, the program, the environment, the user's file or the site's."
           "\vNAME may do without the TUTTI_ at its beginning, and is then in any case.\n\n"
           "Exit status: 0; 1 if a value is refused, or a name is unknown; 2 wrong usage; 3 an "
           "error.",
};

/* What a visit needs. */
struct visit {
    const struct input *input;
    struct table *table;
    json_t *list;
    size_t shown, refused;
};

static bool is_meant(const struct input *input, const char *name)
{
    bool meant = input->nnames == 0;
    for (size_t i = 0; i < input->nnames && !meant; i++)
        meant = strcmp(input->names[i], name) == 0 || strcasecmp(input->names[i], name + 6) == 0;
    return meant;
}

static json_t *setting_json(const tutti_setting *setting)
{
    return need(json_pack("{s:s, s:o, s:o, s:o, s:s?, s:s, s:s, s:s}", "name", setting->name,
                          "value", text_json(setting->value), "origin", text_json(setting->origin),
                          "mistake", setting->mistake ? text_json(setting->mistake) : json_null(),
                          "alias", setting->alias, "default", setting->standard, "allowed",
                          setting->allowed, "help", setting->help));
}

static void print_long(const tutti_setting *setting)
{
    char *value = printable(setting->value), *origin = printable(setting->origin);
    printf("%s = %s\n  from: %s\n  default: %s\n  allowed: %s\n  %s\n\n", setting->name, value,
           origin, setting->standard, setting->allowed, setting->help);
    free(value);
    free(origin);
}

static void visit_setting(const tutti_setting *setting, void *user)
{
    struct visit *visit = user;
    if (!is_meant(visit->input, setting->name))
        return;
    visit->shown++;
    visit->refused += setting->mistake != NULL;
    if (setting->mistake) {
        char *mistake = printable(setting->mistake);
        fail("%s", mistake);
        free(mistake);
    }
    if (visit->input->output.json) {
        json_array_append_new(visit->list, setting_json(setting));
    } else if (visit->input->verbose) {
        print_long(setting);
    } else {
        table_add(visit->table, format("%s", setting->name));
        table_add(visit->table, printable(*setting->value ? setting->value : "-"));
        table_add(visit->table, printable(setting->origin));
    }
}

/* Takes the warnings apart into lines. */
static void say_warnings(char *warnings)
{
    char *rest = NULL;
    for (char *line = strtok_r(warnings, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        char *shown = printable(line);
        fail("%s", shown);
        free(shown);
    }
}

static int show(const struct input *input)
{
    char warnings[8192];
    struct visit visit = {.input = input, .table = table_new(3), .list = need(json_array())};
    table_add(visit.table, format("NAME"));
    table_add(visit.table, format("VALUE"));
    table_add(visit.table, format("FROM"));
    const int status = tutti_settings_each(visit_setting, &visit, warnings, sizeof warnings);
    say_warnings(warnings);
    if (status == TUTTI_ERR_MEMORY)
        need(NULL);
    if (input->output.json)
        print_json(json_incref(visit.list));
    const bool any = !input->output.json && !input->verbose && visit.shown;
    if (any)
        table_print(visit.table, "", true);
    else
        table_release(visit.table);
    json_decref(visit.list);
    if (visit.shown < input->nnames)
        fail("there is no setting of %s", input->nnames == 1 ? "this name" : "one of these names");
    return visit.refused || visit.shown < input->nnames ? STATUS_FOUND : STATUS_OK;
}

static int run(int argc, char **argv)
{
    struct input input = {0};
    argp_parse(&argp, argc, argv, 0, NULL, &input);
    const int status = show(&input);
    free(input.names);
    return status;
}

const struct command settings_command = {
    .name = "settings", .summary = "each setting, and who says so", .argp = &argp, .run = run};
