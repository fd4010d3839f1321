/* See settings_source.h. */
#include "settings_source.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <tutti/error.h>

#include "settings_name.h"
#include "settings_value.h"

/* NULL if it is not set. An empty value counts as unset: scripts can't always unset what they
 * inherit. */
static const char *variable_value(const char *name)
{
    const char *value = name ? getenv(name) : NULL;
    return value && *value ? value : NULL;
}

/* A path below the directory that an environment variable names, else below one in the home: as
 * the XDG base directory specification says, relative paths don't count. False: there is none. */
static bool find_home_path(char path[SETTINGS_PATH_SIZE], const char *variable, const char *below,
                           const char *otherwise)
{
    const char *folder = variable_value(variable);
    const char *home = variable_value("HOME");
    if (folder && folder[0] == '/')
        return value_join_path(path, folder, below);
    return home && home[0] == '/' && value_join_path(path, home, otherwise);
}

static void find_site_file(char path[SETTINGS_PATH_SIZE])
{
    struct settings settings;
    const int index = name_index(SETTINGS_SITE_VARIABLE, strlen(SETTINGS_SITE_VARIABLE));
    const char *value = variable_value(SETTINGS_SITE_VARIABLE);
    settings_defaults(&settings);
    if (value)
        value_read(&settings_table[index], value, false, &settings);
    memcpy(path, settings.site_file, SETTINGS_PATH_SIZE);
}

void sources_open(struct sources *sources, struct text *warnings)
{
    memset(sources, 0, sizeof *sources);
    if (find_home_path(sources->user_path, "XDG_CONFIG_HOME", "tutti/settings",
                       ".config/tutti/settings"))
        settings_file_read(&sources->user, sources->user_path, warnings);
    find_site_file(sources->site_path);
    settings_file_read(&sources->site, sources->site_path, warnings);
}

void sources_release(struct sources *sources)
{
    settings_file_release(&sources->user);
    settings_file_release(&sources->site);
}

static struct saying environment_says(const struct setting *setting)
{
    struct saying saying = {.value = variable_value(setting->name), .name = setting->name};
    if (!saying.value && variable_value(setting->alias))
        saying = (struct saying){.value = variable_value(setting->alias), .name = setting->alias};
    return saying;
}

struct saying sources_say(const struct sources *sources, int index)
{
    struct saying saying = environment_says(&settings_table[index]);
    if (saying.value)
        return saying;
    if (sources->user.values[index])
        return (struct saying){.value = sources->user.values[index],
                               .name = saying.name,
                               .whose = "user's file",
                               .path = sources->user_path,
                               .line = sources->user.lines[index]};
    if (sources->site.values[index])
        return (struct saying){.value = sources->site.values[index],
                               .name = saying.name,
                               .whose = "site's file",
                               .path = sources->site_path,
                               .line = sources->site.lines[index]};
    return saying;
}

void sources_add_refusal(const struct saying *saying, int index, struct text *why)
{
    if (saying->path)
        text_add(why, "%s:%d: ", saying->path, saying->line);
    text_add(why, "%s=\"%.100s\" is not allowed: it must be ", saying->name, saying->value);
    value_add_allowed(&settings_table[index], why);
}

static void warn_of_alias(const struct setting *setting, struct text *warnings)
{
    const char *own = variable_value(setting->name);
    const char *other = variable_value(setting->alias);
    if (own && other && strcmp(own, other) != 0) {
        text_add(warnings, "%s is \"%.100s\" and %s is \"%.100s\": %s holds\n", setting->name, own,
                 setting->alias, other, setting->name);
    }
}

static void warn_of_unknown(struct text *warnings)
{
    for (char **entry = environ; entry && *entry; entry++) {
        const char *end = strchr(*entry, '=');
        if (strncmp(*entry, "TUTTI_", 6) != 0 || !end)
            continue;
        const size_t length = (size_t)(end - *entry);
        if (name_index(*entry, length) >= 0)
            continue;
        const char *nearest = name_nearest(*entry, length);
        text_add(warnings, "the environment variable %.*s is unknown%s%s%s\n",
                 length < 100 ? (int)length : 100, *entry, nearest ? "; did you mean " : "",
                 nearest ? nearest : "", nearest ? "?" : "");
    }
}

int sources_settle(const struct sources *sources, struct settings *settings, struct text *why,
                   struct text *warnings)
{
    int error = TUTTI_SUCCESS;
    settings_defaults(settings);
    for (int i = 0; i < SETTINGS_COUNT; i++) {
        const struct saying saying = sources_say(sources, i);
        warn_of_alias(&settings_table[i], warnings);
        if (!saying.value ||
            value_read(&settings_table[i], saying.value, saying.path != NULL, settings))
            continue;
        text_add(why, "%s", error ? "; " : "");
        sources_add_refusal(&saying, i, why);
        error = TUTTI_ERR_SETTING;
    }
    warn_of_unknown(warnings);
    if (!settings->cache_dir[0] &&
        !find_home_path(settings->cache_dir, "XDG_CACHE_HOME", "tutti", ".cache/tutti") &&
        settings->mode != MODE_OFF) {
        text_add(warnings, "nothing is stored: none of TUTTI_CACHE_DIR, XDG_CACHE_HOME and HOME "
                           "gives a place for it\n");
    }
    return error;
}
