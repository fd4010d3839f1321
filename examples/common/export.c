/* See export.h. */
#include "export.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "csv.h"
#include "manifest.h"
#include "output_file.h"

/* The root's verdict becomes the team's. */
static void conclude(struct session *session, bool good, const char *path, int error)
{
    const bool root = session->problem.team.rank == 0;
    if (!team_agree(&session->problem.team, good || !root, "%s can't be written: %s", path,
                    strerror(error)))
        session->failed = true;
}

void export_check(struct session *session)
{
    const char *paths[] = {session->job.manifest, session->job.csv};
    const bool root = session->problem.team.rank == 0;
    for (int i = 0; i < 2 && !session->failed; i++) {
        const bool good = !root || output_possible(paths[i]);
        conclude(session, good, paths[i], errno);
    }
}

/* Records lie together: the folder, and not 216 paths. */
static void say_records(const struct session *session)
{
    const char *first = "";
    int records = 0;
    for (int i = 0; i < session->finished; i++) {
        const char *record = session->results[i].record;
        first = records == 0 ? record : first;
        records += record[0] != '\0';
    }
    const char *slash = strrchr(first, '/');
    if (records == 0)
        printf("records:  none were read or written\n");
    else if (records == 1 || !slash)
        printf("record:   %s\n", first);
    else
        printf("records:  %d in %.*s\n", records, (int)(slash - first), first);
}

static void say_cached(const struct session *session)
{
    int cached = 0;
    for (int i = 0; i < session->finished; i++)
        cached += session->results[i].cached;
    if (cached == session->finished && cached == 1)
        printf("the shape was found in the cache; nothing was tuned\n");
    else if (cached == session->finished)
        printf("all %d shapes were found in the cache; nothing was tuned\n", cached);
    else if (cached > 0)
        printf("%d of %d shapes were found in the cache\n", cached, session->finished);
}

/* In full, so that it can be found from anywhere; as it is where the system can't tell. */
static void say_file(const char *what, const char *path)
{
    char *full = realpath(path, NULL);
    printf("%s %s\n", what, full ? full : path);
    free(full);
}

void export_results(struct session *session)
{
    const struct job *job = &session->job;
    const bool root = session->problem.team.rank == 0;
    if (session->failed)
        return;
    const bool manifest =
        !root || manifest_write(job->manifest, session->results, session->finished);
    conclude(session, manifest, job->manifest, errno);
    const bool csv = !root || csv_write(job->csv, session->results, session->finished);
    conclude(session, csv, job->csv, errno);
    if (!root || session->failed)
        return;
    fputc('\n', stdout);
    say_records(session);
    say_file("manifest:", job->manifest);
    say_file("CSV:     ", job->csv);
    say_cached(session);
}
