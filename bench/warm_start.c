/*
 * What the first call of a key costs in a new process whose record is on disk. One such start is
 * three calls on a new group, each through a new tuner: the first, with tuning off, attaches the
 * group; the second looks the record up, and loads hwloc's description of the machine, which is
 * what nobody can spare and is shown apart; the third looks it up again. So the first and the third
 * together are a start without hwloc. Medians over many starts; then again with 10,000 further
 * records in the folder. The slowest rank counts.
 */
#include <dirent.h>
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <tutti/mpi.h>
#include <tutti/tutti.h>

#define STARTS  301
#define FURTHER 10000
#define BAR     200.0 /* microseconds, whatever the number of records */

struct config {
    int block_s, block_d, buffers;
};

static const tutti_param params[] = {
    TUTTI_PARAM(struct config, block_s, 32, 64, 128, 256, 512),
    TUTTI_PARAM(struct config, block_d, 64, 128),
    TUTTI_PARAM(struct config, buffers, 2, 3, 4, 8),
};

static int rank, ranks;

static int launch(void *args, const void *config, const tutti_context *context)
{
    (void)args;
    (void)config;
    (void)context;
    return 0;
}

static int key(tutti_key *key, const void *args, void *user)
{
    const int64_t a[] = {4096, 8, 128}, c[] = {2048, 16, 128};
    (void)args;
    (void)user;
    tutti_key_shape(key, "A", 3, a);
    tutti_key_shape(key, "C", 3, c);
    tutti_key_string(key, "dtype", "bf16");
    tutti_key_integer(key, "ranks", ranks);
    return 0;
}

static void check(int status, const char *what)
{
    if (status == TUTTI_SUCCESS)
        return;
    fprintf(stderr, "%s: %s\n", what, tutti_strerror(status));
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static tutti_group *new_group(void)
{
    tutti_group *group;
    check(ranks == 1 ? tutti_group_create_serial(&group)
                     : tutti_group_create_mpi(MPI_COMM_WORLD, &group),
          "creating the group");
    return group;
}

/* The seconds of the first call of a new tuner; its source must be as expected. */
static double first_call(tutti_group *group, bool off, int source)
{
    const tutti_call_options options = {.size = sizeof options, .autotune_off = off};
    tutti_tuner *tuner;
    tutti_report report = {.size = sizeof report};
    check(tutti_tuner_create(&(tutti_tuner_desc){.size = sizeof(tutti_tuner_desc),
                                                 .name = "warm_start",
                                                 .params = params,
                                                 .nparams = 3,
                                                 .config_size = sizeof(struct config),
                                                 .key = key,
                                                 .run = launch},
                             &tuner),
          "tutti_tuner_create");
    MPI_Barrier(MPI_COMM_WORLD);
    double seconds = MPI_Wtime();
    check(tutti_call(tuner, NULL, group, &options), "tutti_call");
    seconds = MPI_Wtime() - seconds;
    check(tutti_report_get(tuner, NULL, group, &report), "tutti_report_get");
    if (report.source != source) {
        fprintf(stderr, "the configuration comes from: %s\n", tutti_source_name(report.source));
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    tutti_tuner_destroy(tuner);
    MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return seconds;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* In microseconds. */
static double median(double values[STARTS])
{
    qsort(values, STARTS, sizeof *values, ascending);
    return values[STARTS / 2] * 1e6;
}

static void measure(const char *folder)
{
    static double attach[STARTS], with_hwloc[STARTS], again[STARTS], whole[STARTS];
    for (int i = 0; i < STARTS; i++) {
        tutti_group *group = new_group();
        attach[i] = first_call(group, true, TUTTI_SOURCE_DEFAULT_OFF);
        with_hwloc[i] = first_call(group, false, TUTTI_SOURCE_RECORD);
        again[i] = first_call(group, false, TUTTI_SOURCE_RECORD);
        whole[i] = attach[i] + again[i];
        tutti_group_release(group);
    }
    const double look_up = median(again), start = median(whole);
    if (rank == 0)
        printf("%d rank%s, %s in the folder: %.0f us (bar: %.0f us): attaching %.0f us, the record "
               "%.0f us; hwloc %.0f us besides\n",
               ranks, ranks == 1 ? "" : "s", folder, start, BAR, median(attach), look_up,
               median(with_hwloc) - look_up);
}

/* The files of the function's folder: counted, and the name of the last. */
static int list(const char *folder, char name[256])
{
    int count = 0;
    DIR *listing = opendir(folder);
    for (struct dirent *entry; listing && (entry = readdir(listing));) {
        if (entry->d_name[0] == '.')
            continue;
        snprintf(name, 256, "%.255s", entry->d_name);
        count++;
    }
    if (listing)
        closedir(listing);
    return count;
}

/* Root only: copies of the one record under other keys' names. */
static void add_further(const char *folder)
{
    char name[256], path[1024];
    static char record[1 << 20];
    if (list(folder, name) != 1) {
        fprintf(stderr, "%s does not have one record\n", folder);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "r");
    const size_t length = file ? fread(record, 1, sizeof record, file) : 0;
    if (file)
        fclose(file);
    for (int i = 0; i < FURTHER; i++) {
        snprintf(path, sizeof path, "%s/%032x.json", folder, i);
        file = fopen(path, "w");
        if (!file || fwrite(record, 1, length, file) != length || fclose(file))
            MPI_Abort(MPI_COMM_WORLD, 1);
    }
}

static void remove_folder(const char *directory, const char *folder)
{
    DIR *listing = opendir(folder);
    for (struct dirent *entry; listing && (entry = readdir(listing));)
        unlinkat(dirfd(listing), entry->d_name, 0); /* "." and ".." stay */
    if (listing)
        closedir(listing);
    rmdir(folder);
    rmdir(directory);
}

int main(int argc, char **argv)
{
    char directory[64] = "/tmp/tutti-warm-start.XXXXXX", folder[128];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (rank == 0 && !mkdtemp(directory))
        MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Bcast(directory, sizeof directory, MPI_CHAR, 0, MPI_COMM_WORLD);
    snprintf(folder, sizeof folder, "%s/warm_start", directory);
    setenv("TUTTI_CACHE_DIR", directory, 1);
    setenv("TUTTI_LOG", "error", 1); /* an empty launcher is all noise */

    tutti_group *group = new_group();
    first_call(group, false, TUTTI_SOURCE_SEARCH);
    tutti_group_release(group);
    measure("1 record");
    if (rank == 0)
        add_further(folder);
    measure("10,001 records");
    if (rank == 0)
        remove_folder(directory, folder);
    MPI_Finalize();
    return 0;
}
