/* See samples.h. */
#include "samples.h"

#include <stdlib.h>

#include <tutti/error.h>

#include "statistics.h"

struct noted_sample {
    uint64_t configuration;
    tutti_sample sample;
};

int samples_reserve(struct outcome *outcome, uint64_t most)
{
    const size_t room = (size_t)(most < SAMPLES_LIMIT ? most : SAMPLES_LIMIT);
    samples_release(outcome);
    if (room == 0)
        return TUTTI_SUCCESS;
    outcome->noted = malloc(room * sizeof *outcome->noted);
    outcome->samples_kept = malloc(room * sizeof *outcome->samples_kept);
    outcome->room = room;
    if (outcome->noted && outcome->samples_kept)
        return TUTTI_SUCCESS;
    samples_release(outcome);
    return TUTTI_ERR_MEMORY;
}

void samples_release(struct outcome *outcome)
{
    free(outcome->noted);
    free(outcome->samples_kept);
    outcome->noted = NULL;
    outcome->samples_kept = NULL;
    outcome->nkept = outcome->room = 0;
}

void samples_note(struct outcome *outcome, uint64_t configuration, tutti_sample sample)
{
    tutti_trial *trial = &outcome->trials[configuration];
    if (trial->nsamples == SAMPLES_EACH || outcome->nkept == outcome->room)
        return;
    trial->nsamples++;
    outcome->noted[outcome->nkept++] =
        (struct noted_sample){.configuration = configuration, .sample = sample};
}

void samples_point(struct outcome *outcome)
{
    size_t at = 0;
    for (uint64_t i = 0; i < outcome->ntrials; i++) {
        tutti_trial *trial = &outcome->trials[i];
        trial->samples = trial->nsamples > 0 ? outcome->samples_kept + at : NULL;
        at += trial->nsamples;
    }
    outcome->nkept = at;
}

static double spread(const tutti_sample *samples, size_t n)
{
    double values[SAMPLES_EACH];
    if (n < 2)
        return 0;
    for (size_t i = 0; i < n; i++)
        values[i] = samples[i].seconds;
    const double middle = median(values, n);
    return STATISTICS_NORMAL * median_deviation(values, n) / middle;
}

void samples_lay_out(struct outcome *outcome)
{
    const size_t noted = outcome->nkept;
    for (uint64_t i = 0; i < outcome->ntrials; i++)
        if (outcome->trials[i].status != TUTTI_STATUS_OK)
            outcome->trials[i].nsamples = 0;
    samples_point(outcome);
    for (uint64_t i = 0; i < outcome->ntrials; i++)
        outcome->trials[i].nsamples = 0; /* counts again, now what lies in its place */
    for (size_t i = 0; i < noted; i++) {
        tutti_trial *trial = &outcome->trials[outcome->noted[i].configuration];
        if (!trial->samples)
            continue;
        const size_t at = (size_t)(trial->samples - outcome->samples_kept) + trial->nsamples++;
        outcome->samples_kept[at] = outcome->noted[i].sample;
    }
    for (uint64_t i = 0; i < outcome->ntrials; i++)
        outcome->trials[i].spread = spread(outcome->trials[i].samples, outcome->trials[i].nsamples);
    free(outcome->noted);
    outcome->noted = NULL;
}
