/*
 * Does a rules file take effect in a program that knows nothing of tutti? The order in which an
 * algorithm adds up rounds differently, so the bits of the sums tell one algorithm from another.
 *
 *     allreduce_digest                     prints a hash of the sums; on several ranks
 *     allreduce_digest FILE ALGORITHM      writes a rules file that always takes ALGORITHM
 */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "allreduce_algorithm/rules.h"

enum { ELEMENTS = 4096, RULE_RANKS = 2 };

/* FNV-1a over the bytes. */
static uint64_t hash(const void *bytes, size_t n)
{
    uint64_t digest = 14695981039346656037u;
    for (size_t i = 0; i < n; i++)
        digest = (digest ^ ((const unsigned char *)bytes)[i]) * 1099511628211u;
    return digest;
}

static int print_digest(int argc, char **argv)
{
    static double send[ELEMENTS], receive[ELEMENTS];
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < ELEMENTS; i++)
        send[i] = 1.0 / (1 + i + 7 * rank);
    MPI_Allreduce(send, receive, ELEMENTS, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%016llx\n", (unsigned long long)hash(receive, sizeof receive));
    MPI_Finalize();
    return 0;
}

int main(int argc, char **argv)
{
    if (argc != 3)
        return print_digest(argc, argv);
    const struct rule rule = {.bytes = 8, .config = {.algorithm = atoi(argv[2])}};
    return rules_write(argv[1], RULE_RANKS, &rule, 1) ? 0 : 1;
}
