/* The reference (reference.c) as an engine. Whether all ranks came with good buffers is agreed
 * first. */
#include "reference.h"

#include "agree.h"
#include "plan.h"

static int reference_prepare(struct reverse_a2a_plan *plan)
{
    struct reverse_a2a_reference *reference;
    int result = reverse_a2a_reference_prepare(plan->memory->comm, &plan->layout, &reference);
    plan->state = reference;
    return result ? reverse_a2a_memory_fail(plan->memory, result, "engine reference: %s",
                                            reverse_a2a_strerror(result))
                  : result;
}

static void reference_release(struct reverse_a2a_plan *plan)
{
    reverse_a2a_reference_release(plan->state);
}

static int reference_exchange(struct reverse_a2a_plan *plan, const char *in, char *out, bool faulty)
{
    struct reverse_a2a_memory *memory = plan->memory;
    int result = reverse_a2a_agree(memory->comm, faulty ? REVERSE_A2A_ERROR_PEER : REVERSE_A2A_OK);
    if (result == REVERSE_A2A_OK)
        result = reverse_a2a_reference_run(plan->state, in, out, REVERSE_A2A_OK);
    reverse_a2a_end_call(plan);
    return result ? reverse_a2a_memory_fail(memory, result, "engine reference: %s",
                                            reverse_a2a_strerror(result))
                  : result;
}

const struct reverse_a2a_engine reverse_a2a_engine_reference = {.name = "reference",
                                                                .needs_equal_rows = true,
                                                                .prepare = reference_prepare,
                                                                .release = reference_release,
                                                                .exchange = reference_exchange};
