/*
 * Groups: life and ownership, and the operations, which are counted, timed out and explained here
 * so that a kind of group need not care.
 */
#include "group.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "placement.h"
#include "wait.h"

#define NAMED_RANKS 16 /* how many missing ranks a message lists */

static bool valid_desc(const tutti_group_desc *desc)
{
    if (!desc || desc->size != sizeof *desc || !desc->ops ||
        desc->ops->size != sizeof(tutti_group_ops))
        return false;
    const tutti_group_ops *ops = desc->ops;
    return ops->kind && ops->reduce_max && ops->broadcast && ops->release && desc->rank >= 0 &&
           desc->rank < desc->ranks;
}

static void free_group(struct tutti_group *group)
{
    free(group->placement);
    free(group->transport);
    free(group->hardware);
    free(group);
}

int tutti_group_create(const tutti_group_desc *desc, tutti_group **result)
{
    static atomic_uint_fast64_t last_id;

    if (result)
        *result = NULL;
    if (!result || !valid_desc(desc))
        return TUTTI_ERR_ARGUMENT;
    struct tutti_group *group = calloc(1, sizeof *group);
    if (!group)
        return TUTTI_ERR_MEMORY;
    struct text placement = {0};
    const int error = placement_text(desc->node_of, desc->ranks, &placement);
    group->placement = placement.bytes;
    group->transport = strdup(desc->transport ? desc->transport : "");
    if (error || !group->transport) {
        free_group(group);
        return TUTTI_ERR_MEMORY;
    }
    group->ops = *desc->ops;
    group->self = desc->self;
    group->rank = desc->rank;
    group->ranks = desc->ranks;
    group->id = atomic_fetch_add(&last_id, 1) + 1;
    atomic_init(&group->references, 1);
    atomic_init(&group->owner, NULL);
    settings_defaults(&group->settings);
    *result = group;
    return TUTTI_SUCCESS;
}

void tutti_group_retain(tutti_group *group)
{
    if (group)
        atomic_fetch_add(&group->references, 1);
}

void tutti_group_release(tutti_group *group)
{
    if (group && atomic_fetch_sub(&group->references, 1) == 1) {
        group->ops.release(group->self, group->broken != 0);
        free_group(group);
    }
}

int tutti_group_set_log(tutti_group *group, tutti_log_fn log, void *user)
{
    if (!group)
        return TUTTI_ERR_ARGUMENT;
    group->log = log;
    group->log_user = user;
    return TUTTI_SUCCESS;
}

int tutti_group_rank(const tutti_group *group)
{
    return group->rank;
}

int tutti_group_ranks(const tutti_group *group)
{
    return group->ranks;
}

int group_enter(struct tutti_group *group)
{
    static _Thread_local char mark; /* its address tells threads apart */

    if (atomic_load(&group->owner) == &mark) {
        group->depth++;
        return TUTTI_SUCCESS;
    }
    const void *nobody = NULL;
    if (!atomic_compare_exchange_strong(&group->owner, &nobody, &mark))
        return TUTTI_ERR_BUSY;
    group->depth = 1;
    return TUTTI_SUCCESS;
}

void group_leave(struct tutti_group *group)
{
    group->depth--;
    if (group->depth == 0)
        atomic_store(&group->owner, NULL);
}

/* Lists the ranks that have not come, "rank 2" or "ranks 2, 3"; returns how many. */
static int add_missing(const unsigned char *here, int ranks, struct text *text)
{
    int missing = 0;
    for (int rank = 0; rank < ranks; rank++)
        missing += !here[rank];
    const char *separator = missing == 1 ? "rank " : "ranks ";
    int named = 0;
    for (int rank = 0; rank < ranks && named < NAMED_RANKS; rank++) {
        if (!here[rank]) {
            text_add(text, "%s%d", separator, rank);
            separator = ", ";
            named++;
        }
    }
    if (missing > named)
        text_add(text, " and %d more", missing - named);
    return missing;
}

/* Says who kept the others waiting; here is NULL if that could not be found out. */
static void explain_stall(const struct tutti_group *group, const tutti_wait *wait,
                          const unsigned char *here, struct text *text)
{
    char buffer[32];
    const char *seconds = text_seconds(wait->waited, buffer);
    if (here && !here[group->rank]) {
        text_add(text, "the others gave up waiting for rank %d before it came to %s", group->rank,
                 wait->what);
    } else if (!here) {
        text_add(text, "%s was not complete after %s, and which ranks are missing is not known",
                 wait->what, seconds);
    } else if (add_missing(here, group->ranks, text) > 0) {
        text_add(text, " did not come to %s within %s", wait->what, seconds);
    } else {
        text_add(text, "%s was given up after %s, though no rank is missing", wait->what, seconds);
    }
}

/* Breaks the group, and keeps the reason for the calls that come later. */
static void break_group(struct tutti_group *group, const tutti_wait *wait, int error,
                        struct text *why)
{
    struct text text = {0};
    unsigned char *here = calloc((size_t)group->ranks, 1);
    const bool known =
        here && group->ops.present && !group->ops.present(group->self, group->operations, here);
    if (error == TUTTI_ERR_STALL)
        explain_stall(group, wait, known ? here : NULL, &text);
    else
        text_add(&text, "the transport failed in %s", wait->what);
    free(here);
    group->broken = error;
    snprintf(group->what, sizeof group->what, "%s", text.failed ? wait->what : text.bytes);
    if (why)
        text_add(why, "%s", text.failed ? wait->what : text.bytes);
    text_release(&text);
}

static int refuse_broken(const struct tutti_group *group, struct text *why)
{
    if (why)
        text_add(why, "the group broke earlier: %s", group->what);
    return TUTTI_ERR_BROKEN;
}

int group_reduce_max(struct tutti_group *group, uint64_t *words, size_t n, const char *what,
                     struct text *why)
{
    if (group->broken)
        return refuse_broken(group, why);
    group->operations++;
    tutti_wait wait;
    wait_begin(&wait, group, what);
    const int error = group->ops.reduce_max(group->self, words, n, &wait);
    if (error)
        break_group(group, &wait, error, why);
    return error;
}

int group_broadcast(struct tutti_group *group, void *bytes, size_t n, int root, const char *what,
                    struct text *why)
{
    if (group->broken)
        return refuse_broken(group, why);
    if (n == 0)
        return TUTTI_SUCCESS;
    group->operations++;
    tutti_wait wait;
    wait_begin(&wait, group, what);
    const int error = group->ops.broadcast(group->self, bytes, n, root, &wait);
    if (error)
        break_group(group, &wait, error, why);
    return error;
}

int group_barrier(struct tutti_group *group, const char *what, struct text *why)
{
    return group_reduce_max(group, NULL, 0, what, why);
}

/* Room for a text of that length; what was there is gone. */
static bool make_room(struct text *text, uint64_t length)
{
    text_release(text);
    text->bytes = length < SIZE_MAX ? malloc((size_t)length + 1) : NULL;
    if (!text->bytes)
        return false;
    text->bytes[length] = '\0';
    text->length = (size_t)length;
    text->capacity = (size_t)length + 1;
    return true;
}

int group_broadcast_text(struct tutti_group *group, struct text *text, int root, const char *what,
                         struct text *why)
{
    const bool is_root = group->rank == root;
    uint64_t length = text->length;
    int error = group_broadcast(group, &length, sizeof length, root, what, why);
    if (error)
        return error;
    /* A rank without memory, or a root with half a text, can't just leave: the others go on. */
    uint64_t failed = is_root ? text->failed : !make_room(text, length);
    error = group_reduce_max(group, &failed, 1, what, why);
    if (error)
        return error;
    if (failed) {
        if (why)
            text_add(why, "no memory for the text of %s", what);
        return TUTTI_ERR_MEMORY;
    }
    return group_broadcast(group, text->bytes, (size_t)length, root, what, why);
}
