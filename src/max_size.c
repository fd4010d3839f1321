/* tutti_max_size: the memory that a call may need, before it is made. */
#include "cold.h"

static uint64_t greatest_size(const struct cold *cold, tutti_size_fn size)
{
    const struct call *call = cold->call;
    const tutti_tuner *tuner = call->tuner;
    const struct entry *known = cold_known(call);
    uint64_t greatest = 0;
    for (uint64_t i = 0; i < tuner->space.size; i++) {
        bool runs = i == 0 || !cold->work.words[2 * i] ||
                    (cold->have_outcome && i == cold->outcome.winner) ||
                    (known && i == known->configuration) ||
                    (cold->forced.source && i == cold->forced.configuration);
        if (!runs)
            continue;
        space_fill(&tuner->space, i, cold->work.config);
        uint64_t bytes = size(cold->work.config, call->args, tuner->user);
        greatest = bytes > greatest ? bytes : greatest;
    }
    return greatest;
}

static int find_max_size(struct cold *cold, tutti_size_fn size, size_t *bytes)
{
    uint64_t survivors, greatest;
    int status = cold_meet(cold);
    if (!status)
        status = cold_look_up(cold);
    if (!status)
        status = cold_prune(cold, &survivors);
    if (status)
        return status;
    greatest = greatest_size(cold, size);
    status = group_reduce_max(cold->call->group, &greatest, 1, "tutti_max_size", &cold->why);
    *bytes = status ? 0 : (size_t)greatest;
    return status;
}

int cold_max_size(struct call *call, tutti_size_fn size, size_t *bytes)
{
    struct cold cold = {.call = call, .operation = "tutti_max_size"};
    *bytes = 0;
    int status = cold_enter(call, &cold.why);
    if (!status) {
        status = find_max_size(&cold, size, bytes);
        cold_release(&cold);
        group_leave(call->group);
    }
    return cold_end(&cold, status);
}
