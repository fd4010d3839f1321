/* See launcher.h. */
#include "launcher.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

_Thread_local struct member *member;

static const tutti_param standard[] = {
    TUTTI_PARAM(struct launcher_config, a, 10, 20, 30),
    TUTTI_PARAM(struct launcher_config, b, 1, 2),
};
static const tutti_param other_values[] = {
    TUTTI_PARAM(struct launcher_config, a, 10, 20, 31),
    TUTTI_PARAM(struct launcher_config, b, 1, 2),
};
static const tutti_param other_order[] = {
    TUTTI_PARAM(struct launcher_config, b, 1, 2),
    TUTTI_PARAM(struct launcher_config, a, 10, 20, 30),
};

struct launcher_config launcher_config(int index)
{
    return (struct launcher_config){.a = 10 * (index / 2 + 1), .b = index % 2 + 1};
}

static int index_of(const struct launcher_config *config)
{
    int index = 2 * (config->a / 10 - 1) + config->b - 1;
    if (index >= 0 && index < SPACE)
        return index;
    member->mistakes++;
    return 0;
}

void launcher_begin_step(struct member *own)
{
    memset(own->removed, 0, sizeof own->removed);
    memset(own->failed_search, 0, sizeof own->failed_search);
    memset(own->failed_timer, 0, sizeof own->failed_timer);
    memset(own->failed_final, 0, sizeof own->failed_final);
    memset(own->injector.seen, 0, sizeof own->injector.seen);
    memset(own->injector.struck, 0, sizeof own->injector.struck);
    own->total_before = own->total;
    own->runs = 0;
    own->run_hash = 0;
    own->last_purpose = 0;
    own->last_status = 0;
    own->will_fail = false;
    own->lost = false;
}

static void make_mistake(tutti_key *key, int effect)
{
    switch (effect) {
    case 0:
        tutti_key_double(key, "nonsense", NAN);
        break;
    case 1:
        tutti_key_integer(key, "", 1);
        break;
    case 2:
        tutti_key_integer(key, "rows", 2); /* again */
        break;
    default:
        tutti_key_string(key, "text", "\xff");
    }
}

static int make_key(tutti_key *key, const void *args, void *user)
{
    static const int64_t shape[] = {4, 8, 15, 16, 23, 42, 4, 8, 15, 16, 23, 42};
    const struct arguments *arguments = args;
    const struct fault *mistake = strike(POINT_KEY_MISTAKE);
    int64_t rows = arguments->rows;
    (void)user;
    if (member->plan->ranks > 1 && strike(POINT_KEY_DIFFERS))
        rows += 1000 * (1 + member->rank);
    tutti_key_integer(key, "rows", rows);
    if (mistake)
        make_mistake(key, mistake->effect);
    for (int i = 0; member->plan->long_key && i < 8; i++)
        tutti_key_shape(key, (const char *[]){"s", "t", "u", "v", "w", "x", "y", "z"}[i], 12,
                        shape);
    return strike(POINT_KEY_FAILS) ? 17 : 0;
}

static bool prune(const void *config, const void *args, void *user)
{
    (void)args, (void)user;
    int index = index_of(config);
    bool removes = member->plan->pruned[member->rank][index];
    if (strike(POINT_PRUNE_DIFFERS))
        removes = !removes;
    member->removed[index] = removes;
    return !removes;
}

static bool run_fails(int purpose)
{
    static const enum point by_purpose[] = {[TUTTI_PURPOSE_WARMUP] = POINT_WARMUP_FAILS,
                                            [TUTTI_PURPOSE_SAMPLE] = POINT_SAMPLE_FAILS,
                                            [TUTTI_PURPOSE_FINAL] = POINT_FINAL_FAILS};
    return strike(by_purpose[purpose]);
}

/* A run that changes its input is found out, where that is declared: in a search. */
static void touch_buffers(int index, int purpose)
{
    member->output = index;
    member->total++;
    if (!member->plan->callbacks || purpose == TUTTI_PURPOSE_FINAL || !strike(POINT_INPUT))
        return;
    member->input++;
    member->failed_search[index] = true;
}

static int run(void *args, const void *config, const tutti_context *context)
{
    (void)args;
    int index = index_of(config), purpose = context->purpose;
    bool fails = run_fails(purpose);
    member->mistakes += context->configuration != (uint64_t)index;
    member->current = index;
    member->runs++;
    member->run_hash = (member->run_hash * 31 + (uint64_t)index) * 31 + (uint64_t)purpose;
    member->now += member->plan->seconds[member->rank][index];
    touch_buffers(index, purpose);
    if (purpose == TUTTI_PURPOSE_FINAL)
        member->failed_final[index] |= fails;
    else
        member->failed_search[index] |= fails;
    member->failed_timer[index] |= member->will_fail;
    member->last_purpose = purpose;
    member->last_status = fails ? 40 + member->rank : 0;
    return member->last_status;
}

static int set_up(void *args, const tutti_context *context)
{
    (void)args, (void)context;
    return strike(POINT_SETUP) ? 7 : 0;
}

static void tear_down(void *args, const tutti_context *context)
{
    (void)args, (void)context;
}

static int prepare(void *args, const void *config, const tutti_context *context)
{
    int index = index_of(config);
    (void)args;
    if (strike(POINT_PREPARE)) {
        if (context->purpose == TUTTI_PURPOSE_FINAL)
            member->failed_final[index] = true;
        else
            member->failed_search[index] = true;
        return 8;
    }
    member->mistakes += *context->slot != NULL;
    *context->slot = member;
    member->prepared++;
    return 0;
}

static void release(void *args, const void *config, const tutti_context *context)
{
    (void)args, (void)config;
    struct member *owner = *context->slot;
    *context->slot = NULL;
    owner->prepared--; /* not this thread's member: the tuner's end releases for all ranks */
}

static int declare(tutti_buffers *buffers, void *args, void *user)
{
    (void)args, (void)user;
    const struct fault *mistake = strike(POINT_BUFFERS);
    tutti_buffer_in(buffers, "input", &member->input, sizeof member->input);
    tutti_buffer_out(buffers, "output", &member->output, sizeof member->output);
    tutti_buffer_inout(buffers, "total", &member->total, sizeof member->total);
    if (mistake && mistake->effect == 1)
        tutti_buffer_out(buffers, "total again", &member->total, 1);
    return mistake && mistake->effect == 0 ? 12 : 0;
}

static int reset(void *args, const void *config, const tutti_context *context)
{
    int index = index_of(config);
    bool fails = strike(POINT_RESET);
    (void)args;
    if (context->purpose == TUTTI_PURPOSE_FINAL)
        member->failed_final[index] |= fails;
    else
        member->failed_search[index] |= fails;
    return fails ? 9 : 0;
}

static int verify(void *args, const void *config, const tutti_context *context)
{
    (void)args, (void)context;
    if (strike(POINT_REFERENCE))
        return TUTTI_VERDICT_REFERENCE_FAILED;
    bool wrong = strike(POINT_VERIFY_WRONG);
    member->failed_search[index_of(config)] |= wrong;
    return wrong ? TUTTI_VERDICT_WRONG : TUTTI_VERDICT_OK;
}

static int begin_timer(void *self, void *stream)
{
    (void)self, (void)stream;
    if (member->lost)
        return TUTTI_TIMER_LOST;
    return strike(POINT_TIMER_BUSY) ? TUTTI_TIMER_BUSY : TUTTI_TIMER_OK;
}

static int start_timer(void *self)
{
    (void)self;
    member->begin = member->now;
    if (member->lost)
        return TUTTI_TIMER_LOST;
    member->will_fail = strike(POINT_TIMER_START);
    return member->will_fail ? 5 : 0;
}

static int stop_timer(void *self, double *seconds)
{
    const double nonsense[] = {0, -1, NAN, INFINITY};
    const struct fault *value = strike(POINT_TIMER_VALUE);
    bool fails = strike(POINT_TIMER_STOP);
    (void)self;
    if (!member->lost && strike(POINT_DEVICE_LOST)) {
        member->lost = true;
        member->cost_device[member->current] = true;
    }
    if (member->lost)
        return TUTTI_TIMER_LOST;
    *seconds = value ? nonsense[value->effect] : member->now - member->begin;
    /* The exhaustive policy does not look at what a warm-up took. */
    bool counts = value && (member->last_purpose == TUTTI_PURPOSE_SAMPLE ||
                            member->plan->policy != TUTTI_POLICY_EXHAUSTIVE);
    member->failed_timer[member->current] |= fails || counts;
    member->will_fail = false;
    return fails ? 6 : 0;
}

static const tutti_timer_ops timer = {.size = sizeof timer,
                                      .name = "simulated",
                                      .start = start_timer,
                                      .stop = stop_timer,
                                      .begin = begin_timer};

size_t launcher_size(const void *config, const void *args, void *user)
{
    (void)args, (void)user;
    return (size_t)(100 * (index_of(config) + 1) + member->rank);
}

tutti_tuner_desc launcher_desc(const struct plan *plan, enum difference difference)
{
    tutti_tuner_desc desc = {
        .size = sizeof(tutti_tuner_desc),
        .name = difference == DIFFERENCE_NAME ? "other" : "launcher",
        .version = difference == DIFFERENCE_VERSION ? "v2" : "v1",
        .source_id = difference == DIFFERENCE_SOURCE ? "edited" : "source",
        .params = standard,
        .nparams = 2,
        .config_size = sizeof(struct launcher_config),
        .key = make_key,
        .prune = prune,
        .run = run,
        .policy = plan->policy,
        .warmups = plan->warmups,
        .samples = plan->samples + (difference == DIFFERENCE_SAMPLES ? 1 : 0),
        .when_pruned = plan->when_pruned,
        .timer = &timer,
    };
    if (plan->callbacks) {
        desc.setup = set_up;
        desc.teardown = tear_down;
        desc.prepare = prepare;
        desc.release = release;
        desc.reset = reset;
        desc.buffers = declare;
        desc.verify = verify;
    }
    if (difference == DIFFERENCE_BUFFERS)
        desc.buffers = plan->callbacks ? NULL : declare;
    if (difference == DIFFERENCE_VALUES)
        desc.params = other_values;
    if (difference == DIFFERENCE_ORDER)
        desc.params = other_order;
    if (difference == DIFFERENCE_PRUNED)
        desc.when_pruned = TUTTI_PRUNED_USE_DEFAULT + TUTTI_PRUNED_ERROR - plan->when_pruned;
    return desc;
}
