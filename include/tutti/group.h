/*
 * Groups: the ranks that call together. The core knows them only through the table of functions
 * below; the serial group is built in, MPI's is in <tutti/mpi.h>.
 *
 * A group belongs to one thread at a time: a second thread that starts a cold call on it gets
 * TUTTI_ERR_BUSY; hits of a second thread meanwhile are an error of the program that goes
 * unnoticed. After a stall, or an error of the transport, the group is broken, since its
 * pending operations can't be taken back; later calls on it return TUTTI_ERR_BROKEN at once.
 */
#ifndef TUTTI_GROUP_H
#define TUTTI_GROUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tutti/export.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tutti_group tutti_group;

/* The state of one wait: when it began, when to warn, when to give up. Owned by the core. */
typedef struct tutti_wait tutti_wait;

/*
 * For a group's functions, between two looks at a pending operation: yields the processor, warns
 * once the operation is late, and returns false when its time is up. Then the operation must be
 * abandoned, and the group function returns TUTTI_ERR_STALL. Local.
 */
TUTTI_API bool tutti_wait_more(tutti_wait *wait);

/*
 * What a kind of group must be able to do. All ranks make the same sequence of calls. Functions
 * return TUTTI_SUCCESS, TUTTI_ERR_STALL or TUTTI_ERR_GROUP. self is what the group was created
 * with.
 */
typedef struct tutti_group_ops {
    size_t size;      /* sizeof(tutti_group_ops) */
    const char *kind; /* "serial", "mpi", ...: static storage; part of a record's identity */

    /* Each of n words becomes the maximum over the ranks; n = 0 is a barrier. After an error the
     * words are the caller's again: nothing may write to them later. Collective. */
    int (*reduce_max)(void *self, uint64_t *words, size_t n, tutti_wait *wait);

    /* The root's bytes reach all ranks; n > 0; otherwise as reduce_max. Collective. */
    int (*broadcast)(void *self, void *bytes, size_t n, int root, tutti_wait *wait);

    /*
     * Optional, may be NULL: called on a rank that has given up its operation number `sequence`, or
     * whose transport failed in it. Lets the other ranks know, so that those who wait give up too,
     * and finds out who waited: here[rank] = 1 (0 on entry). Must return within a second or so, and
     * with an error if it can't say anything.
     */
    int (*present)(void *self, uint64_t sequence, unsigned char *here);

    /* Frees self. broken: operations are still pending, so nothing that would wait for them. */
    void (*release)(void *self, bool broken);
} tutti_group_ops;

typedef struct tutti_group_desc {
    size_t size;                /* sizeof(tutti_group_desc) */
    const tutti_group_ops *ops; /* copied */
    void *self;                 /* handed to every function of ops; released with the group */
    int rank, ranks;            /* 0 <= rank < ranks; rank 0 is the root */
    const uint32_t *node_of;    /* ranks numbers: the node of each rank, the same on all ranks;
                                   NULL: all on one node. Copied. */
    const char *transport;      /* the transport's name and version, for the environment part of
                                   records; may be NULL. Copied. */
} tutti_group_desc;

/*
 * Makes a group from a table of functions. Local (but all its ranks make one). On success the group
 * owns self. Errors: TUTTI_ERR_ARGUMENT, TUTTI_ERR_MEMORY; then self stays the caller's.
 */
TUTTI_API int tutti_group_create(const tutti_group_desc *desc, tutti_group **group);

/* A group of one rank, this process alone. Local. Errors: TUTTI_ERR_MEMORY. */
TUTTI_API int tutti_group_create_serial(tutti_group **group);

/*
 * One more, one less owner; the last release frees the group. Local for the core; a kind of group
 * may make the last release collective and says so. NULL is allowed and ignored.
 */
TUTTI_API void tutti_group_retain(tutti_group *group);
TUTTI_API void tutti_group_release(tutti_group *group);

/* The number of this rank in the group, from 0; how many ranks the group has. Local. */
TUTTI_API int tutti_group_rank(const tutti_group *group);
TUTTI_API int tutti_group_ranks(const tutti_group *group);

/* How much a message matters; TUTTI_LOG sets down to which level they are given out. */
enum tutti_log_level { TUTTI_LOG_ERROR, TUTTI_LOG_WARN, TUTTI_LOG_INFO, TUTTI_LOG_DEBUG };

/*
 * Takes one message of the log: its enum tutti_log_level; the name of the tuned function that it is
 * about, or "" if it is about the group; and a sentence in one line, without a line break at its
 * end. Both texts are valid until the function returns. It must not call tutti. A watchdog
 * (TUTTI_RUN_TIMEOUT) calls it in its own thread, while a launcher does not return.
 */
typedef void (*tutti_log_fn)(int level, const char *function, const char *sentence, void *user);

/*
 * Takes over the log of this group on this rank, from the next message on, also those of the first
 * call; log NULL is stderr again. user is handed to log, and must live until the group is freed or
 * its log is set anew. What all ranks know alike is said on rank 0 only. Not while a call on the
 * group is running. Local. Errors: TUTTI_ERR_ARGUMENT.
 */
TUTTI_API int tutti_group_set_log(tutti_group *group, tutti_log_fn log, void *user);

#ifdef __cplusplus
}
#endif
#endif
