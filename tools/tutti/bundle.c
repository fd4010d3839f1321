/* See bundle.h. */
#include "bundle.h"

#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "print.h"

#define NESTING_LIMIT 32 /* a record nests 16 deep at most */

/* ---- a scanner of JSON that a parser has found to be valid ---- */

static bool is_space(char byte)
{
    return byte == ' ' || byte == '\t' || byte == '\n' || byte == '\r';
}

static size_t skip_space(const char *bytes, size_t at)
{
    while (is_space(bytes[at]))
        at++;
    return at;
}

/* Behind the string that begins at. */
static size_t skip_string(const char *bytes, size_t at)
{
    for (at++; bytes[at] != '"'; at++)
        at += bytes[at] == '\\';
    return at + 1;
}

/* Behind the value that begins at. */
static size_t skip_value(const char *bytes, size_t at)
{
    size_t depth = 0;
    do {
        const char byte = bytes[at];
        if (byte == '"') {
            at = skip_string(bytes, at);
            continue;
        }
        if (depth == 0 && (byte == ',' || byte == ']' || byte == '}' || byte == '\0'))
            return at; /* behind a number or a word */
        depth += byte == '{' || byte == '[';
        depth -= byte == '}' || byte == ']';
        at++;
    } while (depth > 0 || !strchr(",]} \t\n\r", bytes[at]));
    return at;
}

/* Where the value of a member of the outermost object begins; 0 if its name is not written so. */
static size_t find_member(const char *bytes, const char *name)
{
    size_t at = skip_space(bytes, 0) + 1; /* behind the brace */
    for (;;) {
        at = skip_space(bytes, at);
        if (bytes[at] != '"')
            return 0;
        const size_t end = skip_string(bytes, at), length = end - at - 2;
        const bool found = length == strlen(name) && memcmp(bytes + at + 1, name, length) == 0;
        at = skip_space(bytes, skip_space(bytes, end) + 1); /* behind the colon */
        if (found)
            return at;
        at = skip_space(bytes, skip_value(bytes, at));
        if (bytes[at] != ',')
            return 0;
        at++;
    }
}

/* ---- reading ---- */

bool bundle_is_one(const char *bytes, size_t length)
{
    static const char name[] = "\"tutti_bundle\"";
    const size_t at = skip_space(bytes, 0);
    if (bytes[at] != '{')
        return false;
    const size_t next = skip_space(bytes, at + 1);
    return next + sizeof name - 1 <= length && memcmp(bytes + next, name, sizeof name - 1) == 0;
}

static bool nests_deeply(const char *bytes, size_t length)
{
    int depth = 0;
    for (size_t i = 0; i < length && depth <= NESTING_LIMIT; i++) {
        if (bytes[i] == '"')
            for (i++; i < length && bytes[i] != '"'; i++)
                i += bytes[i] == '\\';
        else if (bytes[i] == '{' || bytes[i] == '[')
            depth++;
        else if (bytes[i] == '}' || bytes[i] == ']')
            depth--;
    }
    return depth > NESTING_LIMIT;
}

/* The document, once it is sound; NULL with what is wrong. */
static json_t *parse(const char *bytes, size_t length, char **why)
{
    json_error_t error;
    if (nests_deeply(bytes, length)) {
        *why = format("nested more than %d deep", NESTING_LIMIT);
        return NULL;
    }
    json_t *root = json_loadb(bytes, length, JSON_REJECT_DUPLICATES, &error);
    if (!root) {
        char *text = printable(error.text);
        *why = format("line %d, column %d: %s", error.line, error.column, text);
        free(text);
    }
    return root;
}

static bool check(const json_t *root, char **why)
{
    const json_t *version = json_object_get(root, "tutti_bundle");
    const json_t *records = json_object_get(root, "records");
    if (!json_is_integer(version) || json_integer_value(version) != BUNDLE_VERSION)
        *why = format("tutti_bundle is not %d, the version that is read here", BUNDLE_VERSION);
    else if (!json_is_array(records))
        *why = format("records is missing, or not an array");
    for (size_t i = 0; !*why && i < json_array_size(records); i++)
        if (!json_is_object(json_array_get(records, i)))
            *why = format("records[%zu] is not an object", i);
    return !*why;
}

/* The elements of the array that begins at, of which there are count. */
static void cut(const char *bytes, size_t at, size_t count, struct bundle *bundle)
{
    bundle->pieces = need(calloc(count + 1, sizeof *bundle->pieces));
    bundle->count = count;
    for (size_t i = 0; i < count; i++) {
        const size_t begin = skip_space(bytes, at + 1); /* behind the bracket, or the comma */
        const size_t end = skip_value(bytes, begin);
        bundle->pieces[i].bytes = format("%.*s\n", (int)(end - begin), bytes + begin);
        bundle->pieces[i].length = end - begin + 1;
        at = skip_space(bytes, end);
    }
}

bool bundle_read(const char *bytes, size_t length, struct bundle *bundle, char **why)
{
    *bundle = (struct bundle){0};
    *why = NULL;
    json_t *root = parse(bytes, length, why);
    if (root && check(root, why)) {
        const size_t at = find_member(bytes, "records");
        if (at)
            cut(bytes, at, json_array_size(json_object_get(root, "records")), bundle);
        else
            *why = format("the name records is written with escapes");
    }
    json_decref(root);
    return !*why;
}

void bundle_release(struct bundle *bundle)
{
    for (size_t i = 0; i < bundle->count; i++)
        free(bundle->pieces[i].bytes);
    free(bundle->pieces);
    *bundle = (struct bundle){0};
}

/* ---- writing ---- */

char *bundle_write(const char *const *texts, size_t count, size_t *length)
{
    char *bytes = NULL;
    FILE *stream = need(open_memstream(&bytes, length));
    fprintf(stream, "{\"tutti_bundle\": %d, \"records\": [", BUNDLE_VERSION);
    for (size_t i = 0; i < count; i++) {
        const size_t begin = skip_space(texts[i], 0);
        size_t end = strlen(texts[i]);
        while (end > begin && is_space(texts[i][end - 1]))
            end--;
        fprintf(stream, "%s\n%.*s", i ? "," : "", (int)(end - begin), texts[i] + begin);
    }
    fputs("\n]}\n", stream);
    need(fclose(stream) == 0 ? bytes : NULL);
    return bytes;
}
