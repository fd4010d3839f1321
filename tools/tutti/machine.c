/* See machine.h. */
#include "machine.h"

#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#include "print.h"

#define LINE 256

/* The first line of a small file, "" if it can't be read. */
static void read_line(const char *root, const char *path, char line[LINE])
{
    char *whole = format("%s%s", root, path);
    FILE *file = fopen(whole, "re");
    if (!file || !fgets(line, LINE, file))
        *line = '\0';
    line[strcspn(line, "\n")] = '\0';
    if (file)
        fclose(file);
    free(whole);
}

/* ---- each rank ---- */

static double seconds_now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* The least step that the clock was seen to make. */
static double measure_grain(void)
{
    double least = 1;
    for (int i = 0; i < 1000; i++) {
        const double begin = seconds_now();
        double end = begin;
        while (end == begin)
            end = seconds_now();
        least = end - begin < least ? end - begin : least;
    }
    return least;
}

void facts_collect(struct rank_facts *facts)
{
    memset(facts, 0, sizeof *facts);
    gethostname(facts->host, sizeof facts->host - 1);
    sched_getaffinity(0, sizeof facts->cpus, &facts->cpus);
    facts->grain = measure_grain();
}

/* ---- checks ---- */

void check_clock(struct findings *findings, const char *root, const struct rank_facts *facts,
                 int ranks)
{
    char source[LINE];
    double grain = 0;
    for (int i = 0; i < ranks; i++)
        grain = facts[i].grain > grain ? facts[i].grain : grain;
    char *text = seconds_text(grain);
    read_line(root, "/sys/devices/system/clocksource/clocksource0/current_clocksource", source);
    const bool slow = grain > 1e-6 || strcmp(source, "hpet") == 0 || strcmp(source, "acpi_pm") == 0;
    findings_add(
        findings, slow ? FINDING_WARN : FINDING_OK, "clock",
        "the kernel does not trust the processor's counter: look for clocksource in its log",
        "steps of %s on the worst rank, source %s", text, *source ? source : "unknown");
    free(text);
}

static bool same_host(const struct rank_facts *a, const struct rank_facts *b)
{
    return strcmp(a->host, b->host) == 0;
}

static int ranks_with(const struct rank_facts *facts, int ranks, int rank)
{
    int count = 0;
    for (int i = 0; i < ranks; i++)
        count += same_host(&facts[i], &facts[rank]);
    return count;
}

/* CPUs that the ranks of one host have together. */
static int cpus_with(const struct rank_facts *facts, int ranks, int rank)
{
    cpu_set_t all;
    CPU_ZERO(&all);
    for (int i = 0; i < ranks; i++)
        if (same_host(&facts[i], &facts[rank]))
            CPU_OR(&all, &all, &facts[i].cpus);
    return CPU_COUNT(&all);
}

/* A rank whose CPUs meet those of an earlier one on its host, or -1. */
static int overlapping(const struct rank_facts *facts, int ranks)
{
    for (int i = 0; i < ranks; i++) {
        for (int j = 0; j < i; j++) {
            cpu_set_t both;
            CPU_AND(&both, &facts[i].cpus, &facts[j].cpus);
            if (same_host(&facts[i], &facts[j]) && CPU_COUNT(&both) > 0)
                return i;
        }
    }
    return -1;
}

static int first_cpu(const cpu_set_t *cpus)
{
    for (size_t i = 0; i < CPU_SETSIZE; i++)
        if (CPU_ISSET(i, cpus))
            return (int)i;
    return -1;
}

static void check_crowd(struct findings *findings, const struct rank_facts *facts, int ranks)
{
    int worst = 0;
    for (int i = 1; i < ranks; i++)
        if (ranks_with(facts, ranks, i) * cpus_with(facts, ranks, worst) >
            ranks_with(facts, ranks, worst) * cpus_with(facts, ranks, i))
            worst = i;
    const int there = ranks_with(facts, ranks, worst), cpus = cpus_with(facts, ranks, worst);
    findings_add(findings, there > cpus ? FINDING_WARN : FINDING_OK, "cores",
                 "fewer ranks, or more cores: waiting ranks take time from those that work",
                 "%d rank%s on %d processing unit%s%s%s", there, there == 1 ? "" : "s", cpus,
                 cpus == 1 ? "" : "s", ranks > there ? " of host " : "",
                 ranks > there ? facts[worst].host : "");
}

/* Whether a rank's core has a hardware thread that another rank may use. The root's host speaks for
 * all. */
static bool shares_core(const char *root, const struct rank_facts *facts, int ranks, int rank)
{
    char path[LINE], list[LINE];
    const int cpu = first_cpu(&facts[rank].cpus);
    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/topology/thread_siblings_list", cpu);
    read_line(root, path, list);
    for (const char *at = list; *at; at += strcspn(at, ",-"), at += *at != '\0') {
        const int other = atoi(at);
        for (int i = 0; i < ranks && other != cpu; i++)
            if (i != rank && same_host(&facts[i], &facts[0]) && other < CPU_SETSIZE && other >= 0 &&
                CPU_ISSET((size_t)other, &facts[i].cpus))
                return true;
    }
    return false;
}

static void check_threads(struct findings *findings, const char *root,
                          const struct rank_facts *facts, int ranks)
{
    char active[LINE];
    int sharing = 0;
    read_line(root, "/sys/devices/system/cpu/smt/active", active);
    if (strcmp(active, "1") != 0) {
        findings_add(findings, *active ? FINDING_OK : FINDING_NOTE, "smt", NULL, "%s",
                     *active ? "one hardware thread a core" : "not visible here");
        return;
    }
    for (int i = 0; i < ranks; i++)
        sharing += same_host(&facts[i], &facts[0]) && shares_core(root, facts, ranks, i);
    findings_add(findings, sharing ? FINDING_WARN : FINDING_OK, "smt",
                 "bind ranks to cores (Open MPI: --map-by core --bind-to core)",
                 sharing ? "%d ranks may share a core with another one"
                         : "several hardware threads a core; no two ranks share one",
                 sharing);
}

void check_binding(struct findings *findings, const char *root, const struct rank_facts *facts,
                   int ranks)
{
    const int rank = overlapping(facts, ranks);
    check_crowd(findings, facts, ranks);
    if (ranks > 1)
        findings_add(findings, rank < 0 ? FINDING_OK : FINDING_WARN, "binding",
                     "bind each rank to cores of its own (Open MPI: --bind-to core; MPICH: "
                     "-bind-to core)",
                     rank < 0 ? "no two ranks have a processing unit in common"
                              : "rank %d may run where another one does, and be moved",
                     rank);
    check_threads(findings, root, facts, ranks);
}

void check_frequency(struct findings *findings, const char *root)
{
    char governor[LINE], turbo[LINE];
    read_line(root, "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", governor);
    read_line(root, "/sys/devices/system/cpu/intel_pstate/no_turbo", turbo);
    if (!*governor) {
        findings_add(findings, FINDING_NOTE, "frequency", NULL,
                     "not visible here, as in most virtual machines");
        return;
    }
    findings_add(findings, strcmp(governor, "performance") == 0 ? FINDING_OK : FINDING_WARN,
                 "frequency", "cpupower frequency-set -g performance, or ask who runs the machine",
                 "governor %s%s", governor, strcmp(turbo, "0") == 0 ? ", turbo on" : "");
}

/* Processors that a control group leaves, 0 if any number. */
static double read_quota(const char *root)
{
    char line[LINE];
    double quota = 0, period = 0;
    read_line(root, "/sys/fs/cgroup/cpu.max", line);
    if (sscanf(line, "%lf %lf", &quota, &period) == 2 && period > 0)
        return quota / period;
    read_line(root, "/sys/fs/cgroup/cpu/cpu.cfs_quota_us", line);
    quota = atof(line);
    read_line(root, "/sys/fs/cgroup/cpu/cpu.cfs_period_us", line);
    period = atof(line);
    return quota > 0 && period > 0 ? quota / period : 0;
}

void check_quota(struct findings *findings, const char *root)
{
    const double quota = read_quota(root);
    if (quota > 0)
        findings_add(findings, FINDING_WARN, "quota",
                     "give the container whole cores (cpuset) instead of a share of time",
                     "a control group stops all ranks once they have used %.3g processors' time",
                     quota);
    else
        findings_add(findings, FINDING_OK, "quota", NULL, "no limit on processor time is visible");
}

/* The ranks themselves don't count yet in the average of a minute. */
void check_load(struct findings *findings, const char *root, int ranks)
{
    char line[LINE];
    const long cpus = sysconf(_SC_NPROCESSORS_ONLN);
    read_line(root, "/proc/loadavg", line);
    const double load = atof(line);
    const bool busy = load + ranks > (double)cpus && load > 0.5;
    findings_add(findings,
                 !*line ? FINDING_NOTE
                 : busy ? FINDING_WARN
                        : FINDING_OK,
                 "load", "wait until the machine is free: others take time from the ranks",
                 *line ? "%.2f over the last minute, %ld processing units" : "not visible here",
                 load, cpus);
}

void check_pages(struct findings *findings, const char *root)
{
    char line[LINE];
    read_line(root, "/sys/kernel/mm/transparent_hugepage/enabled", line);
    const bool never = strstr(line, "[never]") != NULL;
    findings_add(findings,
                 !*line  ? FINDING_NOTE
                 : never ? FINDING_WARN
                         : FINDING_OK,
                 "huge pages",
                 "large buffers cost more: echo madvise > "
                 "/sys/kernel/mm/transparent_hugepage/enabled",
                 "transparent huge pages: %s", *line ? line : "not visible here");
}

void check_shared_memory(struct findings *findings, int ranks)
{
    struct statvfs status;
    if (ranks < 2)
        return;
    if (statvfs("/dev/shm", &status) != 0) {
        findings_add(findings, FINDING_WARN, "shm", "mount a tmpfs on /dev/shm",
                     "/dev/shm is not there");
        return;
    }
    const double megabytes = (double)status.f_bavail * (double)status.f_frsize / (1 << 20);
    findings_add(
        findings, megabytes < 64.0 * ranks ? FINDING_WARN : FINDING_OK, "shm",
        "MPI keeps what ranks of a host share there: --shm-size of the container, or size= "
        "of the mount",
        "%.0f MiB free in /dev/shm", megabytes);
}
