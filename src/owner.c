/* Owners. See owner.h. */
#include "owner.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#include <xxhash.h>

/* The beginning of a small file as text, "" if it can't be read. One read: files in /proc give all
 * they have. */
static void read_line(const char *path, char *line, size_t size)
{
    ssize_t length = 0;
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file >= 0) {
        do
            length = read(file, line, size - 1);
        while (length < 0 && errno == EINTR);
        close(file);
    }
    line[length > 0 ? length : 0] = '\0';
}

uint64_t owner_host(void)
{
    char host[256] = "", boot[64], known[512];
    struct stat pids = {0};
    gethostname(host, sizeof host - 1);
    read_line("/proc/sys/kernel/random/boot_id", boot, sizeof boot);
    if (stat("/proc/self/ns/pid", &pids) != 0)
        pids.st_ino = 0;
    snprintf(known, sizeof known, "%s %s %llu", host, boot, (unsigned long long)pids.st_ino);
    return XXH3_64bits(known, strlen(known));
}

/* What proc(5) says in /proc/PID/stat; false if that can't be had. */
static bool process_state(long pid, char *state, long *threads, uint64_t *start)
{
    char path[64], line[1024];
    unsigned long long ticks;
    snprintf(path, sizeof path, "/proc/%ld/stat", pid);
    read_line(path, line, sizeof line);
    /* Field 2 is a name in parentheses, which may itself hold anything. 3, 20 and 22 matter. */
    const char *rest = strrchr(line, ')');
    if (!rest || sscanf(rest + 1,
                        " %c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %ld "
                        "%*d %llu",
                        state, threads, &ticks) != 3)
        return false;
    *start = ticks;
    return true;
}

struct owner owner_self(void)
{
    struct owner self = {.host = owner_host(), .pid = getpid()};
    char state;
    long threads;
    if (!process_state(self.pid, &state, &threads, &self.start))
        self.start = 0;
    return self;
}

enum owner_state owner_state(const struct owner *owner, uint64_t this_host)
{
    char state;
    long threads;
    uint64_t start;
    if (owner->host != this_host)
        return OWNER_UNKNOWN;
    if (kill((pid_t)owner->pid, 0) != 0 && errno == ESRCH)
        return OWNER_DEAD;
    if (!process_state(owner->pid, &state, &threads, &start))
        return OWNER_UNKNOWN;
    /* A zombie may stay for ever where nobody waits for it, as in many containers. One with threads
     * is a process that lives on without its first thread. */
    if ((owner->start && start != owner->start) || (state == 'Z' && threads <= 1))
        return OWNER_DEAD;
    return owner->start ? OWNER_LIVES : OWNER_UNKNOWN;
}
