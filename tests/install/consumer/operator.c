/* The operator alone: a plan that is found without measuring, on 2 ranks, checked element by
 * element. */
#include <stdio.h>

#include <reverse_a2a/tuned.h>

enum { S = 3, H = 2, D = 5, RANKS = 2 };

/* The element of rank p's source at [row, h, d]. */
static int16_t element(int p, int row, int h, int d)
{
    return (int16_t)(((p * RANKS * S + row) * H + h) * D + d);
}

static int differences(int rank, int16_t target[S][RANKS * H][D])
{
    int count = 0;
    for (int s = 0; s < S; s++)
        for (int head = 0; head < RANKS * H; head++)
            for (int d = 0; d < D; d++)
                count += target[s][head][d] != element(head / H, rank * S + s, head % H, d);
    return count;
}

int main(int argc, char **argv)
{
    static int16_t source[RANKS * S][H][D], target[S][RANKS * H][D];
    const struct reverse_a2a_shape shape = {.s = S, .h = H, .d = D, .element_size = 2};
    struct reverse_a2a_memory *memory;
    struct reverse_a2a_tuner *tuner;
    struct reverse_a2a_plan *plan;
    size_t bytes;
    int rank;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int row = 0; row < RANKS * S; row++)
        for (int h = 0; h < H; h++)
            for (int d = 0; d < D; d++)
                source[row][h][d] = element(rank, row, h, d);

    int error = reverse_a2a_tuner_bytes(&shape, RANKS, &bytes);
    if (!error)
        error = reverse_a2a_memory_create(MPI_COMM_WORLD, bytes, NULL, &memory);
    if (!error)
        error = reverse_a2a_tuner_create(memory, &tuner);
    if (!error)
        error = reverse_a2a_tuner_plan(tuner, &shape, source, target, REVERSE_A2A_ESTIMATE, &plan);
    if (!error)
        error = reverse_a2a_execute(plan, source, target);
    if (error) {
        fprintf(stderr, "rank %d: %s\n", rank, reverse_a2a_strerror(error));
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    int wrong = differences(rank, target);
    printf("rank %d: %d of %d elements differ\n", rank, wrong, S * RANKS * H * D);
    reverse_a2a_plan_destroy(plan);
    reverse_a2a_tuner_destroy(tuner);
    reverse_a2a_memory_destroy(memory);
    MPI_Finalize();
    return wrong ? 1 : 0;
}
