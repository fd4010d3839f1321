/*
 * Groups whose ranks are threads of one process: for several devices in one process, and for tests.
 * Part of libtutti.
 */
#ifndef TUTTI_THREADS_H
#define TUTTI_THREADS_H

#include <tutti/group.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * A group of `ranks` threads: groups[rank] becomes the handle of that rank, for all ranks at once.
 * Local: one thread makes them and gives one to each of the others. From then on each handle
 * belongs to its own thread, and what is collective over the group must be called by all of these
 * threads, each with its own handle. One tuner may serve them all, or each may have its own.
 *
 * Each handle is released on its own, also while other ranks still call; what they share goes with
 * the last. All ranks are on one node; the kind "threads" is part of a record's identity.
 *
 * A rank that gives up waiting breaks the group for all, and all give the same reason: whether an
 * operation was completed or given up is decided once. Threads that make different operations are
 * told so with TUTTI_ERR_GROUP, each in the operation that it makes.
 *
 * Errors: TUTTI_ERR_ARGUMENT (groups is NULL, ranks is less than 1 or more than 65,536),
 * TUTTI_ERR_MEMORY; then every groups[rank] is NULL.
 */
TUTTI_API int tutti_group_create_threads(int ranks, tutti_group *groups[]);

#ifdef __cplusplus
}
#endif
#endif
