/*
 * See settings_file.h. A line is a name, "=" and a value, with blanks around each, which don't
 * count; "#" at the begin of a line makes it a comment. There is no quoting, and nothing is
 * expanded.
 */
#include "settings_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "file.h"
#include "settings_name.h"

#define WARNED_LINES 10 /* of one file; the rest are counted */

/* A file as it is read. */
struct reading {
    struct settings_file *file;
    const char *path;
    struct text *warnings;
    int line, warned;
};

static void refuse(const struct reading *reading, const char *why)
{
    text_add(reading->warnings, "the settings in %s are not read: %s\n", reading->path, why);
}

/* The whole of an open file, terminated; false if it was refused. */
static bool load(const struct reading *reading, int descriptor)
{
    struct stat status;
    char *bytes = malloc(SETTINGS_FILE_LIMIT + 1);
    reading->file->bytes = bytes;
    if (!bytes || fstat(descriptor, &status) != 0) {
        refuse(reading, strerror(errno));
        return false;
    }
    if (!S_ISREG(status.st_mode)) {
        refuse(reading, "it is not a regular file");
        return false;
    }
    const ssize_t length = file_read(descriptor, bytes, SETTINGS_FILE_LIMIT + 1);
    if (length < 0 || length > SETTINGS_FILE_LIMIT) {
        refuse(reading, length < 0 ? strerror(errno) : "it is longer than 65536 bytes");
        return false;
    }
    bytes[length] = '\0';
    if (strlen(bytes) != (size_t)length) {
        refuse(reading, "it is not text: it holds a byte of value 0");
        return false;
    }
    return true;
}

/* Takes the blanks off both ends. */
static char *trim(char *text)
{
    text += strspn(text, " \t\r");
    char *end = text + strlen(text);
    while (end > text && strchr(" \t\r", end[-1]))
        end--;
    *end = '\0';
    return text;
}

static bool may_warn(struct reading *reading)
{
    return reading->warned++ < WARNED_LINES;
}

static void warn_of_name(struct reading *reading, const char *name)
{
    const char *nearest = name_nearest(name, strlen(name));
    if (may_warn(reading))
        text_add(reading->warnings, "%s:%d: the setting %.100s is unknown%s%s%s\n", reading->path,
                 reading->line, name, nearest ? "; did you mean " : "", nearest ? nearest : "",
                 nearest ? "?" : "");
}

static void take(struct reading *reading, int index, const char *value)
{
    struct settings_file *file = reading->file;
    if (file->lines[index] && may_warn(reading))
        text_add(reading->warnings, "%s:%d: %s stands in line %d already: this line holds\n",
                 reading->path, reading->line, settings_table[index].name, file->lines[index]);
    file->lines[index] = reading->line;
    file->values[index] = *value ? value : NULL; /* empty counts as unset, as in the environment */
}

static void read_line(struct reading *reading, char *line)
{
    char *name = trim(line);
    if (!*name || *name == '#')
        return;
    char *equals = strchr(name, '=');
    if (!equals) {
        if (may_warn(reading))
            text_add(reading->warnings, "%s:%d: the line is not NAME = value: %.100s\n",
                     reading->path, reading->line, name);
        return;
    }
    *equals = '\0';
    name = trim(name);
    const int index = name_index(name, strlen(name));
    if (index < 0)
        warn_of_name(reading, name);
    else
        take(reading, index, trim(equals + 1));
}

static void read_lines(struct reading *reading)
{
    for (char *line = reading->file->bytes; line;) {
        char *end = strchr(line, '\n');
        if (end)
            *end = '\0';
        reading->line++;
        read_line(reading, line);
        line = end ? end + 1 : NULL;
    }
    if (reading->warned > WARNED_LINES)
        text_add(reading->warnings, "%s: %d more lines like these\n", reading->path,
                 reading->warned - WARNED_LINES);
}

void settings_file_read(struct settings_file *file, const char *path, struct text *warnings)
{
    struct reading reading = {.file = file, .path = path, .warnings = warnings};
    /* Not blocking: something may have put a pipe there. */
    const int descriptor = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (descriptor < 0) {
        if (errno != ENOENT && errno != ENOTDIR)
            refuse(&reading, strerror(errno));
        return;
    }
    if (load(&reading, descriptor))
        read_lines(&reading);
    close(descriptor);
}

void settings_file_release(struct settings_file *file)
{
    free(file->bytes);
    *file = (struct settings_file){0};
}
