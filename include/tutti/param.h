/*
 * The table of parameters: the user's configuration is a plain struct, and a table of its fields
 * gives each knob its values. The table is plain data of fixed-width types, so that other languages
 * can build it by hand; C programs use TUTTI_PARAM, which takes kind, offset and size from the
 * field itself.
 */
#ifndef TUTTI_PARAM_H
#define TUTTI_PARAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Kinds of field. Integers and not a C enum: the ABI must not depend on a compiler's choice. */
#define TUTTI_KIND_I32  INT32_C(1) /* int */
#define TUTTI_KIND_U32  INT32_C(2) /* unsigned int, and most enums */
#define TUTTI_KIND_I64  INT32_C(3) /* long, long long, int64_t */
#define TUTTI_KIND_F64  INT32_C(4) /* double; NaN and infinities are refused */
#define TUTTI_KIND_BOOL INT32_C(5) /* bool */

/* One knob. Everything is copied when a tuner is created. */
typedef struct tutti_param {
    const char *name;   /* unique in the table; UTF-8 */
    int32_t kind;       /* TUTTI_KIND_... */
    int32_t reserved;   /* 0 */
    size_t offset;      /* of the field in the configuration struct, in bytes */
    size_t size;        /* of the field, in bytes */
    const void *values; /* count values, each of size bytes, all different */
    size_t count;       /* at least 1 */
} tutti_param;

#ifndef __cplusplus
/* The kind of a field; a type that can't be tuned does not compile. */
#define TUTTI_KIND_OF(lvalue)                                                                      \
    _Generic((lvalue), int                                                                         \
             : TUTTI_KIND_I32, unsigned                                                            \
             : TUTTI_KIND_U32, long                                                                \
             : TUTTI_KIND_I64, long long                                                           \
             : TUTTI_KIND_I64, double                                                              \
             : TUTTI_KIND_F64, bool                                                                \
             : TUTTI_KIND_BOOL)

/*
 * TUTTI_PARAM(struct_type, field, value...): one entry of a tutti_param table. The values are
 * constants of the field's type. Use it at file scope, or for an automatic table inside a function;
 * a static table inside a function can't point to compound literals, which are automatic there.
 */
#define TUTTI_PARAM(type, field, ...)                                                              \
    {                                                                                              \
        .name = #field, .kind = TUTTI_KIND_OF(((type *)0)->field),                                 \
        .offset = offsetof(type, field), .size = sizeof(((type *)0)->field),                       \
        .values = TUTTI_PARAM_VALUES(type, field, __VA_ARGS__),                                    \
        .count = sizeof TUTTI_PARAM_VALUES(type, field, __VA_ARGS__) / sizeof(((type *)0)->field)  \
    }
#define TUTTI_PARAM_VALUES(type, field, ...) ((const __typeof__(((type *)0)->field)[]){__VA_ARGS__})
#endif

#ifdef __cplusplus
}
#endif
#endif
