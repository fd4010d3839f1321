/* A plan: a checked problem, cut into blocks, bound to a memory and to the engine that runs it. */
#ifndef REVERSE_A2A_PLAN_H
#define REVERSE_A2A_PLAN_H

#include "copy.h"
#include "engine.h"
#include "layout.h"
#include "memory.h"

/* Which rows of S are on their way together, and how many blocks may be. */
struct reverse_a2a_tiling {
    size_t block_s; /* rows; at most S */
    size_t tile;    /* bytes of D that are copied in one sweep; at most D */
    size_t blocks;  /* 0 if the problem is empty */
    size_t slots;   /* at most blocks: more are never in use */
};

struct reverse_a2a_plan {
    struct reverse_a2a_memory *memory;
    const struct reverse_a2a_engine *engine;
    struct reverse_a2a_layout layout;
    struct reverse_a2a_tiling tiling;
    struct reverse_a2a_choice choice;
    const struct reverse_a2a_kernel *into_stage, *into_out;
    void *state;        /* the engine's own */
    size_t first_row[]; /* for layout, if the ranks have different S */
};

/* Tells every peer that this rank has ended the call: see rule 2 in engine_staged.c. */
void reverse_a2a_end_call(const struct reverse_a2a_plan *plan);

#endif
