/* See strategy.h. */
#include "strategy.h"

#include <stdlib.h>

#include "measure.h"
#include "random.h"

uint32_t strategy_capacity(int policy, const struct space *space, uint64_t survivors,
                           uint64_t samples)
{
    uint64_t most = survivors;
    if (policy == TUTTI_POLICY_RANDOM || policy == TUTTI_POLICY_HALVING)
        most = samples / CALLS_PER_MEMBER;
    if (policy == TUTTI_POLICY_NEIGHBOURHOOD)
        most = 2 * (uint64_t)space->nparameters + 1;
    most = most < 2 ? 2 : most;
    return (uint32_t)(most < survivors ? most : survivors);
}

static bool survives(const struct strategy *strategy, uint64_t index)
{
    const int status = strategy->trials[index].status;
    return status == STATUS_UNTRIED || status == TUTTI_STATUS_OK;
}

/* A sample without repetition, ascending, the default always in it (selection sampling: Knuth, The
 * Art of Computer Programming 2, 3.4.2, algorithm S). All, if there is room for all. */
static uint32_t draw_sample(struct strategy *strategy)
{
    const uint64_t size = strategy->space->size;
    const bool standing = strategy->standing < size && survives(strategy, strategy->standing);
    uint64_t left = 0, wanted = strategy->capacity - standing;
    for (uint64_t i = 0; i < size; i++)
        left += survives(strategy, i) && i != strategy->standing;
    for (uint64_t i = 0; i < size && strategy->n < strategy->capacity; i++) {
        if (!survives(strategy, i))
            continue;
        bool taken = i == strategy->standing;
        if (!taken) {
            taken = next_random(&strategy->seed) % left < wanted;
            left--;
            wanted -= taken;
        }
        if (taken)
            strategy->members[strategy->n++] = i;
    }
    return strategy->n;
}

static void add_member(struct strategy *strategy, uint64_t index)
{
    if (strategy->n == strategy->capacity)
        return;
    uint32_t at = strategy->n++;
    for (; at > 0 && strategy->members[at - 1] > index; at--)
        strategy->members[at] = strategy->members[at - 1];
    strategy->members[at] = index;
}

/* The centre, and all that differ from it in one parameter by one place of its list of values. */
static uint32_t draw_neighbourhood(struct strategy *strategy)
{
    const struct space *space = strategy->space;
    const uint64_t centre = strategy->centre;
    uint64_t neighbour;
    strategy->n = 0;
    if (survives(strategy, centre))
        add_member(strategy, centre);
    for (size_t p = space->nparameters; p > 0; p--)
        for (int step = -1; step <= 1; step += 2)
            if (space_neighbour(space, centre, p - 1, step, &neighbour) &&
                survives(strategy, neighbour))
                add_member(strategy, neighbour);
    return strategy->n;
}

/* The survivor nearest to the default in the order of the space, where pruning took the default. */
static uint64_t first_centre(const struct strategy *strategy)
{
    const uint64_t size = strategy->space->size, from = strategy->standing;
    for (uint64_t distance = 0; distance < size; distance++) {
        if (from >= distance && survives(strategy, from - distance))
            return from - distance;
        if (from + distance < size && survives(strategy, from + distance))
            return from + distance;
    }
    return from;
}

uint32_t strategy_first(struct strategy *strategy)
{
    strategy->n = 0;
    if (strategy->policy != TUTTI_POLICY_NEIGHBOURHOOD)
        return draw_sample(strategy);
    strategy->centre = first_centre(strategy);
    return draw_neighbourhood(strategy);
}

uint32_t strategy_next(struct strategy *strategy, uint64_t winner)
{
    if (strategy->policy != TUTTI_POLICY_NEIGHBOURHOOD || winner == strategy->centre)
        return 0;
    strategy->centre = winner;
    const uint32_t n = draw_neighbourhood(strategy);
    return n > 1 ? n : 0;
}
