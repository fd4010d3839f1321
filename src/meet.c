/* How every collective operation of a tuner begins and ends: the ranks meet and agree on what each
 * of them brought; at the end the sentence is kept. */
#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

#include "agree.h"
#include "clock.h"
#include "cold.h"
#include "force.h"
#include "plan.h"

#define NESTING_LIMIT 32 /* calls within calls: beyond, a launcher calls itself without end */

/* Takes all memory that the call needs. What fails here is reported in the agreement. */
static int prepare(struct cold *cold, struct text *own)
{
    const struct call *call = cold->call;
    const struct space *space = &call->tuner->space;
    size_t configurations = (size_t)space->size, ranks = (size_t)call->group->ranks;
    cold->work.words = calloc(2 * (configurations + ranks), sizeof(uint64_t));
    cold->work.own = calloc(configurations, sizeof(uint64_t));
    cold->work.config = calloc(1, space->config_size);
    cold->work.slots = calloc(configurations, sizeof(void *));
    cold->entry = entry_create(call->key, call->hash, call->way, space->config_size);
    cold->reserved = call->attachment && entries_reserve(&call->attachment->entries);
    if (!cold->work.words || !cold->work.own || !cold->work.config || !cold->work.slots ||
        !cold->entry || !cold->reserved) {
        text_add(own, "no memory for a search over %zu configurations", configurations);
        return TUTTI_ERR_MEMORY;
    }
    if (call->key_status) {
        text_add(own, "the key callback returned %d", call->key_status);
        return TUTTI_ERR_KEY;
    }
    return key_check(call->key, own) ? TUTTI_SUCCESS : TUTTI_ERR_KEY;
}

void cold_release(struct cold *cold)
{
    if (cold->reserved)
        entries_unreserve(&cold->call->attachment->entries);
    entry_destroy(cold->entry);
    if (cold->have_outcome)
        outcome_release(&cold->outcome);
    free(cold->work.words);
    free(cold->work.own);
    free(cold->work.config);
    free(cold->work.slots);
    text_release(&cold->path);
    buffers_close(&cold->buffers);
}

enum mode cold_mode(const struct call *call)
{
    return call->way == WAY_OFF ? MODE_OFF : (enum mode)call->group->settings.mode;
}

struct entry *cold_known(const struct call *call)
{
    return call->attachment
               ? entries_find(&call->attachment->entries, call->key, call->hash, call->way)
               : NULL;
}

static struct agree_item item(const char *what, const struct text *text)
{
    const char *bytes = text->bytes ? text->bytes : "";
    return (struct agree_item){what, XXH3_64bits(bytes, text->length), bytes};
}

/* Step 3 of a call: what every rank brought, compared in one reduction. */
static int agree_on_call(struct cold *cold, int own_error, const char *own_text)
{
    const struct call *call = cold->call;
    const tutti_tuner *tuner = call->tuner;
    struct text function = {0}, version = {0}, source = {0}, space = {0}, key = {0}, policy = {0},
                operation = {0};
    /* Only TUTTI_CHECK brings a known key here: it must be known to all. */
    const bool known = own_error == TUTTI_SUCCESS && cold_known(call) != NULL;
    text_add(&function, "%s", tuner->name);
    text_add(&version, "%s", tuner->version);
    text_add(&source, "%s", tuner->source_id);
    space_text(&tuner->space, &space);
    text_add(&space, "customary: %lld\n", (long long)tuner->customary);
    key_text(call->key->bytes, call->key->length, &key);
    const struct plan plan = plan_of(call);
    plan_text(&plan, &policy);
    text_add(&policy, "timer: %s\nwhen pruned: %d\n", tuner->timer.name, tuner->when_pruned);
    /* Each of these is a step that all ranks take, or none. */
    text_add(&policy, "callbacks:%s%s%s%s\n", tuner->setup ? " setup" : "",
             tuner->prepare ? " prepare" : "", tuner->verify ? " verify" : "",
             tuner->buffers ? " buffers" : "");
    text_add(&operation, "%s", cold->operation);
    force_describe(call, &operation);
    text_add(&operation, "%s", known ? " of a key that is known" : "");

    struct agree_item items[] = {
        item("function", &function),   item("version", &version), item("source identity", &source),
        item("space", &space),         item("key", &key),         item("policy", &policy),
        item("operation", &operation),
    };
    struct text *texts[] = {&function, &version, &source, &space, &key, &policy, &operation};
    if (own_error == TUTTI_SUCCESS)
        items[4].hash = call->hash; /* of the encoding: exact, whatever the text looks like */
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        if (texts[i]->failed && own_error == TUTTI_SUCCESS) {
            own_error = TUTTI_ERR_MEMORY;
            own_text = "no memory to describe the call";
        }
    }
    struct text what = {0};
    text_add(&what, "the call of %s", tuner->name);
    int status = agree(call->group, items, sizeof items / sizeof *items, own_error, own_text,
                       cold->work.words, what.bytes ? what.bytes : "a call", &cold->why);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        text_release(texts[i]);
    text_release(&what);
    return status;
}

int cold_meet(struct cold *cold)
{
    struct call *call = cold->call;
    struct text own = {0};
    cold->begin = clock_now();
    cold->operations = call->group->operations;
    int own_error = prepare(cold, &own);
    int status = group_attach(call->group, &cold->why);
    if (!status && !own_error) /* only now: TUTTI_FORCE is the root's */
        own_error = force_find(call, &cold->forced, &own);
    if (!status)
        status = agree_on_call(cold, own_error, own.bytes);
    text_release(&own);
    return status;
}

static void keep_message(const struct call *call, const struct text *why)
{
    if (!call->attachment)
        return;
    struct text *message = &call->attachment->message;
    text_release(message);
    if (why->length > 0)
        text_add(message, "%s", why->bytes);
}

int cold_end(struct cold *cold, int status)
{
    const struct call *call = cold->call;
    struct text *why = &cold->why;
    /* The step alone does not tell: attaching a group, say, happens in whichever call comes first.
     */
    if (status == TUTTI_ERR_STALL)
        text_add(why, ", in %s of %s", cold->operation, call->tuner->name);
    if (status == TUTTI_ERR_STALL && call->tuner->on_stall)
        call->tuner->on_stall(why->bytes ? why->bytes : "", call->tuner->user);
    /* A busy group's message belongs to the thread that has it. */
    if (status != TUTTI_ERR_BUSY)
        keep_message(call, why);
    text_release(why);
    return status;
}

int cold_enter(struct call *call, struct text *why)
{
    int status = group_enter(call->group);
    if (status) {
        text_add(why, "%s: another thread is inside a call on this group", call->tuner->name);
        return status;
    }
    /* Only now: a thread that is refused must not touch what belongs to the other one. */
    call->attachment = tuner_attach(call->tuner, call->group);
    if (call->group->depth <= NESTING_LIMIT)
        return TUTTI_SUCCESS;
    group_leave(call->group);
    text_add(why, "%s: more than %d calls within calls: does a launcher call itself?",
             call->tuner->name, NESTING_LIMIT);
    return TUTTI_ERR_ARGUMENT;
}
