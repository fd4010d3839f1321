/* tutti: tunes a function that a whole group of ranks calls together. Everything but the groups
 * that need another library (<tutti/mpi.h>). */
#ifndef TUTTI_TUTTI_H
#define TUTTI_TUTTI_H

#include <tutti/buffers.h>
#include <tutti/error.h>
#include <tutti/export.h>
#include <tutti/group.h>
#include <tutti/key.h>
#include <tutti/param.h>
#include <tutti/settings.h>
#include <tutti/threads.h>
#include <tutti/tuner.h>
#include <tutti/version.h>

#endif
