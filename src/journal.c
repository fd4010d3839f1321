/*
 * Journals as files: begun, taken over, kept up, ended. See journal.h, and journal_line.h for what
 * is in them.
 *
 * What others left is taken over in three steps, so that it is on disk at any moment: each file is
 * renamed to a claim of this process's (only one of several starters can do that), then all that
 * they say is written into the new journal, then the claims are removed. Who dies in between leaves
 * claims, and maybe a journal, that say the same twice; merging them again changes nothing.
 */
#include "journal.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#include <linux/magic.h>

#include "folder.h"
#include "journal_line.h"
#include "owner.h"
#include "store.h"

#define NAME_SIZE   (NAME_MAX + 1)
#define NUMBERS     100 /* journals of one process for one record at a time */
#define CLAIMS_MOST 64  /* files that one start takes over; the next one takes the rest */
#define SUFFIX      ".journal"
#define LEFT        ".left" /* before the suffix: closed, and nobody is at it */

#ifndef XFS_SUPER_MAGIC
#define XFS_SUPER_MAGIC 0x58465342
#endif

struct journal {
    int folder, file; /* file: -1 if no notes are kept, and only claims are to be removed */
    char *stem;       /* the record's name without ".json" */
    struct owner owner;
    unsigned number, claims;
    uint64_t configurations;
    atomic_bool noted;   /* there is something that the next start should know */
    atomic_bool stopped; /* a line could not be written: no more, since it may be there in part */

    char *page;             /* the mapped first line, or NULL */
    _Atomic uint64_t *cell; /* in it; without it, own_cell */
    _Atomic uint64_t own_cell;
    int cell_file; /* to write the cell with if it is not mapped, else -1 */
};

/* ---- names ---- */

struct name {
    struct owner owner;
    unsigned number, claim; /* claim 0 is the journal itself */
    bool left;
};

static bool name_print(const char *stem, const struct name *name, char text[NAME_SIZE])
{
    const int length = snprintf(text, NAME_SIZE, "%s.%016" PRIx64 ".%ld.%" PRIu64 ".%u.%u%s" SUFFIX,
                                stem, name->owner.host, name->owner.pid, name->owner.start,
                                name->number, name->claim, name->left ? LEFT : "");
    return length > 0 && length < NAME_SIZE;
}

/* Takes apart what follows the stem; false unless name_print would write the same. */
static bool name_parse(const char *text, size_t stem_length, struct name *name)
{
    char stem[NAME_SIZE], again[NAME_SIZE];
    int end = 0;
    *name = (struct name){0};
    if (strlen(text) >= NAME_SIZE || text[stem_length] != '.')
        return false;
    snprintf(stem, sizeof stem, "%.*s", (int)stem_length, text);
    const int count = sscanf(text + stem_length, ".%16" SCNx64 ".%10ld.%20" SCNu64 ".%9u.%9u%n",
                             &name->owner.host, &name->owner.pid, &name->owner.start, &name->number,
                             &name->claim, &end);
    if (count != 5 || name->owner.pid <= 0 || name->owner.pid > INT_MAX)
        return false;
    name->left = strcmp(text + stem_length + end, LEFT SUFFIX) == 0;
    return name_print(stem, name, again) && strcmp(text, again) == 0;
}

bool journal_is_one(const char *text, struct owner *owner, bool *left)
{
    struct name name;
    const char *dot = strchr(text, '.'); /* names of records have none */
    if (!dot || !name_parse(text, (size_t)(dot - text), &name))
        return false;
    *owner = name.owner;
    *left = name.left;
    return true;
}

static bool own_name(const struct journal *journal, unsigned claim, bool left, char text[NAME_SIZE])
{
    const struct name name = {
        .owner = journal->owner, .number = journal->number, .claim = claim, .left = left};
    return name_print(journal->stem, &name, text);
}

/* ---- what others left ---- */

struct litter {
    unsigned count;
    char names[CLAIMS_MOST][NAME_SIZE];
};

/* Seconds since a regular file was written to; -1 if it is none. empty may be NULL. */
static double quiet_time(int folder, const char *name, bool *empty)
{
    struct stat status;
    if (fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(status.st_mode))
        return -1;
    if (empty)
        *empty = status.st_size == 0;
    const double quiet = difftime(time(NULL), status.st_mtime);
    return quiet > 0 ? quiet : 0;
}

/* Whether nobody is at a journal of this record any more. */
static bool is_abandoned(int folder, const char *stem, const char *text, uint64_t this_host,
                         bool *empty)
{
    struct name name;
    const size_t length = strlen(stem);
    if (strncmp(text, stem, length) != 0 || !name_parse(text, length, &name))
        return false;
    const double quiet = quiet_time(folder, text, empty);
    if (quiet < 0)
        return false;
    const enum owner_state state = owner_state(&name.owner, this_host);
    return name.left || state == OWNER_DEAD || (state == OWNER_UNKNOWN && quiet >= JOURNAL_QUIET);
}

/* Whether it is some record's journal that nobody has wanted for so long that nobody will. */
static bool is_stale(int folder, const char *text, uint64_t this_host)
{
    struct owner owner;
    bool left;
    return journal_is_one(text, &owner, &left) && quiet_time(folder, text, NULL) >= JOURNAL_STALE &&
           (left || owner_state(&owner, this_host) != OWNER_LIVES);
}

/* Collected first, since renaming changes what a listing goes on with. Empty files are of those who
 * died before their first word: without them, however many, only parallel searches add up. NULL: no
 * memory, or no listing. */
static struct litter *find_litter(int folder, const char *stem, uint64_t host, bool remove_empty)
{
    DIR *listing = folder_list(folder);
    struct litter *litter = listing ? calloc(1, sizeof *litter) : NULL;
    const struct dirent *entry;
    while (litter && litter->count < CLAIMS_MOST && (entry = readdir(listing))) {
        bool empty;
        if (!is_abandoned(folder, stem, entry->d_name, host, &empty))
            continue;
        if (!empty)
            snprintf(litter->names[litter->count++], NAME_SIZE, "%s", entry->d_name);
        else if (remove_empty)
            unlinkat(folder, entry->d_name, 0);
    }
    if (listing)
        closedir(listing);
    return litter;
}

/* A search is complete: what is left of others like it is of no more use, nor what is too old. */
static bool is_useless(int folder, const char *text, const void *complete)
{
    const struct journal *journal = complete;
    const uint64_t host = journal->owner.host;
    return is_abandoned(folder, journal->stem, text, host, NULL) || is_stale(folder, text, host);
}

/* ---- the past ---- */

/* Adds what a file says to the past; false if it is there and no journal. */
static bool read_past(const char *folder, const char *name, const char *how,
                      struct journal_past *past, struct text *why)
{
    struct text path = {0}, bytes = {0}, wrong = {0};
    struct journal_past one;
    bool valid = true;
    text_add(&path, "%s%s", folder, name);
    if (path.failed || !journal_past_init(&one, past->configurations)) {
        text_release(&path);
        return true; /* no memory is not its fault */
    }
    const enum store_result result = store_read(path.bytes, &bytes, &wrong);
    if (result == STORE_FAILED) {
        text_add(why, "%s%s", why->length ? "; " : "", wrong.bytes ? wrong.bytes : path.bytes);
        valid = false;
    } else if (result == STORE_OK) {
        valid = journal_parse(&bytes, how, &one, &wrong);
        if (valid)
            journal_merge(past, &one);
        else
            text_add(why, "%s%s is not a valid journal and is ignored: %s", why->length ? "; " : "",
                     path.bytes, wrong.bytes ? wrong.bytes : "");
    }
    journal_past_release(&one);
    text_release(&path);
    text_release(&bytes);
    text_release(&wrong);
    return valid;
}

/* Makes a file this process's own; false if another one was quicker. The time comes first: under
 * the new name it must never look as if it had been quiet. */
static bool claim(struct journal *journal, const char *name, char claimed[NAME_SIZE])
{
    if (!own_name(journal, journal->claims + 1, false, claimed))
        return false;
    utimensat(journal->folder, name, NULL, AT_SYMLINK_NOFOLLOW);
    if (renameat(journal->folder, name, journal->folder, claimed) != 0)
        return false;
    journal->claims++;
    return true;
}

/* Without a journal of its own it reads what there is and leaves it. */
static void take_over(struct journal *journal, const char *folder, const char *how,
                      struct journal_past *past, struct text *why)
{
    const bool own = journal->file >= 0;
    struct litter *litter = find_litter(journal->folder, journal->stem, journal->owner.host, own);
    char claimed[NAME_SIZE];
    for (unsigned i = 0; litter && i < litter->count; i++) {
        if (own && !claim(journal, litter->names[i], claimed))
            continue;
        if (!read_past(folder, own ? claimed : litter->names[i], how, past, why) && own)
            unlinkat(journal->folder, claimed, 0);
    }
    free(litter);
}

static void remove_claims(const struct journal *journal)
{
    char name[NAME_SIZE];
    for (unsigned i = 1; i <= journal->claims; i++)
        if (own_name(journal, i, false, name))
            unlinkat(journal->folder, name, 0);
}

/* ---- writing ---- */

/* One write, all or nothing as far as the system goes; false with errno. */
static bool write_once(const struct journal *journal, const struct text *text)
{
    struct rlimit limit;
    struct stat status;
    ssize_t count;
    if (text->failed) {
        errno = ENOMEM;
        return false;
    }
    if (fstat(journal->file, &status) != 0)
        return false;
    if (getrlimit(RLIMIT_FSIZE, &limit) == 0 &&
        limit.rlim_cur < (rlim_t)status.st_size + text->length) {
        errno = EFBIG; /* before the system says so with a signal that ends the program */
        return false;
    }
    do
        count = write(journal->file, text->bytes, text->length);
    while (count < 0 && errno == EINTR);
    if (count >= 0 && (size_t)count < text->length)
        errno = ENOSPC;
    return count >= 0 && (size_t)count == text->length;
}

static void append(struct journal *journal, const struct text *line)
{
    if (line->length == 0 || atomic_load(&journal->stopped))
        return;
    if (write_once(journal, line))
        atomic_store(&journal->noted, true);
    else
        atomic_store(&journal->stopped, true);
}

/* Makes a file that was not there; -1 with errno. Other threads may have taken the first numbers.
 */
static int create(struct journal *journal, char name[NAME_SIZE])
{
    for (journal->number = 0; journal->number < NUMBERS; journal->number++) {
        errno = ENAMETOOLONG;
        if (!own_name(journal, 0, false, name))
            return -1;
        const int file =
            openat(journal->folder, name,
                   O_RDWR | O_APPEND | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
        if (file >= 0 || errno != EEXIST)
            return file;
    }
    return -1;
}

/*
 * Whether a page of the file that was written once can be written again whatever happens. Elsewhere
 * it may need space on the disk, or a server, and the lack of it is a signal that ends the program.
 */
static bool is_mapped_safely(int file)
{
    struct statfs status;
    if (fstatfs(file, &status) != 0)
        return false;
    switch ((unsigned long)status.f_type) {
    case EXT4_SUPER_MAGIC: /* ext2 and ext3, too */
    case XFS_SUPER_MAGIC:
    case TMPFS_MAGIC:
    case RAMFS_MAGIC:
        return true;
    default:
        return false;
    }
}

static void open_cell(struct journal *journal, const char *name)
{
    void *page = MAP_FAILED;
    atomic_init(&journal->own_cell, journal_cell(JOURNAL_NONE));
    journal->cell = &journal->own_cell;
    if (is_mapped_safely(journal->file))
        page = mmap(NULL, JOURNAL_HEAD, PROT_READ | PROT_WRITE, MAP_SHARED, journal->file, 0);
    if (page == MAP_FAILED) { /* another one without O_APPEND, under which there are no places */
        journal->cell_file = openat(journal->folder, name, O_WRONLY | O_NOFOLLOW | O_CLOEXEC);
        return;
    }
    journal->page = page;
    journal->cell = (_Atomic uint64_t *)(void *)(journal->page + JOURNAL_CELL);
    journal_none(journal); /* makes the page present */
}

/* What is in flight was changed; passes it on if the cell isn't the file itself. */
static void cell_changed(const struct journal *journal, uint64_t cell)
{
    ssize_t count = 0;
    if (journal->cell_file >= 0)
        count = pwrite(journal->cell_file, &cell, sizeof cell, JOURNAL_CELL);
    (void)count; /* a convenience */
}

static void set_cell(struct journal *journal, uint64_t configuration)
{
    if (!journal || journal->file < 0)
        return;
    const uint64_t cell = journal_cell(configuration);
    /* The order against the launcher's own code matters to what is found after its end: a process
     * ends between two instructions, so that the compiler's order is all that counts. */
    atomic_store_explicit(journal->cell, cell, memory_order_release);
    atomic_signal_fence(memory_order_seq_cst);
    cell_changed(journal, cell);
}

/* ---- opening ---- */

/* -1 with errno. path ends in a slash. */
static int open_folder(char *path, bool make)
{
    int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder >= 0 || errno != ENOENT || !make)
        return folder;
    char *end = path + strlen(path) - 1;
    *end = '\0';
    const bool made = store_make_folders(path);
    *end = '/';
    return made ? open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
}

static void destroy(struct journal *journal)
{
    if (journal->page)
        munmap(journal->page, JOURNAL_HEAD);
    if (journal->cell_file >= 0)
        close(journal->cell_file);
    if (journal->file >= 0)
        close(journal->file);
    if (journal->folder >= 0)
        close(journal->folder);
    free(journal->stem);
    free(journal);
}

/* A journal without files; the folder's path, for reading, goes to *folder. NULL with errno. */
static struct journal *begin(const char *record_path, uint64_t configurations, bool make,
                             char **folder)
{
    static const char extension[] = ".json";
    const char *slash = strrchr(record_path, '/');
    const char *record = slash ? slash + 1 : record_path;
    size_t length = strlen(record);
    if (length >= sizeof extension && strcmp(record + length - 5, extension) == 0)
        length -= sizeof extension - 1;
    struct journal *journal = calloc(1, sizeof *journal);
    *folder = slash ? strndup(record_path, (size_t)(record - record_path)) : strdup("./");
    if (journal)
        *journal = (struct journal){.folder = -1, .file = -1, .cell_file = -1};
    if (journal && *folder && (journal->stem = strndup(record, length))) {
        journal->configurations = configurations;
        journal->owner = owner_self();
        journal->folder = open_folder(*folder, make);
    } else {
        errno = ENOMEM;
    }
    if (journal && journal->folder >= 0)
        return journal;
    const int error = errno;
    if (journal)
        destroy(journal);
    free(*folder);
    *folder = NULL;
    errno = error;
    return NULL;
}

/* The first write of a journal: who it is for, and the past. */
static bool write_past(struct journal *journal, const char *how, const struct journal_past *past)
{
    struct text text = {0};
    journal_add_head(journal->configurations, &text);
    journal_add_search(how, &text);
    journal_add_past(past, &text);
    const bool written = write_once(journal, &text);
    const int error = errno;
    atomic_store(&journal->noted, past->finished + past->suspects > 0);
    text_release(&text);
    errno = error;
    return written;
}

static void refuse(struct text *why, const char *record_path, int error)
{
    text_add(why, "%sno journal is kept beside %s, an interrupted search can't resume: %s",
             why->length ? "; " : "", record_path, strerror(error));
}

/* The claims stay, and are removed once the search is complete. */
static void give_up(struct journal *journal, const char *name)
{
    unlinkat(journal->folder, name, 0);
    close(journal->file);
    journal->file = -1;
}

bool journal_open(const char *record_path, uint64_t configurations, const char *how,
                  struct journal **journal, struct journal_past *past, struct text *why)
{
    char *folder = NULL, name[NAME_SIZE];
    *journal = NULL;
    *past = (struct journal_past){0};
    if (!*record_path) {
        text_add(why, "no journal is kept: there is no directory for records");
        return false;
    }
    if (!journal_past_init(past, configurations)) {
        refuse(why, record_path, configurations > JOURNAL_MOST ? EFBIG : ENOMEM);
        return false;
    }
    struct journal *made = begin(record_path, configurations, true, &folder);
    if (!made) {
        refuse(why, record_path, errno);
        return false;
    }
    made->file = create(made, name);
    int error = errno;
    take_over(made, folder, how, past, why);
    if (made->file >= 0 && !write_past(made, how, past)) {
        error = errno;
        give_up(made, name);
    }
    free(folder);
    const bool kept = made->file >= 0;
    if (kept) {
        remove_claims(made);
        made->claims = 0;
        open_cell(made, name);
    } else {
        refuse(why, record_path, error);
    }
    if (kept || made->claims > 0)
        *journal = made;
    else
        destroy(made);
    return kept;
}

void journal_peek(const char *record_path, uint64_t configurations, const char *how,
                  struct journal_past *past, struct text *why)
{
    char *folder;
    if (!*record_path || !journal_past_init(past, configurations))
        return;
    struct journal *reader = begin(record_path, configurations, false, &folder);
    if (!reader)
        return;
    take_over(reader, folder, how, past, why);
    free(folder);
    destroy(reader);
}

/* ---- while it lasts ---- */

void journal_start(struct journal *journal, uint64_t configuration)
{
    if (journal && configuration < journal->configurations)
        set_cell(journal, configuration);
}

void journal_none(struct journal *journal)
{
    set_cell(journal, JOURNAL_NONE);
}

void journal_finish(struct journal *journal, uint64_t configuration, const tutti_trial *trial)
{
    if (!journal || journal->file < 0 || configuration >= journal->configurations)
        return;
    struct text line = {0};
    journal_add_finished(configuration, trial, &line);
    append(journal, &line);
    const bool noted = line.length > 0;
    text_release(&line);
    uint64_t in_flight = journal_cell(configuration);
    const uint64_t none = journal_cell(JOURNAL_NONE);
    if (noted && atomic_compare_exchange_strong(journal->cell, &in_flight, none))
        cell_changed(journal, none);
}

void journal_condemn(struct journal *journal, uint64_t configuration, int status, int rank,
                     const char *reason)
{
    const tutti_trial trial = {.status = status, .slowest_rank = rank, .reason = reason};
    journal_finish(journal, configuration, &trial);
}

/* ---- closing ---- */

/* Left files bear no owner's claim: also this process takes them over when it begins again. */
static void leave(const struct journal *journal)
{
    char name[NAME_SIZE], left[NAME_SIZE];
    const unsigned first = journal->file >= 0 ? 0 : 1;
    for (unsigned i = first; i <= journal->claims; i++)
        if (own_name(journal, i, false, name) && own_name(journal, i, true, left))
            renameat(journal->folder, name, journal->folder, left);
}

void journal_abandon(struct journal *journal)
{
    if (!journal)
        return;
    leave(journal);
    destroy(journal);
}

void journal_close(struct journal *journal, bool complete)
{
    char name[NAME_SIZE];
    if (!journal)
        return;
    journal_none(journal);
    if (journal->file >= 0 && (complete || !atomic_load(&journal->noted)) &&
        own_name(journal, 0, false, name))
        unlinkat(journal->folder, name, 0);
    else
        leave(journal);
    if (complete) {
        remove_claims(journal);
        folder_clean(journal->folder, is_useless, journal);
    }
    destroy(journal);
}
