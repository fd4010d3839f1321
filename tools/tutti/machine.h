/* What the system says of itself in /proc and /sys, for tutti doctor; and what each rank sees. */
#ifndef MACHINE_H
#define MACHINE_H

#include <sched.h>
#include <stdbool.h>

#include "findings.h"

/* What one rank knows; plain data, gathered as bytes. */
struct rank_facts {
    char host[64];
    cpu_set_t cpus; /* that it may run on */
    double grain;   /* of its clock, in seconds */
};

void facts_collect(struct rank_facts *facts);

/* root: "" or a folder in which /proc and /sys are looked for, for tests. */
void check_clock(struct findings *findings, const char *root, const struct rank_facts *facts,
                 int ranks);
void check_binding(struct findings *findings, const char *root, const struct rank_facts *facts,
                   int ranks);
void check_frequency(struct findings *findings, const char *root);
void check_quota(struct findings *findings, const char *root);
void check_load(struct findings *findings, const char *root, int ranks);
void check_pages(struct findings *findings, const char *root);
void check_shared_memory(struct findings *findings, int ranks);

#endif
