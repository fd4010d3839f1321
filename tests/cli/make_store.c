/*
 * Makes the records that the command line's tests and the transcripts in docs/cli.md work on:
 * always the same bytes, as a machine of long ago would have written them.
 *
 *     make_store DIRECTORY [later]
 *     make_store DIRECTORY triton     one record, as Triton-distributed writes them
 *     make_store --host    prints the number of this host, as names of files have it
 *
 * later: the same tunings again, on newer software, with another winner in one of them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "key.h"
#include "owner.h"
#include "record.h"
#include "store.h"

struct config {
    int comm_block_s, comm_block_d, buffer_num;
};

static const tutti_param params[] = {
    TUTTI_PARAM(struct config, comm_block_s, 32, 64, 128, 256, 512),
    TUTTI_PARAM(struct config, comm_block_d, 64, 128),
    TUTTI_PARAM(struct config, buffer_num, 2, 4),
};

struct halo {
    double share;
    bool push;
};

static const tutti_param halo_params[] = {
    TUTTI_PARAM(struct halo, share, 0.1, 0.5),
    TUTTI_PARAM(struct halo, push, false, true),
};

#define HARDWARE                                                                                   \
    "cpu = Example 9000\npackages = 2\ncores = 64\nprocessing_units = 128\nnuma_nodes = 2\n"       \
    "last_level_cache = 8 x 32768 KiB\n"
#define BUILD "build_id = be895c22e1fa42b4c679a144f7d01881c50e7b75\n"

static const char *store;
static bool later;

static void need(bool good, const char *what)
{
    if (good)
        return;
    fprintf(stderr, "make_store: %s\n", what);
    exit(EXIT_FAILURE);
}

static void save(const struct identity *identity, const struct outcome *outcome)
{
    struct text json = {0}, path = {0}, why = {0};
    char name[33];
    need(record_encode(identity, outcome, &json) == TUTTI_SUCCESS, "no record");
    need(record_name(identity, name), "no name");
    store_path(store, identity->function, name, &path);
    need(store_write(path.bytes, json.bytes, json.length, &why) == STORE_OK, why.bytes);
    text_release(&json);
    text_release(&path);
}

/* The staged pipeline, roughly: large blocks amortise, few slots stall. */
static double cost(const struct config *config, int s)
{
    const int block = config->comm_block_s < s ? config->comm_block_s : s;
    return 1e-6 * s / 4 * (1 + 24.0 / block) * (config->comm_block_d == 64 ? 1.125 : 1) *
           (config->buffer_num == 2 && block > 128 ? 1.25 : 1);
}

static void measure(const struct space *space, int s, struct outcome *outcome)
{
    need(outcome_init(outcome, space->size) == TUTTI_SUCCESS, "no memory");
    for (uint64_t i = 0; i < space->size; i++) {
        struct config config;
        space_fill(space, i, &config);
        tutti_trial *trial = &outcome->trials[i];
        if (config.comm_block_s > s)
            continue; /* pruned */
        trial->status = TUTTI_STATUS_OK;
        trial->slowest_rank = (int)(i % 2);
        trial->seconds = cost(&config, s);
        if (outcome->trials[outcome->winner].status != TUTTI_STATUS_OK ||
            trial->seconds < outcome->trials[outcome->winner].seconds)
            outcome->winner = i;
    }
    outcome->policy = TUTTI_POLICY_EXHAUSTIVE;
    outcome->warmups = 5;
    outcome->samples = 10;
    outcome->search_seconds = 0.0625;
    outcome->search_calls = 300;
    outcome->search_operations = 60;
    outcome->finished = INT64_C(1793000000) + s + (later ? 86400 : 0);
}

static void fail_one(struct outcome *outcome, uint64_t index, int status, const char *reason)
{
    outcome->trials[index].status = status;
    outcome->trials[index].seconds = 0;
    outcome->trials[index].slowest_rank = 1;
    outcome_set_reason(outcome, index, reason);
}

static const char *environment(void)
{
    return later ? "transport = Open MPI 5.0.3\ntutti = 0.1.0\ncompiler = gcc 13.2.0\n" BUILD
                 : "transport = Open MPI 4.1.4\ntutti = 0.1.0\ncompiler = gcc 12.2.0\n" BUILD;
}

static void save_a2a(const struct space *space, int s, int ranks, const char *dtype)
{
    struct tutti_key key;
    struct outcome outcome;
    key_init(&key);
    tutti_key_shape(&key, "A", 3, (const int64_t[]){(int64_t)ranks * s, 8, 128});
    tutti_key_string(&key, "dtype", dtype);
    const struct identity identity = {.function = "reverse_a2a",
                                      .version = "v1",
                                      .source_id = "8c6bf1e5ab3f9d02",
                                      .space = space,
                                      .key = key.bytes,
                                      .key_length = key.length,
                                      .group_kind = "mpi",
                                      .placement = ranks == 4 ? "2+2 block" : "2",
                                      .ranks = ranks,
                                      .timer = "monotonic",
                                      .hardware = HARDWARE,
                                      .environment = environment()};
    measure(space, s, &outcome);
    if (s == 2048) {
        fail_one(&outcome, 5, TUTTI_STATUS_FAILED, "rank 1: the run returned 12: out of slots");
        fail_one(&outcome, 6, TUTTI_STATUS_WRONG, "rank 1: the outputs are wrong");
    }
    if (later && s == 2048) {
        outcome.trials[11].seconds = 0.0005;
        outcome.winner = 11;
    }
    save(&identity, &outcome);
    outcome_release(&outcome);
    key_release(&key);
}

/* A name and a key that are hard on file systems, shells and terminals; and a race. */
static void save_halo(void)
{
    struct space space;
    struct tutti_key key;
    struct outcome outcome;
    struct text why = {0};
    const struct space_source source = {
        .params = halo_params, .nparams = 2, .config_size = sizeof(struct halo)};
    need(space_init(&space, &source, &why) == TUTTI_SUCCESS, why.bytes);
    key_init(&key);
    tutti_key_integer(&key, "n", 4096);
    tutti_key_string(&key, "note", "it's \"a\" \x1b[31mred\x1b[0m key; rm -rf /");
    const struct identity identity = {.function = "../halo/\xC3\xA9"
                                                  "change",
                                      .version = "2",
                                      .source_id = "",
                                      .space = &space,
                                      .key = key.bytes,
                                      .key_length = key.length,
                                      .group_kind = "threads",
                                      .placement = "4",
                                      .ranks = 4,
                                      .timer = "monotonic",
                                      .hardware = HARDWARE,
                                      .environment = environment()};
    need(outcome_init(&outcome, space.size) == TUTTI_SUCCESS, "no memory");
    for (uint64_t i = 0; i < space.size; i++) {
        outcome.trials[i].status = TUTTI_STATUS_OK;
        outcome.trials[i].slowest_rank = 3;
        outcome.trials[i].seconds = 3e-6 + 1e-6 * (double)((i + 2) % 4);
    }
    tutti_sample samples[] = {{3e-6, 1, 3}, {3.1e-6, 2, 0}};
    outcome.trials[2].taken = 2;
    outcome.trials[2].spread = 0.024;
    outcome.trials[2].samples = samples;
    outcome.trials[2].nsamples = 2;
    outcome.winner = 2;
    outcome.policy = TUTTI_POLICY_RACE;
    outcome.warmups = 5;
    outcome.samples = 4;
    outcome.race = (struct race_figures){.rounds = 12,
                                         .equal = false,
                                         .runner_up = 3,
                                         .distance = 0.33,
                                         .confidence = 0.99,
                                         .within = 0.004,
                                         .noise = 0.02};
    outcome.search_seconds = 0.004;
    outcome.search_calls = 93;
    outcome.search_operations = 31;
    outcome.finished = INT64_C(1793000000) + (later ? 86400 : 0);
    save(&identity, &outcome);
    outcome_release(&outcome);
    key_release(&key);
    space_release(&space);
}

static void save_triton(void)
{
    static const char text[] =
        "{\n  \"config\": [\n"
        "    [0.75, {\"gemm_config\": {\"__triton_config__\": {\"kwargs\": {\"BLOCK_SIZE_M\": 64},"
        " \"num_warps\": 4}}}],\n"
        "    [0.5, {\"gemm_config\": {\"__triton_config__\": {\"kwargs\": {\"BLOCK_SIZE_M\": 128},"
        " \"num_warps\": 8}}}],\n"
        "    [Infinity, {\"gemm_config\": {\"__triton_config__\": {\"kwargs\": {\"BLOCK_SIZE_M\":"
        " 256}, \"num_warps\": 8}}}]\n  ],\n"
        "  \"deps\": {\"torch.version\": \"2.4.0\", \"triton_dist.version\": \"0.2.0\"},\n"
        "  \"key\": [[[4096, 8192], [8192, 1], {\"__torch_dtype__\": \"torch.bfloat16\"}], 8],\n"
        "  \"func\": \"ag_gemm\",\n  \"timestamp\": \"2026-10-26_07_33_20\"\n}";
    static const char name[] = "5a105e8b9d40e1329780d62ea2265d8a5a105e8b9d40e1329780d62ea2265d8a";
    struct text path = {0}, why = {0};
    text_add(&path, "%s/ag_gemm/%s.json", store, name);
    need(store_write(path.bytes, text, sizeof text - 1, &why) == STORE_OK, why.bytes);
    text_release(&path);
}

int main(int argc, char **argv)
{
    struct space space;
    struct text why = {0};
    const struct space_source source = {
        .params = params, .nparams = 3, .config_size = sizeof(struct config)};
    if (argc < 2) {
        fprintf(stderr, "usage: make_store DIRECTORY [later]\n");
        return EXIT_FAILURE;
    }
    if (strcmp(argv[1], "--host") == 0) {
        printf("%016llx\n", (unsigned long long)owner_host());
        return EXIT_SUCCESS;
    }
    store = argv[1];
    if (argc > 2 && strcmp(argv[2], "triton") == 0) {
        save_triton();
        return EXIT_SUCCESS;
    }
    later = argc > 2 && strcmp(argv[2], "later") == 0;
    need(space_init(&space, &source, &why) == TUTTI_SUCCESS, why.bytes);
    save_a2a(&space, 2048, 2, "bfloat16");
    save_a2a(&space, 64, 2, "bfloat16");
    save_a2a(&space, 2048, 4, "float32");
    save_halo();
    space_release(&space);
    return EXIT_SUCCESS;
}
