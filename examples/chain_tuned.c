/* Sends a buffer down a chain of ranks, in segments. tutti finds how long the segments should be.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <tutti/mpi.h>
#include <tutti/tutti.h>

struct message {
    char *bytes;
    int length;
    MPI_Comm comm;
};

/* The function as it was: each rank passes a segment on while the next one arrives. */
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

/* Its knob, and the values to try. */
struct knobs {
    int segment;
};
static const tutti_param params[] = {
    TUTTI_PARAM(struct knobs, segment, 4096, 1024, 16384, 65536, 262144)};

/* What makes two calls the same problem. */
static int key(tutti_key *key, const void *args, void *user)
{
    (void)user;
    tutti_key_integer(key, "length", ((const struct message *)args)->length);
    return 0;
}

static int run(void *args, const void *config, const tutti_context *context)
{
    (void)context;
    return pass_down(args, ((const struct knobs *)config)->segment);
}

static int fail(int error, const char *sentence)
{
    fprintf(stderr, "chain: %s: %s\n", tutti_strerror(error), sentence);
    return MPI_Abort(MPI_COMM_WORLD, 1);
}

int main(int argc, char **argv)
{
    tutti_tuner *tuner;
    tutti_group *group;
    tutti_report report = {.size = sizeof report};
    char why[256] = "";
    MPI_Init(&argc, &argv);
    struct message message = {.length = 1 << 18, .comm = MPI_COMM_WORLD};
    message.bytes = calloc(1, (size_t)message.length);

    int error = tutti_tuner_create(&(tutti_tuner_desc){.size = sizeof(tutti_tuner_desc),
                                                       .name = "chain",
                                                       .source_id = TUTTI_SOURCE_ID,
                                                       .params = params,
                                                       .nparams = sizeof params / sizeof params[0],
                                                       .config_size = sizeof(struct knobs),
                                                       .key = key,
                                                       .run = run,
                                                       .message = why,
                                                       .message_size = sizeof why},
                                   &tuner);
    if (error)
        return fail(error, why);
    error = tutti_group_create_mpi(MPI_COMM_WORLD, &group);
    if (error)
        return fail(error, "making the group");

    for (int iteration = 0; iteration < 20; iteration++) { /* the first one tunes, or reads */
        error = tutti_call(tuner, &message, group, NULL);
        if (error)
            return fail(error, tutti_message(tuner, group));
    }
    error = tutti_report_get(tuner, &message, group, &report);
    if (error)
        return fail(error, tutti_message(tuner, group));
    if (tutti_group_rank(group) == 0)
        printf("segments of %d bytes; source: %s\n", ((const struct knobs *)report.config)->segment,
               tutti_source_name(report.source));

    tutti_tuner_destroy(tuner);
    tutti_group_release(group);
    free(message.bytes);
    MPI_Finalize();
    return 0;
}
