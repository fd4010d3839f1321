/* tutti run: starts a program with settings, also on other hosts. */
#include <errno.h>
#include <limits.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <tutti/settings.h>

#include "command.h"
#include "options.h"
#include "print.h"

extern char **environ;

enum { KEY_SET = 's', KEY_DRY = 'n', KEY_SETTING = 256 };

/* Options that stand for a setting; the option's key is KEY_SETTING and the place in this table. */
static const struct {
    const char *name, *value; /* value: of an option without an argument */
} shorthands[] = {{"TUTTI_MODE", NULL},      {"TUTTI_POLICY", NULL},
                  {"TUTTI_CACHE_DIR", NULL}, {"TUTTI_ALWAYS_TUNE", "true"},
                  {"TUTTI_STRICT", "true"},  {"TUTTI_LOG", NULL},
                  {"TUTTI_PROGRESS", NULL},  {"TUTTI_FORCE", NULL}};

static const struct argp_option options[] = {
    {"mode", KEY_SETTING, "MODE", 0, "TUTTI_MODE: tune, read-only, cache-only or off", 1},
    {"policy", KEY_SETTING + 1, "POLICY", 0, "TUTTI_POLICY: exhaustive, race, ...", 1},
    {"cache-dir", KEY_SETTING + 2, "DIR", 0, "TUTTI_CACHE_DIR: the directory of records", 1},
    {"always-tune", KEY_SETTING + 3, NULL, 0, "TUTTI_ALWAYS_TUNE: search even if there is a record",
     1},
    {"strict", KEY_SETTING + 4, NULL, 0, "TUTTI_STRICT: no records of other software", 1},
    {"log", KEY_SETTING + 5, "LEVEL", 0, "TUTTI_LOG: error, warn, info or debug", 1},
    {"progress", KEY_SETTING + 6, "DISPLAY", 0, "TUTTI_PROGRESS: auto, bar or lines", 1},
    {"force", KEY_SETTING + 7, "FUNCTION:KNOB=VALUE,...", 0,
     "TUTTI_FORCE: a configuration that runs, whatever was tuned", 1},
    {"set", KEY_SET, "NAME=VALUE", 0,
     "Any setting, with or without TUTTI_ at its beginning; repeatable", 1},
    {"dry-run", KEY_DRY, NULL, 0, "Only print the command line", 2},
    {0}};

struct input {
    bool dry_run;
    char **command; /* the rest of argv, NULL at the end */
};

/* ---- settings ---- */

struct wanted {
    const char *name;
    bool known;
    char *mistake;
};

static void visit_setting(const tutti_setting *setting, void *user)
{
    struct wanted *wanted = user;
    if (strcmp(setting->name, wanted->name) != 0)
        return;
    wanted->known = true;
    wanted->mistake = setting->mistake ? printable(setting->mistake) : NULL;
}

/* Sets a variable, or says why it can't be set. */
static void set_variable(struct argp_state *state, const char *name, const char *value)
{
    struct wanted wanted = {.name = name};
    if (setenv(name, value, 1) != 0)
        need(NULL);
    tutti_settings_each(visit_setting, &wanted, NULL, 0);
    if (!wanted.known)
        argp_error(state, "there is no setting %s; tutti settings lists them", name);
    if (wanted.mistake)
        argp_error(state, "%s", wanted.mistake);
}

static void set_any(struct argp_state *state, const char *text)
{
    const char *equals = strchr(text, '=');
    if (!equals || equals == text) {
        argp_error(state, "--set %s: NAME=VALUE is expected", text);
        return;
    }
    const bool whole = strncmp(text, "TUTTI_", 6) == 0;
    char *name = format("%s%.*s", whole ? "" : "TUTTI_", (int)(equals - text), text);
    for (char *at = name; *at; at++)
        *at = (char)(*at >= 'a' && *at <= 'z' ? *at - 'a' + 'A' : *at == '-' ? '_' : *at);
    set_variable(state, name, equals + 1);
    free(name);
}

static error_t parse(int key, char *text, struct argp_state *state)
{
    struct input *input = state->input;
    const int place = key - KEY_SETTING;
    if (place >= 0 && place < (int)(sizeof shorthands / sizeof *shorthands)) {
        set_variable(state, shorthands[place].name,
                     shorthands[place].value ? shorthands[place].value : text);
        return 0;
    }
    switch (key) {
    case KEY_SET:
        set_any(state, text);
        return 0;
    case KEY_DRY:
        input->dry_run = true;
        return 0;
    case ARGP_KEY_ARG:
        input->command = &state->argv[state->next - 1];
        state->next = state->argc;
        return 0;
    case ARGP_KEY_NO_ARGS:
        argp_error(state, "the command to run is missing");
        return EINVAL;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp argp = {
    .options = options,
    .parser = parse,
    .args_doc = "[--] COMMAND [ARGUMENT]...",
    .doc =
        "Run a command with settings in its environment: a program, or mpirun with one."
        "\vOpen MPI hands only OMPI_ variables to other hosts: where COMMAND is its launcher, -x "
        "NAME is added for each TUTTI_ variable, so that the root rank has them wherever it "
        "runs. Other launchers (MPICH's, srun) hand all variables on.\n\n"
        "Exit status: the command's; 2 wrong usage, such as a value that a setting can't have; 3 "
        "if the command can't be started."};

/* ---- launchers ---- */

static bool is_launcher(const char *path)
{
    static const char *const names[] = {"mpirun",  "mpiexec", "orterun",
                                        "prterun", "oshrun",  "shmemrun"};
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strncmp(name, names[i], strlen(names[i])) == 0)
            return true;
    return false;
}

/* What a program says to --version, the beginning of it. */
static void ask_version(char *program, char *text, size_t size)
{
    int ends[2];
    pid_t child;
    char option[] = "--version";
    char *const arguments[] = {program, option, NULL};
    posix_spawn_file_actions_t actions;
    *text = '\0';
    if (pipe(ends) != 0)
        return;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
    posix_spawn_file_actions_addclose(&actions, ends[0]);
    const bool started = posix_spawnp(&child, program, &actions, NULL, arguments, environ) == 0;
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    size_t length = 0;
    ssize_t count = 1;
    while (started && count > 0 && length + 1 < size) {
        count = read(ends[0], text + length, size - 1 - length);
        length += count > 0 ? (size_t)count : 0;
    }
    text[length] = '\0';
    close(ends[0]);
    if (started)
        waitpid(child, NULL, 0);
}

static bool is_open_mpi(char *program)
{
    char version[512];
    if (!is_launcher(program))
        return false;
    ask_version(program, version, sizeof version);
    return strstr(version, "Open MPI") || strstr(version, "OpenRTE") || strstr(version, "PRRTE") ||
           strstr(version, "prterun");
}

static size_t word_count(char *const *command)
{
    size_t count = 0;
    while (command[count])
        count++;
    return count;
}

/* Where the name of an environment's entry ends if it is one of ours; else NULL. A shell can't set
 * names of other characters. */
static const char *our_name_end(const char *entry)
{
    static const char allowed[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_";
    const char *end = entry + strspn(entry, allowed);
    return strncmp(entry, "TUTTI_", 6) == 0 && *end == '=' ? end : NULL;
}

/* The command with "-x NAME" for each of our variables, behind its first word: a new array. */
static char **with_exports(char **command)
{
    const size_t length = word_count(command), variables = word_count(environ);
    size_t at = 0;
    char **longer = need(calloc(length + 2 * variables + 1, sizeof *longer));
    longer[at++] = command[0];
    for (size_t i = 0; i < variables; i++) {
        const char *equals = our_name_end(environ[i]);
        if (!equals)
            continue;
        longer[at++] = format("-x");
        longer[at++] = format("%.*s", (int)(equals - environ[i]), environ[i]);
    }
    memcpy(longer + at, command + 1, (length - 1) * sizeof *longer);
    return longer;
}

static void print_command(char **command)
{
    for (size_t i = 0; environ[i]; i++) {
        const char *equals = our_name_end(environ[i]);
        if (!equals)
            continue;
        char *word = shell_word(equals + 1);
        printf("%.*s=%s ", (int)(equals - environ[i]), environ[i], word);
        free(word);
    }
    for (size_t i = 0; command[i]; i++) {
        char *word = shell_word(command[i]);
        printf("%s%s", word, command[i + 1] ? " " : "\n");
        free(word);
    }
}

static void release_exports(char **longer, char *const *command)
{
    const size_t added = word_count(longer) - word_count(command);
    for (size_t i = 1; i <= added; i++)
        free(longer[i]);
    free(longer);
}

static int start(char **command, bool dry_run)
{
    if (dry_run) {
        print_command(command);
        return STATUS_OK;
    }
    execvp(command[0], command);
    char *shown = printable(command[0]);
    fail("can't run %s: %s", shown, strerror(errno));
    free(shown);
    return STATUS_ERROR;
}

static int run(int argc, char **argv)
{
    struct input input = {0};
    argp_parse(&argp, argc, argv, ARGP_IN_ORDER, NULL, &input);
    if (!is_open_mpi(input.command[0]))
        return start(input.command, input.dry_run);
    char **command = with_exports(input.command);
    const int status = start(command, input.dry_run);
    release_exports(command, input.command);
    return status;
}

const struct command run_command = {
    .name = "run", .summary = "run a program with settings", .argp = &argp, .run = run};
