/* The log: stderr, by level. */
#ifndef LOG_H
#define LOG_H

#include "group.h"

/* On the group's root only: what all ranks know alike. */
void log_root(const struct tutti_group *group, enum log_level level, const char *format, ...)
    TUTTI_PRINTF(3, 4);

/* On the calling rank, which is named: what this rank alone knows. */
void log_rank(const struct tutti_group *group, enum log_level level, const char *format, ...)
    TUTTI_PRINTF(3, 4);

#endif
