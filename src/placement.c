/* Placement of ranks on nodes, in words that a person would use where there are some. */
#include "placement.h"

#include <stdbool.h>
#include <stdlib.h>

#include <tutti/error.h>

struct placement {
    int ranks, nodes;
    int *node;  /* by rank: nodes numbered by their first rank */
    int *count; /* by node: its ranks */
    int *first; /* by node: its first rank */
};

/* Most ranks lie where the one before does, or on the node after that: look there first. */
static int find_node(const struct placement *placement, const uint32_t *node_of, int rank)
{
    const int start = rank > 0 ? placement->node[rank - 1] : 0;
    for (int i = 0; i < placement->nodes; i++) {
        const int node = (start + i) % placement->nodes;
        if (node_of[placement->first[node]] == node_of[rank])
            return node;
    }
    return placement->nodes;
}

static void number_nodes(struct placement *placement, const uint32_t *node_of)
{
    for (int rank = 0; rank < placement->ranks; rank++) {
        const int node = find_node(placement, node_of, rank);
        if (node == placement->nodes) {
            placement->first[node] = rank;
            placement->nodes++;
        }
        placement->node[rank] = node;
        placement->count[node]++;
    }
}

static bool is_block(const struct placement *placement)
{
    for (int rank = 1; rank < placement->ranks; rank++)
        if (placement->node[rank] < placement->node[rank - 1])
            return false;
    return true;
}

/* Ranks are dealt round the nodes, leaving out those that have all of theirs. left: scratch. */
static bool is_cyclic(const struct placement *placement, int *left)
{
    for (int node = 0; node < placement->nodes; node++)
        left[node] = placement->count[node];
    int node = -1;
    for (int rank = 0; rank < placement->ranks; rank++) {
        do {
            node = (node + 1) % placement->nodes;
        } while (left[node] == 0);
        if (placement->node[rank] != node)
            return false;
        left[node]--;
    }
    return true;
}

static int run_length(const int *numbers, int n, int start)
{
    int end = start + 1;
    while (end < n && numbers[end] == numbers[start])
        end++;
    return end - start;
}

static void add_counts(const struct placement *placement, struct text *text)
{
    for (int node = 0; node < placement->nodes;) {
        const char *sign = node > 0 ? "+" : "";
        const int alike = run_length(placement->count, placement->nodes, node);
        if (alike >= 5) {
            text_add(text, "%s%d*%d", sign, alike, placement->count[node]);
            node += alike;
        } else {
            text_add(text, "%s%d", sign, placement->count[node]);
            node++;
        }
    }
}

static void add_order(const struct placement *placement, struct text *text)
{
    text_add(text, " as ");
    for (int rank = 0; rank < placement->ranks;) {
        const int alike = run_length(placement->node, placement->ranks, rank);
        text_add(text, "%s%d", rank > 0 ? "," : "", placement->node[rank]);
        if (alike > 1)
            text_add(text, "*%d", alike);
        rank += alike;
    }
}

int placement_text(const uint32_t *node_of, int ranks, struct text *text)
{
    if (!node_of) {
        text_add(text, "%d", ranks);
        return text->failed ? TUTTI_ERR_MEMORY : TUTTI_SUCCESS;
    }
    int *memory = calloc((size_t)ranks, 4 * sizeof *memory);
    if (!memory)
        return TUTTI_ERR_MEMORY;
    struct placement placement = {.ranks = ranks,
                                  .node = memory,
                                  .count = memory + ranks,
                                  .first = memory + 2 * (size_t)ranks};
    number_nodes(&placement, node_of);
    add_counts(&placement, text);
    if (placement.nodes > 1 && is_block(&placement))
        text_add(text, " block");
    else if (placement.nodes > 1 && is_cyclic(&placement, memory + 3 * (size_t)ranks))
        text_add(text, " cyclic");
    else if (placement.nodes > 1)
        add_order(&placement, text);
    free(memory);
    return text->failed ? TUTTI_ERR_MEMORY : TUTTI_SUCCESS;
}
