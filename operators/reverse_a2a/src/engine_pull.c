/*
 * The pull engine: every rank copies its parts straight from the operands of the others, which must
 * be in symmetric memory, into its result, which may be anywhere. See handshake.h.
 */
#include "copy_team.h"
#include "handshake.h"
#include "operands.h"
#include "plan.h"

static int check_source(const struct reverse_a2a_plan *plan, const char *in, const char *out)
{
    (void)out;
    uint64_t name;
    bool found = reverse_a2a_name_operand(plan->memory, in, plan->layout.in.span, &name);
    return found ? REVERSE_A2A_OK : REVERSE_A2A_ERROR_NOT_SYMMETRIC;
}

static int pull_part(const struct reverse_a2a_touch *touch, int source, uint64_t operand)
{
    const struct reverse_a2a_plan *plan = touch->plan;
    struct reverse_a2a_part part =
        reverse_a2a_layout_part(&plan->layout, source, plan->memory->rank);
    struct reverse_a2a_box box = reverse_a2a_layout_box(&plan->layout, part.rows);
    if (part.rows == 0)
        return REVERSE_A2A_OK;
    const char *in = reverse_a2a_find_operand(plan->memory, source, operand);
    reverse_a2a_copy_by_team(plan->choice.threads, plan->into_out, touch->out + part.out,
                             in + part.in, &box);
    return REVERSE_A2A_OK;
}

static int pull_exchange(struct reverse_a2a_plan *plan, const char *in, char *out, bool faulty)
{
    struct reverse_a2a_touch touch = {plan, in, out, faulty, 0, pull_part};
    if (!faulty)
        reverse_a2a_name_operand(plan->memory, in, plan->layout.in.span, &touch.operand);
    return reverse_a2a_touch_peers(&touch);
}

const struct reverse_a2a_engine reverse_a2a_engine_pull = {.name = "pull",
                                                           .needs_one_node = true,
                                                           .check_buffers = check_source,
                                                           .exchange = pull_exchange};
