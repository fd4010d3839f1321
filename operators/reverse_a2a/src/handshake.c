/* The handshake for touching the operands of peers (see handshake.h). */
#include "handshake.h"

#include "copy_team.h"
#include "plan.h"
#include "wait.h"

/* How far a call has come with the peers, this rank itself not counted. */
struct progress {
    const struct reverse_a2a_touch *touch;
    struct reverse_a2a_memory *memory;
    uint64_t base;
    int to_announce, to_copy, to_leave;
    int error; /* the first of copy */
};

static bool has_ended(struct reverse_a2a_peer *peer, uint64_t at_least)
{
    if (peer->seen_free < at_least)
        peer->seen_free = atomic_load_explicit(&peer->incoming->free, memory_order_acquire);
    return peer->seen_free >= at_least;
}

static bool announce(struct progress *call, struct reverse_a2a_peer *peer)
{
    if (peer->produced > 0 || !has_ended(peer, call->base))
        return false;
    atomic_store_explicit(&peer->outgoing->operand, call->touch->operand, memory_order_relaxed);
    if (call->touch->faulty)
        atomic_store_explicit(&peer->outgoing->fault, call->base + 1, memory_order_relaxed);
    atomic_store_explicit(&peer->outgoing->ready, call->base + 1, memory_order_release);
    peer->produced = 1;
    call->to_announce--;
    return true;
}

static bool copy(struct progress *call, int rank)
{
    struct reverse_a2a_peer *peer = &call->memory->peers[rank];
    uint64_t wanted = call->base + 1;
    if (peer->consumed > 0)
        return false;
    if (peer->seen_ready < wanted)
        peer->seen_ready = atomic_load_explicit(&peer->incoming->ready, memory_order_acquire);
    if (peer->seen_ready < wanted)
        return false;
    uint64_t operand = atomic_load_explicit(&peer->incoming->operand, memory_order_relaxed);
    peer->faulty = atomic_load_explicit(&peer->incoming->fault, memory_order_relaxed) == wanted;
    if (!call->touch->faulty && !peer->faulty) {
        int error = call->touch->copy(call->touch, rank, operand);
        call->error = call->error ? call->error : error;
    }
    atomic_store_explicit(&peer->outgoing->free, wanted + 1, memory_order_release);
    peer->consumed = 1;
    call->to_copy--;
    return true;
}

/* Only asked once this rank has nothing else to do: a peer's end comes after its copying. */
static bool see_leaving(struct progress *call)
{
    bool moved = false;
    for (int i = 0; i < call->memory->ranks; i++) {
        struct reverse_a2a_peer *peer = &call->memory->peers[i];
        if (i == call->memory->rank || peer->left || !has_ended(peer, call->base + 2))
            continue;
        peer->left = true;
        call->to_leave--;
        moved = true;
    }
    return moved;
}

static bool visit_peers(struct progress *call)
{
    int ranks = call->memory->ranks, rank = call->memory->rank;
    bool moved = false;
    for (int i = 1; call->to_announce > 0 && i < ranks; i++)
        moved |= announce(call, &call->memory->peers[(rank + i) % ranks]);
    for (int i = 1; call->to_copy > 0 && i < ranks; i++)
        moved |= copy(call, (rank + i) % ranks);
    if (!moved && call->to_copy == 0 && call->to_announce == 0)
        moved = see_leaving(call);
    return moved;
}

/* The first peer that this rank waits for. */
static int find_awaited(const struct reverse_a2a_memory *memory)
{
    for (int i = 0; i < memory->ranks; i++)
        if (i != memory->rank && !memory->peers[i].left)
            return i;
    return memory->rank;
}

static int stop_waiting(const struct progress *call, int result)
{
    if (result != REVERSE_A2A_ERROR_STALL)
        return result;
    return reverse_a2a_memory_fail(call->memory, result,
                                   "rank %d: nothing moved for %g s; waiting for rank %d, of %d "
                                   "whose operands were not there and %d still at work",
                                   call->memory->rank, call->memory->stall_limit,
                                   find_awaited(call->memory), call->to_copy, call->to_leave);
}

void reverse_a2a_keep_own(struct reverse_a2a_plan *plan, const char *in, char *out)
{
    int rank = plan->memory->rank;
    struct reverse_a2a_part part = reverse_a2a_layout_part(&plan->layout, rank, rank);
    struct reverse_a2a_box box = reverse_a2a_layout_box(&plan->layout, part.rows);
    reverse_a2a_copy_by_team(plan->choice.threads, plan->into_out, out + part.out, in + part.in,
                             &box);
}

int reverse_a2a_find_faulty_peer(struct reverse_a2a_plan *plan)
{
    for (int i = 0; i < plan->memory->ranks; i++)
        if (plan->memory->peers[i].faulty)
            return reverse_a2a_memory_fail(plan->memory, REVERSE_A2A_ERROR_PEER,
                                           "rank %d called with wrong buffers", i);
    return REVERSE_A2A_OK;
}

int reverse_a2a_touch_peers(const struct reverse_a2a_touch *touch)
{
    struct reverse_a2a_memory *memory = touch->plan->memory;
    int others = memory->ranks - 1;
    struct progress call = {touch, memory, memory->base, others, others, others, 0};
    struct reverse_a2a_wait wait = {0};
    reverse_a2a_begin_call(memory);
    visit_peers(&call); /* announced before the own part is copied, so that nobody waits for that */
    if (!touch->faulty)
        reverse_a2a_keep_own(touch->plan, touch->in, touch->out);
    while (call.to_leave > 0) {
        if (visit_peers(&call)) {
            wait.rounds = 0;
            continue;
        }
        int result = reverse_a2a_wait_round(memory, &wait);
        if (result != REVERSE_A2A_OK)
            return stop_waiting(&call, result);
    }
    return call.error ? call.error : reverse_a2a_find_faulty_peer(touch->plan);
}
