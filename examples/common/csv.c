/* See csv.h. */
#include "csv.h"

#include <inttypes.h>

#include "output_file.h"

/* Times are those of the slowest rank; speed-up and gains are ratios of medians, above 1 if the
 * tuned one is faster. tuning_s was spent by this run, search_s by the search behind the choice. */
static const char first_columns[] = "S,H,D,ranks,dtype,COMM_BLOCK_S,COMM_BLOCK_D,buffer_num,";
static const char device_columns[] = "engine,grid,block,streams,";
static const char other_columns[] =
    "reference_min_us,reference_median_us,reference_mean_us,reference_max_us,"
    "tuned_min_us,tuned_median_us,tuned_mean_us,tuned_p95_us,tuned_max_us,"
    "configuration_0_median_us,customary_128_128_2_median_us,"
    "speedup_over_reference,gain_over_configuration_0,gain_over_128_128_2,"
    "GB_per_s,tuning_s,search_s,source\n";

static void write_row(FILE *stream, const struct result *result)
{
    const struct statistics *reference = &result->reference, *tuned = &result->tuned;
    fprintf(stream, "%" PRId64 ",%" PRId64 ",%" PRId64 ",%d,%s,%d,%d,%d", result->shape.s,
            result->shape.h, result->shape.d, result->ranks, result->dtype,
            result->blocks.comm_block_s, result->blocks.comm_block_d, result->blocks.buffer_num);
    if (result->device.engine)
        fprintf(stream, ",%s,%d,%d,%d", result->device.engine, result->device.grid,
                result->device.block, result->device.streams);
    fprintf(stream, ",%.3f,%.3f,%.3f,%.3f", 1e6 * reference->min, 1e6 * reference->median,
            1e6 * reference->mean, 1e6 * reference->max);
    fprintf(stream, ",%.3f,%.3f,%.3f,%.3f,%.3f", 1e6 * tuned->min, 1e6 * tuned->median,
            1e6 * tuned->mean, 1e6 * tuned->p95, 1e6 * tuned->max);
    fprintf(stream, ",%.3f,%.3f", 1e6 * result->configuration_0.median,
            1e6 * result->customary.median);
    fprintf(stream, ",%.4f,%.4f,%.4f", ratio(reference->median, tuned->median),
            ratio(result->configuration_0.median, tuned->median),
            ratio(result->customary.median, tuned->median));
    fprintf(stream, ",%.4f,%.6f,%.6f,%s\n", result_rate(result), result->tuning_seconds,
            result->search_seconds, result->source);
}

bool csv_write(const char *path, const struct result *results, int count)
{
    struct output_file file;
    if (!output_open(&file, path))
        return false;
    fputs(first_columns, file.stream);
    if (count > 0 && results[0].device.engine)
        fputs(device_columns, file.stream);
    fputs(other_columns, file.stream);
    for (int i = 0; i < count; i++)
        write_row(file.stream, &results[i]);
    return output_commit(&file);
}
