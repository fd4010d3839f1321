/* A group of one's own, explained in docs/groups.md: ranks in a ring of sockets. */
#include "own_group.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

enum { PIECE = 512 }; /* words */

struct ring {
    int rank, ranks, from, to;
};

/* All of n bytes, looking again as long as the core says so. */
static int transfer(int socket, void *bytes, size_t n, bool sends, tutti_wait *wait)
{
    for (size_t done = 0; done < n;) {
        char *rest = (char *)bytes + done;
        ssize_t count = sends ? send(socket, rest, n - done, MSG_DONTWAIT | MSG_NOSIGNAL)
                              : recv(socket, rest, n - done, MSG_DONTWAIT);
        if (count > 0)
            done += (size_t)count;
        else if (count == 0 || (errno != EAGAIN && errno != EINTR))
            return TUTTI_ERR_GROUP; /* the other process is gone */
        else if (!tutti_wait_more(wait))
            return TUTTI_ERR_STALL;
    }
    return TUTTI_SUCCESS;
}

static int broadcast(void *self, void *bytes, size_t n, int root, tutti_wait *wait)
{
    const struct ring *ring = self;
    int error = TUTTI_SUCCESS;
    if (ring->rank != root)
        error = transfer(ring->from, bytes, n, false, wait);
    if (!error && (ring->rank + 1) % ring->ranks != root)
        error = transfer(ring->to, bytes, n, true, wait);
    return error;
}

/* The maximum grows from rank 0 to the last rank, and goes from there to all. */
static int reduce_piece(struct ring *ring, uint64_t *words, size_t n, tutti_wait *wait)
{
    uint64_t before[PIECE] = {0};
    int error = TUTTI_SUCCESS;
    if (ring->rank > 0)
        error = transfer(ring->from, before, n * sizeof *words, false, wait);
    for (size_t i = 0; i < n; i++)
        words[i] = before[i] > words[i] ? before[i] : words[i];
    if (!error && ring->rank < ring->ranks - 1)
        error = transfer(ring->to, words, n * sizeof *words, true, wait);
    return error ? error : broadcast(ring, words, n * sizeof *words, ring->ranks - 1, wait);
}

static int reduce_max(void *self, uint64_t *words, size_t n, tutti_wait *wait)
{
    uint64_t nothing = 0;
    if (n == 0) /* a barrier: nobody may leave before all have come */
        return reduce_piece(self, &nothing, 1, wait);
    int error = TUTTI_SUCCESS;
    for (size_t done = 0; done < n && !error; done += PIECE)
        error = reduce_piece(self, words + done, n - done < PIECE ? n - done : PIECE, wait);
    return error;
}

static void release(void *self, bool broken)
{
    struct ring *ring = self;
    (void)broken; /* nothing is pending in either case */
    close(ring->from);
    close(ring->to);
    free(ring);
}

int own_group_create(int rank, int ranks, int from, int to, tutti_group **group)
{
    static const tutti_group_ops ops = {.size = sizeof ops,
                                        .kind = "ring",
                                        .reduce_max = reduce_max,
                                        .broadcast = broadcast,
                                        .release = release};
    struct ring *ring = malloc(sizeof *ring);
    tutti_group_desc desc = {.size = sizeof desc, .ops = &ops, .self = ring};
    int error = TUTTI_ERR_MEMORY;
    desc.rank = rank;
    desc.ranks = ranks;
    *group = NULL;
    if (ring) {
        *ring = (struct ring){rank, ranks, from, to};
        error = tutti_group_create(&desc, group);
        if (error)
            release(ring, false);
    }
    return error;
}
