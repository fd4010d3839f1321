/* The ready-made progress display: a bar on a terminal, a line per configuration elsewhere. */
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include <tutti/tuner.h>

#include "text.h"

#define BAR_WIDTH    24
#define PLAIN_ROUNDS 10 /* off a terminal every so many rounds get a line */

static void print_result(FILE *stream, const tutti_progress *progress)
{
    char buffer[32];
    if (progress->status == TUTTI_STATUS_OK)
        fprintf(stream, "%s", text_seconds(progress->seconds, buffer));
    else
        fprintf(stream, "%s: %s", tutti_status_name(progress->status), progress->reason);
}

/* A race shows its first round like the exhaustive policy; then rounds on a terminal, and elsewhere
 * every tenth and how it ended. */
static void print_race(FILE *stream, const tutti_progress *progress, bool terminal)
{
    const bool last = progress->done == progress->total;
    char best[32], left[32];
    if (!terminal && !last && progress->rounds % PLAIN_ROUNDS != 0)
        return;
    if (terminal)
        fprintf(stream, "\r\033[K");
    fprintf(stream, "%s: round %" PRIu64 ", %" PRIu64 " of %" PRIu64 " left, best %s  %s",
            progress->function, progress->rounds, progress->alive, progress->candidates,
            text_seconds(progress->best_seconds, best), progress->configuration);
    if (!last)
        fprintf(stream, "  (%s to go)", text_seconds(progress->seconds_left, left));
    if (last || !terminal)
        fputc('\n', stream);
    fflush(stream);
}

static void print_bar(FILE *stream, const tutti_progress *progress)
{
    int filled = (int)(BAR_WIDTH * progress->done / progress->total);
    char best[32];
    fprintf(stream, "\r\033[K%s [", progress->function);
    for (int i = 0; i < BAR_WIDTH; i++)
        fputc(i < filled ? '#' : '.', stream);
    fprintf(stream, "] %" PRIu64 "/%" PRIu64 "  %s  ", progress->done, progress->total,
            progress->configuration);
    print_result(stream, progress);
    if (progress->best_seconds > 0)
        fprintf(stream, "  (best %s)", text_seconds(progress->best_seconds, best));
    if (progress->done == progress->total)
        fputc('\n', stream);
    fflush(stream);
}

void tutti_progress_print(const tutti_progress *progress, void *stream)
{
    FILE *file = stream ? (FILE *)stream : stderr;
    const bool terminal = progress->display == TUTTI_DISPLAY_BAR ||
                          (progress->display == TUTTI_DISPLAY_AUTO && isatty(fileno(file)));
    if (progress->rounds > 0) {
        print_race(file, progress, terminal);
        return;
    }
    if (terminal) {
        print_bar(file, progress);
        return;
    }
    fprintf(file, "[%" PRIu64 "/%" PRIu64 "] %s  ", progress->done, progress->total,
            progress->configuration);
    print_result(file, progress);
    fputc('\n', file);
    fflush(file);
}
