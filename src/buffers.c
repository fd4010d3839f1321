/* Declared buffers. See buffers.h. */
#include "buffers.h"

#include <stdlib.h>
#include <string.h>

#define XXH_STATIC_LINKING_ONLY /* only for the streaming state on the stack */
#include <xxhash.h>

#include "mishap.h"
#include "tuner.h"

#define STAGING ((size_t)1 << 16) /* bytes of a device that are looked at at once */

static void refuse(tutti_buffers *buffers, const char *name, const char *mistake)
{
    if (buffers->mistake.length == 0)
        text_add(&buffers->mistake, "buffer \"%s\" %s", name, mistake);
}

static bool make_room(tutti_buffers *buffers)
{
    if (buffers->count < buffers->capacity)
        return true;
    const size_t capacity = buffers->capacity ? 2 * buffers->capacity : 8;
    struct buffer *list = realloc(buffers->list, capacity * sizeof *list);
    buffers->lacks_memory |= !list;
    if (!list)
        return false;
    buffers->list = list;
    buffers->capacity = capacity;
    return true;
}

static void add(tutti_buffers *buffers, const char *name, enum buffer_role role, void *pointer,
                size_t bytes)
{
    if (!name || !*name) {
        refuse(buffers, "", "has no name");
    } else if (!pointer && bytes > 0) {
        refuse(buffers, name, "is NULL");
    } else if (bytes > 0 && make_room(buffers)) {
        struct buffer *buffer = &buffers->list[buffers->count++];
        *buffer = (struct buffer){.role = role, .pointer = pointer, .bytes = bytes};
        strncat(buffer->name, name, sizeof buffer->name - 1);
    }
}

/* The caller's const is kept: an input is written to only to undo what a launcher did to it. */
void tutti_buffer_in(tutti_buffers *buffers, const char *name, const void *pointer, size_t bytes)
{
    add(buffers, name, BUFFER_IN, (void *)(uintptr_t)pointer, bytes);
}

void tutti_buffer_out(tutti_buffers *buffers, const char *name, void *pointer, size_t bytes)
{
    add(buffers, name, BUFFER_OUT, pointer, bytes);
}

void tutti_buffer_inout(tutti_buffers *buffers, const char *name, void *pointer, size_t bytes)
{
    add(buffers, name, BUFFER_INOUT, pointer, bytes);
}

/* ---- the bytes ---- */

static int copy(const tutti_buffers *buffers, void *to, const void *from, size_t bytes)
{
    if (buffers->memory)
        return buffers->memory->copy(buffers->memory_self, to, from, bytes, buffers->stream);
    memcpy(to, from, bytes);
    return 0;
}

static int fill(const tutti_buffers *buffers, unsigned char *to, unsigned char byte, size_t bytes)
{
    if (buffers->memory)
        return buffers->memory->fill(buffers->memory_self, to, byte, bytes, buffers->stream);
    memset(to, byte, bytes);
    return 0;
}

/* The bytes from an offset on, as many as can be looked at at once. */
static int look(const tutti_buffers *buffers, const struct buffer *buffer, size_t offset,
                const unsigned char **bytes, size_t *n)
{
    *bytes = buffer->pointer + offset;
    *n = buffer->bytes - offset;
    if (!buffers->memory)
        return 0;
    *n = *n < STAGING ? *n : STAGING;
    const unsigned char *there = *bytes;
    *bytes = buffers->staging;
    return copy(buffers, buffers->staging, there, *n);
}

static int hash(const tutti_buffers *buffers, const struct buffer *buffer, uint64_t *result)
{
    XXH3_state_t state;
    XXH3_64bits_reset(&state);
    const unsigned char *bytes;
    int status = 0;
    for (size_t offset = 0, n; offset < buffer->bytes && !status; offset += n) {
        status = look(buffers, buffer, offset, &bytes, &n);
        XXH3_64bits_update(&state, bytes, n);
    }
    *result = XXH3_64bits_digest(&state);
    return status;
}

static bool is_full_of_poison(const unsigned char *bytes, size_t n)
{
    return n == 0 || (bytes[0] == POISON && memcmp(bytes, bytes + 1, n - 1) == 0);
}

/* Whether all of the poison is still there. */
static int is_unwritten(const tutti_buffers *buffers, const struct buffer *buffer, bool *unwritten)
{
    const unsigned char *bytes;
    int status = 0;
    *unwritten = true;
    for (size_t offset = 0, n; offset < buffer->bytes && !status && *unwritten; offset += n) {
        status = look(buffers, buffer, offset, &bytes, &n);
        const size_t first = offset == 0;
        *unwritten =
            (!first || bytes[0] == POISON_FIRST) && is_full_of_poison(bytes + first, n - first);
    }
    return status;
}

/* ---- taking down and saving ---- */

static bool overlap(const struct buffer *a, const struct buffer *b)
{
    const uintptr_t first = (uintptr_t)a->pointer, second = (uintptr_t)b->pointer;
    return first < second + b->bytes && second < first + a->bytes;
}

static bool check_overlaps(const tutti_buffers *buffers, struct text *why)
{
    for (size_t i = 0; i < buffers->count; i++)
        for (size_t before = 0; before < i; before++) {
            const struct buffer *a = &buffers->list[before], *b = &buffers->list[i];
            if ((a->role == BUFFER_IN && b->role == BUFFER_IN) || !overlap(a, b))
                continue;
            text_add(why, "the declared buffers \"%s\" and \"%s\" overlap", a->name, b->name);
            return false;
        }
    return true;
}

static int save(tutti_buffers *buffers, struct buffer *buffer, struct text *why)
{
    if (buffer->role == BUFFER_OUT)
        return TUTTI_SUCCESS;
    buffer->saved = malloc(buffer->bytes);
    if (!buffer->saved) {
        text_add(why, "no memory to save the %zu bytes of buffer \"%s\"", buffer->bytes,
                 buffer->name);
        return TUTTI_ERR_MEMORY;
    }
    int status = copy(buffers, buffer->saved, buffer->pointer, buffer->bytes);
    if (status)
        text_add(why, "saving buffer \"%s\" returned %d", buffer->name, status);
    else if (buffer->role == BUFFER_IN)
        buffer->hash = XXH3_64bits(buffer->saved, buffer->bytes);
    return status ? TUTTI_ERR_RUN : TUTTI_SUCCESS;
}

static int ask(tutti_buffers *buffers, const struct call *call, struct text *why)
{
    int refusal = call->tuner->buffers(buffers, call->args, call->tuner->user);
    if (refusal) {
        text_add(why, "the buffers callback returned %d", refusal);
        return TUTTI_ERR_RUN;
    }
    if (buffers->lacks_memory || buffers->mistake.failed) {
        text_add(why, "no memory for the list of declared buffers");
        return TUTTI_ERR_MEMORY;
    }
    if (buffers->mistake.length > 0)
        text_add(why, "the declared %s", buffers->mistake.bytes);
    return buffers->mistake.length > 0 || !check_overlaps(buffers, why) ? TUTTI_ERR_ARGUMENT
                                                                        : TUTTI_SUCCESS;
}

int buffers_open(tutti_buffers *buffers, const struct call *call, struct text *why)
{
    const tutti_tuner *tuner = call->tuner;
    *buffers = (tutti_buffers){.memory = tuner->has_memory ? &tuner->memory : NULL,
                               .memory_self = tuner->memory_self,
                               .stream = call->stream};
    int error = ask(buffers, call, why);
    if (!error && buffers->memory) {
        buffers->staging = malloc(STAGING);
        if (!buffers->staging) {
            text_add(why, "no memory to look at declared buffers");
            error = TUTTI_ERR_MEMORY;
        }
    }
    for (size_t i = 0; i < buffers->count && !error; i++)
        error = save(buffers, &buffers->list[i], why);
    return error;
}

void buffers_close(tutti_buffers *buffers)
{
    for (size_t i = 0; i < buffers->count; i++)
        free(buffers->list[i].saved);
    free(buffers->list);
    free(buffers->staging);
    text_release(&buffers->mistake);
    *buffers = (tutti_buffers){0};
}

/* ---- around runs ---- */

static void blame(struct mishap *mishap, const char *what, const struct buffer *buffer, int status)
{
    if (status)
        mishap_set(mishap, MISHAP_FAILED, "%s buffer \"%s\" returned %d", what, buffer->name,
                   status);
}

static int restore(const tutti_buffers *buffers, const struct buffer *buffer)
{
    return copy(buffers, buffer->pointer, buffer->saved, buffer->bytes);
}

static int poison(const tutti_buffers *buffers, const struct buffer *buffer)
{
    int status = fill(buffers, buffer->pointer, POISON, buffer->bytes);
    return status ? status : fill(buffers, buffer->pointer, POISON_FIRST, 1);
}

void buffers_before_run(tutti_buffers *buffers, struct mishap *mishap)
{
    for (size_t i = 0; i < buffers->count; i++)
        if (buffers->list[i].role == BUFFER_OUT)
            blame(mishap, "poisoning", &buffers->list[i], poison(buffers, &buffers->list[i]));
    for (size_t i = 0; i < buffers->count; i++)
        if (buffers->list[i].role == BUFFER_INOUT)
            blame(mishap, "restoring", &buffers->list[i], restore(buffers, &buffers->list[i]));
    buffers->touched = true;
}

static void check_input(const tutti_buffers *buffers, const struct buffer *buffer,
                        struct mishap *mishap)
{
    uint64_t now;
    int status = hash(buffers, buffer, &now);
    blame(mishap, "looking at", buffer, status);
    if (status || now == buffer->hash)
        return;
    mishap_set(mishap, MISHAP_FAILED, "the run changed buffer \"%s\", which is declared as in",
               buffer->name);
    blame(mishap, "restoring", buffer, restore(buffers, buffer));
}

void buffers_after_run(tutti_buffers *buffers, struct mishap *mishap)
{
    for (size_t i = 0; i < buffers->count; i++)
        if (buffers->list[i].role == BUFFER_IN)
            check_input(buffers, &buffers->list[i], mishap);
}

void buffers_judge(const tutti_buffers *buffers, struct mishap *mishap)
{
    for (size_t i = 0; i < buffers->count; i++) {
        const struct buffer *buffer = &buffers->list[i];
        bool unwritten = false;
        if (buffer->role != BUFFER_OUT)
            continue;
        blame(mishap, "looking at", buffer, is_unwritten(buffers, buffer, &unwritten));
        if (unwritten)
            mishap_set(mishap, MISHAP_WRONG, "wrong outputs: buffer \"%s\" was not written",
                       buffer->name);
    }
}

/* An input that is as it was is not written to: it may be in memory that can't be. */
static bool needs_restoring(const tutti_buffers *buffers, const struct buffer *buffer)
{
    uint64_t now;
    if (buffer->role == BUFFER_IN)
        return hash(buffers, buffer, &now) || now != buffer->hash;
    return buffer->role == BUFFER_INOUT;
}

void buffers_restore(tutti_buffers *buffers)
{
    for (size_t i = 0; i < buffers->count && buffers->touched; i++)
        if (needs_restoring(buffers, &buffers->list[i]))
            restore(buffers, &buffers->list[i]);
    buffers->touched = false;
}
