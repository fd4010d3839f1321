/* The words for statuses, policies and sources, as they stand in reports and records. */
#include <tutti/tuner.h>

const char *tutti_status_name(int status)
{
    switch (status) {
    case TUTTI_STATUS_OK:
        return "ok";
    case TUTTI_STATUS_PRUNED:
        return "pruned";
    case TUTTI_STATUS_FAILED:
        return "failed";
    case TUTTI_STATUS_WRONG:
        return "wrong";
    case TUTTI_STATUS_SLOW:
        return "slow";
    case TUTTI_STATUS_TIMEOUT:
        return "timeout";
    case TUTTI_STATUS_CRASHED:
        return "crashed";
    case TUTTI_STATUS_NOT_RUN:
        return "not run";
    default:
        return "unknown";
    }
}

const char *tutti_policy_name(int policy)
{
    static const char *const names[] = {"default", "exhaustive",    "race",
                                        "random",  "neighbourhood", "halving"};
    const bool known = policy >= TUTTI_POLICY_DEFAULT && policy <= TUTTI_POLICY_HALVING;
    return known ? names[policy] : "unknown";
}

const char *tutti_source_name(int source)
{
    switch (source) {
    case TUTTI_SOURCE_SEARCH:
        return "search";
    case TUTTI_SOURCE_RECORD:
        return "record";
    case TUTTI_SOURCE_DEFAULT_OFF:
        return "default (tuning is off)";
    case TUTTI_SOURCE_DEFAULT_PRUNED:
        return "default (all pruned)";
    case TUTTI_SOURCE_DEFAULT_MISS:
        return "default (no record)";
    case TUTTI_SOURCE_DEFAULT_BUSY:
        return "default (no record, and no search now)";
    case TUTTI_SOURCE_FORCED_CODE:
        return "forced (by the program)";
    case TUTTI_SOURCE_FORCED_ENVIRONMENT:
        return "forced (by TUTTI_FORCE)";
    default:
        return "unknown";
    }
}
