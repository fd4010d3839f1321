/*
 * Checks a manifest: a JSON list of objects with exactly the members that other programs rely on,
 * of the right types. Prints a line per shape without its source: what two runs must agree in.
 */
#include <stdio.h>

#include <jansson.h>

static int check_entry(json_t *entry)
{
    json_int_t s, h, d;
    int block_s, block_d, buffers, ranks;
    const char *dtype, *source;
    json_error_t error;
    if (json_unpack_ex(entry, &error, JSON_STRICT, "{s:I, s:I, s:I, s:i, s:i, s:i, s:i, s:s, s:s}",
                       "S", &s, "H", &h, "D", &d, "COMM_BLOCK_S", &block_s, "COMM_BLOCK_D",
                       &block_d, "buffer_num", &buffers, "ranks", &ranks, "dtype", &dtype, "source",
                       &source) != 0) {
        fprintf(stderr, "an entry is wrong: %s\n", error.text);
        return 1;
    }
    if (block_s < 1 || block_d < 1 || buffers < 1 || ranks < 1 || !*source) {
        fprintf(stderr, "an entry has impossible values\n");
        return 1;
    }
    printf("%lld,%lld,%lld: %d,%d,%d on %d ranks, %s\n", (long long)s, (long long)h, (long long)d,
           block_s, block_d, buffers, ranks, dtype);
    return 0;
}

int main(int argc, char **argv)
{
    json_error_t error;
    json_t *list = argc == 2 ? json_load_file(argv[1], JSON_REJECT_DUPLICATES, &error) : NULL;
    if (!json_is_array(list)) {
        fprintf(stderr, "no JSON list\n");
        json_decref(list);
        return 1;
    }
    int mistakes = 0;
    for (size_t i = 0; i < json_array_size(list); i++)
        mistakes += check_entry(json_array_get(list, i));
    json_decref(list);
    return mistakes ? 1 : 0;
}
