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
    printf("\n%s\n%-12s %-11s %5s %8s | %5s %5s %5s %5s | %9s | %6s %5s\n", title, "policy",
           "sample", "calls", "seconds", "p50", "p90", "p99", "max", "customary", "within",
           "holds");
}

static void print_line(enum policy policy, const char *sample, const struct figures *f)
{
    printf("%-12.12s %-11s %5.0f %8.4f | %5.2f %5.2f %5.2f %5.2f |", policy_name(policy), sample,
           f->calls, f->seconds, 100 * f->p50, 100 * f->p90, 100 * f->p99, 100 * f->max);
    if (f->worst_over_customary > -1)
        printf(" %+9.2f |", 100 * f->worst_over_customary);
    else
        printf(" %9s |", "");
    if (policy == POLICY_RACE)
        printf(" %6.2f %4.0f%%", 100 * f->within, 100 * f->covered);
    printf("\n");
}

/* One bar beside its figure. */
static void print_bar(const char *name, double figure, double bar)
{
    printf("  %s %.2f, bar %.2f: %s\n", name, 100 * figure, 100 * bar,
           figure <= bar ? "met" : "missed");
}

/* The bars of single calls. Where half of the oracle's rounds tell the best one, it is to be found;
 * on flat landscapes nobody can, and harm is to be avoided. */
static void print_bars(const struct figures *oracle, const struct figures race[2])
{
    if (oracle->p90 <= 0.01) {
        print_bar("at 200 samples p90", race[0].p90, 0.01);
        print_bar("at 200 samples p99", race[0].p99, 0.03);
        print_bar("at 300 samples max", race[1].max, 0.02);
        return;
    }
    for (int i = 0; i < 2; i++) {
        printf("  at %d samples:\n", 200 + 100 * i);
        print_bar("  p90, and half of the oracle", race[i].p90, oracle->p90);
        print_bar("  worst over customary", race[i].worst_over_customary, 0.025);
    }
}

static void print_kind(const struct job *job, const struct table *table, enum table_kind kind)
{
    static const uint64_t budgets[] = {200, 300};
    const char *sample = table_kind_name(kind);
    struct figures oracle, reference, race[2];
    if (!replay(table, kind, POLICY_ORACLE_HALF, 1, job->tunings, job->block, &oracle) ||
        !replay(table, kind, POLICY_REFERENCE, 1, job->tunings, job->block, &reference))
        return;
    print_line(POLICY_ORACLE_HALF, sample, &oracle);
    print_line(POLICY_REFERENCE, sample, &reference);
    for (int i = 0; i < 2; i++)
        if (replay(table, kind, POLICY_RACE, budgets[i], job->tunings, job->block, &race[i]))
            print_line(POLICY_RACE, sample, &race[i]);
    if (kind != TABLE_MEAN10)
        print_bars(&oracle, race);
}

static void print_table(const struct job *job, const struct table *table)
{
    print_head(table->title);
    for (enum table_kind kind = TABLE_INTERLEAVED; kind <= TABLE_MEAN10; kind++)
        print_kind(job, table, kind);
}

/* What untimed calls before samples are worth, at the same number of launcher calls in all. */
static void print_search(const struct job *job, const struct table *table)
{
    struct figures figures;
    if (table->rows[TABLE_INTERLEAVED].n < 50)
        return;
    printf("whole searches, judged by settled calls:\n");
    for (int settles = 0; settles < 2; settles++)
        for (uint64_t calls = 200; calls <= 300; calls += 100)
            if (replay_search(table, settles, calls, job->tunings, job->block, &figures))
                print_line(POLICY_RACE, settles ? "settled" : "inter.", &figures);
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
        print_search(job, &table);
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
