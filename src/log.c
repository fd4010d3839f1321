/*
 * The log: stderr, and the only place where the library prints. A message is one line and is
 * written at once, so that lines of several ranks don't mix.
 */
#include "log.h"

#include <stdarg.h>
#include <stdio.h>

#define LINE_LIMIT 8192 /* bytes; longer messages are cut */

static const char *const level_names[] = {"error", "warning", "info", "debug"};

static void write_line(const char *origin, enum log_level level, const char *format, va_list list)
{
    char line[LINE_LIMIT];
    const int head = snprintf(line, sizeof line, "tutti: %s%s: ", origin, level_names[level]);
    size_t length = (size_t)head;
    const size_t room = sizeof line - length - 1; /* one for the end of the line */
    const int body = vsnprintf(line + length, room, format, list);
    if (body < 0)
        return;
    const size_t end = length + ((size_t)body < room ? (size_t)body : room - 1);
    for (; length < end; length++)
        if (line[length] == '\n' || line[length] == '\r') /* from a value of a variable, say */
            line[length] = ' ';
    line[end] = '\n';
    fwrite(line, 1, end + 1, stderr);
}

static bool wanted(const struct tutti_group *group, enum log_level level)
{
    return (int)level <= group->settings.log_level;
}

void log_root(const struct tutti_group *group, enum log_level level, const char *format, ...)
{
    if (group->rank != 0 || !wanted(group, level))
        return;
    va_list list;
    va_start(list, format);
    write_line("", level, format, list);
    va_end(list);
}

void log_rank(const struct tutti_group *group, enum log_level level, const char *format, ...)
{
    if (!wanted(group, level))
        return;
    char origin[32];
    snprintf(origin, sizeof origin, "rank %d: ", group->rank);
    va_list list;
    va_start(list, format);
    write_line(origin, level, format, list);
    va_end(list);
}
