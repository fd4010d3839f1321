/* See play.h. */
#include "play.h"

#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "group.h"
#include "judge.h"
#include "subject.h"

/* ---- one rank's part, in its own thread ---- */

static int make_call(struct play *play, int rank, struct arguments *arguments,
                     struct result *result)
{
    const struct step *step = &play->step;
    bool differs = step->faulty && play->differing && rank == play->plan.differing_rank;
    tutti_tuner *tuner = differs ? play->differing : play->tuners[rank];
    tutti_group *group = play->groups[rank];
    const enum operation operation = step->operations[rank];
    const struct launcher_config forced = launcher_config(play->plan.forced);
    const tutti_call_options options = {.size = sizeof options,
                                        .autotune_off = operation == OPERATION_CALL_OFF,
                                        .force =
                                            operation == OPERATION_CALL_FORCED ? &forced : NULL,
                                        .launcher_status = &result->launcher_status};
    member->injector.armed = step->faulty;
    if (operation == OPERATION_MAX_SIZE)
        result->status = tutti_max_size(tuner, arguments, group, launcher_size, &result->bytes);
    else if (operation == OPERATION_FORGET)
        result->status = tutti_forget(tuner, arguments, group, play->plan.forget);
    else if (operation == OPERATION_TUNE)
        result->status = tutti_tune(tuner, arguments, group, &options);
    else
        result->status = tutti_call(tuner, arguments, group, &options);
    member->injector.armed = false;
    member->lacks_words |= member->injector.struck[POINT_ALLOCATION] > 0;
    strncat(result->message, tutti_message(tuner, group), sizeof result->message - 1);
    return result->status;
}

static void copy_trials(const tutti_report *report, struct result *result)
{
    for (size_t i = 0; i < report->ntrials && i < SPACE; i++) {
        const tutti_trial *trial = &report->trials[i];
        struct trial_copy *copy = &result->trials[i];
        *copy = (struct trial_copy){trial->status, trial->slowest_rank, trial->seconds, ""};
        strncat(copy->reason, trial->reason, sizeof copy->reason - 1);
    }
}

static void copy_report(struct play *play, int rank, const struct arguments *arguments,
                        struct result *result)
{
    tutti_report report = {.size = sizeof report};
    tutti_tuner *tuner = play->tuners[rank];
    tutti_group *group = play->groups[rank];
    int best[2] = {0};
    if (tutti_report_get(tuner, arguments, group, &report))
        return;
    result->reported = true;
    result->source = report.source;
    result->configuration = (int)report.configuration;
    result->search_calls = report.search_calls;
    result->search_operations = report.search_operations;
    result->cold_operations = report.cold_operations;
    result->ntrials = report.ntrials;
    result->recorded = report.record[0] != '\0';
    copy_trials(&report, result);
    if (result->recorded && rank == 0 && play->step.key == KEY_CASE)
        snprintf(play->record, sizeof play->record, "%s", report.record);
    memcpy(best, tutti_best(tuner, arguments, group), sizeof best);
    result->best = 2 * (best[0] / 10 - 1) + best[1] - 1;
}

static void do_step(struct play *play, int rank)
{
    const struct step *step = &play->step;
    struct result *result = &play->results[rank];
    struct arguments arguments = {.rows = 1 + step->key};
    memset(result, 0, sizeof *result);
    launcher_begin_step(member);
    trace_reset(&play->traces[rank]);
    environment = step->environments[rank];
    if (step->absent[rank])
        return;
    make_call(play, rank, &arguments, result);
    if (step->mark)
        result->mark = checker_mark_end(play->groups[rank]);
    if (!result->status && step->operations[rank] != OPERATION_MAX_SIZE &&
        step->operations[rank] != OPERATION_FORGET)
        copy_report(play, rank, &arguments, result);
}

struct seat {
    struct play *play;
    int rank;
};

static void *take_part(void *data)
{
    const struct seat *seat = data;
    struct play *play = seat->play;
    member = &play->members[seat->rank];
    injector = &member->injector;
    for (;;) {
        pthread_barrier_wait(&play->barrier);
        if (!play->step.name)
            return NULL;
        do_step(play, seat->rank);
        pthread_barrier_wait(&play->barrier);
    }
}

/* ---- the conductor's part ---- */

static void play_step(struct play *play)
{
    pthread_barrier_wait(&play->barrier);
    pthread_barrier_wait(&play->barrier);
    judge_step(play);
}

static void set(struct variable *variables, const char *name, const char *value)
{
    while (variables->name)
        variables++;
    if (value)
        *variables = (struct variable){name, value};
}

/* A step in which nothing goes wrong. */
static struct step healthy(const struct play *play, const char *name, int key)
{
    struct step step = {.name = name, .key = key, .mark = true};
    for (int rank = 0; rank < play->plan.ranks; rank++)
        set(step.environments[rank], "TUTTI_CACHE_DIR", play->store);
    return step;
}

static struct step faulty(const struct play *play)
{
    const struct plan *plan = &play->plan;
    struct step step = healthy(play, "the faulty step", KEY_CASE);
    step.faulty = true;
    for (int rank = 0; rank < plan->ranks; rank++) {
        const struct environment_plan *planned = &plan->environments[rank];
        struct variable *own = step.environments[rank];
        step.operations[rank] = plan->operations[rank];
        set(own, "TUTTI_MODE", planned->mode);
        set(own, "TUTTI_ALWAYS_TUNE", planned->always_tune);
        set(own, "TUTTI_STRICT", planned->strict);
        set(own, "TUTTI_SAMPLES", planned->samples);
        set(own, "TUTTI_FORCE", planned->force);
        set(own, "TUTTI_STALL_TIMEOUT", plan_has(plan, POINT_ABSENT) ? "0.005" : NULL);
    }
    for (int i = 0; i < plan->nfaults && plan->ranks > 1; i++)
        if (plan->faults[i].point == POINT_ABSENT && step.mark) {
            step.absent[plan->faults[i].rank] = true;
            step.mark = false;
        }
    return step;
}

static void open_process(struct play *play)
{
    const struct plan *plan = &play->plan;
    const tutti_tuner_desc desc = launcher_desc(plan, DIFFERENCE_NONE);
    play->model.broken = false;
    play->model.attached = false;
    for (int key = 0; key < KEYS; key++)
        play->model.remembered[key] = -1;
    if (!checker_create(plan->ranks, play->traces, play->groups))
        complain(play, "the groups can't be made");
    for (int rank = 0; rank < plan->ranks; rank++) {
        play->members[rank].lacks_words = false;
        play->tuners[rank] = play->tuners[0];
        if (rank == 0 || !plan->one_tuner)
            tutti_tuner_create(&desc, &play->tuners[rank]);
    }
}

static void close_process(struct play *play)
{
    const struct plan *plan = &play->plan;
    for (int rank = 0; rank < plan->ranks; rank++) {
        if (rank == 0 || !plan->one_tuner)
            tutti_tuner_destroy(play->tuners[rank]);
        tutti_group_release(play->groups[rank]);
    }
}

/* A process that makes one healthy call. */
static void play_healthy(struct play *play, const char *name, int key, const char *mode)
{
    open_process(play);
    play->step = healthy(play, name, key);
    for (int rank = 0; rank < play->plan.ranks; rank++)
        set(play->step.environments[rank], "TUTTI_MODE", mode);
    play_step(play);
    close_process(play);
}

static void play_faulty(struct play *play)
{
    const struct plan *plan = &play->plan;
    open_process(play);
    if (plan->difference != DIFFERENCE_NONE && plan->ranks > 1) {
        const tutti_tuner_desc desc = launcher_desc(plan, plan->difference);
        tutti_tuner_create(&desc, &play->differing);
    }
    play->step = faulty(play);
    play_step(play);
    play->step = healthy(play, "the same call again", KEY_CASE);
    play_step(play);
    play->step = healthy(play, "a call with another key", KEY_NEXT);
    play_step(play);
    play->step = healthy(play, "the first call once more", KEY_CASE);
    play_step(play);
    play->step = healthy(play, "forgetting", KEY_CASE);
    for (int rank = 0; rank < plan->ranks; rank++)
        play->step.operations[rank] = OPERATION_FORGET;
    play_step(play);
    play->step = healthy(play, "a call after that", KEY_CASE);
    play_step(play);
    tutti_tuner_destroy(play->differing);
    play->differing = NULL;
    close_process(play);
}

/* ---- the store ---- */

static void rewrite(const char *path, const char *bytes, size_t n)
{
    FILE *file = fopen(path, "w");
    if (!file)
        return;
    fwrite(bytes, 1, n, file);
    fclose(file);
}

static size_t read_file(const char *path, char *bytes, size_t size)
{
    FILE *file = fopen(path, "r");
    size_t n = file ? fread(bytes, 1, size, file) : 0;
    if (file)
        fclose(file);
    return n;
}

static void damage_record(struct play *play, const char *foreign)
{
    static char bytes[1 << 16];
    uint32_t random = play->plan.store_random;
    size_t n = read_file(play->record, bytes, sizeof bytes);
    unsigned *stored = &play->model.stored[KEY_CASE];
    if (n < 100)
        return;
    switch (play->plan.store) {
    case STORE_CUT: /* the last byte is an end of line */
        rewrite(play->record, bytes, random % (n - 1));
        *stored = NOTHING;
        break;
    case STORE_SCRIBBLED:
        bytes[random % n] = (char)(random >> 24);
        rewrite(play->record, bytes, n);
        *stored = ANYTHING;
        break;
    case STORE_GARBAGE:
        memset(bytes, (int)(random >> 24), n);
        rewrite(play->record, bytes, n);
        *stored = NOTHING;
        break;
    case STORE_FOREIGN:
        remove(play->record);
        if (rename(foreign, play->record))
            perror(foreign);
        *stored = play->model.stored[KEY_FOREIGN] = NOTHING;
        break;
    case STORE_BLOCKED:
        remove(play->record);
        mkdir(play->record, 0700);
        *stored = NOTHING;
        play->model.writable = false;
        break;
    default:
        break;
    }
}

static void prepare_store(struct play *play)
{
    char foreign[512] = "";
    subject_make_directory(play->directory);
    snprintf(play->store, sizeof play->store, "%s", play->directory);
    play->model.writable = true;
    for (int key = 0; key < KEYS; key++)
        play->model.stored[key] = NOTHING;
    if (play->plan.store == STORE_UNWRITABLE) {
        snprintf(play->store, sizeof play->store, "%s/file/below", play->directory);
        snprintf(foreign, sizeof foreign, "%s/file", play->directory);
        rewrite(foreign, "", 0);
        play->model.writable = false;
    } else if (play->plan.store != STORE_EMPTY) {
        play_healthy(play, "the recording of another key", KEY_FOREIGN, NULL);
        subject_count_files(play->directory, foreign);
        play_healthy(play, "the recording", KEY_CASE, NULL);
        damage_record(play, foreign);
    }
}

static void look_for_litter(struct play *play)
{
    char pattern[300];
    glob_t found;
    snprintf(pattern, sizeof pattern, "%s/*/.tutti*", play->directory);
    if (glob(pattern, 0, NULL, &found) == 0)
        complain(play, "%s was left behind", found.gl_pathv[0]);
    globfree(&found);
}

/* A later process finds what the faulty one left, and the one after that what a healthy one did. */
static void play_processes(struct play *play)
{
    prepare_store(play);
    play_faulty(play);
    play_healthy(play, "the next process", KEY_CASE, NULL);
    play_healthy(play, "a process that only reads", KEY_CASE, "cache-only");
    look_for_litter(play);
    play->step.name = NULL;
    pthread_barrier_wait(&play->barrier);
}

void play_case(struct play *play, uint64_t seed)
{
    struct seat seats[RANKS_LIMIT];
    pthread_t threads[RANKS_LIMIT];
    bool verbose = play->verbose;
    memset(play, 0, sizeof *play);
    play->verbose = verbose;
    plan_make(&play->plan, seed);
    if (verbose)
        plan_print(&play->plan, stderr);
    int ranks = play->plan.ranks;
    pthread_barrier_init(&play->barrier, NULL, (unsigned)ranks + 1);
    for (int rank = 0; rank < ranks; rank++) {
        seats[rank] = (struct seat){play, rank};
        play->members[rank] = (struct member){
            .plan = &play->plan,
            .rank = rank,
            .injector = {.rank = rank, .nfaults = play->plan.nfaults, .faults = play->plan.faults}};
        if (pthread_create(&threads[rank], NULL, take_part, &seats[rank]))
            abort();
    }
    play_processes(play);
    for (int rank = 0; rank < ranks; rank++)
        pthread_join(threads[rank], NULL);
    pthread_barrier_destroy(&play->barrier);
    subject_remove_directory(play->directory);
}

void play_print_state(const struct play *play, FILE *stream)
{
    plan_print(&play->plan, stream);
    fprintf(stream, "in %s\n", play->step.name ? play->step.name : "the end");
    for (int rank = 0; rank < play->plan.ranks; rank++) {
        fprintf(stream, "rank %d: ", rank);
        trace_print(&play->traces[rank], stream);
    }
}
