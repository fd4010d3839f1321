/* One fixed problem and its outcome, for the fuzz target and for the program that makes its seeds.
 */
#ifndef SAMPLE_H
#define SAMPLE_H

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "hardware.h"
#include "key.h"
#include "record.h"

struct sample_config {
    int comm_block_s, buffer_num;
    double share;
    bool push;
};

struct sample {
    struct space space;
    struct tutti_key key;
    struct identity identity;
};

/* The same problem over a space with all that a space can have. */
enum sample_engine { SAMPLE_PUSH = 1, SAMPLE_PULL = 2, SAMPLE_STAGED = 7 };

struct sample_rich_config {
    enum sample_engine engine;
    const char *order;
    int buffer_num;
};

static inline void sample_init_space(struct sample *sample, const struct space_source *source)
{
    struct text why = {0};
    if (space_init(&sample->space, source, &why) != TUTTI_SUCCESS)
        abort();
    text_release(&why);
}

static inline void sample_init_identity(struct sample *sample)
{
    key_init(&sample->key);
    tutti_key_shape(&sample->key, "A", 3, (const int64_t[]){4096, 8, 128});
    tutti_key_string(&sample->key, "dtype", "bfloat16");
    tutti_key_integer(&sample->key, "accumulate", 1);
    tutti_key_double(&sample->key, "scale", 0.1);
    tutti_key_bool(&sample->key, "contiguous", true);
    sample->identity = (struct identity){
        .function = "reverse_a2a",
        .version = "v1",
        .source_id = "8c6bf1e5ab3f9d02",
        .space = &sample->space,
        .key = sample->key.bytes,
        .key_length = sample->key.length,
        .group_kind = "mpi",
        .placement = "2+2 block",
        .ranks = 4,
        .timer = "monotonic",
        .hardware = "cpu = Example 9000\npackages = 2\ncores = 64\nprocessing_units = 128\n"
                    "numa_nodes = 2\nlast_level_cache = 8 x 32768 KiB\n",
        .environment = "transport = Open MPI 4.1.4\ntutti = 0.1.0\ncompiler = gcc 12.2.0\n"
                       "build_id = be895c22e1fa42b4c679a144f7d01881c50e7b75\n",
    };
}

static inline void sample_init(struct sample *sample)
{
    const tutti_param params[] = {
        TUTTI_PARAM(struct sample_config, comm_block_s, 32, 64),
        TUTTI_PARAM(struct sample_config, buffer_num, 2, 4),
        TUTTI_PARAM(struct sample_config, share, 0.1, 0.5),
        TUTTI_PARAM(struct sample_config, push, false, true),
    };
    sample_init_space(sample, &(struct space_source){.params = params,
                                                     .nparams = sizeof params / sizeof params[0],
                                                     .config_size = sizeof(struct sample_config)});
    sample_init_identity(sample);
}

/* Pulling has no order of its own. */
static inline bool sample_constraint(const void *config, void *user)
{
    (void)user;
    const struct sample_rich_config *rich = config;
    return rich->engine != SAMPLE_PULL || strcmp(rich->order, "ring") == 0;
}

/* 7 configurations: push and pull in 2 + 1 orders, staged in 2 x 2. */
static inline void sample_init_rich(struct sample *sample)
{
    const tutti_param params[] = {
        TUTTI_CHOICE(struct sample_rich_config, engine, {SAMPLE_PUSH, "push"},
                     {SAMPLE_PULL, "pull"}, {SAMPLE_STAGED, "staged"}),
        TUTTI_PARAM(struct sample_rich_config, order, "ring", "shift, then \"ring\""),
        TUTTI_PARAM_IF(struct sample_rich_config, buffer_num,
                       TUTTI_WHEN(struct sample_rich_config, engine, SAMPLE_STAGED), 2, 4),
    };
    sample_init_space(sample,
                      &(struct space_source){.params = params,
                                             .nparams = sizeof params / sizeof params[0],
                                             .config_size = sizeof(struct sample_rich_config),
                                             .constraint = sample_constraint});
    sample_init_identity(sample);
}

static inline void sample_release(struct sample *sample)
{
    key_release(&sample->key);
    space_release(&sample->space);
}

#endif
