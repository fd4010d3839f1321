/* Divides a copy among threads, by rows (see copy_team.h). */
#include "copy_team.h"

#include "layout.h"
#include "team.h"

struct copy {
    const struct reverse_a2a_kernel *kernel;
    char *to;
    const char *from;
    const struct reverse_a2a_box *box;
};

size_t reverse_a2a_first_of_share(size_t rows, int thread, int threads)
{
    size_t number = (size_t)thread, all = (size_t)threads;
    return rows / all * number + reverse_a2a_min(number, rows % all);
}

/* The fence is the thread's own: it orders no other thread's streaming stores. */
static void copy_share(int thread, int threads, void *context)
{
    const struct copy *copy = context;
    struct reverse_a2a_box box = *copy->box;
    size_t first = reverse_a2a_first_of_share(box.rows, thread, threads);
    box.rows = reverse_a2a_first_of_share(box.rows, thread + 1, threads) - first;
    reverse_a2a_copy_box(copy->kernel, copy->to + first * box.to_stride_s,
                         copy->from + first * box.from_stride_s, &box);
}

void reverse_a2a_copy_by_team(int threads, const struct reverse_a2a_kernel *kernel, char *to,
                              const char *from, const struct reverse_a2a_box *box)
{
    struct copy copy = {kernel, to, from, box};
    reverse_a2a_run_team(threads, copy_share, &copy);
}
