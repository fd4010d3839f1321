/*
 * The point-to-point engine: one message from every rank to every other, described by derived
 * datatypes. It runs on any communicator, also between nodes.
 *
 * A rank whose buffers are wrong sends empty messages with a tag of their own, and takes what is
 * sent to it into a buffer that it then drops.
 */
#include <limits.h>
#include <stdlib.h>

#include "bytes_type.h"
#include "handshake.h"
#include "plan.h"
#include "wait.h"

enum tag { TAG_DATA = 1, TAG_FAULT = 2 };

/* What goes to and comes from one peer. */
struct channel {
    MPI_Datatype send, receive; /* MPI_DATATYPE_NULL if there are no rows */
    size_t in, out;             /* offsets */
};

struct messages {
    struct channel *channels; /* by rank */
    MPI_Request *requests;    /* receives, then sends, of all ranks but this one */
    MPI_Status *statuses;
    size_t largest;       /* bytes that a peer sends, at most */
    MPI_Datatype dropped; /* as many bytes */
};

/* rows x heads x width bytes with strides. */
static int make_type(size_t rows, size_t heads, size_t width, const struct reverse_a2a_array *array,
                     MPI_Datatype *type)
{
    MPI_Datatype row;
    *type = MPI_DATATYPE_NULL;
    if (rows == 0)
        return MPI_SUCCESS;
    int error =
        MPI_Type_create_hvector((int)heads, (int)width, (MPI_Aint)array->stride_h, MPI_BYTE, &row);
    if (error != MPI_SUCCESS)
        return error;
    error = MPI_Type_create_hvector((int)rows, 1, (MPI_Aint)array->stride_s, row, type);
    MPI_Type_free(&row);
    return error == MPI_SUCCESS ? MPI_Type_commit(type) : error;
}

static int make_channel(const struct reverse_a2a_plan *plan, int peer, struct channel *channel)
{
    const struct reverse_a2a_layout *layout = &plan->layout;
    struct reverse_a2a_part out = reverse_a2a_layout_part(layout, plan->memory->rank, peer);
    struct reverse_a2a_part in = reverse_a2a_layout_part(layout, peer, plan->memory->rank);
    channel->in = out.in;
    channel->out = in.out;
    int error = make_type(out.rows, layout->h, layout->row, &layout->in, &channel->send);
    if (error == MPI_SUCCESS)
        error = make_type(in.rows, layout->h, layout->row, &layout->out, &channel->receive);
    return error;
}

static void free_type(MPI_Datatype *type)
{
    if (*type != MPI_DATATYPE_NULL)
        MPI_Type_free(type);
}

static void release(struct messages *messages, int ranks)
{
    free_type(&messages->dropped);
    for (int i = 0; messages->channels && i < ranks; i++) {
        free_type(&messages->channels[i].send);
        free_type(&messages->channels[i].receive);
    }
    free(messages->channels);
    free(messages->requests);
    free(messages->statuses);
    free(messages);
}

static struct messages *allocate(int ranks)
{
    size_t count = (size_t)ranks;
    struct messages *messages = calloc(1, sizeof(*messages));
    if (!messages)
        return NULL;
    messages->dropped = MPI_DATATYPE_NULL;
    messages->channels = malloc(count * sizeof(messages->channels[0]));
    messages->requests = malloc(2 * count * sizeof(messages->requests[0]));
    messages->statuses = malloc(2 * count * sizeof(messages->statuses[0]));
    for (int i = 0; messages->channels && i < ranks; i++)
        messages->channels[i].send = messages->channels[i].receive = MPI_DATATYPE_NULL;
    if (messages->channels && messages->requests && messages->statuses)
        return messages;
    release(messages, ranks);
    return NULL;
}

static int p2p_prepare(struct reverse_a2a_plan *plan)
{
    struct reverse_a2a_memory *memory = plan->memory;
    const struct reverse_a2a_layout *layout = &plan->layout;
    if (layout->s > INT_MAX || layout->h > INT_MAX || layout->row > INT_MAX)
        return reverse_a2a_memory_fail(memory, REVERSE_A2A_ERROR_ENGINE,
                                       "engine p2p: S, H and the bytes of D must be below 2^31");
    struct messages *messages = allocate(memory->ranks);
    if (!messages)
        return reverse_a2a_memory_fail(memory, REVERSE_A2A_ERROR_OUT_OF_MEMORY,
                                       "no memory for the messages of engine p2p");
    messages->largest = layout->s * layout->h * layout->row;
    int error = reverse_a2a_bytes_type(messages->largest, REVERSE_A2A_CHUNK, &messages->dropped);
    for (int i = 0; error == MPI_SUCCESS && i < memory->ranks; i++)
        error = make_channel(plan, i, &messages->channels[i]);
    if (error != MPI_SUCCESS) {
        release(messages, memory->ranks);
        return reverse_a2a_memory_fail(memory, REVERSE_A2A_ERROR_MPI,
                                       "engine p2p: MPI can't make the datatypes");
    }
    plan->state = messages;
    return REVERSE_A2A_OK;
}

static void p2p_release(struct reverse_a2a_plan *plan)
{
    release(plan->state, plan->memory->ranks);
}

static int receive(const struct reverse_a2a_plan *plan, int peer, char *out, char *dropped,
                   MPI_Request *request)
{
    const struct messages *messages = plan->state;
    const struct channel *channel = &messages->channels[peer];
    MPI_Comm comm = plan->memory->comm;
    if (dropped)
        return MPI_Irecv(dropped + (size_t)peer * messages->largest, 1, messages->dropped, peer,
                         MPI_ANY_TAG, comm, request);
    if (channel->receive == MPI_DATATYPE_NULL)
        return MPI_Irecv(NULL, 0, MPI_BYTE, peer, MPI_ANY_TAG, comm, request);
    return MPI_Irecv(out + channel->out, 1, channel->receive, peer, MPI_ANY_TAG, comm, request);
}

static int send(const struct reverse_a2a_plan *plan, int peer, const char *in, bool faulty,
                MPI_Request *request)
{
    const struct messages *messages = plan->state;
    const struct channel *channel = &messages->channels[peer];
    MPI_Comm comm = plan->memory->comm;
    if (faulty || channel->send == MPI_DATATYPE_NULL)
        return MPI_Isend(NULL, 0, MPI_BYTE, peer, faulty ? TAG_FAULT : TAG_DATA, comm, request);
    return MPI_Isend(in + channel->in, 1, channel->send, peer, TAG_DATA, comm, request);
}

/* The receives first, so that no message has to wait in a buffer of MPI's. */
static int start(struct reverse_a2a_plan *plan, const char *in, char *out, bool faulty,
                 char *dropped)
{
    struct messages *messages = plan->state;
    int ranks = plan->memory->ranks, rank = plan->memory->rank, error = MPI_SUCCESS;
    for (int i = 0; i < 2 * (ranks - 1); i++)
        messages->requests[i] = MPI_REQUEST_NULL;
    for (int i = 1; error == MPI_SUCCESS && i < ranks; i++)
        error = receive(plan, (rank + ranks - i) % ranks, out, dropped, &messages->requests[i - 1]);
    for (int i = 1; error == MPI_SUCCESS && i < ranks; i++)
        error = send(plan, (rank + i) % ranks, in, faulty, &messages->requests[ranks - 1 + i - 1]);
    return error;
}

static int stop_waiting(struct reverse_a2a_plan *plan, int result)
{
    struct reverse_a2a_memory *memory = plan->memory;
    memory->lost_messages = true;
    if (result != REVERSE_A2A_ERROR_STALL)
        return result;
    return reverse_a2a_memory_fail(memory, result,
                                   "rank %d: nothing moved for %g s while messages were awaited",
                                   memory->rank, memory->stall_limit);
}

static int finish(struct reverse_a2a_plan *plan)
{
    struct messages *messages = plan->state;
    struct reverse_a2a_wait wait = {0};
    int count = 2 * (plan->memory->ranks - 1), done = 0;
    for (;;) {
        if (MPI_Testall(count, messages->requests, &done, messages->statuses) != MPI_SUCCESS)
            return REVERSE_A2A_ERROR_MPI;
        if (done)
            return REVERSE_A2A_OK;
        int result = reverse_a2a_wait_round(plan->memory, &wait);
        if (result != REVERSE_A2A_OK)
            return stop_waiting(plan, result);
    }
}

static void find_faults(struct reverse_a2a_plan *plan)
{
    const struct messages *messages = plan->state;
    for (int i = 0; i < plan->memory->ranks - 1; i++)
        if (messages->statuses[i].MPI_TAG == TAG_FAULT)
            plan->memory->peers[messages->statuses[i].MPI_SOURCE].faulty = true;
}

static int p2p_exchange(struct reverse_a2a_plan *plan, const char *in, char *out, bool faulty)
{
    struct reverse_a2a_memory *memory = plan->memory;
    const struct messages *messages = plan->state;
    char *dropped = NULL;
    reverse_a2a_begin_call(memory);
    if (faulty && !(dropped = malloc(messages->largest * (size_t)memory->ranks))) {
        reverse_a2a_memory_give_up(memory);
        return reverse_a2a_memory_fail(memory, REVERSE_A2A_ERROR_BROKEN,
                                       "rank %d had no memory to take part", memory->rank);
    }
    int result = REVERSE_A2A_ERROR_MPI;
    if (start(plan, in, out, faulty, dropped) == MPI_SUCCESS) {
        if (!faulty)
            reverse_a2a_keep_own(plan, in, out);
        result = finish(plan);
    }
    if (memory->broken) /* `dropped` may still be written */
        return result;
    free(dropped);
    reverse_a2a_end_call(plan);
    if (result != REVERSE_A2A_OK)
        return reverse_a2a_memory_fail(memory, result, "engine p2p: MPI failed");
    find_faults(plan);
    return reverse_a2a_find_faulty_peer(plan);
}

const struct reverse_a2a_engine reverse_a2a_engine_p2p = {
    .name = "p2p", .prepare = p2p_prepare, .release = p2p_release, .exchange = p2p_exchange};
