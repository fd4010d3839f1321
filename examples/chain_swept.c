/* What chain_tuned.c does, as programs do it by hand: a sweep over the segments at every start. See
 * docs/porting.md. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

struct message {
    char *bytes;
    int length;
    MPI_Comm comm;
};

static int pass_down(const struct message *message, int segment)
{
    int rank, ranks;
    MPI_Request sent = MPI_REQUEST_NULL;
    MPI_Comm_rank(message->comm, &rank);
    MPI_Comm_size(message->comm, &ranks);
    for (int at = 0; at < message->length; at += segment) {
        const int rest = message->length - at, count = rest < segment ? rest : segment;
        if (rank > 0)
            MPI_Recv(message->bytes + at, count, MPI_BYTE, rank - 1, 0, message->comm,
                     MPI_STATUS_IGNORE);
        MPI_Wait(&sent, MPI_STATUS_IGNORE);
        if (rank + 1 < ranks)
            MPI_Isend(message->bytes + at, count, MPI_BYTE, rank + 1, 0, message->comm, &sent);
    }
    return MPI_Wait(&sent, MPI_STATUS_IGNORE);
}

static int sweep(const struct message *message)
{
    static const int segments[] = {4096, 1024, 16384, 65536, 262144};
    int best = segments[0];
    double least = 1e30;
    for (size_t i = 0; i < sizeof segments / sizeof segments[0]; i++) {
        pass_down(message, segments[i]); /* warm up */
        MPI_Barrier(message->comm);
        double seconds = MPI_Wtime();
        for (int repetition = 0; repetition < 10; repetition++)
            pass_down(message, segments[i]);
        seconds = (MPI_Wtime() - seconds) / 10;
        MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, message->comm);
        if (seconds < least) {
            least = seconds;
            best = segments[i];
        }
    }
    return best;
}

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    struct message message = {.length = 1 << 18, .comm = MPI_COMM_WORLD};
    message.bytes = calloc(1, (size_t)message.length);

    const int segment = sweep(&message);
    for (int iteration = 0; iteration < 20; iteration++)
        pass_down(&message, segment);
    if (rank == 0)
        printf("segments of %d bytes, from the sweep\n", segment);

    free(message.bytes);
    MPI_Finalize();
    return 0;
}
