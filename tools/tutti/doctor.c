/* tutti doctor: what would hurt a tuning here. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#include <tutti/error.h>
#include <tutti/settings.h>
#include <tutti/store.h>
#include <tutti/version.h>

#include "command.h"
#include "findings.h"
#include "machine.h"
#include "options.h"
#include "print.h"
#include "world.h"

enum { KEY_ROOT = 256 };

struct input {
    struct output_options output;
    const char *root;
};

static error_t parse(int key, char *text, struct argp_state *state)
{
    struct input *input = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &input->output;
        return 0;
    case KEY_ROOT:
        input->root = text;
        return 0;
    case ARGP_KEY_ARG:
        argp_error(state, "%s: only options are expected", text);
        return EINVAL;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option options[] = {
    {"root", KEY_ROOT, "DIR", OPTION_HIDDEN, "Look for /proc and /sys in DIR", 1}, {0}};

static const struct argp_child children[] = {{&output_argp, 0, NULL, 0}, {0}};

static const struct argp argp = {
    .options = options,
    .parser = parse,
    .doc =
        "Look for what would hurt a tuning here: the clock, the ranks and their cores, what else "
        "runs, the settings and the store."
        "\vRun it as the program will be run, as in 'mpirun -n 4 tutti doctor': then it also "
        "sees the ranks' binding and how far apart they leave a barrier. It makes and removes "
        "one small file in the store.\n\n"
        "Exit status: 0; 1 if there is something to warn of (0 under an MPI launcher, which would "
        "take it for a crash); 2 wrong usage; 3 an error.",
    .children = children};

/* ---- the program under the launcher ---- */

/* This process's rank, if a launcher of MPI's started it; else -1. */
static int launched_rank(void)
{
    static const char *const names[] = {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (getenv(names[i]))
            return atoi(getenv(names[i]));
    return -1;
}

/* The folder of this program, NULL if it can't be found out. */
static char *own_folder(void)
{
    char path[PATH_MAX];
    const ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    if (length <= 0)
        return NULL;
    path[length] = '\0';
    *strrchr(path, '/') = '\0';
    return format("%s", path);
}

/* Becomes the program that knows MPI, if it is there: beside this one, or where it is installed. */
static void become_rank(int argc, char **argv)
{
    static const char *const places[] = {"tutti-doctor-mpi", TUTTI_LIBEXEC "/tutti-doctor-mpi"};
    char *folder = own_folder();
    for (size_t i = 0; folder && argc > 0 && i < 2; i++) {
        char *path = format("%s/%s", folder, places[i]);
        execv(path, argv);
        free(path);
    }
    free(folder);
}

/* ---- ranks ---- */

static void check_mpi(struct findings *findings, const struct world *world, const char *mistake)
{
    if (mistake)
        findings_add(findings, FINDING_FAIL, "mpi", "see docs/messages.md",
                     "%s: libtutti-mpi can't tune on these %d ranks: %s", world->library,
                     world->size, mistake);
    else if (world->is_mpi)
        findings_add(findings, FINDING_OK, "mpi", NULL, "%s, %d rank%s, libtutti-mpi works",
                     world->library, world->size, world->size == 1 ? "" : "s");
    else if (launched_rank() >= 0)
        findings_add(findings, FINDING_WARN, "mpi",
                     "install libtutti-mpi, which brings it; a build without MPI has none",
                     "an MPI launcher started this, but there is no tutti-doctor-mpi here");
    else
        findings_add(findings, FINDING_NOTE, "mpi", NULL,
                     "not started by an MPI launcher: one process is looked at");
}

static void check_barrier(struct findings *findings, double skew, double barrier)
{
    char *apart = seconds_text(skew), *long_text = seconds_text(barrier);
    findings_add(findings, skew > 100e-6 ? FINDING_WARN : FINDING_OK, "barrier",
                 "runs that take less than some times this are timed several at once; binding and "
                 "free cores help",
                 "ranks of a host leave it within %s of each other; it takes %s", apart, long_text);
    free(apart);
    free(long_text);
}

/* ---- settings and store ---- */

static void visit_setting(const tutti_setting *setting, void *user)
{
    if (setting->mistake)
        findings_add(user, FINDING_FAIL, "settings", "correct it: every call will be refused", "%s",
                     setting->mistake);
}

static void check_settings(struct findings *findings)
{
    char warnings[8192];
    const int status = tutti_settings_each(visit_setting, findings, warnings, sizeof warnings);
    char *rest = NULL;
    for (char *line = strtok_r(warnings, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
        findings_add(findings, FINDING_WARN, "settings", "see docs/settings.md", "%s", line);
    if (status == TUTTI_SUCCESS)
        findings_add(findings, FINDING_OK, "settings", NULL,
                     "all are allowed; tutti settings shows them");
}

/* A file system by its number in statfs(2); NULL if it is none that is known. */
static const char *file_system(long type, bool *is_network)
{
    static const struct {
        long type;
        const char *name;
        bool is_network;
    } known[] = {
        {0xEF53, "ext", false},       {0x58465342, "xfs", false},     {0x9123683E, "btrfs", false},
        {0x01021994, "tmpfs", false}, {0x794C7630, "overlay", false}, {0x2FC12FC1, "zfs", false},
        {0x6969, "nfs", true},        {0xFF534D42, "cifs", true},     {0x0BD00BD0, "lustre", true},
        {0x47504653, "gpfs", true},   {0x65735546, "fuse", true},     {0x01021997, "9p", true},
        {0x00C36400, "ceph", true},   {0x19830326, "beegfs", true}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (known[i].type != type)
            continue;
        *is_network = known[i].is_network;
        return known[i].name;
    }
    *is_network = false;
    return NULL;
}

/* The folder itself, or the nearest one above it that is there; a new string. */
static char *existing_folder(const char *directory)
{
    char *path = format("%s", directory);
    while (access(path, F_OK) != 0) {
        char *slash = strrchr(path, '/');
        if (!slash || slash == path) {
            free(path);
            return format("%s", slash ? "/" : ".");
        }
        *slash = '\0';
    }
    return path;
}

static void check_space(struct findings *findings, const char *folder)
{
    struct statfs status;
    bool is_network;
    if (statfs(folder, &status) != 0)
        return;
    const char *name = file_system((long)status.f_type, &is_network);
    const double megabytes = (double)status.f_bavail * (double)status.f_bsize / (1 << 20);
    findings_add(
        findings, is_network ? FINDING_WARN : FINDING_OK, "file system",
        "it works, but the root waits for it at each new key, and locks up with it: a local "
        "TUTTI_CACHE_DIR is faster, TUTTI_CACHE_PATH can name a shared one to read",
        "%s", name ? name : "of a kind that is not known here");
    findings_add(findings, megabytes < 16 ? FINDING_WARN : FINDING_OK, "space",
                 "make room: a record takes kilobytes, of a large space megabytes", "%.0f MiB free",
                 megabytes);
}

/* A save, as the library makes one: file, fsync, rename, fsync of the folder. Seconds, or -1 with
 * errno. */
static double time_save(const char *folder)
{
    static const char text[] = "tutti doctor looked whether this folder can be written\n";
    struct timespec begin, end;
    char *first = format("%s/.doctor.XXXXXX", folder),
         *second = format("%s/.doctor.%ld", folder, (long)getpid());
    clock_gettime(CLOCK_MONOTONIC, &begin);
    const int file = mkstemp(first), parent = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    bool good = file >= 0 && write(file, text, sizeof text - 1) == (ssize_t)sizeof text - 1 &&
                fsync(file) == 0 && rename(first, second) == 0;
    if (good && parent >= 0)
        fsync(parent);
    clock_gettime(CLOCK_MONOTONIC, &end);
    const int error = errno;
    if (file >= 0) {
        close(file);
        unlink(good ? second : first);
    }
    if (parent >= 0)
        close(parent);
    free(first);
    free(second);
    errno = error;
    return good ? (double)(end.tv_sec - begin.tv_sec) + 1e-9 * (double)(end.tv_nsec - begin.tv_nsec)
                : -1;
}

static void check_save(struct findings *findings, const char *folder, const char *directory)
{
    const double seconds = time_save(folder);
    if (seconds < 0) {
        findings_add(findings, FINDING_FAIL, "store",
                     "set TUTTI_CACHE_DIR to a folder of yours: without one, results are kept in "
                     "memory only",
                     "%s can't be written: %s", directory, strerror(errno));
        return;
    }
    char *text = seconds_text(seconds);
    findings_add(findings, seconds > 0.1 ? FINDING_WARN : FINDING_OK, "store",
                 "the root saves each new key once, and all ranks wait for it",
                 "%s%s, a save takes %s", directory,
                 strcmp(folder, directory) == 0 ? "" : " (is made when it is needed)", text);
    free(text);
}

static void check_store(struct findings *findings, const char *directory)
{
    char message[1024];
    tutti_store *store;
    if (tutti_store_open(directory, &store, message, sizeof message) != TUTTI_SUCCESS) {
        findings_add(findings, FINDING_FAIL, "store", "set TUTTI_CACHE_DIR to a folder of yours",
                     "%s", message);
        return;
    }
    char *folder = existing_folder(tutti_store_directory(store));
    check_save(findings, folder, tutti_store_directory(store));
    check_space(findings, folder);
    free(folder);
    tutti_store_close(store);
}

/* ---- all of it ---- */

/* What the ranks have told, at the root. */
static void check_ranks(struct findings *findings, const char *root, const struct world *world,
                        const struct rank_facts *facts)
{
    check_binding(findings, root, facts, world->size);
    check_clock(findings, root, facts, world->size);
    check_frequency(findings, root);
    check_quota(findings, root);
    check_load(findings, root, world->size);
    check_pages(findings, root);
    check_shared_memory(findings, world->size);
}

static int examine(const struct input *input)
{
    struct world world;
    struct rank_facts mine;
    double skew, barrier;
    if (!world_start(&world))
        return STATUS_ERROR;
    /* Every rank makes findings; the root's are told. */
    struct findings *findings = findings_new();
    struct rank_facts *all = need(calloc((size_t)world.size, sizeof *all));
    findings_add(findings, FINDING_OK, "tutti", NULL, "version %s", tutti_version());
    check_settings(findings); /* before the trial, which changes some */
    facts_collect(&mine);
    world_gather(&mine, all, sizeof mine);
    check_mpi(findings, &world, world_try_group());
    if (world_measure_barrier(&skew, &barrier))
        check_barrier(findings, skew, barrier);
    if (world.rank == 0) {
        check_ranks(findings, input->root, &world, all);
        check_store(findings, input->output.store);
    }
    free(all);
    int status = STATUS_OK;
    if (world.rank != 0)
        findings_release(findings);
    else if (!findings_tell(findings, input->output.json) && launched_rank() < 0)
        status = STATUS_FOUND; /* launchers would take it for a crash, and say so at length */
    fflush(stdout);
    world_end();
    return status;
}

static int run(int argc, char **argv)
{
    struct input input = {.root = ""};
    argp_parse(&argp, argc, argv, 0, NULL, &input);
    const int rank = launched_rank();
    if (rank >= 0)
        setenv("NO_COLOR", "1", 1); /* launchers show ranks a terminal that is none */
    if (rank >= 0 && !world_has_mpi)
        become_rank(argc, argv);
    return rank > 0 && !world_has_mpi ? STATUS_OK : examine(&input);
}

const struct command doctor_command = {
    .name = "doctor", .summary = "what would hurt a tuning here", .argp = &argp, .run = run};
