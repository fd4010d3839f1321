/*
 * Fuzz target of the record decoder: any bytes are judged without harm, and what applies can be
 * written again and then applies fully. Build with TUTTI_FUZZ=ON and clang; run on a copy of the
 * corpus.
 */
#include <stdint.h>
#include <stdlib.h>

#include <tutti/store.h>

#include "sample.h"

static void check_again(const struct identity *identity, const struct outcome *outcome)
{
    struct text json = {0}, why = {0};
    struct outcome again;
    if (record_encode(identity, outcome, &json) != TUTTI_SUCCESS)
        abort();
    if (record_decode(json.bytes, json.length, identity, &again, &why) != RECORD_APPLIES)
        abort();
    if (again.winner != outcome->winner || again.finished != outcome->finished ||
        again.trials[again.winner].seconds != outcome->trials[again.winner].seconds)
        abort();
    outcome_release(&again);
    text_release(&json);
    text_release(&why);
}

static void judge(const struct identity *identity, const uint8_t *bytes, size_t length)
{
    struct text why = {0};
    struct outcome outcome = {0};
    const enum record_verdict verdict =
        record_decode((const char *)bytes, length, identity, &outcome, &why);
    if (verdict == RECORD_APPLIES || verdict == RECORD_APPLIES_ELSEWHERE) {
        check_again(identity, &outcome);
        outcome_release(&outcome);
    }
    if ((verdict == RECORD_APPLIES) != (why.length == 0) && verdict != RECORD_NO_MEMORY)
        abort(); /* every refusal says why */
    if (why.length && !text_is_utf8(why.bytes))
        abort();
    text_release(&why);
}

/* As somebody reads it who does not have the program. */
static void read_alone(const uint8_t *bytes, size_t length)
{
    char text[256];
    tutti_record *record;
    if (tutti_record_parse((const char *)bytes, length, &record, text, sizeof text)) {
        if (!*text)
            abort();
        return;
    }
    for (uint64_t i = 0; i < 8; i++)
        tutti_record_configuration_text(record, i, text, sizeof text);
    tutti_record_destroy(record);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    struct sample sample, rich;
    sample_init(&sample);
    sample_init_rich(&rich);
    judge(&sample.identity, bytes, length);
    judge(&rich.identity, bytes, length);
    read_alone(bytes, length);
    sample_release(&sample);
    sample_release(&rich);
    return 0;
}
