/* The text of a journal, written and read. See journal_line.h. */
#include "journal_line.h"

#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

#define HEAD_BEGIN   "tutti journal 1, configurations "
#define HEAD_MIDDLE  ", now in flight "
#define CELL_NONE    "    none"
#define DIGITS       8    /* of numbers in the first line */
#define TEXT_LIMIT   1024 /* bytes of a reason */
#define CHECKSUM     10   /* characters, " #1f0c2a77" */
#define MOST_TIMES   255
#define SECONDS_SIZE 40 /* room for "1.2345678901234567e-05", whatever the locale makes of it */
#define POINT_DIGITS 16 /* behind the point */

static const char *const answers[] = {"ok", "slow", "failed", "wrong", "timeout", "crashed"};
static const char no_reason[] = "";

/* ---- words ---- */

static bool is_answer(const char *word)
{
    for (size_t i = 0; i < sizeof answers / sizeof answers[0]; i++)
        if (strcmp(answers[i], word) == 0)
            return true;
    return false;
}

/* The status that a word means, 0 if it is none that answers. */
static int answer_status(const char *word)
{
    if (!is_answer(word))
        return 0;
    for (int status = 1; status < 32; status++)
        if (strcmp(tutti_status_name(status), word) == 0)
            return status;
    return 0;
}

/* ---- writing ---- */

uint64_t journal_cell(uint64_t configuration)
{
    char bytes[DIGITS] = {' ', ' ', ' ', ' ', 'n', 'o', 'n', 'e'};
    uint64_t cell;
    for (int i = DIGITS; configuration != JOURNAL_NONE && i > 0; i--) {
        bytes[i - 1] = (char)('0' + configuration % 10);
        configuration /= 10;
    }
    memcpy(&cell, bytes, sizeof cell);
    return cell;
}

void journal_add_head(uint64_t configurations, struct text *text)
{
    text_add(text, HEAD_BEGIN "%0*" PRIu64 HEAD_MIDDLE CELL_NONE "\n", DIGITS, configurations);
}

/* Closes the line that began at start. */
static void add_checksum(struct text *text, size_t start)
{
    if (!text->failed)
        text_add(text, " #%08x\n",
                 (unsigned)(XXH3_64bits(text->bytes + start, text->length - start) & 0xffffffff));
}

/* Text from outside, on one line, cut to a limit but not in the middle of a character. */
static void add_escaped(const char *string, struct text *text)
{
    size_t length = strnlen(string, TEXT_LIMIT + 1);
    if (length > TEXT_LIMIT) {
        length = TEXT_LIMIT;
        while (length > 0 && ((unsigned char)string[length] & 0xC0) == 0x80)
            length--;
    }
    for (size_t i = 0; i < length; i++) {
        const unsigned char byte = (unsigned char)string[i];
        const bool plain = byte >= ' ' && byte != '%' && byte != 0x7F;
        text_add(text, plain ? "%c" : "%%%02X", byte);
    }
}

/* With a point in every locale. */
static void add_seconds(double seconds, struct text *text)
{
    char printed[SECONDS_SIZE];
    snprintf(printed, sizeof printed, "%.*e", POINT_DIGITS, seconds);
    const char *exponent = strchr(printed, 'e');
    text_add(text, "%c.%.*s%s", printed[0], POINT_DIGITS, exponent - POINT_DIGITS, exponent);
}

void journal_add_search(const char *how, struct text *text)
{
    const size_t start = text->length;
    text_add(text, "search ");
    add_escaped(how, text);
    add_checksum(text, start);
}

/* Whether an answer is a measurement, which another protocol might judge otherwise. */
static bool is_measured(int status)
{
    return status == TUTTI_STATUS_OK || status == TUTTI_STATUS_SLOW;
}

static bool is_time(double seconds)
{
    return isfinite(seconds) && seconds > 0;
}

void journal_add_finished(uint64_t configuration, const tutti_trial *trial, struct text *text)
{
    const size_t start = text->length;
    const char *word = tutti_status_name(trial->status);
    if (!is_answer(word) || (trial->status == TUTTI_STATUS_OK && !is_time(trial->seconds)))
        return;
    text_add(text, "finished %" PRIu64 " %s ", configuration, word);
    add_seconds(is_time(trial->seconds) ? trial->seconds : 0, text);
    if (trial->slowest_rank < 0)
        text_add(text, " - ");
    else
        text_add(text, " %d ", trial->slowest_rank);
    add_escaped(trial->reason ? trial->reason : "", text);
    add_checksum(text, start);
}

void journal_add_suspect(uint64_t configuration, unsigned times, struct text *text)
{
    const size_t start = text->length;
    text_add(text, "suspect %" PRIu64 " %u", configuration, times);
    add_checksum(text, start);
}

/* An answer clears what was suspected before it, so answers come first. */
void journal_add_past(const struct journal_past *past, struct text *text)
{
    for (uint64_t i = 0; i < past->configurations; i++) {
        if (past->trials[i].status)
            journal_add_finished(i, &past->trials[i], text);
        if (past->in_flight[i])
            journal_add_suspect(i, past->in_flight[i], text);
    }
}

/* ---- pasts ---- */

bool journal_past_init(struct journal_past *past, uint64_t configurations)
{
    *past = (struct journal_past){0};
    if (configurations == 0 || configurations > JOURNAL_MOST)
        return false;
    past->trials = calloc((size_t)configurations, sizeof *past->trials);
    past->in_flight = calloc((size_t)configurations, sizeof *past->in_flight);
    if (!past->trials || !past->in_flight) {
        journal_past_release(past);
        return false;
    }
    past->configurations = configurations;
    for (uint64_t i = 0; i < configurations; i++)
        past->trials[i] = (tutti_trial){.slowest_rank = -1, .reason = no_reason};
    return true;
}

static void forget(tutti_trial *trial)
{
    if (*trial->reason) /* only copies have any text */
        free((char *)(uintptr_t)trial->reason);
    *trial = (tutti_trial){.slowest_rank = -1, .reason = no_reason};
}

void journal_past_release(struct journal_past *past)
{
    for (uint64_t i = 0; i < past->configurations; i++)
        forget(&past->trials[i]);
    free(past->trials);
    free(past->in_flight);
    *past = (struct journal_past){0};
}

/* Replaces an answer; a reason for which there is no memory is left out. */
static void set_answer(tutti_trial *trial, const tutti_trial *answer)
{
    char *reason = *answer->reason ? strdup(answer->reason) : NULL;
    forget(trial);
    *trial = *answer;
    trial->reason = reason ? reason : no_reason;
}

static void count(struct journal_past *past)
{
    past->finished = past->suspects = 0;
    for (uint64_t i = 0; i < past->configurations; i++) {
        past->finished += past->trials[i].status != 0;
        past->suspects += past->trials[i].status == 0 && past->in_flight[i] > 0;
    }
}

void journal_merge(struct journal_past *past, const struct journal_past *other)
{
    for (uint64_t i = 0; i < past->configurations; i++) {
        const tutti_trial *answer = &other->trials[i];
        const bool failure = !is_measured(answer->status);
        const int known = past->trials[i].status;
        if (answer->status && (!known || (is_measured(known) && failure)))
            set_answer(&past->trials[i], answer);
        if (other->in_flight[i] > past->in_flight[i])
            past->in_flight[i] = other->in_flight[i];
    }
    count(past);
}

/* ---- reading ---- */

/* Takes the next field, which one space ends, off a line; "" if there is none. */
static char *take(char **line)
{
    char *field = *line;
    char *end = strchrnul(field, ' ');
    *line = *end ? end + 1 : end;
    *end = '\0';
    return field;
}

/* Digits and nothing else. */
static bool parse_number(const char *digits, uint64_t most, uint64_t *number)
{
    const size_t length = strlen(digits);
    *number = 0;
    if (length == 0 || length > 10 || strspn(digits, "0123456789") != length)
        return false;
    for (const char *digit = digits; *digit; digit++)
        *number = 10 * *number + (uint64_t)(*digit - '0');
    return *number <= most;
}

/* Exactly what add_seconds writes. The point is taken out for strtod, whose own is the locale's. */
static bool parse_seconds(const char *text, double *seconds)
{
    char plain[SECONDS_SIZE];
    const char *behind = text + 2, *exponent = behind + POINT_DIGITS;
    uint64_t power;
    if (strlen(text) < 2 + POINT_DIGITS + 2 || text[1] != '.' || strspn(text, "0123456789") != 1 ||
        strspn(behind, "0123456789") != POINT_DIGITS || exponent[0] != 'e' ||
        !strchr("+-", exponent[1]) || !parse_number(exponent + 2, 400, &power))
        return false;
    const int shifted = (exponent[1] == '-' ? -(int)power : (int)power) - POINT_DIGITS;
    snprintf(plain, sizeof plain, "%c%.*se%d", text[0], POINT_DIGITS, behind, shifted);
    *seconds = strtod(plain, NULL);
    return isfinite(*seconds);
}

static bool parse_rank(const char *text, int *rank)
{
    uint64_t number;
    *rank = -1;
    if (strcmp(text, "-") == 0)
        return true;
    if (!parse_number(text, INT_MAX, &number))
        return false;
    *rank = (int)number;
    return true;
}

/* In place. */
static bool unescape(char *text)
{
    char *to = text;
    for (const char *from = text; *from; from++) {
        unsigned byte = (unsigned char)*from;
        if (byte == '%') {
            const char digits[] = {from[1], from[1] ? from[2] : '\0', '\0'};
            if (strspn(digits, "0123456789ABCDEF") != 2)
                return false;
            byte = (unsigned)strtoul(digits, NULL, 16);
            from += 2;
        }
        if (byte == 0)
            return false;
        *to++ = (char)byte;
    }
    *to = '\0';
    return to - text <= TEXT_LIMIT;
}

static bool parse_finished(char *rest, bool same_search, struct journal_past *past)
{
    uint64_t configuration;
    tutti_trial trial = {0};
    if (!parse_number(take(&rest), past->configurations - 1, &configuration))
        return false;
    trial.status = answer_status(take(&rest));
    if (!trial.status || !parse_seconds(take(&rest), &trial.seconds) ||
        !parse_rank(take(&rest), &trial.slowest_rank) || !unescape(rest))
        return false;
    trial.reason = rest;
    if (trial.status == TUTTI_STATUS_OK && !is_time(trial.seconds))
        return false;
    past->in_flight[configuration] = 0;
    if (same_search || !is_measured(trial.status))
        set_answer(&past->trials[configuration], &trial);
    return true;
}

static bool parse_suspect(char *rest, struct journal_past *past)
{
    uint64_t configuration, times;
    if (!parse_number(take(&rest), past->configurations - 1, &configuration) ||
        !parse_number(take(&rest), MOST_TIMES, &times) || times == 0 || *rest)
        return false;
    past->in_flight[configuration] = (unsigned char)times;
    return true;
}

/* The first line; in_flight may be JOURNAL_NONE. */
static bool parse_head(const char *head, uint64_t configurations, uint64_t *in_flight)
{
    struct text expected = {0};
    char cell[DIGITS + 1] = {0};
    journal_add_head(configurations, &expected);
    const bool same = !expected.failed && memcmp(head, expected.bytes, JOURNAL_CELL) == 0 &&
                      head[JOURNAL_HEAD - 1] == '\n';
    text_release(&expected);
    memcpy(cell, head + JOURNAL_CELL, DIGITS);
    *in_flight = JOURNAL_NONE;
    return same &&
           (strcmp(cell, CELL_NONE) == 0 || parse_number(cell, configurations - 1, in_flight));
}

/* Whether a line ends in its own checksum, which is taken off. */
static bool check_line(char *line, size_t length)
{
    char checksum[CHECKSUM + 1];
    if (length < CHECKSUM || strlen(line) != length)
        return false;
    const size_t kept = length - CHECKSUM;
    snprintf(checksum, sizeof checksum, " #%08x", (unsigned)(XXH3_64bits(line, kept) & 0xffffffff));
    if (strcmp(line + kept, checksum) != 0)
        return false;
    line[kept] = '\0';
    return true;
}

/* The line behind the first, as it would be written now. */
static bool is_same_search(const char *line, size_t length, const char *how)
{
    struct text own = {0};
    journal_add_search(how, &own);
    const bool same =
        !own.failed && own.length == length + 1 && memcmp(own.bytes, line, length) == 0;
    text_release(&own);
    return same;
}

struct reader {
    const char *how;
    bool searching, same_search; /* the line about the search has come, and is ours */
    struct journal_past *past;
};

static bool read_line(struct reader *reader, char *line, size_t length)
{
    const bool same = !reader->searching && is_same_search(line, length, reader->how);
    if (!check_line(line, length))
        return false;
    const char *word = take(&line);
    if (!reader->searching) {
        reader->searching = true;
        reader->same_search = same;
        return strcmp(word, "search") == 0;
    }
    if (strcmp(word, "finished") == 0)
        return parse_finished(line, reader->same_search, reader->past);
    return strcmp(word, "suspect") == 0 && parse_suspect(line, reader->past);
}

bool journal_parse(struct text *bytes, const char *how, struct journal_past *past, struct text *why)
{
    struct reader reader = {.how = how, .past = past};
    uint64_t in_flight;
    if (bytes->length < JOURNAL_HEAD ||
        !parse_head(bytes->bytes, past->configurations, &in_flight)) {
        text_add(why, "its first line is not that of a journal of %" PRIu64 " configurations",
                 past->configurations);
        return false;
    }
    char *line = bytes->bytes + JOURNAL_HEAD, *const end = bytes->bytes + bytes->length;
    for (unsigned number = 2;; number++) {
        char *stop = memchr(line, '\n', (size_t)(end - line));
        if (!stop)
            break;
        *stop = '\0';
        if (!read_line(&reader, line, (size_t)(stop - line))) {
            text_add(why, "its line %u is not one of a journal", number);
            return false;
        }
        line = stop + 1;
    }
    if (in_flight != JOURNAL_NONE && past->in_flight[in_flight] < MOST_TIMES)
        past->in_flight[in_flight]++;
    count(past);
    return true;
}
