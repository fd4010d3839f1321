/* See judge.h. */
#include "judge.h"

#include <stdarg.h>
#include <string.h>

#include "group.h"

void complain(struct play *play, const char *format, ...)
{
    va_list list;
    play->complaints++;
    fprintf(stderr, "seed %llu, %s: ", (unsigned long long)play->plan.seed,
            play->step.name ? play->step.name : "");
    va_start(list, format);
    vfprintf(stderr, format, list);
    va_end(list);
    fputc('\n', stderr);
}

static unsigned struck(const struct play *play, enum point point)
{
    unsigned count = 0;
    for (int rank = 0; rank < play->plan.ranks; rank++)
        count += play->members[rank].injector.struck[point];
    return count;
}

static bool anything_struck(const struct play *play)
{
    for (int point = 0; point < POINTS; point++)
        if (struck(play, (enum point)point))
            return true;
    return false;
}

static bool absent(const struct play *play)
{
    for (int rank = 0; rank < play->plan.ranks; rank++)
        if (play->step.absent[rank])
            return true;
    return false;
}

/* Whether any rank's flag is set for a configuration. */
static bool any(const struct play *play, size_t offset, int configuration)
{
    for (int rank = 0; rank < play->plan.ranks; rank++)
        if (((const bool *)((const char *)&play->members[rank] + offset))[configuration])
            return true;
    return false;
}

#define ANY(play, flags, configuration) any(play, offsetof(struct member, flags), configuration)

/* ---- the same on all ranks ---- */

/* A rank that ran out of memory may have lost words, but nothing else. */
static bool may_lack_words(const struct play *play, int rank)
{
    return play->members[rank].lacks_words;
}

static int rank_with_words(const struct play *play)
{
    int rank = 0;
    while (rank < play->plan.ranks - 1 && may_lack_words(play, rank))
        rank++;
    return rank;
}

static void compare_operations(struct play *play, int rank)
{
    if (trace_equal(&play->traces[0], &play->traces[rank]))
        return;
    complain(play, "ranks 0 and %d made different operations", rank);
    trace_print(&play->traces[0], stderr);
    trace_print(&play->traces[rank], stderr);
}

static void compare_status(struct play *play, int rank)
{
    const struct result *one = &play->results[0], *other = &play->results[rank];
    const struct result *with_words = &play->results[rank_with_words(play)];
    if (one->status != other->status)
        complain(play, "status %d (%s) on rank 0, %d (%s) on rank %d", one->status, one->message,
                 other->status, other->message, rank);
    else if (one->status && !may_lack_words(play, rank) &&
             strcmp(with_words->message, other->message) != 0)
        complain(play, "message \"%s\" on one rank, \"%s\" on rank %d", with_words->message,
                 other->message, rank);
    if (one->bytes != other->bytes)
        complain(play, "%zu bytes on rank 0, %zu on rank %d", one->bytes, other->bytes, rank);
}

static bool same_trials(const struct play *play, int rank)
{
    const struct result *one = &play->results[rank_with_words(play)];
    const struct result *other = &play->results[rank];
    for (size_t i = 0; i < one->ntrials && i < SPACE; i++) {
        const struct trial_copy *a = &one->trials[i], *b = &other->trials[i];
        bool same_words = may_lack_words(play, rank) || strcmp(a->reason, b->reason) == 0;
        if (a->status != b->status || a->slowest_rank != b->slowest_rank ||
            memcmp(&a->seconds, &b->seconds, sizeof a->seconds) != 0 || !same_words)
            return false;
    }
    return true;
}

static void compare_reports(struct play *play, int rank)
{
    const struct result *one = &play->results[0], *other = &play->results[rank];
    if (one->reported != other->reported || one->source != other->source ||
        one->configuration != other->configuration || one->best != other->best ||
        one->search_calls != other->search_calls || one->ntrials != other->ntrials ||
        one->search_operations != other->search_operations ||
        one->cold_operations != other->cold_operations || one->recorded != other->recorded)
        complain(play, "the reports of ranks 0 and %d differ: configurations %d and %d", rank,
                 one->configuration, other->configuration);
    else if (!same_trials(play, rank))
        complain(play, "the trials of ranks 0 and %d differ", rank);
}

static void compare_ranks(struct play *play)
{
    for (int rank = 1; rank < play->plan.ranks; rank++) {
        const struct member *one = &play->members[0], *other = &play->members[rank];
        compare_operations(play, rank);
        compare_status(play, rank);
        compare_reports(play, rank);
        if (one->runs != other->runs || one->run_hash != other->run_hash)
            complain(play, "ranks 0 and %d ran different configurations, or %u and %u of them",
                     rank, one->runs, other->runs);
        if (memcmp(&play->groups[0]->settings, &play->groups[rank]->settings,
                   sizeof play->groups[0]->settings) != 0)
            complain(play, "ranks 0 and %d have different settings", rank);
    }
}

/* ---- errors that nothing explains ---- */

static bool all_are_removed(const struct play *play)
{
    bool removed = true;
    for (int i = 0; i < SPACE; i++)
        removed &= ANY(play, removed, i);
    return removed;
}

/* The exhaustive policy is exact. The others estimate, try a part, and may time what has no
 * configuration. */
static bool is_exact(const struct plan *plan)
{
    return plan->policy == TUTTI_POLICY_EXHAUSTIVE;
}

static bool may_fail(const struct play *play, int configuration)
{
    return ANY(play, cost_device, configuration) || ANY(play, failed_search, configuration) ||
           ANY(play, failed_timer, configuration) || ANY(play, failed_final, configuration);
}

static bool must_fail(const struct play *play, int configuration)
{
    return ANY(play, failed_search, configuration) ||
           (is_exact(&play->plan) && ANY(play, failed_timer, configuration));
}

/* The greatest time over the ranks, and the first rank that has it. */
static double slowest(const struct plan *plan, int configuration, int *rank)
{
    *rank = 0;
    for (int other = 1; other < plan->ranks; other++)
        if (plan->seconds[other][configuration] > plan->seconds[*rank][configuration])
            *rank = other;
    return plan->seconds[*rank][configuration];
}

/* Whether another one that is ok was that much faster that two runs were enough. */
static bool is_hopeless(const struct play *play, int i)
{
    int rank;
    for (int other = 0; other < SPACE; other++)
        if (!ANY(play, removed, other) && !must_fail(play, other) &&
            slowest(&play->plan, i, &rank) > 9.99 * slowest(&play->plan, other, &rank))
            return true;
    return false;
}

/* Failed, or given up as slow: neither is there to fall back on when the chosen one fails at last.
 */
static bool all_have_failed(const struct play *play)
{
    int failed = 0, removed = 0;
    for (int i = 0; i < SPACE; i++) {
        removed += ANY(play, removed, i);
        failed += !ANY(play, removed, i) && (may_fail(play, i) || is_hopeless(play, i));
    }
    return is_exact(&play->plan) ? failed + removed == SPACE : failed > 0;
}

static bool operations_differ(const struct play *play)
{
    for (int rank = 1; rank < play->plan.ranks; rank++)
        if (play->step.operations[rank] != play->step.operations[0])
            return true;
    return false;
}

static bool key_is_wrong(const struct play *play)
{
    return struck(play, POINT_KEY_FAILS) || struck(play, POINT_KEY_MISTAKE);
}

static bool ranks_differ(const struct play *play)
{
    return operations_differ(play) || (play->step.faulty && play->differing) ||
           struck(play, POINT_KEY_DIFFERS);
}

static bool setting_is_wrong(const struct play *play)
{
    const char *samples = play->plan.environments[0].samples;
    return play->step.faulty && samples && strcmp(samples, "none") == 0;
}

/* Settings hold from the step on in which the group was attached. */
static const struct settings *settings_of(const struct play *play)
{
    return &play->groups[0]->settings;
}

/* Whether TUTTI_FORCE counts for what the ranks do. */
static bool environment_counts(const struct play *play)
{
    const enum operation operation = play->step.operations[0];
    return *settings_of(play)->force && operation != OPERATION_CALL_OFF &&
           operation != OPERATION_CALL_FORCED;
}

static bool force_is_wrong(const struct play *play)
{
    return strcmp(settings_of(play)->force, FORCE_MISTAKE) == 0;
}

/* Whether the launcher has done what it was called for, on all ranks. */
static bool has_run(const struct play *play)
{
    for (int rank = 0; rank < play->plan.ranks; rank++)
        if (play->members[rank].last_purpose != TUTTI_PURPOSE_FINAL ||
            play->members[rank].last_status)
            return false;
    return true;
}

static bool is_explained(const struct play *play, int status)
{
    bool final_failed = struck(play, POINT_FINAL_FAILS);
    switch (status) {
    case TUTTI_SUCCESS:
        return !key_is_wrong(play) && !ranks_differ(play) && !setting_is_wrong(play) &&
               !(environment_counts(play) && force_is_wrong(play));
    case TUTTI_ERR_KEY:
        return key_is_wrong(play) || struck(play, POINT_ALLOCATION);
    case TUTTI_ERR_MEMORY: /* but not for want of a record: the store never fails a call */
        return struck(play, POINT_ALLOCATION) && !has_run(play);
    case TUTTI_ERR_DISAGREE:
        return ranks_differ(play);
    case TUTTI_ERR_SETTING:
        return setting_is_wrong(play) || force_is_wrong(play);
    case TUTTI_ERR_PRUNED:
        return all_are_removed(play) && play->plan.when_pruned == TUTTI_PRUNED_ERROR;
    case TUTTI_ERR_FAILED:
        return all_have_failed(play) && !all_are_removed(play);
    case TUTTI_ERR_REFERENCE:
        return struck(play, POINT_REFERENCE);
    case TUTTI_ERR_DEVICE:
        return struck(play, POINT_DEVICE_LOST);
    case TUTTI_ERR_ARGUMENT:
        return struck(play, POINT_BUFFERS);
    case TUTTI_ERR_RUN:
        return final_failed || struck(play, POINT_BUFFERS) || struck(play, POINT_SETUP) ||
               struck(play, POINT_PREPARE) || struck(play, POINT_RESET);
    default:
        return false;
    }
}

/* ---- the choice ---- */

/* An interrupted search leaves what it found to the next one, its failures too. */
static bool was_interrupted(const struct play *play)
{
    return plan_has(&play->plan, POINT_TRANSPORT) || plan_has(&play->plan, POINT_ABSENT) ||
           plan_has(&play->plan, POINT_REFERENCE) || plan_has(&play->plan, POINT_DEVICE_LOST) ||
           plan_has(&play->plan, POINT_ALLOCATION);
}

static bool trial_is_right(const struct play *play, const struct trial_copy *trial, int i)
{
    int rank;
    const bool exact = is_exact(&play->plan);
    double seconds = slowest(&play->plan, i, &rank);
    if (ANY(play, removed, i))
        return trial->status == TUTTI_STATUS_PRUNED;
    if (trial->status == TUTTI_STATUS_OK)
        return !must_fail(play, i) &&
               (!exact || (trial->seconds == seconds && trial->slowest_rank == rank));
    if (trial->status == TUTTI_STATUS_NOT_RUN)
        return !exact;
    if (trial->status == TUTTI_STATUS_CRASHED)
        return ANY(play, cost_device, i) && (strstr(trial->reason, "the device is lost") ||
                                             (!trial->reason[0] && may_lack_words(play, 0)));
    if (trial->status == TUTTI_STATUS_SLOW)
        return is_hopeless(play, i);
    bool out = trial->status == TUTTI_STATUS_FAILED || trial->status == TUTTI_STATUS_WRONG;
    return out && (may_fail(play, i) || was_interrupted(play)) &&
           (trial->reason[0] || may_lack_words(play, 0));
}

#define ZONE 1.05 /* where nothing fails, an estimating policy is not further from the best */

/* Whether the chosen configuration deserved it, among those that are ok. */
static bool choice_is_good(const struct play *play)
{
    const struct result *result = &play->results[0];
    int rank, best = -1;
    for (int i = 0; i < SPACE; i++)
        if (result->trials[i].status == TUTTI_STATUS_OK &&
            (best < 0 || slowest(&play->plan, i, &rank) < slowest(&play->plan, best, &rank)))
            best = i;
    if (best < 0 || result->trials[result->configuration].status != TUTTI_STATUS_OK)
        return false;
    if (is_exact(&play->plan))
        return best == result->configuration;
    return anything_struck(play) || slowest(&play->plan, result->configuration, &rank) <=
                                        ZONE * slowest(&play->plan, best, &rank);
}

static void judge_search(struct play *play)
{
    const struct result *result = &play->results[0];
    if (result->ntrials != SPACE) {
        complain(play, "a search with %zu trials", result->ntrials);
        return;
    }
    for (int i = 0; i < SPACE; i++) {
        const struct trial_copy *trial = &result->trials[i];
        if (!trial_is_right(play, trial, i))
            complain(play, "configuration %d: status %d, %g s, rank %d, \"%s\"", i, trial->status,
                     trial->seconds, trial->slowest_rank, trial->reason);
    }
    if (!choice_is_good(play))
        complain(play, "configuration %d was chosen, and another one is better",
                 result->configuration);
}

/* Where the choice may come from, when the key was not in memory. */
static bool source_is_right(const struct play *play)
{
    const struct result *result = &play->results[0];
    const unsigned stored = play->model.stored[play->step.key];
    int mode = settings_of(play)->mode;
    bool off = mode == MODE_OFF || play->step.operations[0] == OPERATION_CALL_OFF;
    bool tunes = !off && (mode == MODE_TUNE || mode == MODE_READ_ONLY);
    bool no_record = stored & NOTHING || anything_struck(play);
    if (play->step.operations[0] == OPERATION_CALL_FORCED)
        return result->source == TUTTI_SOURCE_FORCED_CODE &&
               result->configuration == play->plan.forced;
    if (environment_counts(play))
        return result->source == TUTTI_SOURCE_FORCED_ENVIRONMENT &&
               result->configuration == FORCED_ONE;
    bool ignores_record = tunes && settings_of(play)->always_tune;
    switch (result->source) {
    case TUTTI_SOURCE_SEARCH:
        return tunes && (no_record || ignores_record);
    case TUTTI_SOURCE_RECORD:
        return !off && !ignores_record && stored & 1U << result->configuration;
    case TUTTI_SOURCE_DEFAULT_OFF:
        return off && result->configuration == 0;
    case TUTTI_SOURCE_DEFAULT_PRUNED:
        return tunes && all_are_removed(play) && result->configuration == 0 &&
               play->plan.when_pruned == TUTTI_PRUNED_USE_DEFAULT;
    case TUTTI_SOURCE_DEFAULT_MISS:
        return mode == MODE_CACHE_ONLY && no_record && result->configuration == 0;
    case TUTTI_SOURCE_DEFAULT_BUSY:
        return tunes && no_record && struck(play, POINT_TIMER_BUSY) && result->configuration == 0;
    default:
        return false;
    }
}

/* What was tuned ahead of time was not run for the caller. */
static void judge_quiet(struct play *play)
{
    for (int rank = 0; rank < play->plan.ranks; rank++)
        if (play->members[rank].last_purpose == TUTTI_PURPOSE_FINAL)
            complain(play, "rank %d tuned ahead of time and ran for the caller", rank);
}

/* A success leaves declared buffers as one run made them, or none. */
static void judge_buffers(struct play *play)
{
    const enum operation operation = play->step.operations[0];
    const int runs = operation == OPERATION_TUNE || operation == OPERATION_MAX_SIZE ||
                             operation == OPERATION_FORGET
                         ? 0
                         : 1;
    for (int rank = 0; rank < play->plan.ranks && play->plan.callbacks; rank++) {
        const struct member *own = &play->members[rank];
        if (own->total != own->total_before + runs)
            complain(play, "the buffers of rank %d are as after %d runs, not %d", rank,
                     own->total - own->total_before, runs);
    }
}

static void judge_choice(struct play *play)
{
    const struct result *result = &play->results[0];
    const struct member *root = &play->members[0];
    int remembered = play->model.remembered[play->step.key];
    if (!result->reported || result->best != result->configuration)
        complain(play, "a call succeeded, and its choice is not to be had");
    if (play->step.operations[0] == OPERATION_TUNE)
        judge_quiet(play);
    else if (root->current != result->configuration || root->last_purpose != TUTTI_PURPOSE_FINAL ||
             result->launcher_status != root->last_status)
        complain(play, "configuration %d was chosen, %d ran last", result->configuration,
                 root->current);
    if (remembered >= 0) {
        if (atomic_load(&play->traces[0].count) != 0 || remembered != result->configuration)
            complain(play, "configuration %d was known, and %d ran", remembered,
                     result->configuration);
        return;
    }
    if (!source_is_right(play))
        complain(play, "configuration %d comes from source %d, with mode %d and a store of %x",
                 result->configuration, result->source, settings_of(play)->mode,
                 play->model.stored[play->step.key]);
    if (result->source == TUTTI_SOURCE_SEARCH)
        judge_search(play);
}

static void judge_bytes(struct play *play)
{
    const int rank = play->plan.ranks - 1;
    int greatest = 0;
    for (int i = 0; i < SPACE; i++)
        if (!ANY(play, removed, i))
            greatest = i;
    if (environment_counts(play) && greatest < FORCED_ONE)
        greatest = FORCED_ONE;
    const size_t least = (size_t)(100 * (greatest + 1) + rank);
    const size_t most = (size_t)(100 * SPACE + rank);
    const size_t bytes = play->results[0].bytes;
    bool known = play->model.stored[KEY_CASE] == NOTHING;
    if (bytes < least || bytes > most || (known && bytes != least))
        complain(play, "tutti_max_size gave %zu instead of %zu", bytes, least);
}

/* ---- the model ---- */

/* What may have been chosen by a call that did not end well: what ran last, unless it ran nothing
 * for the caller. */
static unsigned may_be_chosen(const struct play *play)
{
    const bool tuned = play->step.operations[0] == OPERATION_TUNE;
    return tuned ? NOTHING - 1 : 1U << play->members[0].current;
}

/* The keys that were forgotten, and their records if they were to go, too. */
static void unlearn(struct play *play)
{
    struct model *model = &play->model;
    const bool all = play->plan.forget & TUTTI_FORGET_ALL;
    const bool records = play->plan.forget & TUTTI_FORGET_RECORD;
    for (int key = 0; key < KEYS; key++) {
        const bool known = model->remembered[key] >= 0;
        if (all ? !known : key != play->step.key)
            continue;
        model->remembered[key] = -1;
        if (!records || settings_of(play)->mode != MODE_TUNE)
            continue;
        /* Whether memory sufficed to find the file is not known. */
        model->stored[key] = anything_struck(play) ? model->stored[key] | NOTHING : NOTHING;
    }
}

static bool decides(enum operation operation)
{
    return operation == OPERATION_CALL || operation == OPERATION_TUNE;
}

static void learn(struct play *play)
{
    const struct result *result = &play->results[0];
    struct model *model = &play->model;
    int key = play->step.key;
    unsigned chosen = result->status ? may_be_chosen(play) : 1U << result->configuration;
    play->model.attached |= play->groups[0]->attached;
    if (play->step.operations[0] == OPERATION_FORGET && !result->status)
        unlearn(play);
    if (!decides(play->step.operations[0]) || model->remembered[key] >= 0)
        return;
    /* A save whose end was lost may have happened all the same. */
    if (anything_struck(play))
        model->stored[key] |= chosen;
    /* Where nothing could be timed nothing is decided. */
    if (result->status || result->source == TUTTI_SOURCE_DEFAULT_BUSY)
        return;
    model->remembered[key] = result->configuration;
    if (result->source == TUTTI_SOURCE_SEARCH && result->recorded)
        model->stored[key] = chosen;
    if (result->source == TUTTI_SOURCE_RECORD && !anything_struck(play))
        model->stored[key] = chosen;
    if (result->source == TUTTI_SOURCE_SEARCH && !anything_struck(play) && model->writable &&
        settings_of(play)->mode == MODE_TUNE && !result->recorded)
        complain(play, "the result was not stored");
}

/* A broken group: an error at once on all ranks, and no more can be said of it. */
static void judge_broken(struct play *play)
{
    play->model.broken = true;
    for (int rank = 0; rank < play->plan.ranks; rank++) {
        int status = play->results[rank].status;
        if (!play->step.absent[rank] && status != TUTTI_ERR_GROUP && status != TUTTI_ERR_STALL &&
            status != TUTTI_ERR_BROKEN)
            complain(play, "rank %d got status %d (%s) from a broken group", rank, status,
                     play->results[rank].message);
    }
    play->model.stored[play->step.key] |= may_be_chosen(play);
    if (play->step.operations[0] == OPERATION_FORGET && play->plan.forget & TUTTI_FORGET_RECORD)
        play->model.stored[play->step.key] |= NOTHING;
}

static void judge_whole(struct play *play)
{
    const struct result *result = &play->results[0];
    for (int rank = 0; rank < play->plan.ranks; rank++) {
        if (play->step.mark && play->results[rank].mark)
            complain(play, "rank %d did not come to the end with the others", rank);
        if (play->members[rank].mistakes)
            complain(play, "a callback of rank %d was given something else", rank);
    }
    compare_ranks(play);
    if (!is_explained(play, result->status))
        complain(play, "nothing explains status %d (%s)", result->status, result->message);
    if (result->status == TUTTI_SUCCESS)
        judge_buffers(play);
    if (result->status == TUTTI_SUCCESS && play->step.operations[0] == OPERATION_MAX_SIZE)
        judge_bytes(play);
    else if (result->status == TUTTI_SUCCESS && play->step.operations[0] != OPERATION_FORGET)
        judge_choice(play);
    learn(play);
}

void judge_step(struct play *play)
{
    for (int point = 0; point < POINTS; point++)
        play->struck[point] += struck(play, (enum point)point);
    play->struck[POINT_ABSENT] += absent(play);
    for (int rank = 0; rank < play->plan.ranks && play->verbose; rank++)
        fprintf(stderr, "%s: rank %d: status %d \"%s\", source %d, configuration %d, %u ops\n",
                play->step.name, rank, play->results[rank].status, play->results[rank].message,
                play->results[rank].source, play->results[rank].configuration,
                atomic_load(&play->traces[rank].count));
    if (play->model.broken || absent(play) || struck(play, POINT_TRANSPORT))
        judge_broken(play);
    else
        judge_whole(play);
}
