/*
 * The staged engine: a pipeline through peer_mem[slots][block_s][P*H][D] of the receiving rank.
 *
 * For each block of S the producer waits until its slot is free, writes the block into the target's
 * peer_mem and publishes it; the consumer waits for it, copies it into C, and frees the slot. Each
 * rank is producer and consumer of all its channels in one thread, and never waits for one channel
 * while another can move.
 *
 * The signals of a call that begins with the counter `base`, K blocks, slot of block k = k mod
 * slots:
 *
 *     block k may be written once     free >= base  and  free >= base + k + 1 - slots
 *     block k is there once           ready >= base + k + 1
 *     block k has been taken:         free  = base + k + 1
 *     the consumer's end of the call: free  = base + K + 1, which is the next call's base
 *
 * Blocks of different sources lie interleaved in peer_mem, and in the next call another plan may
 * cut it differently. Therefore a consumer ends the call on no channel before all its channels are
 * empty.
 *
 * A rank whose buffers are wrong writes base + 1 into its fault words before it publishes block 0,
 * and goes through the signals without data. The consumer reads the word with block 0, that is,
 * before it ends the call on the channel, and so before the producer can write the word again.
 */
#include <sched.h>
#include <time.h>

#include "copy.h"
#include "plan.h"

/* Idle rounds between two looks at the clock and at whether a peer gave up. */
#define ROUNDS_PER_CHECK 256

struct call {
    const struct reverse_a2a_plan *plan;
    struct reverse_a2a_memory *memory;
    const char *a;
    char *c;
    bool faulty;
    uint64_t base;
    size_t to_produce, to_consume; /* blocks left, over all channels */
    size_t stage_stride_s;         /* bytes between rows of S in peer_mem */
    unsigned idle_rounds;
    double idle_since; /* seconds; valid if idle_rounds >= ROUNDS_PER_CHECK */
};

static bool staged_peer_bytes(const struct reverse_a2a_layout *layout,
                              const struct reverse_a2a_tiling *tiling, size_t *bytes)
{
    *bytes = 0;
    if (layout->ranks == 1 || tiling->blocks == 0)
        return true;
    *bytes = layout->row;
    return reverse_a2a_multiply(bytes, layout->ranks) && reverse_a2a_multiply(bytes, layout->h) &&
           reverse_a2a_multiply(bytes, tiling->block_s) &&
           reverse_a2a_multiply(bytes, tiling->slots) && *bytes <= PTRDIFF_MAX;
}

static size_t rows_of_block(const struct reverse_a2a_plan *plan, size_t block)
{
    return reverse_a2a_min(plan->tiling.block_s, plan->layout.s - block * plan->tiling.block_s);
}

/* Where the block of a source lies in the peer_mem of its target. */
static size_t stage_offset(const struct call *call, size_t block, int source)
{
    const struct reverse_a2a_plan *plan = call->plan;
    size_t slot = block % plan->tiling.slots;
    return slot * plan->tiling.block_s * call->stage_stride_s +
           (size_t)source * plan->layout.h * plan->layout.row;
}

static const char *block_in_a(const struct call *call, size_t block, int target)
{
    const struct reverse_a2a_layout *layout = &call->plan->layout;
    size_t row = (size_t)target * layout->s + block * call->plan->tiling.block_s;
    return call->a + row * layout->a.stride_s;
}

static char *block_in_c(const struct call *call, size_t block, int source)
{
    const struct reverse_a2a_layout *layout = &call->plan->layout;
    return call->c + block * call->plan->tiling.block_s * layout->c.stride_s +
           (size_t)source * layout->h * layout->c.stride_h;
}

static struct reverse_a2a_box box_of_block(const struct call *call, size_t block)
{
    const struct reverse_a2a_layout *layout = &call->plan->layout;
    return (struct reverse_a2a_box){.rows = rows_of_block(call->plan, block),
                                    .heads = layout->h,
                                    .width = layout->row,
                                    .to_stride_s = call->stage_stride_s,
                                    .to_stride_h = layout->row,
                                    .from_stride_s = call->stage_stride_s,
                                    .from_stride_h = layout->row};
}

static void copy_a_to_stage(const struct call *call, size_t block, int target)
{
    struct reverse_a2a_box box = box_of_block(call, block);
    box.from_stride_s = call->plan->layout.a.stride_s;
    box.from_stride_h = call->plan->layout.a.stride_h;
    char *stage =
        call->memory->peers[target].peer_mem + stage_offset(call, block, call->memory->rank);
    reverse_a2a_copy_tiles(stage, block_in_a(call, block, target), &box, call->plan->tiling.tile);
}

static void copy_stage_to_c(const struct call *call, size_t block, int source)
{
    struct reverse_a2a_box box = box_of_block(call, block);
    box.to_stride_s = call->plan->layout.c.stride_s;
    box.to_stride_h = call->plan->layout.c.stride_h;
    const char *stage =
        call->memory->peers[call->memory->rank].peer_mem + stage_offset(call, block, source);
    reverse_a2a_copy_tiles(block_in_c(call, block, source), stage, &box, call->plan->tiling.tile);
}

static void copy_a_to_c(const struct call *call, size_t block)
{
    const struct reverse_a2a_layout *layout = &call->plan->layout;
    struct reverse_a2a_box box = box_of_block(call, block);
    box.to_stride_s = layout->c.stride_s;
    box.to_stride_h = layout->c.stride_h;
    box.from_stride_s = layout->a.stride_s;
    box.from_stride_h = layout->a.stride_h;
    int self = call->memory->rank;
    reverse_a2a_copy_tiles(block_in_c(call, block, self), block_in_a(call, block, self), &box,
                           call->plan->tiling.tile);
}

/* Sums on the left: base + k + 1 - slots may be below zero. */
static bool slot_is_free(const struct call *call, struct reverse_a2a_peer *peer)
{
    uint64_t after = call->base + peer->produced + 1;
    uint64_t slots = call->plan->tiling.slots;
    if (peer->seen_free >= call->base && peer->seen_free + slots >= after)
        return true;
    peer->seen_free = atomic_load_explicit(&peer->incoming->free, memory_order_acquire);
    return peer->seen_free >= call->base && peer->seen_free + slots >= after;
}

/* One block towards the target; false if there is none to send or no slot for it. */
static bool produce(struct call *call, int target)
{
    struct reverse_a2a_peer *peer = &call->memory->peers[target];
    size_t block = peer->produced;
    if (block == call->plan->tiling.blocks || !slot_is_free(call, peer))
        return false;
    if (!call->faulty)
        copy_a_to_stage(call, block, target);
    else if (block == 0)
        atomic_store_explicit(&peer->outgoing->fault, call->base + 1, memory_order_relaxed);
    atomic_store_explicit(&peer->outgoing->ready, call->base + block + 1, memory_order_release);
    peer->produced++;
    call->to_produce--;
    return true;
}

/* One block from the source; false if none is left or it is not there yet. */
static bool consume(struct call *call, int source)
{
    struct reverse_a2a_peer *peer = &call->memory->peers[source];
    size_t block = peer->consumed;
    uint64_t wanted = call->base + block + 1;
    if (block == call->plan->tiling.blocks)
        return false;
    if (peer->seen_ready < wanted)
        peer->seen_ready = atomic_load_explicit(&peer->incoming->ready, memory_order_acquire);
    if (peer->seen_ready < wanted)
        return false;
    if (block == 0)
        peer->faulty = atomic_load_explicit(&peer->incoming->fault, memory_order_relaxed) == wanted;
    if (!call->faulty && !peer->faulty)
        copy_stage_to_c(call, block, source);
    atomic_store_explicit(&peer->outgoing->free, wanted, memory_order_release);
    peer->consumed++;
    call->to_consume--;
    return true;
}

/* One block of this rank to itself, past peer_mem. Nobody polls the words of this channel; they are
 * kept like the others so that recovery and debuggers see one rule. */
static bool keep_own(struct call *call)
{
    struct reverse_a2a_peer *self = &call->memory->peers[call->memory->rank];
    size_t block = self->produced;
    if (block == call->plan->tiling.blocks)
        return false;
    if (!call->faulty)
        copy_a_to_c(call, block);
    atomic_store_explicit(&self->outgoing->ready, call->base + block + 1, memory_order_relaxed);
    atomic_store_explicit(&self->outgoing->free, call->base + block + 1, memory_order_relaxed);
    self->produced++;
    self->consumed++;
    call->to_produce--;
    call->to_consume--;
    return true;
}

static void end_consuming(const struct call *call)
{
    uint64_t next_base = call->base + call->plan->tiling.blocks + 1;
    for (int i = 0; i < call->memory->ranks; i++)
        atomic_store_explicit(&call->memory->peers[i].outgoing->free, next_base,
                              memory_order_release);
}

/* One visit to every channel: the targets from rank + 1 on, so that no rank is everybody's first,
 * and the sources in the order in which they come here. */
static bool visit_channels(struct call *call)
{
    int ranks = call->memory->ranks, rank = call->memory->rank;
    size_t to_consume = call->to_consume;
    bool moved = false;
    for (int i = 1; i < ranks; i++) {
        moved |= produce(call, (rank + i) % ranks);
        moved |= consume(call, (rank + ranks - i) % ranks);
    }
    moved |= keep_own(call);
    if (to_consume > 0 && call->to_consume == 0)
        end_consuming(call);
    return moved;
}

/* The first peer that this rank waits for. */
static int find_awaited(const struct call *call)
{
    size_t blocks = call->plan->tiling.blocks;
    for (int i = 0; i < call->memory->ranks; i++) {
        const struct reverse_a2a_peer *peer = &call->memory->peers[i];
        if (peer->produced < blocks || peer->consumed < blocks)
            return i;
    }
    return call->memory->rank;
}

static int find_quitter(const struct reverse_a2a_memory *memory)
{
    for (int i = 0; i < memory->ranks; i++)
        if (atomic_load_explicit(&memory->peers[i].segment->gave_up, memory_order_relaxed))
            return i;
    return -1;
}

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Should the wait end? The clock starts at the first check of an idle stretch. */
static int check_stall(struct call *call)
{
    struct reverse_a2a_memory *memory = call->memory;
    double limit = memory->stall_limit, now = seconds_now();
    int quitter = find_quitter(memory);
    if (quitter >= 0) {
        reverse_a2a_memory_give_up(memory);
        return reverse_a2a_memory_fail(memory, REVERSE_A2A_ERROR_BROKEN,
                                       "rank %d gave the memory up", quitter);
    }
    if (call->idle_rounds == ROUNDS_PER_CHECK)
        call->idle_since = now;
    if (limit <= 0 || now - call->idle_since < limit)
        return REVERSE_A2A_OK;
    reverse_a2a_memory_give_up(memory);
    return reverse_a2a_memory_fail(memory, REVERSE_A2A_ERROR_STALL,
                                   "rank %d: nothing moved for %g s; waiting for rank %d, and %zu "
                                   "blocks were not sent, %zu not "
                                   "received",
                                   memory->rank, limit, find_awaited(call), call->to_produce,
                                   call->to_consume);
}

/* One idle round: lets others run, since ranks may outnumber cores. */
static int idle(struct call *call)
{
    sched_yield();
    if (++call->idle_rounds % ROUNDS_PER_CHECK != 0)
        return REVERSE_A2A_OK;
    int result = check_stall(call);
    if (call->idle_rounds >= 2 * ROUNDS_PER_CHECK)
        call->idle_rounds = ROUNDS_PER_CHECK; /* never wraps, and never restarts the clock */
    return result;
}

static struct call begin_call(struct reverse_a2a_plan *plan, const char *a, char *c, bool faulty)
{
    struct reverse_a2a_memory *memory = plan->memory;
    size_t blocks = plan->tiling.blocks * (size_t)memory->ranks;
    for (int i = 0; i < memory->ranks; i++) {
        memory->peers[i].produced = 0;
        memory->peers[i].consumed = 0;
        memory->peers[i].faulty = false;
    }
    return (struct call){.plan = plan,
                         .memory = memory,
                         .a = a,
                         .c = c,
                         .faulty = faulty,
                         .base = memory->base,
                         .to_produce = blocks,
                         .to_consume = blocks,
                         .stage_stride_s = plan->layout.ranks * plan->layout.h * plan->layout.row};
}

/* The ranks with wrong buffers, if any, make the call fail everywhere. */
static int find_faulty_peer(struct reverse_a2a_memory *memory)
{
    for (int i = 0; i < memory->ranks; i++)
        if (memory->peers[i].faulty)
            return reverse_a2a_memory_fail(memory, REVERSE_A2A_ERROR_PEER,
                                           "rank %d called with a wrong A or C", i);
    return REVERSE_A2A_OK;
}

static int staged_exchange(struct reverse_a2a_plan *plan, const char *a, char *c, bool faulty)
{
    struct call call = begin_call(plan, a, c, faulty);
    if (call.to_consume == 0)
        end_consuming(&call);
    while (call.to_produce > 0 || call.to_consume > 0) {
        if (visit_channels(&call)) {
            call.idle_rounds = 0;
            continue;
        }
        int result = idle(&call);
        if (result != REVERSE_A2A_OK)
            return result;
    }
    return find_faulty_peer(plan->memory);
}

const struct reverse_a2a_engine reverse_a2a_engine_staged = {
    .name = "staged", .peer_bytes = staged_peer_bytes, .exchange = staged_exchange};
