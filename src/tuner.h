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
    tutti_setup_fn setup;
    tutti_teardown_fn teardown;
    tutti_prepare_fn prepare;
    tutti_release_fn release;
    tutti_reset_fn reset;
    tutti_verify_fn verify;
    tutti_buffers_fn buffers;
    tutti_memory_ops memory;
    bool has_memory; /* else the processor reaches the declared buffers */
    void *memory_self;
    tutti_stall_fn on_stall;
    void *user;

    int policy;           /* enum tutti_policy, as the program says */
    int aggregation;      /* enum tutti_aggregation, as the program says */
    int warmups, samples; /* as the program says, or SETTINGS_UNSET */
    uint64_t budget_calls;
    double budget_seconds;
    bool stream, flush;
    double gap_seconds;
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
    struct attachment *attachment; /* from the entering on; NULL: no memory, to be agreed on */
    void *args;
    const struct tutti_key *key;
    int key_status; /* what the key callback returned */
    uint64_t hash;
    uint64_t way;         /* entries.h */
    const void *force;    /* what the program forces, or NULL */
    bool tunes_only;      /* the caller wants no run of its own */
    void *stream;         /* the program's, handed through */
    int *launcher_status; /* may be NULL */

    /* Of a search; NULL outside. */
    void **slots;        /* one per configuration */
    struct guard *guard; /* guard.h */

    struct tutti_buffers *buffers; /* once they are declared; NULL before, and without */
};

/* The attachment of a group, made if the tuner meets it for the first time; NULL: no memory. The
 * caller has entered the group. */
struct attachment *tuner_attach(tutti_tuner *tuner, const tutti_group *group);

/* Gives back what the chosen configuration of an entry holds. group: NULL where it may be gone. */
void tuner_release_entry(const tutti_tuner *tuner, tutti_group *group, struct entry *entry);

/* Adds the fields to a key without any. Returns the callback's status. */
static inline int tuner_key(const tutti_tuner *tuner, const void *args, struct tutti_key *key)
{
    return tuner->key ? tuner->key(key, args, tuner->user) : 0;
}

/* The attachment of a group, or NULL. */
struct attachment *tuner_attachment(const struct tutti_tuner *tuner, const tutti_group *group);

/* What a launcher is told about a run of a decided entry. */
static inline tutti_context hit_context(const tutti_tuner *tuner, tutti_group *group,
                                        struct entry *entry, void *stream)
{
    return (tutti_context){.group = group,
                           .user = tuner->user,
                           .configuration = entry->configuration,
                           .purpose = TUTTI_PURPOSE_FINAL,
                           .slot = &entry->slot,
                           .stream = stream};
}

/* A call whose key is not in memory. Collective. */
int cold_call(struct call *call);

/* See tutti_max_size. Collective. */
int cold_max_size(struct call *call, tutti_size_fn size, size_t *bytes);

#endif
