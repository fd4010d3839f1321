/* Delays signals at random (see delays.h). */
#include "delays.h"

#include <sched.h>
#include <time.h>

#include "calls.h"
#include "hooks.h"
#include "ranks.h"

static unsigned seed;
static atomic_uint delays;
static _Thread_local unsigned random_state;

void set_delays(unsigned new_seed)
{
    seed = new_seed;
    atomic_store(&delays, 0);
}

unsigned count_delays(void)
{
    return atomic_load(&delays);
}

/* Mostly nothing, often others' turn, seldom a long sleep. */
static void delay(void)
{
    if (random_state == 0)
        random_state = seed * 1000003u + (unsigned)own_rank() * 77u + 1u;
    unsigned drawn = draw(&random_state) % 64;
    struct timespec nap = {0, 1000 * (long)(draw(&random_state) % 100)};
    if (drawn >= 12)
        return;
    atomic_fetch_add_explicit(&delays, 1, memory_order_relaxed);
    if (drawn == 0)
        nanosleep(&nap, NULL);
    for (unsigned i = 0; i < drawn; i++)
        sched_yield();
}

uint64_t hook_load(const _Atomic uint64_t *word, memory_order order)
{
    delay();
    return load_word(word, order);
}

void hook_store(_Atomic uint64_t *word, uint64_t value, memory_order order)
{
    delay();
    store_word(word, value, order);
    delay();
}
