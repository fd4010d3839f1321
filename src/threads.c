/*
 * The group of threads. An operation is a barrier with a payload: every rank arrives, under a lock,
 * and adds what it brings to a buffer of the group; the last one to arrive completes the operation,
 * which the others see in one atomic number. Who gives up does so under the same lock, so that each
 * operation has one end, completed or given up, on all ranks.
 *
 * The payload is copied in and out, since a rank that has given up may free its own memory at once.
 * There are two buffers, which take turns: a rank can only fill one again after the next operation
 * was complete, and so after all ranks have read it.
 */
#include <tutti/threads.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include <tutti/error.h>

#define RANKS_LIMIT  65536
#define BUFFER_WORDS 512 /* longer payloads go in pieces of this size */
#define BUFFER_BYTES (BUFFER_WORDS * sizeof(uint64_t))
#define BROKEN       (UINT64_C(1) << 63) /* beside the number of complete operations */
#define MAXIMUM      (-1)                /* in place of a root */

/* What the ranks share. Everything below the lock is read and written under it, except the buffers,
 * which are read once the operation is complete. */
struct shared {
    atomic_int owners;
    _Atomic uint64_t state; /* how many operations are complete, and BROKEN */
    int ranks;
    pthread_mutex_t lock;
    int error;   /* what broke the group */
    int arrived; /* ranks in the present operation */
    size_t n;    /* of the present operation: words, or bytes of a broadcast */
    int root;    /* of the present operation, or MAXIMUM */
    uint64_t buffers[2][BUFFER_WORDS];
    struct member *members;
};

/* One rank's view. */
struct member {
    struct shared *shared;
    int rank;
    uint64_t operations; /* that this rank has arrived at */
};

/* One piece of an operation, as one rank brings it. */
struct piece {
    void *bytes;
    size_t n; /* words of a maximum, bytes of a broadcast */
    int root; /* or MAXIMUM */
};

/* Under the lock. */
static bool is_broken(const struct shared *shared)
{
    return atomic_load_explicit(&shared->state, memory_order_relaxed) & BROKEN;
}

static void break_group(struct shared *shared, int error)
{
    shared->error = error;
    atomic_fetch_or_explicit(&shared->state, BROKEN, memory_order_release);
}

static void add(uint64_t *buffer, const struct piece *piece, int rank, bool first)
{
    if (piece->root != MAXIMUM) {
        if (piece->root == rank)
            memcpy(buffer, piece->bytes, piece->n);
        return;
    }
    const uint64_t *words = piece->bytes;
    for (size_t i = 0; i < piece->n; i++)
        buffer[i] = first || words[i] > buffer[i] ? words[i] : buffer[i];
}

/* Under the lock. A rank that comes too late, to a broken group, does not count as arrived. */
static void arrive(struct member *member, const struct piece *piece)
{
    struct shared *shared = member->shared;
    const bool first = shared->arrived == 0;
    if (is_broken(shared))
        return;
    if (first) {
        shared->n = piece->n;
        shared->root = piece->root;
    }
    if (shared->n != piece->n || shared->root != piece->root) {
        break_group(shared, TUTTI_ERR_GROUP);
        return;
    }
    member->operations++;
    add(shared->buffers[member->operations % 2], piece, member->rank, first);
    if (++shared->arrived < shared->ranks)
        return;
    shared->arrived = 0;
    atomic_store_explicit(&shared->state, member->operations, memory_order_release);
}

/* Whether an operation has ended, and how. One that was complete stays so if a later one breaks. */
static bool has_ended(uint64_t state, uint64_t operation, bool *complete)
{
    *complete = (state & ~BROKEN) >= operation;
    return *complete || (state & BROKEN);
}

/* Ends an operation for all ranks, unless it has ended just now. */
static void give_up(struct shared *shared, uint64_t operation)
{
    bool complete;
    pthread_mutex_lock(&shared->lock);
    if (!has_ended(atomic_load(&shared->state), operation, &complete))
        break_group(shared, TUTTI_ERR_STALL);
    pthread_mutex_unlock(&shared->lock);
}

static int operate(struct member *member, const struct piece *piece, tutti_wait *wait)
{
    struct shared *shared = member->shared;
    const uint64_t operation = member->operations + 1;
    const uint64_t *buffer = shared->buffers[operation % 2];
    bool complete;
    pthread_mutex_lock(&shared->lock);
    arrive(member, piece);
    pthread_mutex_unlock(&shared->lock);
    while (!has_ended(atomic_load_explicit(&shared->state, memory_order_acquire), operation,
                      &complete))
        if (!tutti_wait_more(wait))
            give_up(shared, operation);
    if (!complete)
        return shared->error;
    if (piece->root == MAXIMUM && piece->n > 0)
        memcpy(piece->bytes, buffer, piece->n * sizeof *buffer);
    else if (piece->root != MAXIMUM && piece->root != member->rank)
        memcpy(piece->bytes, buffer, piece->n);
    return TUTTI_SUCCESS;
}

static int threads_reduce_max(void *self, uint64_t *words, size_t n, tutti_wait *wait)
{
    size_t done = 0;
    int error;
    do {
        const size_t count = n - done < BUFFER_WORDS ? n - done : BUFFER_WORDS;
        const struct piece piece = {
            .bytes = n > 0 ? words + done : NULL, .n = count, .root = MAXIMUM};
        error = operate(self, &piece, wait);
        done += count;
    } while (!error && done < n);
    return error;
}

static int threads_broadcast(void *self, void *bytes, size_t n, int root, tutti_wait *wait)
{
    int error = TUTTI_SUCCESS;
    for (size_t done = 0; done < n && !error; done += BUFFER_BYTES) {
        const size_t count = n - done < BUFFER_BYTES ? n - done : BUFFER_BYTES;
        const struct piece piece = {.bytes = (char *)bytes + done, .n = count, .root = root};
        error = operate(self, &piece, wait);
    }
    return error;
}

/* Who was in the operation that broke the group: the same answer on all ranks, since nobody arrives
 * after that. If only this rank is in trouble, it ends the wait of the others. */
static int threads_present(void *self, uint64_t sequence, unsigned char *here)
{
    struct member *member = self;
    struct shared *shared = member->shared;
    uint64_t last = 0;
    (void)sequence; /* counts whole operations; here it is their pieces that matter */
    pthread_mutex_lock(&shared->lock);
    if (!is_broken(shared))
        break_group(shared, TUTTI_ERR_STALL);
    for (int rank = 0; rank < shared->ranks; rank++)
        if (shared->members[rank].operations > last)
            last = shared->members[rank].operations;
    for (int rank = 0; rank < shared->ranks; rank++)
        here[rank] = shared->arrived > 0 && shared->members[rank].operations == last;
    pthread_mutex_unlock(&shared->lock);
    return TUTTI_SUCCESS;
}

static void leave(struct shared *shared, int owners)
{
    if (atomic_fetch_sub(&shared->owners, owners) != owners)
        return;
    pthread_mutex_destroy(&shared->lock);
    free(shared->members);
    free(shared);
}

static void threads_release(void *self, bool broken)
{
    (void)broken; /* nobody else's memory is in use, whatever happened */
    leave(((struct member *)self)->shared, 1);
}

static struct shared *create_shared(int ranks)
{
    struct shared *shared = calloc(1, sizeof *shared);
    struct member *members = calloc((size_t)ranks, sizeof *members);
    if (!shared || !members || pthread_mutex_init(&shared->lock, NULL)) {
        free(shared);
        free(members);
        return NULL;
    }
    atomic_init(&shared->owners, ranks);
    atomic_init(&shared->state, 0);
    shared->ranks = ranks;
    shared->members = members;
    for (int rank = 0; rank < ranks; rank++)
        members[rank] = (struct member){.shared = shared, .rank = rank};
    return shared;
}

/* On failure the groups that are made already are undone. */
static int create_groups(struct shared *shared, tutti_group *groups[])
{
    static const tutti_group_ops ops = {.size = sizeof(tutti_group_ops),
                                        .kind = "threads",
                                        .reduce_max = threads_reduce_max,
                                        .broadcast = threads_broadcast,
                                        .present = threads_present,
                                        .release = threads_release};
    const int ranks = shared->ranks;
    for (int rank = 0; rank < ranks; rank++) {
        const tutti_group_desc desc = {.size = sizeof(tutti_group_desc),
                                       .ops = &ops,
                                       .self = &shared->members[rank],
                                       .rank = rank,
                                       .ranks = ranks};
        const int error = tutti_group_create(&desc, &groups[rank]);
        if (!error)
            continue;
        for (int made = 0; made < rank; made++) {
            tutti_group_release(groups[made]);
            groups[made] = NULL;
        }
        leave(shared, ranks - rank);
        return error;
    }
    return TUTTI_SUCCESS;
}

int tutti_group_create_threads(int ranks, tutti_group *groups[])
{
    if (!groups || ranks < 1 || ranks > RANKS_LIMIT)
        return TUTTI_ERR_ARGUMENT;
    for (int rank = 0; rank < ranks; rank++)
        groups[rank] = NULL;
    struct shared *shared = create_shared(ranks);
    return shared ? create_groups(shared, groups) : TUTTI_ERR_MEMORY;
}
