/*
 * Declared buffers: what a launcher reads and writes. A tuner that is told poisons and restores
 * them itself, so that no run of a search finds what an earlier one left, and no candidate passes
 * for right with another one's outputs. What tutti does with them is in docs/calls.md.
 */
#ifndef TUTTI_BUFFERS_H
#define TUTTI_BUFFERS_H

#include <stddef.h>

#include <tutti/export.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tutti_buffers tutti_buffers;

/*
 * For a buffers callback: one buffer of this rank each, `bytes` of them at pointer; 0 bytes are
 * allowed, and nothing then. name is for messages, copied, cut after 47 bytes. An output must be
 * written in full by every run: one that leaves gaps, such as a strided one, is in-out. Buffers
 * must not overlap, unless both are in. Local; a mistake, or a lack of memory, is kept and becomes
 * the error of the call, TUTTI_ERR_ARGUMENT or TUTTI_ERR_MEMORY, on every rank.
 */
TUTTI_API void tutti_buffer_in(tutti_buffers *buffers, const char *name, const void *pointer,
                               size_t bytes);
TUTTI_API void tutti_buffer_out(tutti_buffers *buffers, const char *name, void *pointer,
                                size_t bytes);
TUTTI_API void tutti_buffer_inout(tutti_buffers *buffers, const char *name, void *pointer,
                                  size_t bytes);

/*
 * Adds the buffers of these args. Called once before what could change them: a search, or the first
 * run of a recorded configuration; never on a hit. Returns 0, or its own status, which is then
 * TUTTI_ERR_RUN on every rank. The pointers must stay valid until the call returns.
 */
typedef int (*tutti_buffers_fn)(tutti_buffers *buffers, void *args, void *user);

/*
 * How declared buffers are reached, for those that the processor can't: in a device's memory. All
 * ranks have the same. Both return 0 once the bytes are there, or their own status, which fails the
 * configuration, or the call if nothing has run yet. One side of a copy is in the host's memory.
 * They come after what was enqueued on stream before, tutti_call_options.stream.
 */
typedef struct tutti_memory_ops {
    size_t size; /* sizeof(tutti_memory_ops) */
    int (*copy)(void *self, void *to, const void *from, size_t bytes, void *stream);
    int (*fill)(void *self, void *to, unsigned char byte, size_t bytes, void *stream);
} tutti_memory_ops;

#ifdef __cplusplus
}
#endif
#endif
