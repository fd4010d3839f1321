/* Recorded times of every configuration in many rounds: they stand in for the launcher. The format
 * is described in data/README.md. */
#ifndef REGRET_TABLE_H
#define REGRET_TABLE_H

#include <stdbool.h>
#include <stddef.h>

#define TABLE_CONFIGURATIONS 40 /* comm_block_s x comm_block_d x buffer_num */

enum table_kind { TABLE_INTERLEAVED, TABLE_SINGLE, TABLE_MEAN10, TABLE_REFERENCE, TABLE_KINDS };

struct table_rows {
    int n;
    double (*seconds)[TABLE_CONFIGURATIONS]; /* by index in the space, not by column */
};

struct table {
    char title[160];
    int customary; /* index of 128,128,2 */
    struct table_rows rows[TABLE_KINDS];
};

/* False, with a message on stderr, if there is no such file or it is not a table. */
bool table_read(struct table *table, const char *path);
void table_free(struct table *table);

/* "comm_block_s/comm_block_d/buffer_num" as an index of the space, or -1. */
int table_index(const char *name);

/* And back. */
void table_name(int index, char *name, size_t size);

const char *table_kind_name(enum table_kind kind);

#endif
