/* Teams of threads (see team.h). */
#include "team.h"

#include <unistd.h>
#ifdef _OPENMP
#include <omp.h>
#endif

bool reverse_a2a_has_threads(void)
{
#ifdef _OPENMP
    return true;
#else
    return false;
#endif
}

void reverse_a2a_run_team(int wanted, reverse_a2a_team_body *body, void *context)
{
#ifdef _OPENMP
    if (wanted > 1) {
#pragma omp parallel num_threads(wanted)
        body(omp_get_thread_num(), omp_get_num_threads(), context);
        return;
    }
#endif
    (void)wanted;
    body(0, 1, context);
}

int reverse_a2a_spare_threads(int ranks)
{
    int threads = 1;
#ifdef _OPENMP
    const int share = (int)sysconf(_SC_NPROCESSORS_ONLN) / ranks, own = omp_get_num_procs();
    threads = own < share ? own : share;
#endif
    (void)ranks;
    return threads < 1 ? 1 : threads;
}
