/* See checker.h. */
#include "checker.h"

#include <stdlib.h>

#include "group.h"
#include "points.h"
#include "wait.h"

#define MARK_WORDS 509

struct checker {
    tutti_group *inner;
    struct trace *trace;
};

void trace_reset(struct trace *trace)
{
    atomic_store(&trace->count, 0);
}

static void note(struct trace *trace, struct traced operation)
{
    unsigned count = atomic_load_explicit(&trace->count, memory_order_relaxed);
    if (count < TRACE_LIMIT)
        trace->operations[count] = operation;
    atomic_store_explicit(&trace->count, count + 1, memory_order_release);
}

static unsigned noted(const struct trace *trace)
{
    unsigned count = atomic_load(&trace->count);
    return count < TRACE_LIMIT ? count : TRACE_LIMIT;
}

bool trace_equal(const struct trace *a, const struct trace *b)
{
    if (atomic_load(&a->count) != atomic_load(&b->count))
        return false;
    for (unsigned i = 0; i < noted(a); i++) {
        const struct traced *one = &a->operations[i], *other = &b->operations[i];
        if (one->kind != other->kind || one->n != other->n || one->root != other->root)
            return false;
    }
    return true;
}

void trace_print(const struct trace *trace, FILE *stream)
{
    fprintf(stream, "%u operations:", atomic_load(&trace->count));
    for (unsigned i = 0; i < noted(trace); i++) {
        const struct traced *one = &trace->operations[i];
        fprintf(stream, " %c%zu", one->kind, one->n);
        if (one->kind == 'b')
            fprintf(stream, "@%d", one->root);
    }
    fprintf(stream, "\n");
}

static int reduce_max(void *self, uint64_t *words, size_t n, tutti_wait *wait)
{
    struct checker *checker = self;
    note(checker->trace, (struct traced){'m', n, 0});
    if (strike(POINT_TRANSPORT))
        return TUTTI_ERR_GROUP;
    return checker->inner->ops.reduce_max(checker->inner->self, words, n, wait);
}

static int broadcast(void *self, void *bytes, size_t n, int root, tutti_wait *wait)
{
    struct checker *checker = self;
    note(checker->trace, (struct traced){'b', n, root});
    if (strike(POINT_TRANSPORT))
        return TUTTI_ERR_GROUP;
    return checker->inner->ops.broadcast(checker->inner->self, bytes, n, root, wait);
}

static int present(void *self, uint64_t sequence, unsigned char *here)
{
    struct checker *checker = self;
    return checker->inner->ops.present(checker->inner->self, sequence, here);
}

static void release(void *self, bool broken)
{
    struct checker *checker = self;
    (void)broken;
    tutti_group_release(checker->inner);
    free(checker);
}

static bool wrap(int rank, int ranks, struct trace *trace, tutti_group *inner, tutti_group **group)
{
    static const tutti_group_ops ops = {.size = sizeof ops,
                                        .kind = "threads",
                                        .reduce_max = reduce_max,
                                        .broadcast = broadcast,
                                        .present = present,
                                        .release = release};
    struct checker *checker = malloc(sizeof *checker);
    if (!checker)
        return false;
    *checker = (struct checker){inner, trace};
    const tutti_group_desc desc = {
        .size = sizeof desc, .ops = &ops, .self = checker, .rank = rank, .ranks = ranks};
    return tutti_group_create(&desc, group) == TUTTI_SUCCESS;
}

bool checker_create(int ranks, struct trace *traces, tutti_group *groups[])
{
    tutti_group *inner[ranks];
    bool made = tutti_group_create_threads(ranks, inner) == TUTTI_SUCCESS;
    for (int rank = 0; rank < ranks && made; rank++)
        made = wrap(rank, ranks, &traces[rank], inner[rank], &groups[rank]);
    return made;
}

int checker_mark_end(tutti_group *group)
{
    static _Thread_local uint64_t words[MARK_WORDS];
    struct checker *checker = group->self;
    tutti_wait wait;
    wait_begin(&wait, group, "the end of the step");
    return checker->inner->ops.reduce_max(checker->inner->self, words, MARK_WORDS, &wait);
}
