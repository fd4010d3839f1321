/* See table.h. */
#include "table.h"

#include <stdio.h>
#include <stdlib.h>

#include "print.h"

struct table {
    size_t columns, cells, capacity;
    bool *right;
    char **texts;
};

struct table *table_new(size_t columns)
{
    struct table *table = need(calloc(1, sizeof *table));
    table->columns = columns;
    table->right = need(calloc(columns, sizeof *table->right));
    return table;
}

void table_align_right(struct table *table, size_t column)
{
    table->right[column] = true;
}

void table_add(struct table *table, char *text)
{
    if (table->cells == table->capacity) {
        table->capacity = table->capacity ? 2 * table->capacity : 64;
        table->texts = need(realloc(table->texts, table->capacity * sizeof *table->texts));
    }
    table->texts[table->cells++] = text;
}

/* Characters of UTF-8 text; each takes one column but for East Asian ones, which may stand askew.
 */
static size_t text_width(const char *text)
{
    size_t width = 0;
    for (; *text; text++)
        width += ((unsigned char)*text & 0xC0) != 0x80;
    return width;
}

static size_t column_width(const struct table *table, size_t column)
{
    size_t width = 0;
    for (size_t i = column; i < table->cells; i += table->columns) {
        const size_t own = text_width(table->texts[i]);
        width = own > width ? own : width;
    }
    return width;
}

/* Blanks are due before what follows, so that no line ends in them. */
static void print_row(const struct table *table, size_t first, const size_t *widths)
{
    int due = 0;
    for (size_t c = 0; c < table->columns; c++) {
        const char *text = table->texts[first + c];
        const int padding = (int)(widths[c] - text_width(text));
        if (*text)
            printf("%*s%s", due + (table->right[c] ? padding : 0), "", text);
        else
            due += (int)widths[c] + 2;
        if (*text)
            due = 2 + (table->right[c] ? 0 : padding);
    }
}

void table_release(struct table *table)
{
    for (size_t i = 0; i < table->cells; i++)
        free(table->texts[i]);
    free(table->texts);
    free(table->right);
    free(table);
}

void table_print(struct table *table, const char *prefix, bool heading)
{
    size_t *widths = need(calloc(table->columns, sizeof *widths));
    for (size_t c = 0; c < table->columns; c++)
        widths[c] = column_width(table, c);
    const bool bold = heading && is_coloured(stdout);
    for (size_t i = 0; i + table->columns <= table->cells; i += table->columns) {
        fputs(prefix, stdout);
        fputs(bold && i == 0 ? "\033[1m" : "", stdout);
        print_row(table, i, widths);
        fputs(bold && i == 0 ? "\033[0m\n" : "\n", stdout);
    }
    free(widths);
    table_release(table);
}
