/*
 * The log, and the only place where the library prints. A message is one line and is written at
 * once, so that lines of several ranks don't mix.
 */
#include "log.h"

#include <stdarg.h>
#include <stdio.h>

#define LINE_LIMIT 8192 /* bytes; longer messages are cut */

static const char *const level_names[] = {"error", "warning", "info", "debug"};

/* One line from a sentence, whatever values it quotes. */
static void make_line(char line[LINE_LIMIT], const char *format, va_list list)
{
    if (vsnprintf(line, LINE_LIMIT, format, list) < 0)
        line[0] = '\0';
    for (; *line; line++)
        if (*line == '\n' || *line == '\r')
            *line = ' ';
}

static void write_line(const char *origin, const char *function, enum tutti_log_level level,
                       const char *sentence)
{
    char line[LINE_LIMIT];
    int length = snprintf(line, sizeof line, "tutti: %s%s: %s%s%s\n", origin, level_names[level],
                          function, *function ? ": " : "", sentence);
    if (length < 0)
        return;
    if ((size_t)length >= sizeof line) {
        length = sizeof line - 1;
        line[length - 1] = '\n';
    }
    fwrite(line, 1, (size_t)length, stderr);
}

static void deliver(const struct tutti_group *group, const char *origin, const char *function,
                    enum tutti_log_level level, const char *format, va_list list)
{
    char sentence[LINE_LIMIT];
    make_line(sentence, format, list);
    if (!function)
        function = "";
    if (group->log)
        group->log((int)level, function, sentence, group->log_user);
    else
        write_line(origin, function, level, sentence);
}

static bool wanted(const struct tutti_group *group, enum tutti_log_level level)
{
    return (int)level <= group->settings.log_level;
}

void log_root(const struct tutti_group *group, const char *function, enum tutti_log_level level,
              const char *format, ...)
{
    if (group->rank != 0 || !wanted(group, level))
        return;
    va_list list;
    va_start(list, format);
    deliver(group, "", function, level, format, list);
    va_end(list);
}

void log_rank(const struct tutti_group *group, const char *function, enum tutti_log_level level,
              const char *format, ...)
{
    if (!wanted(group, level))
        return;
    char origin[32];
    snprintf(origin, sizeof origin, "rank %d: ", group->rank);
    va_list list;
    va_start(list, format);
    deliver(group, origin, function, level, format, list);
    va_end(list);
}
