/* NVSHMEM, in a build without it. */
#include "plan.h"

static bool accepts(const struct reverse_a2a_cuda_choice *choice)
{
    (void)choice;
    return true;
}

static int prepare(struct reverse_a2a_cuda_plan *plan)
{
    return a2a_fail(plan->memory, REVERSE_A2A_ERROR_ENGINE,
                    "engine nvshmem: this build has no NVSHMEM");
}

static int enqueue(struct reverse_a2a_cuda_plan *plan, const struct a2a_call *call)
{
    (void)call;
    return prepare(plan);
}

const struct a2a_engine a2a_engine_nvshmem = {.name = "nvshmem",
                                              .touch = A2A_TOUCHES_NOTHING,
                                              .accepts = accepts,
                                              .prepare = prepare,
                                              .enqueue = enqueue};
