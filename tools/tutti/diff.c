/* tutti diff: what changed between two records, or two sets of them. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "command.h"
#include "file.h"
#include "find.h"
#include "print.h"
#include "sources.h"
#include "table.h"

struct input {
    struct output_options output;
    const char **words;
    size_t nwords;
};

static error_t parse(int key, char *text, struct argp_state *state)
{
    struct input *input = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &input->output;
        return 0;
    case ARGP_KEY_ARG:
        words_add(&input->words, &input->nwords, text);
        return 0;
    case ARGP_KEY_END:
        if (input->nwords != 2)
            argp_error(state, "two records or sets of records are expected");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_child children[] = {{&output_argp, 0, NULL, 0}, {0}};

static const struct argp argp = {
    .parser = parse,
    .args_doc = "OLD NEW",
    .doc = "Compare two records, or two sets of records."
           "\vOLD and NEW are folders of records, bundles, files, or the numbers of records in the "
           "store. Two single records are compared whatever they are of. In sets, records of one "
           "identity are compared with each other; then those that are left with one of the same "
           "function, key and number of ranks.\n\n"
           "Exit status: 0 no difference; 1 a difference; 2 wrong usage; 3 an error.",
    .children = children};

/* ---- what is compared ---- */

static bool add_side(struct sources *sources, const struct input *input, const char *word)
{
    struct stat status;
    if (strcmp(word, "-") == 0 || stat(word, &status) == 0 || strchr(word, '/'))
        return sources_add(sources, word);
    const struct selection selection = {.words = &word, .nwords = 1};
    struct found found;
    bool good = find_records(input->output.store, &selection, true, &found);
    if (good && !found.count) {
        say_nothing_found(&found);
        good = false;
    }
    for (size_t i = 0; i < found.count; i++)
        sources_add_view(sources, found.views[i]);
    found.count = 0;
    found_release(&found);
    return good;
}

static bool same_identity(const struct view *a, const struct view *b)
{
    return a->is_triton == b->is_triton && *a->id && strcmp(a->id, b->id) == 0;
}

/* Same question, perhaps asked of another version or another machine. */
static bool same_problem(const struct view *a, const struct view *b)
{
    char *key_a = view_key_text(a), *key_b = view_key_text(b);
    const bool same = strcmp(a->function, b->function) == 0 && strcmp(key_a, key_b) == 0 &&
                      a->info.ranks == b->info.ranks;
    free(key_a);
    free(key_b);
    return same;
}

struct pair {
    const struct view *old, *new; /* one may be NULL */
};

struct pairs {
    struct pair *list;
    size_t count;
};

static void add_pair(struct pairs *pairs, const struct view *old, const struct view *new)
{
    pairs->list = need(realloc(pairs->list, (pairs->count + 1) * sizeof *pairs->list));
    pairs->list[pairs->count++] = (struct pair){.old = old, .new = new};
}

/* Readable views of one side; those with a partner become NULL. */
static const struct view **views_of(const struct sources *sources)
{
    const struct view **views = need(calloc(sources->count + 1, sizeof(struct view *)));
    for (size_t i = 0; i < sources->count; i++)
        views[i] = sources->records[i].view;
    return views;
}

static void match(const struct view **old, size_t nold, const struct view **new, size_t nnew,
                  bool (*same)(const struct view *, const struct view *), struct pairs *pairs)
{
    for (size_t i = 0; i < nold; i++) {
        for (size_t j = 0; j < nnew && old[i]; j++) {
            if (!new[j] || !same(old[i], new[j]))
                continue;
            add_pair(pairs, old[i], new[j]);
            old[i] = new[j] = NULL;
        }
    }
}

static bool any(const struct view *a, const struct view *b)
{
    (void)a, (void)b;
    return true;
}

static struct pairs find_pairs(const struct sources *old, const struct sources *new)
{
    struct pairs pairs = {0};
    const struct view **left = views_of(old), **right = views_of(new);
    if (old->count == 1 && new->count == 1)
        match(left, 1, right, 1, any, &pairs);
    match(left, old->count, right, new->count, same_identity, &pairs);
    match(left, old->count, right, new->count, same_problem, &pairs);
    for (size_t i = 0; i < old->count; i++)
        if (left[i])
            add_pair(&pairs, left[i], NULL);
    for (size_t i = 0; i < new->count; i++)
        if (right[i])
            add_pair(&pairs, NULL, right[i]);
    free(left);
    free(right);
    return pairs;
}

/* ---- comparing ---- */

struct change {
    char *what, *old, *new; /* old or new may be NULL: not there */
    char *note;             /* NULL */
};

struct changes {
    struct change *list;
    size_t count;
};

/* Takes all. */
static void add_change(struct changes *changes, char *what, char *old, char *new, char *note)
{
    changes->list = need(realloc(changes->list, (changes->count + 1) * sizeof *changes->list));
    changes->list[changes->count++] =
        (struct change){.what = what, .old = old, .new = new, .note = note};
}

static void changes_release(struct changes *changes)
{
    for (size_t i = 0; i < changes->count; i++) {
        free(changes->list[i].what);
        free(changes->list[i].old);
        free(changes->list[i].new);
        free(changes->list[i].note);
    }
    free(changes->list);
    *changes = (struct changes){0};
}

static char *copy_of(const char *text)
{
    return text ? need(strdup(text)) : NULL;
}

static void compare_text(struct changes *changes, const char *what, const char *old,
                         const char *new)
{
    if (old != new && (!old || !new || strcmp(old, new) != 0))
        add_change(changes, copy_of(what), copy_of(old), copy_of(new), NULL);
}

static void compare_lists(struct changes *changes, const char *part, const struct view_list *old,
                          const struct view_list *new)
{
    for (size_t i = 0; i < old->count; i++) {
        char *what = format("%s.%s", part, old->entries[i].name);
        compare_text(changes, what, old->entries[i].text,
                     view_list_find(new, old->entries[i].name));
        free(what);
    }
    for (size_t i = 0; i < new->count; i++) {
        if (view_list_find(old, new->entries[i].name))
            continue;
        add_change(changes, format("%s.%s", part, new->entries[i].name), NULL,
                   copy_of(new->entries[i].text), NULL);
    }
}

static void compare_seconds(struct changes *changes, char *what, double old, double new)
{
    if (old == new) {
        free(what);
        return;
    }
    add_change(changes, what, seconds_text(old), seconds_text(new),
               old > 0 && new > 0 ? format("%+.1f%%", 100 * (new / old - 1)) : NULL);
}

static void compare_winners(struct changes *changes, const struct view *old, const struct view *new)
{
    const struct view_trial *a = &old->trials[old->winner], *b = &new->trials[new->winner];
    char *config_a = view_config_text(a->config), *config_b = view_config_text(b->config);
    compare_text(changes, "winner", config_a, config_b);
    compare_seconds(changes, format("time"), a->seconds, b->seconds);
    compare_seconds(changes, format("time of configuration 0"), view_default_seconds(old),
                    view_default_seconds(new));
    free(config_a);
    free(config_b);
}

/* Configurations that ran before and fail now, or the other way round. */
static void compare_statuses(struct changes *changes, const struct view *old,
                             const struct view *new)
{
    size_t j = 0;
    for (size_t i = 0; i < old->ntrials; i++) {
        const struct view_trial *a = &old->trials[i];
        while (j < new->ntrials &&new->trials[j].index < a->index)
            j++;
        const struct view_trial *b = j < new->ntrials ? &new->trials[j] : NULL;
        if (!b || b->index != a->index || b->status == a->status ||
            !json_equal(a->config, b->config))
            continue;
        char *config = view_config_text(a->config);
        add_change(changes, format("status of %s", config), copy_of(tutti_status_name(a->status)),
                   copy_of(tutti_status_name(b->status)), NULL);
        free(config);
    }
}

static void compare_identities(struct changes *changes, const struct view *old,
                               const struct view *new)
{
    const tutti_record_info *a = &old->info, *b = &new->info;
    char *key_a = view_key_text(old), *key_b = view_key_text(new);
    char *ranks_a = format("%d", a->ranks), *ranks_b = format("%d", b->ranks);
    compare_text(changes, "function", old->function, new->function);
    compare_text(changes, "key", key_a, key_b);
    compare_text(changes, "ranks", ranks_a, ranks_b);
    compare_text(changes, "version", a->version, b->version);
    compare_text(changes, "source_id", a->source_id, b->source_id);
    compare_text(changes, "timer", a->timer, b->timer);
    compare_text(changes, "group", a->group, b->group);
    compare_text(changes, "placement", a->placement, b->placement);
    free(key_a);
    free(key_b);
    free(ranks_a);
    free(ranks_b);
}

static void compare(struct changes *changes, const struct view *old, const struct view *new)
{
    char *finished_a = time_text(old->info.finished), *finished_b = time_text(new->info.finished);
    compare_identities(changes, old, new);
    compare_winners(changes, old, new);
    compare_statuses(changes, old, new);
    compare_lists(changes, "hardware", &old->hardware, &new->hardware);
    compare_lists(changes, old->is_triton ? "deps" : "environment", &old->environment,
                  &new->environment);
    compare_text(changes, "finished", finished_a, finished_b);
    free(finished_a);
    free(finished_b);
}

/* ---- telling ---- */

static void print_pair(const struct pair *pair, const struct changes *changes)
{
    const struct view *view = pair->new ? pair->new : pair->old;
    char *function = printable(view->function), *key = view_key_text(view);
    printf("%s  %s", function, key);
    if (!view->is_triton)
        printf("  %d rank%s", view->info.ranks, view->info.ranks == 1 ? "" : "s");
    puts(!pair->new ? ": only in the old" : !pair->old ? ": only in the new" : "");
    free(function);
    free(key);
    struct table *table = table_new(2);
    for (size_t i = 0; i < changes->count; i++) {
        const struct change *change = &changes->list[i];
        char *text = format("%s -> %s%s%s", change->old ? change->old : "(none)",
                            change->new ? change->new : "(none)", change->note ? "  " : "",
                            change->note ? change->note : "");
        table_add(table, printable(change->what));
        table_add(table, printable(text));
        free(text);
    }
    table_print(table, "  ", false);
}

static json_t *pair_json(const struct pair *pair, const struct changes *changes)
{
    json_t *list = need(json_array());
    for (size_t i = 0; i < changes->count; i++)
        json_array_append_new(list,
                              json_pack("{s:s, s:s?, s:s?}", "what", changes->list[i].what, "old",
                                        changes->list[i].old, "new", changes->list[i].new));
    return json_pack("{s:o, s:o, s:o}", "old", pair->old ? view_json(pair->old) : json_null(),
                     "new", pair->new ? view_json(pair->new) : json_null(), "changes", list);
}

static int tell(const struct pairs *pairs, bool json)
{
    json_t *list = need(json_array());
    size_t same = 0;
    for (size_t i = 0; i < pairs->count; i++) {
        const struct pair *pair = &pairs->list[i];
        struct changes changes = {0};
        if (pair->old && pair->new)
            compare(&changes, pair->old, pair->new);
        const bool differs = !pair->old || !pair->new || changes.count;
        same += !differs;
        if (differs && json)
            json_array_append_new(list, pair_json(pair, &changes));
        else if (differs)
            print_pair(pair, &changes);
        changes_release(&changes);
    }
    const size_t differ = pairs->count - same;
    if (json)
        print_json(json_pack("{s:I, s:O}", "same", (json_int_t)same, "different", list));
    else
        printf("%zu the same, %zu different\n", same, differ);
    json_decref(list);
    return differ ? STATUS_FOUND : STATUS_OK;
}

static int diff(const struct input *input)
{
    struct sources old = {0}, new = {0};
    int status = STATUS_ERROR;
    if (add_side(&old, input, input->words[0]) && add_side(&new, input, input->words[1])) {
        sources_say_unreadable(&old);
        sources_say_unreadable(&new);
        struct pairs pairs = find_pairs(&old, &new);
        status = tell(&pairs, input->output.json);
        if (old.unreadable || new.unreadable)
            status = STATUS_ERROR;
        free(pairs.list);
    }
    sources_release(&old);
    sources_release(&new);
    return status;
}

static int run(int argc, char **argv)
{
    struct input input = {0};
    argp_parse(&argp, argc, argv, 0, NULL, &input);
    const int status = diff(&input);
    free(input.words);
    return status;
}

const struct command diff_command = {
    .name = "diff", .summary = "compare records or stores", .argp = &argp, .run = run};
