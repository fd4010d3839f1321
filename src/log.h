/* The log: stderr, or the program's own function; by level. */
#ifndef LOG_H
#define LOG_H

#include "group.h"

/* On the group's root only: what all ranks know alike. function is the tuned function's name, or
 * NULL if the message is about the group as a whole. */
void log_root(const struct tutti_group *group, const char *function, enum tutti_log_level level,
              const char *format, ...) TUTTI_PRINTF(4, 5);

/* On the calling rank, which is named on stderr: what this rank alone knows. */
void log_rank(const struct tutti_group *group, const char *function, enum tutti_log_level level,
              const char *format, ...) TUTTI_PRINTF(4, 5);

#endif
