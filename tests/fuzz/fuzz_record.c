/*
 * Fuzz target of the record decoder: any bytes are judged without harm, and what applies can be
 * written again and then applies fully. Build with TUTTI_FUZZ=ON and clang; run on a copy of the
 * corpus.
 */
#include <stdint.h>
#include <stdlib.h>

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

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    struct sample sample;
    struct text why = {0};
    struct outcome outcome = {0};
    sample_init(&sample);
    const enum record_verdict verdict =
        record_decode((const char *)bytes, length, &sample.identity, &outcome, &why);
    if (verdict == RECORD_APPLIES || verdict == RECORD_APPLIES_ELSEWHERE) {
        check_again(&sample.identity, &outcome);
        outcome_release(&outcome);
    }
    if ((verdict == RECORD_APPLIES) != (why.length == 0) && verdict != RECORD_NO_MEMORY)
        abort(); /* every refusal says why */
    if (why.length && !text_is_utf8(why.bytes))
        abort();
    text_release(&why);
    sample_release(&sample);
    return 0;
}
