/* The parts of collective operations: meet.c begins and ends them, cold.c takes a call from there
 * to the remembering, search.c finds the configuration if no record has one. */
#ifndef COLD_H
#define COLD_H

#include <stdbool.h>
#include <stdint.h>

#include "buffers.h"
#include "force.h"
#include "guard.h"
#include "outcome.h"
#include "text.h"
#include "tuner.h"
#include "workspace.h"

/* Everything that one cold call works with. */
struct cold {
    struct call *call;
    const char *operation; /* "tutti_call", "tutti_tune", ...: ranks must be in the same */
    struct workspace work;
    struct entry *entry; /* prepared before the ranks meet, so that remembering can't fail */
    bool reserved;       /* a place in the table for it */
    struct outcome outcome;
    bool have_outcome;
    struct forced forced;
    int source;
    uint64_t configuration;
    struct guard guard;
    struct tutti_buffers buffers;
    struct text path, why;
    double begin;        /* on the monotonic clock */
    uint64_t operations; /* of the group before this call */
};

/*
 * How an operation begins. Takes the group, which group_leave gives back after success; refuses
 * endless recursion, the same on all ranks. Local.
 */
int cold_enter(struct call *call, struct text *why);

/* Rendezvous and agreement on what every rank brought; finds out what is forced. Takes all memory
 * of the operation first, which cold_release gives back. Collective. */
int cold_meet(struct cold *cold);
void cold_release(struct cold *cold);

/* How an operation ends: the sentence is kept, and a stall is told. Returns status. Local. */
int cold_end(struct cold *cold, int status);

/* Step 4: fills outcome, source and configuration if this mode looks records up, and one applies.
 * Collective. */
int cold_look_up(struct cold *cold);

/* What is known for the call's key in memory, or NULL. Local. */
struct entry *cold_known(const struct call *call);

/* The mode of a call: the root's, or agreed on. */
enum mode cold_mode(const struct call *call);

/* Before anything runs that could change them: the declared buffers are saved, once in a call.
 * Agreed on; nothing without a buffers callback. Collective. */
int cold_declare_buffers(struct cold *cold);

/*
 * Step 5 of a call: the words of the workspace become, for configuration i, 2i: "some rank removes
 * it", 2i + 1: "some rank keeps it"; and behind these the number that each rank removes. survivors
 * are those that all keep. Collective.
 */
int cold_prune(struct cold *cold, uint64_t *survivors);

/* Steps 5 to 7: fills outcome, source and configuration, or ends with an error that all ranks agree
 * on. Collective. */
int cold_search(struct cold *cold);

#endif
