/* See settings_name.h. */
#include "settings_name.h"

#include <string.h>

#include "settings_table.h"

static bool is(const char *known, const char *name, size_t length)
{
    return known && strlen(known) == length && strncmp(known, name, length) == 0;
}

int name_index(const char *name, size_t length)
{
    for (int i = 0; i < SETTINGS_COUNT; i++)
        if (is(settings_table[i].name, name, length))
            return i;
    return -1;
}

#define NAME_LIMIT 64 /* longer unknown names are not compared */

/* The edit distance of two names (Levenshtein 1966): insertions, deletions and replacements. */
static size_t name_distance(const char *a, const char *b, size_t a_length)
{
    size_t row[NAME_LIMIT + 1]; /* of the table of distances of prefixes */
    for (size_t i = 0; i <= a_length; i++)
        row[i] = i;
    for (size_t j = 1; b[j - 1]; j++) {
        size_t diagonal = row[0];
        row[0] = j;
        for (size_t i = 1; i <= a_length; i++) {
            const size_t replaced = diagonal + (a[i - 1] != b[j - 1]);
            const size_t shorter = (row[i - 1] < row[i] ? row[i - 1] : row[i]) + 1;
            diagonal = row[i];
            row[i] = replaced < shorter ? replaced : shorter;
        }
    }
    return row[a_length];
}

const char *name_nearest(const char *name, size_t length)
{
    const char *nearest = NULL;
    size_t least = 4; /* further away it is not a slip of the pen */
    for (int i = 0; i < SETTINGS_COUNT && length <= NAME_LIMIT; i++) {
        if (is(settings_table[i].alias, name, length)) /* a name of the environment's in a file */
            return settings_table[i].name;
        const size_t distance = name_distance(name, settings_table[i].name, length);
        if (distance < least) {
            least = distance;
            nearest = settings_table[i].name;
        }
    }
    return nearest;
}
