/* Records for those who do not tune: read, judged by themselves, and told. */
#include "record_read.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hardware.h"
#include "record_json.h"
#include "store.h"

int record_message(int status, const struct text *why, char *message, size_t message_size)
{
    if (message && message_size)
        snprintf(message, message_size, "%s", why->bytes ? why->bytes : tutti_strerror(status));
    return status;
}

/* ---- lists ---- */

static void list_release(struct named_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        free((void *)(uintptr_t)list->entries[i].name);
        free((void *)(uintptr_t)list->entries[i].text);
    }
    free(list->entries);
    *list = (struct named_list){0};
}

/* A string as it is, anything else as JSON. NULL: no memory. */
static char *value_as_text(const json_t *value)
{
    if (json_is_string(value))
        return strdup(json_string_value(value));
    struct text text = {0};
    json_text(value, 0, &text);
    if (text.failed)
        text_release(&text);
    return text.bytes;
}

/* Appends to a list that has room; false: no memory. */
static bool list_add(struct named_list *list, const char *name, const json_t *value)
{
    tutti_named_text *entry = &list->entries[list->count++];
    *entry = (tutti_named_text){.name = strdup(name), .text = value_as_text(value)};
    return entry->name && entry->text;
}

static bool list_reserve(struct named_list *list, size_t count)
{
    list->entries = calloc(count ? count : 1, sizeof *list->entries);
    return list->entries != NULL;
}

static bool list_members(struct named_list *list, json_t *object)
{
    const char *name;
    json_t *value;
    bool good = list_reserve(list, json_object_size(object));
    json_object_foreach(object, name, value)
    {
        good = good && list_add(list, name, value);
    }
    return good;
}

static bool list_fields(struct named_list *list, const json_t *key)
{
    bool good = list_reserve(list, json_array_size(key));
    for (size_t i = 0; good && i < json_array_size(key); i++) {
        const json_t *field = json_array_get(key, i);
        good = list_add(list, json_string_value(json_object_get(field, "name")),
                        json_object_get(field, "value"));
    }
    return good;
}

static bool list_all(struct tutti_record *record)
{
    const json_t *identity = json_object_get(record->root, "identity");
    return list_fields(&record->key, json_object_get(identity, "key")) &&
           list_members(&record->hardware, json_object_get(identity, "hardware")) &&
           list_members(&record->environment, json_object_get(record->root, "environment"));
}

static const char *identity_string(const tutti_record *record, const char *part, const char *name)
{
    const json_t *object = json_object_get(record->root, "identity");
    if (part)
        object = json_object_get(object, part);
    return json_string_value(json_object_get(object, name));
}

static int identity_ranks(const tutti_record *record)
{
    const json_t *group = json_object_get(json_object_get(record->root, "identity"), "group");
    return (int)json_integer_value(json_object_get(group, "ranks"));
}

static tutti_record_info info_of(const tutti_record *record)
{
    const struct outcome *outcome = &record->outcome;
    const struct race_figures *race = &outcome->race;
    return (tutti_record_info){.path = record->path,
                               .name = record->name,
                               .function = identity_string(record, NULL, "function"),
                               .version = identity_string(record, NULL, "version"),
                               .source_id = identity_string(record, NULL, "source_id"),
                               .timer = identity_string(record, NULL, "timer"),
                               .group = identity_string(record, "group", "kind"),
                               .placement = identity_string(record, "group", "placement"),
                               .ranks = identity_ranks(record),
                               .nparameters = record->space.nparameters,
                               .ntrials = (size_t)outcome->ntrials,
                               .trials = outcome->trials,
                               .winner = outcome->winner,
                               .policy = outcome->policy,
                               .warmups = outcome->warmups,
                               .samples = outcome->samples,
                               .finished = outcome->finished,
                               .search_seconds = outcome->search_seconds,
                               .search_calls = outcome->search_calls,
                               .search_operations = outcome->search_operations,
                               .rounds = race->rounds,
                               .equal = race->equal,
                               .budget_ended_it = race->stopped,
                               .runner_up = race->runner_up,
                               .distance = race->distance,
                               .confidence = race->confidence,
                               .within = race->within,
                               .noise = race->noise};
}

/* ---- reading ---- */

void tutti_record_destroy(tutti_record *record)
{
    if (!record)
        return;
    list_release(&record->key);
    list_release(&record->hardware);
    list_release(&record->environment);
    outcome_release(&record->outcome);
    space_release(&record->space);
    json_decref(record->root);
    text_release(&record->json);
    free(record->path);
    free(record);
}

/* Judges the bytes that the record has. */
static int judge(struct tutti_record *record, struct text *why)
{
    enum record_verdict verdict =
        record_parse(record->json.bytes, record->json.length, &record->root, why);
    if (verdict == RECORD_APPLIES)
        verdict = record_judge(record->root, &record->space, &record->outcome, why);
    if (verdict == RECORD_CORRUPT)
        return TUTTI_ERR_RECORD;
    if (verdict != RECORD_APPLIES ||
        !identity_name(json_object_get(record->root, "identity"), record->name) ||
        !list_all(record))
        return TUTTI_ERR_MEMORY;
    record->info = info_of(record);
    return TUTTI_SUCCESS;
}

/* Takes the bytes. */
static int make_record(const char *path, struct text *bytes, tutti_record **result,
                       struct text *why)
{
    struct tutti_record *record = calloc(1, sizeof *record);
    char *copy = strdup(path);
    if (!record || !copy) {
        free(record);
        free(copy);
        text_release(bytes);
        return TUTTI_ERR_MEMORY;
    }
    record->path = copy;
    record->json = *bytes;
    *bytes = (struct text){0};
    const int status = judge(record, why);
    if (status)
        tutti_record_destroy(record);
    else
        *result = record;
    return status;
}

int tutti_record_read(const char *path, tutti_record **record, char *message, size_t message_size)
{
    struct text bytes = {0}, why = {0};
    int status = TUTTI_ERR_STORE;
    if (!path || !record)
        return record_message(TUTTI_ERR_ARGUMENT, &why, message, message_size);
    *record = NULL;
    const enum store_result result = store_read(path, &bytes, &why);
    if (result == STORE_ABSENT)
        text_add(&why, "there is no file %s", path);
    if (result == STORE_OK)
        status = make_record(path, &bytes, record, &why);
    record_message(status, &why, message, message_size);
    text_release(&why);
    return status;
}

int tutti_record_parse(const char *bytes, size_t length, tutti_record **record, char *message,
                       size_t message_size)
{
    struct text copy = {0}, why = {0};
    if (!bytes || !record)
        return record_message(TUTTI_ERR_ARGUMENT, &why, message, message_size);
    *record = NULL;
    copy.bytes = malloc(length + 1);
    if (!copy.bytes)
        return record_message(TUTTI_ERR_MEMORY, &why, message, message_size);
    memcpy(copy.bytes, bytes, length);
    copy.bytes[length] = '\0';
    copy.length = length;
    copy.capacity = length + 1;
    const int status = make_record("", &copy, record, &why);
    record_message(status, &why, message, message_size);
    text_release(&why);
    return status;
}

/* ---- telling ---- */

const char *tutti_record_json(const tutti_record *record, size_t *length)
{
    if (length)
        *length = record->json.length;
    return record->json.bytes;
}

const tutti_record_info *tutti_record_get(const tutti_record *record)
{
    return &record->info;
}

size_t tutti_record_list(const tutti_record *record, int part, const tutti_named_text **list)
{
    const struct named_list none = {0};
    const struct named_list *found = part == TUTTI_RECORD_KEY           ? &record->key
                                     : part == TUTTI_RECORD_HARDWARE    ? &record->hardware
                                     : part == TUTTI_RECORD_ENVIRONMENT ? &record->environment
                                                                        : &none;
    *list = found->entries;
    return found->count;
}

const char *tutti_record_parameter(const tutti_record *record, size_t parameter)
{
    return parameter < record->space.nparameters ? record->space.parameters[parameter].name : NULL;
}

/* Of a subset, a record tells only the configurations that were run. */
static bool tells(const tutti_record *record, uint64_t configuration)
{
    return configuration < record->space.size &&
           (!*record->space.subset ||
            record->outcome.trials[configuration].status != TUTTI_STATUS_PRUNED);
}

size_t tutti_record_value_text(const tutti_record *record, uint64_t configuration, size_t parameter,
                               char *text, size_t size)
{
    struct text value = {0};
    if (tells(record, configuration) && parameter < record->space.nparameters &&
        space_counts(&record->space, configuration, parameter))
        value_text(space_value(&record->space, configuration, parameter), &value);
    return text_hand_over(&value, text, size);
}

size_t tutti_record_configuration_text(const tutti_record *record, uint64_t configuration,
                                       char *text, size_t size)
{
    struct text whole = {0};
    if (tells(record, configuration))
        space_configuration_text(&record->space, configuration, &whole);
    return text_hand_over(&whole, text, size);
}

/* ---- here and now ---- */

/* Leaves out what this machine says nothing about: what a timer added; and what belongs to a
 * program and its group. */
static void keep_common(json_t *there, json_t *here)
{
    const char *name;
    json_t *value;
    void *next;
    json_object_del(here, "transport");
    json_object_del(here, ENVIRONMENT_BUILD_ID);
    json_object_foreach_safe(there, next, name, value)
    {
        if (!json_object_get(here, name))
            json_object_del(there, name);
    }
}

static json_t *part_of_here(int part)
{
    struct text lines = {0};
    if (part == TUTTI_RECORD_HARDWARE)
        hardware_describe(&lines);
    else
        environment_describe(NULL, &lines);
    json_t *here = lines.failed || !lines.bytes ? NULL : lines_json(lines.bytes);
    text_release(&lines);
    return here;
}

bool tutti_record_is_of_here(const tutti_record *record, int part, char *message,
                             size_t message_size)
{
    const bool hardware = part == TUTTI_RECORD_HARDWARE;
    const json_t *identity = json_object_get(record->root, "identity");
    json_t *there = json_deep_copy(hardware ? json_object_get(identity, "hardware")
                                            : json_object_get(record->root, "environment"));
    json_t *here = part_of_here(part);
    struct text why = {0};
    bool differs = true;
    if (there && here) {
        keep_common(there, here);
        differs = json_difference(there, here, hardware ? "hardware" : "environment", &why);
    }
    if (differs)
        record_message(TUTTI_ERR_MEMORY, &why, message, message_size);
    text_release(&why);
    json_decref(there);
    json_decref(here);
    return !differs;
}
