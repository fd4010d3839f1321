/* What the root's machine is, for a record's identity, and what its software is, for the
 * environment that is compared and warned about. */
#ifndef HARDWARE_H
#define HARDWARE_H

#include "text.h"

/* The line of the environment that records keep but never warn about. */
#define ENVIRONMENT_BUILD_ID "build_id"

/*
 * The hardware as lines "name = value" in a fixed order: CPU model, packages, cores, processing
 * units, NUMA nodes, last-level cache. Of the whole machine, not of the part that a job was given.
 * Through hwloc; takes milliseconds.
 */
void hardware_describe(struct text *lines);

/*
 * The software, likewise: transport (the group's), tutti, compiler, build id (the GNU build id of
 * the running program, "" if it has none).
 */
void environment_describe(const char *transport, struct text *lines);

#endif
