/*
 * Agreement. A hash h agrees on all ranks exactly if the maximum of h equals the complement of the
 * maximum of ~h, which is the minimum; so one MAX reduction of two words per item decides. Only on
 * a difference do the ranks gather who differs and in what.
 */
#include "agree.h"

#include <string.h>

/* The step in which ranks tell each other what is wrong. The caller's own words for it may name the
 * very thing in which they differ, and would make different messages. */
static const char telling[] = "the agreement";

/* The lowest failing rank wins the maximum. 0: no error. */
static uint64_t error_word(const tutti_group *group, int error)
{
    if (error == TUTTI_SUCCESS)
        return 0;
    return (uint64_t)(group->ranks - group->rank) << 16 | (uint64_t)-error;
}

/* All ranks know the word: the failing rank tells its sentence to all. */
static int report_error(tutti_group *group, uint64_t word, const char *own_text, struct text *why)
{
    int rank = group->ranks - (int)(word >> 16);
    int error = -(int)(word & 0xffff);
    struct text sentence = {0};
    if (rank == group->rank && own_text)
        text_add(&sentence, "%s", own_text);
    int status = group_broadcast_text(group, &sentence, rank, telling, why);
    if (status == TUTTI_SUCCESS)
        text_add(why, "rank %d: %s", rank,
                 sentence.length ? sentence.bytes : tutti_strerror(error));
    text_release(&sentence);
    return status == TUTTI_SUCCESS ? error : status;
}

static void add_line(struct text *why, int rank, const char *line, size_t length)
{
    if (length > 0)
        text_add(why, "rank %d has \"%.*s\"", rank, (int)length, line);
    else
        text_add(why, "rank %d has nothing", rank);
}

/* Adds the first line in which two texts differ. */
static void add_difference(struct text *why, const char *first, int other_rank, const char *other)
{
    for (;;) {
        size_t a = strcspn(first, "\n"), b = strcspn(other, "\n");
        bool ends = !first[a] && !other[b];
        if (a != b || memcmp(first, other, a) != 0 || ends) {
            add_line(why, 0, first, a);
            text_add(why, ", ");
            add_line(why, other_rank, other, b);
            return;
        }
        first += first[a] ? a + 1 : a;
        other += other[b] ? b + 1 : b;
    }
}

static void add_ranks(struct text *why, const uint64_t *hashes, int ranks)
{
    int listed = 0, differing = 0;
    for (int rank = 1; rank < ranks; rank++) {
        if (hashes[rank] == hashes[0])
            continue;
        differing++;
        if (listed < 16)
            text_add(why, "%s%d", listed++ ? ", " : "", rank);
    }
    if (differing > listed)
        text_add(why, " and %d more", differing - listed);
    text_add(why, differing == 1 ? " differs from rank 0" : " differ from rank 0");
}

/* All ranks know that this item differs: finds out where, and says it in the same words. */
static int report_difference(tutti_group *group, const struct agree_item *item, uint64_t *hashes,
                             struct text *why)
{
    memset(hashes, 0, (size_t)group->ranks * sizeof *hashes);
    hashes[group->rank] = item->hash;
    int status = group_reduce_max(group, hashes, (size_t)group->ranks, telling, why);
    if (status)
        return status;
    int other = 1;
    while (other < group->ranks - 1 && hashes[other] == hashes[0])
        other++;

    struct text first = {0}, second = {0};
    if (group->rank == 0)
        text_add(&first, "%s", item->text);
    if (group->rank == other)
        text_add(&second, "%s", item->text);
    status = group_broadcast_text(group, &first, 0, telling, why);
    if (!status)
        status = group_broadcast_text(group, &second, other, telling, why);
    if (!status) {
        text_add(why, "the ranks disagree in the %s: ", item->what);
        add_difference(why, first.bytes ? first.bytes : "", other,
                       second.bytes ? second.bytes : "");
        text_add(why, " (");
        add_ranks(why, hashes, group->ranks);
        text_add(why, ")");
    }
    text_release(&first);
    text_release(&second);
    return status ? status : TUTTI_ERR_DISAGREE;
}

int agree(tutti_group *group, const struct agree_item *items, size_t n, int own_error,
          const char *own_text, uint64_t *scratch, const char *what, struct text *why)
{
    uint64_t words[1 + 2 * AGREE_ITEMS] = {0};
    words[0] = error_word(group, own_error);
    for (size_t i = 0; i < n; i++) {
        words[1 + 2 * i] = items[i].hash;
        words[2 + 2 * i] = ~items[i].hash;
    }
    int status = group_reduce_max(group, words, 1 + 2 * n, what, why);
    if (status)
        return status;
    if (words[0])
        return report_error(group, words[0], own_text, why);
    for (size_t i = 0; i < n; i++)
        if (words[1 + 2 * i] != ~words[2 + 2 * i])
            return report_difference(group, &items[i], scratch, why);
    return TUTTI_SUCCESS;
}

int agree_success(tutti_group *group, int own_error, const char *own_text, const char *what,
                  struct text *why)
{
    return agree(group, NULL, 0, own_error, own_text, NULL, what, why);
}
