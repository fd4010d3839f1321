/*
 * The wide, the prefetching and the streaming kernel, written once: copy_x86.c includes this for
 * each instruction set, with
 *
 *     SET(name)        the name of a function in this set
 *     TARGET           the attribute that lets a function use the set
 *     VECTOR           the type of a vector; at most 64 bytes
 *     LOAD(from), STORE(to, vector), STREAM(to, vector)    unaligned, unaligned, aligned
 */

#define VECTORS_A_LINE (LINE / sizeof(VECTOR))

TARGET static void SET(copy_line)(char *to, const char *from)
{
    VECTOR line[VECTORS_A_LINE];
    for (size_t i = 0; i < VECTORS_A_LINE; i++)
        line[i] = LOAD(from + i * sizeof(VECTOR));
    for (size_t i = 0; i < VECTORS_A_LINE; i++)
        STORE(to + i * sizeof(VECTOR), line[i]);
}

TARGET static void SET(stream_line)(char *to, const char *from)
{
    VECTOR line[VECTORS_A_LINE];
    for (size_t i = 0; i < VECTORS_A_LINE; i++)
        line[i] = LOAD(from + i * sizeof(VECTOR));
    for (size_t i = 0; i < VECTORS_A_LINE; i++)
        STREAM(to + i * sizeof(VECTOR), line[i]);
}

/* `width` is at least a line: the last line is copied from its end, whatever came before it. */
TARGET static void SET(copy_run)(char *to, const char *from, size_t width)
{
    size_t at = 0;
    for (; at + 4 * LINE <= width; at += 4 * LINE) {
        SET(copy_line)(to + at, from + at);
        SET(copy_line)(to + at + LINE, from + at + LINE);
        SET(copy_line)(to + at + 2 * LINE, from + at + 2 * LINE);
        SET(copy_line)(to + at + 3 * LINE, from + at + 3 * LINE);
    }
    for (; at + LINE <= width; at += LINE)
        SET(copy_line)(to + at, from + at);
    if (at < width)
        SET(copy_line)(to + width - LINE, from + width - LINE);
}

/* Only whole lines are streamed: a line written in parts goes to memory several times. */
TARGET static void SET(stream_run)(char *to, const char *from, size_t width)
{
    size_t at = -(uintptr_t)to % LINE;
    if (at > 0)
        memcpy(to, from, at);
    for (; at + 4 * LINE <= width; at += 4 * LINE) {
        SET(stream_line)(to + at, from + at);
        SET(stream_line)(to + at + LINE, from + at + LINE);
        SET(stream_line)(to + at + 2 * LINE, from + at + 2 * LINE);
        SET(stream_line)(to + at + 3 * LINE, from + at + 3 * LINE);
    }
    for (; at + LINE <= width; at += LINE)
        SET(stream_line)(to + at, from + at);
    if (at < width)
        memcpy(to + at, from + at, width - at);
}

TARGET static void SET(copy_wide)(char *to, size_t to_stride, const char *from, size_t from_stride,
                                  size_t count, size_t width)
{
    if (width <= SHORT_RUN) {
        reverse_a2a_plain_kernel.copy_runs(to, to_stride, from, from_stride, count, width);
        return;
    }
    for (size_t i = 0; i < count; i++)
        SET(copy_run)(to + i * to_stride, from + i * from_stride, width);
}

/* For writing, so that a line that other processors have is taken from them ahead of its store. */
TARGET static void SET(fetch_lines)(char *to)
{
    for (size_t i = 0; i < 4; i++)
        __builtin_prefetch(to + i * LINE, 1);
}

TARGET static void SET(copy_prefetching)(char *to, size_t to_stride, const char *from,
                                         size_t from_stride, size_t count, size_t width)
{
    if (width < 4 * LINE) {
        SET(copy_wide)(to, to_stride, from, from_stride, count, width);
        return;
    }
    for (size_t i = 0; i < count; i++, to += to_stride, from += from_stride) {
        size_t at = 0;
        for (; at + 4 * LINE <= width; at += 4 * LINE) {
            if (i + 1 < count || at + WRITE_AHEAD < width)
                SET(fetch_lines)(look_ahead(to, to_stride, width, at));
            SET(copy_run)(to + at, from + at, 4 * LINE);
        }
        if (at < width)
            SET(copy_run)(to + width - 4 * LINE, from + width - 4 * LINE, 4 * LINE);
    }
}

TARGET static void SET(copy_streaming)(char *to, size_t to_stride, const char *from,
                                       size_t from_stride, size_t count, size_t width)
{
    if (width <= SHORT_RUN) {
        reverse_a2a_plain_kernel.copy_runs(to, to_stride, from, from_stride, count, width);
        return;
    }
    for (size_t i = 0; i < count; i++)
        SET(stream_run)(to + i * to_stride, from + i * from_stride, width);
}

#undef VECTORS_A_LINE
#undef SET
#undef TARGET
#undef VECTOR
#undef LOAD
#undef STORE
#undef STREAM
