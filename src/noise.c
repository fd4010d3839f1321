/* See noise.h. */
#include "noise.h"

#include <stdio.h>
#include <string.h>

#include <hwloc.h>

#include "log.h"

#define LOUD 0.05 /* a spread of samples that deserves a warning if the winner is not certain */

/* What may make times noisy; counted by a reduction, some rank sees it. */
enum cause { CAUSE_CROWDED, CAUSE_UNBOUND, CAUSE_GOVERNOR, CAUSES };

static const char *const advice[CAUSES] = {
    "more ranks than cores run on a node: start fewer, or wait less busily",
    "some ranks are not bound to cores: bind them (mpirun --bind-to core)",
    "a frequency governor saves power: set it to performance",
};

/* Whether this process may run on more than one core, or on all that there are. */
static void look_at_binding(uint64_t found[CAUSES], int ranks)
{
    hwloc_topology_t topology;
    if (hwloc_topology_init(&topology) != 0)
        return;
    hwloc_bitmap_t set = hwloc_bitmap_alloc();
    if (set && hwloc_topology_load(topology) == 0) {
        const int cores = hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_CORE);
        const bool known = hwloc_get_cpubind(topology, set, HWLOC_CPUBIND_PROCESS) == 0;
        const int bound_to =
            known ? hwloc_get_nbobjs_inside_cpuset_by_type(topology, set, HWLOC_OBJ_CORE) : 0;
        found[CAUSE_CROWDED] = cores > 0 && ranks > cores;
        found[CAUSE_UNBOUND] = cores > 1 && bound_to == cores;
    }
    hwloc_bitmap_free(set);
    hwloc_topology_destroy(topology);
}

/* hwloc does not tell the governor; Linux does. */
static void look_at_governor(uint64_t found[CAUSES])
{
    char governor[32] = "";
    FILE *file = fopen("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "r");
    if (!file)
        return;
    if (fgets(governor, sizeof governor, file))
        found[CAUSE_GOVERNOR] = strncmp(governor, "performance", 11) != 0;
    fclose(file);
}

/* Placement texts begin with the ranks of the first node, or with "NODES*RANKS". */
static int ranks_here(const tutti_group *group)
{
    int first = 0, ranks = 0;
    const int count = sscanf(group->placement, "%d*%d", &first, &ranks);
    return count == 2 ? ranks : count == 1 ? first : group->ranks;
}

static void warn(const struct call *call, const struct race_figures *race,
                 const uint64_t found[CAUSES])
{
    struct text hints = {0};
    for (int cause = 0; cause < CAUSES; cause++)
        if (found[cause])
            text_add(&hints, "; %s", advice[cause]);
    log_root(call->group, call->tuner->name, TUTTI_LOG_WARN,
             "repeated samples of one configuration spread by %.1f%%, which hides the "
             "differences: the choice is within %.1f%% of the best%s",
             100 * race->noise, 100 * race->within,
             hints.bytes ? hints.bytes : "; a larger budget (TUTTI_BUDGET_CALLS) would tell more");
    text_release(&hints);
}

static void inform(const struct call *call, const struct outcome *outcome)
{
    const struct race_figures *race = &outcome->race;
    struct text winner = {0};
    space_configuration_text(&call->tuner->space, outcome->winner, &winner);
    log_root(call->group, call->tuner->name, TUTTI_LOG_INFO,
             "%s%s after %llu rounds; noise %.1f%%, within %.1f%% of the best, %s%.0f%%",
             winner.bytes ? winner.bytes : "",
             race->stopped ? ", the best so far when the time was used up," : "",
             (unsigned long long)race->rounds, 100 * race->noise, 100 * race->within,
             race->equal ? "equal to the runner-up at " : "faster than the runner-up at ",
             100 * race->confidence);
    text_release(&winner);
}

int noise_report(const struct call *call, const struct outcome *outcome, struct text *why)
{
    const struct race_figures *race = &outcome->race;
    uint64_t found[CAUSES] = {0};
    inform(call, outcome);
    /* Decided from reduced figures, so that all ranks take part in the reduction or none. */
    if (!race->equal || race->noise < LOUD)
        return TUTTI_SUCCESS;
    look_at_binding(found, ranks_here(call->group));
    look_at_governor(found);
    int status = group_reduce_max(call->group, found, CAUSES, "the noise report", why);
    if (!status)
        warn(call, race, found);
    return status;
}
