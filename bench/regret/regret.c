/*
 * The regret laboratory: how much slower than the best is what a policy chooses, and what does the
 * choice cost?
 *
 *     regret [--tunings N] [--block ROWS] [--plot FILE] TABLE...
 *
 * prints exhaustive and race side by side: replayed on recorded tables, and on landscapes. --plot
 * writes regret against calls as columns for plot.gp.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "landscape.h"
#include "tunings.h"

struct job {
    int tunings, block;
    const char *plot;
    char **tables;
    int ntables;
};

static void print_head(const char *title)
{
    printf("\n%s\n%-12s %-7s %5s %8s | %5s %5s %5s %5s | %9s | %6s %5s\n", title, "policy",
           "sample", "calls", "seconds", "p50", "p90", "p99", "max", "customary", "within",
           "holds");
}

static void print_line(enum policy policy, const char *sample, const struct figures *f)
{
    printf("%-12.12s %-7s %5.0f %8.4f | %5.2f %5.2f %5.2f %5.2f |", policy_name(policy), sample,
           f->calls, f->seconds, 100 * f->p50, 100 * f->p90, 100 * f->p99, 100 * f->max);
    if (f->worst_over_customary > -1)
        printf(" %+9.2f |", 100 * f->worst_over_customary);
    else
        printf(" %9s |", "");
    if (policy == POLICY_RACE)
        printf(" %6.2f %4.0f%%", 100 * f->within, 100 * f->covered);
    printf("\n");
}

static void print_table(const struct job *job, const struct table *table)
{
    static const uint64_t budgets[] = {200, 300};
    struct figures figures;
    print_head(table->title);
    for (enum table_kind kind = TABLE_INTERLEAVED; kind <= TABLE_MEAN10; kind++) {
        const char *sample = table_kind_name(kind);
        if (replay(table, kind, POLICY_ORACLE_HALF, 1, job->tunings, job->block, &figures))
            print_line(POLICY_ORACLE_HALF, sample, &figures);
        if (replay(table, kind, POLICY_REFERENCE, 1, job->tunings, job->block, &figures))
            print_line(POLICY_REFERENCE, sample, &figures);
        for (int i = 0; i < 2; i++)
            if (replay(table, kind, POLICY_RACE, budgets[i], job->tunings, job->block, &figures))
                print_line(POLICY_RACE, sample, &figures);
    }
}

static void print_landscape(const struct job *job, int which)
{
    struct figures figures;
    print_head(landscape_name(which));
    tune_landscapes(which, POLICY_REFERENCE, 1, job->tunings, &figures);
    print_line(POLICY_REFERENCE, "single", &figures);
    for (uint64_t samples = 200; samples <= 300; samples += 100) {
        tune_landscapes(which, POLICY_RACE, samples, job->tunings, &figures);
        print_line(POLICY_RACE, "single", &figures);
    }
}

/* A block of lines for each table and policy: calls, p50, p90, p99 in percent. */
static void plot_policy(FILE *plot, const struct job *job, const struct table *table,
                        enum policy policy)
{
    static const uint64_t budgets[] = {80, 120, 160, 200, 240, 300, 400, 600};
    struct figures f;
    fprintf(plot, "\"%s: %s\"\n", table->title, policy_name(policy));
    for (size_t i = 0; i < sizeof budgets / sizeof *budgets; i++)
        if (replay(table, TABLE_SINGLE, policy, budgets[i], job->tunings, job->block, &f))
            fprintf(plot, "%.0f %.3f %.3f %.3f\n", f.calls, 100 * f.p50, 100 * f.p90, 100 * f.p99);
    fprintf(plot, "\n\n");
}

static void plot_reference(FILE *plot, const struct job *job, const struct table *table)
{
    struct figures f;
    fprintf(plot, "\"%s: %s\"\n", table->title, policy_name(POLICY_REFERENCE));
    if (replay(table, TABLE_SINGLE, POLICY_REFERENCE, 1, job->tunings, job->block, &f))
        fprintf(plot, "%.0f %.3f %.3f %.3f\n", f.calls, 100 * f.p50, 100 * f.p90, 100 * f.p99);
    fprintf(plot, "\n\n");
}

static bool run_tables(const struct job *job, FILE *plot)
{
    for (int i = 0; i < job->ntables; i++) {
        struct table table;
        if (!table_read(&table, job->tables[i]))
            return false;
        print_table(job, &table);
        if (plot) {
            plot_policy(plot, job, &table, POLICY_RACE);
            plot_policy(plot, job, &table, POLICY_EQUAL_SHARES);
            plot_reference(plot, job, &table);
        }
        table_free(&table);
    }
    return true;
}

static bool read_job(int argc, char **argv, struct job *job)
{
    int at = 1;
    *job = (struct job){.tunings = 400, .block = 5};
    for (; at + 1 < argc && strncmp(argv[at], "--", 2) == 0; at += 2)
        if (strcmp(argv[at], "--tunings") == 0)
            job->tunings = atoi(argv[at + 1]);
        else if (strcmp(argv[at], "--block") == 0)
            job->block = atoi(argv[at + 1]);
        else if (strcmp(argv[at], "--plot") == 0)
            job->plot = argv[at + 1];
        else
            return false;
    job->tables = argv + at;
    job->ntables = argc - at;
    return job->tunings > 0 && job->block > 0;
}

int main(int argc, char **argv)
{
    struct job job;
    FILE *plot = NULL;
    if (!read_job(argc, argv, &job)) {
        fprintf(stderr, "usage: %s [--tunings N] [--block ROWS] [--plot FILE] TABLE...\n", argv[0]);
        return 2;
    }
    if (job.plot && !(plot = fopen(job.plot, "w"))) {
        perror(job.plot);
        return 1;
    }
    printf("Regret in percent, of %d tunings; what follows is explained in docs/measuring.md\n",
           job.tunings);
    const bool good = run_tables(&job, plot);
    for (int which = 0; good && which < LANDSCAPES; which++)
        print_landscape(&job, which);
    if (plot)
        fclose(plot);
    return good ? 0 : 1;
}
