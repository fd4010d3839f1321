/* See manifest.h. */
#include "manifest.h"

#include <errno.h>

#include <jansson.h>

#include "output_file.h"

static json_t *describe_device(const struct result_device *device)
{
    return json_pack("{s:s, s:i, s:i, s:i}", "engine", device->engine, "grid", device->grid,
                     "block", device->block, "streams", device->streams);
}

static json_t *describe(const struct result *result)
{
    json_t *entry =
        json_pack("{s:I, s:I, s:I, s:i, s:i, s:i, s:i, s:s, s:s}", "S", (json_int_t)result->shape.s,
                  "H", (json_int_t)result->shape.h, "D", (json_int_t)result->shape.d,
                  "COMM_BLOCK_S", result->blocks.comm_block_s, "COMM_BLOCK_D",
                  result->blocks.comm_block_d, "buffer_num", result->blocks.buffer_num, "ranks",
                  result->ranks, "dtype", result->dtype, "source", result->source);
    if (!entry || !result->device.engine)
        return entry;
    json_t *device = describe_device(&result->device);
    if (device && json_object_update(entry, device) == 0) {
        json_decref(device);
        return entry;
    }
    json_decref(device);
    json_decref(entry);
    return NULL;
}

static json_t *describe_all(const struct result *results, int count)
{
    json_t *list = json_array();
    for (int i = 0; list && i < count; i++) {
        if (json_array_append_new(list, describe(&results[i])) == 0)
            continue;
        json_decref(list);
        list = NULL;
    }
    return list;
}

bool manifest_write(const char *path, const struct result *results, int count)
{
    struct output_file file;
    json_t *list = describe_all(results, count);
    if (!list) {
        errno = ENOMEM;
        return false;
    }
    bool written = output_open(&file, path);
    if (written && json_dumpf(list, file.stream, JSON_INDENT(2)) == 0) {
        fputc('\n', file.stream);
        written = output_commit(&file);
    } else if (written) {
        output_discard(&file);
        written = false;
    }
    json_decref(list);
    return written;
}
