/* Waits for other ranks (see wait.h). */
#include "wait.h"

#include <sched.h>
#include <time.h>

/* Idle rounds between two looks at the clock and at whether a peer gave up. */
#define ROUNDS_PER_CHECK 256

static void pause_processor(void)
{
#if defined(__x86_64__) && defined(__GNUC__)
    __builtin_ia32_pause();
#endif
}

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* This rank comes last: it gives up because of another. */
static int find_quitter(const struct reverse_a2a_memory *memory)
{
    for (int i = 1; memory->shared && i <= memory->ranks; i++) {
        int rank = (memory->rank + i) % memory->ranks;
        if (atomic_load_explicit(&memory->peers[rank].segment->gave_up, memory_order_relaxed))
            return rank;
    }
    return -1;
}

/* The clock starts at the first check of an idle stretch. */
static int check(struct reverse_a2a_memory *memory, struct reverse_a2a_wait *wait)
{
    double limit = memory->stall_limit, now = seconds_now();
    if (find_quitter(memory) >= 0) {
        reverse_a2a_memory_give_up(memory);
        return REVERSE_A2A_ERROR_BROKEN;
    }
    if (wait->rounds == ROUNDS_PER_CHECK)
        wait->since = now;
    if (limit <= 0 || now - wait->since < limit)
        return REVERSE_A2A_OK;
    reverse_a2a_memory_give_up(memory);
    return REVERSE_A2A_ERROR_STALL;
}

int reverse_a2a_idle_round(struct reverse_a2a_memory *memory, struct reverse_a2a_wait *wait)
{
    if (wait->rounds < memory->spins)
        pause_processor();
    else
        sched_yield();
    if (++wait->rounds % ROUNDS_PER_CHECK != 0)
        return REVERSE_A2A_OK;
    int result = check(memory, wait);
    if (wait->rounds >= 2 * ROUNDS_PER_CHECK)
        wait->rounds = ROUNDS_PER_CHECK; /* never wraps, and never restarts the clock */
    return result;
}

int reverse_a2a_name_quitter(struct reverse_a2a_memory *memory)
{
    int quitter = find_quitter(memory);
    return reverse_a2a_memory_fail(memory, REVERSE_A2A_ERROR_BROKEN, "rank %d gave the memory up",
                                   quitter);
}

int reverse_a2a_wait_round(struct reverse_a2a_memory *memory, struct reverse_a2a_wait *wait)
{
    int result = reverse_a2a_idle_round(memory, wait);
    return result == REVERSE_A2A_ERROR_BROKEN ? reverse_a2a_name_quitter(memory) : result;
}
