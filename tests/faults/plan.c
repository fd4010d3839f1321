/* Drawing a case. See plan.h. */
#include "plan.h"

#include <string.h>

#include <tutti/tuner.h>

#define POLICIES TUTTI_POLICY_HALVING /* the last one */

/* SplitMix64 (Steele, Lea, Flood 2014): the same numbers everywhere from one 64-bit state. */
static uint64_t draw(uint64_t *state)
{
    uint64_t word = *state += UINT64_C(0x9e3779b97f4a7c15);
    word = (word ^ word >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    word = (word ^ word >> 27) * UINT64_C(0x94d049bb133111eb);
    return word ^ word >> 31;
}

static unsigned below(uint64_t *state, unsigned limit)
{
    return (unsigned)(draw(state) % limit);
}

static bool one_in(uint64_t *state, unsigned n)
{
    return below(state, n) == 0;
}

static void draw_launcher(struct plan *plan, uint64_t *state)
{
    bool prunes = one_in(state, 3);
    bool prunes_all = one_in(state, 25);
    for (int rank = 0; rank < plan->ranks; rank++) {
        for (int i = 0; i < SPACE; i++) {
            plan->seconds[rank][i] = (1 + below(state, 64)) / 8.0;
            plan->pruned[rank][i] = prunes_all || (prunes && one_in(state, 4));
        }
    }
}

/* Mostly the same on all ranks; sometimes one rank has something of its own. */
static void draw_environments(struct plan *plan, uint64_t *state)
{
    static const char *const modes[] = {NULL,   NULL,        NULL,         "tune",
                                        "tune", "read-only", "cache-only", "off"};
    static const char *const flags[] = {NULL, NULL, "1", "0"};
    static const char *const samples[] = {NULL, NULL, NULL, "2", "1", "none"};
    struct environment_plan common = {0};
    if (one_in(state, 3))
        common.mode = modes[below(state, 8)];
    if (one_in(state, 4))
        common.always_tune = flags[below(state, 4)];
    common.strict = one_in(state, 8) ? "1" : NULL;
    if (one_in(state, 12))
        common.force = one_in(state, 4) ? FORCE_MISTAKE : FORCE_ONE;
    for (int rank = 0; rank < plan->ranks; rank++)
        plan->environments[rank] = common;
    if (!one_in(state, 4))
        return;
    struct environment_plan *odd = &plan->environments[below(state, (unsigned)plan->ranks)];
    odd->mode = modes[below(state, 8)];
    odd->always_tune = flags[below(state, 4)];
    odd->samples = samples[below(state, 6)];
    odd->force = one_in(state, 8) ? FORCE_ONE : common.force;
}

static void draw_operations(struct plan *plan, uint64_t *state)
{
    enum operation common = OPERATION_CALL;
    if (one_in(state, 6))
        common = (enum operation)below(state, OPERATIONS);
    for (int rank = 0; rank < plan->ranks; rank++)
        plan->operations[rank] = common;
    if (one_in(state, 12))
        plan->operations[below(state, (unsigned)plan->ranks)] =
            (enum operation)below(state, OPERATIONS);
    plan->one_tuner = one_in(state, 4);
    if (!plan->one_tuner && one_in(state, 8))
        plan->difference = (enum difference)below(state, DIFFERENCES);
    if (plan->environments[0].samples && plan->difference == DIFFERENCE_SAMPLES)
        plan->difference = DIFFERENCE_NONE; /* the environment's word holds for all */
    plan->differing_rank = (int)below(state, (unsigned)plan->ranks);
    plan->forced = (int)below(state, SPACE);
    plan->forget = below(state, (TUTTI_FORGET_ALL | TUTTI_FORGET_RECORD) + 1);
}

static enum point draw_point(uint64_t *state)
{
    unsigned total = 0;
    for (int i = 0; i < POINTS; i++)
        total += points[i].weight;
    unsigned ticket = below(state, total);
    int point = 0;
    while (ticket >= points[point].weight)
        ticket -= points[point++].weight;
    return (enum point)point;
}

static void draw_fault(const struct plan *plan, uint64_t *state, struct fault *fault)
{
    fault->point = draw_point(state);
    const struct point_info *info = &points[fault->point];
    fault->rank = one_in(state, 8) ? ALL_RANKS : (int)below(state, (unsigned)plan->ranks);
    fault->first = below(state, info->reach);
    fault->times = one_in(state, 4) ? FOR_EVER : 1 + below(state, 2);
    fault->effect = (int)below(state, info->effects);
    if (info->root_only)
        fault->rank = 0;
    if (fault->point == POINT_ALLOCATION && one_in(state, 3))
        fault->first *= 10; /* deep in the encoding of a record */
    if (fault->point == POINT_ABSENT && fault->rank == ALL_RANKS)
        fault->rank = plan->ranks - 1;
}

void plan_make(struct plan *plan, uint64_t seed)
{
    uint64_t state = seed;
    memset(plan, 0, sizeof *plan);
    plan->seed = seed;
    plan->ranks = 1 + (int)below(&state, RANKS_LIMIT);
    plan->long_key = one_in(&state, 8);
    plan->callbacks = one_in(&state, 2);
    plan->warmups = one_in(&state, 3) ? TUTTI_NO_WARMUP : 1 + (int)below(&state, 4);
    plan->samples = 1 + (int)below(&state, 2);
    plan->when_pruned = one_in(&state, 2) ? TUTTI_PRUNED_ERROR : TUTTI_PRUNED_USE_DEFAULT;
    plan->policy = one_in(&state, 2) ? TUTTI_POLICY_EXHAUSTIVE : 1 + (int)below(&state, POLICIES);
    draw_launcher(plan, &state);
    plan->store = (enum store_state)below(&state, STORE_STATES);
    if (one_in(&state, 2))
        plan->store = one_in(&state, 2) ? STORE_EMPTY : STORE_RECORDED;
    plan->store_random = (uint32_t)draw(&state);
    draw_environments(plan, &state);
    draw_operations(plan, &state);
    plan->nfaults = one_in(&state, 12) ? 0 : 1 + (int)below(&state, FAULTS_LIMIT);
    for (int i = 0; i < plan->nfaults; i++)
        draw_fault(plan, &state, &plan->faults[i]);
}

bool plan_has(const struct plan *plan, enum point point)
{
    for (int i = 0; i < plan->nfaults; i++)
        if (plan->faults[i].point == point)
            return true;
    return false;
}

static void print_launcher(const struct plan *plan, FILE *stream)
{
    for (int rank = 0; rank < plan->ranks; rank++) {
        const struct environment_plan *own = &plan->environments[rank];
        fprintf(stream, "  rank %d: operation %d, seconds", rank, (int)plan->operations[rank]);
        for (int i = 0; i < SPACE; i++)
            fprintf(stream, " %g%s", plan->seconds[rank][i],
                    plan->pruned[rank][i] ? " (pruned)" : "");
        fprintf(stream, ", mode %s, always tune %s, strict %s, samples %s, force %s\n",
                own->mode ? own->mode : "-", own->always_tune ? own->always_tune : "-",
                own->strict ? own->strict : "-", own->samples ? own->samples : "-",
                own->force ? own->force : "-");
    }
}

void plan_print(const struct plan *plan, FILE *stream)
{
    static const char *const stores[] = {"empty",   "recorded", "cut",     "scribbled",
                                         "garbage", "foreign",  "blocked", "unwritable"};
    static const char *const differences[] = {"nothing", "name",        "version",
                                              "source",  "values",      "order",
                                              "samples", "when pruned", "buffers"};
    fprintf(stream,
            "seed %llu: %d ranks, %s, %s key, policy %d, warm-ups %d, samples %d, when pruned %d, "
            "store %s, "
            "rank %d differs in %s, forced %d, forget %u\n",
            (unsigned long long)plan->seed, plan->ranks,
            plan->one_tuner ? "one tuner" : "a tuner each", plan->long_key ? "long" : "short",
            plan->policy, plan->warmups, plan->samples, plan->when_pruned, stores[plan->store],
            plan->differing_rank, differences[plan->difference], plan->forced, plan->forget);
    print_launcher(plan, stream);
    for (int i = 0; i < plan->nfaults; i++) {
        const struct fault *fault = &plan->faults[i];
        fprintf(stream, "  fault: %s, rank %d, from occurrence %u on, %d times, effect %d\n",
                points[fault->point].name, fault->rank, fault->first, (int)fault->times,
                fault->effect);
    }
}
