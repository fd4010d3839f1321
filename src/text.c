/* Text that grows, times for people, and the check for UTF-8. */
#include "text.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Makes room for length bytes and a terminator. */
static bool text_reserve(struct text *text, size_t length)
{
    if (length < text->capacity)
        return true;
    size_t capacity = text->capacity ? text->capacity : 64;
    while (capacity <= length)
        capacity *= 2;
    char *bytes = realloc(text->bytes, capacity);
    if (!bytes)
        return false;
    text->bytes = bytes;
    text->capacity = capacity;
    return true;
}

void text_add(struct text *text, const char *format, ...)
{
    if (text->failed) /* a gap in the middle would read like a whole sentence */
        return;
    va_list list, again;
    va_start(list, format);
    va_copy(again, list);
    const size_t room = text->capacity - text->length;
    const int length = vsnprintf(room ? text->bytes + text->length : NULL, room, format, list);
    va_end(list);
    if (length < 0 || !text_reserve(text, text->length + (size_t)length)) {
        text->failed = true;
        if (text->bytes) /* takes a half-written piece away again */
            text->bytes[text->length] = '\0';
    } else {
        if ((size_t)length >= room)
            vsnprintf(text->bytes + text->length, (size_t)length + 1, format, again);
        text->length += (size_t)length;
    }
    va_end(again);
}

void text_add_number(struct text *text, double number)
{
    char digits[64];
    snprintf(digits, sizeof digits, "%.17g", number);
    char *point = digits + strspn(digits, "+-0123456789");
    if (*point && *point != 'e' && *point != 'i' && *point != 'n') { /* a locale's decimal point */
        char *rest = point + strcspn(point, "0123456789");
        *point = '.';
        memmove(point + 1, rest, strlen(rest) + 1);
    }
    text_add(text, "%s", digits);
}

void text_release(struct text *text)
{
    free(text->bytes);
    *text = (struct text){0};
}

size_t text_hand_over(struct text *text, char *buffer, size_t size)
{
    const size_t length = text->length;
    if (buffer && size > 0) {
        buffer[0] = '\0';
        if (text->bytes)
            strncat(buffer, text->bytes, size - 1);
    }
    text_release(text);
    return length;
}

const char *text_seconds(double seconds, char buffer[32])
{
    static const struct {
        double seconds;
        const char *name;
    } units[] = {{1e-9, "ns"}, {1e-6, "us"}, {1e-3, "ms"}, {1, "s"}};

    if (!(seconds > 0 && seconds < 1e9)) { /* also NaN */
        snprintf(buffer, 32, "%g s", seconds);
        return buffer;
    }
    size_t unit = 0;
    while (unit < 3 && seconds / units[unit].seconds >= 999.5)
        unit++;
    const double scaled = seconds / units[unit].seconds;
    const int decimals = scaled < 9.995 ? 2 : scaled < 99.95 ? 1 : 0;
    snprintf(buffer, 32, "%.*f %s", decimals, scaled, units[unit].name);
    return buffer;
}

/* The length of the UTF-8 sequence at bytes, 0 if it is not one (Unicode 15, table 3-7). */
static size_t sequence_length(const unsigned char *bytes)
{
    const unsigned char first = bytes[0];
    unsigned char low = 0x80, high = 0xBF; /* of the second byte */
    size_t length = 0;

    if (first < 0x80) {
        return 1;
    } else if (first >= 0xC2 && first <= 0xDF) {
        length = 2;
    } else if (first >= 0xE0 && first <= 0xEF) {
        length = 3;
        low = first == 0xE0 ? 0xA0 : low;   /* no overlong forms */
        high = first == 0xED ? 0x9F : high; /* no surrogates */
    } else if (first >= 0xF0 && first <= 0xF4) {
        length = 4;
        low = first == 0xF0 ? 0x90 : low;
        high = first == 0xF4 ? 0x8F : high; /* nothing beyond U+10FFFF */
    } else {
        return 0;
    }
    if (bytes[1] < low || bytes[1] > high)
        return 0;
    for (size_t i = 2; i < length; i++)
        if (bytes[i] < 0x80 || bytes[i] > 0xBF) /* a terminator, too, ends here */
            return 0;
    return length;
}

bool text_is_utf8(const char *string)
{
    const unsigned char *bytes = (const unsigned char *)string;
    while (*bytes) {
        const size_t length = sequence_length(bytes);
        if (!length)
            return false;
        bytes += length;
    }
    return true;
}
