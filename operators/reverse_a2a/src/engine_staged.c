/*
 * The staged engines: a pipeline through peer_mem[slots][block_s][P*H][D], of the receiving rank
 * (staged) or of the sending rank (staged_own).
 *
 * For each block of S the producer waits until its slot is free, writes the block into peer_mem and
 * publishes it; the consumer waits for it, copies it into C, and frees the slot. With one thread
 * each rank is producer and consumer of all its channels; with several, some produce and some
 * consume, each for channels of its own. A thread never waits for one channel while another of its
 * own can move. In peer_mem of its own the producer writes lines that are in its caches, and
 * each line crosses to the other processor once, when it is read.
 *
 * The signals of a call that begins with the counter `base`, K blocks, slot of block k = k mod
 * slots:
 *
 *     block k may be written once     free >= base  and  free >= base + k + 1 - slots
 *     block k is there once           ready >= base + k + 1
 *     block k has been taken:         free  = base + k + 1
 *     the end of the call: free  = base + K + 1, which is the next call's base
 *
 * The end says that the peer_mem of who writes it is quiet: in the next call another plan may cut
 * it differently. Blocks of different channels lie interleaved there. Therefore a rank ends the
 * call on no channel before all its channels are empty, and with staged_own before its own blocks
 * have been taken as well. It does so when its threads are done.
 *
 * A rank whose buffers are wrong writes base + 1 into its fault words before it publishes block 0,
 * and goes through the signals without data. The consumer reads the word with block 0, that is,
 * before it ends the call on the channel, and so before the producer can write the word again.
 *
 * Where ranks have different S, all have as many blocks as the one with the most rows; the last of
 * the others have no rows.
 */
#include "handshake.h"
#include "plan.h"
#include "team.h"
#include "wait.h"

struct call {
    const struct reverse_a2a_plan *plan;
    struct reverse_a2a_memory *memory;
    const char *in;
    char *out;
    bool faulty;
    bool own; /* peer_mem of the producer */
    uint64_t base;
    size_t stage_stride_s;        /* bytes between rows of S in peer_mem */
    size_t to_be_taken;           /* peers that have still to take blocks, before this rank ends */
    _Atomic uint64_t moves;       /* of all threads: the rank stalls, not one thread */
    _Atomic bool stalled, broken; /* how waiting ended in some thread */
};

/* A thread, which serves every n-th channel of a kind. Alone it is both producer and consumer. */
struct worker {
    struct call *call;
    int producers, consumers;      /* threads */
    int as_producer, as_consumer;  /* its number among these; -1: it is none */
    size_t to_produce, to_consume; /* blocks left, over its channels */
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

/* Where the block from source to target lies in peer_mem. */
static char *stage_of(const struct call *call, size_t block, int source, int target)
{
    const struct reverse_a2a_plan *plan = call->plan;
    int owner = call->own ? source : target, other = call->own ? target : source;
    size_t slot = block % plan->tiling.slots;
    return call->memory->peers[owner].peer_mem +
           slot * plan->tiling.block_s * call->stage_stride_s +
           (size_t)other * plan->layout.h * plan->layout.row;
}

/* The block as a part of what is read and of what is written: rows may be 0. */
static struct reverse_a2a_part part_of_block(const struct call *call, size_t block, int source,
                                             int target)
{
    const struct reverse_a2a_layout *layout = &call->plan->layout;
    struct reverse_a2a_part part = reverse_a2a_layout_part(layout, source, target);
    size_t first = block * call->plan->tiling.block_s;
    if (first >= part.rows)
        return (struct reverse_a2a_part){0};
    part.rows = reverse_a2a_min(call->plan->tiling.block_s, part.rows - first);
    part.in += first * layout->in.stride_s;
    part.out += first * layout->out.stride_s;
    return part;
}

static void copy_in_to_stage(const struct call *call, size_t block, int target)
{
    const struct reverse_a2a_plan *plan = call->plan;
    int self = call->memory->rank;
    struct reverse_a2a_part part = part_of_block(call, block, self, target);
    struct reverse_a2a_box box = reverse_a2a_layout_box(&plan->layout, part.rows);
    box.to_stride_s = call->stage_stride_s;
    box.to_stride_h = plan->layout.row;
    reverse_a2a_copy_tiles(plan->into_stage, stage_of(call, block, self, target),
                           call->in + part.in, &box, plan->tiling.tile);
}

static void copy_stage_to_out(const struct call *call, size_t block, int source)
{
    const struct reverse_a2a_plan *plan = call->plan;
    int self = call->memory->rank;
    struct reverse_a2a_part part = part_of_block(call, block, source, self);
    struct reverse_a2a_box box = reverse_a2a_layout_box(&plan->layout, part.rows);
    box.from_stride_s = call->stage_stride_s;
    box.from_stride_h = plan->layout.row;
    reverse_a2a_copy_tiles(plan->into_out, call->out + part.out,
                           stage_of(call, block, source, self), &box, plan->tiling.tile);
}

static void copy_in_to_out(const struct call *call, size_t block)
{
    const struct reverse_a2a_plan *plan = call->plan;
    int self = call->memory->rank;
    struct reverse_a2a_part part = part_of_block(call, block, self, self);
    struct reverse_a2a_box box = reverse_a2a_layout_box(&plan->layout, part.rows);
    reverse_a2a_copy_tiles(plan->into_out, call->out + part.out, call->in + part.in, &box,
                           plan->tiling.tile);
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
static bool produce(struct worker *worker, int target)
{
    struct call *call = worker->call;
    struct reverse_a2a_peer *peer = &call->memory->peers[target];
    size_t block = peer->produced;
    if (block == call->plan->tiling.blocks || !slot_is_free(call, peer))
        return false;
    if (!call->faulty)
        copy_in_to_stage(call, block, target);
    else if (block == 0)
        atomic_store_explicit(&peer->outgoing->fault, call->base + 1, memory_order_relaxed);
    atomic_store_explicit(&peer->outgoing->ready, call->base + block + 1, memory_order_release);
    peer->produced++;
    worker->to_produce--;
    return true;
}

/* One block from the source; false if none is left or it is not there yet. */
static bool consume(struct worker *worker, int source)
{
    struct call *call = worker->call;
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
        copy_stage_to_out(call, block, source);
    atomic_store_explicit(&peer->outgoing->free, wanted, memory_order_release);
    peer->consumed++;
    worker->to_consume--;
    return true;
}

/* One block of this rank to itself, past peer_mem. Nobody polls the words of this channel; they are
 * kept like the others so that recovery and debuggers see one rule. */
static bool keep_own(struct worker *worker)
{
    struct call *call = worker->call;
    struct reverse_a2a_peer *self = &call->memory->peers[call->memory->rank];
    size_t block = self->produced;
    if (block == call->plan->tiling.blocks)
        return false;
    if (!call->faulty)
        copy_in_to_out(call, block);
    atomic_store_explicit(&self->outgoing->ready, call->base + block + 1, memory_order_relaxed);
    atomic_store_explicit(&self->outgoing->free, call->base + block + 1, memory_order_relaxed);
    self->produced++;
    self->consumed++;
    worker->to_produce--;
    return true;
}

/* With staged_own, whose blocks lie here: has each peer taken all of its own? */
static bool see_taken(struct call *call)
{
    uint64_t all = call->base + call->plan->tiling.blocks;
    size_t to_be_taken = 0;
    for (int i = 0; i < call->memory->ranks; i++) {
        struct reverse_a2a_peer *peer = &call->memory->peers[i];
        if (i == call->memory->rank)
            continue;
        if (peer->seen_free < all)
            peer->seen_free = atomic_load_explicit(&peer->incoming->free, memory_order_acquire);
        peer->left = peer->seen_free >= all;
        to_be_taken += !peer->left;
    }
    bool moved = to_be_taken < call->to_be_taken;
    call->to_be_taken = to_be_taken;
    return moved;
}

/* One visit to every channel of a worker: the targets from rank + 1 on, so that no rank is
 * everybody's first, and the sources in the order in which they come here. */
static bool visit_channels(struct worker *worker)
{
    const struct reverse_a2a_memory *memory = worker->call->memory;
    int ranks = memory->ranks, rank = memory->rank;
    bool moved = false;
    for (int i = 1; i < ranks; i++) {
        if (i % worker->producers == worker->as_producer)
            moved |= produce(worker, (rank + i) % ranks);
        if (i % worker->consumers == worker->as_consumer)
            moved |= consume(worker, (rank + ranks - i) % ranks);
    }
    if (worker->as_producer == 0)
        moved |= keep_own(worker);
    return moved;
}

/* Of `threads`, the first half produces, and produces rather less: a reader waits for lines. */
static struct worker make_worker(struct call *call, int thread, int threads)
{
    int producers = threads > 1 ? threads / 2 : 1;
    struct worker worker = {.call = call,
                            .producers = producers,
                            .consumers = threads > 1 ? threads - producers : 1,
                            .as_producer = thread < producers ? thread : -1,
                            .as_consumer = threads > 1 ? thread - producers : 0};
    for (int i = 0; i < call->memory->ranks; i++) {
        if (i % worker.producers == worker.as_producer)
            worker.to_produce += call->plan->tiling.blocks;
        if (i > 0 && i % worker.consumers == worker.as_consumer)
            worker.to_consume += call->plan->tiling.blocks;
    }
    return worker;
}

static void note_end_of_waiting(struct call *call, int result)
{
    if (result == REVERSE_A2A_ERROR_STALL)
        call->stalled = true;
    else if (result != REVERSE_A2A_OK)
        call->broken = true;
}

static void work(int thread, int threads, void *context)
{
    struct call *call = context;
    struct worker worker = make_worker(call, thread, threads);
    struct reverse_a2a_wait wait = {0};
    uint64_t seen_moves = 0;
    int result = REVERSE_A2A_OK;
    while (worker.to_produce + worker.to_consume > 0 && result == REVERSE_A2A_OK) {
        if (visit_channels(&worker))
            call->moves++;
        if (call->moves == seen_moves)
            result = reverse_a2a_idle_round(call->memory, &wait);
        else
            wait.rounds = 0;
        seen_moves = call->moves;
    }
    note_end_of_waiting(call, result);
}

static void wait_until_taken(struct call *call)
{
    struct reverse_a2a_wait wait = {0};
    int result = REVERSE_A2A_OK;
    while (call->to_be_taken > 0 && result == REVERSE_A2A_OK)
        if (see_taken(call))
            wait.rounds = 0;
        else
            result = reverse_a2a_idle_round(call->memory, &wait);
    note_end_of_waiting(call, result);
}

/* The first peer that this rank waits for. */
static int find_awaited(const struct call *call)
{
    size_t blocks = call->plan->tiling.blocks;
    for (int i = 0; i < call->memory->ranks; i++) {
        const struct reverse_a2a_peer *peer = &call->memory->peers[i];
        if (peer->produced < blocks || peer->consumed < blocks || (call->own && !peer->left))
            return i;
    }
    return call->memory->rank;
}

static int stop_waiting(const struct call *call)
{
    struct reverse_a2a_memory *memory = call->memory;
    size_t blocks = call->plan->tiling.blocks, unsent = 0, unreceived = 0;
    if (!call->stalled)
        return reverse_a2a_name_quitter(memory);
    for (int i = 0; i < memory->ranks; i++) {
        unsent += blocks - memory->peers[i].produced;
        unreceived += blocks - memory->peers[i].consumed;
    }
    return reverse_a2a_memory_fail(memory, REVERSE_A2A_ERROR_STALL,
                                   "rank %d: nothing moved for %g s; waiting for rank %d, and %zu "
                                   "blocks were not sent, %zu not received",
                                   memory->rank, memory->stall_limit, find_awaited(call), unsent,
                                   unreceived);
}

static int exchange(struct reverse_a2a_plan *plan, const char *in, char *out, bool faulty, bool own)
{
    struct reverse_a2a_memory *memory = plan->memory;
    struct call call = {.plan = plan,
                        .memory = memory,
                        .in = in,
                        .out = out,
                        .faulty = faulty,
                        .own = own,
                        .base = memory->base,
                        .to_be_taken = own ? (size_t)memory->ranks - 1 : 0,
                        .stage_stride_s = plan->layout.ranks * plan->layout.h * plan->layout.row};
    reverse_a2a_begin_call(memory);
    memory->peers[memory->rank].left = true;
    reverse_a2a_run_team(plan->choice.threads, work, &call);
    if (!call.stalled && !call.broken)
        wait_until_taken(&call);
    if (call.stalled || call.broken)
        return stop_waiting(&call);
    reverse_a2a_end_call(plan);
    return reverse_a2a_find_faulty_peer(plan);
}

static int staged_exchange(struct reverse_a2a_plan *plan, const char *in, char *out, bool faulty)
{
    return exchange(plan, in, out, faulty, false);
}

static int staged_own_exchange(struct reverse_a2a_plan *plan, const char *in, char *out,
                               bool faulty)
{
    return exchange(plan, in, out, faulty, true);
}

const struct reverse_a2a_engine reverse_a2a_engine_staged = {.name = "staged",
                                                             .uses_blocks = true,
                                                             .needs_one_node = true,
                                                             .peer_bytes = staged_peer_bytes,
                                                             .exchange = staged_exchange};

const struct reverse_a2a_engine reverse_a2a_engine_staged_own = {.name = "staged_own",
                                                                 .uses_blocks = true,
                                                                 .needs_one_node = true,
                                                                 .peer_bytes = staged_peer_bytes,
                                                                 .exchange = staged_own_exchange};
