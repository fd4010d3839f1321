/* The space: what is accepted, the order of configurations, and exact round trips. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <tutti/error.h>
#include <tutti/param.h>

#include "space.h"

struct config {
    int block;
    unsigned mask;
    bool wide;
    int64_t big;
    double fraction;
    struct {
        long deep;
    } nested;
};

static const tutti_param params[] = {
    TUTTI_PARAM(struct config, block, 32, 64, 128),
    TUTTI_PARAM(struct config, mask, 1u, 4000000000u),
    TUTTI_PARAM(struct config, wide, false, true),
    TUTTI_PARAM(struct config, big, INT64_MIN, INT64_C(9007199254740993)),
    TUTTI_PARAM(struct config, fraction, 0.1, 1.0 / 3, 5e-324),
    TUTTI_PARAM(struct config, nested.deep, 7),
};
#define NPARAMS (sizeof params / sizeof *params)

static int init(struct space *space, const tutti_param *table, size_t n, size_t size, char *reason)
{
    struct text why = {0};
    int error = space_init(
        space, &(struct space_source){.params = table, .nparams = n, .config_size = size}, &why);
    strcpy(reason, "");
    if (why.bytes)
        strncat(reason, why.bytes, 255);
    text_release(&why);
    return error;
}

static void expect_refused(const tutti_param *table, size_t n, int error, const char *part)
{
    struct space space;
    char reason[256];
    assert_int_equal(init(&space, table, n, sizeof(struct config), reason), error);
    if (!strstr(reason, part))
        fail_msg("\"%s\" does not contain \"%s\"", reason, part);
}

static void the_first_parameter_varies_slowest(void **state)
{
    (void)state;
    struct space space;
    char reason[256];
    assert_int_equal(init(&space, params, NPARAMS, sizeof(struct config), reason), TUTTI_SUCCESS);
    assert_int_equal(space.size, 3 * 2 * 2 * 2 * 3 * 1);
    uint64_t index = 0;
    for (size_t a = 0; a < 3; a++)
        for (size_t b = 0; b < 2; b++)
            for (size_t c = 0; c < 2; c++)
                for (size_t d = 0; d < 2; d++)
                    for (size_t e = 0; e < 3; e++, index++) {
                        struct config config;
                        space_fill(&space, index, &config);
                        assert_int_equal(config.block, ((const int *)params[0].values)[a]);
                        assert_int_equal(config.mask, ((const unsigned *)params[1].values)[b]);
                        assert_int_equal(config.wide, ((const bool *)params[2].values)[c]);
                        assert_true(config.big == ((const int64_t *)params[3].values)[d]);
                        assert_memory_equal(&config.fraction, (const double *)params[4].values + e,
                                            sizeof(double));
                        assert_int_equal(config.nested.deep, 7);
                    }
    space_release(&space);
}

static void every_configuration_is_found_by_its_struct(void **state)
{
    (void)state;
    struct space space;
    char reason[256];
    assert_int_equal(init(&space, params, NPARAMS, sizeof(struct config), reason), TUTTI_SUCCESS);
    for (uint64_t i = 0; i < space.size; i++) {
        struct config config;
        uint64_t found;
        space_fill(&space, i, &config);
        assert_true(space_find(&space, &config, &found));
        assert_int_equal(found, i);
    }
    struct config other = {.block = 33};
    uint64_t found;
    assert_false(space_find(&space, &other, &found));
    space_release(&space);
}

static void bytes_between_fields_are_zero(void **state)
{
    (void)state;
    struct space space;
    char reason[256];
    unsigned char filled[sizeof(struct config)], again[sizeof(struct config)];
    assert_int_equal(init(&space, params, NPARAMS, sizeof(struct config), reason), TUTTI_SUCCESS);
    memset(filled, 0xa5, sizeof filled);
    memset(again, 0x5a, sizeof again);
    space_fill(&space, 17, filled);
    space_fill(&space, 17, again);
    assert_memory_equal(filled, again, sizeof filled);
    space_release(&space);
}

static void texts_are_exact(void **state)
{
    (void)state;
    struct space space;
    char reason[256];
    struct text text = {0};
    assert_int_equal(init(&space, params, NPARAMS, sizeof(struct config), reason), TUTTI_SUCCESS);
    space_configuration_text(&space, 0, &text);
    assert_string_equal(text.bytes, "block=32, mask=1, wide=false, big=-9223372036854775808, "
                                    "fraction=0.10000000000000001, nested.deep=7");
    text_release(&text);
    space_text(&space, &text);
    assert_non_null(strstr(text.bytes, "mask (u32): 1 4000000000\n"));
    assert_non_null(strstr(text.bytes, "fraction (f64): 0.10000000000000001 0.33333333333333331 "
                                       "4.9406564584124654e-324\n"));
    text_release(&text);
    space_release(&space);
}

static void an_empty_table_is_refused(void **state)
{
    (void)state;
    expect_refused(NULL, 0, TUTTI_ERR_SPACE, "empty");
    tutti_param empty[] = {params[0]};
    empty[0].count = 0;
    expect_refused(empty, 1, TUTTI_ERR_SPACE, "block has no values");
}

static void a_name_or_a_value_twice_is_refused(void **state)
{
    (void)state;
    tutti_param names[] = {params[0], params[0]};
    expect_refused(names, 2, TUTTI_ERR_SPACE, "parameters 0 and 1 are both named block");
    static const int twice[] = {1, 2, 1};
    tutti_param values[] = {params[0]};
    values[0].values = twice;
    expect_refused(values, 1, TUTTI_ERR_SPACE,
                   "stands twice: values[0] and values[2] are the same");
}

static void a_number_that_is_not_finite_is_refused(void **state)
{
    (void)state;
    const double bad[] = {1.0, (double)NAN}, worse[] = {(double)INFINITY};
    tutti_param table[] = {params[4]};
    table[0].values = bad;
    table[0].count = 2;
    expect_refused(table, 1, TUTTI_ERR_SPACE, "fraction: value 1 is not a finite number");
    table[0].values = worse;
    table[0].count = 1;
    expect_refused(table, 1, TUTTI_ERR_SPACE, "fraction: value 0");
}

static void a_field_outside_the_struct_or_of_another_width_is_refused(void **state)
{
    (void)state;
    tutti_param table[] = {params[0]};
    table[0].offset = sizeof(struct config) - 2;
    expect_refused(table, 1, TUTTI_ERR_SPACE, "outside");
    table[0].offset = SIZE_MAX - 1;
    expect_refused(table, 1, TUTTI_ERR_SPACE, "outside");
    table[0] = params[0];
    table[0].size = 8;
    expect_refused(table, 1, TUTTI_ERR_SPACE, "4 bytes, not 8");
    table[0] = params[0];
    table[0].kind = 99;
    expect_refused(table, 1, TUTTI_ERR_SPACE, "unknown kind 99");
    tutti_param shared[] = {params[0], params[1]};
    shared[1].offset = shared[0].offset + 2;
    expect_refused(shared, 2, TUTTI_ERR_SPACE, "share bytes");
}

static void a_missing_or_broken_name_is_refused(void **state)
{
    (void)state;
    tutti_param table[] = {params[0]};
    table[0].name = "";
    expect_refused(table, 1, TUTTI_ERR_SPACE, "no name");
    table[0].name = NULL;
    expect_refused(table, 1, TUTTI_ERR_SPACE, "no name");
    table[0].name = "\xff";
    expect_refused(table, 1, TUTTI_ERR_SPACE, "not UTF-8");
}

/* ---- sizes ---- */

/* n parameters of `values` 64-bit values each, in a table that lasts until the next call. */
static const tutti_param *cube(size_t n, size_t values)
{
    static int64_t all[1 << 16];
    static tutti_param table[SPACE_PARAMETERS + 1];
    static char names[SPACE_PARAMETERS + 1][8];
    for (size_t i = 0; i < values; i++)
        all[i] = (int64_t)i;
    for (size_t i = 0; i < n; i++) {
        snprintf(names[i], sizeof names[i], "p%zu", i);
        table[i] = (tutti_param){.name = names[i],
                                 .kind = TUTTI_KIND_I64,
                                 .offset = 8 * i,
                                 .size = 8,
                                 .values = all,
                                 .count = values};
    }
    return table;
}

static void expect_source_refused(struct space_source source, const char *part)
{
    struct space space;
    struct text why = {0};
    assert_int_equal(space_init(&space, &source, &why), TUTTI_ERR_SPACE);
    if (!strstr(why.bytes, part))
        fail_msg("\"%s\" does not contain \"%s\"", why.bytes, part);
    assert_null(space.parameters);
    text_release(&why);
}

static void expect_cube_refused(size_t n, size_t values, const char *part)
{
    expect_source_refused(
        (struct space_source){.params = cube(n, values), .nparams = n, .config_size = 8 * n}, part);
}

static void a_product_is_counted_exactly_and_never_overflows(void **state)
{
    (void)state;
    /* 2^99: a product of 64 bits would wrap round to 0. */
    expect_cube_refused(9, 1 << 11, "the space has 2^64 configurations or more");
    expect_cube_refused(256, 1 << 6, "the space has 2^64 configurations or more");
    expect_cube_refused(4, 1 << 16, "the space has 2^64 configurations or more");
    expect_cube_refused(63, 2, "the space has 9223372036854775808 configurations, more than 2^31");
    expect_cube_refused(3, 3000, "the space has 27000000000 configurations, more than 2^31");
    expect_cube_refused(257, 2, "257 parameters are too many; at most 256");
}

static void a_space_too_large_to_search_is_refused_with_what_to_do(void **state)
{
    (void)state;
    static const char remedy[] = "give the parameters fewer values, add a constraint, or list the "
                                 "configurations";
    expect_cube_refused(31, 2, "the space has 2147483648 configurations, more than the 1048576");
    expect_cube_refused(31, 2, remedy);
    expect_cube_refused(3, 102, "the space has 1061208 configurations");
    struct space space;
    char reason[256];
    assert_int_equal(init(&space, cube(20, 2), 20, 160, reason), TUTTI_SUCCESS);
    assert_int_equal(space.size, SPACE_LIMIT);
    space_release(&space);
}

/* ---- strings and named choices ---- */

enum mode { MODE_RING = 7, MODE_TREE = -2, MODE_PIPE = 100 };

struct rich {
    enum mode mode;
    const char *algorithm;
    struct {
        int rows, columns;
    } tile;
    int depth;
    bool eager;
};

static const tutti_param rich_params[] = {
    TUTTI_CHOICE(struct rich, mode, {MODE_RING, "ring"}, {MODE_TREE, "tree"}, {MODE_PIPE, "pipe"}),
    TUTTI_PARAM_IF(struct rich, depth, TUTTI_WHEN(struct rich, mode, MODE_PIPE, MODE_TREE), 2, 4),
    TUTTI_PARAM(struct rich, algorithm, "plain", "", "a, b=\"c\"\n"),
    TUTTI_PARAM_IF(struct rich, eager, TUTTI_WHEN(struct rich, depth, 4), false, true),
    TUTTI_PARAM(struct rich, tile.rows, 8),
};
#define NRICH (sizeof rich_params / sizeof *rich_params)

static void make_rich(struct space *space)
{
    struct text why = {0};
    const struct space_source source = {
        .params = rich_params, .nparams = NRICH, .config_size = sizeof(struct rich)};
    if (space_init(space, &source, &why) != TUTTI_SUCCESS)
        fail_msg("%s", why.bytes);
}

static void expect_text(const struct space *space, uint64_t index, const char *expected)
{
    struct text text = {0};
    space_configuration_text(space, index, &text);
    assert_string_equal(text.bytes, expected);
    text_release(&text);
}

static void choices_may_depend_on_a_condition(void **state)
{
    (void)state;
    const tutti_param table[] = {
        TUTTI_PARAM(struct rich, depth, 2, 4),
        TUTTI_CHOICE_IF(struct rich, mode, TUTTI_WHEN(struct rich, depth, 4), {MODE_TREE, "tree"},
                        {MODE_RING, "ring"}),
    };
    struct space space;
    char reason[256];
    assert_int_equal(init(&space, table, 2, sizeof(struct rich), reason), TUTTI_SUCCESS);
    assert_int_equal(space.size, 3);
    expect_text(&space, 0, "depth=2");
    expect_text(&space, 1, "depth=4, mode=tree");
    expect_text(&space, 2, "depth=4, mode=ring");
    space_release(&space);
}

static void strings_are_copied_and_compared_by_content(void **state)
{
    (void)state;
    char one[] = "ring", two[] = "tree";
    const char *values[] = {one, two};
    tutti_param table[] = {TUTTI_FIELD(struct rich, algorithm)};
    table[0].values = values;
    table[0].count = 2;
    struct space space;
    char reason[256];
    assert_int_equal(init(&space, table, 1, sizeof(struct rich), reason), TUTTI_SUCCESS);
    memset(one, 'x', 4);
    values[1] = NULL;
    struct rich config;
    space_fill(&space, 0, &config);
    assert_string_equal(config.algorithm, "ring");
    uint64_t index;
    config.algorithm = two;
    assert_true(space_find(&space, &config, &index));
    assert_int_equal(index, 1);
    config.algorithm = "rin";
    assert_false(space_find(&space, &config, &index));
    config.algorithm = NULL;
    assert_false(space_find(&space, &config, &index));
    space_release(&space);
}

static void a_string_that_no_record_could_hold_is_refused(void **state)
{
    (void)state;
    const tutti_param null[] = {TUTTI_PARAM(struct rich, algorithm, "a", NULL)};
    const tutti_param bytes[] = {TUTTI_PARAM(struct rich, algorithm, "\xff")};
    const tutti_param twice[] = {TUTTI_PARAM(struct rich, algorithm, "a", "b", "a")};
    expect_refused(null, 1, TUTTI_ERR_SPACE, "parameter algorithm: value 1 is NULL");
    expect_refused(bytes, 1, TUTTI_ERR_SPACE, "parameter algorithm: value 0 is not UTF-8");
    expect_refused(twice, 1, TUTTI_ERR_SPACE, "stands twice: values[0] and values[2] are the same");
}

static void named_choices_are_checked(void **state)
{
    (void)state;
    const tutti_param number[] = {TUTTI_CHOICE(struct config, block, {1, "a"}, {2, "b"}, {1, "c"})};
    const tutti_param name[] = {TUTTI_CHOICE(struct config, block, {1, "a"}, {2, "b"}, {3, "a"})};
    const tutti_param none[] = {TUTTI_CHOICE(struct config, block, {1, "a"}, {2, ""})};
    const tutti_param wide[] = {TUTTI_CHOICE(struct config, block, {INT64_C(1) << 31, "a"})};
    const tutti_param minus[] = {TUTTI_CHOICE(struct config, mask, {0, "a"}, {-1, "b"})};
    const tutti_param real[] = {TUTTI_CHOICE(struct config, fraction, {1, "a"})};
    expect_refused(number, 1, TUTTI_ERR_SPACE,
                   "stands twice: values[0] and values[2] are the same");
    expect_refused(name, 1, TUTTI_ERR_SPACE, "values 0 and 2 are both named a");
    expect_refused(none, 1, TUTTI_ERR_SPACE, "value 1 has no name");
    expect_refused(wide, 1, TUTTI_ERR_SPACE, "value 0 is out of range of its i32");
    expect_refused(minus, 1, TUTTI_ERR_SPACE, "value 1 is out of range of its u32");
    expect_refused(real, 1, TUTTI_ERR_SPACE, "only integers can be named choices");
    tutti_param both[] = {params[0]};
    both[0].choices = number[0].choices;
    expect_refused(both, 1, TUTTI_ERR_SPACE, "both values and choices");
}

static void texts_name_choices_and_quote_what_is_ambiguous(void **state)
{
    (void)state;
    struct space space;
    make_rich(&space);
    expect_text(&space, 0, "mode=ring, algorithm=plain, tile.rows=8");
    expect_text(&space, 1, "mode=ring, algorithm=\"\", tile.rows=8");
    expect_text(&space, 2, "mode=ring, algorithm=\"a, b=\\\"c\\\"\\x0a\", tile.rows=8");
    struct text text = {0};
    space_text(&space, &text);
    assert_string_equal(text.bytes, "mode (choice): ring tree pipe\n"
                                    "depth (i32): 2 4; when mode is tree pipe\n"
                                    "algorithm (string): plain \"\" \"a, b=\\\"c\\\"\\x0a\"\n"
                                    "eager (bool): false true; when depth is 4\n"
                                    "tile.rows (i32): 8\n");
    text_release(&text);
    space_release(&space);
}

static void each_character_that_separates_is_quoted(void **state)
{
    (void)state;
    static const char *const expected[] = {
        "algorithm=a-b.c:d/e",  "algorithm=\"a,b\"",    "algorithm=\"a=b\"", "algorithm=\"a;b\"",
        "algorithm=\"a\\\"b\"", "algorithm=\"a\\\\b\"", "algorithm=\"a b\""};
    const tutti_param table[] = {TUTTI_PARAM(struct rich, algorithm, "a-b.c:d/e", "a,b", "a=b",
                                             "a;b", "a\"b", "a\\b", "a b")};
    struct space space;
    char reason[256];
    assert_int_equal(init(&space, table, 1, sizeof(struct rich), reason), TUTTI_SUCCESS);
    assert_int_equal(space.size, sizeof expected / sizeof *expected);
    for (uint64_t i = 0; i < space.size; i++)
        expect_text(&space, i, expected[i]);
    space_release(&space);
}

/* ---- conditions ---- */

static void knobs_that_do_not_count_make_no_duplicates(void **state)
{
    (void)state;
    struct space space;
    make_rich(&space);
    /* ring: 3 algorithms. tree and pipe: depth 2 with 3, depth 4 with 3 x 2. */
    assert_int_equal(space.size, 3 + 2 * (3 + 3 * 2));
    uint64_t index = 0;
    static const enum mode modes[] = {MODE_RING, MODE_TREE, MODE_PIPE};
    for (int m = 0; m < 3; m++)
        for (int depth = 2; depth <= (m ? 4 : 2); depth += 2)
            for (int a = 0; a < 3; a++)
                for (int eager = 0; eager <= (depth == 4); eager++, index++) {
                    struct rich config;
                    uint64_t found;
                    space_fill(&space, index, &config);
                    assert_int_equal(config.mode, modes[m]);
                    assert_int_equal(config.depth, depth);
                    assert_string_equal(config.algorithm,
                                        ((const char *const *)rich_params[2].values)[a]);
                    assert_int_equal(config.eager, eager);
                    assert_true(space_find(&space, &config, &found));
                    assert_int_equal(found, index);
                }
    assert_int_equal(index, space.size);
    space_release(&space);
}

static void what_does_not_count_is_left_out_and_not_looked_at(void **state)
{
    (void)state;
    struct space space;
    make_rich(&space);
    expect_text(&space, 6, "mode=tree, depth=4, algorithm=plain, eager=false, tile.rows=8");
    assert_false(space_counts(&space, 3, 3)); /* depth 2: eager does not count */
    assert_true(space_counts(&space, 6, 3));
    /* With ring depth does not count, and so neither does what depends on it. */
    const struct rich config = {
        .mode = MODE_RING, .algorithm = "", .tile.rows = 8, .depth = 99, .eager = true};
    uint64_t index;
    assert_true(space_find(&space, &config, &index));
    assert_int_equal(index, 1);
    space_release(&space);
}

static void a_knob_below_one_that_does_not_count_does_not_count(void **state)
{
    (void)state;
    tutti_param table[3];
    memcpy(table, cube(3, 2), sizeof table);
    const int64_t *values = table[0].values;
    const tutti_condition second = {"p0", values + 1, 1}, third = {"p1", values, 1};
    table[1].condition = &second;
    table[2].condition = &third; /* the value that p1 has where it does not count */
    struct space space;
    char reason[256];
    assert_int_equal(init(&space, table, 3, 24, reason), TUTTI_SUCCESS);
    assert_int_equal(space.size, 1 + 2 + 1);
    expect_text(&space, 0, "p0=0");
    expect_text(&space, 2, "p0=1, p1=0, p2=1");
    expect_text(&space, 3, "p0=1, p1=1");
    space_release(&space);
}

static void a_condition_on_what_is_not_there_is_refused(void **state)
{
    (void)state;
    const tutti_param later[] = {
        TUTTI_PARAM_IF(struct rich, depth, TUTTI_WHEN(struct rich, tile.rows, 8), 1),
        TUTTI_PARAM(struct rich, tile.rows, 8)};
    const tutti_param itself[] = {
        TUTTI_PARAM_IF(struct rich, depth, TUTTI_WHEN(struct rich, depth, 1), 1)};
    const tutti_param value[] = {
        TUTTI_PARAM(struct rich, algorithm, "a", "b"),
        TUTTI_PARAM_IF(struct rich, depth, TUTTI_WHEN(struct rich, algorithm, "a", "c"), 1)};
    const tutti_condition empty = {.param = "algorithm"}, null = {"algorithm", (void *[]){NULL}, 1};
    tutti_param nothing[] = {value[0], value[1]};
    nothing[1].condition = &empty;
    expect_refused(later, 2, TUTTI_ERR_SPACE,
                   "parameter depth depends on tile.rows, which is not an earlier parameter");
    expect_refused(itself, 1, TUTTI_ERR_SPACE, "depends on depth, which is not an earlier");
    expect_refused(value, 2, TUTTI_ERR_SPACE,
                   "parameter depth counts only when algorithm is c, which is not one of its");
    expect_refused(nothing, 2, TUTTI_ERR_SPACE, "condition names no parameter, or no values");
    nothing[1].condition = &null;
    expect_refused(nothing, 2, TUTTI_ERR_SPACE, "value 0 of its condition is NULL");
}

static void conditions_are_counted_without_listing_what_they_remove(void **state)
{
    (void)state;
    /* 16 alternatives, each with 15 knobs of its own: all combinations are 16 x 2^240. */
    static tutti_param table[1 + 240];
    static tutti_condition conditions[16];
    memcpy(table, cube(241, 16), sizeof table);
    for (size_t i = 1; i < 241; i++) {
        const size_t alternative = (i - 1) / 15;
        conditions[alternative] =
            (tutti_condition){"p0", (const int64_t *)table[0].values + alternative, 1};
        table[i].count = 2;
        table[i].condition = &conditions[alternative];
    }
    struct space space;
    char reason[256];
    assert_int_equal(init(&space, table, 241, 8 * 241, reason), TUTTI_SUCCESS);
    assert_int_equal(space.size, 16 << 15);
    uint64_t index;
    int64_t config[241];
    space_fill(&space, space.size - 1, config);
    assert_true(space_find(&space, config, &index));
    assert_int_equal(index, space.size - 1);
    space_release(&space);
    for (size_t i = 1; i < 241; i++)
        table[i].count = 16; /* 16 x 16^15 = 2^64 */
    assert_int_equal(init(&space, table, 241, 8 * 241, reason), TUTTI_ERR_SPACE);
    assert_non_null(strstr(reason, "2^64 configurations or more"));
}

/* ---- the constraint ---- */

static bool fits(const void *config, void *user)
{
    const int64_t *places = config;
    return places[0] + places[1] <= *(int *)user;
}

static struct space_source constrained(int *limit, size_t values)
{
    return (struct space_source){.params = cube(2, values),
                                 .nparams = 2,
                                 .config_size = 16,
                                 .constraint = fits,
                                 .user = limit};
}

static void what_the_constraint_removes_is_not_in_the_space(void **state)
{
    (void)state;
    int limit = 3;
    struct space space;
    struct text why = {0};
    const struct space_source source = constrained(&limit, 4);
    assert_int_equal(space_init(&space, &source, &why), TUTTI_SUCCESS);
    assert_int_equal(space.size, 4 + 3 + 2 + 1);
    uint64_t index = 0, found;
    for (int64_t a = 0; a < 4; a++)
        for (int64_t b = 0; a + b <= 3; b++, index++) {
            int64_t config[2];
            space_fill(&space, index, config);
            assert_int_equal(config[0], a);
            assert_int_equal(config[1], b);
        }
    const int64_t removed[] = {3, 1}, kept[] = {3, 0};
    assert_false(space_find(&space, removed, &found));
    assert_true(space_find(&space, kept, &found));
    assert_int_equal(found, 9);
    space_release(&space);
}

static void a_constraint_that_keeps_nothing_or_too_much_is_refused(void **state)
{
    (void)state;
    int none = -1, all = 1 << 20, half = 1 << 11;
    expect_source_refused(constrained(&none, 4), "removes all of the 16 configurations");
    expect_source_refused(constrained(&all, 1 << 16),
                          "4294967296 configurations, more than 2^31: give the parameters");
    expect_source_refused(constrained(&all, 1 << 11),
                          "keeps more than 1048576 of 4194304 configurations");
    struct space space;
    struct text why = {0};
    half = 1000;
    const struct space_source source = constrained(&half, 1 << 11);
    assert_int_equal(space_init(&space, &source, &why), TUTTI_SUCCESS);
    assert_int_equal(space.size, 1001 * 1002 / 2);
    space_release(&space);
}

static void a_space_that_lost_other_configurations_is_another(void **state)
{
    (void)state;
    int limits[] = {3, 4, 6};
    struct text texts[3] = {{0}}, why = {0};
    for (int i = 0; i < 3; i++) {
        struct space space;
        const struct space_source source = constrained(&limits[i], 4);
        assert_int_equal(space_init(&space, &source, &why), TUTTI_SUCCESS);
        space_text(&space, &texts[i]);
        space_release(&space);
    }
    assert_string_not_equal(texts[0].bytes, texts[1].bytes);
    assert_non_null(strstr(texts[0].bytes, "\n10 of these: "));
    /* A constraint that removes nothing makes no difference. */
    assert_string_equal(texts[2].bytes, "p0 (i64): 0 1 2 3\np1 (i64): 0 1 2 3\n");
    for (int i = 0; i < 3; i++)
        text_release(&texts[i]);
}

/* ---- lists ---- */

static const tutti_param listed_params[] = {
    TUTTI_CHOICE(struct rich, mode, {MODE_RING, "ring"}, {MODE_PIPE, "pipe"}),
    TUTTI_FIELD(struct rich, algorithm),
    TUTTI_PARAM_IF(struct rich, depth, TUTTI_WHEN(struct rich, mode, MODE_PIPE), 1, 2, 3),
};

static struct space_source listed(const struct rich *list, size_t n)
{
    return (struct space_source){.params = listed_params,
                                 .nparams = 3,
                                 .config_size = sizeof(struct rich),
                                 .configurations = list,
                                 .nconfigurations = n};
}

static void a_list_is_the_space_in_its_order(void **state)
{
    (void)state;
    const struct rich list[] = {{.mode = MODE_PIPE, .algorithm = "b", .depth = 3},
                                {.mode = MODE_RING, .algorithm = "a", .depth = 77},
                                {.mode = MODE_PIPE, .algorithm = "a", .depth = 1},
                                {.mode = MODE_RING, .algorithm = "b"}};
    struct space space;
    struct text why = {0}, text = {0};
    const struct space_source source = listed(list, 4);
    assert_int_equal(space_init(&space, &source, &why), TUTTI_SUCCESS);
    assert_int_equal(space.size, 4);
    expect_text(&space, 0, "mode=pipe, algorithm=b, depth=3");
    expect_text(&space, 1, "mode=ring, algorithm=a");
    expect_text(&space, 3, "mode=ring, algorithm=b");
    for (uint64_t i = 0; i < 4; i++) {
        struct rich config;
        uint64_t found;
        space_fill(&space, i, &config);
        assert_true(space_find(&space, &config, &found));
        assert_int_equal(found, i);
        assert_true(space_find(&space, &list[i], &found));
        assert_int_equal(found, i);
    }
    const struct rich other = {.mode = MODE_PIPE, .algorithm = "a", .depth = 2};
    uint64_t found;
    assert_false(space_find(&space, &other, &found));
    space_text(&space, &text);
    assert_non_null(strstr(text.bytes, "algorithm (string): b a\n"));
    assert_non_null(strstr(text.bytes, "\n4 of these: "));
    text_release(&text);
    space_release(&space);
}

static void a_list_with_a_configuration_twice_is_refused_and_names_both(void **state)
{
    (void)state;
    /* depth does not count with ring: 1 and 3 are the same. */
    const struct rich list[] = {{.mode = MODE_PIPE, .algorithm = "b", .depth = 3},
                                {.mode = MODE_RING, .algorithm = "a", .depth = 1},
                                {.mode = MODE_PIPE, .algorithm = "a", .depth = 1},
                                {.mode = MODE_RING, .algorithm = "a", .depth = 2}};
    expect_source_refused(
        listed(list, 4), "configurations 1 and 3 of the list are the same: mode=ring, algorithm=a");
}

static void a_list_that_does_not_fit_its_parameters_is_refused(void **state)
{
    (void)state;
    const struct rich list[] = {{.mode = MODE_RING, .algorithm = "a"},
                                {.mode = MODE_TREE, .algorithm = "b"}};
    expect_source_refused(listed(list, 2), "configuration 1 of the list has a value for mode that");
    const struct rich null[] = {{.mode = MODE_RING, .algorithm = "a"}, {.mode = MODE_RING}};
    expect_source_refused(listed(null, 2),
                          "algorithm: in the list, the value of configuration 1 is NULL");
    expect_source_refused(listed(list, 0), "one is missing");
    expect_source_refused(listed(NULL, 2), "one is missing");
    expect_source_refused(listed(list, SPACE_LIMIT + 1), "the list has 1048577 configurations");
}

static bool keeps_b(const void *config, void *user)
{
    (void)user;
    return strcmp(((const struct rich *)config)->algorithm, "b") == 0;
}

static void a_constraint_shortens_a_list(void **state)
{
    (void)state;
    const struct rich list[] = {{.mode = MODE_PIPE, .algorithm = "b", .depth = 3},
                                {.mode = MODE_RING, .algorithm = "a"},
                                {.mode = MODE_RING, .algorithm = "b"}};
    struct space space;
    struct text why = {0};
    struct space_source source = listed(list, 3);
    source.constraint = keeps_b;
    assert_int_equal(space_init(&space, &source, &why), TUTTI_SUCCESS);
    assert_int_equal(space.size, 2);
    expect_text(&space, 1, "mode=ring, algorithm=b");
    uint64_t found;
    assert_true(space_find(&space, &list[2], &found));
    assert_int_equal(found, 1);
    assert_false(space_find(&space, &list[1], &found));
    space_release(&space);
}

static void a_list_of_many_is_made_in_no_time_to_speak_of(void **state)
{
    (void)state;
    /* All different in one field: quadratic work would be 10^10 comparisons and more. */
    enum { MANY = 200000 };
    static struct {
        int64_t a, b;
    } list[MANY];
    for (int64_t i = 0; i < MANY; i++) {
        list[i].a = (i * 7919) % MANY;
        list[i].b = i % 3;
    }
    tutti_param table[] = {cube(2, 1)[0], cube(2, 1)[1]};
    for (int i = 0; i < 2; i++) {
        table[i].values = NULL;
        table[i].count = 0;
    }
    struct space space;
    struct text why = {0};
    const struct space_source source = {.params = table,
                                        .nparams = 2,
                                        .config_size = 16,
                                        .configurations = list,
                                        .nconfigurations = MANY};
    assert_int_equal(space_init(&space, &source, &why), TUTTI_SUCCESS);
    for (uint64_t i = 0; i < MANY; i++) {
        uint64_t found;
        assert_true(space_find(&space, &list[i], &found));
        assert_int_equal(found, i);
    }
    space_release(&space);
}

/* ---- neighbours ---- */

static void neighbours_differ_in_one_value_and_are_in_the_space(void **state)
{
    (void)state;
    struct space space;
    char reason[256];
    uint64_t neighbour;
    assert_int_equal(init(&space, params, NPARAMS, sizeof(struct config), reason), TUTTI_SUCCESS);
    assert_true(space_neighbour(&space, 30, 0, 1, &neighbour)); /* 24 configurations a block */
    assert_int_equal(neighbour, 54);
    assert_true(space_neighbour(&space, 30, 0, -1, &neighbour));
    assert_int_equal(neighbour, 6);
    assert_false(space_neighbour(&space, 6, 0, -1, &neighbour));
    assert_false(space_neighbour(&space, 54, 0, 1, &neighbour));
    space_release(&space);

    make_rich(&space);
    assert_true(space_neighbour(&space, 7, 0, -1, &neighbour)); /* tree, 4, plain, eager */
    assert_int_equal(neighbour, 0); /* ring: the knobs that count no more are gone */
    assert_true(space_neighbour(&space, 7, 1, -1, &neighbour));
    assert_int_equal(neighbour, 3);
    assert_false(space_neighbour(&space, 0, 1, 1, &neighbour)); /* does not count with ring */
    space_release(&space);

    int limit = 3;
    struct text why = {0};
    const struct space_source source = constrained(&limit, 4);
    assert_int_equal(space_init(&space, &source, &why), TUTTI_SUCCESS);
    assert_true(space_neighbour(&space, 3, 1, -1, &neighbour)); /* 0, 3 */
    assert_int_equal(neighbour, 2);
    assert_false(space_neighbour(&space, 3, 0, 1, &neighbour)); /* 1, 3 was removed */
    space_release(&space);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_parameter_varies_slowest),
        cmocka_unit_test(every_configuration_is_found_by_its_struct),
        cmocka_unit_test(bytes_between_fields_are_zero),
        cmocka_unit_test(texts_are_exact),
        cmocka_unit_test(an_empty_table_is_refused),
        cmocka_unit_test(a_name_or_a_value_twice_is_refused),
        cmocka_unit_test(a_number_that_is_not_finite_is_refused),
        cmocka_unit_test(a_field_outside_the_struct_or_of_another_width_is_refused),
        cmocka_unit_test(a_missing_or_broken_name_is_refused),
        cmocka_unit_test(a_product_is_counted_exactly_and_never_overflows),
        cmocka_unit_test(a_space_too_large_to_search_is_refused_with_what_to_do),
        cmocka_unit_test(choices_may_depend_on_a_condition),
        cmocka_unit_test(strings_are_copied_and_compared_by_content),
        cmocka_unit_test(a_string_that_no_record_could_hold_is_refused),
        cmocka_unit_test(named_choices_are_checked),
        cmocka_unit_test(texts_name_choices_and_quote_what_is_ambiguous),
        cmocka_unit_test(knobs_that_do_not_count_make_no_duplicates),
        cmocka_unit_test(what_does_not_count_is_left_out_and_not_looked_at),
        cmocka_unit_test(each_character_that_separates_is_quoted),
        cmocka_unit_test(a_knob_below_one_that_does_not_count_does_not_count),
        cmocka_unit_test(a_condition_on_what_is_not_there_is_refused),
        cmocka_unit_test(conditions_are_counted_without_listing_what_they_remove),
        cmocka_unit_test(what_the_constraint_removes_is_not_in_the_space),
        cmocka_unit_test(a_constraint_that_keeps_nothing_or_too_much_is_refused),
        cmocka_unit_test(a_space_that_lost_other_configurations_is_another),
        cmocka_unit_test(a_list_is_the_space_in_its_order),
        cmocka_unit_test(a_list_with_a_configuration_twice_is_refused_and_names_both),
        cmocka_unit_test(a_list_that_does_not_fit_its_parameters_is_refused),
        cmocka_unit_test(a_constraint_shortens_a_list),
        cmocka_unit_test(a_list_of_many_is_made_in_no_time_to_speak_of),
        cmocka_unit_test(neighbours_differ_in_one_value_and_are_in_the_space),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
