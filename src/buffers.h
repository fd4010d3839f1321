/*
 * Declared buffers in a call: taken down and saved before anything runs, poisoned and restored
 * before each run of a search, looked at after it.
 */
#ifndef BUFFERS_H
#define BUFFERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tutti/buffers.h>

#include "text.h"

struct call;
struct mishap;

/* What fills an output before a run: not a number in every floating-point type, -1 in signed
 * integers, out of range as an index. The first byte is another one, so that an output that is
 * rightly full of them is not taken for one that nobody wrote. */
#define POISON       0xff
#define POISON_FIRST 0xfe

enum buffer_role { BUFFER_IN, BUFFER_OUT, BUFFER_INOUT };

struct buffer {
    char name[48];
    enum buffer_role role;
    unsigned char *pointer;
    size_t bytes;
    unsigned char *saved; /* a copy in the host's memory; NULL of an output */
    uint64_t hash;        /* of an input, as it was at first */
};

struct tutti_buffers {
    struct buffer *list;
    size_t count, capacity;
    const tutti_memory_ops *memory; /* NULL: the processor reaches them */
    void *memory_self, *stream;
    unsigned char *staging; /* where bytes of a device are looked at; NULL without memory ops */
    struct text mistake;
    bool lacks_memory;
    bool touched; /* something has run since they were restored */
};

/*
 * Asks the tuner's callback, and saves what may be changed. Returns the error for the agreement,
 * with its sentence in why. buffers_close is due in any case. Local.
 */
int buffers_open(struct tutti_buffers *buffers, const struct call *call, struct text *why);
void buffers_close(struct tutti_buffers *buffers);

/* Before a run: outputs are poisoned, in-outs restored. Local. */
void buffers_before_run(struct tutti_buffers *buffers, struct mishap *mishap);

/* After a run, whose work is complete: an input that was changed is restored, and a mishap. Local.
 */
void buffers_after_run(struct tutti_buffers *buffers, struct mishap *mishap);

/* After a run that is judged: an output that nobody wrote is a mishap. Local. */
void buffers_judge(const struct tutti_buffers *buffers, struct mishap *mishap);

/* Gives inputs and in-outs back as they were at first, if anything has run since. Local. */
void buffers_restore(struct tutti_buffers *buffers);

#endif
