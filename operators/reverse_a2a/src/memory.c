/* Makes, repairs and frees symmetric memory (see memory.h). */
#include "memory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agree.h"
#include "operands.h"
#include "read_peer.h"

#define SPINS 200 /* idle rounds, each some tens of nanoseconds */

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

static int check_nodes(struct reverse_a2a_memory *memory, bool across_nodes)
{
    MPI_Comm node;
    if (MPI_Comm_split_type(memory->comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node) !=
        MPI_SUCCESS)
        return REVERSE_A2A_ERROR_MPI;
    int here;
    MPI_Comm_size(node, &here);
    MPI_Comm_free(&node);
    int result = here == memory->ranks ? REVERSE_A2A_OK : REVERSE_A2A_ERROR_NODES;
    result = reverse_a2a_agree(memory->comm, result);
    memory->shared = result == REVERSE_A2A_OK;
    return result == REVERSE_A2A_ERROR_NODES && across_nodes ? REVERSE_A2A_OK : result;
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

static void find_segments(struct reverse_a2a_memory *memory)
{
    for (int i = 0; i < memory->ranks; i++) {
        char *start = memory->segments->parts[i];
        memory->peers[i].segment = (struct reverse_a2a_segment *)(void *)start;
        memory->peers[i].peer_mem = start + signal_bytes(memory->ranks);
    }
    struct reverse_a2a_segment *mine = memory->peers[memory->rank].segment;
    for (int i = 0; i < memory->ranks; i++) {
        memory->peers[i].outgoing = &memory->peers[i].segment->from[memory->rank];
        memory->peers[i].incoming = &mine->from[i];
    }
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

static int set_up_segments(struct reverse_a2a_memory *memory, unsigned char fill)
{
    size_t bytes = signal_bytes(memory->ranks) + memory->bytes;
    int result = reverse_a2a_shared_create(memory->comm, bytes, &memory->segments);
    if (result == REVERSE_A2A_OK)
        result = reverse_a2a_shared_fill(memory->segments, fill);
    if (result != REVERSE_A2A_OK)
        return result;
    find_segments(memory);
    set_up_signals(memory);
    reverse_a2a_offer_reading(memory);
    result = reverse_a2a_barrier(memory->comm);
    reverse_a2a_shared_touch(memory->segments);
    return result ? result : reverse_a2a_probe_reading(memory);
}

/* Where ranks outnumber processors, whoever is waited for needs the processor of who waits. */
static void choose_spins(struct reverse_a2a_memory *memory)
{
    memory->spins = memory->ranks <= sysconf(_SC_NPROCESSORS_ONLN) ? SPINS : 0;
}

static int set_up(struct reverse_a2a_memory *memory, size_t bytes,
                  const struct reverse_a2a_memory_options *options)
{
    int result = check_nodes(memory, options->across_nodes);
    if (result == REVERSE_A2A_OK)
        result = agree_on_sizes(memory, bytes, options->first_base);
    choose_spins(memory);
    if (result == REVERSE_A2A_OK && memory->shared)
        result = set_up_segments(memory, options->fill);
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
    static const struct reverse_a2a_memory_options defaults = {0};
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
    reverse_a2a_free_operands(memory);
    reverse_a2a_shared_free(memory->segments);
    MPI_Comm_free(&memory->comm);
    free(memory);
}

int reverse_a2a_memory_recover(struct reverse_a2a_memory *memory)
{
    if (!memory)
        return REVERSE_A2A_ERROR_ARGUMENT;
    int lost = memory->lost_messages ? REVERSE_A2A_ERROR_BROKEN : REVERSE_A2A_OK;
    int result = reverse_a2a_agree(memory->comm, lost);
    if (result != REVERSE_A2A_OK)
        return result;
    /* No signal of an unfinished call may be above the new base: base was raised by that call too.
     */
    uint64_t highest;
    result = reverse_a2a_find_largest(memory->comm, memory->base, &highest);
    if (result != REVERSE_A2A_OK)
        return result;
    memory->base = highest + 1;
    if (memory->shared)
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
    if (memory->shared)
        atomic_store(&memory->peers[memory->rank].segment->gave_up, 1);
}

void reverse_a2a_begin_call(struct reverse_a2a_memory *memory)
{
    for (int i = 0; i < memory->ranks; i++) {
        memory->peers[i].produced = 0;
        memory->peers[i].consumed = 0;
        memory->peers[i].faulty = false;
        memory->peers[i].left = false;
    }
}
