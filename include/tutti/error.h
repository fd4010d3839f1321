/*
 * Errors. Every function that can fail returns an int: TUTTI_SUCCESS or one of the negative values
 * below. The sentence that says which rank, which configuration and which field is kept beside it:
 * tutti_message() for calls, a buffer of the caller's for creation.
 */
#ifndef TUTTI_ERROR_H
#define TUTTI_ERROR_H

#include <tutti/export.h>

#ifdef __cplusplus
extern "C" {
#endif

enum tutti_error {
    TUTTI_SUCCESS = 0,
    TUTTI_ERR_ARGUMENT = -1, /* an argument is invalid: NULL, out of range, wrong size */
    TUTTI_ERR_MEMORY = -2,   /* memory could not be allocated, here or on another rank */
    TUTTI_ERR_SPACE = -3,    /* the table of parameters is empty, ambiguous or absurdly large */
    TUTTI_ERR_KEY = -4,      /* a key callback failed, or made an invalid key, on some rank */
    TUTTI_ERR_SETTING = -5,  /* a setting has a value that is not allowed */
    TUTTI_ERR_DISAGREE = -6, /* the ranks of the group brought different things to one call */
    TUTTI_ERR_PRUNED = -7,  /* no configuration survives pruning, and that was set to be an error */
    TUTTI_ERR_FAILED = -8,  /* every configuration that was tried failed */
    TUTTI_ERR_RUN = -9,     /* the launcher itself reported a failure */
    TUTTI_ERR_MISS = -10,   /* nothing is known for this key, and searching is off, or impossible */
    TUTTI_ERR_STALL = -11,  /* a rank did not take part in time; the group is broken from now on */
    TUTTI_ERR_BROKEN = -12, /* the group stalled or lost its transport in an earlier operation */
    TUTTI_ERR_BUSY = -13,   /* another thread is inside a call on this group */
    TUTTI_ERR_GROUP = -14,  /* the group's transport failed */
    TUTTI_ERR_REFERENCE = -15, /* verify could not judge: its reference failed on some rank */
    TUTTI_ERR_DEVICE = -16, /* the timer's device fails, or is lost, on some rank: its process is of
                               no more use for that device */
    TUTTI_ERR_STORE = -17,  /* a directory of records, or a file in it, can't be read or written */
    TUTTI_ERR_RECORD = -18  /* not a record, or one that contradicts itself */
};

/* A short description of an error, in static storage; never NULL. Local. */
TUTTI_API const char *tutti_strerror(int error);

#ifdef __cplusplus
}
#endif
#endif
