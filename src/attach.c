/*
 * Attaching a group: the root's environment and files hold for all its ranks, so that what is set
 * on one rank only can't divide them. The others' environments are compared and differences are
 * told; their files are not read.
 */
#include "group.h"

#include <stdio.h>
#include <string.h>

#include "log.h"

#define SLICE       512 /* ranks whose environments are compared in one operation */
#define NAMED_RANKS 16  /* per variable, in the warning */

/* What the root found out, broadcast as bytes. Of fixed size: success and failure cost the same
 * operations on every rank. */
struct announcement {
    int32_t error;
    char why[8188];
    uint64_t fingerprint[SETTINGS_COUNT];
    struct settings settings;
};

/* The ranks on which one variable differs from the root's; kept by the root. */
struct difference {
    struct text ranks;
    int count;
};

static void log_lines(const struct tutti_group *group, const struct text *lines)
{
    const char *line = lines->bytes ? lines->bytes : "";
    for (const char *end; (end = strchr(line, '\n')); line = end + 1)
        log_root(group, NULL, TUTTI_LOG_WARN, "%.*s", (int)(end - line), line);
}

/* Which variables this rank has otherwise than the root, a bit each. */
static uint64_t compare(const uint64_t root[SETTINGS_COUNT])
{
    uint64_t own[SETTINGS_COUNT], differ = 0;
    settings_fingerprint(own);
    for (int i = 0; i < SETTINGS_COUNT; i++)
        differ |= (uint64_t)(own[i] != root[i]) << i;
    return differ;
}

static void note_differences(struct difference differences[SETTINGS_COUNT], uint64_t differ,
                             int rank)
{
    for (int i = 0; i < SETTINGS_COUNT; i++) {
        struct difference *difference = &differences[i];
        if (!(differ >> i & 1))
            continue;
        if (difference->count < NAMED_RANKS)
            text_add(&difference->ranks, "%s%d", difference->count ? ", " : "", rank);
        difference->count++;
    }
}

/* One line for all of them. */
static void warn_of_differences(const struct tutti_group *group,
                                struct difference differences[SETTINGS_COUNT])
{
    struct text text = {0};
    for (int i = 0; i < SETTINGS_COUNT; i++) {
        const struct difference *difference = &differences[i];
        if (!difference->count)
            continue;
        text_add(&text, "%s%s on rank%s %s", text.length ? "; " : "", settings_variable(i),
                 difference->count == 1 ? "" : "s",
                 difference->ranks.bytes ? difference->ranks.bytes : "?");
        if (difference->count > NAMED_RANKS)
            text_add(&text, " and %d more", difference->count - NAMED_RANKS);
    }
    if (text.length) {
        log_root(group, NULL, TUTTI_LOG_WARN, "set otherwise than on rank 0, whose values hold: %s",
                 text.bytes);
    }
    text_release(&text);
}

/* Gathers what differs where, a slice of ranks at a time: a maximum over zeros and one's own. */
static int compare_environments(struct tutti_group *group, const uint64_t root[SETTINGS_COUNT],
                                struct text *why)
{
    struct difference differences[SETTINGS_COUNT] = {0};
    const uint64_t own = compare(root);
    int error = TUTTI_SUCCESS;

    for (int first = 0; first < group->ranks && !error; first += SLICE) {
        uint64_t words[SLICE] = {0};
        const int n = group->ranks - first < SLICE ? group->ranks - first : SLICE;
        if (group->rank >= first && group->rank < first + n)
            words[group->rank - first] = own;
        error = group_reduce_max(group, words, (size_t)n, "comparing settings", why);
        for (int i = 0; i < n && !error && group->rank == 0; i++)
            note_differences(differences, words[i], first + i);
    }
    if (!error)
        warn_of_differences(group, differences);
    for (int i = 0; i < SETTINGS_COUNT; i++)
        text_release(&differences[i].ranks);
    return error;
}

static void read_settings(struct announcement *attachment, struct text *warnings)
{
    struct text why = {0};
    memset(attachment, 0, sizeof *attachment);
    attachment->error = settings_read(&attachment->settings, &why, warnings);
    snprintf(attachment->why, sizeof attachment->why, "%s", why.bytes ? why.bytes : "");
    settings_fingerprint(attachment->fingerprint);
    text_release(&why);
}

static int attach(struct tutti_group *group, struct text *warnings, struct text *why)
{
    struct announcement attachment;
    if (group->rank == 0)
        read_settings(&attachment, warnings);
    else
        settings_read_environment(&attachment.settings);
    group->settings = attachment.settings; /* this rank's own, for the limits of the next step */

    int error =
        group_broadcast(group, &attachment, sizeof attachment, 0, "attaching the group", why);
    if (error)
        return error;
    group->settings = attachment.settings;
    if (attachment.error) {
        if (why)
            text_add(why, "%s", attachment.why);
        return attachment.error;
    }
    log_lines(group, warnings);
    error = compare_environments(group, attachment.fingerprint, why);
    group->attached = !error;
    return error;
}

int group_attach(struct tutti_group *group, struct text *why)
{
    if (group->attached)
        return TUTTI_SUCCESS;
    struct text warnings = {0};
    const int error = attach(group, &warnings, why);
    text_release(&warnings);
    return error;
}
