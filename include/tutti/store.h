/*
 * Stores and records from outside: what was tuned, read back, judged, moved and removed, by
 * programs that do not tune themselves. What the command line `tutti` does to records, it does by
 * these functions alone.
 *
 *     tutti_store *store;
 *     tutti_store_open(NULL, &store, message, sizeof message);
 *     for (size_t i = 0; i < tutti_store_entries(store); i++) {
 *         const tutti_store_entry *entry = tutti_store_entry_get(store, i);
 *         tutti_record *record;
 *         if (entry->kind != TUTTI_ENTRY_RECORD)
 *             continue;
 *         if (tutti_record_read(entry->path, &record, message, sizeof message) == TUTTI_SUCCESS)
 *             ...
 *         tutti_record_destroy(record);
 *     }
 *     tutti_store_close(store);
 *
 * All functions are local, and may be called from any thread as long as no two use one handle at a
 * time. Where there are message and message_size, a function that fails writes a sentence there,
 * cut to message_size bytes and terminated; message may be NULL. What a record says is untrusted
 * text: it is UTF-8, and may hold control characters that a terminal should not get.
 */
#ifndef TUTTI_STORE_H
#define TUTTI_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tutti/error.h>
#include <tutti/export.h>
#include <tutti/tuner.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- a record ---- */

/* One tuned key: read, judged and never changed. */
typedef struct tutti_record tutti_record;

/*
 * Reads the record in a file, and judges it by itself, as docs/record-format.md says: whether it is
 * whole and does not contradict itself; not whether it applies here and today. On failure *record
 * is NULL. Errors: TUTTI_ERR_RECORD (corrupt: the message names the place and the reason),
 * TUTTI_ERR_STORE (the file can't be read, or is not there), TUTTI_ERR_MEMORY, TUTTI_ERR_ARGUMENT.
 */
TUTTI_API int tutti_record_read(const char *path, tutti_record **record, char *message,
                                size_t message_size);

/* Reads a record as tutti_record_read does, from bytes in memory, which are copied. Such a record
 * has the path "". Errors: likewise, but for TUTTI_ERR_STORE. */
TUTTI_API int tutti_record_parse(const char *bytes, size_t length, tutti_record **record,
                                 char *message, size_t message_size);

/* Frees a record and all that its functions returned. NULL is fine. */
TUTTI_API void tutti_record_destroy(tutti_record *record);

/* The record as it was read, byte by byte, terminated; owned by the record. length may be NULL. */
TUTTI_API const char *tutti_record_json(const tutti_record *record, size_t *length);

/* What a record says. It and its pointers belong to the record. */
typedef struct tutti_record_info {
    const char *path; /* that it was read from, or "" */
    const char *name; /* that its identity gives its file: 32 hexadecimal digits */
    const char *function, *version, *source_id;
    const char *timer;
    const char *group, *placement; /* kind of group; ranks per node and their order */
    int ranks;
    size_t nparameters;
    size_t ntrials;             /* the size of the space */
    const tutti_trial *trials;  /* by index of the configuration; those that never ran: pruned */
    uint64_t winner;            /* index of the chosen configuration */
    int policy;                 /* enum tutti_policy */
    int warmups, samples;       /* as in tutti_report */
    int64_t finished;           /* seconds since the epoch, UTC */
    double search_seconds;      /* wall time of the search */
    uint64_t search_calls;      /* launcher calls on each rank */
    uint64_t search_operations; /* group operations */

    /* How a race ended, as in tutti_report; all 0 under the exhaustive policy. */
    uint64_t rounds;
    bool equal, budget_ended_it;
    int64_t runner_up;
    double distance, confidence, within, noise;
} tutti_record_info;

/* What the record says, owned by the record. */
TUTTI_API const tutti_record_info *tutti_record_get(const tutti_record *record);

/* The parts of a record that are lists of names with texts. */
enum tutti_record_part {
    TUTTI_RECORD_KEY = 1,        /* in the order of the key: "A" is "[4096, 8, 128]" */
    TUTTI_RECORD_HARDWARE = 2,   /* of the root's machine */
    TUTTI_RECORD_ENVIRONMENT = 3 /* transport, tutti, compiler, build_id */
};

typedef struct tutti_named_text {
    const char *name, *text; /* UTF-8 */
} tutti_named_text;

/* The entries of such a part. Returns their number, 0 for an unknown part; *list points to them,
 * and is owned by the record. */
TUTTI_API size_t tutti_record_list(const tutti_record *record, int part,
                                   const tutti_named_text **list);

/* The name of a parameter, owned by the record; NULL if there is none of that number. */
TUTTI_API const char *tutti_record_parameter(const tutti_record *record, size_t parameter);

/*
 * Writes the value that a configuration gives to a parameter, as text: exact, doubles with 17
 * digits. Always terminated, cut to size bytes; returns the length that the whole text has, as
 * snprintf does; 0 if there is no such configuration or parameter, the parameter does not count in
 * it, or the record does not tell: of a space with a constraint or a list it tells the
 * configurations that were run.
 */
TUTTI_API size_t tutti_record_value_text(const tutti_record *record, uint64_t configuration,
                                         size_t parameter, char *text, size_t size);

/* Writes a whole configuration as tutti_record_value_text writes a value: "comm_block_s=32,
 * comm_block_d=64". */
TUTTI_API size_t tutti_record_configuration_text(const tutti_record *record, uint64_t configuration,
                                                 char *text, size_t size);

/*
 * Whether a part of a record, TUTTI_RECORD_HARDWARE or TUTTI_RECORD_ENVIRONMENT, is what this
 * machine and this library say. Of the environment transport and build_id are left out, which
 * belong to a program and its group. If not, the message names the first difference. Takes
 * milliseconds.
 */
TUTTI_API bool tutti_record_is_of_here(const tutti_record *record, int part, char *message,
                                       size_t message_size);

/* ---- a store ---- */

/* A directory of records, as it was when it was opened. */
typedef struct tutti_store tutti_store;

enum tutti_entry_kind {
    TUTTI_ENTRY_RECORD = 1,    /* meant as a record; whether it is one, tutti_record_read says */
    TUTTI_ENTRY_JOURNAL = 2,   /* notes of a search that goes on, or that was interrupted */
    TUTTI_ENTRY_TEMPORARY = 3, /* what a writer fills before it is renamed, or left when it died */
    TUTTI_ENTRY_IMPORT = 4,    /* the folder of an import that goes on, or that was interrupted */
    TUTTI_ENTRY_OTHER = 5      /* nothing of tutti's */
};

/* The process that made a journal, a temporary file or an import. */
enum tutti_owner {
    TUTTI_OWNER_UNKNOWN = 0, /* on another host, or its id was given to another process */
    TUTTI_OWNER_DEAD = 1, /* also one that can't be told of an import that was quiet for an hour */
    TUTTI_OWNER_LIVES = 2,
    TUTTI_OWNER_NONE = 3 /* a journal that was closed as incomplete: nobody is at it */
};

typedef struct tutti_store_entry {
    const char *path;
    const char *folder; /* of the function, within the store; "" for an import */
    int kind;           /* enum tutti_entry_kind */
    int owner;          /* enum tutti_owner; for the first and the last kind meaningless */
    int64_t modified;   /* seconds since the epoch */
    uint64_t bytes;
} tutti_store_entry;

/*
 * Lists a store. directory NULL: the one that the settings give (TUTTI_CACHE_DIR and what stands in
 * for it). A directory that is not there is an empty store. Errors: TUTTI_ERR_STORE (no directory
 * is set, or it can't be listed), TUTTI_ERR_MEMORY, TUTTI_ERR_SETTING.
 */
TUTTI_API int tutti_store_open(const char *directory, tutti_store **store, char *message,
                               size_t message_size);

/* Frees a store and all that its functions returned. NULL is fine. */
TUTTI_API void tutti_store_close(tutti_store *store);

/* The directory that was listed, owned by the store; how many entries it has. */
TUTTI_API const char *tutti_store_directory(const tutti_store *store);
TUTTI_API size_t tutti_store_entries(const tutti_store *store);

/* The entry of a number, from 0, in ascending order of their paths; owned by the store. NULL beyond
 * the last. */
TUTTI_API const tutti_store_entry *tutti_store_entry_get(const tutti_store *store, size_t index);

/*
 * Where a record belongs in a store: writes the path, always terminated, cut to size bytes, and
 * returns the length of the whole path.
 */
TUTTI_API size_t tutti_store_place(const tutti_store *store, const tutti_record *record, char *path,
                                   size_t size);

/* Removes an entry's file. One that is gone already is no error. Errors: TUTTI_ERR_STORE,
 * TUTTI_ERR_ARGUMENT (no such entry, or nothing of tutti's). */
TUTTI_API int tutti_store_remove(tutti_store *store, size_t index, char *message,
                                 size_t message_size);

/* What an import does where the store has a record of the same identity already. */
enum tutti_conflict {
    TUTTI_CONFLICT_NEWER = 0,  /* the search that finished later wins; the store's if equal */
    TUTTI_CONFLICT_KEEP = 1,   /* the store's stays */
    TUTTI_CONFLICT_REPLACE = 2 /* the imported one replaces it */
};

/* What became of a record in an import. */
enum tutti_import {
    TUTTI_IMPORT_ADDED = 1,
    TUTTI_IMPORT_REPLACED = 2,
    TUTTI_IMPORT_KEPT = 3, /* the store's own stayed */
    TUTTI_IMPORT_SAME = 4  /* the store has the very same bytes */
};

/*
 * Puts records into a store, each with its bytes unchanged at the place where its identity belongs:
 * all of them or none. On failure, and also if the process is killed on the way, the store is as it
 * was: what a killed import did is undone by the next import or by tutti_store_recover. A corrupt
 * record in the store counts as none. Of two records of one identity the conflict rule decides,
 * too. results: NULL, or n numbers that become an enum tutti_import each. The store's list of
 * entries stays as it was. Errors: TUTTI_ERR_STORE, TUTTI_ERR_MEMORY, TUTTI_ERR_ARGUMENT.
 */
TUTTI_API int tutti_store_import(tutti_store *store, tutti_record *const *records, size_t n,
                                 int conflict, int *results, char *message, size_t message_size);

/* What tutti_store_import would do, as the store is now. Changes nothing. Errors: likewise. */
TUTTI_API int tutti_store_plan(tutti_store *store, tutti_record *const *records, size_t n,
                               int conflict, int *results, char *message, size_t message_size);

/*
 * Undoes imports whose process has ended before they were complete. *undone: their number; may be
 * NULL. Errors: TUTTI_ERR_STORE, TUTTI_ERR_MEMORY.
 */
TUTTI_API int tutti_store_recover(tutti_store *store, size_t *undone, char *message,
                                  size_t message_size);

#ifdef __cplusplus
}
#endif
#endif
