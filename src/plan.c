/* See plan.h. */
#include "plan.h"

#include "outcome.h"

#define STANDARD_POLICY  TUTTI_POLICY_RACE
#define STANDARD_WARMUPS 5
#define STANDARD_SAMPLES 10

/* The program's word on a number, unless the environment has one. */
static int effective(int setting, int program, int standard)
{
    if (setting != SETTINGS_UNSET)
        return setting;
    return program != SETTINGS_UNSET ? program : standard;
}

static int effective_policy(int setting, int program)
{
    const bool set = setting != SETTINGS_UNSET && setting != TUTTI_POLICY_DEFAULT;
    const int policy = set ? setting : program;
    return policy == TUTTI_POLICY_DEFAULT ? STANDARD_POLICY : policy;
}

static int effective_aggregation(int setting, int program, int policy)
{
    const bool set = setting != SETTINGS_UNSET && setting != TUTTI_AGGREGATION_DEFAULT;
    const int aggregation = set ? setting : program;
    if (aggregation != TUTTI_AGGREGATION_DEFAULT)
        return aggregation;
    return outcome_usual_aggregation(policy);
}

struct plan plan_of(const struct call *call)
{
    const struct settings *settings = &call->group->settings;
    const tutti_tuner *tuner = call->tuner;
    struct plan plan = {
        .policy = effective_policy(settings->policy, tuner->policy),
        .warmups = effective(settings->warmups, tuner->warmups, STANDARD_WARMUPS),
        .samples = effective(settings->samples, tuner->samples, STANDARD_SAMPLES),
        .budget_calls = tuner->budget_calls,
        .budget_seconds =
            settings->budget_seconds > 0 ? settings->budget_seconds : tuner->budget_seconds,
        .seed = (uint64_t)settings->seed,
    };
    plan.aggregation =
        effective_aggregation(settings->aggregation, tuner->aggregation, plan.policy);
    if (settings->budget_calls != SETTINGS_UNSET)
        plan.budget_calls = (uint64_t)settings->budget_calls;
    if (plan.policy != TUTTI_POLICY_EXHAUSTIVE)
        plan.how =
            (struct measuring){.stream = settings->stream || tuner->stream,
                               .flush = settings->flush || tuner->flush,
                               .gap = settings->gap > 0 ? settings->gap : tuner->gap_seconds};
    return plan;
}

void plan_text(const struct plan *plan, struct text *text)
{
    text_add(text, "warmups: %d\nsamples: %d\npolicy: %s\naggregation: %d\nbudget: %llu calls, ",
             plan->warmups, plan->samples, tutti_policy_name(plan->policy), plan->aggregation,
             (unsigned long long)plan->budget_calls);
    text_add_number(text, plan->budget_seconds);
    text_add(text, " s\nsampling: plain");
    measuring_text(&plan->how, text);
    text_add(text, "\n");
}
