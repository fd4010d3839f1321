/*
 * The table of parameters: the user's configuration is a plain struct, and a table of its fields
 * gives each knob its values. The table is plain data of fixed-width types, so that other languages
 * can build it by hand; C programs use the macros, which take kind, offset and size from the field
 * itself, and C++ programs <tutti/tutti.hpp>. docs/spaces.md shows each form.
 */
#ifndef TUTTI_PARAM_H
#define TUTTI_PARAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Kinds of field. Integers and not a C enum: the ABI must not depend on a compiler's choice. There
 * is none for unsigned integers of 64 bits, since a record could not hold them exactly. */
#define TUTTI_KIND_I32    INT32_C(1) /* int */
#define TUTTI_KIND_U32    INT32_C(2) /* unsigned int, and most enums */
#define TUTTI_KIND_I64    INT32_C(3) /* long, long long, int64_t */
#define TUTTI_KIND_F64    INT32_C(4) /* double; NaN and infinities are refused */
#define TUTTI_KIND_BOOL   INT32_C(5) /* bool */
#define TUTTI_KIND_STRING INT32_C(6) /* const char *, UTF-8; compared by content */

/* A value of an integer or enum field that is printed and recorded by its name, so that a record
 * outlives a renumbering. */
typedef struct tutti_choice {
    int64_t value;    /* within the field's range */
    const char *name; /* UTF-8, not empty */
} tutti_choice;

/* When a knob counts: while another one, earlier in the table, counts and has one of some values.
 */
typedef struct tutti_condition {
    const char *param;  /* the other one's name */
    const void *values; /* count values of its field's type; all of them among its own */
    size_t count;       /* at least 1 */
} tutti_condition;

/*
 * One knob. Everything is copied when a tuner is created, strings too; a string in a configuration
 * that a tuner fills is the tuner's, and valid as long as it.
 *
 * A knob that does not count has its first value, in every configuration, so that no two
 * configurations differ in it alone; texts and records leave it out.
 */
typedef struct tutti_param {
    const char *name;                 /* unique in the table; UTF-8 */
    int32_t kind;                     /* TUTTI_KIND_... */
    int32_t reserved;                 /* 0 */
    size_t offset;                    /* of the field in the configuration struct, in bytes */
    size_t size;                      /* of the field, in bytes */
    const void *values;               /* count values, each of size bytes, all different */
    size_t count;                     /* at least 1 */
    const tutti_choice *choices;      /* or, for integers: count named values; values is NULL */
    const tutti_condition *condition; /* NULL: always counts */
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
             : TUTTI_KIND_BOOL, const char *                                                       \
             : TUTTI_KIND_STRING)

/*
 * The macros below make one entry each of a tutti_param table. field may be nested, as in
 * tile.rows, which is then the parameter's name. Values are constants of the field's type. Use them
 * at file scope, or for an automatic table inside a function; a static table inside a function
 * can't point to compound literals, which are automatic there.
 *
 * TUTTI_PARAM(struct_type, field, value...)
 * TUTTI_CHOICE(struct_type, field, {value, "name"}...)
 * TUTTI_PARAM_IF(struct_type, field, TUTTI_WHEN(struct_type, other_field, value...), value...)
 * TUTTI_CHOICE_IF(struct_type, field, TUTTI_WHEN(...), {value, "name"}...)
 * TUTTI_FIELD(struct_type, field): no values; those of tutti_tuner_desc.configurations
 */
#define TUTTI_PARAM(type, field, ...)                                                              \
    {                                                                                              \
        .name = #field, TUTTI_PARAM_PLACE(type, field),                                            \
        TUTTI_PARAM_VALUES(type, field, __VA_ARGS__)                                               \
    }
#define TUTTI_CHOICE(type, field, ...)                                                             \
    {                                                                                              \
        .name = #field, TUTTI_PARAM_PLACE(type, field), TUTTI_PARAM_CHOICES(__VA_ARGS__)           \
    }
#define TUTTI_PARAM_IF(type, field, when, ...)                                                     \
    {                                                                                              \
        .name = #field, TUTTI_PARAM_PLACE(type, field),                                            \
        TUTTI_PARAM_VALUES(type, field, __VA_ARGS__), .condition = when                            \
    }
#define TUTTI_CHOICE_IF(type, field, when, ...)                                                    \
    {                                                                                              \
        .name = #field, TUTTI_PARAM_PLACE(type, field), TUTTI_PARAM_CHOICES(__VA_ARGS__),          \
        .condition = when                                                                          \
    }
#define TUTTI_FIELD(type, field)                                                                   \
    {                                                                                              \
        .name = #field, TUTTI_PARAM_PLACE(type, field)                                             \
    }
#define TUTTI_WHEN(type, field, ...)                                                               \
    (&(const tutti_condition){.param = #field, TUTTI_PARAM_VALUES(type, field, __VA_ARGS__)})

/* The parts of the above. */
#define TUTTI_PARAM_PLACE(type, field)                                                             \
    .kind = TUTTI_KIND_OF(((type *)0)->field), .offset = offsetof(type, field),                    \
    .size = sizeof(((type *)0)->field)
#define TUTTI_PARAM_VALUES(type, field, ...)                                                       \
    .values = (const __typeof__(((type *)0)->field)[]){__VA_ARGS__},                               \
    .count =                                                                                       \
        sizeof((const __typeof__(((type *)0)->field)[]){__VA_ARGS__}) / sizeof(((type *)0)->field)
#define TUTTI_PARAM_CHOICES(...)                                                                   \
    .choices = (const tutti_choice[]){__VA_ARGS__},                                                \
    .count = sizeof((const tutti_choice[]){__VA_ARGS__}) / sizeof(tutti_choice)
#endif

#ifdef __cplusplus
}
#endif
#endif
