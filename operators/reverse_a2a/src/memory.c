/* Makes, repairs and frees symmetric memory (see memory.h). */
#include "memory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agree.h"

static size_t round_up(size_t value, size_t unit)
{
    return (value + unit - 1) / unit * unit;
}

/* peer_mem begins on a page of its own, so that copying never shares a page with the signals. */
static size_t signal_bytes(int ranks)
{
    size_t words =
        sizeof(struct reverse_a2a_segment) + (size_t)ranks * sizeof(struct reverse_a2a_words);
    return round_up(words, (size_t)sysconf(_SC_PAGESIZE));
}

static int check_one_node(MPI_Comm comm)
{
    MPI_Comm node;
    if (MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node) != MPI_SUCCESS)
        return REVERSE_A2A_ERROR_MPI;
    int all, here;
    MPI_Comm_size(comm, &all);
    MPI_Comm_size(node, &here);
    MPI_Comm_free(&node);
    return reverse_a2a_agree(comm, here == all ? REVERSE_A2A_OK : REVERSE_A2A_ERROR_NODES);
}

/* The largest size and first base that any rank brought hold on all. */
static int agree_on_sizes(struct reverse_a2a_memory *memory, size_t bytes, uint64_t first_base)
{
    uint64_t largest = 0;
    int result = reverse_a2a_find_largest(memory->comm, bytes, &largest);
    if (result == REVERSE_A2A_OK)
        result = reverse_a2a_find_largest(memory->comm, first_base, &memory->base);
    if (result != REVERSE_A2A_OK)
        return result;
    size_t limit = PTRDIFF_MAX / (size_t)memory->ranks;
    size_t overhead = signal_bytes(memory->ranks) + REVERSE_A2A_LINE;
    if (largest > limit || largest + overhead > limit)
        return REVERSE_A2A_ERROR_TOO_LARGE;
    memory->bytes = (size_t)largest;
    return REVERSE_A2A_OK;
}

static int allocate_window(struct reverse_a2a_memory *memory)
{
    /* Each rank's part on pages of its own, which the owner touches first: near to the consumer. */
    MPI_Info info;
    MPI_Info_create(&info);
    MPI_Info_set(info, "alloc_shared_noncontig", "true");
    size_t bytes = signal_bytes(memory->ranks) + memory->bytes + REVERSE_A2A_LINE;
    void *mine;
    int error =
        MPI_Win_allocate_shared((MPI_Aint)bytes, 1, info, memory->comm, &mine, &memory->window);
    MPI_Info_free(&info);
    if (error != MPI_SUCCESS)
        memory->window = MPI_WIN_NULL;
    else
        MPI_Win_set_errhandler(memory->window, MPI_ERRORS_RETURN);
    return reverse_a2a_agree(memory->comm, error == MPI_SUCCESS ? REVERSE_A2A_OK
                                                                : REVERSE_A2A_ERROR_OUT_OF_MEMORY);
}

static int find_segments(struct reverse_a2a_memory *memory)
{
    for (int i = 0; i < memory->ranks; i++) {
        MPI_Aint size;
        int unit;
        char *start;
        if (MPI_Win_shared_query(memory->window, i, &size, &unit, &start) != MPI_SUCCESS)
            return REVERSE_A2A_ERROR_MPI;
        /* Segments begin at the same offset in a page in every process, so all round up alike. */
        start += round_up((uintptr_t)start, REVERSE_A2A_LINE) - (uintptr_t)start;
        memory->peers[i].segment = (struct reverse_a2a_segment *)(void *)start;
        memory->peers[i].peer_mem = start + signal_bytes(memory->ranks);
    }
    struct reverse_a2a_segment *mine = memory->peers[memory->rank].segment;
    for (int i = 0; i < memory->ranks; i++) {
        memory->peers[i].outgoing = &memory->peers[i].segment->from[memory->rank];
        memory->peers[i].incoming = &mine->from[i];
    }
    return REVERSE_A2A_OK;
}

/* As if every earlier call were over: all slots free, nothing ready. Only this rank's segment, and
 * only between barriers: otherwise these words belong to the peers. */
static void set_up_signals(struct reverse_a2a_memory *memory)
{
    struct reverse_a2a_segment *mine = memory->peers[memory->rank].segment;
    atomic_store(&mine->gave_up, 0);
    for (int i = 0; i < memory->ranks; i++) {
        atomic_store(&mine->from[i].ready, memory->base);
        atomic_store(&mine->from[i].fault, 0);
        atomic_store(&mine->from[i].free, memory->base);
        memory->peers[i].seen_free = memory->base;
        memory->peers[i].seen_ready = memory->base;
    }
}

/* A first access to a peer's page costs a fault in this process too: it must not fall into a call.
 */
static void touch_peers(const struct reverse_a2a_memory *memory)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    for (int i = 0; i < memory->ranks; i++) {
        const volatile char *bytes = memory->peers[i].peer_mem;
        for (size_t at = 0; at < memory->bytes; at += page)
            (void)bytes[at];
    }
}

static int set_up(struct reverse_a2a_memory *memory, size_t bytes,
                  const struct reverse_a2a_memory_options *options)
{
    int result = check_one_node(memory->comm);
    if (result == REVERSE_A2A_OK)
        result = agree_on_sizes(memory, bytes, options->first_base);
    if (result == REVERSE_A2A_OK)
        result = allocate_window(memory);
    if (result != REVERSE_A2A_OK)
        return result;
    result = reverse_a2a_agree(memory->comm, find_segments(memory));
    if (result != REVERSE_A2A_OK)
        return result;
    memset(memory->peers[memory->rank].segment, options->fill,
           signal_bytes(memory->ranks) + memory->bytes);
    set_up_signals(memory);
    result = reverse_a2a_barrier(memory->comm);
    touch_peers(memory);
    return result;
}

/* Collective on all outcomes: the handle exists on all ranks or on none. */
static int allocate_handle(MPI_Comm own, struct reverse_a2a_memory **memory)
{
    int ranks;
    MPI_Comm_size(own, &ranks);
    struct reverse_a2a_memory *m =
        calloc(1, sizeof(*m) + (size_t)ranks * sizeof(struct reverse_a2a_peer));
    int result = reverse_a2a_agree(own, m ? REVERSE_A2A_OK : REVERSE_A2A_ERROR_OUT_OF_MEMORY);
    if (result != REVERSE_A2A_OK) {
        free(m);
        return result;
    }
    m->comm = own;
    m->window = MPI_WIN_NULL;
    m->ranks = ranks;
    MPI_Comm_rank(own, &m->rank);
    *memory = m;
    return REVERSE_A2A_OK;
}

int reverse_a2a_memory_create(MPI_Comm comm, size_t bytes,
                              const struct reverse_a2a_memory_options *options,
                              struct reverse_a2a_memory **memory)
{
    if (!memory)
        return REVERSE_A2A_ERROR_ARGUMENT;
    *memory = NULL;
    if (comm == MPI_COMM_NULL)
        return REVERSE_A2A_ERROR_ARGUMENT;
    MPI_Comm own;
    if (MPI_Comm_dup(comm, &own) != MPI_SUCCESS)
        return REVERSE_A2A_ERROR_MPI;
    MPI_Comm_set_errhandler(own, MPI_ERRORS_RETURN);

    struct reverse_a2a_memory *m;
    int result = allocate_handle(own, &m);
    if (result != REVERSE_A2A_OK) {
        MPI_Comm_free(&own);
        return result;
    }
    static const struct reverse_a2a_memory_options defaults = {0, 0};
    result = set_up(m, bytes, options ? options : &defaults);
    if (result != REVERSE_A2A_OK) {
        reverse_a2a_memory_destroy(m);
        return result;
    }
    *memory = m;
    return REVERSE_A2A_OK;
}

void reverse_a2a_memory_destroy(struct reverse_a2a_memory *memory)
{
    if (!memory)
        return;
    if (memory->window != MPI_WIN_NULL)
        MPI_Win_free(&memory->window);
    MPI_Comm_free(&memory->comm);
    free(memory);
}

int reverse_a2a_memory_recover(struct reverse_a2a_memory *memory)
{
    if (!memory)
        return REVERSE_A2A_ERROR_ARGUMENT;
    /* No signal of an unfinished call may be above the new base: base was raised by that call too.
     */
    uint64_t highest;
    int result = reverse_a2a_find_largest(memory->comm, memory->base, &highest);
    if (result != REVERSE_A2A_OK)
        return result;
    memory->base = highest + 1;
    set_up_signals(memory);
    memory->broken = false;
    return reverse_a2a_barrier(memory->comm);
}

int reverse_a2a_memory_set_stall_limit(struct reverse_a2a_memory *memory, double seconds)
{
    if (!memory || !isfinite(seconds) || seconds < 0)
        return REVERSE_A2A_ERROR_ARGUMENT;
    memory->stall_limit = seconds;
    return REVERSE_A2A_OK;
}

int reverse_a2a_memory_state(const struct reverse_a2a_memory *memory)
{
    return memory->broken ? REVERSE_A2A_ERROR_BROKEN : REVERSE_A2A_OK;
}

const char *reverse_a2a_memory_reason(const struct reverse_a2a_memory *memory)
{
    return memory->reason;
}

int reverse_a2a_memory_ranks(const struct reverse_a2a_memory *memory)
{
    return memory->ranks;
}

size_t reverse_a2a_memory_size(const struct reverse_a2a_memory *memory)
{
    return memory->bytes;
}

uint64_t reverse_a2a_memory_base(const struct reverse_a2a_memory *memory)
{
    return memory->base;
}

int reverse_a2a_memory_fail(struct reverse_a2a_memory *memory, int result, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(memory->reason, sizeof(memory->reason), format, arguments);
    va_end(arguments);
    return result;
}

void reverse_a2a_memory_give_up(struct reverse_a2a_memory *memory)
{
    memory->broken = true;
    atomic_store(&memory->peers[memory->rank].segment->gave_up, 1);
}
