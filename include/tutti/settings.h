/*
 * Settings: how tutti works, as set from outside the program. docs/settings.md lists them.
 *
 * The first of these that says something about a setting holds: the environment, the user's file
 * ($XDG_CONFIG_HOME/tutti/settings, else ~/.config/tutti/settings), the site's file (tutti.conf,
 * where the build was told to expect it, or TUTTI_SITE_FILE). What none of them says is the
 * program's choice (tutti_tuner_desc) for some settings, and a default for the others.
 *
 * A group takes its settings from its root at its first call. The functions here read again what
 * this process would take: they are for showing settings, and change nothing. All are local.
 */
#ifndef TUTTI_SETTINGS_H
#define TUTTI_SETTINGS_H

#include <stddef.h>
#include <stdio.h>

#include <tutti/export.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One setting. All text is UTF-8 as far as its sources are, and is the library's. */
typedef struct tutti_setting {
    const char *name;     /* of the environment variable, and in files */
    const char *alias;    /* another variable that is read, too; NULL if there is none */
    const char *value;    /* what holds, as it would be written; "" if nothing is set; what was
                             written if it is refused. Paths are absolute */
    const char *origin;   /* who says so: "default"; "program" (nobody else: what tutti_tuner_desc
                             says holds); "environment", "environment (ALIAS)"; "user's file
                             PATH:LINE", "site's file PATH:LINE" */
    const char *mistake;  /* NULL, or the sentence by which calls refuse the value */
    const char *standard; /* the default: a value, or in words what happens without one */
    const char *allowed;  /* what a value may be, in words */
    const char *help;     /* what it does, in Markdown */
} tutti_setting;

/* What tutti_settings_each calls: setting, and all that it points to, is valid until it returns. */
typedef void (*tutti_setting_fn)(const tutti_setting *setting, void *user);

/*
 * Visits every setting, in the order of the documentation. user is handed to visit. message, of
 * message_size bytes, gets the warnings about the environment and the files (unknown names,
 * unreadable files), a line each, or ""; NULL and 0 if they are not wanted.
 *
 * Errors: TUTTI_ERR_SETTING (after all were visited: the value of one is refused),
 * TUTTI_ERR_ARGUMENT, TUTTI_ERR_MEMORY (a setting could not be described, and those after it are
 * not visited).
 */
TUTTI_API int tutti_settings_each(tutti_setting_fn visit, void *user, char *message,
                                  size_t message_size);

/*
 * Writes a line for each setting: name, value and origin with tabs between; in values and origins,
 * a backslash and bytes below 0x20 are written as a backslash, x and two hexadecimal digits. The
 * format is stable: new settings are new lines. Errors as tutti_settings_each.
 */
TUTTI_API int tutti_settings_print(FILE *stream);

#ifdef __cplusplus
}
#endif
#endif
