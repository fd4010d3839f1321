/*
 * Groups over MPI: the functions that the core knows a group by, on a duplicate of the user's
 * communicator.
 *
 * Operations are nonblocking ones that are tested in a loop: that keeps the time limit, and is 100
 * times faster than MPICH's blocking operations where ranks outnumber cores. They work on a buffer
 * of the group's own, since an operation that was given up may still write there long after its
 * caller has left.
 */
#include <tutti/error.h>
#include <tutti/mpi.h>

#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define BUFFER_WORDS 8192 /* longer vectors go in pieces of this size */
#define BUFFER_BYTES (BUFFER_WORDS * sizeof(uint64_t))

#define TAG_GAVE_UP  1   /* an empty message: its sender has stopped waiting */
#define COLLECT_TIME 0.5 /* seconds for these messages to arrive */
#define PROBE_PERIOD 64  /* looks at an operation between two looks for such a message */

struct mpi_group {
    MPI_Comm comm; /* MPI_COMM_NULL once MPI_Finalize has begun */
    int rank, ranks;
    int keyval;     /* of the attribute on MPI_COMM_SELF that tells of MPI_Finalize */
    bool abandoned; /* an operation is still pending, on buffer and comm, and stays so */
    uint64_t buffer[BUFFER_WORDS];
};

/* Whether another rank has given up: then the operation can't complete any more. */
static bool others_gave_up(const struct mpi_group *mpi)
{
    int found = 0;
    const int error = MPI_Iprobe(MPI_ANY_SOURCE, TAG_GAVE_UP, mpi->comm, &found, MPI_STATUS_IGNORE);
    return !error && found;
}

static int give_up(struct mpi_group *mpi, int error)
{
    mpi->abandoned = true;
    return error;
}

/*
 * Waits for the operation, unless it is to be given up; started: what MPI said when it began. The
 * rank that the others have given up for may well find the operation complete when it comes at
 * last, since theirs is still pending; so it asks even then.
 */
static int complete(struct mpi_group *mpi, int started, MPI_Request *request, tutti_wait *wait)
{
    int done = 0;
    if (started)
        return give_up(mpi, TUTTI_ERR_GROUP);
    for (unsigned looks = 1;; looks++) {
        if (MPI_Test(request, &done, MPI_STATUS_IGNORE))
            return give_up(mpi, TUTTI_ERR_GROUP);
        if (done)
            return others_gave_up(mpi) ? give_up(mpi, TUTTI_ERR_STALL) : TUTTI_SUCCESS;
        if (!tutti_wait_more(wait) || (looks % PROBE_PERIOD == 0 && others_gave_up(mpi)))
            return give_up(mpi, TUTTI_ERR_STALL);
    }
}

static int mpi_barrier(struct mpi_group *mpi, tutti_wait *wait)
{
    MPI_Request request = MPI_REQUEST_NULL;
    const int started = MPI_Ibarrier(mpi->comm, &request);
    return complete(mpi, started, &request, wait);
}

/*
 * Copies words, exchanging the order of unsigned integers for that of signed ones, or back. MPI_MAX
 * can't be trusted with unsigned types: MPICH 4.0.2 compares all of 64 bits as signed, and so does
 * Open MPI 4.1.4 MPI_UNSIGNED_LONG.
 */
static void copy_words(uint64_t *to, const uint64_t *from, size_t n)
{
    for (size_t i = 0; i < n; i++)
        to[i] = from[i] ^ UINT64_C(1) << 63;
}

static int mpi_reduce_max(void *self, uint64_t *words, size_t n, tutti_wait *wait)
{
    struct mpi_group *mpi = self;
    if (mpi->comm == MPI_COMM_NULL)
        return TUTTI_ERR_GROUP;
    if (n == 0)
        return mpi_barrier(mpi, wait);
    int error = TUTTI_SUCCESS;
    for (size_t first = 0; first < n && !error; first += BUFFER_WORDS) {
        const size_t count = n - first < BUFFER_WORDS ? n - first : BUFFER_WORDS;
        MPI_Request request = MPI_REQUEST_NULL;
        copy_words(mpi->buffer, words + first, count);
        const int started = MPI_Iallreduce(MPI_IN_PLACE, mpi->buffer, (int)count, MPI_INT64_T,
                                           MPI_MAX, mpi->comm, &request);
        error = complete(mpi, started, &request, wait);
        if (!error)
            copy_words(words + first, mpi->buffer, count);
    }
    return error;
}

static int mpi_broadcast(void *self, void *bytes, size_t n, int root, tutti_wait *wait)
{
    struct mpi_group *mpi = self;
    if (mpi->comm == MPI_COMM_NULL)
        return TUTTI_ERR_GROUP;
    int error = TUTTI_SUCCESS;
    for (size_t first = 0; first < n && !error; first += BUFFER_BYTES) {
        const size_t count = n - first < BUFFER_BYTES ? n - first : BUFFER_BYTES;
        MPI_Request request = MPI_REQUEST_NULL;
        memcpy(mpi->buffer, (char *)bytes + first, count);
        const int started =
            MPI_Ibcast(mpi->buffer, (int)count, MPI_BYTE, root, mpi->comm, &request);
        error = complete(mpi, started, &request, wait);
        if (!error)
            memcpy((char *)bytes + first, mpi->buffer, count);
    }
    return error;
}

/* Receives what has come so far of the messages that say so. Returns the number of new ones. */
static int collect(const struct mpi_group *mpi, unsigned char *here)
{
    int arrived = 0;
    for (;;) {
        int found = 0;
        MPI_Status status;
        if (MPI_Iprobe(MPI_ANY_SOURCE, TAG_GAVE_UP, mpi->comm, &found, &status) || !found ||
            MPI_Recv(NULL, 0, MPI_BYTE, status.MPI_SOURCE, TAG_GAVE_UP, mpi->comm,
                     MPI_STATUS_IGNORE))
            return arrived;
        here[status.MPI_SOURCE] = 1;
        arrived++;
    }
}

/* Tells all other ranks; a request for each. */
static int tell(const struct mpi_group *mpi, MPI_Request *requests)
{
    int error = MPI_SUCCESS;
    for (int rank = 0; rank < mpi->ranks; rank++) {
        requests[rank] = MPI_REQUEST_NULL;
        if (!error && rank != mpi->rank)
            error = MPI_Isend(NULL, 0, MPI_BYTE, rank, TAG_GAVE_UP, mpi->comm, &requests[rank]);
    }
    return error;
}

/* Looks after the requests that tell; how many are still under way. One by one, since gcc warns of
 * MPI_STATUSES_IGNORE as MPICH declares it. */
static int pending(const struct mpi_group *mpi, MPI_Request *requests)
{
    int count = 0;
    for (int rank = 0; rank < mpi->ranks; rank++) {
        int done = 1;
        MPI_Test(&requests[rank], &done, MPI_STATUS_IGNORE); /* a null request is done */
        count += !done;
    }
    return count;
}

/*
 * A rank that gives up tells all others. Those who still wait see it and give up as well, so within
 * moments everybody has heard of everybody who waited, and the rest are missing. That is a message
 * for each pair of ranks, but only once in a group's life, and it works whoever is missing. A rank
 * that waits in another step is held up there, not missing: the sequence number is not needed.
 */
static int mpi_present(void *self, uint64_t sequence, unsigned char *here)
{
    const struct mpi_group *mpi = self;
    (void)sequence;
    if (mpi->comm == MPI_COMM_NULL)
        return TUTTI_ERR_GROUP;
    MPI_Request *requests = calloc((size_t)mpi->ranks, sizeof(MPI_Request));
    if (!requests)
        return TUTTI_ERR_MEMORY;
    here[mpi->rank] = 1;
    int heard = 1;
    const int error = tell(mpi, requests);
    const double until = MPI_Wtime() + COLLECT_TIME;
    while ((pending(mpi, requests) > 0 || heard < mpi->ranks) && MPI_Wtime() < until) {
        sched_yield();
        heard += collect(mpi, here);
    }
    for (int rank = 0; rank < mpi->ranks; rank++)
        if (requests[rank] != MPI_REQUEST_NULL) /* to a rank that is gone, say */
            MPI_Request_free(&requests[rank]);
    free(requests);
    return error ? TUTTI_ERR_GROUP : TUTTI_SUCCESS;
}

/*
 * Runs when the attribute on MPI_COMM_SELF is deleted: by the release of the group or, if the user
 * forgot that, as the first thing in MPI_Finalize.
 */
static int close_comm(MPI_Comm comm, int keyval, void *value, void *extra)
{
    struct mpi_group *mpi = value;
    (void)comm, (void)keyval, (void)extra;
    if (!mpi->abandoned && mpi->comm != MPI_COMM_NULL)
        MPI_Comm_free(&mpi->comm);
    mpi->comm = MPI_COMM_NULL;
    return MPI_SUCCESS;
}

/* An abandoned operation may write to the buffer as long as MPI lives: the memory is left to it. */
static void mpi_release(void *self, bool broken)
{
    struct mpi_group *mpi = self;
    (void)broken; /* abandoned says more */
    if (mpi->comm == MPI_COMM_NULL) {
        /* MPI_Finalize was here: nothing of MPI's is left, and MPI may not be called */
    } else if (mpi->keyval == MPI_KEYVAL_INVALID) {
        close_comm(MPI_COMM_SELF, mpi->keyval, mpi, NULL);
    } else {
        MPI_Comm_delete_attr(MPI_COMM_SELF, mpi->keyval); /* calls close_comm */
        MPI_Comm_free_keyval(&mpi->keyval);
    }
    if (!mpi->abandoned)
        free(mpi);
}

/* "Open MPI v4.1.4", "MPICH 4.0.2": the first line, up to a comma, in single spaces. */
static void library_name(char name[MPI_MAX_LIBRARY_VERSION_STRING])
{
    static const char label[] = "Version:";
    char whole[MPI_MAX_LIBRARY_VERSION_STRING] = "";
    int length = 0;
    size_t end = 0;

    MPI_Get_library_version(whole, &length);
    for (const char *at = whole; *at && *at != '\n' && *at != ','; at++)
        if (strncmp(at, label, sizeof label - 1) == 0)
            at += sizeof label - 2;
        else if (*at != ' ' && *at != '\t' && *at != '\r')
            name[end++] = *at;
        else if (end > 0 && name[end - 1] != ' ')
            name[end++] = ' ';
    end -= end > 0 && name[end - 1] == ' ';
    name[end] = '\0';
}

/* The node of each rank, as the lowest rank on it. All calls are made, whatever fails. */
static int find_nodes(const struct mpi_group *mpi, uint32_t *node_of)
{
    MPI_Comm node = MPI_COMM_NULL;
    uint32_t lowest = (uint32_t)mpi->rank;
    int error =
        MPI_Comm_split_type(mpi->comm, MPI_COMM_TYPE_SHARED, mpi->rank, MPI_INFO_NULL, &node);
    if (!error) {
        error = MPI_Bcast(&lowest, 1, MPI_UINT32_T, 0, node);
        MPI_Comm_free(&node);
    }
    const int gathered =
        MPI_Allgather(&lowest, 1, MPI_UINT32_T, node_of, 1, MPI_UINT32_T, mpi->comm);
    return error || gathered ? TUTTI_ERR_GROUP : TUTTI_SUCCESS;
}

/* The lowest error of all ranks: the same on all of them. */
static int agree(MPI_Comm comm, int error)
{
    int lowest = error;
    if (MPI_Allreduce(&error, &lowest, 1, MPI_INT, MPI_MIN, comm))
        return TUTTI_ERR_GROUP;
    return lowest;
}

static int watch_finalize(struct mpi_group *mpi)
{
    if (MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, close_comm, &mpi->keyval, NULL)) {
        mpi->keyval = MPI_KEYVAL_INVALID;
        return TUTTI_ERR_GROUP;
    }
    if (MPI_Comm_set_attr(MPI_COMM_SELF, mpi->keyval, mpi)) {
        MPI_Comm_free_keyval(&mpi->keyval);
        return TUTTI_ERR_GROUP;
    }
    return TUTTI_SUCCESS;
}

static int make_group(struct mpi_group *mpi, const uint32_t *node_of, tutti_group **group)
{
    static const tutti_group_ops ops = {.size = sizeof(tutti_group_ops),
                                        .kind = "mpi",
                                        .reduce_max = mpi_reduce_max,
                                        .broadcast = mpi_broadcast,
                                        .present = mpi_present,
                                        .release = mpi_release};
    char transport[MPI_MAX_LIBRARY_VERSION_STRING];
    library_name(transport);
    const tutti_group_desc desc = {.size = sizeof(tutti_group_desc),
                                   .ops = &ops,
                                   .self = mpi,
                                   .rank = mpi->rank,
                                   .ranks = mpi->ranks,
                                   .node_of = node_of,
                                   .transport = transport};
    return tutti_group_create(&desc, group);
}

/* Builds the group on a communicator that is now tutti's own: agreed, or undone on all ranks. */
static int build(struct mpi_group *mpi, uint32_t *node_of, tutti_group **group)
{
    tutti_group *made = NULL;
    int error = find_nodes(mpi, node_of);
    if (!error)
        error = make_group(mpi, node_of, &made);
    if (!error)
        error = watch_finalize(mpi);
    error = agree(mpi->comm, error);
    if (!error)
        *group = made;
    else if (made)
        tutti_group_release(made);
    else
        mpi_release(mpi, false);
    return error;
}

static bool usable(MPI_Comm comm)
{
    int initialised = 0, finalised = 0, between_groups = 0;
    MPI_Initialized(&initialised);
    MPI_Finalized(&finalised);
    if (!initialised || finalised || comm == MPI_COMM_NULL)
        return false;
    return !MPI_Comm_test_inter(comm, &between_groups) && !between_groups;
}

int tutti_group_create_mpi(MPI_Comm comm, tutti_group **group)
{
    MPI_Comm own = MPI_COMM_NULL;
    int rank, ranks;
    if (group)
        *group = NULL;
    if (!usable(comm))
        return TUTTI_ERR_ARGUMENT;
    if (MPI_Comm_dup(comm, &own))
        return TUTTI_ERR_GROUP;
    MPI_Comm_set_errhandler(own, MPI_ERRORS_RETURN);
    MPI_Comm_rank(own, &rank);
    MPI_Comm_size(own, &ranks);

    struct mpi_group *mpi = malloc(sizeof *mpi);
    uint32_t *node_of = malloc((size_t)ranks * sizeof *node_of);
    int error = !group ? TUTTI_ERR_ARGUMENT : !mpi || !node_of ? TUTTI_ERR_MEMORY : TUTTI_SUCCESS;
    error = agree(own, error);
    if (error || !mpi || !node_of) {
        MPI_Comm_free(&own);
        free(mpi);
    } else {
        *mpi = (struct mpi_group){
            .comm = own, .rank = rank, .ranks = ranks, .keyval = MPI_KEYVAL_INVALID};
        error = build(mpi, node_of, group);
    }
    free(node_of);
    return error;
}
