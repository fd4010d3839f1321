/*
 * The push engine: every rank copies its parts straight into the results of the others, which must
 * be in symmetric memory, from its operand, which may be anywhere. See handshake.h.
 */
#include "copy_team.h"
#include "handshake.h"
#include "operands.h"
#include "plan.h"

static int check_target(const struct reverse_a2a_plan *plan, const char *in, const char *out)
{
    (void)in;
    uint64_t name;
    bool found = reverse_a2a_name_operand(plan->memory, out, plan->layout.out.span, &name);
    return found ? REVERSE_A2A_OK : REVERSE_A2A_ERROR_NOT_SYMMETRIC;
}

static int push_part(const struct reverse_a2a_touch *touch, int target, uint64_t operand)
{
    const struct reverse_a2a_plan *plan = touch->plan;
    struct reverse_a2a_part part =
        reverse_a2a_layout_part(&plan->layout, plan->memory->rank, target);
    struct reverse_a2a_box box = reverse_a2a_layout_box(&plan->layout, part.rows);
    if (part.rows == 0)
        return REVERSE_A2A_OK;
    char *out = reverse_a2a_find_operand(plan->memory, target, operand);
    reverse_a2a_copy_by_team(plan->choice.threads, plan->into_out, out + part.out,
                             touch->in + part.in, &box);
    return REVERSE_A2A_OK;
}

static int push_exchange(struct reverse_a2a_plan *plan, const char *in, char *out, bool faulty)
{
    struct reverse_a2a_touch touch = {plan, in, out, faulty, 0, push_part};
    if (!faulty)
        reverse_a2a_name_operand(plan->memory, out, plan->layout.out.span, &touch.operand);
    return reverse_a2a_touch_peers(&touch);
}

const struct reverse_a2a_engine reverse_a2a_engine_push = {.name = "push",
                                                           .needs_one_node = true,
                                                           .check_buffers = check_target,
                                                           .exchange = push_exchange};
