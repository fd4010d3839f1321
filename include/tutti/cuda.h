/*
 * Timing on CUDA devices, and buffers in their memory (library libtutti-cuda). No header of CUDA is
 * needed to use it; docs/cuda.md has the whole story.
 *
 *     tutti_cuda_timer *timer;
 *     tutti_cuda_timer_create(stream, &timer, message, sizeof message);
 *     tutti_tuner_create(&(tutti_tuner_desc){..., .timer = tutti_cuda_timer_ops(),
 *                                            .timer_self = timer}, &tuner);
 *
 * Every function leaves the thread's current device as it found it.
 */
#ifndef TUTTI_CUDA_H
#define TUTTI_CUDA_H

#include <stddef.h>

#include <tutti/buffers.h>
#include <tutti/tuner.h>

#ifdef __cplusplus
extern "C" {
#endif

struct CUstream_st; /* cudaStream_t is a pointer to it */

typedef struct tutti_cuda_timer tutti_cuda_timer;

/*
 * A timer of what the launcher enqueues on a stream: events before and after it, and the device's
 * clock. The stream is the call's (tutti_call_options.stream), or else this one. Local; each rank
 * makes its own, and so does each thread that tunes, since a timer measures one region at a time.
 * Work on other streams counts if `stream` waits for it in the end.
 *
 * stream is a stream of any device, or NULL for the default stream of the current one; it must stay
 * valid as long as the timer. message (may be NULL) gets why it failed. On failure *timer is NULL.
 * Errors: TUTTI_ERR_ARGUMENT, TUTTI_ERR_MEMORY, TUTTI_ERR_DEVICE (CUDA reports an error).
 */
TUTTI_API int tutti_cuda_timer_create(struct CUstream_st *stream, tutti_cuda_timer **timer,
                                      char *message, size_t message_size);

/* Frees it, once no tuner uses it any more. Local. NULL is fine. */
TUTTI_API void tutti_cuda_timer_destroy(tutti_cuda_timer *timer);

/* The table for tutti_tuner_desc.timer; static storage. timer_self is a tutti_cuda_timer. Local. */
TUTTI_API const tutti_timer_ops *tutti_cuda_timer_ops(void);

/*
 * The table for tutti_tuner_desc.memory: declared buffers in a device's memory. Static storage.
 * memory_self is a tutti_cuda_timer, which may be the one that measures: its device, and its stream
 * where the call has none. Local.
 */
TUTTI_API const tutti_memory_ops *tutti_cuda_memory_ops(void);

#ifdef __cplusplus
}
#endif
#endif
