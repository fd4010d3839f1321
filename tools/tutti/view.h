/* A record as the subcommands show it, whether it is tutti's or one of Triton-distributed. */
#ifndef VIEW_H
#define VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include <tutti/store.h>

/* A configuration that was run. */
struct view_trial {
    uint64_t index;
    int status; /* enum tutti_status */
    double seconds;
    int rank; /* the slowest one, or the first one that failed; -1 if unknown */
    const char *reason;
    json_t *config; /* borrowed */
};

struct view_list {
    tutti_named_text *entries; /* texts owned */
    size_t count;
};

struct view {
    char *path;
    char id[65]; /* hexadecimal digits */
    bool is_triton;
    tutti_record *record;   /* NULL if is_triton */
    tutti_record_info info; /* only function, finished and such are filled if is_triton */
    json_t *root;
    struct view_list key, hardware, environment;
    struct view_trial *trials; /* in the order of their index */
    size_t ntrials;
    size_t winner; /* position in trials */
    char *function;
};

/* Reads a record; NULL with a sentence for the user, a new string. */
struct view *view_read(const char *path, char **why);
struct view *view_of_record(tutti_record *record); /* takes the record */
/* The same for bytes in memory, terminated; path is what the record is said to come from. */
struct view *view_of_bytes(const char *path, const char *bytes, size_t length, char **why);
void view_release(struct view *view); /* NULL is fine */

/* Seconds of configuration 0, 0 if it has none or is not known. */
double view_default_seconds(const struct view *view);

/* Texts for people, new strings, fit for a terminal. */
char *view_key_text(const struct view *view);  /* "A=[4096, 8, 128], dtype=bfloat16" */
char *view_config_text(const json_t *config);  /* "a=1, b.c=2" */
char *view_gain_text(const struct view *view); /* "1.84x", or "-" */
const char *view_list_find(const struct view_list *list, const char *name); /* NULL */

/* Every value of a configuration with its name, nested ones as "a.b". */
void view_each_value(const json_t *config,
                     void (*each)(const char *name, const json_t *value, void *user), void *user);
char *view_value_text(const json_t *value); /* a string as it is, numbers shortest, rest JSON */

/* The key with its values' own types: an object, or of Triton-distributed whatever it is. */
json_t *view_key_json(const struct view *view);

/* A summary as JSON: what ls, best and diff give. */
json_t *view_json(const struct view *view);

#endif
