/*
 * The search of a cold call: prune, set up, measure by the policy, choose. Every step that can fail
 * on one rank reports through a group operation.
 */
#include <stdlib.h>
#include <string.h>

#include "agree.h"
#include "choose.h"
#include "cold.h"
#include "log.h"
#include "measure.h"
#include "measure_race.h"
#include "noise.h"
#include "plan.h"
#include "run.h"

static void warn_uneven_pruning(const struct call *call, const uint64_t *removed)
{
    struct text counts = {0};
    for (int rank = 0; rank < call->group->ranks && rank < 64; rank++)
        text_add(&counts, "%s%llu", rank ? ", " : "", (unsigned long long)removed[rank]);
    log_root(call->group, call->tuner->name, TUTTI_LOG_WARN,
             "the ranks prune differently: a configuration is tried if "
             "all ranks keep it (removed on rank 0, 1, ...: %s)",
             counts.bytes ? counts.bytes : "");
    text_release(&counts);
}

/*
 * Step 5: trials that all ranks keep become untried; the rest stay pruned. Two words for each
 * configuration, "some rank removes it" and "some rank keeps it", and one per rank with its count.
 */
int cold_prune(struct cold *cold, uint64_t *survivors)
{
    const struct call *call = cold->call;
    const tutti_tuner *tuner = call->tuner;
    uint64_t size = tuner->space.size, *words = cold->work.words, *removed = words + 2 * size;
    memset(words, 0, (size_t)(2 * size + (uint64_t)call->group->ranks) * sizeof *words);
    for (uint64_t i = 0; i < size; i++) {
        space_fill(&tuner->space, i, cold->work.config);
        bool keep = !tuner->prune || tuner->prune(cold->work.config, call->args, tuner->user);
        words[2 * i + keep] = 1;
        removed[call->group->rank] += !keep;
    }
    int status = group_reduce_max(call->group, words, 2 * size + (uint64_t)call->group->ranks,
                                  "the pruning", &cold->why);
    if (status)
        return status;
    bool uneven = false;
    *survivors = 0;
    for (uint64_t i = 0; i < size; i++) {
        uneven |= words[2 * i] && words[2 * i + 1];
        *survivors += !words[2 * i];
    }
    if (uneven)
        warn_uneven_pruning(call, removed);
    return TUTTI_SUCCESS;
}

static int nothing_survives(struct cold *cold)
{
    const struct call *call = cold->call;
    const uint64_t *removed = cold->work.words + 2 * call->tuner->space.size;
    struct text sentence = {0};
    text_add(&sentence, "no configuration of %llu survives pruning (removed on rank",
             (unsigned long long)call->tuner->space.size);
    for (int rank = 0; rank < call->group->ranks && rank < 64; rank++)
        text_add(&sentence, "%s %d: %llu", rank ? "," : "", rank,
                 (unsigned long long)removed[rank]);
    text_add(&sentence, ")");
    const char *bytes = sentence.bytes ? sentence.bytes : "";
    int status = TUTTI_SUCCESS;
    if (call->tuner->when_pruned == TUTTI_PRUNED_ERROR) {
        text_add(&cold->why, "%s: %s", call->tuner->name, bytes);
        status = TUTTI_ERR_PRUNED;
    } else {
        log_root(call->group, call->tuner->name, TUTTI_LOG_WARN, "%s: configuration 0 runs", bytes);
        cold->source = TUTTI_SOURCE_DEFAULT_PRUNED;
        cold->configuration = 0;
    }
    text_release(&sentence);
    return status;
}

/* Adds each failure with its reason, up to a readable number. */
static int all_failed(struct cold *cold, uint64_t tried)
{
    const struct call *call = cold->call;
    struct text *why = &cold->why;
    text_add(why, "%s: all %llu configurations failed", call->tuner->name,
             (unsigned long long)tried);
    int listed = 0;
    for (uint64_t i = 0; i < cold->outcome.ntrials && listed < 64; i++) {
        if (!*cold->outcome.trials[i].reason) /* pruned, or not come to */
            continue;
        text_add(why, "%s", listed++ ? "; " : ": ");
        space_configuration_text(&call->tuner->space, i, why);
        text_add(why, ": %s", cold->outcome.trials[i].reason);
    }
    if (tried > 64)
        text_add(why, "; and %llu more", (unsigned long long)(tried - 64));
    return TUTTI_ERR_FAILED;
}

/* The user's setup, agreed on; *ready: teardown is due on this rank. */
static int set_up(struct cold *cold, bool *ready)
{
    const struct call *call = cold->call;
    char message[120] = "";
    struct text own = {0};
    *ready = false;
    if (!call->tuner->setup)
        return TUTTI_SUCCESS;
    tutti_context context = run_context(call, 0, TUTTI_PURPOSE_WARMUP);
    context.slot = NULL;
    context.message = message;
    context.message_size = sizeof message;
    int refusal = call->tuner->setup(call->args, &context);
    *ready = refusal == 0;
    if (refusal)
        text_add(&own, "setup returned %d%s%s", refusal, *message ? ": " : "", message);
    int status = agree_success(call->group, refusal ? TUTTI_ERR_RUN : TUTTI_SUCCESS, own.bytes,
                               "the setup of a search", &cold->why);
    text_release(&own);
    return status;
}

static int measure(struct cold *cold, const struct plan *plan)
{
    struct call *call = cold->call;
    bool ready;
    int status = set_up(cold, &ready);
    call->slots = cold->work.slots;
    if (!status)
        status = guard_begin(cold, plan);
    if (!status && plan->policy == TUTTI_POLICY_EXHAUSTIVE)
        status = measure_exhaustive(call, &cold->outcome, &cold->work, &cold->why);
    else if (!status)
        status = measure_race(call, plan, &cold->outcome, &cold->work, &cold->why);
    call->slots = NULL;
    tutti_context context = run_context(call, 0, TUTTI_PURPOSE_WARMUP);
    if (ready && call->tuner->teardown)
        call->tuner->teardown(call->args, &context);
    return status;
}

int cold_declare_buffers(struct cold *cold)
{
    struct call *call = cold->call;
    struct text own = {0};
    if (!call->tuner->buffers || call->buffers)
        return TUTTI_SUCCESS;
    int own_error = buffers_open(&cold->buffers, call, &own);
    int status =
        agree_success(call->group, own_error, own.bytes, "the declared buffers", &cold->why);
    if (!status)
        call->buffers = &cold->buffers;
    text_release(&own);
    return status;
}

/* Steps 5 to 7: prune, measure, choose. */
int cold_search(struct cold *cold)
{
    const struct call *call = cold->call;
    uint64_t survivors = 0, size = call->tuner->space.size;
    struct text own = {0};
    int own_error = outcome_init(&cold->outcome, size);
    if (own_error)
        text_add(&own, "no memory for the trials of %llu configurations", (unsigned long long)size);
    else
        cold->have_outcome = true;
    int status = agree_success(call->group, own_error, own.bytes, "the search", &cold->why);
    text_release(&own);
    if (!status)
        status = cold_prune(cold, &survivors);
    if (status)
        return status;
    if (survivors == 0)
        return nothing_survives(cold);
    status = cold_declare_buffers(cold);
    if (status)
        return status;
    if (call->buffers) /* a recorded configuration may have failed with them */
        buffers_restore(call->buffers);

    for (uint64_t i = 0; i < size; i++)
        if (!cold->work.words[2 * i])
            cold->outcome.trials[i].status = STATUS_UNTRIED;
    const struct plan plan = plan_of(call);
    cold->outcome.policy = plan.policy;
    cold->outcome.aggregation = plan.aggregation;
    cold->outcome.warmups = plan.warmups;
    cold->outcome.samples = plan.samples;
    status = measure(cold, &plan);
    for (uint64_t i = 0; i < size; i++)
        if (cold->outcome.trials[i].status == STATUS_UNTRIED)
            cold->outcome.trials[i].status = TUTTI_STATUS_NOT_RUN;
    if (status)
        return status;
    if (!choose(&cold->outcome, &cold->outcome.winner))
        return all_failed(cold, survivors);
    if (plan.policy != TUTTI_POLICY_EXHAUSTIVE)
        status = noise_report(call, &cold->outcome, &cold->why);
    cold->source = TUTTI_SOURCE_SEARCH;
    cold->configuration = cold->outcome.winner;
    return status;
}
