/* See print.h. */
#include "print.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "command.h"

const char *print_name = "tutti";

void fail(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    fprintf(stderr, "%s: ", print_name);
    vfprintf(stderr, format, list);
    fputc('\n', stderr);
    va_end(list);
}

void *need(void *memory)
{
    if (memory)
        return memory;
    fail("out of memory");
    exit(STATUS_ERROR);
}

char *format(const char *format, ...)
{
    char *text;
    va_list list;
    va_start(list, format);
    if (vasprintf(&text, format, list) < 0)
        text = NULL;
    va_end(list);
    return need(text);
}

/* The length of the UTF-8 character at bytes (RFC 3629); 0 if there is none, or one that is a
 * control character. */
static size_t character_length(const unsigned char *bytes)
{
    static const struct {
        unsigned char low, high;   /* of the first byte */
        unsigned char least, most; /* of the second one; the others are 80 to BF */
        size_t length;
    } forms[] = {{0x20, 0x7E, 0, 0xFF, 1},    {0xC2, 0xC2, 0xA0, 0xBF, 2},
                 {0xC3, 0xDF, 0x80, 0xBF, 2}, {0xE0, 0xE0, 0xA0, 0xBF, 3},
                 {0xE1, 0xEC, 0x80, 0xBF, 3}, {0xED, 0xED, 0x80, 0x9F, 3},
                 {0xEE, 0xEF, 0x80, 0xBF, 3}, {0xF0, 0xF0, 0x90, 0xBF, 4},
                 {0xF1, 0xF3, 0x80, 0xBF, 4}, {0xF4, 0xF4, 0x80, 0x8F, 4}};
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        size_t length = 1;
        if (bytes[0] < forms[i].low || bytes[0] > forms[i].high)
            continue;
        while (length < forms[i].length && bytes[length] >= (length == 1 ? forms[i].least : 0x80) &&
               bytes[length] <= (length == 1 ? forms[i].most : 0xBF))
            length++;
        return length == forms[i].length ? length : 0;
    }
    return 0;
}

char *printable(const char *text)
{
    char *copy = need(malloc(4 * strlen(text) + 1)), *to = copy;
    while (*text) {
        const size_t length = character_length((const unsigned char *)text);
        if (length)
            to = mempcpy(to, text, length);
        else
            to += sprintf(to, "\\x%02X", (unsigned char)*text);
        text += length ? length : 1;
    }
    *to = '\0';
    return copy;
}

json_t *text_json(const char *text)
{
    json_t *json = json_string(text);
    if (json)
        return json;
    char *shown = printable(text);
    json = need(json_string(shown));
    free(shown);
    return json;
}

/* ---- shell ---- */

char *shell_word(const char *text)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "_-+.,:/%@";
    if (*text && text[strspn(text, plain)] == '\0')
        return need(strdup(text));
    char *quoted = need(malloc(4 * strlen(text) + 3)), *to = quoted;
    *to++ = '\'';
    for (; *text; text++)
        to += *text == '\'' ? sprintf(to, "'\\''") : sprintf(to, "%c", *text);
    strcpy(to, "'");
    return quoted;
}

/* ---- numbers ---- */

/* Three significant digits, in the unit that suits. */
char *seconds_text(double seconds)
{
    static const struct {
        double seconds;
        const char *name;
    } units[] = {{1e-9, "ns"}, {1e-6, "us"}, {1e-3, "ms"}, {1, "s"}};
    if (!(seconds > 0 && seconds < 1e9)) /* also NaN */
        return format("-");
    size_t unit = 0;
    while (unit < 3 && seconds / units[unit].seconds >= 999.5)
        unit++;
    const double scaled = seconds / units[unit].seconds;
    const int decimals = scaled < 9.995 ? 2 : scaled < 99.95 ? 1 : 0;
    return format("%.*f %s", decimals, scaled, units[unit].name);
}

static int64_t present(void)
{
    const char *fixed = getenv("SOURCE_DATE_EPOCH");
    return fixed && *fixed ? strtoll(fixed, NULL, 10) : time(NULL);
}

char *age_text(int64_t since)
{
    static const struct {
        int64_t seconds;
        const char *name;
    } units[] = {{24 * 3600, "d"}, {3600, "h"}, {60, "min"}, {1, "s"}};
    const int64_t age = present() - since;
    if (age < 0)
        return format("-"); /* a clock elsewhere is ahead */
    size_t unit = 0;
    while (unit < 3 && age < 2 * units[unit].seconds)
        unit++;
    return format("%lld %s", (long long)(age / units[unit].seconds), units[unit].name);
}

char *time_text(int64_t seconds)
{
    char buffer[32] = "";
    struct tm parts;
    const time_t time = seconds;
    if (gmtime_r(&time, &parts))
        strftime(buffer, sizeof buffer, "%Y-%m-%dT%H:%M:%SZ", &parts);
    return format("%s", buffer);
}

char *number_text(double number)
{
    for (int digits = 1; digits < 17; digits++) {
        char *text = format("%.*g", digits, number);
        if (strtod(text, NULL) == number)
            return text;
        free(text);
    }
    return format("%.17g", number);
}

bool is_coloured(FILE *stream)
{
    const char *no_colour = getenv("NO_COLOR"), *terminal = getenv("TERM");
    return isatty(fileno(stream)) && !(no_colour && *no_colour) &&
           !(terminal && strcmp(terminal, "dumb") == 0);
}

void print_json(json_t *value)
{
    need(value);
    json_dumpf(value, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(17) | JSON_ENCODE_ANY);
    putchar('\n');
    json_decref(value);
}
