/* Makes and frees what ranks share (see shared.h). */
#include "shared.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agree.h"
#include "memory.h"
#include "memory_file.h"

#define FILES_FROM ((size_t)4 << 20) /* bytes a rank: two huge pages */

static int find_parts(struct reverse_a2a_shared *shared)
{
    MPI_Aint size;
    int unit;
    for (int i = 0; i < shared->ranks; i++) {
        if (MPI_Win_shared_query(shared->window, i, &size, &unit, &shared->parts[i]) != MPI_SUCCESS)
            return REVERSE_A2A_ERROR_MPI;
        /* Parts begin at the same offset in a page in every process, so all round up alike. */
        shared->parts[i] += -(uintptr_t)shared->parts[i] % REVERSE_A2A_LINE;
    }
    return REVERSE_A2A_OK;
}

static int allocate_window(struct reverse_a2a_shared *shared)
{
    /* Each rank's part on pages of its own, which the owner touches first: near to the owner. */
    MPI_Info info;
    MPI_Info_create(&info);
    MPI_Info_set(info, "alloc_shared_noncontig", "true");
    void *mine;
    int error = MPI_Win_allocate_shared((MPI_Aint)(shared->bytes + REVERSE_A2A_LINE), 1, info,
                                        shared->comm, &mine, &shared->window);
    MPI_Info_free(&info);
    if (error != MPI_SUCCESS)
        shared->window = MPI_WIN_NULL;
    else
        MPI_Win_set_errhandler(shared->window, MPI_ERRORS_RETURN);
    int result = reverse_a2a_agree(
        shared->comm, error == MPI_SUCCESS ? REVERSE_A2A_OK : REVERSE_A2A_ERROR_OUT_OF_MEMORY);
    return result ? result : reverse_a2a_agree(shared->comm, find_parts(shared));
}

int reverse_a2a_shared_create(MPI_Comm comm, size_t bytes, struct reverse_a2a_shared **shared)
{
    int ranks;
    MPI_Comm_size(comm, &ranks);
    struct reverse_a2a_shared *s = calloc(1, sizeof *s + (size_t)ranks * sizeof s->parts[0]);
    int result = reverse_a2a_agree(comm, s ? REVERSE_A2A_OK : REVERSE_A2A_ERROR_OUT_OF_MEMORY);
    *shared = NULL;
    if (result != REVERSE_A2A_OK) {
        free(s);
        return result;
    }
    *s = (struct reverse_a2a_shared){
        .comm = comm, .ranks = ranks, .window = MPI_WIN_NULL, .bytes = bytes};
    MPI_Comm_rank(comm, &s->rank);
    if (bytes >= FILES_FROM && reverse_a2a_map_files(s))
        s->pages = REVERSE_A2A_PAGES_FILE;
    else
        result = allocate_window(s);
    if (result == REVERSE_A2A_OK)
        *shared = s;
    else
        reverse_a2a_shared_free(s);
    return result;
}

int reverse_a2a_shared_fill(struct reverse_a2a_shared *shared, unsigned char value)
{
    if (shared->pages == REVERSE_A2A_PAGES_FILE && reverse_a2a_take_huge_pages(shared))
        shared->pages = REVERSE_A2A_PAGES_HUGE;
    memset(shared->parts[shared->rank], value, shared->bytes);
    int least = reverse_a2a_agree(shared->comm, shared->pages);
    if (least < 0)
        return least;
    shared->pages = least;
    return REVERSE_A2A_OK;
}

void reverse_a2a_shared_touch(const struct reverse_a2a_shared *shared)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    for (int i = 0; i < shared->ranks; i++) {
        const volatile char *pages = shared->parts[i];
        for (size_t at = 0; at < shared->bytes; at += page)
            (void)pages[at];
    }
}

void reverse_a2a_shared_free(struct reverse_a2a_shared *shared)
{
    if (!shared)
        return;
    if (shared->window != MPI_WIN_NULL)
        MPI_Win_free(&shared->window);
    else
        reverse_a2a_unmap_files(shared);
    free(shared);
}
