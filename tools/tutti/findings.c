/* See findings.h. */
#include "findings.h"

#include <stdarg.h>
#include <stdlib.h>

#include "print.h"

struct findings {
    json_t *list; /* {level, what, text, advice} */
    int worst;
};

static const char *const words[] = {"ok", "note", "warn", "fail"};

struct findings *findings_new(void)
{
    struct findings *findings = need(calloc(1, sizeof *findings));
    findings->list = need(json_array());
    return findings;
}

void findings_add(struct findings *findings, int level, const char *what, const char *advice,
                  const char *format, ...)
{
    char *text;
    va_list list;
    va_start(list, format);
    if (vasprintf(&text, format, list) < 0)
        text = NULL;
    va_end(list);
    json_array_append_new(findings->list,
                          json_pack("{s:s, s:s, s:o, s:s?}", "level", words[level], "what", what,
                                    "text", text_json(need(text)), "advice",
                                    level > FINDING_NOTE ? advice : NULL));
    findings->worst = level > findings->worst ? level : findings->worst;
    free(text);
}

static const char *colour(const char *level)
{
    return *level == 'o'   ? "\033[32m"
           : *level == 'w' ? "\033[33m"
           : *level == 'f' ? "\033[31m"
                           : "";
}

static void print_one(const json_t *finding, bool coloured)
{
    const char *level = json_string_value(json_object_get(finding, "level"));
    const char *advice = json_string_value(json_object_get(finding, "advice"));
    char *text = printable(json_string_value(json_object_get(finding, "text")));
    printf("%s%-4s%s  %-11s  %s\n", coloured ? colour(level) : "", level, coloured ? "\033[0m" : "",
           json_string_value(json_object_get(finding, "what")), text);
    if (advice)
        printf("%19s-> %s\n", "", advice);
    free(text);
}

void findings_release(struct findings *findings)
{
    json_decref(findings->list);
    free(findings);
}

bool findings_tell(struct findings *findings, bool json)
{
    const bool good = findings->worst <= FINDING_NOTE;
    if (json)
        print_json(json_pack("{s:O}", "findings", findings->list));
    for (size_t i = 0; !json && i < json_array_size(findings->list); i++)
        print_one(json_array_get(findings->list, i), is_coloured(stdout));
    findings_release(findings);
    return good;
}
