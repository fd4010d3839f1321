/* Settings for people: visited one by one, printed, and documented. */
#include <string.h>

#include <tutti/error.h>

#include "settings_source.h"
#include "settings_value.h"

/* What one visit needs memory for. */
struct view {
    struct text origin, mistake, allowed;
};

static void view_release(struct view *view)
{
    text_release(&view->origin);
    text_release(&view->mistake);
    text_release(&view->allowed);
}

static void add_origin(const struct saying *saying, const struct setting *setting,
                       struct text *origin)
{
    if (!saying->value)
        text_add(origin, "%s", setting->program ? "program" : "default");
    else if (saying->path)
        text_add(origin, "%s %s:%d", saying->whose, saying->path, saying->line);
    else if (saying->name != setting->name)
        text_add(origin, "environment (%s)", saying->name);
    else
        text_add(origin, "environment");
}

/* A path is shown as it was resolved; other values as they were written. */
static const char *shown_value(const struct saying *saying, const struct setting *setting,
                               const struct settings *settings, bool refused)
{
    const bool path = setting->kind == SETTING_DIRECTORY || setting->kind == SETTING_PATH ||
                      setting->kind == SETTING_FILE;
    if (refused)
        return saying->value;
    if (path)
        return (const char *)settings + setting->offset;
    if (saying->value)
        return saying->value;
    return setting->standard && !setting->program ? setting->standard : "";
}

static int visit_one(const struct sources *sources, const struct settings *settings, int index,
                     tutti_setting_fn visit, void *user)
{
    const struct setting *setting = &settings_table[index];
    const struct saying saying = sources_say(sources, index);
    struct settings ignored = *settings;
    struct view view = {0};
    const bool refused =
        saying.value && !value_read(setting, saying.value, saying.path != NULL, &ignored);
    add_origin(&saying, setting, &view.origin);
    value_add_allowed(setting, &view.allowed);
    if (refused)
        sources_add_refusal(&saying, index, &view.mistake);
    const bool failed = view.origin.failed || view.allowed.failed || view.mistake.failed;
    if (!failed)
        visit(
            &(tutti_setting){.name = setting->name,
                             .alias = setting->alias,
                             .value = shown_value(&saying, setting, settings, refused),
                             .origin = view.origin.bytes,
                             .mistake = view.mistake.bytes,
                             .standard = setting->standard ? setting->standard : setting->otherwise,
                             .allowed = view.allowed.bytes,
                             .help = setting->help},
            user);
    view_release(&view);
    return failed ? TUTTI_ERR_MEMORY : TUTTI_SUCCESS;
}

int tutti_settings_each(tutti_setting_fn visit, void *user, char *message, size_t message_size)
{
    if (!visit || (message_size > 0 && !message))
        return TUTTI_ERR_ARGUMENT;
    struct settings settings;
    struct sources sources;
    struct text why = {0}, warnings = {0};
    sources_open(&sources, &warnings);
    int error = sources_settle(&sources, &settings, &why, &warnings);
    for (int i = 0; i < SETTINGS_COUNT && error != TUTTI_ERR_MEMORY; i++) {
        const int failed = visit_one(&sources, &settings, i, visit, user);
        error = failed ? failed : error;
    }
    if (message_size > 0)
        snprintf(message, message_size, "%s", warnings.bytes ? warnings.bytes : "");
    sources_release(&sources);
    text_release(&why);
    text_release(&warnings);
    return error;
}

static void print_escaped(FILE *stream, const char *text)
{
    for (; *text; text++) {
        const unsigned char byte = (unsigned char)*text;
        if (byte < 0x20 || byte == '\\')
            fprintf(stream, "\\x%02x", byte);
        else
            fputc(byte, stream);
    }
}

static void print_one(const tutti_setting *setting, void *stream)
{
    fprintf(stream, "%s\t", setting->name);
    print_escaped(stream, setting->value);
    fputc('\t', stream);
    print_escaped(stream, setting->origin);
    fputc('\n', stream);
}

int tutti_settings_print(FILE *stream)
{
    return stream ? tutti_settings_each(print_one, stream, NULL, 0) : TUTTI_ERR_ARGUMENT;
}

static void document_setting(FILE *stream, const struct setting *setting)
{
    struct text allowed = {0};
    value_add_allowed(setting, &allowed);
    fprintf(stream, "\n## %s\n\n%s\n\n", setting->name, setting->help);
    fprintf(stream, "- Allowed: %s\n", allowed.failed ? "" : allowed.bytes);
    if (setting->standard)
        fprintf(stream, "- Default: `%s`\n", setting->standard);
    else
        fprintf(stream, "- Default: %s\n", setting->otherwise);
    if (setting->alias)
        fprintf(stream, "- In the environment also read as: `%s`\n", setting->alias);
    text_release(&allowed);
}

void settings_document(FILE *stream)
{
    fputs(
        "# Settings\n\n"
        "How tutti works is set from outside the program, by environment variables and two files.\n"
        "This page is made from the table in `src/settings_table.c`; a test compares the two.\n\n"
        "The first of these that says something about a setting holds:\n\n"
        "1. the environment variable of that name;\n"
        "2. the user's file, `$XDG_CONFIG_HOME/tutti/settings`, else `~/.config/tutti/settings`;\n"
        "3. the site's file, `tutti.conf` in the directory that the build was given as\n"
        "   `CMAKE_INSTALL_SYSCONFDIR` (`TUTTI_SITE_FILE` names another);\n"
        "4. the program, in `tutti_tuner_desc`, for settings whose default says so; else the\n"
        "   default.\n\n"
        "The root of a group, its rank 0, reads them at the group's first call and hands them to\n"
        "the other ranks, which read no file. A variable that is set otherwise on another rank "
        "has\n"
        "no effect, and one warning names it. A value that is not allowed fails the call, on "
        "every\n"
        "rank, with `TUTTI_ERR_SETTING`, and a sentence that names the variable or the file and\n"
        "line, the value and what is allowed. An empty value counts as unset. A name that is\n"
        "unknown is a warning, in the environment if it begins with `TUTTI_`. A setting that\n"
        "another program's variable gives, too, is taken from tutti's own variable if both are\n"
        "set.\n\n"
        "`tutti_settings_print` writes each setting with its value and who says so;\n"
        "`tutti_settings_each` hands them to the program (`tutti/settings.h`).\n\n"
        "## Files\n\n"
        "    # for everybody on this machine\n"
        "    TUTTI_CACHE_PATH = /opt/tutti/records\n"
        "    TUTTI_STALL_TIMEOUT = 600\n\n"
        "A line is a name, `=` and a value; blanks around them, and a carriage return at the end,\n"
        "don't count. A line that begins with `#` is a comment. The value goes to the end of the\n"
        "line: there is no quoting, no `~` and no `$NAME`, and paths must be absolute. If a name\n"
        "stands twice, the last one holds, with a warning. A line without `=` is passed over with\n"
        "a warning. A file that can't be read, is longer than 65536 bytes, holds a byte of value "
        "0,\n"
        "or is not a regular file says nothing, with one warning; a file that is not there says\n"
        "nothing. The site's file sets defaults: it forbids nothing.\n",
        stream);
    for (int i = 0; i < SETTINGS_COUNT; i++)
        document_setting(stream, &settings_table[i]);
}
