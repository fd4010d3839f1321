/* Makes the calls and checks them (see calls.h). */
#include "calls.h"

#include "../problem.h"
#include "ranks.h"

#define COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))

/* They cut peer_mem differently: rows of other widths, other blocks, more and fewer slots. */
static const struct kind {
    int64_t s, h, d;
    int comm_block_s, comm_block_d, buffer_num;
} kinds[] = {
    {5, 2, 4, 1, 4, 2}, {7, 3, 3, 2, 8, 1}, {0, 4, 4, 1, 4, 2}, {9, 1, 8, 2, 3, 3},
    {2, 5, 2, 8, 1, 4}, {4, 2, 4, 1, 4, 4}, {6, 4, 1, 1, 1, 1}, {1, 1, 1, 1, 1, 1},
};

/* What is drawn, the same on all ranks. */
struct drawn {
    const struct kind *kind;
    int engine, threads;
    int faulty; /* rank, or -1 */
};

struct rank {
    const struct calls *calls;
    int rank;
    struct reverse_a2a_memory *memory;
    struct arena arena;
    unsigned random;
    bool right;
};

unsigned draw(unsigned *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 16;
}

static struct drawn draw_call(struct rank *rank)
{
    struct drawn drawn = {.faulty = -1};
    drawn.kind = &kinds[draw(&rank->random) % (unsigned)COUNT(kinds)];
    do
        drawn.engine = (int)(draw(&rank->random) % REVERSE_A2A_ENGINES);
    while (!(rank->calls->engines >> drawn.engine & 1));
    drawn.threads = 1;
    if (rank->calls->threads > 1)
        drawn.threads += (int)(draw(&rank->random) % (unsigned)rank->calls->threads);
    if (draw(&rank->random) % 8 == 0 && rank->calls->faults && drawn.kind->s > 0)
        drawn.faulty = (int)(draw(&rank->random) % (unsigned)rank->calls->ranks);
    return drawn;
}

static bool execute(struct rank *rank, struct reverse_a2a_plan *plan, struct problem *problem,
                    const struct drawn *drawn, unsigned salt)
{
    int result, expected = REVERSE_A2A_OK;
    if (drawn->faulty >= 0)
        expected =
            drawn->faulty == rank->rank ? REVERSE_A2A_ERROR_ARGUMENT : REVERSE_A2A_ERROR_PEER;
    problem_fill(problem, salt);
    if (drawn->faulty == rank->rank)
        result = reverse_a2a_execute(plan, NULL, NULL);
    else
        result = execute_in_arena(&rank->arena, plan, problem);
    if (result != expected)
        return false;
    return result != REVERSE_A2A_OK || !rank->right ||
           problem_check(problem, salt, reverse_a2a_engine_string(drawn->engine));
}

/* After a wrong result the rank goes on, because others wait for it, and looks at no more. */
static void make_call(struct rank *rank, unsigned salt)
{
    struct drawn drawn = draw_call(rank);
    const struct kind *kind = drawn.kind;
    struct reverse_a2a_shape shape = {.s = kind->s, .h = kind->h, .d = kind->d, .element_size = 8};
    struct reverse_a2a_choice choice = {drawn.engine,       rank->calls->copy, kind->comm_block_s,
                                        kind->comm_block_d, kind->buffer_num,  drawn.threads};
    struct reverse_a2a_plan *plan;
    struct problem problem;
    problem_create(&problem, &shape, rank->calls->ranks, rank->rank, 0);
    if (reverse_a2a_plan_create_with(rank->memory, &shape, &choice, &plan) != REVERSE_A2A_OK)
        rank->right = false;
    else if (!execute(rank, plan, &problem, &drawn, salt))
        rank->right = false;
    reverse_a2a_plan_destroy(plan);
    problem_destroy(&problem);
}

static bool be_rank(int number, void *context)
{
    const struct calls *calls = context;
    struct rank rank = {.calls = calls, .rank = number, .random = calls->seed, .right = true};
    struct reverse_a2a_memory_options options = {.fill = 0xA5};
    size_t enough = (size_t)16 << 10;
    if (reverse_a2a_memory_create(MPI_COMM_WORLD, enough, &options, &rank.memory) !=
            REVERSE_A2A_OK ||
        !arena_create(&rank.arena, rank.memory, number, enough))
        return false;
    for (int i = 0; i < calls->count; i++)
        make_call(&rank, (unsigned)i + 1);
    reverse_a2a_memory_destroy(rank.memory);
    return rank.right;
}

bool make_calls(const struct calls *calls)
{
    struct calls copy = *calls;
    return run_ranks(calls->ranks, be_rank, &copy);
}
