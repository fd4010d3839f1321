/*
 * What calls can be asked for beside the best configuration: one that is made ready ahead of time,
 * one that is forced; what the tuner knows, and how it forgets; and which buffers a run reads and
 * writes. docs/calls.md explains the parts; its run is a test.
 *
 * The function that is tuned scales a vector in blocks.
 */
#include <stdio.h>
#include <stdlib.h>

#include <tutti/tutti.h>

struct scale_config {
    int block;
};

static const tutti_param params[] = {TUTTI_PARAM(struct scale_config, block, 64, 256, 1024)};

struct vector {
    int64_t length;
    const float *from;
    float *to;
};

static int key(tutti_key *key, const void *args, void *user)
{
    (void)user;
    tutti_key_integer(key, "length", ((const struct vector *)args)->length);
    return 0;
}

static int scale(void *args, const void *config, const tutti_context *context)
{
    const struct vector *vector = args;
    const int64_t block = ((const struct scale_config *)config)->block;
    (void)context;
    for (int64_t begin = 0; begin < vector->length; begin += block)
        for (int64_t i = begin; i < begin + block && i < vector->length; i++)
            vector->to[i] = 2 * vector->from[i];
    return 0;
}

/* What a run reads and writes: each run of a search finds it as at first. */
static int declare(tutti_buffers *buffers, void *args, void *user)
{
    const struct vector *vector = args;
    const size_t bytes = (size_t)vector->length * sizeof(float);
    (void)user;
    tutti_buffer_in(buffers, "from", vector->from, bytes);
    tutti_buffer_out(buffers, "to", vector->to, bytes);
    return 0;
}

static int create(tutti_tuner **tuner)
{
    return tutti_tuner_create(&(tutti_tuner_desc){.size = sizeof(tutti_tuner_desc),
                                                  .name = "scale",
                                                  .params = params,
                                                  .nparams = 1,
                                                  .config_size = sizeof(struct scale_config),
                                                  .key = key,
                                                  .run = scale,
                                                  .buffers = declare},
                              tuner);
}

/* The block that a kind of measurement wants, whatever is the fastest. */
static int call_with_block(tutti_tuner *tuner, struct vector *vector, tutti_group *group, int block)
{
    const struct scale_config config = {.block = block};
    const tutti_call_options options = {.size = sizeof options, .force = &config};
    return tutti_call(tuner, vector, group, &options);
}

/* All shapes that the program will need, while it starts. */
static int tune_ahead(tutti_tuner *tuner, struct vector *largest, tutti_group *group)
{
    int status = TUTTI_SUCCESS;
    for (int64_t length = 1024; length <= largest->length && !status; length *= 4) {
        struct vector vector = {.length = length, .from = largest->from, .to = largest->to};
        status = tutti_tune(tuner, &vector, group, NULL);
    }
    return status;
}

static void show(const tutti_entry *entry, void *user)
{
    const struct scale_config *config = entry->report->config;
    ++*(int *)user;
    printf("block %4d (%s) for %s", config->block, tutti_source_name(entry->report->source),
           entry->key);
}

static int use(tutti_tuner *tuner, struct vector *vector, tutti_group *group)
{
    int known = 0, left = 0;
    int status = tune_ahead(tuner, vector, group);
    if (!status)
        status = tutti_call(tuner, vector, group, NULL); /* a hit */
    if (!status)
        status = call_with_block(tuner, vector, group, 256);
    if (!status)
        status = tutti_enumerate(tuner, group, show, &known);
    if (!status)
        status = tutti_forget(tuner, vector, group, 0);
    if (!status)
        status = tutti_enumerate(tuner, group, show, &left);
    if (status)
        fprintf(stderr, "%s: %s\n", tutti_strerror(status), tutti_message(tuner, group));
    return !status && known == 4 && left == 2;
}

int main(void)
{
    enum { LENGTH = 16384 };
    struct vector vector = {.length = LENGTH};
    float *from = calloc(LENGTH, sizeof *from);
    tutti_tuner *tuner = NULL;
    tutti_group *group = NULL;
    bool works = false;
    vector.from = from;
    vector.to = calloc(LENGTH, sizeof *vector.to);
    if (from && vector.to && !create(&tuner) && !tutti_group_create_serial(&group))
        works = use(tuner, &vector, group);
    tutti_tuner_destroy(tuner);
    tutti_group_release(group);
    free(from);
    free(vector.to);
    return works ? EXIT_SUCCESS : EXIT_FAILURE;
}
