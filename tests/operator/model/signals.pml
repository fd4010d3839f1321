/*
 * The signals of the operator's engines in shared memory (engine_staged.c and handshake.c in
 * operators/reverse_a2a/src), for spin to check in every interleaving. docs/protocol.md says what
 * the rule is and why.
 *
 * Every rank makes CALLS calls on one memory, with no barrier between them. What each call is, is
 * chosen freely, and the same on all ranks: the engine, 0..MAX_BLOCKS blocks of 1..MAX_ROWS rows,
 * 1..MAX_SLOTS slots (never more than blocks), 1..MAX_WIDTH cells for each rank in a row.
 *
 * What is asserted: a consumer finds in every cell the block that it expects; a producer writes
 * only into cells that have been consumed; a rank touches the operand of a peer only while the peer
 * is inside the same call; what a peer says about its operand, or about its being faulty, is heard
 * in the call for which it was said. That all ranks come to their end is what spin calls "no
 * invalid end states".
 *
 * A copy of a block is one step, and its signal is another. Cutting the copy up would show nothing
 * more: whoever spoils half a copy may also come when it has not begun or is not over, and trips an
 * assertion then. Memory is sequentially consistent here; memory order is what the tests in
 * ../protocol are for.
 *
 * Options (-D): RANKS, CALLS and the MAX_ above. ENGINES=1: staged; 2: also staged_own; 3: also
 * those that touch the operands of peers (push, pull, cma), which have one handshake. FAN_IN: only
 * rank 0 receives (not with ENGINES=3). SAME_WIDTH: one width for all calls. FAULTS: any rank may
 * come to any call with wrong buffers. COARSE: a wait, the copy after it and its signal are one
 * step; in a protocol that copies before it signals this hides nothing, because signals only ever
 * let others go on. And the mutants, each of which must be caught:
 *   END_BY_CHANNEL       staged ends a channel's call when that channel is empty, not when all are
 *   NO_BASE_WAIT         a call does not wait for the end of the one before
 *   ONE_SLOT_TOO_MANY    as if there were one more slot than there is
 *   NO_END_OF_EMPTY_CALL a call without blocks publishes no end
 *   CUMULATIVE_COUNTERS  counters of blocks over all calls, without a base
 *   COUNTERS_PER_SLOT    one pair of counters for each slot, without a base
 *   PUBLISH_BEFORE_COPY  ready is published before the block is written
 *   FREE_BEFORE_COPY     the slot is freed before the block is taken out
 *   FAULT_AFTER_READY    the fault word follows the first ready of a call
 *   OWN_ENDS_EARLY       staged_own does not wait for its own blocks to be taken
 *   LEAVES_EARLY         a rank does not wait until its operand is left alone
 */
#ifndef RANKS
#define RANKS 2
#endif
#ifndef CALLS
#define CALLS 2
#endif
#ifndef MAX_BLOCKS
#define MAX_BLOCKS 5
#endif
#ifndef MAX_SLOTS
#define MAX_SLOTS 3
#endif
#ifndef MAX_ROWS
#define MAX_ROWS 2
#endif
#ifndef MAX_WIDTH
#define MAX_WIDTH 2
#endif
#ifndef ENGINES
#define ENGINES 1
#endif
#ifdef FAN_IN
#define CHANNEL_EXISTS(producer, consumer) ((producer) != (consumer) && (consumer) == 0)
#else
#define CHANNEL_EXISTS(producer, consumer) ((producer) != (consumer))
#endif

#define CHANNEL(producer, consumer) ((producer) * RANKS + (consumer))
#define EMPTY                       0
#define TAG(call, other, block)     (1 + (block) + 8 * ((other) + 4 * (call)))

#define STAGED     0
#define STAGED_OWN 1
#define TOUCH      2

/* Whose peer_mem a block lies in, and whose column of it: there are [slots][rows][RANKS][width]
 * cells in every peer_mem. */
#define OWNER(source, target)    (engine[call] == STAGED_OWN -> source : target)
#define OTHER(source, target)    (engine[call] == STAGED_OWN -> target : source)
#define CELLS                    (MAX_SLOTS * MAX_ROWS * RANKS * MAX_WIDTH)
#define ROW(call, block, row)    (((block) % slots[call]) * rows[call] + (row))
#define FIRST_CELL(other, call, block, row)                                                        \
    ((ROW(call, block, row) * RANKS + (other)) * width[call])

#define WORD(channel, block) ((channel) * MAX_SLOTS + (block) % slots[call])

byte engine[CALLS], blocks[CALLS], slots[CALLS], rows[CALLS], width[CALLS];
byte cells[RANKS * CELLS];
#if ENGINES > 2
byte operand[RANKS * RANKS]; /* the words: of which call is what they say, plus 1 */
byte inside[RANKS];          /* the call whose operand may be touched, plus 1; or 0 */
#endif
#ifdef FAULTS
bool faulty[RANKS * CALLS];
byte fault[RANKS * RANKS];
#endif

/* The signal words, and the two waits on them. The producer's wait has its sums on the left because
 * base + block + 1 - slots may be below zero. */
#ifdef COUNTERS_PER_SLOT
byte ready[RANKS * RANKS * MAX_SLOTS], free[RANKS * RANKS * MAX_SLOTS];
#define SLOT_IS_FREE(channel, block)   (free[WORD(channel, block)] >= ready[WORD(channel, block)])
#define BLOCK_IS_READY(channel, block) (ready[WORD(channel, block)] > free[WORD(channel, block)])
#define PUBLISH_READY(channel, block)  ready[WORD(channel, block)]++
#define PUBLISH_FREE(channel, block)   free[WORD(channel, block)]++
#define AMOUNT_PER_CALL                0
#define PUBLISH_END(channel)           skip
#else
byte ready[RANKS * RANKS], free[RANKS * RANKS];
#ifdef ONE_SLOT_TOO_MANY
#define SLOTS_WAITED_FOR (slots[call] + 1)
#else
#define SLOTS_WAITED_FOR slots[call]
#endif
#define TURN_HAS_COME(channel, block) (free[channel] + SLOTS_WAITED_FOR >= base + (block) + 1)
#if defined(NO_BASE_WAIT) || defined(CUMULATIVE_COUNTERS)
#define SLOT_IS_FREE(channel, block) TURN_HAS_COME(channel, block)
#else
#define SLOT_IS_FREE(channel, block) (free[channel] >= base && TURN_HAS_COME(channel, block))
#endif
#define BLOCK_IS_READY(channel, block) (ready[channel] >= base + (block) + 1)
#define PUBLISH_READY(channel, block)  ready[channel] = base + (block) + 1
#ifdef CUMULATIVE_COUNTERS
#define AMOUNT_PER_CALL      blocks[call]
#define PUBLISH_END(channel) skip
#else
#define AMOUNT_PER_CALL      (blocks[call] + 1)
#define PUBLISH_END(channel) free[channel] = base + AMOUNT_PER_CALL
#endif
/* Who touches operands uses no peer_mem: the end of the call goes with the only block. */
#ifdef END_BY_CHANNEL
#define IS_END(block) (engine[call] != STAGED_OWN && (block) + 1 == blocks[call])
#else
#define IS_END(block) (engine[call] == TOUCH)
#endif
#define PUBLISH_FREE(channel, block) free[channel] = base + (block) + 1 + (IS_END(block) -> 1 : 0)
#endif

/* Scratch of single steps: no part of the state. */
hidden byte row, column, cell;

inline write_block(target, block)
{
    d_step {
        for (row : 0 .. rows[call] - 1) {
            for (column : 0 .. width[call] - 1) {
                cell = OWNER(me, target) * CELLS + column +
                       FIRST_CELL(OTHER(me, target), call, block, row);
                assert(cells[cell] == EMPTY);
                cells[cell] = TAG(call, OTHER(me, target), block)
            }
        }
        printf("rank %d, call %d: writes block %d for rank %d, cells from %d on\n", me, call, block,
               target, FIRST_CELL(OTHER(me, target), call, block, 0))
    }
}

inline take_block(source, block)
{
    d_step {
        for (row : 0 .. rows[call] - 1) {
            for (column : 0 .. width[call] - 1) {
                cell = OWNER(source, me) * CELLS + column +
                       FIRST_CELL(OTHER(source, me), call, block, row);
                assert(cells[cell] == TAG(call, OTHER(source, me), block));
                cells[cell] = EMPTY
            }
        };
        printf("rank %d, call %d: takes block %d of rank %d, cells from %d on\n", me, call, block,
               source, FIRST_CELL(OTHER(source, me), call, block, 0))
    }
}

inline offer(target, block)
{
#if ENGINES > 2
    if
    :: engine[call] == TOUCH -> operand[CHANNEL(me, target)] = call + 1
    :: else -> write_block(target, block)
    fi
#else
    write_block(target, block)
#endif
}

inline take(source, block)
{
#if ENGINES > 2
    if
    :: engine[call] == TOUCH ->
        d_step {
            assert(operand[CHANNEL(source, me)] == call + 1);
            assert(inside[source] == call + 1)
        }
    :: else -> take_block(source, block)
    fi
#else
    take_block(source, block)
#endif
}

/* With wrong buffers, block 0 tells so and no block is written. */
inline offer_or_tell_fault(target, block)
{
#ifdef FAULTS
    if
    :: !faulty[me * CALLS + call] -> offer(target, block)
    :: else ->
        if
        :: block == 0 -> fault[CHANNEL(me, target)] = base + 1
        :: else
        fi
    fi
#else
    offer(target, block)
#endif
}

inline take_unless_faulty(source, block)
{
#ifdef FAULTS
    if
    :: block == 0 ->
        heard[source] = (fault[CHANNEL(source, me)] == base + 1);
        assert(heard[source] == faulty[source * CALLS + call])
    :: else
    fi;
    if
    :: !heard[source] -> take(source, block)
    :: else
    fi
#else
    take(source, block)
#endif
}

inline produce(target)
{
#if defined(PUBLISH_BEFORE_COPY) || defined(FAULT_AFTER_READY)
    PUBLISH_READY(CHANNEL(me, target), produced[target]);
#endif
    offer_or_tell_fault(target, produced[target]);
    d_step {
#if !defined(PUBLISH_BEFORE_COPY) && !defined(FAULT_AFTER_READY)
        PUBLISH_READY(CHANNEL(me, target), produced[target]);
#endif
        produced[target]++;
        to_produce--
    }
}

inline consume(source)
{
#ifdef FREE_BEFORE_COPY
    PUBLISH_FREE(CHANNEL(source, me), consumed[source]);
#endif
    take_unless_faulty(source, consumed[source]);
    d_step {
#ifndef FREE_BEFORE_COPY
        PUBLISH_FREE(CHANNEL(source, me), consumed[source]);
#endif
        consumed[source]++;
        to_consume--
    }
}

inline end_call()
{
    d_step {
        printf("rank %d, call %d: ends it\n", me, call);
        peer = 0
    }
    do
    :: peer == RANKS ->
        d_step {
            peer = 0;
            ended = true
        }
        break
    :: peer < RANKS && CHANNEL_EXISTS(peer, me) ->
#ifdef NO_END_OF_EMPTY_CALL
        if
        :: blocks[call] > 0 -> PUBLISH_END(CHANNEL(peer, me))
        :: else
        fi;
#else
        PUBLISH_END(CHANNEL(peer, me));
#endif
        peer++
    :: peer < RANKS && !CHANNEL_EXISTS(peer, me) -> peer++
    od
}

inline begin_call()
{
    d_step {
#if ENGINES > 2
        inside[me] = (engine[call] == TOUCH -> call + 1 : 0);
#endif
        ended = (engine[call] == TOUCH);
        to_produce = 0;
        to_consume = 0;
        for (row : 0 .. RANKS - 1) {
            produced[row] = 0;
            consumed[row] = 0;
            to_produce = to_produce + (CHANNEL_EXISTS(me, row) -> blocks[call] : 0);
            to_consume = to_consume + (CHANNEL_EXISTS(row, me) -> blocks[call] : 0)
        }
    }
}

#define MAY_PRODUCE(target)                                                                        \
    (CHANNEL_EXISTS(me, target) && produced[target] < blocks[call] &&                              \
     SLOT_IS_FREE(CHANNEL(me, target), produced[target]))
#define MAY_CONSUME(source)                                                                        \
    (CHANNEL_EXISTS(source, me) && consumed[source] < blocks[call] &&                              \
     BLOCK_IS_READY(CHANNEL(source, me), consumed[source]))

/* What this rank published for a peer, up to a block: has the peer freed it? */
#define HAS_FREED(peer, amount)                                                                    \
    (!CHANNEL_EXISTS(me, peer) || free[CHANNEL(me, peer)] >= base + amount)
#if RANKS > 2
#define ALL_HAVE_FREED(amount)                                                                     \
    (HAS_FREED(0, amount) && HAS_FREED(1, amount) && HAS_FREED(2, amount))
#else
#define ALL_HAVE_FREED(amount) (HAS_FREED(0, amount) && HAS_FREED(1, amount))
#endif

#ifdef OWN_ENDS_EARLY
#define PEER_MEM_IS_QUIET (to_consume == 0)
#else
#define PEER_MEM_IS_QUIET                                                                          \
    (to_consume == 0 && (engine[call] != STAGED_OWN || ALL_HAVE_FREED(blocks[call])))
#endif
#ifdef LEAVES_EARLY
#define IS_LEFT_ALONE true
#else
#define IS_LEFT_ALONE (engine[call] != TOUCH || ALL_HAVE_FREED(AMOUNT_PER_CALL))
#endif

#ifdef COARSE
#define STEPS(wait, action) atomic { wait -> action }
#else
#define STEPS(wait, action) wait -> action
#endif

/* The engines visit their channels in a fixed order; here any that can move may be next. */
proctype rank(byte me)
{
    byte call, base, peer, to_produce, to_consume;
    byte produced[RANKS], consumed[RANKS];
#ifdef FAULTS
    bool heard[RANKS];
#endif
    bool ended;

    do
    :: call == CALLS -> break
    :: call < CALLS ->
        begin_call();
        do
        :: to_produce == 0 && to_consume == 0 && ended && IS_LEFT_ALONE ->
            d_step {
#if ENGINES > 2
                inside[me] = 0;
#endif
                base = base + AMOUNT_PER_CALL;
                call++
            }
            break
        :: STEPS(PEER_MEM_IS_QUIET && !ended, end_call())
        :: STEPS(MAY_PRODUCE(0), produce(0))
        :: STEPS(MAY_CONSUME(0), consume(0))
        :: STEPS(MAY_PRODUCE(1), produce(1))
        :: STEPS(MAY_CONSUME(1), consume(1))
#if RANKS > 2
        :: STEPS(MAY_PRODUCE(2), produce(2))
        :: STEPS(MAY_CONSUME(2), consume(2))
#endif
        od
    od
}

inline choose(what, least, most)
{
    what = least;
    do
    :: what < most -> what++
    :: break
    od
}

inline choose_geometry()
{
    choose(blocks[call], 1, MAX_BLOCKS);
    do
    :: slots[call] < MAX_SLOTS && slots[call] < blocks[call] -> slots[call]++
    :: break
    od;
    choose(rows[call], 1, MAX_ROWS);
#ifdef SAME_WIDTH
    width[call] = width_of_all
#else
    choose(width[call], 1, MAX_WIDTH)
#endif
}

/* What can't be told apart is chosen once only. */
inline choose_call()
{
    engine[call] = STAGED;
    slots[call] = 1;
    rows[call] = 1;
    width[call] = 1;
    if
    :: blocks[call] = 0
#if ENGINES > 2
    :: engine[call] = TOUCH;
       blocks[call] = 1
#endif
    :: choose(engine[call], STAGED, (ENGINES > 1 -> STAGED_OWN : STAGED));
       choose_geometry()
    fi;
    printf("call %d: engine %d, %d blocks of %d rows, %d slots, %d cells for each rank in a row\n",
           call, engine[call], blocks[call], rows[call], slots[call], width[call])
}

init
{
    byte call;
#ifdef SAME_WIDTH
    byte width_of_all;
#endif
    atomic {
#ifdef SAME_WIDTH
        choose(width_of_all, 1, MAX_WIDTH);
#endif
        do
        :: call == CALLS -> break
        :: call < CALLS ->
            choose_call();
#ifdef FAULTS
#ifndef FAN_IN
            choose(faulty[call], 0, 1);
#endif
            choose(faulty[CALLS + call], 0, 1);
#if RANKS > 2
            choose(faulty[2 * CALLS + call], 0, 1);
#endif
#endif
            call++
        od;
        call = 0;
#ifdef SAME_WIDTH
        width_of_all = 0;
#endif
        run rank(0);
        run rank(1);
#if RANKS > 2
        run rank(2);
#endif
    }
}
