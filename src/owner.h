/* Who made a file, for files that are named after their process: whether that process has ended. */
#ifndef OWNER_H
#define OWNER_H

#include <stdbool.h>
#include <stdint.h>

struct owner {
    uint64_t host; /* owner_host() where it runs: what pid is unique in */
    long pid;
    uint64_t start; /* when it started, in ticks since the boot; 0 if unknown */
};

/* A hash of all that gives a process id a meaning: host name, boot and PID namespace. */
uint64_t owner_host(void);

/* This process. */
struct owner owner_self(void);

enum owner_state { OWNER_UNKNOWN, OWNER_DEAD, OWNER_LIVES };

/*
 * Whether the process has ended: its id is free, or belongs to a zombie, or to a process that
 * started at another time. Dead and living are certain; unknown is a process elsewhere, or one
 * whose id is in use, perhaps by another. this_host is owner_host().
 */
enum owner_state owner_state(const struct owner *owner, uint64_t this_host);

#endif
