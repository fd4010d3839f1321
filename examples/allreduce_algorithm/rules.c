/*
 * See rules.h. The format, from Open MPI's documentation ("Tuning collectives", the rules file):
 * the number of collectives; for each its number in Open MPI's list and how many communicator sizes
 * follow; for each of these the size and how many message sizes follow; for each of those the
 * bytes, the algorithm (0: Open MPI's own decision), the fan-out of trees, and the segment size.
 */
#include "rules.h"

#include "common/output_file.h"

#define ALLREDUCE 2 /* in Open MPI's list of collectives: after allgather and allgatherv */

static void print(FILE *stream, int ranks, const struct rule *rules, int count)
{
    const bool starts_at_zero = count > 0 && rules[0].bytes == 0;
    fprintf(stream, "1 # collective\n%d # MPI_Allreduce\n1 # size of communicator\n", ALLREDUCE);
    fprintf(stream, "%d # ranks\n%d # sizes of message\n", ranks, count + !starts_at_zero);
    if (!starts_at_zero) /* without a rule for 0 bytes Open MPI ignores all */
        fprintf(stream, "0 %d 0 0 # below the least size that was tuned\n", ALLREDUCE_OWN_DECISION);
    for (int i = 0; i < count; i++)
        fprintf(stream, "%zu %d 0 %d\n", rules[i].bytes, rules[i].config.algorithm,
                rules[i].config.segment_size);
}

bool rules_write(const char *path, int ranks, const struct rule *rules, int count)
{
    struct output_file file;
    if (!output_open(&file, path))
        return false;
    print(file.stream, ranks, rules, count);
    return output_commit(&file);
}
