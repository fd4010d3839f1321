/* Writes the seeds of the corpus into a directory: valid records, and ones that are broken in a way
 * that mutation finds late. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sample.h"
#include "samples.h"

static void save(const char *directory, const char *name, const char *bytes, size_t length)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(bytes, 1, length, file) != length || fclose(file) != 0) {
        perror(path);
        exit(EXIT_FAILURE);
    }
}

/* Some configurations pruned, one failed, the others measured. */
static void fill(struct outcome *outcome, uint64_t first)
{
    for (uint64_t i = first; i < outcome->ntrials; i++) {
        if (i % 4 == 3)
            continue;
        outcome->trials[i].status = TUTTI_STATUS_OK;
        outcome->trials[i].slowest_rank = (int)(i % 4);
        outcome->trials[i].seconds = 1e-4 / (double)(3 + i % 7);
    }
    outcome->trials[first + 1].status = TUTTI_STATUS_FAILED;
    outcome->trials[first + 1].seconds = 0;
    outcome_set_reason(outcome, first + 1, "rank 1: the launcher returned \"3\"");
    outcome->winner = first + 2;
    for (uint64_t i = first + 3; i < outcome->ntrials; i++) {
        const tutti_trial *trial = &outcome->trials[i];
        if (trial->status == TUTTI_STATUS_OK &&
            trial->seconds < outcome->trials[outcome->winner].seconds)
            outcome->winner = i;
    }
    outcome->warmups = 5;
    outcome->samples = 10;
    outcome->search_seconds = 0.0625;
    outcome->search_calls = 240;
    outcome->search_operations = 43;
    outcome->finished = INT64_C(1796056800);
}

/* Rounds of a race in which the later half of the configurations dropped out early. */
static void race(struct outcome *outcome)
{
    const uint64_t n = outcome->ntrials;
    outcome->policy = TUTTI_POLICY_RACE;
    outcome->race =
        (struct race_figures){.rounds = 6, .runner_up = 4, .confidence = 0.75, .noise = 0.03125};
    if (samples_reserve(outcome, 6 * n) != TUTTI_SUCCESS)
        exit(EXIT_FAILURE);
    for (uint32_t round = 1; round <= 6; round++)
        for (uint64_t i = 0; i < (round > 2 ? n / 2 : n); i++) {
            tutti_trial *trial = &outcome->trials[i];
            samples_note(outcome, i,
                         (tutti_sample){.seconds = trial->seconds * (1 + round / 64.0),
                                        .round = round,
                                        .slowest_rank = (int)(round % 2)});
            trial->taken++;
            trial->dropped = i < n / 2 ? 0 : 2;
        }
    samples_lay_out(outcome);
}

static void save_outcome(const struct identity *identity, const char *directory, const char *name,
                         uint64_t first)
{
    struct outcome outcome;
    struct text json = {0};
    if (outcome_init(&outcome, identity->space->size) != TUTTI_SUCCESS)
        exit(EXIT_FAILURE);
    fill(&outcome, first);
    if (strcmp(name, "valid-race.json") == 0)
        race(&outcome);
    if (record_encode(identity, &outcome, &json) != TUTTI_SUCCESS)
        exit(EXIT_FAILURE);
    save(directory, name, json.bytes, json.length);
    if (strcmp(name, "valid.json") == 0)
        save(directory, "broken-cut.json", json.bytes, json.length / 2);
    outcome_release(&outcome);
    text_release(&json);
}

int main(int argc, char **argv)
{
    static const char nul[] = "{\"tutti_record\": 1}\n\0{}";
    static const char utf8[] = "{\"tutti_record\": \"\xC3\x28\"}";
    struct sample sample, rich;
    if (argc != 2) {
        fprintf(stderr, "usage: make_seeds DIRECTORY\n");
        return EXIT_FAILURE;
    }
    sample_init(&sample);
    save_outcome(&sample.identity, argv[1], "valid.json", 0);
    save_outcome(&sample.identity, argv[1], "valid-race.json", 0);
    save_outcome(&sample.identity, argv[1], "valid-mostly-pruned.json", sample.space.size - 4);
    sample.identity.environment = "transport = MPICH 4.0.2\n";
    save_outcome(&sample.identity, argv[1], "elsewhere.json", 4);
    sample.identity.ranks = 8;
    save_outcome(&sample.identity, argv[1], "foreign.json", 4);
    sample_init_rich(&rich);
    save_outcome(&rich.identity, argv[1], "valid-rich.json", 0);
    sample_release(&rich);
    save(argv[1], "broken-nul.json", nul, sizeof nul - 1);
    save(argv[1], "broken-utf8.json", utf8, sizeof utf8 - 1);
    save(argv[1], "broken-deep.json", "[[[[[[[[[[[[[[[[[[[[[[[[", 24);
    save(argv[1], "broken-number.json", "{\"tutti_record\": 1e400}", 23);
    sample_release(&sample);
    return EXIT_SUCCESS;
}
