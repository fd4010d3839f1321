/* The inside of a tuner, shared by the hot path (tuner.c) and the cold one (cold.c). */
#ifndef TUNER_H
#define TUNER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tutti/tuner.h>

#include "entries.h"
#include "group.h"
#include "key.h"
#include "space.h"
#include "text.h"

/* What a tuner keeps for one group; belongs to the thread that the group belongs to. */
struct attachment {
    uint64_t group; /* id: an address could be reused */
    struct entries entries;
    struct text message;
    struct attachment *next;
};

struct tutti_tuner {
    char *name, *version, *source_id;
    struct space space;
    int64_t customary; /* index, or -1 */

    tutti_key_fn key;
    tutti_prune_fn prune;
    tutti_run_fn run;
    void *user;

    int warmups, samples; /* as the program says, or SETTINGS_UNSET */
    int when_pruned;

    tutti_timer_ops timer;
    void *timer_self;
    bool host_timer; /* the default: its self belongs to each measurement */

    tutti_progress_fn progress;
    void *progress_user;

    _Atomic(struct attachment *) attachments; /* only ever grows, at the front: no lock */
};

/* One call, as it goes from the hot path to the cold one. */
struct call {
    tutti_tuner *tuner;
    tutti_group *group;
    struct attachment *attachment; /* NULL: no memory for it, to be agreed on */
    void *args;
    const struct tutti_key *key;
    int key_status; /* what the key callback returned */
    uint64_t hash;
    bool off;
    int *launcher_status; /* may be NULL */
};

/* The attachment of a group, or NULL. */
struct attachment *tuner_attachment(const struct tutti_tuner *tuner, const tutti_group *group);

/* A call whose key is not in memory. Collective. */
int cold_call(struct call *call);

/* See tutti_max_size. Collective. */
int cold_max_size(struct call *call, tutti_size_fn size, size_t *bytes);

#endif
