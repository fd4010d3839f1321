/*
 * Waiting for other ranks. An operation that completes within a microsecond must not pay for its
 * time limit, so the first looks do nothing. Then the processor is offered to others before each
 * look, since ranks may outnumber cores, and the clock is read.
 */
#include "wait.h"

#include <sched.h>
#include <time.h>

#include "clock.h"
#include "group.h"
#include "log.h"

#define SPINNING_LOOKS 16

/*
 * The most that counts between two looks. A larger gap means that this process itself was stopped,
 * or starved of its processor: for that time it can't say that the others kept it waiting.
 */
#define LONGEST_GAP 0.1

/* Who has waited this long may as well sleep between looks, and leave the cores to the late ranks.
 */
#define PATIENCE        1.0
#define NAP_NANOSECONDS 50000

void wait_begin(tutti_wait *wait, const struct tutti_group *group, const char *what)
{
    *wait = (tutti_wait){.group = group, .what = what};
}

static void give_way(const tutti_wait *wait)
{
    if (wait->waited < PATIENCE)
        sched_yield();
    else
        nanosleep(&(struct timespec){.tv_nsec = NAP_NANOSECONDS}, NULL);
}

/* Two ranks warn: the root, and another in case that the root is the one who is late. */
static void warn_once(tutti_wait *wait)
{
    if (!wait->warned && wait->group->rank < 2) {
        char buffer[32];
        log_rank(wait->group, NULL, TUTTI_LOG_WARN, "%s has been waiting for other ranks for %s",
                 wait->what, text_seconds(wait->waited, buffer));
    }
    wait->warned = true;
}

bool tutti_wait_more(tutti_wait *wait)
{
    if (wait->looks < SPINNING_LOOKS) {
        wait->looks++;
        return true;
    }
    give_way(wait);

    const double now = clock_now();
    const double gap = wait->seen > 0 ? now - wait->seen : 0;
    wait->waited += gap < LONGEST_GAP ? gap : LONGEST_GAP;
    wait->seen = now;

    const struct settings *settings = &wait->group->settings;
    if (settings->stall_timeout > 0 && wait->waited >= settings->stall_timeout)
        return false;
    if (settings->stall_warn > 0 && wait->waited >= settings->stall_warn)
        warn_once(wait);
    return true;
}
