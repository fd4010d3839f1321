/*
 * Lets tutti choose engine, copy and blocks of the reverse all-to-all (see reverse_a2a/tuned.h).
 * The knobs are the fields of struct reverse_a2a_choice. Candidates that differ in a knob that has
 * no effect are pruned, and so are those that can't run with these operands in this memory.
 */
#include "reverse_a2a/tuned.h"

#include <stdlib.h>
#include <string.h>

#include <tutti/mpi.h>
#include <tutti/tutti.h>

#include "layout.h"
#include "memory.h"
#include "operands.h"
#include "team.h"

#define WHOLE_D (1 << 20) /* cut to D: one sweep over a block was never worse than several */

static const tutti_param params[] = {
    TUTTI_PARAM(struct reverse_a2a_choice, engine, REVERSE_A2A_STAGED, REVERSE_A2A_STAGED_OWN,
                REVERSE_A2A_PULL, REVERSE_A2A_PUSH, REVERSE_A2A_CMA, REVERSE_A2A_P2P),
    TUTTI_PARAM(struct reverse_a2a_choice, copy, REVERSE_A2A_COPY_WIDE, REVERSE_A2A_COPY_PLAIN,
                REVERSE_A2A_COPY_STREAMING, REVERSE_A2A_COPY_STREAMING_BOTH,
                REVERSE_A2A_COPY_PREFETCHING),
    TUTTI_PARAM(struct reverse_a2a_choice, comm_block_s, 32, 64, 128, 256, 512),
    TUTTI_PARAM(struct reverse_a2a_choice, buffer_num, 2, 4),
    TUTTI_PARAM(struct reverse_a2a_choice, threads, 1, 2, 4),
};

struct reverse_a2a_tuner {
    struct reverse_a2a_memory *memory;
    tutti_tuner *tuner;
    tutti_group *group;
    bool look_up_only;
};

/* One problem, and the plan of the candidate that was run last. */
struct search {
    struct reverse_a2a_tuner *tuner;
    const struct reverse_a2a_shape *shape;
    const void *in;
    void *out;
    bool in_symmetric, out_symmetric;
    struct reverse_a2a_choice choice;
    struct reverse_a2a_plan *plan;
};

static struct reverse_a2a_choice complete(const void *config)
{
    struct reverse_a2a_choice choice = *(const struct reverse_a2a_choice *)config;
    choice.comm_block_d = WHOLE_D;
    return choice;
}

/* Where ranks differ: the most, which all wait for, and the sum. */
static void add_rows(tutti_key *key, const struct search *search)
{
    const int64_t *rows = search->shape->s_of_ranks;
    int64_t most = 0, all = 0;
    for (int i = 0; rows && i < search->tuner->memory->ranks; i++) {
        most = rows[i] > most ? rows[i] : most;
        all += rows[i];
    }
    tutti_key_integer(key, "s", rows ? most : search->shape->s);
    tutti_key_integer(key, "rows", rows ? all : 0);
}

static int make_key(tutti_key *key, const void *args, void *user)
{
    (void)user;
    const struct search *search = args;
    const struct reverse_a2a_shape *shape = search->shape;
    const struct reverse_a2a_memory *memory = search->tuner->memory;
    add_rows(key, search);
    tutti_key_integer(key, "h", shape->h);
    tutti_key_integer(key, "d", shape->d);
    tutti_key_integer(key, "element_size", (int64_t)shape->element_size);
    tutti_key_integer(key, "forward", shape->direction);
    tutti_key_integer(key, "a_stride_s", shape->a_stride_s);
    tutti_key_integer(key, "a_stride_h", shape->a_stride_h);
    tutti_key_integer(key, "c_stride_s", shape->c_stride_s);
    tutti_key_integer(key, "c_stride_h", shape->c_stride_h);
    tutti_key_integer(key, "symmetric", search->in_symmetric + 2 * search->out_symmetric);
    tutti_key_integer(key, "peer_mem", (int64_t)memory->bytes);
    tutti_key_integer(key, "shared", memory->shared);
    tutti_key_integer(key, "reads_peers", memory->reads_peers);
    return 0;
}

static bool has_blocks(int engine)
{
    return engine == REVERSE_A2A_STAGED || engine == REVERSE_A2A_STAGED_OWN;
}

/* Is it the first of those that differ only in knobs without effect? */
static bool is_distinct(const struct reverse_a2a_choice *choice)
{
    if (has_blocks(choice->engine))
        return true;
    bool first_blocks = choice->comm_block_s == 32 && choice->buffer_num == 2;
    bool copies_itself = choice->engine != REVERSE_A2A_P2P;
    return first_blocks && choice->copy != REVERSE_A2A_COPY_STREAMING_BOTH &&
           (copies_itself || (choice->copy == REVERSE_A2A_COPY_WIDE && choice->threads == 1));
}

static bool can_run(const struct reverse_a2a_choice *choice, const struct search *search)
{
    const struct reverse_a2a_memory *memory = search->tuner->memory;
    size_t bytes;
    if (reverse_a2a_memory_bytes_for(search->shape, choice, memory->ranks, &bytes) ||
        bytes > memory->bytes || choice->threads > reverse_a2a_spare_threads(memory->ranks))
        return false;
    switch (choice->engine) {
    case REVERSE_A2A_P2P:
        return true;
    case REVERSE_A2A_PULL:
        return search->in_symmetric;
    case REVERSE_A2A_PUSH:
        return search->out_symmetric;
    case REVERSE_A2A_CMA:
        return memory->shared && memory->reads_peers;
    default:
        return memory->shared;
    }
}

/* Pruning comes after looking up: if nothing is left then, there was no record. */
static bool keep(const void *config, const void *args, void *user)
{
    (void)user;
    const struct search *search = args;
    struct reverse_a2a_choice choice = complete(config);
    return !search->tuner->look_up_only && is_distinct(&choice) && can_run(&choice, search);
}

static bool equal(const struct reverse_a2a_choice *a, const struct reverse_a2a_choice *b)
{
    return a->engine == b->engine && a->copy == b->copy && a->comm_block_s == b->comm_block_s &&
           a->buffer_num == b->buffer_num && a->threads == b->threads;
}

static int make_plan(struct search *search, const struct reverse_a2a_choice *choice)
{
    reverse_a2a_plan_destroy(search->plan);
    search->choice = *choice;
    return reverse_a2a_plan_create_with(search->tuner->memory, search->shape, choice,
                                        &search->plan);
}

static int run(void *args, const void *config, const tutti_context *context)
{
    (void)context;
    struct search *search = args;
    struct reverse_a2a_choice choice = complete(config);
    if (search->tuner->look_up_only) /* the chosen one is not to be run */
        return 0;
    int result = REVERSE_A2A_OK;
    if (!search->plan || !equal(&choice, &search->choice))
        result = make_plan(search, &choice);
    return result ? result : reverse_a2a_execute(search->plan, search->in, search->out);
}

static int fail(struct reverse_a2a_tuner *tuner, int result, int status)
{
    const char *message = tutti_message(tuner->tuner, tuner->group);
    return reverse_a2a_memory_fail(tuner->memory, result, "%s: %s", tutti_strerror(status),
                                   message ? message : "");
}

int reverse_a2a_tuner_create(struct reverse_a2a_memory *memory, struct reverse_a2a_tuner **tuner)
{
    if (tuner)
        *tuner = NULL;
    if (!memory || !tuner)
        return REVERSE_A2A_ERROR_ARGUMENT;
    struct reverse_a2a_tuner *t = calloc(1, sizeof(*t));
    if (!t)
        return REVERSE_A2A_ERROR_OUT_OF_MEMORY;
    t->memory = memory;
    int status =
        tutti_tuner_create(&(tutti_tuner_desc){.size = sizeof(tutti_tuner_desc),
                                               .name = "reverse_a2a_plan",
                                               .version = "1",
                                               .source_id = TUTTI_SOURCE_ID,
                                               .params = params,
                                               .nparams = sizeof(params) / sizeof(*params),
                                               .config_size = sizeof(struct reverse_a2a_choice),
                                               .key = make_key,
                                               .prune = keep,
                                               .run = run,
                                               .when_pruned = TUTTI_PRUNED_ERROR},
                           &t->tuner);
    /* Also after a failure here: the other ranks make the group. */
    int group_status = tutti_group_create_mpi(memory->comm, &t->group);
    if (status == TUTTI_SUCCESS && group_status == TUTTI_SUCCESS) {
        *tuner = t;
        return REVERSE_A2A_OK;
    }
    reverse_a2a_memory_fail(memory, REVERSE_A2A_ERROR_TUNER, "%s",
                            tutti_strerror(status ? status : group_status));
    reverse_a2a_tuner_destroy(t);
    return REVERSE_A2A_ERROR_TUNER;
}

void reverse_a2a_tuner_destroy(struct reverse_a2a_tuner *tuner)
{
    if (!tuner)
        return;
    if (tuner->tuner)
        tutti_tuner_destroy(tuner->tuner);
    if (tuner->group)
        tutti_group_release(tuner->group);
    free(tuner);
}

int reverse_a2a_tuner_bytes(const struct reverse_a2a_shape *shape, int ranks, size_t *bytes)
{
    struct reverse_a2a_choice largest = {.engine = REVERSE_A2A_STAGED,
                                         .comm_block_s = 512,
                                         .comm_block_d = WHOLE_D,
                                         .buffer_num = 4};
    return reverse_a2a_memory_bytes_for(shape, &largest, ranks, bytes);
}

static int estimate(struct search *search)
{
    struct reverse_a2a_choice choice;
    size_t bytes;
    int symmetric = (search->in_symmetric ? REVERSE_A2A_SOURCE_SYMMETRIC : 0) |
                    (search->out_symmetric ? REVERSE_A2A_TARGET_SYMMETRIC : 0);
    struct reverse_a2a_memory *memory = search->tuner->memory;
    int result = reverse_a2a_estimate(memory, search->shape, symmetric, &choice);
    if (result == REVERSE_A2A_OK)
        result = reverse_a2a_memory_bytes_for(search->shape, &choice, memory->ranks, &bytes);
    if (result != REVERSE_A2A_OK)
        return reverse_a2a_memory_fail(memory, result, "%s", reverse_a2a_strerror(result));
    if (bytes > memory->bytes) /* whatever there is, this runs */
        choice.engine = REVERSE_A2A_P2P;
    return make_plan(search, &choice);
}

static int measure(struct search *search)
{
    struct reverse_a2a_tuner *tuner = search->tuner;
    int status = tutti_call(tuner->tuner, search, tuner->group, NULL);
    if (status == TUTTI_ERR_PRUNED && tuner->look_up_only)
        return reverse_a2a_memory_fail(tuner->memory, REVERSE_A2A_ERROR_NOT_CACHED, "%s",
                                       reverse_a2a_strerror(REVERSE_A2A_ERROR_NOT_CACHED));
    if (status != TUTTI_SUCCESS)
        return fail(tuner, REVERSE_A2A_ERROR_TUNER, status);
    struct reverse_a2a_choice best = complete(tutti_best(tuner->tuner, search, tuner->group));
    return search->plan && equal(&best, &search->choice) ? REVERSE_A2A_OK
                                                         : make_plan(search, &best);
}

static int check_shape(struct search *search)
{
    struct reverse_a2a_layout layout;
    struct reverse_a2a_memory *memory = search->tuner->memory;
    int result = reverse_a2a_layout_resolve(search->shape, memory->ranks, memory->rank, &layout);
    if (result != REVERSE_A2A_OK)
        return reverse_a2a_memory_fail(memory, result, "%s", reverse_a2a_strerror(result));
    uint64_t name;
    search->in_symmetric = reverse_a2a_name_operand(memory, search->in, layout.in.span, &name);
    search->out_symmetric = reverse_a2a_name_operand(memory, search->out, layout.out.span, &name);
    return REVERSE_A2A_OK;
}

int reverse_a2a_tuner_plan(struct reverse_a2a_tuner *tuner, const struct reverse_a2a_shape *shape,
                           const void *in, void *out, int effort, struct reverse_a2a_plan **plan)
{
    if (plan)
        *plan = NULL;
    if (!tuner || !shape || !plan || effort < REVERSE_A2A_ESTIMATE || effort > REVERSE_A2A_CACHED)
        return REVERSE_A2A_ERROR_ARGUMENT;
    struct search search = {.tuner = tuner, .shape = shape, .in = in, .out = out};
    tuner->look_up_only = effort == REVERSE_A2A_CACHED;
    int result = check_shape(&search);
    if (result != REVERSE_A2A_OK)
        return result;
    result = effort == REVERSE_A2A_ESTIMATE ? estimate(&search) : measure(&search);
    if (result == REVERSE_A2A_OK)
        *plan = search.plan;
    else
        reverse_a2a_plan_destroy(search.plan);
    return result;
}
