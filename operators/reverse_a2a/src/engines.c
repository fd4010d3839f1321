/* The list of the engines, and of the ways to copy, by their numbers in the public header. */
#include "engine.h"

#include "reverse_a2a/reverse_a2a.h"

static const struct reverse_a2a_engine *const engines[REVERSE_A2A_ENGINES] = {
    [REVERSE_A2A_STAGED] = &reverse_a2a_engine_staged,
    [REVERSE_A2A_STAGED_OWN] = &reverse_a2a_engine_staged_own,
    [REVERSE_A2A_PULL] = &reverse_a2a_engine_pull,
    [REVERSE_A2A_PUSH] = &reverse_a2a_engine_push,
    [REVERSE_A2A_CMA] = &reverse_a2a_engine_cma,
    [REVERSE_A2A_P2P] = &reverse_a2a_engine_p2p,
    [REVERSE_A2A_REFERENCE] = &reverse_a2a_engine_reference,
};

static const char *const copies[REVERSE_A2A_COPIES] = {
    [REVERSE_A2A_COPY_AUTO] = "auto",
    [REVERSE_A2A_COPY_PLAIN] = "plain",
    [REVERSE_A2A_COPY_WIDE] = "wide",
    [REVERSE_A2A_COPY_STREAMING] = "streaming",
    [REVERSE_A2A_COPY_STREAMING_BOTH] = "streaming_both",
    [REVERSE_A2A_COPY_PREFETCHING] = "prefetching",
};

const struct reverse_a2a_engine *reverse_a2a_find_engine(int name)
{
    return name >= 0 && name < REVERSE_A2A_ENGINES ? engines[name] : NULL;
}

const char *reverse_a2a_engine_string(int engine)
{
    const struct reverse_a2a_engine *found = reverse_a2a_find_engine(engine);
    return found ? found->name : NULL;
}

const char *reverse_a2a_copy_string(int copy)
{
    return copy >= 0 && copy < REVERSE_A2A_COPIES ? copies[copy] : NULL;
}
