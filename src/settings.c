/* See settings.h. */
#include "settings.h"

#include <stdio.h>
#include <string.h>

#include <xxhash.h>

#include <tutti/error.h>

#include "settings_source.h"
#include "settings_value.h"

void settings_defaults(struct settings *settings)
{
    memset(settings, 0, sizeof *settings); /* padding too: it is broadcast as bytes */
    settings->policy = SETTINGS_UNSET;
    settings->aggregation = SETTINGS_UNSET;
    settings->budget_calls = SETTINGS_UNSET;
    settings->warmups = SETTINGS_UNSET;
    settings->samples = SETTINGS_UNSET;
    snprintf(settings->site_file, sizeof settings->site_file, "%s", SETTINGS_SITE_FILE);
    for (int i = 0; i < SETTINGS_COUNT; i++)
        if (settings_table[i].standard)
            value_read(&settings_table[i], settings_table[i].standard, false, settings);
}

int settings_read(struct settings *settings, struct text *why, struct text *warnings)
{
    struct sources sources;
    sources_open(&sources, warnings);
    const int error = sources_settle(&sources, settings, why, warnings);
    sources_release(&sources);
    return error;
}

void settings_read_environment(struct settings *settings)
{
    static const struct sources no_files;
    struct text why = {0}, warnings = {0};
    sources_settle(&no_files, settings, &why, &warnings);
    text_release(&why);
    text_release(&warnings);
}

const char *settings_variable(int index)
{
    return settings_table[index].name;
}

void settings_fingerprint(uint64_t words[SETTINGS_COUNT])
{
    static const struct sources no_files;
    for (int i = 0; i < SETTINGS_COUNT; i++) {
        const char *value = sources_say(&no_files, i).value;
        words[i] = value ? XXH3_64bits(value, strlen(value)) | 1 : 0; /* | 1: set is never 0 */
    }
}
