/* See table.h. */
#include "table.h"

#include <inttypes.h>

static void print_header(FILE *stream, const struct program *program, const struct result *first)
{
    const bool tuned = program->tunes;
    fprintf(stream, "\n%d rank%s, %s; medians of the slowest rank's time\n\n", first->ranks,
            first->ranks == 1 ? "" : "s", first->dtype);
    fprintf(stream, "%-16s %-13s %12s %13s %9s %7s", "S,H,D",
            first->device.engine ? "engine" : "blocks", tuned ? "tuned" : "time",
            program->reference, "speed-up", "GB/s");
    if (tuned)
        fprintf(stream, "  %9s %13s %9s  %s", "vs conf 0", "vs 128,128,2", "tuning", "source");
    fputc('\n', stream);
}

/* What ran, in short. */
static void describe(const struct result *result, char *text, size_t size)
{
    const struct result_device *device = &result->device;
    const struct reverse_a2a_config *blocks = &result->blocks;
    if (!device->engine)
        snprintf(text, size, "%d,%d,%d", blocks->comm_block_s, blocks->comm_block_d,
                 blocks->buffer_num);
    else if (device->streams > 0)
        snprintf(text, size, "%s %d", device->engine, device->streams);
    else
        snprintf(text, size, "%s %dx%d", device->engine, device->grid, device->block);
}

static void print_row(FILE *stream, const struct result *result, bool tuned)
{
    char shape[72], blocks[48];
    snprintf(shape, sizeof shape, "%" PRId64 ",%" PRId64 ",%" PRId64, result->shape.s,
             result->shape.h, result->shape.d);
    describe(result, blocks, sizeof blocks);
    fprintf(stream, "%-16s %-13s %9.4f ms %10.4f ms %8.2fx %7.2f", shape, blocks,
            1e3 * result->tuned.median, 1e3 * result->reference.median,
            ratio(result->reference.median, result->tuned.median), result_rate(result));
    if (tuned)
        fprintf(stream, "  %8.2fx %12.2fx %7.3f s  %s",
                ratio(result->configuration_0.median, result->tuned.median),
                ratio(result->customary.median, result->tuned.median), result->tuning_seconds,
                result->source);
    fputc('\n', stream);
}

void table_print(FILE *stream, const struct program *program, const struct result *results,
                 int count)
{
    const bool tuned = program->tunes;
    if (count == 0)
        return;
    print_header(stream, program, &results[0]);
    for (int i = 0; i < count; i++)
        print_row(stream, &results[i], tuned);
    fputs(results[0].device.engine ? "\nengine: and its grid x block, or streams."
                                   : "\nblocks: COMM_BLOCK_S,COMM_BLOCK_D,buffer_num.",
          stream);
    fputs(" GB/s: bytes of C on one rank, its own part\nincluded, over the time.", stream);
    if (tuned)
        fputs(" vs: how much longer configuration 0 and (128,128,2) take.\ntuning: what "
              "tutti_call spent before the launcher could run.",
              stream);
    fputs("\n", stream);
}
