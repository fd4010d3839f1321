/* Formats of others that records are written in. */
#ifndef FORMATS_H
#define FORMATS_H

#include "view.h"

/*
 * The winners as a list, for programs that only want those: an object each, with function, key,
 * ranks (null if unknown), config, seconds and source ("record" or "triton_dist").
 */
json_t *manifest_json(struct view *const *views, size_t count);

/*
 * A record in version 1.0.0 of the results format that the auto-tuning community shares ("T4"; its
 * schema: results-schema.json of https://github.com/odgaard/TuningSchema, branch T4, as Kernel
 * Tuner ships it). Times are in milliseconds, as Kernel Tuner writes them. Runtimes are a race's
 * samples as far as the record lists them, else the one time that there is. Configurations that
 * never ran are not written.
 */
json_t *t4_json(const struct view *view);

/* A value as the text of a file; takes the value, returns a new string. */
char *json_file_text(json_t *value, size_t *length);

#endif
