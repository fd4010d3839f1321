/* See table.h. */
#include "table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINE_LIMIT 4096

static const char *const kind_names[TABLE_KINDS] = {"interleaved", "single", "mean10", "reference"};

const char *table_kind_name(enum table_kind kind)
{
    return kind_names[kind];
}

static const int blocks_s[] = {32, 64, 128, 256, 512}, blocks_d[] = {64, 128},
                 buffers[] = {2, 3, 4, 8};

static int place(const int *values, int n, int value)
{
    for (int i = 0; i < n; i++)
        if (values[i] == value)
            return i;
    return -1;
}

int table_index(const char *name)
{
    int s, d, b;
    if (sscanf(name, "%d/%d/%d", &s, &d, &b) != 3)
        return -1;
    s = place(blocks_s, 5, s);
    d = place(blocks_d, 2, d);
    b = place(buffers, 4, b);
    return s < 0 || d < 0 || b < 0 ? -1 : (s * 2 + d) * 4 + b;
}

void table_name(int index, char *name, size_t size)
{
    snprintf(name, size, "%d/%d/%d", blocks_s[index / 8], blocks_d[index / 4 % 2],
             buffers[index % 4]);
}

static bool read_header(char *line, int *index_of_column)
{
    bool seen[TABLE_CONFIGURATIONS] = {false};
    char *rest = NULL, *name = strtok_r(line, ",\n", &rest);
    if (!name || strcmp(name, "kind") != 0)
        return false;
    for (int column = 0; column < TABLE_CONFIGURATIONS; column++) {
        name = strtok_r(NULL, ",\n", &rest);
        const int index = name ? table_index(name) : -1;
        if (index < 0 || seen[index])
            return false;
        seen[index] = true;
        index_of_column[column] = index;
    }
    return strtok_r(NULL, ",\n", &rest) == NULL;
}

static bool add_row(struct table_rows *rows, char *rest, const int *index_of_column)
{
    void *grown = realloc(rows->seconds, (size_t)(rows->n + 1) * sizeof *rows->seconds);
    if (!grown)
        return false;
    rows->seconds = grown;
    for (int column = 0; column < TABLE_CONFIGURATIONS; column++) {
        char *end;
        const double nanoseconds = strtod(rest, &end);
        if (end == rest || nanoseconds <= 0)
            return false;
        rows->seconds[rows->n][index_of_column[column]] = 1e-9 * nanoseconds;
        rest = *end == ',' ? end + 1 : end;
    }
    rows->n++;
    return true;
}

static bool read_row(struct table *table, char *line, const int *index_of_column)
{
    for (int kind = 0; kind < TABLE_KINDS; kind++) {
        const size_t length = strlen(kind_names[kind]);
        if (strncmp(line, kind_names[kind], length) == 0 && line[length] == ',')
            return add_row(&table->rows[kind], line + length + 1, index_of_column);
    }
    return false;
}

static bool read_lines(struct table *table, FILE *file)
{
    char line[LINE_LIMIT];
    int index_of_column[TABLE_CONFIGURATIONS];
    if (!fgets(line, sizeof line, file) || strncmp(line, "# ", 2) != 0)
        return false;
    line[strcspn(line, "\n")] = '\0';
    snprintf(table->title, sizeof table->title, "%.150s", line + 2);
    if (!fgets(line, sizeof line, file) || !read_header(line, index_of_column))
        return false;
    while (fgets(line, sizeof line, file))
        if (!read_row(table, line, index_of_column))
            return false;
    return true;
}

bool table_read(struct table *table, const char *path)
{
    *table = (struct table){.customary = table_index("128/128/2")};
    FILE *file = fopen(path, "r");
    if (!file) {
        perror(path);
        return false;
    }
    const bool good = read_lines(table, file);
    fclose(file);
    if (!good) {
        fprintf(stderr, "%s is not a table of rounds\n", path);
        table_free(table);
    }
    return good;
}

void table_free(struct table *table)
{
    for (int kind = 0; kind < TABLE_KINDS; kind++)
        free(table->rows[kind].seconds);
    memset(table->rows, 0, sizeof table->rows);
}
