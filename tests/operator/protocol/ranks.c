/* Starts the ranks, and is MPI to them (see ranks.h). */
#include "ranks.h"

#include <mpi.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MOST_WINDOWS 8
#define GARBAGE      0xDB /* what new memory is full of */

struct window {
    char *parts[MOST_RANKS];
    size_t bytes[MOST_RANKS];
};

static struct {
    int ranks;
    pthread_barrier_t barrier;
    int64_t brought[MOST_RANKS];
    struct window windows[MOST_WINDOWS];
} world;

/* Windows are made by all ranks in one order, so each can count for itself. */
static _Thread_local struct {
    int rank, windows;
} self;

struct start {
    int rank;
    rank_body *body;
    void *context;
    bool right;
};

static void *be_rank(void *argument)
{
    struct start *start = argument;
    self.rank = start->rank;
    self.windows = 0;
    start->right = start->body(start->rank, start->context);
    return NULL;
}

bool run_ranks(int ranks, rank_body *body, void *context)
{
    pthread_t threads[MOST_RANKS];
    struct start starts[MOST_RANKS];
    world.ranks = ranks;
    if (pthread_barrier_init(&world.barrier, NULL, (unsigned)ranks) != 0)
        abort();
    for (int i = 0; i < ranks; i++) {
        starts[i] = (struct start){i, body, context, false};
        if (pthread_create(&threads[i], NULL, be_rank, &starts[i]) != 0)
            abort();
    }
    bool right = true;
    for (int i = 0; i < ranks; i++) {
        pthread_join(threads[i], NULL);
        right &= starts[i].right;
    }
    pthread_barrier_destroy(&world.barrier);
    return right;
}

int own_rank(void)
{
    return self.rank;
}

void meet_all_ranks(void)
{
    pthread_barrier_wait(&world.barrier);
}

void visit_shared_memory(void (*visit)(char *start, size_t bytes, void *context), void *context)
{
    for (int i = 0; i < MOST_WINDOWS; i++)
        for (int j = 0; j < world.ranks; j++)
            if (world.windows[i].parts[j])
                visit(world.windows[i].parts[j], world.windows[i].bytes[j], context);
}

/* A handle is the number of the window, from 1 on; in some MPIs it is a pointer, in some an int. */
static struct window *window_of(MPI_Win handle)
{
    return &world.windows[(intptr_t)handle - 1];
}

int MPI_Win_allocate_shared(MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, void *base,
                            MPI_Win *handle)
{
    (void)unit, (void)info, (void)comm;
    size_t page = (size_t)sysconf(_SC_PAGESIZE), bytes = ((size_t)size + page - 1) / page * page;
    char *part = aligned_alloc(page, bytes);
    if (!part || self.windows == MOST_WINDOWS)
        abort();
    memset(part, GARBAGE, bytes);
    struct window *window = &world.windows[self.windows++];
    window->parts[self.rank] = part;
    window->bytes[self.rank] = bytes;
    meet_all_ranks();
    memcpy(base, &part, sizeof(part));
    *handle = (MPI_Win)(intptr_t)self.windows;
    return MPI_SUCCESS;
}

int MPI_Win_shared_query(MPI_Win handle, int rank, MPI_Aint *size, int *unit, void *base)
{
    const struct window *window = window_of(handle);
    *size = (MPI_Aint)window->bytes[rank];
    *unit = 1;
    memcpy(base, &window->parts[rank], sizeof(window->parts[rank]));
    return MPI_SUCCESS;
}

int MPI_Win_free(MPI_Win *handle)
{
    meet_all_ranks();
    free(window_of(*handle)->parts[self.rank]);
    window_of(*handle)->parts[self.rank] = NULL;
    *handle = MPI_WIN_NULL;
    meet_all_ranks();
    return MPI_SUCCESS;
}

/* Done before it returns: the ranks call these in one order, and wait for each at once. */
int MPI_Ibarrier(MPI_Comm comm, MPI_Request *request)
{
    (void)comm;
    meet_all_ranks();
    *request = MPI_REQUEST_NULL;
    return MPI_SUCCESS;
}

int MPI_Iallreduce(const void *mine, void *result, int count, MPI_Datatype type, MPI_Op operation,
                   MPI_Comm comm, MPI_Request *request)
{
    int as_int = 0;
    if (count != 1 || (type != MPI_INT && type != MPI_INT64_T))
        abort();
    if (type == MPI_INT)
        memcpy(&as_int, mine, sizeof(as_int));
    world.brought[self.rank] = as_int;
    if (type == MPI_INT64_T)
        memcpy(&world.brought[self.rank], mine, sizeof(int64_t));
    meet_all_ranks();
    int64_t all = world.brought[0];
    for (int i = 1; i < world.ranks; i++) {
        bool larger = world.brought[i] > all;
        if (larger == (operation == MPI_MAX))
            all = world.brought[i];
    }
    as_int = (int)all;
    memcpy(result, type == MPI_INT ? (void *)&as_int : (void *)&all,
           type == MPI_INT ? sizeof(as_int) : sizeof(all));
    return MPI_Ibarrier(comm, request);
}

int MPI_Test(MPI_Request *request, int *done, MPI_Status *status)
{
    (void)request, (void)status;
    *done = 1;
    return MPI_SUCCESS;
}

int MPI_Comm_size(MPI_Comm comm, int *size)
{
    (void)comm;
    *size = world.ranks;
    return MPI_SUCCESS;
}

int MPI_Comm_rank(MPI_Comm comm, int *rank)
{
    (void)comm;
    *rank = self.rank;
    return MPI_SUCCESS;
}

int MPI_Comm_dup(MPI_Comm comm, MPI_Comm *copy)
{
    *copy = comm;
    return MPI_SUCCESS;
}

int MPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm *part)
{
    (void)type, (void)key, (void)info;
    *part = comm;
    return MPI_SUCCESS;
}

int MPI_Comm_free(MPI_Comm *comm)
{
    *comm = MPI_COMM_NULL;
    return MPI_SUCCESS;
}

int MPI_Comm_set_errhandler(MPI_Comm comm, MPI_Errhandler handler)
{
    (void)comm, (void)handler;
    return MPI_SUCCESS;
}

int MPI_Win_set_errhandler(MPI_Win window, MPI_Errhandler handler)
{
    (void)window, (void)handler;
    return MPI_SUCCESS;
}

int MPI_Info_create(MPI_Info *info)
{
    *info = MPI_INFO_NULL;
    return MPI_SUCCESS;
}

int MPI_Info_set(MPI_Info info, const char *key, const char *value)
{
    (void)info, (void)key, (void)value;
    return MPI_SUCCESS;
}

int MPI_Info_free(MPI_Info *info)
{
    (void)info;
    return MPI_SUCCESS;
}
