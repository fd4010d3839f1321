/* Reading back what is known in memory: configurations, bound launches, reports. All local. */
#include <string.h>

#include "tuner.h"

const char *tutti_message(tutti_tuner *tuner, tutti_group *group)
{
    const struct attachment *attachment = tuner && group ? tuner_attachment(tuner, group) : NULL;
    return attachment && attachment->message.bytes ? attachment->message.bytes : "";
}

/* What is known for a key: by the group's mode, else with tuning off, else what was forced last. */
static struct entry *look(const struct attachment *attachment, const struct tutti_key *key)
{
    uint64_t hash = key_hash(key);
    struct entry *entry = entries_find(&attachment->entries, key, hash, WAY_TUNED);
    if (!entry)
        entry = entries_find(&attachment->entries, key, hash, WAY_OFF);
    return entry ? entry : entries_find_newest(&attachment->entries, key);
}

static int known(const tutti_tuner *tuner, const void *args, const tutti_group *group,
                 struct entry **entry)
{
    *entry = NULL;
    if (!tuner || !group)
        return TUTTI_ERR_ARGUMENT;
    struct tutti_key key;
    key_init(&key);
    int status = tuner_key(tuner, args, &key) || key.mistake ? TUTTI_ERR_KEY : TUTTI_SUCCESS;
    const struct attachment *attachment = tuner_attachment(tuner, group);
    if (!status && attachment)
        *entry = look(attachment, &key);
    if (!status && !*entry)
        status = TUTTI_ERR_MISS;
    key_release(&key);
    return status;
}

const void *tutti_best(tutti_tuner *tuner, const void *args, tutti_group *group)
{
    struct entry *entry;
    return known(tuner, args, group, &entry) == TUTTI_SUCCESS ? entry->config : NULL;
}

int tutti_bind(tutti_tuner *tuner, const void *args, tutti_group *group, tutti_bound *bound)
{
    struct entry *entry;
    if (!bound || bound->size != sizeof *bound)
        return TUTTI_ERR_ARGUMENT;
    int status = known(tuner, args, group, &entry);
    if (status)
        return status;
    *bound = (tutti_bound){.size = sizeof *bound,
                           .run = tuner->run,
                           .config = entry->config,
                           .context = hit_context(tuner, group, entry, NULL)};
    return TUTTI_SUCCESS;
}

static tutti_report report_of(const tutti_tuner *tuner, const struct entry *entry)
{
    const struct outcome *outcome = &entry->outcome;
    tutti_report report = {
        .size = sizeof report,
        .source = entry->source,
        .configuration = entry->configuration,
        .config = entry->config,
        .ntrials = (size_t)outcome->ntrials,
        .trials = outcome->trials,
        .customary = tuner->customary,
        .policy = outcome->policy,
        .aggregation = outcome->aggregation,
        .warmups = outcome->warmups,
        .samples = outcome->samples,
        .search_seconds = outcome->search_seconds,
        .search_calls = outcome->search_calls,
        .search_operations = outcome->search_operations,
        .rounds = outcome->race.rounds,
        .equal = outcome->race.equal,
        .budget_ended_it = outcome->race.stopped,
        .runner_up = outcome->race.runner_up,
        .distance = outcome->race.distance,
        .confidence = outcome->race.confidence,
        .within = outcome->race.within,
        .noise = outcome->race.noise,
        .cold_seconds = entry->cold_seconds,
        .cold_operations = entry->cold_operations,
        .record = entry->record ? entry->record : "",
    };
    if (entry->configuration < outcome->ntrials)
        report.seconds = outcome->trials[entry->configuration].seconds;
    return report;
}

int tutti_report_get(tutti_tuner *tuner, const void *args, tutti_group *group, tutti_report *report)
{
    struct entry *entry;
    if (!report || report->size != sizeof *report)
        return TUTTI_ERR_ARGUMENT;
    int status = known(tuner, args, group, &entry);
    if (!status)
        *report = report_of(tuner, entry);
    return status;
}

int tutti_enumerate(tutti_tuner *tuner, tutti_group *group, tutti_entry_fn each, void *user)
{
    if (!tuner || !group || !each)
        return TUTTI_ERR_ARGUMENT;
    const struct attachment *attachment = tuner_attachment(tuner, group);
    int status = TUTTI_SUCCESS;
    for (const struct entry *entry = attachment ? attachment->entries.newest : NULL;
         entry && !status; entry = entry->older) {
        const tutti_report report = report_of(tuner, entry);
        struct text key = {0};
        key_text(entry->key, entry->key_length, &key);
        if (key.failed)
            status = TUTTI_ERR_MEMORY;
        else
            each(&(tutti_entry){.group = group,
                                .key = key.bytes ? key.bytes : "",
                                .report = &report},
                 user);
        text_release(&key);
    }
    return status;
}

uint64_t tutti_space_size(const tutti_tuner *tuner)
{
    return tuner ? tuner->space.size : 0;
}

int tutti_configuration(const tutti_tuner *tuner, uint64_t index, void *config)
{
    if (!tuner || !config || index >= tuner->space.size)
        return TUTTI_ERR_ARGUMENT;
    space_fill(&tuner->space, index, config);
    return TUTTI_SUCCESS;
}

size_t tutti_configuration_text(const tutti_tuner *tuner, uint64_t index, char *text, size_t size)
{
    struct text whole = {0};
    if (tuner && index < tuner->space.size)
        space_configuration_text(&tuner->space, index, &whole);
    return text_hand_over(&whole, text, size);
}
