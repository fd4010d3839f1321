/* Prints what was measured (see reverse_a2a_bench.h). */
#include "reverse_a2a_bench.h"

#include <stdlib.h>
#include <string.h>

static void find_model(char *model, size_t size)
{
    char line[256];
    FILE *file = fopen("/proc/cpuinfo", "r");
    snprintf(model, size, "unknown processor");
    while (file && fgets(line, sizeof line, file)) {
        const char *colon = strchr(line, ':');
        if (strncmp(line, "model name", 10) != 0 || !colon)
            continue;
        snprintf(model, size, "%.190s", colon + 2);
        break;
    }
    model[strcspn(model, "\n")] = 0;
    if (file)
        fclose(file);
}

/* The name and number, without the rest of what some libraries say. */
static void find_mpi(char *version, size_t size)
{
    char text[MPI_MAX_LIBRARY_VERSION_STRING];
    int length;
    MPI_Get_library_version(text, &length);
    text[strcspn(text, ",\n")] = 0;
    for (char *c = text; *c; c++)
        *c = *c == '\t' ? ' ' : *c;
    const size_t kept = strlen(text) < size ? strlen(text) : size - 1;
    memcpy(version, text, kept);
    version[kept] = 0;
}

static bool same_group(const struct way *a, const struct way *b)
{
    return strcmp(a->group, b->group) == 0;
}

static bool is_first_of_group(const struct figures *figures, int way)
{
    for (int i = 0; i < way; i++)
        if (same_group(&figures->ways[i], &figures->ways[way]))
            return false;
    return true;
}

/* The fastest, or slowest, way of a group; -1 if the shape has none. */
static int extreme(const struct figures *figures, const struct way *group, bool fastest)
{
    int found = -1;
    for (int i = 0; i < figures->count; i++) {
        if (!same_group(&figures->ways[i], group))
            continue;
        const bool better = found < 0 || (figures->medians[i] < figures->medians[found]) == fastest;
        found = better ? i : found;
    }
    return found;
}

static void print_row(FILE *stream, const struct figures *figures, int count,
                      const struct way *group, const char *which, bool fastest)
{
    fprintf(stream, "| %s%s |", group->group, which);
    for (int i = 0; i < count; i++) {
        const int way = extreme(&figures[i], group, fastest);
        if (way < 0)
            fprintf(stream, " |");
        else
            fprintf(stream, " %.2f%s%s |", figures[i].medians[way] / figures[i].limit,
                    figures[i].ways[way].detail[0] ? " " : "", figures[i].ways[way].detail);
    }
    fprintf(stream, "\n");
}

static void print_allocations(FILE *stream, const struct figures *figures, int count)
{
    static const char *const names[] = {"window", "files", "files, huge pages"};
    fprintf(stream, "| allocating one operand in symmetric memory, milliseconds |");
    for (int i = 0; i < count; i++)
        fprintf(stream, " %.1f (%s) |", figures[i].allocation * 1e3, names[figures[i].pages]);
    fprintf(stream, "\n");
}

void report_table(FILE *stream, const struct figures *figures, int count)
{
    char model[200], mpi[200];
    find_model(model, sizeof model);
    find_mpi(mpi, sizeof mpi);
    fprintf(stream, "%s, %d ranks, %s; multiples of the limit\n\n| way |", model, figures->ranks,
            mpi);
    for (int i = 0; i < count; i++)
        fprintf(stream, " %lld,%lld,%lld (%.4g MiB a rank) |", (long long)figures[i].shape.s,
                (long long)figures[i].shape.h, (long long)figures[i].shape.d,
                (double)figures[i].bytes / (1 << 20));
    fprintf(stream, "\n|---|");
    for (int i = 0; i < count; i++)
        fprintf(stream, "---|");
    fprintf(stream, "\n| the limit, microseconds |");
    for (int i = 0; i < count; i++)
        fprintf(stream, " %.1f |", figures[i].limit * 1e6);
    fprintf(stream, "\n");
    print_allocations(stream, figures, count);
    for (int i = 0; i < figures->count; i++) {
        const struct way *group = &figures->ways[i];
        if (!is_first_of_group(figures, i))
            continue;
        const bool several = extreme(figures, group, true) != extreme(figures, group, false);
        print_row(stream, figures, count, group, several ? ", best" : "", true);
        if (several)
            print_row(stream, figures, count, group, ", worst", false);
    }
    fprintf(stream, "\n");
}

bool report_csv(const char *path, const struct figures *figures, int count)
{
    char model[200], mpi[200];
    FILE *file = fopen(path, "w");
    if (!file)
        return false;
    find_model(model, sizeof model);
    find_mpi(mpi, sizeof mpi);
    fprintf(file, "ranks,s,h,d,bytes,rounds,calls,seconds,ratio,way,blocks,processor,mpi\n");
    for (int i = 0; i < count; i++)
        for (int way = 0; way < figures[i].count; way++)
            fprintf(file, "%d,%lld,%lld,%lld,%zu,%d,%d,%.9g,%.4f,\"%s\",\"%s\",\"%s\",\"%s\"\n",
                    figures[i].ranks, (long long)figures[i].shape.s, (long long)figures[i].shape.h,
                    (long long)figures[i].shape.d, figures[i].bytes, figures[i].rounds,
                    figures[i].calls, figures[i].medians[way],
                    figures[i].medians[way] / figures[i].limit, figures[i].ways[way].group,
                    figures[i].ways[way].detail, model, mpi);
    return fclose(file) == 0;
}
