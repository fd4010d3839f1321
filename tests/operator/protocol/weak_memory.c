/*
 * Plays the weak memory (see weak_memory.h). Whatever touches shared memory does so under one lock:
 * the ranks' accesses are put off and pulled forward here, not by the processor.
 *
 * The operator's choice of kernels is wrapped by the linker, so that its copies come here; and so
 * is the call.
 */
#include "weak_memory.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "copy.h"
#include "hooks.h"
#include "ranks.h"
#include "reverse_a2a/reverse_a2a.h"

/* An access to shared memory that is still to take place. */
struct put_off {
    struct put_off *next;
    char *to;
    const char *from; /* of a load; NULL for a store, whose data is below */
    size_t bytes;
    bool word; /* no payload, but a relaxed store of a signal word: mutants leave these alone */
    bool unfenced;
    char data[];
};

/* A piece of shared memory as a rank saw it at its last acquire load. */
struct view {
    struct view *next;
    const char *start;
    size_t bytes;
    char seen[];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static enum weak_memory_mode mode;
static enum weak_memory_mutant mutant;
static unsigned put_off_count;
/* A signal of rank 0 that came before its payload, and the first peer to read it. */
static struct {
    const _Atomic uint64_t *word;
    uint64_t value;
    int reader;
    bool reacted;
} awaited = {.reader = -1};
static _Thread_local struct put_off *put_off; /* oldest first */
static _Thread_local struct view *views;

static void *allocate(size_t bytes)
{
    void *memory = malloc(bytes);
    if (!memory)
        abort();
    return memory;
}

void set_weak_memory(enum weak_memory_mode new_mode, enum weak_memory_mutant new_mutant)
{
    mode = new_mode;
    mutant = new_mutant;
    put_off_count = 0;
}

unsigned count_put_off(void)
{
    return put_off_count;
}

static void take_place(struct put_off *access)
{
    memcpy(access->to, access->from ? access->from : access->data, access->bytes);
    free(access);
}

/* Of one rank only: two would wait for each other. */
static bool signals_first(void)
{
    return mutant == SIGNALS_BEFORE_COPYING && own_rank() == 0;
}

/* Which accesses a release store of this (perhaps mutated) operator orders before itself. */
static bool is_ordered(const struct put_off *access)
{
    if (access->word)
        return true;
    if (signals_first())
        return access->from != NULL;
    if (access->from)
        return mutant != LOADS_NOT_RELEASED;
    return mutant != STORES_NOT_RELEASED && !access->unfenced;
}

static void let_take_place(bool all)
{
    struct put_off **link = &put_off;
    while (*link) {
        struct put_off *access = *link;
        if (!all && !is_ordered(access)) {
            link = &access->next;
            continue;
        }
        *link = access->next;
        take_place(access);
    }
}

static void forget_views(void)
{
    while (views) {
        struct view *first = views;
        views = first->next;
        free(first);
    }
}

static void take_view(char *start, size_t bytes, void *context)
{
    (void)context;
    struct view *view = allocate(sizeof(*view) + bytes);
    *view = (struct view){.next = views, .start = start, .bytes = bytes};
    memcpy(view->seen, start, bytes);
    views = view;
}

static void look_around(void)
{
    forget_views();
    visit_shared_memory(take_view, NULL);
}

/* What a view shows of an address; NULL if that is not in shared memory. */
static const char *find_in_view(const void *address)
{
    const char *wanted = address;
    for (const struct view *view = views; view; view = view->next)
        if (wanted >= view->start && wanted < view->start + view->bytes)
            return view->seen + (wanted - view->start);
    return NULL;
}

/* Only a value that is new to this rank tells it of anything. */
static bool is_news(const _Atomic uint64_t *word, uint64_t value)
{
    uint64_t seen;
    const char *view = find_in_view(word);
    if (!view)
        return true;
    memcpy(&seen, view, sizeof(seen));
    return seen != value;
}

uint64_t hook_load(const _Atomic uint64_t *word, memory_order order)
{
    pthread_mutex_lock(&lock);
    uint64_t value = load_word(word, order);
    bool acquires = order != memory_order_relaxed && mutant != SIGNALS_NOT_ACQUIRED;
    if (mode == EARLY && acquires && is_news(word, value))
        look_around();
    if (word == awaited.word && value >= awaited.value && awaited.reader < 0)
        awaited.reader = own_rank();
    pthread_mutex_unlock(&lock);
    return value;
}

static struct put_off *append(char *to, size_t bytes, size_t bytes_of_data)
{
    struct put_off *access = allocate(sizeof(*access) + bytes_of_data);
    *access = (struct put_off){.to = to, .bytes = bytes};
    struct put_off **link = &put_off;
    while (*link)
        link = &(*link)->next;
    *link = access;
    put_off_count++;
    return access;
}

static struct put_off *put_store_off(char *to, const void *from, size_t bytes)
{
    struct put_off *access = append(to, bytes, bytes);
    memcpy(access->data, from, bytes);
    return access;
}

/* The calling rank has something to do with the awaited signal only after it has read it. */
static void note_reaction(void)
{
    awaited.reacted |= awaited.reader == own_rank();
}

static bool stores_payload(void)
{
    for (const struct put_off *access = put_off; access; access = access->next)
        if (!access->word && !access->from)
            return true;
    return false;
}

/* SIGNALS_BEFORE_COPYING: the signal was given, and the copy comes when a peer has acted on it. */
static void wait_for_reaction(const _Atomic uint64_t *word, uint64_t value)
{
    awaited.word = word;
    awaited.value = value;
    awaited.reader = -1;
    awaited.reacted = false;
    while (!awaited.reacted) {
        pthread_mutex_unlock(&lock);
        sched_yield();
        pthread_mutex_lock(&lock);
    }
    awaited.word = NULL;
    let_take_place(true);
}

void hook_store(_Atomic uint64_t *word, uint64_t value, memory_order order)
{
    pthread_mutex_lock(&lock);
    if (order == memory_order_relaxed) {
        put_store_off((char *)word, &value, sizeof(value))->word = true;
    } else {
        let_take_place(false);
        note_reaction();
        store_word(word, value, order);
        if (signals_first() && stores_payload())
            wait_for_reaction(word, value);
    }
    pthread_mutex_unlock(&lock);
}

struct place {
    const char *address;
    bool shared;
};

static void is_it_here(char *start, size_t bytes, void *context)
{
    struct place *place = context;
    place->shared |= place->address >= start && place->address < start + bytes;
}

static bool is_shared(const char *address)
{
    struct place place = {address, false};
    visit_shared_memory(is_it_here, &place);
    return place.shared;
}

static void load_run(char *to, const char *from, size_t bytes)
{
    if (mode == LATE) {
        append(to, bytes, 0)->from = from;
        return;
    }
    if (!views)
        look_around();
    memcpy(to, find_in_view(from), bytes);
}

static void copy_run(char *to, const char *from, size_t bytes, bool streams)
{
    bool own = !is_shared(to) && !is_shared(from);
    if (own)
        memcpy(to, from, bytes);
    else if (is_shared(to))
        put_store_off(to, from, bytes)->unfenced = streams;
    else
        load_run(to, from, bytes);
}

static void copy_runs(char *to, size_t to_stride, const char *from, size_t from_stride,
                      size_t count, size_t width, bool streams)
{
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < count; i++)
        copy_run(to + i * to_stride, from + i * from_stride, width, streams);
    pthread_mutex_unlock(&lock);
}

static void copy_wide(char *to, size_t to_stride, const char *from, size_t from_stride,
                      size_t count, size_t width)
{
    copy_runs(to, to_stride, from, from_stride, count, width, false);
}

static void copy_streaming(char *to, size_t to_stride, const char *from, size_t from_stride,
                           size_t count, size_t width)
{
    copy_runs(to, to_stride, from, from_stride, count, width, true);
}

static void fence(void)
{
    for (struct put_off *access = put_off; access; access = access->next)
        access->unfenced = mutant == FENCE_FORGOTTEN && access->unfenced;
}

const struct reverse_a2a_kernel_set *__wrap_reverse_a2a_find_kernels(void);

const struct reverse_a2a_kernel_set *__wrap_reverse_a2a_find_kernels(void)
{
    static const struct reverse_a2a_kernel_set set = {.name = "weak",
                                                      .wide = {copy_wide, NULL},
                                                      .prefetching = {copy_wide, NULL},
                                                      .streaming = {copy_streaming, fence}};
    return &set;
}

int __real_reverse_a2a_execute(struct reverse_a2a_plan *plan, const void *in, void *out);
int __wrap_reverse_a2a_execute(struct reverse_a2a_plan *plan, const void *in, void *out);

int __wrap_reverse_a2a_execute(struct reverse_a2a_plan *plan, const void *in, void *out)
{
    int result = __real_reverse_a2a_execute(plan, in, out);
    pthread_mutex_lock(&lock);
    let_take_place(true);
    note_reaction();
    forget_views();
    pthread_mutex_unlock(&lock);
    return result;
}
