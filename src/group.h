/* The inside of groups: reference count, attached settings, counted operations, waiting. */
#ifndef GROUP_H
#define GROUP_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tutti/error.h>
#include <tutti/group.h>

#include "settings.h"
#include "text.h"

struct tutti_group {
    tutti_group_ops ops;
    void *self;
    int rank, ranks;
    uint64_t id; /* unique in the process: a reused address is not a stale hit */
    atomic_size_t references;

    char *placement; /* canonical: "2" (all on one node), "4+4 block", "4+4 cyclic", ... */
    char *transport; /* "" if none was given */

    _Atomic(const void *) owner; /* a thread's mark while it is inside a cold call */
    unsigned depth;              /* nested cold calls of that thread */

    bool attached; /* the settings below are agreed */
    struct settings settings;
    char *hardware; /* root only, made on first use: hardware.h */

    tutti_log_fn log; /* NULL: stderr */
    void *log_user;

    uint64_t operations; /* so far; equal on all ranks */
    int broken;          /* 0, or the error that broke the group */
    char what[128];      /* the operation that it broke in, and who was missing */
};

/*
 * Takes the group for a cold call of this thread; nested calls of the same thread are fine.
 * TUTTI_ERR_BUSY if another thread has it. Local.
 */
int group_enter(struct tutti_group *group);
void group_leave(struct tutti_group *group);

/*
 * Group operations. what names the step for messages, such as "agreement". They return
 * TUTTI_SUCCESS, TUTTI_ERR_BROKEN at once on a broken group, or the error that breaks it now, with
 * a sentence added to why (NULL is allowed) that names the step and the missing ranks.
 */
int group_reduce_max(struct tutti_group *group, uint64_t *words, size_t n, const char *what,
                     struct text *why);
int group_broadcast(struct tutti_group *group, void *bytes, size_t n, int root, const char *what,
                    struct text *why);
int group_barrier(struct tutti_group *group, const char *what, struct text *why);

/*
 * The root's text reaches all ranks: length, then bytes; *text is replaced on the others. Also
 * TUTTI_ERR_MEMORY, on all ranks alike, if one has no room for it or the root's text has failed.
 */
int group_broadcast_text(struct tutti_group *group, struct text *text, int root, const char *what,
                         struct text *why);

/*
 * Reads the settings on the root and broadcasts them, once per group. Collective when it is not
 * done yet. TUTTI_ERR_SETTING is the same on all ranks, and is tried again by the next call. Until
 * it is done, each rank's own environment says how long that rank waits.
 */
int group_attach(struct tutti_group *group, struct text *why);

#endif
