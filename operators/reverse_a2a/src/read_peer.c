/* Reads other processes by process_vm_readv, and finds out whether that works (see read_peer.h). */
#include "read_peer.h"

#include <time.h>
#include <unistd.h>

#include "agree.h"

void reverse_a2a_offer_reading(struct reverse_a2a_memory *memory)
{
    struct reverse_a2a_segment *mine = memory->peers[memory->rank].segment;
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    memory->secret = ((uint64_t)now.tv_nsec << 32) ^ (uint64_t)getpid() ^ (uintptr_t)memory;
    mine->process = getpid();
    mine->secret = memory->secret;
    mine->secret_address = (uintptr_t)&memory->secret;
}

#ifdef __linux__
/* The secret tells whether the number of the process means the same here: in a container of its own
 * a rank may see another process under it, or none. */
static bool can_read(struct reverse_a2a_memory *memory, int peer)
{
    const struct reverse_a2a_segment *segment = memory->peers[peer].segment;
    uint64_t found = 0;
    struct iovec local = {&found, sizeof(found)};
    struct iovec remote = {(void *)(uintptr_t)segment->secret_address, sizeof(found)};
    memory->peers[peer].process = (pid_t)segment->process;
    return reverse_a2a_read_peer(memory, peer, &local, 1, &remote, 1, sizeof(found)) &&
           found == segment->secret;
}

bool reverse_a2a_read_peer(const struct reverse_a2a_memory *memory, int peer,
                           const struct iovec *local, size_t locals, const struct iovec *remote,
                           size_t remotes, size_t bytes)
{
    pid_t process = memory->peers[peer].process;
    return process_vm_readv(process, local, locals, remote, remotes, 0) == (ssize_t)bytes;
}
#else
static bool can_read(struct reverse_a2a_memory *memory, int peer)
{
    return memory->rank == peer;
}

bool reverse_a2a_read_peer(const struct reverse_a2a_memory *memory, int peer,
                           const struct iovec *local, size_t locals, const struct iovec *remote,
                           size_t remotes, size_t bytes)
{
    (void)memory, (void)peer, (void)local, (void)locals, (void)remote, (void)remotes, (void)bytes;
    return false;
}
#endif

int reverse_a2a_probe_reading(struct reverse_a2a_memory *memory)
{
    int refused = 0;
    for (int i = 0; !refused && i < memory->ranks; i++)
        refused = !can_read(memory, i);
    /* Also a barrier: every rank has read the secrets before any of them may go away. */
    int result =
        reverse_a2a_agree(memory->comm, refused ? REVERSE_A2A_ERROR_SYSTEM : REVERSE_A2A_OK);
    memory->reads_peers = result == REVERSE_A2A_OK;
    return result == REVERSE_A2A_ERROR_MPI ? result : REVERSE_A2A_OK;
}
