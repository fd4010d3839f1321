/* A copy that the threads of a rank share, and how rows are divided among them. */
#ifndef REVERSE_A2A_COPY_TEAM_H
#define REVERSE_A2A_COPY_TEAM_H

#include "copy.h"

/* The first of `rows` that falls to a thread; that of the thread behind the last is `rows`. */
size_t reverse_a2a_first_of_share(size_t rows, int thread, int threads);

/* As reverse_a2a_copy_box, by at most `threads` threads. */
void reverse_a2a_copy_by_team(int threads, const struct reverse_a2a_kernel *kernel, char *to,
                              const char *from, const struct reverse_a2a_box *box);

#endif
