/* The words for each result. */
#include "reverse_a2a/reverse_a2a.h"

const char *reverse_a2a_strerror(int result)
{
    switch (result) {
    case REVERSE_A2A_OK:
        return "success";
    case REVERSE_A2A_ERROR_ARGUMENT:
        return "a handle, or a buffer that is not empty, is NULL";
    case REVERSE_A2A_ERROR_SHAPE:
        return "an extent, a stride or the element size is not possible";
    case REVERSE_A2A_ERROR_CONFIG:
        return "an engine or a way to copy is unknown, or a block or the number of buffers is "
               "below 1";
    case REVERSE_A2A_ERROR_RANKS:
        return "the shape was made for another number of ranks";
    case REVERSE_A2A_ERROR_TOO_LARGE:
        return "a size does not fit into the address space";
    case REVERSE_A2A_ERROR_MEMORY_SIZE:
        return "the symmetric memory is smaller than the configuration needs";
    case REVERSE_A2A_ERROR_OVERLAP:
        return "A and C overlap";
    case REVERSE_A2A_ERROR_PEER:
        return "another rank called with arguments that are wrong";
    case REVERSE_A2A_ERROR_STALL:
        return "nothing moved within the stall limit";
    case REVERSE_A2A_ERROR_BROKEN:
        return "the memory was given up because an earlier call stalled";
    case REVERSE_A2A_ERROR_NODES:
        return "the ranks of the communicator do not share the memory of one node";
    case REVERSE_A2A_ERROR_OUT_OF_MEMORY:
        return "out of memory";
    case REVERSE_A2A_ERROR_MPI:
        return "an MPI function failed";
    case REVERSE_A2A_ERROR_ENGINE:
        return "the engine can't do this shape, or can't run here";
    case REVERSE_A2A_ERROR_NOT_SYMMETRIC:
        return "the engine needs an operand in memory of reverse_a2a_alloc";
    case REVERSE_A2A_ERROR_SYSTEM:
        return "the operating system refused to copy";
    case REVERSE_A2A_ERROR_TUNER:
        return "the tuner reports an error";
    case REVERSE_A2A_ERROR_NOT_CACHED:
        return "nothing is recorded for this problem, and measuring was not asked for";
    case REVERSE_A2A_ERROR_DEVICE:
        return "a CUDA function failed on some rank";
    default:
        return "unknown result";
    }
}
