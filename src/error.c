/* Errors and the version as text. */
#include <tutti/error.h>
#include <tutti/version.h>

const char *tutti_strerror(int error)
{
    switch ((enum tutti_error)error) {
    case TUTTI_SUCCESS:
        return "success";
    case TUTTI_ERR_ARGUMENT:
        return "invalid argument";
    case TUTTI_ERR_MEMORY:
        return "out of memory";
    case TUTTI_ERR_SPACE:
        return "invalid table of parameters";
    case TUTTI_ERR_KEY:
        return "invalid key";
    case TUTTI_ERR_SETTING:
        return "invalid value of a setting";
    case TUTTI_ERR_DISAGREE:
        return "the ranks of the group disagree";
    case TUTTI_ERR_PRUNED:
        return "no configuration survives pruning";
    case TUTTI_ERR_FAILED:
        return "every configuration failed";
    case TUTTI_ERR_RUN:
        return "the launcher failed";
    case TUTTI_ERR_MISS:
        return "nothing is known for this key";
    case TUTTI_ERR_STALL:
        return "a rank did not take part in time";
    case TUTTI_ERR_BROKEN:
        return "the group broke in an earlier operation";
    case TUTTI_ERR_BUSY:
        return "another thread is using the group";
    case TUTTI_ERR_GROUP:
        return "the group's transport failed";
    case TUTTI_ERR_REFERENCE:
        return "the reference that outputs are verified with failed on some rank";
    case TUTTI_ERR_DEVICE:
        return "the timer's device fails, or is lost, on some rank";
    case TUTTI_ERR_STORE:
        return "the store can't be read or written";
    case TUTTI_ERR_RECORD:
        return "not a valid record";
    }
    return "unknown error";
}

const char *tutti_version(void)
{
    return TUTTI_VERSION;
}
